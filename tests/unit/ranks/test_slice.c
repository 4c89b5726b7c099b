/* Landmark projection, GCC and the search for filter.order "auto" give the bits of one process if
 * rows are on several ranks. */
#include "tests/unit/ranks/nodes.h"
#include "tests/unit/ranks/team.h"
#include "common/graph/filter.h"
#include "common/linalg/la.h"
#include "protocols/kcagc/order_search.h"
#include "protocols/kcagc/sketch.h"
#include "protocols/kcagc/place.h"
#include "protocols/kcagc/slice.h"

#include <math.h>

enum { SETS = 5, WIDTH = 7, CELLS = 6, QUESTIONS = 6 };

static const struct kmeans_params how = {
	.k = CELLS, .restarts = 2, .iterations = 5, .ninth = true, .seed = 3, .threads = 1
};

/* Questions in the order of landmark and gcc, and the answers of one process. */
struct whole {
	struct graph g;
	struct mat X, B;
	unsigned order;
	bool ask_norms, sparse; /* `sparse`: X is given as coordinates */
	struct question ask[QUESTIONS];
	double *answer[QUESTIONS];
	double square[NODES];
	uint32_t label[2 * NODES], cells[NODES];
	struct placing place;
	double *length;
	struct mat D;
};

enum edges { ALIKE, WEIGHTED };
enum form { DENSE, SPARSE };
enum values { MEASURED, WORDS, COUNTS };

/* Replaces words with counts independent of a node's class: half of them are 1, some are large. */
static void repeat_words(struct mat *X)
{
	struct rng rng;

	rng_seed(&rng, 9, 0);
	for (size_t e = 0; e < NODES * COLS; e++)
		X->a[e] *= 1 + floor(exp(3 * rng_normal(&rng)));
}

static void make(struct whole *w, unsigned leaves, unsigned order, enum values words,
		 enum edges edges, enum form form)
{
	*w = (struct whole){ .order = order,
			     .ask_norms = words && order == 2,
			     .sparse = form == SPARSE };
	nodes_graph(&w->g, leaves, edges == WEIGHTED);
	nodes_features(&w->X, words != MEASURED);
	if (words == COUNTS)
		repeat_words(&w->X);
	for (size_t i = 0; words && i < NODES; i++) { /* columns 3 and 4 are years */
		MAT(&w->X, i, 3) = 1900 + (double)(i / 500 % 7);
		MAT(&w->X, i, 4) = 1900 + (double)(i % 100);
	}
	sample_normal(&w->B, NODES, WIDTH, 8);
	for (uint32_t i = 0; i < 2 * NODES; i++)
		w->label[i] = i * 7 / 3 % 11 % SETS;
	w->ask[0] = (struct question){ .kind = ASK_FACTS };
	w->ask[1] = (struct question){ .kind = ASK_NORMS };
	w->ask[2] = (struct question){ .kind = ASK_SPREADS,
				       .idf = words && !w->ask_norms,
				       .shares = true,
				       .square = w->square };
	w->ask[3] = (struct question){ .kind = ASK_PRODUCTS, .order = order, .B = &w->B };
	w->ask[4] =
	    (struct question){ .kind = ASK_MEANS, .order = order, .label = w->label, .k = SETS };
	w->ask[5] = (struct question){ .kind = ASK_QUALITY,
				       .order = order,
				       .label = w->label,
				       .k = SETS,
				       .labellings = 2,
				       .means = true,
				       .parties = 2 };
}

static bool asks(const struct whole *w, size_t q)
{
	return q != 1 || w->ask_norms;
}

static struct features features_of(const struct mat *all, bool sparse)
{
	struct features X = { 0 };

	mat_copy(&X.dense, all);
	if (sparse)
		nodes_sparse(&X);
	return X;
}

