/* Tests the spread where distances from column means are far shorter than the means. */
#include "tests/unit/linalg/sample.h"
#include "common/graph/filter.h"

/* Covers last panels of 1, 9 and 8 columns (40 = 32 + 8), and more rows than ROWSUM_ROWS. */
TEST(far_from_zero)
{
	enum { NODES = 5000 };
	static const size_t cols[] = { 1, 9, 40 };

	for (size_t c = 0; c < sizeof(cols) / sizeof(*cols); c++) {
		double square, spread, all = 0, off = 0;
		struct mat X;
		struct graph g;

		sample_graph(&g, NODES, 1, NODES - 2, false, 1);
		sample_normal(&X, NODES, cols[c], 2);
		for (size_t j = 0; j < cols[c]; j++) {
			double mean = 0;

			for (size_t i = 0; i < NODES; i++) {
				MAT(&X, i, j) += 1e6;
				mean += (MAT(&X, i, j) - 1e6) / NODES;
			}
			for (size_t i = 0; i < NODES; i++) {
				double gap = MAT(&X, i, j) - 1e6 - mean;

				off += gap * gap;
				all += MAT(&X, i, j) * MAT(&X, i, j);
			}
		}
		assert_ok(graph_filter_spread(&g, FILTER_PLAIN, 0, 2, NULL, &X, &square, &spread));
		assert_near(spread / off, 1, 1e-6);
		assert_near(square / all, 1, 1e-12);
		mat_release(&X);
		graph_release(&g);
	}
}
