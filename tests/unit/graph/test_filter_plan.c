/* Tests the order in which the filter stores the nodes of a graph. */
#include "tests/unit/linalg/sample.h"
#include "common/graph/filter_plan.h"

enum { NODES = 11000, HUB = 5000, SPOKES = 300, ALONE = 7 };

/* Makes paths of five nodes. A hub has an edge to every 30th node. The last nodes have no edge. */
static void make(struct graph *g, bool weighted)
{
	size_t count = 0;
	struct triple *t;
	struct csr a;

	ALLOC(t, 2 * (NODES + SPOKES));
	for (uint32_t i = 0; i + ALONE + 1 < NODES; i++) {
		double w = weighted ? 1 + i % 9 : 1;

		if (i % 5 == 4)
			continue;
		t[count++] = (struct triple){ i, i + 1, w };
		t[count++] = (struct triple){ i + 1, i, w };
	}
	for (uint32_t i = 0; i < SPOKES; i++)
		if (30 * i > HUB + 1 || 30 * i + 1 < HUB) {
			t[count++] = (struct triple){ HUB, 30 * i, 1 };
			t[count++] = (struct triple){ 30 * i, HUB, 1 };
		}
	csr_from_triples(&a, NODES, NODES, t, count);
	graph_init(g, &a);
	free(t);
}

/* The plan has each node once, with its neighbours in their order, its weights and its degree. */
TEST(each_node_once)
{
	for (int weighted = 0; weighted < 2; weighted++) {
		struct filter_plan p;
		bool seen[NODES] = { false };
		struct graph g;

		make(&g, weighted);
		assert_ok(filter_plan_init(&p, &g, FILTER_HALF, false));
		assert_int_equal(p.n, NODES);
		assert_true(!p.value == !weighted);
		for (size_t i = 0; i < NODES; i++) {
			const struct csr *a = &g.adjacency;
			size_t node = p.order[i], first = a->start[node];

			assert_true(node < NODES && !seen[node]);
			seen[node] = true;
			assert_int_equal(p.start[i + 1] - p.start[i], a->start[node + 1] - first);
			for (size_t e = p.start[i], f = first; e < p.start[i + 1]; e++, f++) {
				assert_int_equal(p.order[p.index[e]], a->index[f]);
				assert_true(!weighted || p.value[e] == a->value[f]);
			}
			assert_true(p.enter[i] == g.inv_sqrt_deg[node]);
		}
		filter_plan_release(&p);
		graph_release(&g);
	}
}

/* Few adjacent rows of the plan differ in length, because each window of 256 rows is sorted by
 * length: at most 5 changes for each window. */
TEST(equal_rows_together)
{
	struct filter_plan p;
	size_t changes = 0;
	struct graph g;

	make(&g, false);
	assert_ok(filter_plan_init(&p, &g, FILTER_HALF, false));
	for (size_t i = 1; i < NODES; i++)
		changes += p.start[i + 1] - p.start[i] != p.start[i] - p.start[i - 1];
	assert_true(changes <=
		    5 * (NODES / 256 + 1)); /* a window has rows of lengths 0 to 3, and the hub's */
	filter_plan_release(&p);
	graph_release(&g);
}

/* Checks a plan with folded leaves (filter_plan.h): each node is in one row, and a row lists the
 * row of each neighbour once. */
