/* mpirun.h -- starts a party's ranks: mpirun -n R coterie-worker.
 *
 * A daemon that has confined itself cannot start programs. So it first makes a helper process,
 * before it reads keys. The helper makes pipes in the state directory, starts mpirun, and reports
 * its end. The helper ends with the daemon, and mpirun with the helper.
 */
#ifndef PARTY_RANKS_MPIRUN_H
#define PARTY_RANKS_MPIRUN_H

#include "common/base/err.h"
#include "common/job/daemon.h"

#include <stdbool.h>

/* Checks that ranks.n ranks can be started as configured. If no ranks are configured, returns
 * ERR_OK. ERR_INPUT: they cannot be started. */
enum err mpirun_check(const struct party_config *c) MUST_CHECK;
/* Starts the helper, if ranks are configured; call before threads and keys exist. ERR_INPUT,
 * ERR_INTERNAL. */
enum err mpirun_begin(const struct party_config *c) MUST_CHECK;
/* Waits some seconds for ranks and helper to end. */
void mpirun_end(void);

/* The started ranks. The descriptors are this process's ends of the pipes to and from rank 0,
 * and of the pipe for all that mpirun and ranks print. They do not block. */
struct mpirun {
	unsigned serial;
	int to, from, output;
};

/* Starts ranks, after ending earlier ones. Only one set of ranks runs at a time; call from one
 * thread at a time. ERR_INTERNAL. */
enum err mpirun_start(struct mpirun *l) MUST_CHECK;
/* Closes the party's ends of the pipes. Ranks that wait for a command then end. mpirun ends other
 * ranks after PATIENCE_S (own.h). */
void mpirun_stop(struct mpirun *l);
/* mpirun_watched() returns a descriptor to poll for reading. Once it is readable, call
 * mpirun_ended(): it returns whether mpirun has ended, and sets *status as waitpid() does. */
int mpirun_watched(void);
bool mpirun_ended(const struct mpirun *l, int *status);

#endif
