#include "common/linalg/distance.h"
#include "common/base/alloc.h"
#include "common/linalg/la.h"
#include "common/linalg/simd.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* With few dimensions, few centres, or as many of both as stay in the first cache, the differences
 * themselves are about as fast as dgemm with its packing (bench_kernels); beyond, they fall to half
 * its speed. With more than BESIDE_DIMS there is no copy of the rows. */
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

/* out = in - shift, row by row. */
static void move(const double *in, const double *shift, size_t rows, size_t d, double *out)
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
	move(c, s->shift, s->k, s->d, s->centre);
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
	move(z, s->shift, count, s->d, s->rows);
	la_block_nt(count, s->k, s->d, s->rows, s->centre, D, s->k);
	for (size_t i = 0; i < count; i++) {
		double square = mat_square(s->rows + i * s->d, s->d);

		for (size_t r = 0; r < s->k; r++) {
			double d2 = square - 2 * D[i * s->k + r] + s->square[r];

			D[i * s->k + r] = d2 > 0 ? d2 : 0;
		}
	}
}

void distance_by_centre(struct distance *s, const struct distance_rows *z, size_t first, double *D)
{
	size_t count = distance_count(z->Z->rows, first);

	assert(first % DISTANCE_ROWS == 0 && s->d == z->Z->cols);
	if (z->column && direct(s)) {
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
