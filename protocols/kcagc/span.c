#include "protocols/kcagc/span.h"
#include "common/base/alloc.h"
#include "common/cluster/kmeans.h"
#include "common/linalg/la.h"
#include "common/linalg/ortho.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Replaces A by [A D^1/2, Y], where D has the sizes of A's sets. */
static void span_append(struct mat *A, const double *size, const struct mat *Y)
{
	size_t sets = A->cols;

	A->cols = sets + Y->cols;
	A->a = alloc_again(A->a, A->rows, A->cols * sizeof(*A->a));
	for (size_t i = A->rows; i-- > 0;) {
		double *to = ROW(A, i);

		memmove(to, A->a + i * sets, sets * sizeof(*to));
		for (size_t c = 0; c < sets; c++)
			to[c] *= sqrt(size[c]);
		memcpy(to + sets, ROW(Y, i), Y->cols * sizeof(*to));
	}
}

/* Computes W = B' A, with B = [G D^-1/2, F] (G as in span.h). */
static void span_products(const struct mat *A, const uint32_t *set, const double *size,
			  const struct mat *F, struct mat *W)
{
	size_t sets = A->cols - F->cols;
	struct mat M, FA;

	mat_init(&M, sets, A->cols);
	kmeans_centres(A, NULL, set, &M);
	la_mul_tn(F, A, 1, &FA);
	mat_init(W, A->cols, A->cols);
	for (size_t c = 0; c < sets; c++)
		for (size_t j = 0; j < A->cols; j++)
			MAT(W, c, j) = sqrt(size[c]) * MAT(&M, c, j);
	memcpy(ROW(W, sets), FA.a, FA.rows * FA.cols * sizeof(*FA.a));
	mat_release(&FA);
	mat_release(&M);
	ortho_symmetrise(W);
}

enum err span_join(struct mat *Q, const uint32_t *set, struct mat *F, const struct mat *KF,
		   size_t most, struct mat *Z)
{
	double *size = alloc(Q->cols, sizeof(*size));
	struct mat W;
	enum err err;

	for (size_t i = 0; i < Q->rows; i++)
		size[set[i]]++;
	span_append(Q, size, KF);
	span_products(Q, set, size, F, &W);
	free(size);
	mat_release(F);
	err = ortho_whiten_components(Q, &W, most, SPAN_ZERO, Z);
	mat_release(&W);
	mat_release(Q);
	return err;
}
