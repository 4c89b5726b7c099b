#include "worker/pipes.h"
#include "worker/link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TICK_S = 1 };

static bool between; /* no command is being executed, so the party may close its end now */

__attribute__((noreturn)) static void gone(void)
{
	link_abort("rank 0 hears no party of its own release at its pipes");
}

static enum err pipes_await(void *arg, int fd, short events, bool ended)
{
	(void)arg;
	(void)fd;
	(void)events;
	if (ended && between)
		return ERR_CANCELLED;
	if (ended || errno != EINTR)
		gone();
	return ERR_OK;
}

static struct ranks_pipe party = { .await = pipes_await };

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

void pipes_open(const char *dir)
{
	party.in = open_pipe(dir, "in", O_RDONLY);
	party.out = open_pipe(dir, "out", O_WRONLY);
}

bool pipes_receive_command(struct ranks_command *o)
{
	size_t got;
	enum err e;

	between = true;
	e = ranks_pipe_receive_frame(&party, RANKS_COMMAND, o, sizeof(*o), &got);
	between = false;
	if (e == ERR_CANCELLED)
		return false;
	if (e != ERR_OK || got != sizeof(*o))
		gone();
	o->features[RANKS_PATH_MAX - 1] = o->edges[RANKS_PATH_MAX - 1] = 0;
	return true;
}

void pipes_send_message(enum ranks_what what, const void *p, size_t n)
{
	if (ranks_pipe_send_frame(&party, what, p, n) != ERR_OK)
		gone();
}

void pipes_send_vector(const void *p, size_t n, size_t unit)
{
	if (ranks_pipe_send(&party, p, n, unit) != ERR_OK)
		gone();
}

void pipes_receive(void *p, size_t n)
{
	if (ranks_pipe_receive(&party, p, n) != ERR_OK)
		gone();
}

void pipes_tick(void)
{
	static time_t ticked;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (now.tv_sec < ticked + TICK_S)
		return;
	ticked = now.tv_sec;
	pipes_send_message(RANKS_TICK, NULL, 0);
}
