#include "party/ranks/rank0.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/progress.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURN_MS = 500, SHOWN = 500 };
static const double LAST_WORDS_S = 2;

/* ---- errors ---- */

static bool read_output(struct workers *w)
{
	char text[1024];
	ssize_t n = read(w->at.output, text, sizeof(text));

	for (ssize_t i = 0; i < n && w->output_n < OUTPUT_MAX - 1; i++)
		w->output[w->output_n++] = text[i];
	if (n > 0)
		log_debug("mpirun: %.*s", (int)n, text);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)); /* more output may arrive */
}

/* Copies the first `bytes` bytes as one line; leaves out blank lines and lines of '-'. */
static void flatten(const char *from, size_t bytes, char to[static SHOWN])
{
	size_t n = 0;

	for (const char *end = from + bytes; from < end && n < SHOWN - 1; from++) {
		char c = *from >= ' ' && *from < 127 ? *from : ' ';

		if ((c == ' ' && (n == 0 || to[n - 1] == ' ')) ||
		    (c == '-' && (from[1] == '-' || (n && to[n - 1] == '-'))))
			continue;
		to[n++] = c;
	}
	to[n] = 0;
}

static enum err name_dead_rank(const struct workers *w)
{
	const char *line = strstr(w->output, "process rank ");
	unsigned rank;
	int signal;

	line = line ? line : "";
	if (sscanf(line, "process rank %u with PID %*d on node %*s exited on signal %d", &rank,
		   &signal) != 2 ||
	    rank >= w->sizes.ranks)
		return ERR_OK;
	return err_set(ERR_INTERNAL, "rank %u of %zu, on %s, was ended by signal %d (%s)%s", rank,
		       w->sizes.ranks, w->place[rank].host, signal, strsignal(signal),
		       signal == SIGKILL ? "; was its host out of memory?" : "");
}

/* Copies the line of coterie-worker itself to text. If there is none, copies all output. */
static void show_output(const struct workers *w, char text[static SHOWN])
{
	static const char own[] = "coterie-worker: ";
	const char *line = strstr(w->output, own);

	line = line ? line + strlen(own) : NULL;
	flatten(line ? line : w->output, line ? strcspn(line, "\n") : w->output_n, text);
}

/* Returns the error of the ranks after mpirun has ended. The cause is taken from the output of
 * mpirun and ranks. */
static enum err rank0_report_end(struct workers *w, int status)
{
	double end_s = clock_now_s() + LAST_WORDS_S;
	struct pollfd p = { .fd = w->at.output, .events = POLLIN };
	char text[SHOWN];

	while (clock_now_s() < end_s && poll(&p, 1, TURN_MS) > 0 && read_output(w))
		;
	w->output[w->output_n] = 0;
	w->died = true;
	if (w->greeted && name_dead_rank(w) != ERR_OK)
		return ERR_INTERNAL;
	show_output(w, text);
	return err_set(
	    w->greeted ? ERR_INTERNAL : ERR_INPUT, "the ranks (mpirun) ended with %s %d%s: %s",
	    WIFSIGNALED(status) ? "signal" : "status",
	    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
	    w->greeted ? "" : " before all ranks were there", *text ? text : "it has not said why");
}

/* ---- frames ---- */

/* Waits for `events` on fd. Meanwhile reads the output of mpirun. ERR_INTERNAL: mpirun has ended;
 * ERR_CANCELLED: the job was cancelled. */
static enum err rank0_await(void *workers, int fd, short events, bool ended)
{
	struct workers *w = workers;
	bool open = true;

	(void)ended;
	for (;;) {
		struct pollfd p[3] = { { .fd = fd, .events = events },
				       { .fd = mpirun_watched(), .events = POLLIN },
				       { .fd = open ? w->at.output : -1, .events = POLLIN } };
		int status;

		TRY(progress_check());
		if (poll(p, 3, TURN_MS) < 0 && errno != EINTR)
			return err_set(ERR_INTERNAL, "ranks: poll: %s", strerror(errno));
		if (p[2].revents)
			open = read_output(w);
		if (p[0].revents & events)
			return ERR_OK;
		if (p[1].revents && mpirun_ended(&w->at, &status))
			return rank0_report_end(w, status);
	}
}

