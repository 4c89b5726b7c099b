/* parties.h -- implements struct parties for a run by its channels. Broadcasts go to all parties; a
 * sum is a secure sum over all. */
#ifndef SERVER_RUN_PARTIES_H
#define SERVER_RUN_PARTIES_H

#include "common/parties/parties.h"
#include "server/run/run.h"

struct run_parties {
	struct parties parties; /* for the protocol's coordinator side */
	struct run *run;
	struct tree tree;
	const struct tree_node *root;
	uint64_t round; /* of the group's sums */
	size_t *rows;   /* per party, after they were collected; owned */
};

void run_parties_open(struct run_parties *p, struct run *run);
void run_parties_close(struct run_parties *p);

/* Maps the error of a protocol's coordinator side: ERR_INPUT becomes ERR_JOB if only sums over all
 * parties reveal the error. */
enum err run_parties_error(enum err e);

#endif
