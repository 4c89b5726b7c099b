/* unpack.h -- packed bytes as they were; each library behind a file of its own. */
#ifndef CLI_IMPORT_UNPACK_H
#define CLI_IMPORT_UNPACK_H

#include "common/base/buf.h"
#include "common/base/err.h"

/* Appends to *out, at most `most` bytes. ERR_INPUT: the file is damaged, ends early, has something behind its end, or is
 * larger unpacked. */
enum err unpack_gzip(struct bytes packed, const char *where, size_t most, struct buf *out) MUST_CHECK;
enum err unpack_zlib(struct bytes packed, const char *where, size_t most, struct buf *out) MUST_CHECK;
enum err unpack_zstd(struct bytes packed, const char *where, size_t most, struct buf *out) MUST_CHECK;

/* What may be unpacked here: half of this host's memory, and no more than any file. */
size_t unpack_most(void);

#endif
