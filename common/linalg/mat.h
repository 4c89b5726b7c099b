/* mat.h -- a dense matrix of doubles. In matrices of data, rows are nodes (points). */
#ifndef COMMON_LINALG_MAT_H
#define COMMON_LINALG_MAT_H

#include <stddef.h>

struct mat {
	size_t rows, cols;
	double *a; /* owned; rows * cols values, row-major */
};

#define ROW(m, i)    ((m)->a + (size_t)(i) * (m)->cols)
#define MAT(m, i, j) ((m)->a[(size_t)(i) * (m)->cols + (size_t)(j)])

void mat_init(struct mat *m, size_t rows, size_t cols); /* zeroed; release before another init */
void mat_copy(struct mat *m, const struct mat *from);   /* m is initialised here */
void mat_transpose(const struct mat *A, struct mat *T); /* T is initialised here */
void mat_release(struct mat *m);

static inline size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* ||x||^2, summed in order. */
static inline double mat_square(const double *x, size_t n)
{
	double sum = 0;

	for (size_t j = 0; j < n; j++)
		sum += x[j] * x[j];
	return sum;
}

double mat_norm(const double *x, size_t n); /* ||x||, summed in order */

/* ||a - b||^2, summed in order. */
static inline double mat_square_between(const double *a, const double *b, size_t n)
{
	double sum = 0;

	for (size_t j = 0; j < n; j++)
		sum += (a[j] - b[j]) * (a[j] - b[j]);
	return sum;
}

#endif
