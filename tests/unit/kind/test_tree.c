/* Tests the tree of parties, for every number of parties. */
#include "tests/test.h"

#include "common/kind/tree.h"

static struct tree t;

TEST(test_every_size)
{
	for (int flat = 0; flat <= 1; flat++) {
		for (size_t L = 1; L <= PARTIES_MAX; L++) {
			size_t levels = 0;

			tree_build(&t, L, flat);
			for (size_t width = L; width > 1; width = flat ? 1 : width / 2)
				levels++;
			assert_int_equal(t.levels, levels);
			assert_int_equal(t.parties, L);
			/* The root is the last node and has all parties. */
			assert_int_equal(t.node[t.count - 1].first, 0);
			assert_int_equal(t.node[t.count - 1].last, L);
			for (size_t i = 0; i < t.count; i++) {
				const struct tree_node *n = &t.node[i];

				assert_int_equal(n->id, i);
				if (i < L) {
					assert_int_equal(n->level, 0);
					assert_int_equal(n->first, i);
					assert_int_equal(n->last, i + 1);
					continue;
				}
				if (!flat)
					assert_in_range(n->children, 2, TREE_CHILDREN_PAIR);
				/* The children of a node are in the level below, and cover the
				 * node's parties without gaps. */
				assert_int_equal(t.node[n->child].first, n->first);
				assert_int_equal(t.node[n->child + n->children - 1].last, n->last);
				for (size_t c = n->child; c < n->child + n->children; c++) {
					assert_int_equal(t.node[c].level + 1, n->level);
					if (c > n->child)
						assert_int_equal(t.node[c].first,
								 t.node[c - 1].last);
				}
			}
			/* Each party is in exactly one node of each level. */
			for (size_t level = 1; level <= t.levels; level++) {
				for (size_t l = 0; l < L; l++) {
					size_t in = 0;
					const struct tree_node *n = tree_node_of(&t, l, level);

					for (size_t i = 0; i < t.count; i++)
						in += t.node[i].level == level &&
						      t.node[i].first <= l && l < t.node[i].last;
					assert_int_equal(in, 1);
					assert_int_equal(n->level, level);
					assert_true(n->first <= l && l < n->last);
				}
			}
		}
	}
}

TEST(test_known_shapes)
{
	tree_build(&t, 3, false); /* one node joins three parties */
	assert_int_equal(t.count, 4);
	assert_int_equal(t.node[3].children, 3);
	tree_build(&t, 5, false); /* (0 1) (2 3 4), then the root */
	assert_int_equal(t.count, 8);
	assert_int_equal(t.node[5].last, 2);
	assert_int_equal(t.node[6].first, 2);
	assert_int_equal(t.node[6].children, 3);
	assert_int_equal(t.node[7].child, 5);
	assert_int_equal(t.node[7].children, 2);
	tree_build(&t, 16, false);
	assert_int_equal(t.levels, 4);
	assert_int_equal(t.count, 31);
	tree_build(&t, 7, true);
	assert_int_equal(t.count, 8);
	assert_int_equal(t.levels, 1);
	tree_build(&t, 1, false);
	assert_int_equal(t.count, 1);
	assert_int_equal(t.levels, 0);
}
