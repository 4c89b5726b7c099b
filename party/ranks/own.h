/* own.h -- a party's helper that starts mpirun for it (helper.c), and what the two say to each other. */
#ifndef PARTY_RANKS_OWN_H
#define PARTY_RANKS_OWN_H

#include "common/job/daemon.h"

#include <stdbool.h>

/* Of pipes: to rank 0, from it, and what mpirun and ranks write on standard error. */
enum { ENDS = 3 };
/* How long ranks have to end by themselves, and then after SIGTERM: seconds. */
enum { PATIENCE_S = 5, TERM_S = 3 };

/* The daemon says two numbers, an order and which start it is about; and is told what came of it. */
enum order { START = 1, STOP };
struct outcome {
	enum { STARTED = 1, FAILED, ENDED } what; /* STARTED: the ends come with it */
	unsigned serial;
	int status, error; /* of waitpid; errno */
};

/* What mpirun is started with. */
struct mpirun_plan {
	char *mpirun, *worker, *hostfile, *state;
	unsigned n;
};

/* The helper's whole life, in a process of its own: until the other end of sock closes. */
__attribute__((noreturn)) void mpirun_help(const struct mpirun_plan *plan, const struct daemon_common *c, int sock);

#endif