enum err rank0_order(struct workers *w, enum ranks_op op)
{
	w->command.op = op;
	return ranks_pipe_send_frame(&w->pipe, RANKS_COMMAND, &w->command, sizeof(w->command));
}

enum err rank0_answered(struct workers *w)
{
	struct ranks_reply *r = &w->reply;
	size_t got;

	TRY(ranks_pipe_receive_frame(&w->pipe, RANKS_REPLY, r, sizeof(*r), &got));
	if (got != sizeof(*r) || r->code > ERR_CANCELLED)
		return err_set(ERR_INTERNAL, "ranks: a reply of %zu bytes with code %d", got,
			       (int)r->code);
	r->why[sizeof(r->why) - 1] = 0;
	return r->code == ERR_OK ? ERR_OK : err_set(r->code, "%s", r->why);
}

enum err rank0_parts(struct workers *w, enum ranks_op op, const struct rank0_part *part)
{
	TRY(rank0_order(w, op));
	for (; part->from; part++)
		TRY(ranks_pipe_send(&w->pipe, part->from, part->bytes, 1));
	TRY(rank0_answered(w));
	for (; part->to; part++)
		TRY(ranks_pipe_receive(&w->pipe, part->to, part->bytes));
	return ERR_OK;
}

enum err rank0_piece(struct workers *w, size_t *left, size_t unit, size_t *count)
{
	size_t got;

	TRY(ranks_pipe_receive_frame(&w->pipe, RANKS_PIECE, w->piece,
				     *left < RANKS_FRAME_MAX ? *left : RANKS_FRAME_MAX, &got));
	*left -= got;
	*count = got / unit;
	return ERR_OK;
}

enum err rank0_values(struct workers *w, size_t values, workers_values *each, void *arg)
{
	for (size_t left = values * sizeof(double), count; left;) {
		TRY(rank0_piece(w, &left, sizeof(double), &count));
		TRY(each(arg, (const double *)(const void *)w->piece, count));
	}
	return ERR_OK;
}

/* ---- the beginning and the end ---- */

static enum err greet(struct workers *w)
{
	struct ranks_hello h;
	size_t got;

	TRY(ranks_pipe_receive_frame(&w->pipe, RANKS_HELLO, &h, sizeof(h), &got));
	h.version[sizeof(h.version) - 1] = 0;
	if (got != sizeof(h) || strcmp(h.version, COTERIE_VERSION) != 0 ||
	    h.command_size != sizeof(struct ranks_command) ||
	    h.reply_size != sizeof(struct ranks_reply) || h.ranks < 1 || h.ranks > RANKS_MOST)
		return err_set(ERR_INPUT,
			       "ranks: coterie-worker is of another build (%.31s) than this party "
			       "(%s): install both of one release",
			       h.version, COTERIE_VERSION);
	w->sizes.ranks = h.ranks;
	ALLOC(w->place, h.ranks);
	TRY(ranks_pipe_receive(&w->pipe, w->place, h.ranks * sizeof(*w->place)));
	for (size_t r = 0; r < h.ranks; r++) {
		w->place[r].host[RANKS_HOST_MAX - 1] = 0;
		log_info("rank %zu of %u: process %jd on %s", r, h.ranks, (intmax_t)w->place[r].pid,
			 w->place[r].host);
	}
	w->greeted = true;
	return ERR_OK;
}

enum err workers_start(struct workers **out)
{
	struct workers *w = alloc(1, sizeof(*w));
	enum err e = mpirun_start(&w->at);

	*out = NULL;
	if (e != ERR_OK) {
		free(w);
		return e;
	}
	w->piece = alloc(RANKS_FRAME_MAX, 1);
	w->pipe = (struct ranks_pipe){ w->at.from, w->at.to, 0, rank0_await, w };
	e = greet(w);
	if (e == ERR_OK)
		*out = w;
	else
		workers_end(w);
	return e;
}

void workers_end(struct workers *w)
{
	if (!w)
		return;
	mpirun_stop(&w->at);
	free(w->place);
	free(w->piece);
	free(w);
}

bool workers_died(const struct workers *w)
{
	return w && w->died;
}

struct ranks_sizes workers_sizes(const struct workers *w)
{
	return w->sizes;
}
