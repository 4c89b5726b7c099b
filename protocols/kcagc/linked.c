#include "protocols/kcagc/linked.h"
#include "common/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Number of columns that each rank holds as dense numbers of all rows at the same time. */
enum { TOGETHER = 16 };
static const double LINKED_ERRORS = 2;

struct facts {
	const struct column *column;
	/* One entry per column: its place among the columns held, or TOGETHER. */
	const size_t *place;
	/* Rows x TOGETHER: difference between a number and the column's mean. */
	double *x;
};

static void take_fact(void *ctx, size_t row, size_t column, double *value)
{
	const struct facts *f = ctx;

	if (f->place[column] < TOGETHER)
		f->x[row * TOGETHER + f->place[column]] = *value - f->column[column].mean;
}

/* Computes product (TOGETHER): over all edges, from both ends, the sum of the products of the two
 * rows' differences. */
static void sum_linked(struct slice *s, const double *own, const double *all, double *product)
{
	const struct csr *near = &s->g->adjacency;
	struct rowsum sum;

	ranks_sum_begin(s->g->ranks, &sum, TOGETHER, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(near->rows); b++) {
		size_t first = b * ROWSUM_ROWS, end = first + rowsum_rows(near->rows, b);
		double *to = rowsum_open(&sum);

		for (size_t e = near->start[first], i = first; i < end; i++)
			for (; e < near->start[i + 1]; e++)
				for (size_t c = 0; c < TOGETHER; c++)
					to[c] += own[i * TOGETHER + c] *
						 all[near->index[e] * (size_t)TOGETHER + c];
		rowsum_close(&sum);
	}
	ranks_sum_end(s->g->ranks, &sum, product);
}

/* Returns whether a column's values do not predict the neighbours' values. product: the mean, over
 * edges, of the product of both rows' deviations from the column's mean. Returns false for a column
 * that does not vary. */
static bool is_unlinked(double product, double variance, double edges)
{
	return variance > 0 && product <= LINKED_ERRORS / sqrt(edges) * variance;
}

/* Assigns a place (0, 1, ...) to each of the next foreign columns, from *next on, at most TOGETHER.
 * place[j] of all other columns is TOGETHER. Advances *next. Returns the number of places. */
static size_t place_some(const struct seen *seen, size_t m, size_t *next, size_t *place)
{
	size_t count = 0;

	for (size_t j = 0; j < m; j++)
		place[j] = TOGETHER;
	for (; *next < m && count < TOGETHER; ++*next)
		if (seen_is_foreign(seen, *next))
			place[*next] = count++;
	return count;
}

void linked_see(struct slice *s, struct seen *seen)
{
	size_t m = features_cols(&s->X), rows = features_rows(&s->X), next = 0, n, *place;
	double ends = (double)graph_neighbours(s->g), *x;

	if (!seen->foreign || ends < 2 * LINKED_LEAST || rows != s->g->adjacency.rows)
		return; /* if rows are not the graph's nodes, callers refuse them later */
	ALLOC(place, m);
	ALLOC(seen->unlinked, m);
	x = alloc(rows, TOGETHER * sizeof(*x));
	while (place_some(seen, m, &next, place)) {
		struct facts facts = { seen->column, place, x };
		double product[TOGETHER], *all;

		memset(x, 0, rows * TOGETHER * sizeof(*x));
		features_each(&s->X, take_fact, &facts);
		all = ranks_gather(s->g->ranks, TOGETHER * sizeof(*x), x, rows, &n);
		sum_linked(s, x, all, product);
		free(all);
		for (size_t j = 0; j < m; j++)
			if (place[j] < TOGETHER)
				seen->unlinked[j] =
				    is_unlinked(product[place[j]] / ends,
						seen->column[j].apart / (double)seen->n, ends / 2);
	}
	free(x);
	free(place);
}
