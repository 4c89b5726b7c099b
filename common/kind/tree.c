#include "common/kind/tree.h"

#include <assert.h>

void tree_build(struct tree *t, size_t parties, bool flat)
{
	size_t first = 0, width = parties; /* the level below is nodes [first, first + width) */

	assert(parties >= 1 && parties <= PARTIES_MAX);
	*t = (struct tree){ .parties = parties, .count = parties };
	for (size_t i = 0; i < parties; i++)
		t->node[i] = (struct tree_node){ .id = (uint32_t)i, .first = i, .last = i + 1 };
	while (width > 1) {
		size_t groups = flat ? 1 : width / 2, start = t->count;

		t->levels++;
		for (size_t i = 0; i < groups; i++) {
			size_t child = first + 2 * i;
			size_t children = i + 1 < groups ? 2 : first + width - child;

			t->node[t->count] =
			    (struct tree_node){ .id = (uint32_t)t->count,
						.level = (uint32_t)t->levels,
						.first = t->node[child].first,
						.last = t->node[child + children - 1].last,
						.child = child,
						.children = children };
			t->count++;
		}
		first = start;
		width = groups;
	}
}

const struct tree_node *tree_node_of(const struct tree *t, size_t party, size_t level)
{
	assert(party < t->parties && level >= 1 && level <= t->levels);
	for (size_t i = t->parties; i < t->count; i++) {
		const struct tree_node *node = &t->node[i];

		if (node->level == level && party >= node->first && party < node->last)
			return node;
	}
	assert(!"every party is in one node of each level");
	return NULL;
}
