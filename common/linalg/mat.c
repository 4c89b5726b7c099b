#include "common/linalg/mat.h"
#include "common/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRIPE = 64 };

void mat_init(struct mat *m, size_t rows, size_t cols)
{
	*m = (struct mat){ .rows = rows, .cols = cols };
	m->a = alloc(rows, cols * sizeof(*m->a));
}

void mat_copy(struct mat *m, const struct mat *from)
{
	mat_init(m, from->rows, from->cols);
	memcpy(m->a, from->a, m->rows * m->cols * sizeof(*m->a));
}

void mat_transpose(const struct mat *A, struct mat *T)
{
	mat_init(T, A->cols, A->rows);
	for (size_t top = 0; top < A->rows; top += STRIPE)
		for (size_t left = 0; left < A->cols; left += STRIPE)
			for (size_t i = top; i < min_size(top + STRIPE, A->rows); i++)
				for (size_t j = left; j < min_size(left + STRIPE, A->cols); j++)
					MAT(T, j, i) = MAT(A, i, j);
}

void mat_release(struct mat *m)
{
	free(m->a);
	*m = (struct mat){ 0 };
}

double mat_norm(const double *x, size_t n)
{
	return sqrt(mat_square(x, n));
}
