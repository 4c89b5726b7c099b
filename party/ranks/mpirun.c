#include "party/ranks/mpirun.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/job/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENDS = 3, TURN_MS = 20 };
/* How long ranks have to end by themselves, and then after SIGTERM. */
static const double PATIENCE_S = 5, TERM_S = 3;

enum order { START = 1, STOP };
struct outcome {
	enum { STARTED = 1, FAILED, ENDED } what;
	unsigned serial;
	int status, error; /* of waitpid; errno */
};

static int to_helper = -1;
static unsigned serial;

/* What it is started with; the helper's own copies. */
static struct {
	char *mpirun, *worker, *hostfile, *state;
	unsigned n;
	bool root;
} plan;

/* ---- the helper ---- */

static struct {
	pid_t pid; /* of mpirun; 0: none runs */
	unsigned serial;
	char *dir;
} running;

static void remove_dir(const char *dir)
{
	static const char *const name[] = { "in", "out" };

	for (size_t i = 0; i < 2; i++) {
		char *path = file_join(dir, name[i]);

		unlink(path);
		free(path);
	}
	rmdir(dir);
}

/* What a helper that was killed has left. */
static void sweep(void)
{
	char *pattern = file_join(plan.state, "ranks-??????");
	glob_t found;

	if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			remove_dir(found.gl_pathv[i]);
		globfree(&found);
	}
	free(pattern);
}

/* Opened for both directions, so that nobody waits for the other end. */
static int make_pipe(const char *dir, const char *name)
{
	char *path = file_join(dir, name);
	int fd = -1;

	if (mkfifo(path, 0600) == 0)
		fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	free(path);
	return fd;
}

__attribute__((noreturn)) static void become_mpirun(const char *dir, int said)
{
	char n[16];
	const char *argv[24] = { plan.mpirun, "-n", n };
	size_t count = 3;
	sigset_t none;

	snprintf(n, sizeof(n), "%u", plan.n);
	if (plan.hostfile) {
		argv[count++] = "--hostfile";
		argv[count++] = plan.hostfile;
	} else {
		argv[count++] = "--oversubscribe";
	}
	if (plan.root)
		argv[count++] = "--allow-run-as-root";
	argv[count++] = "--bind-to";
	argv[count++] = "none";
	argv[count++] = "--mca";
	argv[count++] = "mpi_yield_when_idle";
	argv[count++] = "1";
	argv[count++] = plan.worker;
	argv[count++] = dir;
	sigemptyset(&none);
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
	dup2(said, STDOUT_FILENO);
	dup2(said, STDERR_FILENO);
	execv(plan.mpirun, (char *const *)(uintptr_t)argv);
	_exit(127);
}

