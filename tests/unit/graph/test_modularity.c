#include "tests/unit/linalg/sample.h"
#include "common/graph/graph.h"

/* Makes two triangles, 0 1 2 and 3 4 5, joined by the edge 2 - 3 of weight `bridge`. */
static void triangles(struct graph *g, double bridge, bool weighted)
{
	static const uint32_t edge[][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 3, 4 },
					    { 4, 5 }, { 3, 5 }, { 2, 3 } };
	struct triple t[14];
	struct csr a;

	for (size_t e = 0; e < 7; e++) {
		double w = e == 6 ? bridge : 1;

		t[2 * e] = (struct triple){ edge[e][0], edge[e][1], w };
		t[2 * e + 1] = (struct triple){ edge[e][1], edge[e][0], w };
	}
	csr_from_triples(&a, 6, 6, t, 14);
	if (!weighted) {
		free(a.value);
		a.value = NULL;
	}
	graph_init(g, &a);
}

/* 6 of 7 edges are within a side and each side has half of the degrees: 6/7 - 1/2. */
TEST(two_triangles_by_hand)
{
	static const uint32_t sides[] = { 0, 0, 0, 1, 1, 1 }, one[] = { 2, 2, 2, 2, 2, 2 },
			      alone[] = { 0, 1, 2, 3, 4, 5 };
	struct graph g;

	triangles(&g, 1, false);
	assert_near(modularity(&g, sides, 2), 6.0 / 7 - 0.5, 1e-15);
	assert_near(modularity(&g, sides, 9), 6.0 / 7 - 0.5, 1e-15); /* seven clusters are empty */
	assert_near(modularity(&g, one, 3), 0, 1e-15);
	assert_near(modularity(&g, alone, 6), -(4 * 4 + 2 * 9) / 196.0, 1e-15);
	graph_release(&g);
	/* With a bridge of weight 3, 6 of 9 units of weight are within a side; each side has degree
	 * 9 of 18. */
	triangles(&g, 3, true);
	assert_near(modularity(&g, sides, 2), 6.0 / 9 - 0.5, 1e-15);
	graph_release(&g);
}

TEST(no_edges)
{
	static const uint32_t label[] = { 0, 1, 0 };
	struct graph g;
	struct csr a;

	csr_from_triples(&a, 3, 3, NULL, 0);
	graph_init(&g, &a);
	assert_true(modularity(&g, label, 2) == 0);
	graph_release(&g);
}
