/* startup.h -- common parts of both daemons' main(): overrides from the command line, a hardened
 * process, the log, and the exit status. */
#ifndef COMMON_JOB_STARTUP_H
#define COMMON_JOB_STARTUP_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/job/daemon.h"

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

/* "path=value" strings for coordinator_config_read() and job_read(); the list ends with NULL. Empty
 * if zero-initialised. */
struct overrides {
	char **item;
	size_t count;
};
void overrides_add(struct overrides *o, const char *fmt, ...) PRINTF(2, 3);
void overrides_add_path(struct overrides *o, const char *key,
			const char *path); /* a relative path starts from the working directory */
void overrides_release(struct overrides *o);

/* Keys of the options that both daemons have, besides 'c' and 'j'. */
enum { OPT_OUT = 256, OPT_LEVEL, OPT_CHECK, OPT_DESCRIBE, OPT_OWN };

struct daemon_arguments {
	char **argv;
	const char *config, *job;
	struct overrides config_set, job_set;
	bool check, describe;
	bool once, serve; /* once: option of a party; serve: option of the coordinator */
};

/* Handles the options of both daemons, and refuses arguments. Returns ARGP_ERR_UNKNOWN if the key
 * belongs to another option. */
error_t daemon_option(int key, char *arg, struct argp_state *state);

/* The rest of a daemon's main(): reads the command line, then calls describe() with --describe,
 * else run(). Returns the exit status. */
int daemon_main(int argc, char **argv, const struct argp *argp, void (*describe)(struct buf *text),
		enum err (*run)(const struct daemon_arguments *a));

/* Restricts new files to their user (umask 0077). Forbids core dumps and, unless the sandbox is
 * off, ptrace by other processes of the same user: this process holds keys and data. Then makes the
 * output directory, locks it and sweeps it (results.h), and opens the log on stderr and in
 * output/log.jsonl. files: descriptors that the process needs; raises its limit if the system
 * allows. ERR_INTERNAL if the limit is too low, or if threads or OpenBLAS's buffers cannot be
 * created. ERR_INPUT: the output directory cannot be made, another process uses it, or the log
 * cannot be opened. */
enum err daemon_begin(const struct daemon_common *c, size_t files) MUST_CHECK;

/* Ends the process at once, while its job thread may still compute. Removes temporary files,
 * reports e, marks running jobs as failed, and runs no destructors: the thread may still use what
 * they free. */
void daemon_leave(enum err e) __attribute__((noreturn));

#endif
