/* Compares sums over more rows than one block of rowsum.h with plain formulas. */
#include "tests/unit/graph/data.h"
#include "common/base/rng.h"
#include "common/graph/filter.h"
#include "protocols/kcagc/order_search.h"
#include "protocols/kcagc/sums.h"
#include "common/linalg/rowsum.h"

#include <math.h>

enum { NODES = 3 * ROWSUM_ROWS - 100, COLS = 11, MEASURED = 6, SETS = 4 };

/* Makes words, and one column with a number far from 0 in each row. */
static void make(struct mat *X)
{
	struct rng rng;

	rng_seed(&rng, 4, 0);
	mat_init(X, NODES, COLS);
	for (size_t i = 0; i < NODES; i++)
		for (size_t j = 0; j < COLS; j++)
			MAT(X, i, j) = j == MEASURED ? 1e6 + rng_normal(&rng) + (double)(i / 4096)
						     : rng_unit(&rng) < 0.3;
}

/* Adds the neighbours' numbers to each row, so that linked rows have similar numbers. */
static void link_numbers(struct mat *X, const struct graph *g)
{
	const struct csr *near = &g->adjacency;
	double *sum = alloc(NODES, sizeof(*sum));

	for (size_t i = 0; i < NODES; i++)
		for (size_t e = near->start[i]; e < near->start[i + 1]; e++)
			sum[i] += MAT(X, near->index[e], MEASURED) - 1e6;
	for (size_t i = 0; i < NODES; i++)
		MAT(X, i, MEASURED) += sum[i];
	free(sum);
}

static void make_slice(struct slice *s, const struct mat *X, bool sparse, const struct graph *g)
{
	struct features own = { .is_sparse = sparse };
	struct triple *t = alloc(X->rows * X->cols, sizeof(*t));
	size_t count = 0;

	for (size_t i = 0; i < X->rows; i++)
		for (size_t j = 0; j < X->cols; j++)
			if (MAT(X, i, j) != 0)
				t[count++] =
				    (struct triple){ (uint32_t)i, (uint32_t)j, MAT(X, i, j) };
	if (sparse)
		csr_from_triples(&own.sparse, X->rows, X->cols, t, count);
	else
		mat_copy(&own.dense, X);
	free(t);
	assert_ok(slice_init(s, &own, g, 2));
}

static void moments(const struct mat *X, size_t j, double *mean, double *apart)
{
	long double sum = 0, off = 0;

	for (size_t i = 0; i < X->rows; i++)
		sum += MAT(X, i, j);
	sum /= X->rows;
	for (size_t i = 0; i < X->rows; i++)
		off += (MAT(X, i, j) - sum) * (MAT(X, i, j) - sum);
	*mean = (double)sum;
	*apart = (double)off;
}

static void check_facts(struct slice *s, const struct mat *X, double *facts)
{
	double mean, apart;

	assert_ok(slice_answer(s, &(struct question){ .kind = ASK_FACTS }, facts));
	moments(X, MEASURED, &mean, &apart);
	assert_true(facts[0] == 0 && facts[1] == COLS);
	assert_near(s->shift[MEASURED], mean, 1e-15 * mean);
	assert_near(s->weight[MEASURED], 1 / sqrt(apart / NODES), 1e-9);
	for (size_t j = 0; j < COLS; j++)
		assert_int_equal(s->word[j], j != MEASURED);
}

/* Checks the spreads and shares of the slice's current rows. */
static void check_spreads(struct slice *s, const struct graph *g, const double *square)
{
	struct question ask = { .kind = ASK_SPREADS, .square = square, .shares = true };
	double x[SLICE_SPREADS], norm = 0, share = 0;
	struct mat F, S;

	assert_ok(slice_answer(s, &ask, x));
	if (s->X.is_sparse)
		csr_to_dense(&s->X.sparse, &F);
	else
		mat_copy(&F, &s->X.dense);
	mat_copy(&S, &F);
	for (size_t t = 0; t < SLICE_POWERS; t++) {
		double all = 0, off = 0;

		for (size_t j = 0; j < COLS; j++) {
			double mean, apart;

			moments(&F, j, &mean, &apart);
			off += apart;
			all += apart + NODES * mean * mean;
		}
		assert_near(x[t], all, 1e-12 * all);
		assert_near(x[SLICE_POWERS + t], off, 1e-11 * all);
		assert_ok(graph_filter(g, FILTER_MEAN, 1, 2, &F));
	}
	for (size_t i = 0; i < NODES; i++)
		norm += 1 / (g->inv_sqrt_deg[i] * g->inv_sqrt_deg[i]);
	for (size_t j = 0; j < COLS; j++) {
		double along = 0;

		for (size_t i = 0; i < NODES; i++)
			along += MAT(&S, i, j) / g->inv_sqrt_deg[i];
		share += along * along / norm;
	}
	assert_near(x[2 * SLICE_POWERS], share, 1e-12 * share);
	mat_release(&S);
	mat_release(&F);
}

TEST(answers_of_many_rows)
{
	double *facts = alloc(2 + NODES, sizeof(*facts)), *again = alloc(2 + NODES, sizeof(*again));
	struct graph g;
	struct mat X;

	make(&X);
	sample_graph(&g, NODES, 3 * NODES, 4, false, 2);
	link_numbers(&X, &g);
	for (int sparse = 0; sparse < 2; sparse++) {
		struct slice s;

		make_slice(&s, &X, sparse, &g);
		check_facts(&s, &X, sparse ? again : facts);
		check_spreads(&s, &g, facts + 2);
		slice_release(&s);
	}
	assert_memory_equal(again, facts, (2 + NODES) * sizeof(*facts));
	graph_release(&g);
	mat_release(&X);
	free(again);
	free(facts);
}

TEST(distance_within_of_many_rows)
{
	uint32_t *label = alloc(NODES, sizeof(*label));
	long double mean[SETS][COLS] = { 0 }, apart[SETS] = { 0 }, size[SETS] = { 0 }, sum = 0;
	struct mat X;

	make(&X);
	for (size_t i = 0; i < NODES; i++) {
		label[i] = i % 7 % SETS;
		size[label[i]]++;
		for (size_t j = 0; j < COLS; j++)
			mean[label[i]][j] += MAT(&X, i, j);
	}
	for (size_t i = 0; i < NODES; i++)
		for (size_t j = 0; j < COLS; j++) {
			long double gap = MAT(&X, i, j) - mean[label[i]][j] / size[label[i]];

			apart[label[i]] += gap * gap;
		}
	for (size_t c = 0; c < SETS; c++)
		sum += 2 * apart[c] / size[c];
	assert_near(psi_intra(NULL, &X, label, SETS), (double)sum / SETS, 1e-9);
	mat_release(&X);
	free(label);
}
