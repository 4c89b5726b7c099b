/* diagonal.h -- diagonal matrices as linear maps: matrices whose singular vectors are known. */
#ifndef TESTS_UNIT_LINALG_DIAGONAL_H
#define TESTS_UNIT_LINALG_DIAGONAL_H

#include "tests/unit/linalg/sample.h"
#include "common/linalg/krylov.h"

/* A diagonal matrix, rows x cols: its singular values are sigma, its vectors unit vectors. */
struct diagonal {
	struct linear_map map;
	double *sigma;
	unsigned products;
};

static inline void diagonal_multiply(void *ctx, const struct mat *in, struct mat *out)
{
	const struct diagonal *a = ctx;

	mat_init(out, in->rows, a->map.rows);
	for (size_t i = 0; i < in->rows; i++)
		for (size_t j = 0; j < in->cols && j < a->map.rows; j++)
			MAT(out, i, j) = a->sigma[j] * MAT(in, i, j);
}

static inline void diagonal_square(void *ctx, const struct mat *in, struct mat *out)
{
	struct diagonal *a = ctx;

	a->products++;
	mat_init(out, in->rows, in->cols);
	for (size_t i = 0; i < in->rows; i++)
		for (size_t j = 0; j < in->cols && j < a->map.rows; j++)
			MAT(out, i, j) = a->sigma[j] * a->sigma[j] * MAT(in, i, j);
}

static inline void diagonal_init(struct diagonal *a, size_t rows, size_t cols)
{
	*a = (struct diagonal){ .map = { .rows = rows,
					 .cols = cols,
					 .ctx = a,
					 .multiply = diagonal_multiply,
					 .square = diagonal_square } };
	ALLOC(a->sigma, cols);
}

static inline void assert_orthonormal(const struct mat *P)
{
	for (size_t i = 0; i < P->rows; i++)
		for (size_t j = 0; j <= i; j++) {
			double inner = 0;

			for (size_t c = 0; c < P->cols; c++)
				inner += MAT(P, i, c) * MAT(P, j, c);
			assert_near(inner, i == j, 1e-12);
		}
}

/* What of unit rows lies outside the first `inside` coordinates. */
static inline double outside(const struct mat *P, size_t inside)
{
	double sum = 0;

	for (size_t i = 0; i < P->rows; i++)
		for (size_t j = inside; j < P->cols; j++)
			sum += MAT(P, i, j) * MAT(P, i, j);
	return sqrt(sum);
}

#endif
