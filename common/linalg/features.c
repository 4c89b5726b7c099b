#include "common/linalg/features.h"

void features_release(struct features *X)
{
	csr_release(&X->sparse);
	mat_release(&X->dense);
	*X = (struct features){ 0 };
}

size_t features_rows(const struct features *X)
{
	return X->is_sparse ? X->sparse.rows : X->dense.rows;
}

size_t features_cols(const struct features *X)
{
	return X->is_sparse ? X->sparse.cols : X->dense.cols;
}
