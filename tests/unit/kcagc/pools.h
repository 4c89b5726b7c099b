/* pools.h -- pools in memory that tests look into: slices of dealt columns, sums rounded as fixed
 * point does, questions counted, answers replaced. */
#ifndef TESTS_UNIT_KCAGC_POOLS_H
#define TESTS_UNIT_KCAGC_POOLS_H

#include "tests/unit/graph/data.h"
#include "common/kcagc/pool.h"

struct lab {
	struct pool pool, below; /* below: the slices' own */
	struct pool_memory memory;
	struct slice slice[16];
	size_t L;
	bool fixed;             /* each answer in 2^-24 steps, as a sum of fixed point is */
	size_t asked, words;    /* questions, and numbers that answered them */
	const double *quality;  /* two numbers in place of the parties' answer, or NULL */
	const uint32_t *cells;  /* parties x n local clusters in place of their own, or NULL */
};

static enum err lab_ask(void *ctx, const struct question *q, double *x)
{
	struct lab *lab = ctx;
	size_t words = question_words(q, lab->pool.n);

	lab->asked++;
	lab->words += words;
	TRY(lab->below.ask(lab->below.ctx, q, x));
	for (size_t i = 0; lab->fixed && i < words; i++)
		x[i] = nearbyint(x[i] * 0x1p24) * 0x1p-24;
	if (q->kind == ASK_QUALITY && lab->quality)
		memcpy(x, lab->quality, 2 * sizeof(*x));
	return ERR_OK;
}

static enum err lab_cells(void *ctx, unsigned order, size_t clusters, uint32_t *label)
{
	struct lab *lab = ctx;

	if (!lab->cells)
		return lab->below.cells(lab->below.ctx, order, clusters, label);
	memcpy(label, lab->cells, lab->pool.parties * lab->pool.n * sizeof(*label));
	return ERR_OK;
}

/* X, which stays, over L parties. */
static void lab_init(struct lab *lab, const struct csr *X, const struct graph *g, size_t L,
		     unsigned threads)
{
	struct features part[16];

	*lab = (struct lab){ .L = L };
	deal_columns(X, L, false, part);
	for (size_t l = 0; l < L; l++)
		assert_ok(slice_init(&lab->slice[l], &part[l], g, threads));
	lab->memory = (struct pool_memory){ .slice = lab->slice, .parties = L };
	pool_in_memory(&lab->below, &lab->memory);
	lab->pool = lab->below;
	lab->pool.ctx = lab;
	lab->pool.ask = lab_ask;
	lab->pool.cells = lab_cells;
}

static void lab_release(struct lab *lab)
{
	for (size_t l = 0; l < lab->L; l++)
		slice_release(&lab->slice[l]);
}

#endif
