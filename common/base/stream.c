#include "common/base/stream.h"
#include "common/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

void stream_never_wait(struct stream *s)
{
	char path[32];
	struct stat st;

	/* Writes to a regular file never block on a reader. */
	if (fstat(s->fd, &st) != 0 || S_ISREG(st.st_mode))
		return;
	s->waits = false;
	s->socket = S_ISSOCK(st.st_mode);
	if (s->socket || s->own >= 0)
		return;
	/* O_NONBLOCK on fd would affect all processes that share this pipe or terminal. So the file
	 * is opened again. If that is not allowed, poll() precedes each write. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", s->fd);
	s->own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static bool is_ready(const struct stream *s, int timeout_ms)
{
	struct pollfd p = { .fd = s->fd, .events = POLLOUT };

	return poll(&p, 1, timeout_ms) == 1;
}

static ssize_t write_some(const struct stream *s, const uint8_t *p, size_t n)
{
	if (s->socket)
		return send(s->fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (s->own >= 0)
		return write(s->own, p, n);
	if (s->waits)
		return write(s->fd, p, n);
	if (!is_ready(s, 0)) {
		errno = EAGAIN;
		return -1;
	}
	return write(s->fd, p, n < PIPE_BUF ? n : PIPE_BUF);
}

/* Returns the number of bytes written. If a write fails, for example because the reader has gone,
 * returns n: a log that cannot be written must not end the job. */
static size_t stream_write_all(const struct stream *s, const uint8_t *p, size_t n)
{
	size_t at = 0;

	while (at < n) {
		ssize_t done = write_some(s, p + at, n - at);

		if (done > 0)
			at += (size_t)done;
		else if (done < 0 && errno == EAGAIN && !s->waits)
			return at;
		else if (done == 0 || errno != EINTR)
			return n;
	}
	return n;
}

bool stream_flush(struct stream *s)
{
	size_t done = stream_write_all(s, s->kept.p, s->kept.n);

	buf_drop(&s->kept, done);
	return !s->kept.n;
}

void stream_put(struct stream *s, const void *p, size_t n)
{
	size_t done = stream_flush(s) ? stream_write_all(s, p, n) : 0;

	if (done == 0 && s->kept.n + n > STREAM_KEPT_MAX)
		s->dropped++;
	else
		buf_add(&s->kept, (const uint8_t *)p + done, n - done);
}

void stream_drain(struct stream *s, double timeout_s)
{
	double until_s = clock_now_s() + timeout_s, left_s;

	while (!stream_flush(s) && (left_s = until_s - clock_now_s()) > 0)
		(void)is_ready(s, (int)(1e3 * left_s) + 1);
}

size_t stream_dropped(struct stream *s)
{
	size_t n = s->dropped;

	s->dropped = 0;
	return n;
}

void stream_release(struct stream *s)
{
	if (s->own >= 0)
		close(s->own);
	buf_release(&s->kept);
	*s = STREAM_OF(s->fd);
}
