#include "common/job/tree.h"

#include <assert.h>

/* Joins the nodes [from, to) of one level in groups of `pair`; an odd one out joins the last. */
static void build_level(struct tree *t, size_t from, size_t to, uint32_t level, bool all)
{
	size_t width = all ? to - from : 2;

	for (size_t c = from; c < to;) {
		size_t left = to - c, take = left <= width + 1 && !all ? left : width;
		struct tree_node *node = &t->node[t->count];

		*node = (struct tree_node){ .id = (uint32_t)t->count,
					    .level = level,
					    .first = t->node[c].first,
					    .last = t->node[c + take - 1].last,
					    .child = c,
					    .children = take };
		t->count++;
		c += take;
	}
}

void tree_build(struct tree *t, size_t parties, bool flat)
{
	assert(parties >= 1 && parties <= PARTIES_MAX);
	t->parties = parties;
	t->count = 0;
	t->levels = 0;
	for (size_t l = 0; l < parties; l++, t->count++)
		t->node[l] = (struct tree_node){ .id = (uint32_t)l, .first = l, .last = l + 1 };
	for (size_t from = 0, to = parties; to - from > 1;) {
		build_level(t, from, to, (uint32_t)++t->levels, flat);
		from = to;
		to = t->count;
	}
}

const struct tree_node *tree_node_of(const struct tree *t, size_t party, size_t level)
{
	for (size_t i = t->parties; i < t->count; i++)
		if (t->node[i].level == level && t->node[i].first <= party && party < t->node[i].last)
			return &t->node[i];
	assert(!"every party is in one node of each level");
	return 0;
}
