/* stream.h -- a descriptor for log lines, written with or without waiting for its reader.
 *
 * Without waiting, at most STREAM_KEPT_MAX unread bytes are kept; further whole lines are dropped
 * and counted. Not thread-safe.
 */
#ifndef COMMON_BASE_STREAM_H
#define COMMON_BASE_STREAM_H

#include "common/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

enum { STREAM_KEPT_MAX = 64 << 10 };

struct stream {
	int fd;  /* owned by the caller */
	int own; /* the same file, opened again for non-blocking writes; -1: not opened */
	bool waits, socket; /* waits: writes may block. socket: fd is a socket. */
	struct buf kept;
	size_t dropped; /* number of texts dropped since the last stream_dropped() */
};
#define STREAM_OF(f) ((struct stream){ .fd = (f), .own = -1, .waits = true })

/* Makes all later calls non-blocking. The flags of fd, which other processes may share, do not
 * change. */
void stream_never_wait(struct stream *s);
/* Writes text, if possible in one write, so that lines of several processes do not mix. After
 * stream_never_wait(), keeps or drops what cannot be written now. */
void stream_put(struct stream *s, const void *p, size_t n);
/* Writes as many kept bytes as possible now. Returns true if no kept bytes remain. */
bool stream_flush(struct stream *s);
/* Writes kept bytes for at most timeout_s; for the end of a process. */
void stream_drain(struct stream *s, double timeout_s);
size_t stream_dropped(struct stream *s);
void stream_release(struct stream *s); /* leaves fd open */

#endif
