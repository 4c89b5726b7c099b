/* Filter, projection and k-means of rows on several ranks give the bits of one process. */
#include "tests/unit/ranks/nodes.h"
#include "tests/unit/ranks/team.h"
#include "common/cluster/kmeans.h"
#include "common/graph/filter.h"
#include "protocols/kcagc/embed.h"
#include "protocols/kcagc/words.h"

enum { DIMS = 5, CLUSTERS = 9 };

struct whole {
	struct graph g;
	struct mat X, F, Z, again, centres, means; /* results of one process */
	struct embedding kept;
	struct embed_params how;
	uint32_t *label, *weighed; /* `weighed`: labels of weighted k-means */
	double inertia;
	bool sparse; /* X is given as coordinates */
};

static const struct kmeans_params how = {
	.k = CLUSTERS, .restarts = 3, .iterations = 10, .ninth = true, .seed = 3, .threads = 1
};

static double weight[NODES];

/* THIN: one column varies. COUNTS: words, some of them repeated. */
enum kind { PLAIN, WORDS, WEIGHTED, BESIDE, THIN, COUNTS };

/* Words that linked rows share, each repeated at random: most once, some very often. */
static void counts_of_classes(struct mat *X)
{
	struct rng rng;

	rng_seed(&rng, 8, 0);
	for (size_t i = 0; i < X->rows; i++)
		for (size_t j = 0; j < X->cols; j++)
			MAT(X, i, j) = rng_unit(&rng) < (j == i / 500 % COLS ? 0.8 : 0.1)
					   ? 1 + floor(exp(2 * rng_normal(&rng)))
					   : 0;
}

static void make(struct whole *w, unsigned leaves, unsigned psi, enum kind kind)
{
	nodes_graph(&w->g, leaves, kind == WEIGHTED);
	nodes_features(&w->X, kind == WORDS || kind == BESIDE || kind == COUNTS);
	for (size_t e = 0; e < w->X.rows * w->X.cols; e++)
		if (kind == THIN && e % COLS)
			w->X.a[e] = 0;
	if (kind == COUNTS)
		counts_of_classes(&w->X);
	for (size_t i = 0; i < w->X.rows && kind == BESIDE; i++)
		MAT(&w->X, i, 0) = (double)(1990 + i * i % 37);
	w->how = (struct embed_params){ .idf = true,
					.order = psi,
					.dims = DIMS,
					.unit_rows = true,
					.row_power = 0.8,
					.threads = 1 };
}

/* Sets X to `rows` rows of w->X from row `first` on. */
static void features_of(const struct whole *w, size_t first, size_t rows, struct features *X)
{
	*X = (struct features){ 0 };
	mat_init(&X->dense, rows, COLS);
	memcpy(X->dense.a, ROW(&w->X, first), rows * COLS * sizeof(double));
	if (w->sparse)
		nodes_sparse(X);
}

static void as_one(struct whole *w)
{
	struct features X;

	mat_copy(&w->F, &w->X);
	assert_ok(graph_filter(&w->g, FILTER_HALF, w->how.order, 1, &w->F));
	features_of(w, 0, NODES, &X);
	assert_ok(embed_keep(&X, &w->g, &w->how, &w->Z, &w->kept));
	features_of(w, 0, NODES, &X);
	assert_ok(embed_again(&X, &w->g, &w->kept, 1, &w->again));
	ALLOC(w->label, NODES);
	kmeans(&w->Z, NULL, &how, w->label, &w->centres, &w->inertia);
	ALLOC(w->weighed, NODES);
	for (size_t i = 0; i < NODES; i++)
		weight[i] = (double)(i % 5) / 4;
	kmeans(&w->Z, weight, &how, w->weighed, NULL, NULL);
	mat_copy(&w->means, &w->centres);
	kmeans_centres(&w->Z, NULL, w->label, &w->means);
}

