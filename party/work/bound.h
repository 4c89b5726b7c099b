/* bound.h -- the party side of the bound on a job's numbers (common/privacy/bound.h). */
#ifndef PARTY_WORK_BOUND_H
#define PARTY_WORK_BOUND_H

#include "common/kind/tree.h"
#include "party/work/work.h"

/* Computes *e such that no joint vector (a row with all parties' columns) has a squared length
 * above 2^*e. square: squared length of this party's longest vector. Contributes to one sum of
 * BOUND_TERM words over the node's members (all parties), then receives CHOICE_BOUND. ERR_INPUT: as
 * bound_term(); ERR_PEER: the coordinator's exponent is invalid, or too small for `square`. */
enum err party_bound(struct work *work, const struct tree_node *node, double square,
		     int *e) MUST_CHECK;

#endif
