#include "common/linalg/thin.h"
#include "common/base/alloc.h"
#include "common/linalg/parallel.h"
#include "common/linalg/simd.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Vectors are taken in groups of THIN_VECTORS, whose entries fill a cache line. The rows of A are
 * divided into parts of PART_ROWS rows. In a sum over rows each part has its own sum. There are
 * then at most SUMS parts, so the parts of a tall A have more rows. */
enum { THIN_VECTORS = SIMD_LINE, PART_ROWS = 256, SUMS = 16 };

typedef void walk_fn(const double *a, size_t m, size_t rows, const double *in, double *product,
		     double *square);
typedef void combine_fn(const double *a, size_t m, size_t rows, const double *by, double *out);

#define DOTS    thin_dots
#define ADD     thin_add
#define WALK    thin_walk
#define COMBINE thin_combine_rows
#define VEC     vec2
#define ROWS    2
#define TARGET
#include "common/linalg/thin_rows.inc"
#ifdef SIMD_AVX2
#define DOTS    thin_dots_avx2
#define ADD     thin_add_avx2
#define WALK    thin_walk_avx2
#define COMBINE thin_combine_rows_avx2
#define VEC     vec4
#define ROWS    4
#define TARGET  __attribute__((target("avx2")))
#include "common/linalg/thin_rows.inc"
#define DOTS    thin_dots_avx512
#define ADD     thin_add_avx512
#define WALK    thin_walk_avx512
#define COMBINE thin_combine_rows_avx512
#define VEC     vec8
#define ROWS    8
#define TARGET  __attribute__((target("avx512f")))
#include "common/linalg/thin_rows.inc"
#endif

/* Vectors are stored in groups of THIN_VECTORS, in the order: group, entry, vector of the group. */
struct thin {
	const struct mat *A;
	size_t groups, part, parts; /* part: number of rows in a part */
	size_t in_size;             /* numbers of `in` per group */
	double *in_owned, *in;
	double *sum_owned, *sum; /* parts x groups x cols x THIN_VECTORS; NULL: no sum over rows */
	struct mat *product;     /* NULL: not wanted */
	bool by_rows;            /* the product has one row for each row of A */
	walk_fn *walk;
	combine_fn *combine; /* NULL: uses `walk` */
};

static void thin_enter(struct thin *t, const struct mat *in)
{
	t->in_size = in->cols * THIN_VECTORS;
	t->in_owned = alloc(t->groups * t->in_size + SIMD_LINE, sizeof(*t->in_owned));
	t->in = simd_line(t->in_owned);
	for (size_t v = 0; v < in->rows; v++) {
		double *to = t->in + v / THIN_VECTORS * t->in_size + v % THIN_VECTORS;

		for (size_t j = 0; j < in->cols; j++)
			to[j * THIN_VECTORS] = MAT(in, v, j);
	}
}

static void store_product(const struct thin *t, size_t g, size_t first, size_t rows,
			  const double *made)
{
	if (t->by_rows) {
		size_t width = min_size(THIN_VECTORS, t->product->cols - g * THIN_VECTORS);

		for (size_t i = 0; i < rows; i++)
			memcpy(ROW(t->product, first + i) + g * THIN_VECTORS,
			       made + i * THIN_VECTORS, width * sizeof(*made));
		return;
	}
	for (size_t v = 0; v < THIN_VECTORS && g * THIN_VECTORS + v < t->product->rows; v++)
		for (size_t i = 0; i < rows; i++)
			MAT(t->product, g * THIN_VECTORS + v, first + i) =
			    made[i * THIN_VECTORS + v];
}

static void walk_rows(const struct thin *t, size_t g, size_t first, size_t end, double *sum)
{
	double made[PART_ROWS * THIN_VECTORS];

	for (size_t rows; first < end; first += rows) {
		rows = min_size(PART_ROWS, end - first);
		t->walk(ROW(t->A, first), t->A->cols, rows, t->in + g * t->in_size,
			t->product ? made : NULL, sum);
		if (t->product)
			store_product(t, g, first, rows, made);
	}
}

