#include "protocols/kcagc/columns.h"
#include "common/base/alloc.h"

#include <stdlib.h>

static void take_dense(struct features *X, struct mat *Z)
{
	if (X->is_sparse) {
		csr_to_dense(&X->sparse, Z);
	} else {
		*Z = X->dense;
		X->dense = (struct mat){ 0 };
	}
	features_release(X);
}

/* Gives each column mean 0 and keeps its unit, which changes no distance. The integers of a secure
 * sum are scaled for the longest row, so a common offset would use up their digits. Means are
 * computed as differences from the first row, so that a constant column becomes exactly 0. */
static void centre(struct mat *Z, struct standard_by *by)
{
	double *shift = alloc(Z->cols, sizeof(*shift));

	for (size_t i = 1; i < Z->rows; i++)
		for (size_t j = 0; j < Z->cols; j++)
			shift[j] += (MAT(Z, i, j) - MAT(Z, 0, j)) / (double)Z->rows;
	for (size_t j = 0; j < Z->cols; j++)
		shift[j] += MAT(Z, 0, j);
	for (size_t i = 0; i < Z->rows; i++)
		for (size_t j = 0; j < Z->cols; j++)
			MAT(Z, i, j) -= shift[j];
	if (by) {
		ALLOC(by->unit, Z->cols);
		for (size_t j = 0; j < Z->cols; j++)
			by->unit[j] = 1;
		by->shift = shift;
	} else {
		free(shift);
	}
}

enum err columns_points(struct features *X, bool standardize, const struct columns *names,
			struct mat *Z, struct standard_by *by)
{
	bool *unscaled = standard_unscaled(X, names);
	enum err e = ERR_OK;

	take_dense(X, Z);
	if (Z->rows == 0 || Z->cols == 0)
		e = err_set(ERR_INPUT, "features are %zu x %zu: nothing to cluster", Z->rows,
			    Z->cols);
	else if (standardize)
		e = standard_own(Z, unscaled, names, true, by);
	else
		centre(Z, by);
	if (e)
		mat_release(Z);
	if (e && by)
		standard_by_release(by);
	free(unscaled);
	return e;
}

void columns_again(struct features *X, const struct standard_by *by, struct mat *Z)
{
	size_t to = 0, kept = 0;

	take_dense(X, Z);
	for (size_t j = 0; j < Z->cols; j++)
		kept += by->unit[j] != 0;
	for (size_t i = 0; i < Z->rows; i++)
		for (size_t j = 0; j < Z->cols; j++)
			if (by->unit[j] != 0)
				Z->a[to++] = (MAT(Z, i, j) - by->shift[j]) / by->unit[j];
	Z->cols = kept;
}
