/* own.h -- the helper that starts mpirun for a party (helper.c), and its messages to the daemon. */
#ifndef PARTY_RANKS_OWN_H
#define PARTY_RANKS_OWN_H

#include "common/job/daemon.h"

/* Seconds that ranks have to end by themselves, and then to end after SIGTERM. */
enum { PATIENCE_S = 5, TERM_S = 3 };

/* A command of the daemon. The helper answers START, and reports ENDED when mpirun ends by itself.
 * serial: number of the start. */
struct helper_command {
	enum { START = 1, STOP } what;
	unsigned serial;
};
struct outcome {
	enum { STARTED = 1, FAILED, ENDED } what;
	unsigned serial;
	int status, error; /* ENDED: status of waitpid(); FAILED: errno */
};

/* Arguments for mpirun. The plan owns all of them. */
struct mpirun_plan {
	char *mpirun, *worker, *hostfile;
	char *dir; /* directory of the pipes `in`, `out` and `said` */
	unsigned n;
};

/* Runs the helper, and returns when it ends (common/base/helper.h). */
void mpirun_help(int sock, const void *plan);

#endif
