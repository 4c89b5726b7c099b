#include "common/kcagc/pool.h"
#include "common/base/alloc.h"
#include "common/kcagc/psi.h"

#include <math.h>
#include <stdlib.h>

static enum err check_facts(const double *facts)
{
	if (!(facts[1] >= 1))
		return err_set(ERR_PEER, "the parties say that they have %g features", facts[1]);
	return ERR_OK;
}

/* Rounding, of doubles or of fixed point, may take what is 0 or nearly so below. */
static void clamp(double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = x[i] > 0 ? x[i] : 0;
}

/* One sum, or two where some parties have features of 0 and 1 alone and others have not: what the
 * former took for their weighted norms then is not wanted. square: 2 + n, norms from square[2] on.
 */
static enum err agree_norms(const struct pool *pool, size_t clusters, uint32_t *cells,
			    struct pool_basis *basis, double *square)
{
	struct question ask = { .kind = ASK_FACTS };

	TRY(pool->ask(pool->ctx, &ask, square));
	TRY(check_facts(square));
	basis->idf = square[0] < 0.5; /* a count */
	basis->width = (size_t)(square[1] + 0.5);
	if (cells)
		TRY(pool->cells(pool->ctx, basis->order, clusters, cells));
	if (!basis->idf && square[0] < (double)pool->parties - 0.5) {
		ask.kind = ASK_NORMS;
		TRY(pool->ask(pool->ctx, &ask, square + 2));
	}
	clamp(square + 2, pool->n);
	return ERR_OK;
}

enum err pool_agree(const struct pool *pool, unsigned order, size_t clusters, uint32_t *cells,
		    struct pool_basis *basis)
{
	double spreads[2 * SLICE_POWERS], *square = NULL;
	struct question ask = { .kind = ASK_SPREADS, .parties = pool->parties };
	enum err err;

	if (order > SLICE_ORDER_MAX)
		return err_set(ERR_INPUT, "filter order %u, expected at most %d", order,
			       SLICE_ORDER_MAX);
	*basis = (struct pool_basis){ .order = order };
	ALLOC(square, pool->n + 2);
	err = agree_norms(pool, clusters, cells, basis, square);
	if (err)
		goto out;
	ask.idf = basis->idf;
	ask.square = square + 2;
	err = pool->ask(pool->ctx, &ask, spreads);
	if (err)
		goto out;
	clamp(spreads, 2 * SLICE_POWERS);
	if (!(spreads[0] > 0))
		err = err_set(ERR_INPUT, "all features of all parties are 0: nothing to cluster");
	else if (!order)
		basis->order = psi_gcc(spreads + SLICE_POWERS, spreads[0], pool->n, basis->width,
				       SLICE_ORDER_MAX);
	basis->square = spreads[basis->order];
out:
	free(square);
	return err;
}

enum err pool_products(const struct pool *pool, unsigned order, const struct mat *B, struct mat *Y)
{
	struct mat scaled;
	struct question ask = { .kind = ASK_PRODUCTS, .order = order, .B = &scaled };
	double root = sqrt((double)pool->n);
	enum err err;

	mat_copy(&scaled, B);
	for (size_t i = 0; i < B->rows * B->cols; i++)
		scaled.a[i] *= root;
	mat_init(Y, B->rows, B->cols);
	err = pool->ask(pool->ctx, &ask, Y->a);
	mat_release(&scaled);
	if (err)
		mat_release(Y);
	for (size_t i = 0; !err && i < Y->rows * Y->cols; i++)
		Y->a[i] /= root;
	return err;
}

enum err pool_means(const struct pool *pool, unsigned order, const uint32_t *label, size_t k,
		    struct mat *Y)
{
	struct question ask = { .kind = ASK_MEANS, .order = order, .label = label, .k = k };
	enum err err;

	mat_init(Y, pool->n, k);
	err = pool->ask(pool->ctx, &ask, Y->a);
	if (err)
		mat_release(Y);
	return err;
}

void pool_progress(const struct pool *pool, unsigned step, size_t moved, double objective)
{
	if (pool->progress)
		pool->progress(pool->ctx, step, moved, objective);
}

/* -- slices in memory ------------------------------------------------------------------------ */

static size_t rows(const struct pool_memory *m)
{
	return m->slice->g->adjacency.rows;
}

static enum err ask_memory(void *ctx, const struct question *q, double *x)
{
	struct pool_memory *m = ctx;
	size_t words = question_words(q, rows(m));
	double *term;
	enum err err = slice_answer(m->slice, q, x);

	ALLOC(term, words);
	for (size_t l = 1; !err && l < m->parties; l++) {
		err = slice_answer(&m->slice[l], q, term);
		for (size_t i = 0; !err && i < words; i++)
			x[i] += term[i];
	}
	free(term);
	return err;
}

static enum err cells_memory(void *ctx, unsigned order, size_t clusters, uint32_t *label)
{
	struct pool_memory *m = ctx;
	struct kmeans_params how = m->local;

	how.k = clusters;
	for (size_t l = 0; l < m->parties; l++)
		TRY(slice_cluster(&m->slice[l], order, m->parties, m->dims, &how,
				  label + l * rows(m)));
	return ERR_OK;
}

void pool_in_memory(struct pool *pool, struct pool_memory *m)
{
	*pool = (struct pool){ .n = rows(m),
			       .parties = m->parties,
			       .ctx = m,
			       .ask = ask_memory,
			       .cells = cells_memory };
}
