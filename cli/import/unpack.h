/* unpack.h -- packed bytes as they were; each library behind a file of its own. */
#ifndef CLI_IMPORT_UNPACK_H
#define CLI_IMPORT_UNPACK_H

#include "common/base/buf.h"
#include "common/base/err.h"

/* Appends to *out, at most `most` bytes. ERR_INPUT: the file is damaged, ends early, has something behind its end, or is
 * larger unpacked. */
enum err unpack_gzip(struct bytes packed, const char *where, size_t most, struct buf *out) MUST_CHECK;
enum err unpack_zstd(struct bytes packed, const char *where, size_t most, struct buf *out) MUST_CHECK;

/* What may be unpacked here: half of this host's memory, and no more than any file. */
size_t unpack_most(void);

/* A library that goes round for ever on a damaged file cannot be told to stop: from begin to end the process ends with
 * exit status 4 and a sentence once it has computed for longer than a file of this size can need. where outlives it. */
void unpack_watch_begin(const char *where);
void unpack_watch_end(void);

#endif
