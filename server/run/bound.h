/* bound.h -- the coordinator's side of the bound on a job's numbers (common/privacy/bound.h). */
#ifndef SERVER_RUN_BOUND_H
#define SERVER_RUN_BOUND_H

#include "common/kind/tree.h"
#include "server/run/run.h"

#define BOUND_NO_FEATURES                                                                          \
	"all features of all parties are 0, or the same in all rows: nothing to cluster"

/* No joint vector's squared length is above 2^*e. node: of all parties; *round: its next secure
 * sum. none: the sentence of ERR_INPUT where all vectors are 0, or NULL where they may be.
 * ERR_PEER: what was summed is no bound. */
enum err run_bound(struct run *run, const struct tree_node *node, uint64_t *round, const char *none,
		   int *e) MUST_CHECK;

#endif
