#include "party/ranks/mpirun.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "party/ranks/own.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int to_helper = -1;
static unsigned serial;
static struct mpirun_plan plan; /* the helper's copy is its own */

/* ---- the plan ---- */

/* A program that may be run, as PATH says. Owned by the caller; NULL: there is none. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH"), *end;

	for (path = path ? path : "/usr/local/bin:/usr/bin:/bin"; *path; path = end + (*end != 0)) {
		char dir[4096], *found;

		end = path + strcspn(path, ":");
		snprintf(dir, sizeof(dir), "%.*s", (int)(end - path), path);
		found = file_join(*dir ? dir : ".", name);
		if (access(found, X_OK) == 0)
			return found;
		free(found);
	}
	return NULL;
}

/* Beside this program. */
static char *find_worker(void)
{
	char own[4096], *dir, *path;
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	own[n > 0 ? n : 0] = 0;
	dir = file_dir(own);
	path = file_join(dir, "coterie-worker");
	free(dir);
	return path;
}

static enum err mpirun_check_data(const struct party_config *c)
{
	const char *features = c->data.features, *edges = c->data.edges;

	if (!(file_ends(features, ".npy") || file_ends(features, ".mtx")) ||
	    !(!edges || file_ends(edges, ".tsv") || file_ends(edges, ".txt") ||
	      file_ends(edges, ".mtx")))
		return err_set(ERR_INPUT,
			       "ranks: data.features is %s and data.edges is %s, expected a file "
			       ".npy or .mtx and a file .tsv, .txt or .mtx: ranks read no others",
			       c->data.features ? c->data.features : "not given",
			       c->data.edges ? c->data.edges : "not given");
	if (c->data.graphs)
		return err_set(ERR_INPUT, "ranks: data.graphs is given, which ranks do not read");
	if (c->data.ids && edges && !file_ends(edges, ".mtx"))
		return err_set(
		    ERR_INPUT,
		    "ranks: data.ids is given and data.edges is %s, which names nodes by ids: "
		    "expected a file .mtx, which has their numbers, as ranks have no ids",
		    edges);
	return ERR_OK;
}

/* At least one line that names a host. */
static enum err check_hostfile(const char *path)
{
	struct buf text = { 0 };
	const char *p;
	enum err e = file_read(path, 1 << 20, &text);
	bool named = false;

	if (e != ERR_OK)
		return err_prefix(e, "ranks.hostfile");
	for (p = (const char *)text.p; *p && !named; p += strcspn(p, "\n"), p += *p == '\n') {
		size_t blank = strspn(p, " \t\r");

		named = p[blank] && p[blank] != '\n' && p[blank] != '#';
	}
	buf_release(&text);
	return named ? ERR_OK
		     : err_set(ERR_INPUT,
			       "ranks.hostfile: %s names no host, expected a line \"HOST slots=N\" "
			       "for each, this one first",
			       path);
}

static enum err check_programs(const struct party_config *c)
{
	char *mpirun = find_program("mpirun"), *worker = find_worker();
	enum err e = mpirun_check_data(c);

	if (e == ERR_OK && !mpirun)
		e = err_set(ERR_INPUT, "ranks: there is no mpirun in PATH, which starts them: "
				       "install Open MPI (Debian: openmpi-bin), or take ranks out");
	if (e == ERR_OK && access(worker, X_OK) != 0)
		e = err_set(ERR_INPUT,
			    "ranks: %s cannot be run: %s; it is built where Open MPI's headers are "
			    "(Debian: libopenmpi-dev)",
			    worker, strerror(errno));
	if (e == ERR_OK && c->ranks.hostfile)
		e = check_hostfile(c->ranks.hostfile);
	free(worker);
	free(mpirun);
	return e;
}

enum err mpirun_check(const struct party_config *c)
{
	if (!c->ranks.n && c->ranks.hostfile)
		return err_set(
		    ERR_INPUT,
		    "ranks.hostfile is given without ranks.n, expected how many ranks there are");
	if (!c->ranks.n)
		return ERR_OK;
	return check_programs(c);
}

/* ---- the daemon ---- */

enum err mpirun_begin(const struct party_config *c)
{
	int end[2];
	pid_t pid;

