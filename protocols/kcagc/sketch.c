#include "protocols/kcagc/sketch.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/linalg/la.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static_assert(SKETCH_COLUMNS <= 2 * FILTER_PANEL, "filter_run_hold() takes all columns");

/* Turns random rows to the leading directions by one product with F'F. At SKETCH_ORDER singular
 * values fall fast, so that one product suffices. */
static enum err turn_to_leading(const struct linear_map *F, struct mat *P)
{
	struct mat next;

	TRY(la_orthonormal_rows(P));
	F->square(F->ctx, P, &next);
	mat_release(P);
	*P = next;
	TRY(la_orthonormal_rows(P));
	progress_tick();
	return progress_check();
}

/* x becomes x (I - P'P) for orthonormal rows of P. */
static void sketch_beside(const struct mat *P, double *x)
{
	for (size_t r = 0; r < P->rows; r++) {
		const double *p = ROW(P, r);
		double dot = 0;

		for (size_t j = 0; j < P->cols; j++)
			dot += x[j] * p[j];
		for (size_t j = 0; j < P->cols; j++)
			x[j] -= dot * p[j];
	}
}

enum err sketch_of(struct filtered *features, struct mat *Y)
{
	const struct linear_map *F = &features->map;
	struct mat P, in, rows;
	struct rng rng;
	enum err err;

	rng_seed(&rng, 1, 0);
	mat_init(&P, SKETCH_LEADING, F->cols);
	for (size_t i = 0; i < P.rows * P.cols; i++)
		P.a[i] = rng_unit(&rng) - 0.5;
	filtered_set_order(features, SKETCH_ORDER);
	err = turn_to_leading(F, &P);
	filtered_set_order(features, 1);
	if (err) {
		mat_release(&P);
		return err;
	}
	mat_init(&in, SKETCH_COLUMNS, F->cols);
	memcpy(in.a, P.a, P.rows * P.cols * sizeof(*P.a));
	for (size_t i = P.rows * P.cols; i < in.rows * in.cols; i++)
		in.a[i] = (rng_unit(&rng) < 0.5 ? -1 : 1) / sqrt(SKETCH_RANDOM);
	for (size_t r = P.rows; r < in.rows; r++)
		sketch_beside(&P, ROW(&in, r));
	mat_release(&P);
	F->multiply(F->ctx, &in, &rows);
	mat_release(&in);
	mat_transpose(&rows, Y);
	mat_release(&rows);
	return ERR_OK;
}

void sketch_leading(const struct filter_view *Y, struct mat *part)
{
	for (size_t i = 0; i < Y->n; i++) {
		const double *restrict y = Y->y + i * Y->stride;
		double *restrict x = ROW(part, Y->order[i]), leave = Y->leave[i];

		for (size_t u = 0; u < SKETCH_LEADING; u++)
			x[u] = leave * y[u];
	}
}
