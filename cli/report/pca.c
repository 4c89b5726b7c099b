#include "cli/report/pca.h"
#include "common/base/alloc.h"
#include "common/linalg/svd.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* If all deviations of a column are at most this fraction of its mean, the column counts as
 * constant. Such deviations are rounding errors, and the picture would show noise. */
static const double CONSTANT = 1e-13;

enum err pca_plane(const struct mat *X, unsigned threads, struct mat *Y, double share[static 2])
{
	double *mean = alloc(X->cols, sizeof(*mean)), *spread = alloc(X->cols, sizeof(*spread));
	struct mat C, U = { 0 };
	/* `sigma`: singular values of the two directions. `whole`: sum of all squared
	 * deviations. */
	double sigma[2] = { 0 }, whole = 0;
	size_t d = X->rows < 2 || X->cols < 2 ? 1 : 2;
	enum err err;

	assert(X->rows > 0 && X->cols > 0);
	for (size_t i = 0; i < X->rows; i++)
		for (size_t j = 0; j < X->cols; j++)
			mean[j] += MAT(X, i, j) / (double)X->rows;
	mat_init(&C, X->rows, X->cols);
	for (size_t i = 0; i < X->rows; i++)
		for (size_t j = 0; j < X->cols; j++) {
			MAT(&C, i, j) = MAT(X, i, j) - mean[j];
			spread[j] = fmax(spread[j], fabs(MAT(&C, i, j)));
		}
	for (size_t i = 0; i < X->rows; i++)
		for (size_t j = 0; j < X->cols; j++) {
			if (spread[j] <= CONSTANT * fabs(mean[j]))
				MAT(&C, i, j) = 0;
			whole += MAT(&C, i, j) * MAT(&C, i, j);
		}
	free(spread);
	free(mean);
	err = svd_left(&C, d, threads, &U, sigma, NULL);
	mat_release(&C);
	if (err)
		return err;
	mat_init(Y, X->rows, 2);
	for (size_t j = 0; j < 2; j++) {
		share[j] = whole > 0 ? sigma[j] * sigma[j] / whole : 0;
		for (size_t i = 0; j < d && i < Y->rows; i++)
			MAT(Y, i, j) = MAT(&U, i, j) * sigma[j];
	}
	mat_release(&U);
	return ERR_OK;
}
