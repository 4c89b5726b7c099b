/* slices.h -- A party's columns of a small matrix, and questions about them. */
#ifndef TESTS_UNIT_KCAGC_SLICES_H
#define TESTS_UNIT_KCAGC_SLICES_H

#include "tests/unit/graph/data.h"
#include "protocols/kcagc/sums.h"

#include <math.h>

enum { ROWS = 40, COLS = 23 };

static inline void ask(struct slice *s, const struct question *q, double *x)
{
	/* The answer must overwrite all of x. */
	memset(x, 0x7f, question_words(q, s->g->adjacency.rows) * sizeof(*x));
	assert_ok(slice_answer(s, q, x));
}

/* Asks the slice for two facts: 0 if its columns are words, otherwise 1; and the number of columns
 * that vary, at least 1. square gets the squared norms of the slice's rows. Without idf a slice of
 * words needs a second question for the norms. */
static inline void begin(struct slice *s, bool idf, double *facts, double *square)
{
	double x[2 + ROWS];

	ask(s, &(struct question){ .kind = ASK_FACTS }, x);
	memcpy(facts, x, 2 * sizeof(*facts));
	memcpy(square, x + 2, ROWS * sizeof(*square));
	if (!idf && x[0] == 0)
		ask(s, &(struct question){ .kind = ASK_NORMS }, square);
}

/* Scales each party's columns of X, as deal_columns() deals them, to a mean square of 1 over its
 * non-zeros. A slice does the same itself. */
static inline void even_out(struct csr *X, size_t parties)
{
	double square[8] = { 0 }, count[8] = { 0 };

	csr_write_ones(X);
	for (size_t e = 0; e < X->start[X->rows]; e++) {
		square[X->index[e] % parties] += X->value[e] * X->value[e];
		count[X->index[e] % parties] += X->value[e] != 0;
	}
	for (size_t e = 0; e < X->start[X->rows]; e++)
		X->value[e] /= sqrt(square[X->index[e] % parties] / count[X->index[e] % parties]);
}

static inline void make(struct slice *s, const struct csr *X, bool dense, const struct graph *g,
			unsigned threads)
{
	struct features part;

	deal_columns(X, 1, dense, &part);
	assert_ok(slice_init(s, &part, g, threads));
	assert_null(part.sparse.start);
	assert_null(part.dense.a);
}

#endif
