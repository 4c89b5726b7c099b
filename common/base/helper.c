#include "common/base/helper.h"
#include "common/base/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

__attribute__((noreturn)) static void helper_live(const char *process, helper_life *life,
						  const void *arg, int sock)
{
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_NAME, process);
	unsetenv("NOTIFY_SOCKET"); /* the started programs are not the service */
	unsetenv("WATCHDOG_USEC");
	life(sock, arg);
	_exit(ERR_OK);
}

enum err helper_start(const char *key, const char *process, helper_life *life, const void *arg,
		      int *sock)
{
	int end[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end) != 0)
		return err_set(ERR_INTERNAL, "%s: %s", key, strerror(errno));
	pid = fork();
	if (pid == 0) {
		close(end[0]);
		helper_live(process, life, arg, end[1]);
	}
	close(end[1]);
	if (pid < 0) {
		close(end[0]);
		return err_set(ERR_INTERNAL, "%s: its helper process cannot be made: %s", key,
			       strerror(errno));
	}
	*sock = end[0];
	return ERR_OK;
}

void helper_end(int *sock, double within_s, void (*each)(const void *message, size_t n))
{
	double end_s = clock_now_s() + within_s, left_s;
	struct pollfd p = { .fd = *sock, .events = POLLIN };
	char message[HELPER_MESSAGE_MAX];

	if (*sock < 0)
		return;
	shutdown(*sock, SHUT_WR);
	while ((left_s = end_s - clock_now_s()) > 0 && poll(&p, 1, (int)(1000 * left_s)) >= 0) {
		ssize_t n = recv(*sock, message, sizeof(message), MSG_DONTWAIT);

		if (n == 0)
			break; /* the helper has ended */
		if (n > 0 && each)
			each(message, (size_t)n);
	}
	close(*sock);
	*sock = -1;
}

void helper_become(const char *const argv[], int in, int out, int error)
{
	sigset_t none;

	sigemptyset(&none);
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0); /* so that a kill of the group ends its children, too */
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(error, STDERR_FILENO);
	execv(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}
