/* tree.h -- the order in which groups of parties cluster: the tree of kCAGC Section 3.4.2 over
 * parties 0 .. L-1.
 *
 * Level 0 holds the parties, sorted by name. Each further level joins neighbours in pairs. If the
 * number of nodes is odd, the last node joins the last pair as a third member. If tree_build() gets
 * `flat`, the tree has one inner node over all parties. L = 1 has no inner node.
 */
#ifndef COMMON_KIND_TREE_H
#define COMMON_KIND_TREE_H

#include "common/base/limit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TREE_NODES_MAX = 2 * PARTIES_MAX, TREE_CHILDREN_PAIR = 3 };

struct tree_node {
	uint32_t id;            /* 0 .. L-1: parties; inner nodes follow, level by level */
	uint32_t level;         /* 0 for a party */
	size_t first, last;     /* members are parties [first, last) */
	size_t child, children; /* children are nodes [child, child + children) */
};

struct tree {
	size_t parties, count; /* count: nodes including parties; the last is the root */
	size_t levels;         /* number of inner levels; 0 if L = 1 */
	struct tree_node node[TREE_NODES_MAX];
};

void tree_build(struct tree *t, size_t parties, bool flat);
/* Returns the inner node of `level` (1 ..) that contains the party; there is one at each level. */
const struct tree_node *tree_node_of(const struct tree *t, size_t party, size_t level);

#endif