static void as_one(struct whole *w, bool counts)
{
	struct features X = features_of(&w->X, w->sparse);
	struct slice s;

	assert_ok(slice_init(&s, &X, &w->g, 1));
	for (size_t q = 0; q < QUESTIONS; q++) {
		if (!asks(w, q))
			continue;
		w->answer[q] = alloc(question_words(&w->ask[q], NODES), sizeof(double));
		assert_ok(slice_answer(&s, &w->ask[q], w->answer[q]));
		if (q == 0)
			assert_ok(
			    slice_cluster(&s, w->order == 3 ? 0 : w->order, 2, 4, &how, w->cells));
		for (size_t i = 0; q < 2 && i < NODES; i++)
			w->square[i] = 2 * w->answer[q][question_whole(&w->ask[q]) + i];
	}
	placing_of(&s, w->label, SETS, 2, &w->place);
	assert_int_equal(s.marked, counts);
	slice_release(&s);
	X = features_of(&w->X, w->sparse);
	ALLOC(w->length, NODES);
	assert_ok(placing_weigh(&w->place, &X, w->length));
	assert_ok(placing_distances(&w->place, &X, &w->g, w->length, 1, &w->D));
}

/* Answers a question as coterie-worker does: in steps of three tiles of rows, without
 * slice_answer(). */
static void answer_in_steps(struct slice *s, const struct question *q, size_t n, double *x)
{
	struct mat C;

	assert_ok(slice_begin_answer(s, q, x, &C));
	assert_true((C.a != NULL) == (slice_words_before(q, n) < question_words(q, n)) || n == 0);
	x += slice_words_before(q, n);
	for (size_t first = 0; C.a && first < n; first += 3 * LA_TILE) {
		size_t rows = n - first < 3 * LA_TILE ? n - first : 3 * LA_TILE;

		slice_product_rows(s, &C, first, rows, x + first * question_width(q));
	}
	mat_release(&C);
}

/* Checks an answer of this rank: the first question_whole() numbers, which are for all rows, and
 * the numbers of its own rows. */
static void check_answer(struct slice *s, const struct whole *w, size_t q)
{
	struct question ask = w->ask[q];
	const struct ranks *R = s->g->ranks;
	size_t n = ranks_rows(R), first = R->cut[R->own], whole = question_whole(&ask);
	uint32_t *label = alloc(2 * n, sizeof(*label));
	double *x;
	struct mat B;

	mat_init(&B, n, WIDTH);
	memcpy(B.a, ROW(&w->B, first), n * WIDTH * sizeof(double));
	memcpy(label, w->label + first, n * sizeof(*label));
	memcpy(label + n, w->label + NODES + first, n * sizeof(*label));
	ask.B = &B;
	ask.label = label;
	ask.square = w->square + first;
	x = alloc(question_words(&ask, n), sizeof(*x));
	/* Questions from 3 on may be repeated: they are answered in steps, and then by
	 * slice_answer(). Of the others, question 1 has only slice_answer(), and 0 and 2 only the
	 * steps. */
	for (int way = q == 1; way < (q < 3 ? 1 + (q == 1) : 2); way++) {
		if (way == 0)
			answer_in_steps(s, &ask, n, x);
		else
			assert_ok(slice_answer(s, &ask, x));
		assert_memory_equal(x, w->answer[q], whole * sizeof(*x));
		assert_memory_equal(x + whole, w->answer[q] + whole + first * question_width(&ask),
				    n * question_width(&ask) * sizeof(*x));
		memset(x, 0, question_words(&ask, n) * sizeof(*x));
	}
	free(x);
	free(label);
	mat_release(&B);
}

static void check_cells(struct slice *s, const struct whole *w)
{
	const struct ranks *R = s->g->ranks;
	size_t n = ranks_rows(R);
	uint32_t *label = alloc(n, sizeof(*label));

	assert_ok(slice_cluster(s, w->order == 3 ? 0 : w->order, 2, 4, &how, label));
	assert_memory_equal(label, w->cells + R->cut[R->own], n * sizeof(*label));
	free(label);
}

static void features_of_rank(const struct whole *w, const struct ranks *R, struct graph *g,
			     struct features *X)
{
	*X = (struct features){ 0 };
	nodes_of_rank(&w->g, &w->X, R, g, &X->dense);
	if (w->sparse)
		nodes_sparse(X);
}

static void check_place(const struct ranks *R, const struct whole *w, const struct placing *p)
{
	size_t first = R->cut[R->own], n = ranks_rows(R);
	double *length = alloc(n, sizeof(*length));
	struct features X;
	struct graph g;
	struct mat D;

	features_of_rank(w, R, &g, &X);
	assert_ok(placing_weigh(p, &X, length));
	assert_memory_equal(length, w->length + first, n * sizeof(*length));
	assert_ok(placing_distances(p, &X, &g, length, 1, &D));
	assert_memory_equal(D.a, ROW(&w->D, first), n * SETS * sizeof(double));
	assert_true(features_rows(&X) == 0);
	graph_release(&g);
	mat_release(&D);
	free(length);
}

