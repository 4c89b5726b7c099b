/* parties.h -- implements struct parties by the channels of a run. Broadcasts go to all parties;
 * each sum is a secure sum over all parties. */
#ifndef SERVER_RUN_PARTIES_H
#define SERVER_RUN_PARTIES_H

#include "common/parties/parties.h"
#include "server/run/run.h"

struct run_parties {
	struct parties parties; /* the interface that the protocol's coordinator side uses */
	struct run *run;
	struct tree tree;
	const struct tree_node *root;
	uint64_t round; /* number of the group's next secure sum */
	size_t *rows;   /* number of rows per party, once collected; owned */
};

void run_parties_open(struct run_parties *p, struct run *run);
void run_parties_close(struct run_parties *p);

/* Maps an error of a protocol's coordinator side. ERR_INPUT becomes ERR_JOB, because such an
 * error is visible only in sums over all parties. */
enum err run_parties_error(enum err e);

#endif