static void check_folded(const struct filter_plan *p, const struct graph *g)
{
	const struct csr *a = &g->adjacency;
	uint32_t row_of[SAMPLE_LEAFY];
	size_t nodes = 0;

	for (size_t i = 0; i < p->n; i++) {
		assert_int_equal(p->of[i], nodes);
		for (; nodes < p->of[i + 1]; nodes++)
			row_of[p->order[nodes]] = (uint32_t)i;
	}
	assert_int_equal(nodes, SAMPLE_LEAFY);
	for (size_t i = 0; i < p->n; i++) {
		bool meant[SAMPLE_LEAFY] = { false };
		size_t node = p->order[p->of[i]], count = 0, leaves = p->of[i + 1] - p->of[i];

		for (size_t e = a->start[node]; e < a->start[node + 1]; e++) {
			count += !meant[row_of[a->index[e]]];
			meant[row_of[a->index[e]]] = true;
		}
		assert_int_equal(p->start[i + 1] - p->start[i], count);
		for (size_t e = p->start[i]; e < p->start[i + 1]; e++)
			assert_true(meant[p->index[e]]);
		assert_true(leaves <= FOLD_MOST && (leaves == 1 || node >= SAMPLE_HUBS));
		assert_true(p->enter[i] == g->inv_sqrt_deg[node]);
		assert_near(p->keep[i] + p->take[i], leaves > 1 ? 0.75 : p->keep[i] + p->take[i],
			    1e-15);
	}
}

TEST(leaves_in_one_row)
{
	struct filter_plan p;
	struct graph g;

	sample_leafy(&g, false);
	assert_ok(filter_plan_init(&p, &g, FILTER_HALF, true));
	/* Hubs have 0, 3, 6 .. 27 leaves: 3 to 15 fit in one row, 18 to 27 need two. */
	assert_int_equal(p.n, SAMPLE_HUBS + 5 + 2 * 4);
	check_folded(&p, &g);
	filter_plan_release(&p);
	graph_release(&g);
}

/* Rows take the leaves of one node in ascending order, FOLD_MOST at a time. Every second node here
 * is a leaf of a star; the other nodes form a path that the plan stores first. */
TEST(leaves_by_number)
{
	enum { STAR = 1000, NODES_OF_STAR = 2 * STAR + 1 };
	uint32_t centre = NODES_OF_STAR - 1;
	struct triple t[4 * STAR];
	struct filter_plan p;
	size_t count = 0, full = 0;
	struct graph g;
	struct csr a;

	for (uint32_t i = 0; i < STAR;
	     i++) { /* odd nodes form a path: centre, 2 i + 1, 2 i - 1, .. */
		uint32_t to = i ? 2 * i - 1 : centre;

		t[count++] = (struct triple){ 2 * i, centre, 1 };
		t[count++] = (struct triple){ centre, 2 * i, 1 };
		t[count++] = (struct triple){ 2 * i + 1, to, 1 };
		t[count++] = (struct triple){ to, 2 * i + 1, 1 };
	}
	csr_from_triples(&a, NODES_OF_STAR, NODES_OF_STAR, t, count);
	graph_init(&g, &a);
	assert_ok(filter_plan_init(&p, &g, FILTER_HALF, true));
	assert_non_null(p.of);
	assert_int_equal(p.n, STAR + 1 + (STAR + FOLD_MOST - 1) / FOLD_MOST);
	for (size_t i = 0; i < p.n; i++) {
		if (p.order[p.of[i]] % 2 == 1 || p.order[p.of[i]] == centre)
			continue;
		full += p.of[i + 1] - p.of[i] == FOLD_MOST;
		for (size_t j = p.of[i]; j < p.of[i + 1]; j++)
			assert_int_equal(p.order[j], p.order[p.of[i]] + 2 * (j - p.of[i]));
		assert_int_equal(p.order[p.of[i]] % (2 * FOLD_MOST), 0);
	}
	assert_int_equal(full, STAR / FOLD_MOST);
	filter_plan_release(&p);
	graph_release(&g);
}

/* Folds nothing if edges have weights or if few nodes have more than one leaf. */
TEST(nothing_to_fold)
{
	struct filter_plan p;
	struct graph g;

	for (int few = 0; few < 2; few++) {
		if (few)
			make(&g, false);
		else
			sample_leafy(&g, true);
		assert_ok(filter_plan_init(&p, &g, FILTER_HALF, true));
		assert_null(p.of);
		assert_int_equal(p.n, few ? NODES : SAMPLE_LEAFY);
		filter_plan_release(&p);
		graph_release(&g);
	}
}