/* STARTED, with the three ends; these are closed here. */
static void hand_over(int sock, int end[static ENDS])
{
	struct outcome r = { .what = STARTED, .serial = running.serial };
	union {
		char bytes[CMSG_SPACE(ENDS * sizeof(int))];
		struct cmsghdr align;
	} room = { 0 };
	struct iovec text = { &r, sizeof(r) };
	struct msghdr m = { .msg_iov = &text,
			    .msg_iovlen = 1,
			    .msg_control = room.bytes,
			    .msg_controllen = sizeof(room.bytes) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(ENDS * sizeof(int));
	memcpy(CMSG_DATA(c), end, ENDS * sizeof(int));
	(void)!sendmsg(sock, &m, MSG_NOSIGNAL);
	for (size_t i = 0; i < ENDS; i++)
		close(end[i]);
}

static void say(int sock, struct outcome r)
{
	(void)!send(sock, &r, sizeof(r), MSG_NOSIGNAL);
}

/* Waits for so long until mpirun has ended. */
static bool await_end(double wait_s, int *status)
{
	double end_s = clock_now_s() + wait_s;

	do {
		if (waitpid(running.pid, status, WNOHANG) == running.pid)
			return true;
		nanosleep(&(struct timespec){ .tv_nsec = TURN_MS * 1000000 }, NULL);
	} while (clock_now_s() < end_s);
	return false;
}

static void ended(void)
{
	running.pid = 0;
	remove_dir(running.dir);
	free(running.dir);
	running.dir = NULL;
}

/* mpirun ends its ranks, on other hosts too, when it is told to. */
static void end_running(double patience_s)
{
	int status;

	if (!running.pid)
		return;
	if (patience_s > 0 && await_end(patience_s, &status)) {
		ended();
		return;
	}
	kill(running.pid, SIGTERM);
	if (!await_end(TERM_S, &status)) {
		kill(-running.pid, SIGKILL);
		waitpid(running.pid, &status, 0);
	}
	ended();
}

static enum err start(int sock)
{
	int end[ENDS] = { -1, -1, -1 }, said[2] = { -1, -1 }, error = 0;

	end_running(0);
	running.dir = file_join(plan.state, "ranks-XXXXXX");
	if (file_make_dirs(plan.state) != ERR_OK || !mkdtemp(running.dir) ||
	    (end[0] = make_pipe(running.dir, "in")) < 0 ||
	    (end[1] = make_pipe(running.dir, "out")) < 0 || pipe2(said, O_CLOEXEC) != 0 ||
	    (running.pid = fork()) < 0) {
		error = errno;
		for (size_t i = 0; i < ENDS; i++)
			if (end[i] >= 0)
				close(end[i]);
		ended();
		say(sock,
		    (struct outcome){ .what = FAILED, .serial = running.serial, .error = error });
		return ERR_INTERNAL;
	}
	if (running.pid == 0)
		become_mpirun(running.dir, said[1]);
	close(said[1]);
	fcntl(said[0], F_SETFL, O_NONBLOCK);
	end[2] = said[0];
	hand_over(sock, end);
	return ERR_OK;
}

/* Signals for the daemon's group do not end it: it ends with the daemon, and sees to its ranks. */
__attribute__((noreturn)) static void help(const struct daemon_common *c, int sock)
{
	struct {
		unsigned order, serial;
	} o;

	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_NAME, "coterie-ranks");
	if (confine_user(c) != ERR_OK)
		_exit(ERR_INPUT);
	plan.root = geteuid() == 0;
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	setenv("OPENBLAS_NUM_THREADS", "1", 1);
	sweep();
	for (;;) {
		struct pollfd p = { .fd = sock, .events = POLLIN };
		int status;

		if (poll(&p, 1, running.pid ? TURN_MS : -1) > 0) {
			ssize_t n = recv(sock, &o, sizeof(o), 0);

			if (n == 0)
				break;
			if (n == (ssize_t)sizeof(o) && o.order == START) {
				running.serial = o.serial;
				(void)!start(sock);
			} else if (n == (ssize_t)sizeof(o)) {
				end_running(PATIENCE_S);
			}
		}
		if (running.pid && waitpid(running.pid, &status, WNOHANG) == running.pid) {
			ended();
			say(sock, (struct outcome){
				      .what = ENDED, .serial = running.serial, .status = status });
		}
	}
	end_running(0);
	_exit(ERR_OK);
}

/* ---- what it is started with ---- */

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

static bool ends_with(const char *path, const char *end)
{
	size_t n = path ? strlen(path) : 0, m = strlen(end);

	return n > m && !strcmp(path + n - m, end);
}

static enum err check_data(const struct party_config *c)
{
	if (!ends_with(c->data.features, ".npy") || !ends_with(c->data.edges, ".tsv"))
		return err_set(
		    ERR_INPUT,
		    "ranks: data.features is %s and data.edges is %s, expected a file .npy "
		    "and a file .tsv: ranks read no others",
		    c->data.features ? c->data.features : "not given",
		    c->data.edges ? c->data.edges : "not given");
	if (c->data.ids || c->data.graphs)
		return err_set(
		    ERR_INPUT,
		    "ranks: data.%s is given, which ranks do not read: row numbers are the "
		    "ids there",
		    c->data.ids ? "ids" : "graphs");
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

static enum err check_as_user(const struct party_config *c)
{
	char *mpirun = find_program("mpirun"), *worker = find_worker();
	enum err e = check_data(c);

	if (e == ERR_OK && !mpirun)
		e = err_set(
		    ERR_INPUT,
		    "ranks: there is no mpirun in PATH, which starts them: install Open MPI "
		    "(Debian: openmpi-bin), or take ranks out");
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
	enum err e;

	if (!c->ranks.n && c->ranks.hostfile)
		return err_set(
		    ERR_INPUT,
		    "ranks.hostfile is given without ranks.n, expected how many ranks there "
		    "are");
	if (!c->ranks.n)
		return ERR_OK;
	TRY(confine_as_user(&c->common));
	e = check_as_user(c);
	confine_as_before();
	return e;
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
		help(&c->common, end[1]);
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

/* What is said of others than those started last is out of date. wait: else it need not be there.
 */
static bool hear(struct outcome *r, bool wait, int end[static ENDS])
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
	if (!hear(&r, true, end))
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

	if (l->serial != serial || !hear(&r, false, none) || r.what != ENDED)
		return false;
	*status = r.status;
	return true;
}
