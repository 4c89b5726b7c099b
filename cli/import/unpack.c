#include "cli/import/import.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/limits.h"

enum err import_bytes(const char *path, struct buf *out, char **name)
{
	*name = alloc_copy(path);
	return file_read(path, DATA_FILE_MAX, out);
}
