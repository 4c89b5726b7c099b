/* commands.h -- runs a command in a child process, since argp exits, and captures its output. */
#ifndef TESTS_UNIT_CLI_COMMANDS_H
#define TESTS_UNIT_CLI_COMMANDS_H

#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char said[1 << 16]; /* stdout and stderr of the last command */

/* Runs `command WORD...`; returns its exit status, or -1 if it did not exit. */
static int run_command(int (*command)(int argc, char **argv), const char *line)
{
	char words[1024], name[] = "command", *argv[64] = { name };
	int argc = 1, pipes[2], status;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	snprintf(words, sizeof(words), "%s", line);
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	if (pipe(pipes))
		return -1;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		dup2(pipes[1], STDOUT_FILENO);
		dup2(pipes[1], STDERR_FILENO);
		close(pipes[0]);
		exit(command(argc, argv));
	}
	close(pipes[1]);
	while (n < sizeof(said) - 1 && (got = read(pipes[0], said + n, sizeof(said) - 1 - n)) > 0)
		n += (size_t)got;
	said[n] = 0;
	close(pipes[0]);
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Fails unless the command exits with `status` and prints `text`. */
static void expect_command(int (*command)(int argc, char **argv), const char *line, int status,
			   const char *text)
{
	int got = run_command(command, line);

	if (got != status || !strstr(said, text))
		fail_msg("%s: exit %d, expected %d and \"%s\":\n%s", line, got, status, text, said);
}

#endif
