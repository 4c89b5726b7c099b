#include "common/linalg/distance.h"
#include "common/base/alloc.h"
#include "common/linalg/la.h"
#include "common/linalg/parallel.h"
#include "common/linalg/simd.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Limits up to which differences are summed directly. For few dimensions, for few centres, or if
 * the centres fit into the first-level cache, a direct sum is as fast as dgemm, which first copies
 * its operands (scripts/bench.d/kernels.sh). Above these limits a direct sum has half the speed of
 * dgemm. Above BESIDE_DIMS dimensions, rows are not copied as columns. */
enum { DIRECT_DIMS = 64, DIRECT_FEW = 16, DIRECT_VALUES = 4096, BESIDE_DIMS = DIRECT_DIMS };

static bool direct(const struct distance *s)
{
	return s->d <= DIRECT_FEW || s->k <= DIRECT_FEW ||
	       (s->d <= DIRECT_DIMS && s->d * s->k <= DIRECT_VALUES);
}

void distance_init(struct distance *s, size_t k, size_t d)
{
	*s = (struct distance){ .k = k, .d = d };
	s->padded = (k + 3) / 4 * 4;
	if (direct(s)) {
		ALLOC(s->across, d * s->padded);
		return;
	}
	ALLOC(s->shift, d);
	ALLOC(s->centre, k * d);
	ALLOC(s->square, k);
	ALLOC(s->rows, DISTANCE_ROWS * d);
}

void distance_release(struct distance *s)
{
	free(s->across);
	free(s->shift);
	free(s->centre);
	free(s->square);
	free(s->rows);
	free(s->D);
	*s = (struct distance){ 0 };
}

static void distance_shift_rows(const double *in, const double *shift, size_t rows, size_t d,
				double *out)
{
	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < d; j++)
			out[i * d + j] = in[i * d + j] - shift[j];
}

void distance_set(struct distance *s, const double *c)
{
	if (direct(s)) {
		for (size_t r = 0; r < s->k; r++)
			for (size_t j = 0; j < s->d; j++)
				s->across[j * s->padded + r] = c[r * s->d + j];
		return;
	}
	memset(s->shift, 0, s->d * sizeof(*s->shift));
	for (size_t r = 0; r < s->k; r++)
		for (size_t j = 0; j < s->d; j++)
			s->shift[j] += c[r * s->d + j] / (double)s->k;
	distance_shift_rows(c, s->shift, s->k, s->d, s->centre);
	for (size_t r = 0; r < s->k; r++)
		s->square[r] = mat_square(s->centre + r * s->d, s->d);
}

static double *columns_of(const struct distance_rows *r, size_t row)
{
	return r->column + row / DISTANCE_ROWS * DISTANCE_STRIDE * r->Z->cols;
}

void distance_rows_init(struct distance_rows *r, const struct mat *Z)
{
	size_t d = Z->cols;

	*r = (struct distance_rows){ .Z = Z };
	if (d > BESIDE_DIMS)
		return;
	ALLOC(r->column, (Z->rows + DISTANCE_ROWS - 1) / DISTANCE_ROWS * DISTANCE_STRIDE * d);
	for (size_t i = 0; i < Z->rows; i++)
		for (size_t j = 0; j < d; j++)
			columns_of(r, i)[j * DISTANCE_STRIDE + i % DISTANCE_ROWS] = MAT(Z, i, j);
}

void distance_rows_release(struct distance_rows *r)
{
	free(r->column);
	*r = (struct distance_rows){ 0 };
}

#define STRIP  strip
#define BLOCK  block_direct
#define BESIDE block_beside
#define VEC    vec2
#define TARGET
#include "common/linalg/distance_block.inc"
#ifdef SIMD_AVX2
#define STRIP  strip_avx2
#define BLOCK  block_direct_avx2
#define BESIDE block_beside_avx2
#define VEC    vec4
#define TARGET __attribute__((target("avx2")))
#include "common/linalg/distance_block.inc"
#endif

void distance_block(struct distance *s, const double *z, size_t count, double *D)
{
	assert(count <= DISTANCE_ROWS);
	if (count == 0 || s->k == 0)
		return;
	if (direct(s)) {
		SIMD_PICK(block_direct)(s, z, count, D);
		return;
	}
	distance_shift_rows(z, s->shift, count, s->d, s->rows);
	la_block_nt(count, s->k, s->d, s->rows, s->centre, D, s->k);
	for (size_t i = 0; i < count; i++) {
		double square = mat_square(s->rows + i * s->d, s->d);

		for (size_t r = 0; r < s->k; r++) {
			double d2 = square - 2 * D[i * s->k + r] + s->square[r];

			D[i * s->k + r] = d2 > 0 ? d2 : 0;
		}
	}
}

bool distance_has_columns(const struct distance *s, const struct distance_rows *z)
{
	return z->column && direct(s);
}

void distance_by_centre(struct distance *s, const struct distance_rows *z, size_t first, double *D)
{
	size_t count = distance_count(z->Z->rows, first);

	assert(first % DISTANCE_ROWS == 0 && s->d == z->Z->cols);
	if (distance_has_columns(s, z)) {
		SIMD_PICK(block_beside)(s, columns_of(z, first), count, D);
		return;
	}
	if (!s->D)
		ALLOC(s->D, DISTANCE_ROWS * s->k);
	distance_block(s, ROW(z->Z, first), count, s->D);
	for (size_t r = 0; r < s->k; r++)
		for (size_t i = 0; i < count; i++)
			D[r * DISTANCE_STRIDE + i] = s->D[i * s->k + r];
}

void distance_columns(struct distance *s, const double *column, size_t count, double *D)
{
	assert(direct(s) && count <= DISTANCE_ROWS);
	SIMD_PICK(block_beside)(s, column, count, D);
}

/* -- the Gaussian kernel -------------------------------------------------------------------- */

static size_t distance_blocks_of(size_t n)
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

			row[j] = d2 < 0 ? 0 : d2; /* keeps NaN */
		}
	}
}

void kernel_of_distances(double *D, size_t n, double r)
{
	double scale = -1 / (2 * r * r);

	for (size_t i = 0; i < n; i++)
		D[i] = exp(scale * D[i]);
}

struct filling {
	const struct mat *A, *B;
	double *sa, *sb;
	double r;
	struct mat *K;
};

static void distance_fill_block(void *ctx, unsigned worker, size_t block)
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
	parallel(threads, distance_blocks_of(A->rows), distance_fill_block, &f);
	for (size_t i = 0; A == B && i < A->rows; i++) {
		MAT(K, i, i) = 1;
		for (size_t j = 0; j < i; j++)
			MAT(K, j, i) = MAT(K, i, j);
	}
	free(f.sb);
	free(f.sa);
}

struct measuring {
	struct mat X;
	double *square;
	double *part;  /* a partial sum per block of rows */
	double **room; /* per worker: KERNEL_ROWS x n */
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
		D[a * n + i + a] = 0; /* distance of a row to itself, exact despite rounding */
		for (size_t b = 0; b < n; b++)
			sum += sqrt(D[a * n + b]);
	}
	m->part[block] = sum;
}

double kernel_mean_distance(const struct mat *X, unsigned threads)
{
	size_t n = min_size(X->rows, KERNEL_SAMPLE), blocks = distance_blocks_of(n);
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
