/* linkage.h -- average linkage by nearest-neighbour chains (Murtagh 1983): O(n^2) time on the
 * half matrix, and no more memory.
 */
#ifndef COMMON_FEDWALK_LINKAGE_H
#define COMMON_FEDWALK_LINKAGE_H

#include "common/fedwalk/tree.h"
#include "common/linalg/half.h"

#include <stddef.h>
#include <stdint.h>

/* A merge; the i-th makes cluster n + i, leaves being 0 .. n-1. */
struct link {
	uint32_t a, b;
	float height; /* mean dissimilarity of their leaves, never below that of a or b */
};

/* link (n - 1) by rising height. h is used up. weight (n; NULL: all one): how many points each leaf
 * stands for. Ties go to the neighbour that ends the chain already, then to the lower number. */
void linkage_average(struct half *h, const double *weight, struct link *link);

/* The tree of n - 1 merges that are in an order in which children come first. */
void fedwalk_tree_from_links(struct fedwalk_tree *t, size_t n, const struct link *link);

#endif
