/* link.h -- the ranks of coterie-worker, and the only interface to MPI. */
#ifndef WORKER_LINK_H
#define WORKER_LINK_H

#include "common/ranks/pipe.h"
#include "common/linalg/ranks.h"

void link_begin(int *argc, char ***argv, struct ranks *R);
void link_end(void);
/* Ends all ranks and mpirun after an error that stops the run. Writes the error's text to standard
 * error, which the party reads. */
void link_abort(const char *fmt, ...) PRINTF(1, 2) __attribute__((noreturn));

/* Returns the costs of this rank until now. */
struct ranks_cost link_cost(void);
/* Sets a function that rank 0 calls after it has exchanged data with other ranks. */
void link_on_exchange(void (*call)(void));

#endif
