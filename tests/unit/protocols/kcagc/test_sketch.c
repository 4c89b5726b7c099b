/* Searches the filter's order with sketches of the features, and compares the terms with those of a
 * search with all columns. */
#include "tests/unit/linalg/sample.h"
#include "protocols/kcagc/order_search.h"
#include "protocols/kcagc/sketch.h"

enum { CLASSES = 5, ROWS = SKETCH_ROWS, COLS = 320, WORDS = 8 };

/* Nodes of a class share words and edges, with noise in both. own_words, own_edges: shares of a
 * node's words and edges that are those of its class. */
static void make_of(struct csr *X, struct graph *g, size_t rows, double own_words, double own_edges)
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

			if (rng_unit(&rng) < own_words)
				j = j / CLASSES * CLASSES + i % CLASSES;
			words[w++] = (struct triple){ i, j * WORDS + (uint32_t)t, 1 };
		}
		for (int t = 0; t < 3; t++) {
			uint32_t to = (uint32_t)rng_below(&rng, rows);

			if (rng_unit(&rng) < own_edges)
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

static void make(struct csr *X, struct graph *g, size_t rows)
{
	make_of(X, g, rows, 0.4, 0.7);
}

static const struct embed_params embedding = { .idf = true,
					       .filter = FILTER_HALF,
					       .dims = CLASSES,
					       .unit_rows = true,
					       .row_power = 1,
					       .threads = 1 };
static const struct kmeans_params clusters = {
	.k = CLASSES, .restarts = 3, .iterations = 10, .seed = 5, .threads = 1
};

static void terms_of(const struct features *X, const struct graph *g, unsigned threads,
		     bool sketches, bool alone, double *term)
{
	struct embed_params how = embedding;
	struct kmeans_params few = clusters;
	struct order_search s;

	how.threads = few.threads = threads;
	assert_ok(order_begin(&s, X, g, &how, &few));
	assert_int_equal(s.sketches, sketches);
	s.alone = alone;
	assert_ok(order_next(&s, term));
	assert_ok(order_next(&s, term + ORDER_WORDS));
	order_end(&s);
}

/* Returns the index of an order's distance in the terms of two blocks, each of ORDER_BLOCK
 * distances and then as many modularities. */
static size_t place(size_t order)
{
	return (order - 1) / ORDER_BLOCK * ORDER_WORDS + (order - 1) % ORDER_BLOCK;
}

/* Returns the distance of an order from the terms of a sketched search. */
static double distance(const double *term, size_t order)
{
	return term[place(order)] / pow(1 + ORDER_FLAT, (double)order);
}

/* Sketches of sparse features give nearly the terms of the search by all columns. Above ORDER_EACH
 * an odd order has the mean distance of its neighbours and the modularity of the order before,
 * unless AGC's rule decides alone. Dense features are searched by all columns. */
TEST(near_all_columns)
{
	double near[2 * ORDER_WORDS], all[2 * ORDER_WORDS], again[2 * ORDER_WORDS];
	struct features sparse = { .is_sparse = true }, dense = { 0 };
	struct graph g;

	make(&sparse.sparse, &g, ROWS);
	csr_to_dense(&sparse.sparse, &dense.dense);
	terms_of(&sparse, &g, 1, true, false, near);
	terms_of(&sparse, &g, 3, true, false, again);
	assert_memory_equal(near, again, sizeof(near));
	terms_of(&dense, &g, 1, false, false, all);
	terms_of(&sparse, &g, 1, true, true, again);
	for (size_t order = 1; order <= 2 * ORDER_BLOCK; order++) {
		const double *now = near + place(order), *full = all + place(order);
		const double *each = again + place(order);

		assert_near(each[0], full[0], 0.1 * full[0]);
		assert_near(each[ORDER_BLOCK], full[ORDER_BLOCK], 0.01);
		assert_true(order == 1 || each[0] < again[place(order - 1)]);
		if (order > ORDER_EACH && order % 2 == 1) {
			assert_true(now[0] ==
				    (near[place(order - 1)] + near[place(order + 1)]) / 2);
			assert_true(now[ORDER_BLOCK] == near[place(order - 1) + ORDER_BLOCK]);
			continue;
		}
		assert_near(distance(near, order), full[0], 0.1 * full[0]);
		assert_near(now[ORDER_BLOCK], full[ORDER_BLOCK], 0.01);
		assert_true(order == 1 || distance(near, order) < distance(near, order - 1));
	}
	features_release(&dense);
	features_release(&sparse);
	graph_release(&g);
}

/* Each order begins from the clusters of the order before. So clusters keep their numbers from
 * block to block, and there are no restarts after the first order. */
TEST(clusters_carry_over)
{
	double term[ORDER_WORDS];
	uint32_t *before = alloc(ROWS, sizeof(*before));
	struct features X = { .is_sparse = true };
	struct order_search s;
	size_t same = 0;
	struct graph g;

	make(&X.sparse, &g, ROWS);
	assert_ok(order_begin(&s, &X, &g, &embedding, &clusters));
	assert_ok(order_next(&s, term));
	memcpy(before, s.label, ROWS * sizeof(*before));
	s.clusters.seed++; /* no seeds are drawn */
	assert_ok(order_next(&s, term));
	for (size_t i = 0; i < ROWS; i++)
		same += before[i] == s.label[i];
	assert_true(same > 0.9 * ROWS);
	order_end(&s);
	features_release(&X);
	graph_release(&g);
	free(before);
}

/* With fewer than SKETCH_ROWS rows, the search uses all columns. */
TEST(small_graphs)
{
	double term[2 * ORDER_WORDS];
	struct features X = { .is_sparse = true };
	struct graph g;

	make(&X.sparse, &g, ROWS - 1);
	terms_of(&X, &g, 1, false, false, term);
	features_release(&X);
	graph_release(&g);
}

/* A distance that falls by less than ORDER_FLAT per order counts as risen. */
TEST(ends_where_distances_are_flat)
{
	enum { BLOCKS = 4, ORDERS = BLOCKS * ORDER_BLOCK };
	double term[BLOCKS * ORDER_WORDS], intra[ORDERS];
	struct features X = { .is_sparse = true };
	struct order_search s;
	struct graph g;
	size_t psi;

	make(&X.sparse, &g, ROWS);
	assert_ok(order_begin(&s, &X, &g, &embedding, &clusters));
	for (size_t b = 0; b < BLOCKS; b++)
		assert_ok(order_next(&s, term + b * ORDER_WORDS));
	for (size_t t = 0; t < ORDERS; t++)
		intra[t] = term[place(t + 1)];
	psi = psi_agc(intra, ORDERS);
	assert_in_range(psi, 2 * ORDER_BLOCK, ORDERS - 2);
	assert_true(distance(term, psi + 2) < distance(term, psi));
	order_end(&s);
	features_release(&X);
	graph_release(&g);
}

/* If only a fifth of a node's words are those of its class, noise hides the classes at order 1. */
TEST(noise_at_order_1)
{
	enum { FIT = ORDER_BLOCK + SKETCH_ORDER - 1 };
	double near[2 * ORDER_WORDS], all[2 * ORDER_WORDS];
	struct features sparse = { .is_sparse = true }, dense = { 0 };
	struct graph g;

	make_of(&sparse.sparse, &g, ROWS, 0.2, 0.7);
	csr_to_dense(&sparse.sparse, &dense.dense);
	terms_of(&sparse, &g, 1, true, false, near);
	terms_of(&dense, &g, 1, false, false, all);
	assert_near(near[FIT], all[FIT], 0.1);
	features_release(&dense);
	features_release(&sparse);
	graph_release(&g);
}
