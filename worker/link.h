/* link.h -- the ranks of coterie-worker, and the only interface to MPI. */
#ifndef WORKER_LINK_H
#define WORKER_LINK_H

#include "common/ranks/pipe.h"
#include "common/linalg/ranks.h"

void link_begin(int *argc, char ***argv, struct ranks *R);
void link_end(void);
/* Ends all ranks and mpirun after an error that stops the run. The sentence goes to standard error,
 * where the party reads it. */
void link_abort(const char *fmt, ...) PRINTF(1, 2) __attribute__((noreturn));

/* Returns the costs of this rank so far. */
struct ranks_cost link_cost(void);
/* Sets a function to be called at rank 0 after exchanges. */
void link_on_exchange(void (*call)(void));

#endif
