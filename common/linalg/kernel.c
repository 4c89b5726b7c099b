#include "common/linalg/kernel.h"
#include "common/base/alloc.h"
#include "common/linalg/la.h"
#include "common/linalg/parallel.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t blocks_of(size_t n)
{
	return (n + KERNEL_ROWS - 1) / KERNEL_ROWS;
}

void kernel_squares(const struct mat *A, double *square)
{
	for (size_t i = 0; i < A->rows; i++)
		square[i] = mat_square(ROW(A, i), A->cols);
}

void kernel_distances(const double *a, const double *sa, size_t count, const struct mat *B,
		      const double *sb, double *D)
{
	la_block_nt(count, B->rows, B->cols, a, B->a, D, B->rows);
	for (size_t i = 0; i < count; i++) {
		double *row = D + i * B->rows;

		for (size_t j = 0; j < B->rows; j++) {
			double d2 = sa[i] - 2 * row[j] + sb[j];

			row[j] = d2 < 0 ? 0 : d2; /* NaN stays */
		}
	}
}

void kernel_of_distances(double *D, size_t n, double r)
{
	double scale = -1 / (2 * r * r);

	for (size_t i = 0; i < n; i++)
		D[i] = exp(scale * D[i]);
}

/* -- whole kernels --------------------------------------------------------------------------- */

struct filling {
	const struct mat *A, *B;
	double *sa, *sb;
	double r;
	struct mat *K;
};

static void fill_block(void *ctx, unsigned worker, size_t block)
{
	const struct filling *f = ctx;
	size_t i = block * KERNEL_ROWS, rows = min_size(KERNEL_ROWS, f->A->rows - i);

	(void)worker;
	kernel_distances(ROW(f->A, i), f->sa + i, rows, f->B, f->sb, ROW(f->K, i));
	kernel_of_distances(ROW(f->K, i), rows * f->B->rows, f->r);
}

void kernel_gaussian(const struct mat *A, const struct mat *B, double r, unsigned threads,
		     struct mat *K)
{
	struct filling f = { .A = A, .B = B, .r = r, .K = K };

	assert(A->cols == B->cols && r > 0);
	mat_init(K, A->rows, B->rows);
	ALLOC(f.sa, A->rows);
	ALLOC(f.sb, B->rows);
	kernel_squares(A, f.sa);
	kernel_squares(B, f.sb);
	parallel(threads, blocks_of(A->rows), fill_block, &f);
	for (size_t i = 0; A == B && i < A->rows; i++) {
		MAT(K, i, i) = 1;
		for (size_t j = 0; j < i; j++)
			MAT(K, j, i) = MAT(K, i, j);
	}
	free(f.sb);
	free(f.sa);
}

/* -- the mean distance ----------------------------------------------------------------------- */

struct measuring {
	struct mat X; /* or a sample of it */
	double *square;
	double *part;  /* of each block of rows */
	double **room; /* of each worker: KERNEL_ROWS x n */
};

static void measure_block(void *ctx, unsigned worker, size_t block)
{
	struct measuring *m = ctx;
	size_t n = m->X.rows, i = block * KERNEL_ROWS, rows = min_size(KERNEL_ROWS, n - i);
	double *D, sum = 0;

	if (!m->room[worker])
		ALLOC(m->room[worker], KERNEL_ROWS * n);
	D = m->room[worker];
	kernel_distances(ROW(&m->X, i), m->square + i, rows, &m->X, m->square, D);
	for (size_t a = 0; a < rows; a++) {
		D[a * n + i + a] = 0; /* of a row to itself, whatever was rounded */
		for (size_t b = 0; b < n; b++)
			sum += sqrt(D[a * n + b]);
	}
	m->part[block] = sum;
}

double kernel_mean_distance(const struct mat *X, unsigned threads)
{
	size_t n = min_size(X->rows, KERNEL_SAMPLE), blocks = blocks_of(n);
	struct measuring m = { 0 };
	double sum = 0;

	assert(n > 0);
	mat_init(&m.X, n, X->cols);
	for (size_t i = 0; i < n; i++)
		memcpy(ROW(&m.X, i), ROW(X, i * X->rows / n), X->cols * sizeof(double));
	ALLOC(m.square, n);
	ALLOC(m.part, blocks);
	ALLOC(m.room, PARALLEL_MAX);
	kernel_squares(&m.X, m.square);
	parallel(threads, blocks, measure_block, &m);
	for (size_t b = 0; b < blocks; b++)
		sum += m.part[b];
	for (size_t w = 0; w < PARALLEL_MAX; w++)
		free(m.room[w]);
	free(m.room);
	free(m.part);
	free(m.square);
	mat_release(&m.X);
	return sum / ((double)n * (double)n);
}
