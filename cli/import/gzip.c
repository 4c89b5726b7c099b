/* The one door to zlib. */
#include "cli/import/unpack.h"
#include "common/base/alloc.h"

#include <stdlib.h>
#include <zlib.h>

enum { CHUNK = 1 << 18 };

static voidpf allocate(voidpf opaque, uInt items, uInt size)
{
	(void)opaque;
	return alloc(items, size);
}

static void release(voidpf opaque, voidpf p)
{
	(void)opaque;
	free(p);
}

/* A file of gzip may be several, one behind the other. */
static enum err run(z_stream *z, struct bytes packed, const char *where, size_t most,
		    struct buf *out)
{
	size_t left = packed.n;
	int status = Z_STREAM_END;

	z->next_in = (Bytef *)(uintptr_t)packed.p;
	for (;;) {
		uInt give = left < CHUNK ? (uInt)left : CHUNK;

		if (status == Z_STREAM_END && !left)
			return ERR_OK;
		if (status == Z_STREAM_END && packed.n != left && inflateReset(z) != Z_OK)
			return err_set(ERR_INTERNAL, "%s: zlib does not begin again", where);
		z->avail_in = give;
		do {
			size_t had = out->n;

			z->next_out = buf_extend(out, CHUNK);
			z->avail_out = CHUNK;
			status = inflate(z, Z_NO_FLUSH);
			out->n = had + CHUNK - z->avail_out;
			if (out->n > most)
				return err_set(ERR_INPUT,
					       "%s: more than %zu bytes once unpacked, which is "
					       "more than this host "
					       "has room for",
					       where, most);
			if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
				return err_set(ERR_INPUT,
					       "%s: is damaged, or has something behind its end, "
					       "at byte %zu: %s",
					       where, packed.n - left + give - z->avail_in,
					       z->msg ? z->msg : "not packed so");
		} while (z->avail_out == 0 && status != Z_STREAM_END);
		left -= give - z->avail_in;
		if (!left && status != Z_STREAM_END)
			return err_set(ERR_INPUT, "%s: ends early, after %zu bytes", where,
				       packed.n);
	}
}

static enum err unpack(int window, struct bytes packed, const char *where, size_t most,
		       struct buf *out)
{
	z_stream z = { .zalloc = allocate, .zfree = release };
	enum err err;

	if (!packed.n)
		return err_set(ERR_INPUT, "%s: the file is empty", where);
	if (inflateInit2(&z, window) != Z_OK)
		return err_set(ERR_INTERNAL, "%s: zlib does not begin", where);
	err = run(&z, packed, where, most, out);
	inflateEnd(&z);
	return err;
}

enum err unpack_gzip(struct bytes packed, const char *where, size_t most, struct buf *out)
{
	return unpack(15 + 16, packed, where, most, out); /* gzip alone */
}

enum err unpack_zlib(struct bytes packed, const char *where, size_t most, struct buf *out)
{
	return unpack(15, packed, where, most, out);
}
