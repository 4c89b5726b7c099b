/* The helper process starts and ends mpirun. The daemon starts the helper before it reads keys and
 * confines itself. */
#include "party/ranks/own.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/helper.h"
#include "common/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURN_MS = 20 };

static const struct mpirun_plan *plan;
static bool root; /* this process was started by root */

static struct {
	pid_t pid; /* process id of mpirun; 0: mpirun does not run */
	unsigned serial;
	int output;
} running = { .output = -1 };

/* ---- the network namespace of mpirun and ranks ---- */

static bool write_line(const char *path, const char *line)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool written = fd >= 0 && write(fd, line, strlen(line)) == (ssize_t)strlen(line);

	if (fd >= 0)
		close(fd);
	return written;
}

/* Maps the user's own ids into the new user namespace. Root needs no such mapping. */
static bool keep_user(uid_t uid, gid_t gid)
{
	char line[48];

	if (!uid)
		return true;
	/* Otherwise root would own this process's files in /proc. A dumpable process is safe here,
	 * because it has no key. */
	prctl(PR_SET_DUMPABLE, 1);
	snprintf(line, sizeof(line), "%u %u 1", uid, uid);
	if (!write_line("/proc/self/uid_map", line) || !write_line("/proc/self/setgroups", "deny"))
		return false;
	snprintf(line, sizeof(line), "%u %u 1", gid, gid);
	return write_line("/proc/self/gid_map", line);
}

/* Moves this process, and all that it starts, into a network namespace with only a loopback
 * interface: Open MPI listens on all interfaces and cannot be configured otherwise. */
static bool leave_network(void)
{
	struct ifreq lo = { .ifr_name = "lo" };
	uid_t uid = geteuid();
	gid_t gid = getegid();
	bool up;
	int fd;

	if (unshare(CLONE_NEWNET | (uid ? CLONE_NEWUSER : 0)) != 0 || !keep_user(uid, gid))
		return false;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	up = fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &lo) == 0;
	lo.ifr_flags |= IFF_UP;
	up = up && ioctl(fd, SIOCSIFFLAGS, &lo) == 0;
	if (fd >= 0)
		close(fd);
	return up;
}

/* Isolates ranks from the network; call if all of them run on this host. A child process tries
 * leave_network() first, because a partial success cannot be undone. */
static void isolate_helper(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0)
		_exit(!leave_network());
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0 || !leave_network())
		log_warn("ranks: this host grants no network namespace (unit: "
			 "RestrictNamespaces=user net; kernel.unprivileged_userns_clone; "
			 "AppArmor), so mpirun and its ranks listen on all interfaces: block "
			 "access from other hosts");
}

/* Makes the pipes `in` and `out` to and from rank 0, and the pipe `said` for all that mpirun and
 * ranks print. `said` stays open in this process, too, so that messages of a dying mpirun are not
 * lost. */
static bool make_pipes(void)
{
	static const char *const name[] = { "in", "out", "said" };
	bool made = file_make_dirs(plan->dir) == ERR_OK && chmod(plan->dir, 0700) == 0;

	for (size_t i = 0; i < sizeof(name) / sizeof(*name) && made; i++) {
		char *path = file_join(plan->dir, name[i]);

		made = mkfifo(path, 0600) == 0;
		if (made && i == 2)
			running.output = open(path, O_RDWR | O_CLOEXEC);
		free(path);
	}
	return made && running.output >= 0;
}

__attribute__((noreturn)) static void become_mpirun(void)
{
	char n[16];
	const char *argv[24] = { plan->mpirun, "-n", n };
	size_t count = 3;

	snprintf(n, sizeof(n), "%u", plan->n);
	if (plan->hostfile) {
		argv[count++] = "--hostfile";
		argv[count++] = plan->hostfile;
	} else {
		argv[count++] = "--oversubscribe";
	}
	if (root)
		argv[count++] = "--allow-run-as-root";
	argv[count++] = "--bind-to";
	argv[count++] = "none";
	argv[count++] = "--mca";
	argv[count++] = "mpi_yield_when_idle";
	argv[count++] = "1";
	argv[count++] = plan->worker;
	argv[count++] = plan->dir;
	helper_become(argv, open("/dev/null", O_RDONLY | O_CLOEXEC), running.output,
		      running.output);
}

static void mpirun_helper_report(int sock, struct outcome r)
{
	r.serial = running.serial;
	(void)!send(sock, &r, sizeof(r), MSG_NOSIGNAL);
}

/* Waits up to wait_s until mpirun has ended. */
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

/* Waits up to patience_s until mpirun has ended by itself, then ends it. mpirun then ends its
 * ranks, also those on other hosts. */
static void end_running(double patience_s)
{
	int status;

	if (running.pid && !(patience_s > 0 && await_end(patience_s, &status))) {
		kill(running.pid, SIGTERM);
		if (!await_end(TERM_S, &status)) {
			kill(-running.pid, SIGKILL);
			waitpid(running.pid, &status, 0);
		}
	}
	running.pid = 0;
	if (running.output >= 0)
		close(running.output);
	running.output = -1;
	file_remove_tree(plan->dir); /* also removes the files that a killed helper has left */
}

static void mpirun_helper_start(int sock)
{
	end_running(0);
	if (make_pipes() && (running.pid = fork()) >= 0) {
		if (running.pid == 0)
			become_mpirun();
		mpirun_helper_report(sock, (struct outcome){ .what = STARTED });
	} else {
		mpirun_helper_report(sock, (struct outcome){ .what = FAILED, .error = errno });
		running.pid = 0;
	}
}

void mpirun_help(int sock, const void *p)
{
	struct helper_command o;

	plan = p;
	root = geteuid() == 0;
	if (!plan->hostfile)
		isolate_helper();
	setenv("OPENBLAS_NUM_THREADS", "1", 1);
	end_running(0);
	for (;;) {
		struct pollfd order = { .fd = sock, .events = POLLIN };
		int status;

		if (poll(&order, 1, running.pid ? TURN_MS : -1) > 0) {
			ssize_t n = recv(sock, &o, sizeof(o), 0);

			if (n == 0)
				break;
			if (n == (ssize_t)sizeof(o) && o.what == START) {
				running.serial = o.serial;
				mpirun_helper_start(sock);
			} else if (n == (ssize_t)sizeof(o)) {
				end_running(PATIENCE_S);
			}
		}
		if (running.pid && waitpid(running.pid, &status, WNOHANG) == running.pid) {
			running.pid = 0;
			mpirun_helper_report(sock,
					     (struct outcome){ .what = ENDED, .status = status });
		}
	}
	end_running(0);
}
