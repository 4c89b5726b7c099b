/* tree.h -- FedWalk, step 4: the hierarchical clustering tree of the vertices.
 *
 * Nodes 0 .. n-1 are the vertices (leaves), nodes n .. 2n-2 are merges, in order: children have lower
 * numbers than parents, the root is 2n-2. Leaves are laid out so that each subtree is a range of
 * them: order[first[x]] .. order[first[x] + count[x] - 1] are the leaves of node x. So a climb from a
 * leaf sees, at each parent, the sibling's leaves as one range, and |leaves(LCA(u, v))| is the
 * parent's count for all v of that range.
 */
#ifndef COMMON_FEDWALK_TREE_H
#define COMMON_FEDWALK_TREE_H

#include "common/base/err.h"
#include "common/linalg/half.h"

#include <stddef.h>
#include <stdint.h>

/* A merge; the i-th makes cluster n + i, leaves being 0 .. n-1. */
struct link {
	uint32_t a, b;
	float height; /* mean dissimilarity of their leaves, never below that of a or b */
};

/* Average linkage by nearest-neighbour chains (Murtagh 1983): link (n - 1) by rising height. h is used
 * up (its entries are overwritten). weight (n; NULL: all one): how many points each leaf stands for.
 * Ties go to the neighbour that ends the chain already, then to the lower number. O(n^2) time, and no
 * memory beyond O(n). */
void linkage_average(struct half *h, const double *weight, struct link *link);

struct fedwalk_tree {
	size_t n;                 /* >= 1 */
	uint32_t *child;          /* 2 (n - 1): the two of node n + i */
	float *height;            /* n - 1: average dissimilarity at the merge; NULL if not known */
	uint32_t *parent;         /* 2n - 1; the root's is UINT32_MAX */
	uint32_t *first, *count;  /* 2n - 1 */
	uint32_t *order, *place;  /* n: leaves from left to right; where each is */
};

/* The tree of n - 1 merges that are in an order in which children come first. */
void fedwalk_tree_from_links(struct fedwalk_tree *t, size_t n, const struct link *link);

/* The tree of linkage_average(); h is used up. */
void fedwalk_tree_average(struct fedwalk_tree *t, struct half *h);

/* For n whose half matrix does not fit: k-means on the rows of c into sqrt(n) groups, average linkage
 * (l1) over the group's centres, and within each group its own average-linkage tree; groups above
 * FEDWALK_GROUP_MAX are split again. Deterministic for a seed, any threads. */
enum { FEDWALK_GROUP_MAX = 4096 };
void fedwalk_tree_landmarks(struct fedwalk_tree *t, const float *c, size_t n, unsigned k,
			    uint64_t seed, unsigned threads);

/* The tree that child says (2 (n - 1) numbers, copied), as it comes from a message. ERR_PEER if it
 * is none: a node that is no one's child or two's, or stands before its children. O(n). */
enum err fedwalk_tree_from(struct fedwalk_tree *t, size_t n, const uint32_t *child) MUST_CHECK;
void fedwalk_tree_release(struct fedwalk_tree *t);

#endif
