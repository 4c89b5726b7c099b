/* bound.h -- the coordinator side of the bound on a job's numbers (common/privacy/bound.h). */
#ifndef SERVER_RUN_BOUND_H
#define SERVER_RUN_BOUND_H

#include "common/kind/tree.h"
#include "server/run/run.h"

#define BOUND_NO_FEATURES                                                                          \
	"all features of all parties are 0, or the same in all rows: nothing to cluster"

/* Computes *e by a secure sum and broadcasts it. The squared length of every joint vector (a row
 * with all parties' columns) is at most 2^*e. node: the group of all parties; *round: number of its
 * next secure sum. none: text of ERR_INPUT if all vectors are 0, or NULL if that is permitted.
 * ERR_PEER: the sum is not a bound. */
enum err run_bound(struct run *run, const struct tree_node *node, uint64_t *round, const char *none,
		   int *e) MUST_CHECK;

#endif