static void thin_part(void *ctx, unsigned worker, size_t number)
{
	const struct thin *t = ctx;
	size_t first = number * t->part, end = min_size(first + t->part, t->A->rows);
	size_t size = t->A->cols * THIN_VECTORS;

	(void)worker;
	for (size_t g = 0; g < t->groups; g++) {
		double *sum = t->sum ? t->sum + (number * t->groups + g) * size : NULL;

		if (t->combine)
			t->combine(ROW(t->A, first), t->A->cols, end - first,
				   t->in + g * t->in_size + first * THIN_VECTORS, sum);
		else
			walk_rows(t, g, first, end, sum);
	}
}

/* Adds the parts' sums in their order. */
static void thin_join(const struct thin *t, struct mat *out)
{
	size_t size = t->A->cols * THIN_VECTORS, all = t->groups * size;

	for (size_t p = 1; p < t->parts; p++)
		for (size_t i = 0; i < all; i++)
			t->sum[i] += t->sum[p * all + i];
	for (size_t v = 0; v < out->rows; v++) {
		const double *from = t->sum + v / THIN_VECTORS * size + v % THIN_VECTORS;

		for (size_t j = 0; j < out->cols; j++)
			MAT(out, v, j) = from[j * THIN_VECTORS];
	}
}

/* Runs the product. out: receives the sum over rows; or NULL. */
static void thin_run(struct thin *t, const struct mat *in, unsigned threads, struct mat *out)
{
	size_t part = out ? (t->A->rows + SUMS - 1) / SUMS : 0, sums;

	t->groups = (in->rows + THIN_VECTORS - 1) / THIN_VECTORS;
	t->part = part < PART_ROWS ? PART_ROWS : part;
	t->parts = (t->A->rows + t->part - 1) / t->part;
	thin_enter(t, in);
	if (out) {
		sums = (t->parts + !t->parts) * t->groups * t->A->cols * THIN_VECTORS;
		t->sum_owned = alloc(sums + SIMD_LINE, sizeof(*t->sum_owned));
		t->sum = simd_line(t->sum_owned);
	}
	parallel(threads, t->parts, thin_part, t);
	if (out) {
		mat_init(out, in->rows, t->A->cols);
		thin_join(t, out);
	}
	free(t->sum_owned);
	free(t->in_owned);
}

void thin_product(const struct mat *A, const struct mat *in, unsigned threads, struct mat *out)
{
	mat_init(out, in->rows, A->rows);
	thin_product_into(A, in, threads, out);
}

void thin_product_into(const struct mat *A, const struct mat *in, unsigned threads, struct mat *out)
{
	struct thin t = { .A = A, .product = out, .walk = SIMD_PICK_512(thin_walk) };

	assert(in->cols == A->cols && out->rows == in->rows && out->cols == A->rows);
	thin_run(&t, in, threads, NULL);
}

void thin_rows(const struct mat *A, const struct mat *in, unsigned threads, struct mat *out)
{
	struct thin t = {
		.A = A, .product = out, .by_rows = true, .walk = SIMD_PICK_512(thin_walk)
	};

	assert(in->cols == A->cols);
	mat_init(out, A->rows, in->rows);
	thin_run(&t, in, threads, NULL);
}

void thin_combine(const struct mat *A, const struct mat *in, unsigned threads, struct mat *out)
{
	struct thin t = { .A = A, .combine = SIMD_PICK_512(thin_combine_rows) };

	assert(in->cols == A->rows);
	thin_run(&t, in, threads, out);
}

void thin_square(const struct mat *A, const struct mat *in, unsigned threads, struct mat *product,
		 struct mat *out)
{
	struct thin t = { .A = A, .product = product, .walk = SIMD_PICK_512(thin_walk) };

	assert(in->cols == A->cols);
	if (product)
		mat_init(product, in->rows, A->rows);
	thin_run(&t, in, threads, out);
}
