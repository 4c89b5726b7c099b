/* The order in which a graph is laid out for its filter. */
#include "tests/unit/math/sample.h"
#include "common/math/filter_plan.h"

enum { NODES = 11000, HUB = 5000, SPOKES = 300, ALONE = 7 };

/* Paths of five nodes, with a hub on every 30th node and the last few nodes alone. */
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

/* Each node once, with its own neighbours in their own order, its weights and its degree. */
static void each_node_once(void **state)
{
	(void)state;
	for (int weighted = 0; weighted < 2; weighted++) {
		struct filter_plan p;
		bool seen[NODES] = { false };
		struct graph g;

		make(&g, weighted);
		assert_ok(filter_plan_init(&p, &g, FILTER_HALF));
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

/* Rows of another length than the one before are as few as windows and lengths allow. */
static void equal_rows_together(void **state)
{
	struct filter_plan p;
	size_t changes = 0;
	struct graph g;

	(void)state;
	make(&g, false);
	assert_ok(filter_plan_init(&p, &g, FILTER_HALF));
	for (size_t i = 1; i < NODES; i++)
		changes += p.start[i + 1] - p.start[i] != p.start[i] - p.start[i - 1];
	assert_true(changes <= 5 * 3); /* lengths 0 to 3 and the hub's, in three windows */
	filter_plan_release(&p);
	graph_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_node_once),
		cmocka_unit_test(equal_rows_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
