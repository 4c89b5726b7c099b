/* Removes the slices and keys of a run, even if its process is killed. */
#include "cli/launch/launch.h"
#include "common/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static int guard_pipe = -1;
static pid_t guard_pid;

/* Waits until the process at the other end of the pipe ends. */
static _Noreturn void guard_wait(int end, const struct launch *l, bool made)
{
	char byte;

	setsid(); /* so that signals of the terminal do not reach this process */
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	while (read(end, &byte, 1) < 0 && errno == EINTR)
		;
	file_remove_tree(l->work);
	if (made)
		rmdir(l->out);
	_exit(0);
}

bool launch_guard(const struct launch *l, bool made)
{
	sigset_t all, before;
	int end[2];

	if (guard_pipe >= 0 || pipe2(end, O_CLOEXEC))
		return false;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	guard_pid = fork();
	if (guard_pid == 0) {
		close(end[1]);
		guard_wait(end[0], l, made);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(end[0]);
	guard_pipe = end[1];
	return true;
}

void launch_unguard(void)
{
	close(guard_pipe);
	guard_pipe = -1;
	if (guard_pid > 0)
		waitpid(guard_pid, NULL, 0);
}
