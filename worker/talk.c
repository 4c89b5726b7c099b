#include "worker/talk.h"
#include "worker/link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TICK_S = 1 };

static int in = -1, out = -1;
static size_t left; /* of the piece that is being received */
static time_t ticked;

__attribute__((noreturn)) static void gone(void)
{
	link_abort("rank 0 hears no party of its own release at its pipes");
}

static int open_pipe(const char *dir, const char *name, int flags)
{
	char path[RANKS_PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		link_abort("rank 0 cannot open %s: %s; the first host of ranks.hostfile must be "
			   "the party's own",
			   path, strerror(errno));
	return fd;
}

void talk_open(const char *dir)
{
	in = open_pipe(dir, "in", O_RDONLY);
	out = open_pipe(dir, "out", O_WRONLY);
}

/* False at the end, which may come before the first byte only. */
static bool talk_read(void *p, size_t n)
{
	size_t got = 0;

	while (got < n) {
		ssize_t more = read(in, (char *)p + got, n - got);

		if (more > 0)
			got += (size_t)more;
		else if (more == 0 && got == 0)
			return false;
		else if (more == 0 || errno != EINTR)
			gone();
	}
	return true;
}

static void talk_write(const void *p, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t more = write(out, (const char *)p + done, n - done);

		if (more > 0)
			done += (size_t)more;
		else if (errno != EINTR)
			gone();
	}
}

bool talk_order(struct ranks_order *o)
{
	struct ranks_frame f;

	if (left)
		gone();
	if (!talk_read(&f, sizeof(f)))
		return false;
	if (f.what != RANKS_ORDER || f.bytes != sizeof(*o) || !talk_read(o, sizeof(*o)))
		gone();
	o->features[RANKS_PATH_MAX - 1] = o->edges[RANKS_PATH_MAX - 1] = 0;
	return true;
}

void talk_say(enum ranks_what what, const void *p, size_t n)
{
	struct ranks_frame f = { .what = what, .bytes = (uint32_t)n };

	talk_write(&f, sizeof(f));
	talk_write(p, n);
}

void talk_send(const void *p, size_t n, size_t unit)
{
	size_t most = unit < RANKS_FRAME_MAX ? RANKS_FRAME_MAX / unit * unit : RANKS_FRAME_MAX;

	for (size_t at = 0; at < n; at += most)
		talk_say(RANKS_PIECE, (const char *)p + at, n - at < most ? n - at : most);
}

void talk_receive(void *p, size_t n)
{
	struct ranks_frame f;

	for (size_t at = 0, next; at < n; at += next, left -= next) {
		if (!left) {
			if (!talk_read(&f, sizeof(f)) || f.what != RANKS_PIECE || f.bytes == 0 ||
			    f.bytes > RANKS_FRAME_MAX)
				gone();
			left = f.bytes;
		}
		next = n - at < left ? n - at : left;
		if (!talk_read((char *)p + at, next))
			gone();
	}
}

void talk_tick(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (now.tv_sec < ticked + TICK_S)
		return;
	ticked = now.tv_sec;
	talk_say(RANKS_TICK, NULL, 0);
}
