/* mpirun.h -- starts a party's ranks: mpirun -n R coterie-worker.
 *
 * A daemon that has confined itself cannot start programs. So it first makes a helper process,
 * before it reads keys. The helper makes pipes in the state directory, starts mpirun,
 * and reports its end. It ends with the daemon, and mpirun with it.
 */
#ifndef PARTY_RANKS_MPIRUN_H
#define PARTY_RANKS_MPIRUN_H

#include "common/base/err.h"
#include "common/job/daemon.h"

#include <stdbool.h>

/* Can ranks.n ranks be started, as the configuration says? Without ranks: ERR_OK. ERR_INPUT. */
enum err mpirun_check(const struct party_config *c) MUST_CHECK;
/* Starts the helper, if there are ranks; before threads and keys. ERR_INPUT, ERR_INTERNAL. */
enum err mpirun_begin(const struct party_config *c) MUST_CHECK;
/* Waits until ranks that run and the helper have ended, for some seconds at most. */
void mpirun_end(void);

/* Ranks that were started: ends of their pipes, which do not block, and mpirun's standard error. */
struct mpirun {
	unsigned serial;
	int to, from, said;
};

/* One at a time; of one thread at a time. Ranks of before are ended. ERR_INTERNAL. */
enum err mpirun_start(struct mpirun *l) MUST_CHECK;
/* Closes the party's ends, which ends ranks that wait for a command; ends others by force. */
void mpirun_stop(struct mpirun *l);
/* To be polled for reading; then: has mpirun ended, and with which status of waitpid? */
int mpirun_watched(void);
bool mpirun_ended(const struct mpirun *l, int *status);

#endif
