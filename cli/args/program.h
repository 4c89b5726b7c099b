/* program.h -- a program that is a table of commands: coterie, coterie-lab. */
#ifndef CLI_ARGS_PROGRAM_H
#define CLI_ARGS_PROGRAM_H

#include "cli/args/args.h"

#include <stddef.h>

struct program_command {
	const char *name, *text;
	args_command *run;
};

/* A command, or "COMMAND OPTION", that this program had once. */
struct program_gone {
	const char *name, *instead; /* "now coterie-lab agc" */
};

struct program {
	const char *name;
	const char *version; /* the line of --version */
	const char *last;    /* of --help */
	const struct program_command *command;
	size_t commands;
	const struct program_gone *gone;
	size_t gones;
};

/* Runs the command that argv[1] names, or answers --help and --version. Returns the exit status: that
 * of the command; ERR_INPUT without a command, ERR_JOB if standard output could not be written. */
int program_run(const struct program *p, int argc, char **argv);

/* The name of the running program, "coterie" before program_run(). */
const char *program_name(void);

#endif
