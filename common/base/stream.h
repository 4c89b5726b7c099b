/* stream.h -- a descriptor that log lines are written to, with or without waiting for its reader.
 *
 * Without waiting, bytes that are not taken yet are kept, STREAM_KEPT_MAX at most; whole lines
 * beyond that are dropped and counted. Nothing here locks.
 */
#ifndef COMMON_BASE_STREAM_H
#define COMMON_BASE_STREAM_H

#include "common/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

enum { STREAM_KEPT_MAX = 64 << 10 };

struct stream {
	int fd;             /* the caller's */
	int own;            /* the same file, opened anew to be written without waiting; -1: it is not */
	bool waits, socket; /* how fd is written */
	struct buf kept;
	size_t dropped; /* lines, since stream_dropped() was asked */
};
#define STREAM_OF(f) ((struct stream){ .fd = (f), .own = -1, .waits = true })

/* From here on no call waits. The flags of fd, which other processes may share, stay as they
 * are. */
void stream_never_wait(struct stream *s);
/* One line, or part of one: in one write where possible, so that lines of several processes do not
 * mix. */
void stream_put(struct stream *s, const void *p, size_t n);
/* Writes what is kept, as far as it is taken now. True: nothing is kept any more. */
bool stream_flush(struct stream *s);
/* The same for so long; before a process ends. */
void stream_drain(struct stream *s, double timeout_s);
size_t stream_dropped(struct stream *s);
void stream_release(struct stream *s); /* fd stays open */

#endif
