/* Degrees as a column of a slice, over all ranks. */
#include "common/base/alloc.h"
#include "protocols/kcagc/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void join_most(void *ctx, double *into, double *from)
{
	(void)ctx;
	*into = fmax(*into, *from);
}

static double over_rows(const struct slice *s, const double *z, unsigned power, rowsum_join *join)
{
	size_t rows = s->g->adjacency.rows;
	struct rowsum sum;
	double total;

	ranks_sum_begin(s->g->ranks, &sum, 1, join, NULL);
	for (size_t b = 0; b < rowsum_blocks(rows); b++) {
		size_t first = b * ROWSUM_ROWS, end = first + rowsum_rows(rows, b);
		double *to = rowsum_open(&sum);

		for (size_t i = first; i < end; i++) {
			double x = power == 2 ? z[i] * z[i] : z[i];

			*to = join ? fmax(*to, x) : *to + x;
		}
		rowsum_close(&sum);
	}
	ranks_sum_end(s->g->ranks, &sum, &total);
	return total;
}

/* Computes z, the column of degrees.h, for the rows of this process. Returns degrees_scale() over
 * all rows. */
static double find_column(const struct slice *s, double *z)
{
	size_t rows = s->g->adjacency.rows;
	double n = (double)ranks_n(s->g->ranks, rows), mean, square;

	for (size_t i = 0; i < rows; i++)
		z[i] = degrees_logarithm(s->g, i);
	mean = over_rows(s, z, 1, NULL) / n;
	for (size_t i = 0; i < rows; i++)
		z[i] -= mean;
	square = over_rows(s, z, 2, NULL) / n;
	degrees_divide(z, rows, square);
	return degrees_scale(over_rows(s, z, 2, join_most));
}

enum err slice_degrees_scale(const struct slice *s, double *scale)
{
	double *z = alloc(s->g->adjacency.rows, sizeof(*z));

	*scale = find_column(s, z);
	free(z);
	if (s->degrees == DEGREES_ALONE && *scale == 1)
		return err_set(ERR_INPUT,
			       "all %zu nodes of the graph have the same degree, and only degrees "
			       "count: nothing to cluster",
			       ranks_n(s->g->ranks, s->g->adjacency.rows));
	return ERR_OK;
}

/* Multiplies F by scale and appends a column. Moves the rows in place, the last one first. */
static void widen(struct mat *F, double scale, const double *column)
{
	size_t m = F->cols;

	F->cols = m + 1;
	F->a = alloc_again(F->a, F->rows, F->cols * sizeof(*F->a));
	for (size_t i = F->rows; i-- > 0;) {
		double *to = ROW(F, i);

		memmove(to, F->a + i * m, m * sizeof(*to));
		for (size_t j = 0; j < m; j++)
			to[j] *= scale;
		to[m] = column[i];
	}
}

/* The factor degrees_scale() suffices, because the weight w of slice.h is at most c_p^2 / n <= 1,
 * and rows of T^p X have length at most 1. */
void slice_put_degrees(struct slice *s)
{
	size_t rows = s->g->adjacency.rows;
	double n = (double)ranks_n(s->g->ranks, rows), *z = alloc(rows, sizeof(*z)), scale;
	double share = s->degrees == DEGREES_BESIDE ? DEGREES_SHARE : 1;
	double weight = sqrt(share * s->spread[s->order] / n);

	scale = find_column(s, z);
	for (size_t i = 0; i < rows; i++)
		z[i] *= scale * weight;
	if (s->wide) {
		wide_put(s->wide, scale, z);
		return;
	}
	widen(&s->filtered, scale, z);
	free(z);
}