static void rank(void *arg, struct ranks *R)
{
	const struct whole *w = arg;
	struct features X;
	struct placing p;
	struct slice s;
	struct graph g;

	ranks_cut(R, NODES);
	features_of_rank(w, R, &g, &X);
	assert_ok(slice_init(&s, &X, &g, 1));
	assert_true(features_rows(&X) == 0);
	for (size_t q = 0; q < QUESTIONS; q++) {
		if (asks(w, q))
			check_answer(&s, w, q);
		if (q == 0)
			check_cells(&s, w);
	}
	placing_of(&s, w->label + R->cut[R->own], SETS, 2, &p);
	assert_memory_equal(p.map.a, w->place.map.a, COLS * SETS * sizeof(double));
	assert_memory_equal(p.offset, w->place.offset, SETS * sizeof(double));
	assert_memory_equal(p.shift, w->place.shift, COLS * sizeof(double));
	assert_memory_equal(p.weight, w->place.weight, COLS * sizeof(double));
	assert_memory_equal(p.word, w->place.word, COLS);
	slice_release(&s);
	graph_release(&g);
	check_place(R, w, &p);
	placing_release(&p);
	ranks_release(R);
}

static void check(unsigned leaves, unsigned order, enum values words, enum edges edges,
		  enum form form)
{
	struct whole *w = alloc(1, sizeof(*w));

	make(w, leaves, order, words, edges, form);
	as_one(w, words == COUNTS);
	if (!leaves && order == 3)
		team(1, rank, w);
	for (size_t count = TEAM_LEAST; count <= TEAM_MOST; count *= TEAM_TIMES)
		team(count, rank, w);
	for (size_t q = 0; q < QUESTIONS; q++)
		free(w->answer[q]);
	placing_release(&w->place);
	free(w->length);
	mat_release(&w->D);
	mat_release(&w->B);
	mat_release(&w->X);
	graph_release(&w->g);
	free(w);
}

TEST(same_answers)
{
	check(0, 3, MEASURED, ALIKE, DENSE);
}

/* A column of numbers among words is shifted to mean 0. Word weights count the rows of all
 * ranks. */
TEST(same_answers_of_words)
{
	check(0, 1, WORDS, ALIKE, DENSE);
	check(0, 2, WORDS, ALIKE, DENSE);
}

/* Ranks use only the presence of counts, and answer as one process does. */
TEST(same_answers_of_counts)
{
	check(0, 2, COUNTS, ALIKE, DENSE);
	check(0, 1, COUNTS, WEIGHTED, SPARSE);
}

TEST(same_answers_with_leaves)
{
	check(40, 5, MEASURED, ALIKE, DENSE);
}

TEST(same_answers_of_coordinates)
{
	check(0, 3, MEASURED, ALIKE, SPARSE);
	check(40, 2, WORDS, ALIKE, SPARSE);
}

/* With weights, the row sums of the filter's matrix T differ. These sums and the modularity need
 * the weights of edges on other ranks. */
TEST(same_answers_with_weights)
{
	check(40, 3, MEASURED, WEIGHTED, DENSE);
	check(0, 1, WORDS, WEIGHTED, SPARSE);
}

/* ---- filter.order "auto" ---- */

struct searched {
	struct graph g;
	struct mat X;
	bool sparse;
	struct embed_params how;
	double term[2 * ORDER_WORDS];
};

static void search(void *arg, struct ranks *R)
{
	const struct searched *w = arg;
	struct order_search s;
	double term[2 * ORDER_WORDS];
	struct features X = { 0 }, kept;
	struct graph g;

	ranks_cut(R, NODES);
	nodes_of_rank(&w->g, &w->X, R, &g, &X.dense);
	if (w->sparse)
		nodes_sparse(&X);
	features_copy(&kept, &X);
	assert_ok(order_begin(&s, &X, &g, &w->how, &how));
	assert_ok(order_next(&s, term));
	assert_ok(order_next(&s, term + ORDER_WORDS));
	assert_memory_equal(term, w->term, sizeof(term));
	if (w->sparse)
		assert_memory_equal(X.sparse.value, kept.sparse.value,
				    X.sparse.start[X.sparse.rows] * sizeof(double));
	else
		assert_memory_equal(X.dense.a, kept.dense.a, X.dense.rows * COLS * sizeof(double));
	order_end(&s);
	features_release(&kept);
	features_release(&X);
	graph_release(&g);
	ranks_release(R);
}

