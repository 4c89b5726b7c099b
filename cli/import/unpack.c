#include "cli/import/unpack.h"
#include "cli/import/import.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/machine.h"
#include "common/data/limits.h"

#include <stdlib.h>
#include <string.h>

size_t unpack_most(void)
{
	double half = machine_memory() / 2;

	return half < (double)DATA_FILE_MAX ? (size_t)half : DATA_FILE_MAX;
}

/* ---- packed files ---- */

static const struct packed {
	const char *ending;
	enum err (*unpack)(struct bytes packed, const char *where, size_t most, struct buf *out);
} packed[] = { { ".gz", unpack_gzip }, { ".zst", unpack_zstd } };

static const struct packed *packed_as(const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++) {
		size_t cut = strlen(packed[i].ending);

		if (n > cut && !strcmp(path + n - cut, packed[i].ending))
			return &packed[i];
	}
	return NULL;
}

char *import_name(const char *path)
{
	const struct packed *p = packed_as(path);
	char *name = alloc_copy(path);

	if (p)
		name[strlen(name) - strlen(p->ending)] = 0;
	return name;
}

enum err import_bytes(const char *path, struct buf *out)
{
	const struct packed *p = packed_as(path);
	struct buf file = { 0 };
	enum err err;

	if (!p)
		return file_read(path, DATA_FILE_MAX, out);
	TRY(file_read(path, DATA_FILE_MAX, &file));
	err = p->unpack((struct bytes){ file.p, file.n }, path, unpack_most(), out);
	buf_release(&file);
	return err;
}
