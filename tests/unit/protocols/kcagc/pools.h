/* pools.h -- Parties in memory for tests: slices of dealt columns, fixed-point sums, counted
 * questions, and answers that a test may replace. */
#ifndef TESTS_UNIT_KCAGC_POOLS_H
#define TESTS_UNIT_KCAGC_POOLS_H

#include "tests/unit/graph/data.h"
#include "protocols/kcagc/sums.h"

struct lab {
	struct parties parties, below; /* `parties` passes its questions to `below`, the slices */
	struct memory memory;
	struct slice slice[16];
	size_t n, L;
	bool fixed;            /* rounds sums, not terms, to steps of 2^-24 */
	size_t asked, words;   /* numbers of questions and of words in the answers */
	const double *quality; /* two numbers that replace the answer to ASK_QUALITY, or NULL */
	const uint32_t *cells; /* parties x n local clusters that replace their own, or NULL */
};

static enum err lab_sum(void *ctx, const void *question, enum parties_how how, double most,
			double *x, size_t n)
{
	const struct question *q = question;
	struct lab *lab = ctx;

	(void)how;
	(void)most;
	lab->asked++;
	lab->words += n;
	TRY(parties_sum(&lab->below, question, x, n));
	for (size_t i = 0; lab->fixed && i < n; i++)
		x[i] = nearbyint(x[i] * 0x1p24) * 0x1p-24;
	if (q->kind == ASK_QUALITY && lab->quality)
		memcpy(x, lab->quality, 2 * sizeof(*x));
	return ERR_OK;
}

static enum err lab_labels(void *ctx, const void *question, size_t values, uint32_t *label,
			   size_t n)
{
	struct lab *lab = ctx;

	if (!lab->cells)
		return parties_collect_labels(&lab->below, question, values, label, n);
	memcpy(label, lab->cells, lab->parties.count * n * sizeof(*label));
	return ERR_OK;
}

static const struct parties_backend lab_backend = { .sum = lab_sum, .collect_labels = lab_labels };

/* Deals the columns of X to L parties. X is not changed. */
static void lab_init(struct lab *lab, const struct csr *X, const struct graph *g, size_t L,
		     unsigned threads)
{
	struct features part[16];

	*lab = (struct lab){ .n = X->rows, .L = L };
	deal_columns(X, L, false, part);
	for (size_t l = 0; l < L; l++)
		assert_ok(slice_init(&lab->slice[l], &part[l], g, threads));
	lab->memory = (struct memory){ .kind = &slices_in_memory, .party = lab->slice, .count = L };
	parties_in_memory(&lab->below, &lab->memory);
	lab->parties = (struct parties){ .count = L, .backend = &lab_backend, .ctx = lab };
}

static void lab_release(struct lab *lab)
{
	for (size_t l = 0; l < lab->L; l++)
		slice_release(&lab->slice[l]);
}

#endif