static void same_mat(const struct mat *own, const struct mat *whole, size_t first)
{
	assert_int_equal(own->cols, whole->cols);
	assert_memory_equal(own->a, ROW(whole, first), own->rows * own->cols * sizeof(*own->a));
}

static void same_embedding(const struct embedding *own, const struct embedding *whole)
{
	same_mat(&own->map, &whole->map, 0);
	assert_true(own->mean_norm == whole->mean_norm && own->word == whole->word &&
		    own->share == whole->share);
	assert_int_equal(own->idf != NULL, whole->idf != NULL);
	if (own->idf)
		assert_memory_equal(own->idf, whole->idf, COLS * sizeof(*own->idf));
}

static void rank(void *arg, struct ranks *R)
{
	const struct whole *w = arg;
	struct mat F, Z, again, centres;
	struct features X, same;
	struct embedding kept;
	uint32_t *label;
	struct graph g;
	struct kmeans_params on_ranks = how;
	double inertia;
	size_t first;

	ranks_cut(R, NODES);
	first = R->cut[R->own];
	nodes_of_rank(&w->g, &w->X, R, &g, &F);
	features_of(w, first, F.rows, &X);
	features_copy(&same, &X);
	assert_ok(graph_filter(&g, FILTER_HALF, w->how.order, 1, &F));
	assert_int_equal(F.rows, ranks_rows(R));
	same_mat(&F, &w->F, first);
	mat_release(&F);
	assert_ok(embed_keep(&X, &g, &w->how, &Z, &kept));
	same_mat(&Z, &w->Z, first);
	same_embedding(&kept, &w->kept);
	assert_ok(embed_again(&same, &g, &kept, 1, &again));
	same_mat(&again, &w->again, first);
	ALLOC(label, Z.rows);
	on_ranks.ranks = R;
	kmeans(&Z, NULL, &on_ranks, label, &centres, &inertia);
	assert_memory_equal(label, w->label + first, Z.rows * sizeof(*label));
	same_mat(&centres, &w->centres, 0);
	assert_true(inertia == w->inertia);
	kmeans(&Z, weight + first, &on_ranks, label, NULL, NULL);
	assert_memory_equal(label, w->weighed + first, Z.rows * sizeof(*label));
	memcpy(label, w->label + first, Z.rows * sizeof(*label));
	kmeans_centres_of(R, &Z, NULL, label, &centres);
	same_mat(&centres, &w->means, 0);
	free(label);
	embedding_release(&kept);
	mat_release(&centres);
	mat_release(&again);
	mat_release(&Z);
	graph_release(&g);
	ranks_release(R);
}

static void check(unsigned leaves, unsigned psi, enum kind kind, bool sparse)
{
	struct whole w = { .sparse = sparse };

	make(&w, leaves, psi, kind);
	as_one(&w);
	assert_int_equal(w.kept.share < 1, kind == THIN);
	assert_int_equal(w.kept.idf && w.kept.word == WORD_OF_ROWS, kind == COUNTS);
	team(1, rank, &w);
	for (size_t count = TEAM_LEAST; count <= TEAM_MOST; count *= TEAM_TIMES)
		team(count, rank, &w);
	free(w.label);
	free(w.weighed);
	embedding_release(&w.kept);
	mat_release(&w.means);
	mat_release(&w.centres);
	mat_release(&w.again);
	mat_release(&w.Z);
	mat_release(&w.F);
	mat_release(&w.X);
	graph_release(&w.g);
}

TEST(same_bits)
{
	check(0, 4, PLAIN, false);
}

/* Edges have weights, so the filter keeps a row for each leaf instead of adding up the leaves of a
 * node. */
TEST(same_bits_with_weights)
{
	check(40, 5, WEIGHTED, false);
}

TEST(same_bits_of_coordinates)
{
	check(0, 4, PLAIN, true);
	check(0, 2, WORDS, true);
}

