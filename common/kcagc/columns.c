#include "common/kcagc/columns.h"
#include "common/data/standard.h"

#include <stdlib.h>

enum err columns_points(struct features *X, bool standardize, const struct columns *names,
			struct mat *Z)
{
	bool *apart = standard_apart(X, names);
	enum err e = ERR_OK;

	if (X->is_sparse) {
		csr_to_dense(&X->sparse, Z);
	} else {
		*Z = X->dense;
		X->dense = (struct mat){ 0 };
	}
	features_release(X);
	if (Z->rows == 0 || Z->cols == 0)
		e = err_set(ERR_INPUT, "features are %zu x %zu: nothing to cluster", Z->rows,
			    Z->cols);
	else if (standardize)
		e = standard_own(Z, apart, names, true, NULL);
	if (e)
		mat_release(Z);
	free(apart);
	return e;
}
