/* peak.c -- runs a program and appends its peak memory to a file.
 *
 *   peak FILE PROGRAM ARG...
 *
 * Appends a line "KIB NAME": the peak resident set in KiB, and the last part of the directory in
 * the program's --out argument, which names the party or coordinator; without --out, PROGRAM. The
 * exit status is that of the program, or 128 plus the signal that ended it. The program is killed
 * when peak exits. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;

static void pass_on(int sig)
{
	if (child > 0)
		kill(child, sig);
}

static const char *name_of(int argc, char **argv)
{
	for (int i = 0; i + 1 < argc; i++) {
		if (!strcmp(argv[i], "--out")) {
			const char *slash = strrchr(argv[i + 1], '/');

			return slash ? slash + 1 : argv[i + 1];
		}
	}
	return argv[0];
}

int main(int argc, char **argv)
{
	struct rusage used;
	int status;
	FILE *f;

	if (argc < 3) {
		fprintf(stderr, "usage: peak FILE PROGRAM ARG...\n");
		return 4;
	}
	signal(SIGTERM, pass_on);
	signal(SIGINT, pass_on);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execv(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	while (wait4(child, &status, 0, &used) < 0) {
		if (errno != EINTR) {
			perror("peak: wait4");
			return 5;
		}
	}
	f = fopen(argv[1], "a");
	if (!f || fprintf(f, "%ld %s\n", used.ru_maxrss, name_of(argc - 2, argv + 2)) < 0 ||
	    fclose(f))
		perror(argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