/* One rank has more rows than SKETCH_ROWS, the other fewer. */
static void begin_unequal(void *arg, struct ranks *R)
{
	const struct searched *w = arg;
	struct features X = { .is_sparse = true };
	struct order_search s;
	struct csr rows;
	struct graph g;

	ranks_cut(R, SKETCH_ROWS + 14000);
	csr_init(&X.sparse, ranks_rows(R), 9 * SKETCH_COLUMNS, 0, true);
	csr_init(&rows, ranks_rows(R), R->n, 0, false);
	graph_init_part(&g, &rows, R);
	assert_ok(order_begin(&s, &X, &g, &w->how, &how));
	assert_false(s.sketches);
	order_end(&s);
	features_release(&X);
	graph_release(&g);
	ranks_release(R);
}

TEST(ranks_do_not_sketch)
{
	struct searched w = { .how = { .dims = 4, .threads = 1 } };

	team(2, begin_unequal, &w);
}

TEST(same_terms_of_the_order)
{
	for (int kind = 0; kind < 6;
	     kind++) { /* measured features; words; words and a year; each dense and sparse */
		int words = kind % 3;
		bool sparse = kind >= 3;
		struct searched w = { .sparse = sparse,
				      .how = { .idf = true,
					       .dims = 4,
					       .unit_rows = true,
					       .row_power = 0.8,
					       .threads = 1 } };
		struct features X;
		struct order_search s;

		nodes_graph(&w.g, words ? 0 : 40, sparse);
		nodes_features(&w.X, words);
		for (size_t i = 0; words == 2 && i < w.X.rows; i++)
			MAT(&w.X, i, 1) = 1990 + (double)(i % 7);
		X = features_of(&w.X, sparse);
		assert_ok(order_begin(&s, &X, &w.g, &w.how, &how));
		assert_true(s.beside == (words == 2));
		assert_ok(order_next(&s, w.term));
		assert_ok(order_next(&s, w.term + ORDER_WORDS));
		order_end(&s);
		for (size_t count = TEAM_LEAST; count <= 4; count *= TEAM_TIMES)
			team(count, search, &w);
		features_release(&X);
		mat_release(&w.X);
		graph_release(&w.g);
	}
}

/* ---- refused on ranks ---- */

static void refuse(void *arg, struct ranks *R)
{
	const struct searched *w = arg;
	struct mat F, Z = { 0 };

	R->n = 10; /* more columns than rows */
	ranks_cut(R, 10);
	mat_init(&F, ranks_rows(R), COLS);
	assert_err(embed_project(R, &F, &w->how, &Z), ERR_INPUT, "no more than rows");
	assert_null(Z.a);
	mat_release(&F);
	ranks_release(R);
}

/* One process would not make this matrix dense: it has more than 2^26 values, of which less than
 * one in 64 is nonzero. */
static void refuse_wide(void *arg, struct ranks *R)
{
	struct features X = { .is_sparse = true };
	struct slice s;
	struct graph g;
	struct csr rows;

	(void)arg;
	ranks_cut(R, 1 << 17);
	csr_init(&X.sparse, ranks_rows(R), 1024, 1, true);
	csr_init(&rows, ranks_rows(R), R->n, 0, false);
	graph_init_part(&g, &rows, R);
	assert_err(slice_init(&s, &X, &g, 1), ERR_INPUT,
		   "131072 x 1024 with 0 entries are filtered");
	slice_release(&s);
	graph_release(&g);
	ranks_release(R);
}

TEST(refuses_wide_slices)
{
	team(2, refuse_wide, NULL);
}

TEST(refuses_more_columns_than_rows)
{
	struct searched w = { .how = { .dims = 4 } };

	team(2, refuse, &w);
}
