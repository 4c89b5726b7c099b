#include "common/linalg/thin.h"
#include "common/base/alloc.h"
#include "common/linalg/parallel.h"
#include "common/linalg/simd.h"

#include <stdlib.h>
#include <string.h>

/* THIN_VECTORS: side by side, a cache line. PART_ROWS: rows of a part; squares have at most SQUARES
 * parts, each with a sum of its own, so of more rows. */
enum { THIN_VECTORS = SIMD_LINE, PART_ROWS = 256, SQUARES = 16 };

typedef void thin_rows(const double *a, size_t m, size_t rows, const double *in, double *out);

#define DOTS    thin_dots
#define ADD     thin_add
#define PRODUCT thin_product_rows
#define SQUARE  thin_square_rows
#define VEC     vec2
#define ROWS    2
#define TARGET
#include "common/linalg/thin_rows.inc"
#ifdef SIMD_AVX2
#define DOTS    thin_dots_avx2
#define ADD     thin_add_avx2
#define PRODUCT thin_product_rows_avx2
#define SQUARE  thin_square_rows_avx2
#define VEC     vec4
#define ROWS    4
#define TARGET  __attribute__((target("avx2")))
#include "common/linalg/thin_rows.inc"
#define DOTS    thin_dots_avx512
#define ADD     thin_add_avx512
#define PRODUCT thin_product_rows_avx512
#define SQUARE  thin_square_rows_avx512
#define VEC     vec8
#define ROWS    8
#define TARGET  __attribute__((target("avx512f")))
#include "common/linalg/thin_rows.inc"
#endif

/* Vectors lie in groups of THIN_VECTORS: group, entry, vector of the group. */
struct thin {
	const struct mat *A;
	size_t groups, part, parts; /* rows of a part */
	double *owned, *in;         /* groups x cols x THIN_VECTORS */
	double *sum;                /* of a square: the same for each part */
	struct mat *out;            /* of a product */
	thin_rows *rows;
};

static size_t thin_size(const struct thin *t)
{
	return t->A->cols * THIN_VECTORS;
}

static void thin_begin(struct thin *t, const struct mat *in, size_t part)
{
	t->groups = (in->rows + THIN_VECTORS - 1) / THIN_VECTORS;
	t->part = part < PART_ROWS ? PART_ROWS : part;
	t->parts = (t->A->rows + t->part - 1) / t->part;
	t->owned = alloc(t->groups * thin_size(t) + SIMD_LINE, sizeof(*t->owned));
	t->in = simd_line(t->owned);
	for (size_t v = 0; v < in->rows; v++) {
		double *to = t->in + v / THIN_VECTORS * thin_size(t) + v % THIN_VECTORS;

		for (size_t j = 0; j < in->cols; j++)
			to[j * THIN_VECTORS] = MAT(in, v, j);
	}
}

static void product_part(void *ctx, unsigned worker, size_t number)
{
	const struct thin *t = ctx;
	size_t first = number * t->part, rows = min_size(t->part, t->A->rows - first);
	double made[PART_ROWS * THIN_VECTORS];

	(void)worker;
	for (size_t g = 0; g < t->groups; g++) {
		t->rows(ROW(t->A, first), t->A->cols, rows, t->in + g * thin_size(t), made);
		for (size_t v = 0; v < THIN_VECTORS && g * THIN_VECTORS + v < t->out->rows; v++)
			for (size_t i = 0; i < rows; i++)
				MAT(t->out, g * THIN_VECTORS + v, first + i) =
				    made[i * THIN_VECTORS + v];
	}
}

void thin_product(const struct mat *A, const struct mat *in, unsigned threads, struct mat *out)
{
	struct thin t = { .A = A, .out = out, .rows = SIMD_PICK_512(thin_product_rows) };

	thin_begin(&t, in, PART_ROWS);
	mat_init(out, in->rows, A->rows);
	parallel(threads, t.parts, product_part, &t);
	free(t.owned);
}

static void square_part(void *ctx, unsigned worker, size_t number)
{
	const struct thin *t = ctx;
	size_t first = number * t->part, rows = min_size(t->part, t->A->rows - first);

	(void)worker;
	for (size_t g = 0; g < t->groups; g++)
		t->rows(ROW(t->A, first), t->A->cols, rows, t->in + g * thin_size(t),
			t->sum + (number * t->groups + g) * thin_size(t));
}

/* Adds the parts' sums in their order. */
static void square_join(const struct thin *t, struct mat *out)
{
	size_t all = t->groups * thin_size(t);

	for (size_t p = 1; p < t->parts; p++)
		for (size_t i = 0; i < all; i++)
			t->sum[i] += t->sum[p * all + i];
	for (size_t v = 0; v < out->rows; v++) {
		const double *from = t->sum + v / THIN_VECTORS * thin_size(t) + v % THIN_VECTORS;

		for (size_t j = 0; j < out->cols; j++)
			MAT(out, v, j) = from[j * THIN_VECTORS];
	}
}

void thin_square(const struct mat *A, const struct mat *in, unsigned threads, struct mat *out)
{
	struct thin t = { .A = A, .rows = SIMD_PICK_512(thin_square_rows) };
	double *owned;

	thin_begin(&t, in, (A->rows + SQUARES - 1) / SQUARES);
	owned = alloc((t.parts + !t.parts) * t.groups * thin_size(&t) + SIMD_LINE, sizeof(*owned));
	t.sum = simd_line(owned);
	parallel(threads, t.parts, square_part, &t);
	mat_init(out, in->rows, A->cols);
	square_join(&t, out);
	free(owned);
	free(t.owned);
}
