/* The one door to zstd. */
#include "cli/import/unpack.h"

#include <zstd.h>

/* A file may be several frames, one behind the other. */
static enum err run(ZSTD_DStream *z, struct bytes packed, const char *where, size_t most,
		    struct buf *out)
{
	ZSTD_inBuffer in = { packed.p, packed.n, 0 };
	size_t chunk = ZSTD_DStreamOutSize(), state = 1;

	while (in.pos < in.size || state) {
		size_t had = out->n, was = in.pos;
		ZSTD_outBuffer to = { buf_extend(out, chunk), chunk, 0 };

		state = ZSTD_decompressStream(z, &to, &in);
		out->n = had + to.pos;
		if (ZSTD_isError(state))
			return err_set(
			    ERR_INPUT,
			    "%s: is damaged, or has something behind its end, at byte %zu: %s",
			    where, was, ZSTD_getErrorName(state));
		if (out->n > most)
			return err_set(ERR_INPUT,
				       "%s: more than %zu bytes once unpacked, which is more than "
				       "this host has room for",
				       where, most);
		if (in.pos == in.size && state && to.pos < chunk)
			return err_set(ERR_INPUT, "%s: ends early, after %zu bytes", where,
				       packed.n);
	}
	return ERR_OK;
}

enum err unpack_zstd(struct bytes packed, const char *where, size_t most, struct buf *out)
{
	ZSTD_DStream *z;
	enum err err;

	if (!packed.n)
		return err_set(ERR_INPUT, "%s: the file is empty", where);
	z = ZSTD_createDStream();
	if (!z)
		return err_set(ERR_INTERNAL, "%s: zstd does not begin", where);
	err = run(z, packed, where, most, out);
	ZSTD_freeDStream(z);
	return err;
}
