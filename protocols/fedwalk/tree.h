/* tree.h -- FedWalk, step 4: the hierarchical clustering tree of the vertices.
 *
 * Nodes 0 .. n-1 are the vertices (leaves); nodes n .. 2n-2 are merges, in order. Children have
 * lower numbers than parents; the root is 2n-2. The leaves of node x are the range order[first[x]]
 * .. order[first[x] + count[x] - 1]. A climb from leaf u meets, at each parent, the sibling's
 * leaves as one range. For all v of that range |leaves(LCA(u, v))| is the parent's count. */
#ifndef PROTOCOLS_FEDWALK_TREE_H
#define PROTOCOLS_FEDWALK_TREE_H

#include "common/base/err.h"
#include "common/linalg/triangle.h"

#include <stddef.h>
#include <stdint.h>

/* Merge i makes cluster n + i; leaves are 0 .. n-1. */
struct link {
	uint32_t a, b;
	float height; /* mean dissimilarity of their leaves; at least that of a and b */
};

/* Average linkage by nearest-neighbour chains (Murtagh 1983): link (n - 1) by rising height.
 * Overwrites h. weight (n): number of points of each leaf; NULL: one each. Ties go to the neighbour
 * that already ends the chain, then to the lower number. O(n^2) time, O(n) memory. */
void linkage_average(struct triangle *h, const double *weight, struct link *link);

struct fedwalk_tree {
	size_t n;                /* >= 1 */
	uint32_t *child;         /* 2 (n - 1): the two children of node n + i */
	float *height;           /* n - 1: average dissimilarity at the merge; NULL if unknown */
	uint32_t *parent;        /* 2n - 1; UINT32_MAX for the root */
	uint32_t *first, *count; /* 2n - 1 */
	uint32_t *order, *place; /* n: leaves from left to right; position of each */
};

/* Makes the tree of n - 1 merges that are ordered with children first. */
void fedwalk_tree_from_links(struct fedwalk_tree *t, size_t n, const struct link *link);

/* Makes the tree of linkage_average(); overwrites h. */
void fedwalk_tree_average(struct fedwalk_tree *t, struct triangle *h);

/* Makes the tree if n is too large for a half matrix. k-means splits the rows of c into sqrt(n)
 * groups, and groups above FEDWALK_GROUP_MAX again. Average linkage (l1) joins the members of each
 * group, and the groups by their centres. Deterministic for a seed and any number of threads. */
enum { FEDWALK_GROUP_MAX = 4096 };
void fedwalk_tree_landmarks(struct fedwalk_tree *t, const float *c, size_t n, unsigned k,
			    uint64_t seed, unsigned threads);

/* Copies the tree of a message: child has 2 (n - 1) entries. ERR_PEER: a node that is no child, is
 * a child twice, or comes before its children. O(n). */
enum err fedwalk_tree_from(struct fedwalk_tree *t, size_t n, const uint32_t *child) MUST_CHECK;
void fedwalk_tree_release(struct fedwalk_tree *t);

#endif
