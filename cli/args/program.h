/* program.h -- a program that dispatches commands from a table: coterie, coterie-lab. */
#ifndef CLI_ARGS_PROGRAM_H
#define CLI_ARGS_PROGRAM_H

#include "cli/args/args.h"

#include <stddef.h>

struct program_command {
	const char *name, *text;
	args_command *run;
};

/* A command that was removed, or an option of one ("COMMAND OPTION"). */
struct program_gone {
	const char *name, *instead; /* what replaces it, such as "now coterie-lab agc" */
};

/* Last lines of a command's --help. */
struct program_example {
	const char *name, *lines; /* name of the command, such as "pki init" */
};

struct program {
	const char *name;
	const char *version; /* line of --version */
	const char *last;    /* last line of --help */
	const struct program_command *command;
	size_t commands;
	const struct program_gone *gone;
	size_t gones;
	const struct program_example *example; /* the last entry has no name; NULL: no examples */
};

/* Runs the command in argv[1], or answers --help and --version. Returns the command's exit
 * status; ERR_INPUT without a command, ERR_JOB if standard output could not be written. */
int program_run(const struct program *p, int argc, char **argv);

/* Returns the name of the running program; "coterie" before program_run(). */
const char *program_name(void);
/* Returns the example of a command of the running program. NULL: it has none. */
const char *program_example(const char *name);

#endif