/* Words are weighted by the number of rows that have them on all ranks. */
TEST(same_bits_of_words)
{
	check(0, 0, WORDS, false);
	check(0, 3, WORDS, false);
	check(0, 3, BESIDE, false);
	check(0, 2, BESIDE, true);
}

TEST(same_bits_of_thin_slices)
{
	check(0, 3, THIN, false);
}

TEST(same_bits_of_counts)
{
	check(0, 3, COUNTS, false);
	check(0, 2, COUNTS, true);
}

/* The filter adds up the leaves of a node, on the rank of that node. With 30 steps the filter uses
 * a series instead of plain powers. */
TEST(same_bits_with_leaves)
{
	check(40, 5, PLAIN, false);
	check(40, 30, PLAIN, false);
}

static void refuse(void *arg, struct ranks *R)
{
	struct whole *w = arg;
	struct embedding kept;
	struct features X = { 0 };
	struct graph g;
	struct mat Z = { 0 };

	ranks_cut(R, NODES);
	nodes_of_rank(&w->g, &w->X, R, &g, &X.dense);
	assert_err(embed_keep(&X, &g, &w->how, &Z, &kept), ERR_INPUT,
		   "ranks filter by filter.kind \"half\" alone");
	assert_null(Z.a);
	assert_null(X.dense.a);
	graph_release(&g);
	ranks_release(R);
}

TEST(refuses_other_filters)
{
	struct whole w = { 0 };

	make(&w, 0, 3, PLAIN);
	w.how.filter = FILTER_SPECTRAL;
	team(3, refuse, &w);
	mat_release(&w.X);
	graph_release(&w.g);
}

/* All ranks get the error of the first rank that has an error. */
static void disagree(void *arg, struct ranks *R)
{
	enum err own =
	    R->own == 0 ? ERR_OK : err_set(R->own == 1 ? ERR_INPUT : ERR_JOB, "no %zu", R->own);

	(void)arg;
	R->host = "here";
	assert_err(ranks_agree(R, own), ERR_INPUT, "rank 1 on here: no 1");
	assert_ok(ranks_agree(R, ERR_OK));
}

TEST(agrees_on_errors)
{
	team(4, disagree, NULL);
}

/* The sum is wider than one exchange, and the blocks of each rank form trees of their own. */
enum { WIDE = 300001, PARTS = 13 };

struct wide_sum {
	double *total;
};

static void add_block(struct rowsum *sum, size_t b)
{
	double *to = rowsum_open(sum);

	for (size_t i = 0; i < WIDE; i++)
		to[i] = sin((double)(b * WIDE + i)) * (double)(1 << b);
	rowsum_close(sum);
}

static void sum_wide(void *arg, struct ranks *R)
{
	const struct wide_sum *w = arg;
	double *total = alloc(WIDE, sizeof(*total));
	struct rowsum sum;
	size_t first;

	ranks_cut(R, (size_t)PARTS * ROWSUM_ROWS);
	first = R->cut[R->own] / ROWSUM_ROWS;
	rowsum_init(&sum, WIDE, NULL, NULL);
	rowsum_begin_at(&sum, first);
	for (size_t b = first; b < R->cut[R->own + 1] / ROWSUM_ROWS; b++)
		add_block(&sum, b);
	ranks_sum(R, &sum, total);
	assert_memory_equal(total, w->total, WIDE * sizeof(*total));
	rowsum_release(&sum);
	free(total);
	ranks_release(R);
}

TEST(sums_more_than_goes_at_once)
{
	struct wide_sum w = { .total = alloc(WIDE, sizeof(double)) };
	struct rowsum sum;

	rowsum_init(&sum, WIDE, NULL, NULL);
	for (size_t b = 0; b < PARTS; b++)
		add_block(&sum, b);
	memcpy(w.total, rowsum_end(&sum), WIDE * sizeof(double));
	rowsum_release(&sum);
	for (size_t count = 1; count <= TEAM_MOST; count++)
		team(count, sum_wide, &w);
	free(w.total);
}
