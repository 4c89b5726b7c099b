/* parties.h -- the parties of a run, behind their channels: what is told is broadcast, a sum is a
 * secure sum of all of them. */
#ifndef SERVER_RUN_PARTIES_H
#define SERVER_RUN_PARTIES_H

#include "common/parties/parties.h"
#include "server/run/run.h"

struct run_parties {
	struct parties parties; /* what the protocol's half is given */
	struct run *run;
	struct tree tree;
	const struct tree_node *root;
	uint64_t round; /* of the group's sums */
	size_t *rows;   /* of each party, once they were collected; owned */
};

void run_parties_open(struct run_parties *p, struct run *run);
void run_parties_close(struct run_parties *p);

/* The error of a protocol's half: what only the sums of all parties can tell is not wrong input any
 * more, it is a job that fails. */
enum err run_parties_error(enum err e);

#endif
