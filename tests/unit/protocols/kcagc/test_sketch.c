/* Searches the filter's order with sketches of the features, and compares the terms with those of a
 * search with all columns. */
#include "tests/unit/linalg/sample.h"
#include "protocols/kcagc/order.h"
#include "protocols/kcagc/sketch.h"

enum { CLASSES = 5, ROWS = SKETCH_ROWS, COLS = 320, WORDS = 8 };

/* Nodes of a class share words and edges, with noise in both. */
static void make(struct csr *X, struct graph *g, size_t rows)
{
	struct triple *words, *edges;
	size_t w = 0, e = 0;
	struct rng rng;
	struct csr a;

	rng_seed(&rng, 3, 0);
	ALLOC(words, rows * WORDS);
	ALLOC(edges, 6 * rows);
	for (uint32_t i = 0; i < rows; i++) {
		for (int t = 0; t < WORDS; t++) {
			uint32_t j = (uint32_t)rng_below(&rng, COLS / WORDS);

			if (rng_unit(&rng) < 0.4)
				j = j / CLASSES * CLASSES + i % CLASSES;
			words[w++] = (struct triple){ i, j * WORDS + (uint32_t)t, 1 };
		}
		for (int t = 0; t < 3; t++) {
			uint32_t to = (uint32_t)rng_below(&rng, rows);

			if (rng_unit(&rng) < 0.7)
				to = to / CLASSES * CLASSES + i % CLASSES;
			if (to == i || to >= rows)
				continue;
			edges[e++] = (struct triple){ i, to, 1 };
			edges[e++] = (struct triple){ to, i, 1 };
		}
	}
	csr_from_triples(X, rows, COLS, words, w);
	csr_from_triples(&a, rows, rows, edges, e);
	graph_init(g, &a);
	free(edges);
	free(words);
}

static void terms_of(const struct features *X, const struct graph *g, unsigned threads,
		     bool sketches, double *term)
{
	const struct embed_params how = { .idf = true,
					  .filter = FILTER_HALF,
					  .dims = CLASSES,
					  .unit_rows = true,
					  .row_power = 1,
					  .threads = threads };
	const struct kmeans_params clusters = {
		.k = CLASSES, .restarts = 3, .iterations = 10, .seed = 5, .threads = threads
	};
	struct order_search s;

	assert_ok(order_begin(&s, X, g, &how, &clusters));
	assert_int_equal(s.sketches, sketches);
	assert_ok(order_next(&s, term));
	assert_ok(order_next(&s, term + ORDER_WORDS));
	order_end(&s);
}

/* Sketches of sparse features give nearly the terms of the search by all columns, in both blocks.
 * Dense features are searched by all columns. */
TEST(near_all_columns)
{
	double near[2 * ORDER_WORDS], all[2 * ORDER_WORDS], again[2 * ORDER_WORDS];
	struct features sparse = { .is_sparse = true }, dense = { 0 };
	struct graph g;

	make(&sparse.sparse, &g, ROWS);
	csr_to_dense(&sparse.sparse, &dense.dense);
	terms_of(&sparse, &g, 1, true, near);
	terms_of(&sparse, &g, 3, true, again);
	assert_memory_equal(near, again, sizeof(near));
	terms_of(&dense, &g, 1, false, all);
	for (size_t b = 0; b < 2; b++)
		for (size_t t = 0; t < ORDER_BLOCK; t++) {
			size_t at = b * ORDER_WORDS + t;

			assert_near(near[at], all[at], 0.1 * all[at]);
			assert_near(near[at + ORDER_BLOCK], all[at + ORDER_BLOCK], 0.01);
		}
	features_release(&dense);
	features_release(&sparse);
	graph_release(&g);
}

/* With fewer than SKETCH_ROWS rows, the search uses all columns. */
TEST(small_graphs)
{
	double term[2 * ORDER_WORDS];
	struct features X = { .is_sparse = true };
	struct graph g;

	make(&X.sparse, &g, ROWS - 1);
	terms_of(&X, &g, 1, false, term);
	features_release(&X);
	graph_release(&g);
}
