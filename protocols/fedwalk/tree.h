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

/* A merge of clusters a and b. Merge i makes cluster n + i; leaves are clusters 0 .. n-1. */
struct link {
	uint32_t a, b;
	float height; /* mean dissimilarity of their leaves; not below the heights of a and b */
};

/* Computes average linkage by nearest-neighbour chains (Murtagh 1983): fills link (n - 1) in the
 * order of height. Overwrites h. weight (n): number of points that each leaf stands for; NULL: one
 * each. If several neighbours are equally near, takes the one before the end of the chain, or else
 * the one with the lowest number. O(n^2) time, O(n) memory. */
void linkage_average(struct triangle *h, const double *weight, struct link *link);

struct fedwalk_tree {
	size_t n;                /* number of leaves, >= 1 */
	uint32_t *child;         /* 2 (n - 1): the two children of node n + i */
	float *height;           /* n - 1: average dissimilarity at the merge; NULL if unknown */
	uint32_t *parent;        /* 2n - 1; UINT32_MAX for the root */
	uint32_t *first, *count; /* 2n - 1 */
	uint32_t *order, *place; /* n: leaves from left to right; n: the position of each leaf */
};

/* Makes the tree from n - 1 merges, in which children come before parents. */
void fedwalk_tree_from_links(struct fedwalk_tree *t, size_t n, const struct link *link);

/* Makes the tree of linkage_average(); overwrites h. */
void fedwalk_tree_average(struct fedwalk_tree *t, struct triangle *h);

/* Makes the tree if n is too large for a half matrix. k-means splits the rows of c into sqrt(n)
 * groups, and splits groups above FEDWALK_GROUP_MAX again. Average linkage (l1) joins the members
 * of each group, and then the groups, by their centres. The tree depends on the seed, but not on
 * the number of threads. */
enum { FEDWALK_GROUP_MAX = 4096 };
void fedwalk_tree_landmarks(struct fedwalk_tree *t, const float *c, size_t n, unsigned k,
			    uint64_t seed, unsigned threads);

/* Copies the tree of a message: child has 2 (n - 1) entries. ERR_PEER: a node is not a child of any
 * node, is a child twice, or comes before its children. O(n). */
enum err fedwalk_tree_from(struct fedwalk_tree *t, size_t n, const uint32_t *child) MUST_CHECK;
void fedwalk_tree_release(struct fedwalk_tree *t);

#endif