	TRY(mpirun_check(c));
	if (!c->ranks.n)
		return ERR_OK;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end) != 0)
		return err_set(ERR_INTERNAL, "ranks: %s", strerror(errno));
	plan.mpirun = find_program("mpirun");
	plan.worker = find_worker();
	plan.hostfile = c->ranks.hostfile ? alloc_copy(c->ranks.hostfile) : NULL;
	plan.state = alloc_copy(c->state);
	plan.n = c->ranks.n;
	pid = fork();
	if (pid < 0) {
		close(end[0]);
		close(end[1]);
		return err_set(ERR_INTERNAL, "ranks: their helper cannot be made: %s",
			       strerror(errno));
	}
	if (pid == 0) {
		close(end[0]);
		mpirun_help(&plan, end[1]);
	}
	close(end[1]);
	to_helper = end[0];
	return ERR_OK;
}

void mpirun_end(void)
{
	double end_s = clock_now_s() + PATIENCE_S + TERM_S + 1, left_s;
	struct pollfd p = { .fd = to_helper, .events = POLLIN };
	char unread[sizeof(struct outcome)];

	if (to_helper < 0)
		return;
	shutdown(to_helper, SHUT_WR);
	while ((left_s = end_s - clock_now_s()) > 0 && poll(&p, 1, (int)(1000 * left_s)) >= 0)
		if (recv(to_helper, unread, sizeof(unread), 0) == 0)
			break; /* the helper has ended */
	close(to_helper);
	to_helper = -1;
	free(plan.mpirun);
	free(plan.worker);
	free(plan.hostfile);
	free(plan.state);
}

static enum err give_order(enum order order)
{
	unsigned o[2] = { order, serial };

	if (send(to_helper, o, sizeof(o), MSG_NOSIGNAL) != sizeof(o))
		return err_set(ERR_INTERNAL, "ranks: their helper does not answer: %s",
			       strerror(errno));
	return ERR_OK;
}

/* Receives the outcome of the ranks started last; drops older ones. wait: else returns at once if
 * there is none. */
static bool mpirun_receive_outcome(struct outcome *r, bool wait, int end[static ENDS])
{
	union {
		char bytes[CMSG_SPACE(ENDS * sizeof(int))];
		struct cmsghdr align;
	} room = { 0 };
	ssize_t n;

	do {
		struct iovec text = { r, sizeof(*r) };
		struct msghdr m = { .msg_iov = &text,
				    .msg_iovlen = 1,
				    .msg_control = room.bytes,
				    .msg_controllen = sizeof(room.bytes) };
		struct cmsghdr *c;

		n = recvmsg(to_helper, &m, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
		if (n < 0 && errno == EINTR)
			continue;
		if (n != (ssize_t)sizeof(*r))
			return false;
		c = CMSG_FIRSTHDR(&m);
		if (r->what == STARTED && c && c->cmsg_len == CMSG_LEN(ENDS * sizeof(int)))
			memcpy(end, CMSG_DATA(c), ENDS * sizeof(int));
	} while (n < 0 || r->serial != serial);
	return true;
}

enum err mpirun_start(struct mpirun *l)
{
	int end[ENDS] = { -1, -1, -1 };
	struct outcome r;

	serial++;
	TRY(give_order(START));
	if (!mpirun_receive_outcome(&r, true, end))
		return err_set(ERR_INTERNAL, "ranks: their helper has ended");
	if (r.what != STARTED || end[0] < 0)
		return err_set(ERR_INTERNAL, "ranks: mpirun cannot be started: %s",
			       strerror(r.error));
	*l = (struct mpirun){ serial, end[0], end[1], end[2] };
	return ERR_OK;
}

void mpirun_stop(struct mpirun *l)
{
	close(l->to);
	close(l->from);
	close(l->said);
	if (l->serial == serial)
		(void)!give_order(STOP);
}

int mpirun_watched(void)
{
	return to_helper;
}

bool mpirun_ended(const struct mpirun *l, int *status)
{
	int none[ENDS];
	struct outcome r;

	if (l->serial != serial || !mpirun_receive_outcome(&r, false, none) || r.what != ENDED)
		return false;
	*status = r.status;
	return true;
}
