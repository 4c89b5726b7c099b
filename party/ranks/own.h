/* own.h -- the helper that starts mpirun for a party (helper.c), and its messages to the daemon. */
#ifndef PARTY_RANKS_OWN_H
#define PARTY_RANKS_OWN_H

#include "common/job/daemon.h"

/* Pipes: to rank 0, from it, and standard error of mpirun and ranks. */
enum { ENDS = 3 };
/* Seconds that ranks have to end by themselves, and then after SIGTERM. */
enum { PATIENCE_S = 5, TERM_S = 3 };

/* The daemon sends two numbers, a command and the start it is about; the helper answers with the
 * outcome. */
enum order { START = 1, STOP };
struct outcome {
	enum { STARTED = 1, FAILED, ENDED } what; /* STARTED: the ends come with it */
	unsigned serial;
	int status, error; /* of waitpid; errno */
};

/* Arguments for mpirun. */
struct mpirun_plan {
	char *mpirun, *worker, *hostfile, *state;
	unsigned n;
};

/* The helper's whole life, in a process of its own: until the other end of sock closes. */
__attribute__((noreturn)) void mpirun_help(const struct mpirun_plan *plan, int sock);

#endif
