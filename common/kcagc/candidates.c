#include "common/kcagc/candidates.h"
#include "common/base/alloc.h"
#include "common/kcagc/embed.h"
#include "common/linalg/la.h"
#include "common/linalg/ortho.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row this much shorter than the mean is a zero row to rounding, as in embed.c. */
static const double ROW_ZERO = 1e-12;

/* As of the landmarks' Gram matrix: what is below this share of the largest is rounding. */
static const double SPAN_ZERO = 1e-8;

/* Rows of Z over the square root of size_i (n, relative to their mean). */
static void scale_rows(const struct mat *Z, const double *size, struct mat *V)
{
	double mean = 0;

	mat_copy(V, Z);
	for (size_t i = 0; i < Z->rows; i++)
		mean += fabs(size[i]) / (double)Z->rows;
	for (size_t i = 0; i < Z->rows; i++) {
		double factor = size[i] > ROW_ZERO * mean ? 1 / sqrt(size[i] / mean) : 0;

		for (size_t j = 0; j < Z->cols; j++)
			MAT(V, i, j) *= factor;
	}
}

void candidate_scaled(const struct mat *Z, struct mat *V)
{
	double *length = alloc(Z->rows, sizeof(*length));

	embed_norms(Z, length);
	scale_rows(Z, length, V);
	free(length);
}

/* weight = Phi Phi' 1 */
static void weights(const struct mat *Phi, double *weight)
{
	double *sum = alloc(Phi->cols, sizeof(*sum));

	for (size_t i = 0; i < Phi->rows; i++)
		for (size_t j = 0; j < Phi->cols; j++)
			sum[j] += MAT(Phi, i, j);
	for (size_t i = 0; i < Phi->rows; i++)
		for (size_t j = 0; j < Phi->cols; j++)
			weight[i] += MAT(Phi, i, j) * sum[j];
	free(sum);
}

/* The first vector is along the weights' roots: it parts nothing. */
static void drop_first(struct mat *V)
{
	size_t cols = V->cols - 1;

	for (size_t i = 0; i < V->rows; i++)
		memmove(V->a + i * cols, ROW(V, i) + 1, cols * sizeof(*V->a));
	V->cols = cols;
}

enum err candidate_cut(const struct mat *Phi, size_t k, struct mat *V)
{
	double *weight = alloc(Phi->rows, sizeof(*weight));
	struct mat B, G;
	enum err err;

	weights(Phi, weight);
	scale_rows(Phi, weight, &B);
	free(weight);
	la_gram_columns(&B, 1, &G);
	err = ortho_whiten(&B, &G, k + 1, SPAN_ZERO, V);
	mat_release(&G);
	mat_release(&B);
	if (!err && V->cols > 1)
		drop_first(V);
	return err;
}

enum candidate candidate_best(const double modularity[static CANDIDATES],
			      const double margin[static CANDIDATES])
{
	enum candidate best = CANDIDATE_PLAIN;

	for (enum candidate c = CANDIDATE_SCALED; c < CANDIDATES; c++)
		if (modularity[c] > modularity[best] + margin[c])
			best = c;
	return best;
}
