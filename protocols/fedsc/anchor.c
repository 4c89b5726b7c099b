#include "protocols/fedsc/anchor.h"
#include "common/base/alloc.h"
#include "common/linalg/distance.h"
#include "common/linalg/parallel.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { TASK_ROWS = 4 * DISTANCE_ROWS };

/* Finds the s + 1 least of d distances, in ascending order; of equal distances, that of the
 * landmark with the lower number comes first.
 */
static void fedsc_anchor_nearest(const double *D, size_t d, unsigned s, double *least, uint32_t *at)
{
	unsigned found = 0;

	for (size_t j = 0; j < d; j++) {
		unsigned p;

		if (found == s + 1 && D[j] >= least[s])
			continue;
		found += found < s + 1;
		for (p = found - 1; p > 0 && least[p - 1] > D[j]; p--) {
			least[p] = least[p - 1];
			at[p] = at[p - 1];
		}
		least[p] = D[j];
		at[p] = (uint32_t)j;
	}
}

struct tying {
	struct fedsc_anchor *b;
	const struct mat *X, *Z;
};

static void tie_rows(void *ctx, unsigned worker, size_t task)
{
	const struct tying *t = ctx;
	size_t n = t->X->rows, d = t->Z->rows, first = task * TASK_ROWS;
	size_t end = n - first < TASK_ROWS ? n : first + TASK_ROWS;
	unsigned s = t->b->s;
	double *D, least[FEDSC_NEAR_MAX + 1];
	uint32_t at[FEDSC_NEAR_MAX + 1];
	struct distance to;

	(void)worker;
	distance_init(&to, d, t->Z->cols);
	distance_set(&to, t->Z->a);
	ALLOC(D, DISTANCE_ROWS * d);
	for (size_t i = first; i < end; i++) {
		double sum = 0, *weight = t->b->weight + i * s;

		if ((i - first) % DISTANCE_ROWS == 0)
			distance_block(&to, ROW(t->X, i),
				       end - i < DISTANCE_ROWS ? end - i : DISTANCE_ROWS, D);
		fedsc_anchor_nearest(D + (i - first) % DISTANCE_ROWS * d, d, s, least, at);
		for (unsigned j = 0; j < s; j++)
			sum += least[s] - least[j];
		for (unsigned j = 0; j < s; j++) {
			t->b->landmark[i * s + j] = at[j];
			weight[j] = sum > 0 ? (least[s] - least[j]) / sum : 1.0 / s;
		}
	}
	free(D);
	distance_release(&to);
}

void fedsc_anchor_init(struct fedsc_anchor *b, const struct mat *X, const struct mat *Z, unsigned s,
		       unsigned threads)
{
	struct tying t = { b, X, Z };

	assert(X->cols == Z->cols && s >= 1 && s < Z->rows && s <= FEDSC_NEAR_MAX);
	*b = (struct fedsc_anchor){ .n = X->rows, .d = Z->rows, .s = s };
	ALLOC(b->landmark, b->n * s);
	ALLOC(b->weight, b->n * s);
	parallel(threads, (b->n + TASK_ROWS - 1) / TASK_ROWS, tie_rows, &t);
}

void fedsc_anchor_release(struct fedsc_anchor *b)
{
	free(b->landmark);
	free(b->weight);
	*b = (struct fedsc_anchor){ 0 };
}

/* Adds w w' to the lower triangle `to`, where w has the weights of row i. */
static void fedsc_anchor_add_row(const struct fedsc_anchor *b, size_t i, double *to)
{
	const uint32_t *landmark = b->landmark + i * b->s;
	const double *w = b->weight + i * b->s;

	for (unsigned x = 0; x < b->s; x++) {
		double *row = to + (size_t)landmark[x] * (landmark[x] + 1) / 2;

		for (unsigned y = 0; y < b->s; y++)
			if (landmark[y] <= landmark[x])
				row[landmark[y]] += w[x] * w[y];
	}
}

void fedsc_anchor_gram(const struct fedsc_anchor *b, const struct ranks *ranks, double *x)
{
	struct rowsum s;

	ranks_sum_begin(ranks, &s, b->d * (b->d + 1) / 2, NULL, NULL);
	for (size_t block = 0; block < rowsum_blocks(b->n); block++) {
		double *to = rowsum_open(&s);

		for (size_t i = 0; i < rowsum_rows(b->n, block); i++)
			fedsc_anchor_add_row(b, block * ROWSUM_ROWS + i, to);
		rowsum_close(&s);
	}
	ranks_sum_end(ranks, &s, x);
}

struct embedding {
	const struct fedsc_anchor *b;
	const struct mat *R;
	struct mat *E;
};

static void embed_rows(void *ctx, unsigned worker, size_t task)
{
	const struct embedding *e = ctx;
	size_t first = task * TASK_ROWS, k = e->R->cols;
	size_t end = e->b->n - first < TASK_ROWS ? e->b->n : first + TASK_ROWS;

	(void)worker;
	for (size_t i = first; i < end; i++) {
		double *to = ROW(e->E, i);

		for (unsigned x = 0; x < e->b->s; x++) {
			double w = e->b->weight[i * e->b->s + x];
			const double *row = ROW(e->R, e->b->landmark[i * e->b->s + x]);

			for (size_t j = 0; j < k; j++)
				to[j] += w * row[j];
		}
	}
}

void fedsc_anchor_embed(const struct fedsc_anchor *b, const struct mat *R, unsigned threads,
			struct mat *E)
{
	struct embedding e = { b, R, E };

	assert(R->rows == b->d);
	mat_init(E, b->n, R->cols);
	parallel(threads, (b->n + TASK_ROWS - 1) / TASK_ROWS, embed_rows, &e);
}

/* Returns lam^-1/2, or 0 for a landmark without rows. */
static double root(double lam)
{
	return lam > 0 ? 1 / sqrt(lam) : 0;
}

void fedsc_anchor_normal(const struct mat *M, double *lam, struct mat *N)
{
	size_t d = M->rows;
	double *by = alloc(d, sizeof(*by));

	assert(d == M->cols);
	mat_init(N, d, d);
	for (size_t i = 0; i < d; i++) {
		lam[i] = 0;
		for (size_t j = 0; j < d; j++)
			lam[i] += MAT(M, i, j);
		by[i] = root(lam[i]);
	}
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < d; j++)
			MAT(N, i, j) = by[i] * MAT(M, i, j) * by[j];
	free(by);
}

enum err fedsc_anchor_basis(const double *lam, const struct mat *U, const double *value,
			    struct mat *R)
{
	size_t k = U->rows, d = U->cols;

	if (!(value[k - 1] > 0))
		return err_set(ERR_JOB,
			       "the landmarks span fewer than %zu dimensions (eigenvalue %zu is "
			       "%.3g): more landmarks or fewer clusters are needed",
			       k, k, value[k - 1]);
	mat_init(R, d, k);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
			MAT(R, i, j) = root(lam[i]) * MAT(U, j, i) / sqrt(value[j]);
	return ERR_OK;
}
