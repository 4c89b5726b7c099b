#include "common/linalg/la.h"
#include "common/base/alloc.h"
#include "common/linalg/own.h"
#include "common/linalg/parallel.h"

#include <assert.h>
#include <cblas.h>
#include <stdlib.h>
#include <string.h>

/* C = op(A) op(B), or for a Gram matrix the tiles on and above the diagonal. The inner dimension is
 * summed as in rowsum.h. If there are fewer tiles than threads, each tile is cut into units, which
 * are computed in parallel. A unit is a whole subtree of blocks in rowsum.h's tree. */
struct product {
	const struct ranks *R; /* ranks that share the inner dimension; or NULL */
	bool a_transposed, b_transposed, symmetric;
	const struct mat *A, *B;
	struct mat *C;
	size_t inner, tiles_across;
	size_t units, span; /* number of units in a tile, and of blocks in each unit but the last */
	struct mat *unit;   /* tiles x units sums; NULL if units is 1 */
};

struct tile {
	size_t row, col, rows, cols;
};

static struct tile tile_of(const struct product *p, size_t number)
{
	struct tile t = { .row = number / p->tiles_across * LA_TILE,
			  .col = number % p->tiles_across * LA_TILE };

	t.rows = min_size(LA_TILE, p->C->rows - t.row);
	t.cols = min_size(LA_TILE, p->C->cols - t.col);
	return t;
}

/* Writes to `to` (row stride ldc) the tile's sum over `inner` products from number `first` on. */
static void tile_block(const struct product *p, const struct tile *t, size_t first, size_t inner,
		       double *to, size_t ldc)
{
	const double *a = p->a_transposed ? ROW(p->A, first) + t->row : ROW(p->A, t->row) + first;
	const double *b = p->b_transposed ? ROW(p->B, t->col) + first : ROW(p->B, first) + t->col;

	if (p->symmetric && t->row == t->col)
		cblas_dsyrk(CblasRowMajor, CblasUpper, p->a_transposed ? CblasTrans : CblasNoTrans,
			    la_int(t->rows), la_int(inner), 1, a, la_int(p->A->cols), 0, to,
			    la_int(ldc));
	else
		cblas_dgemm(CblasRowMajor, p->a_transposed ? CblasTrans : CblasNoTrans,
			    p->b_transposed ? CblasTrans : CblasNoTrans, la_int(t->rows),
			    la_int(t->cols), la_int(inner), 1, a, la_int(p->A->cols), b,
			    la_int(p->B->cols), 0, to, la_int(ldc));
}

static void tile_store(const struct product *p, const struct tile *t, const double *sum)
{
	for (size_t i = 0; i < t->rows; i++)
		memcpy(&MAT(p->C, t->row + i, t->col), sum + i * t->cols, t->cols * sizeof(*sum));
}

static void product_tile(void *ctx, unsigned worker, size_t number)
{
	const struct product *p = ctx;
	size_t unit = number % p->units, blocks = rowsum_blocks(p->inner);
	size_t first = unit * p->span, end = min_size(first + p->span, blocks);
	struct tile t = tile_of(p, number / p->units);
	double *whole;
	struct rowsum s;

	(void)worker;
	if (p->symmetric && t.col < t.row)
		return;
	if (blocks == 1 && !p->R) {
		tile_block(p, &t, 0, p->inner, &MAT(p->C, t.row, t.col), p->C->cols);
		return;
	}
	ranks_sum_begin(p->R, &s, t.rows * t.cols, NULL, NULL);
	for (size_t b = first; b < end; b++) {
		tile_block(p, &t, b * ROWSUM_ROWS, rowsum_rows(p->inner, b), rowsum_open(&s),
			   t.cols);
		rowsum_close(&s);
	}
	whole = alloc_bytes(t.rows * t.cols * sizeof(*whole));
	ranks_sum_end(p->R, &s, whole);
	if (p->unit) {
		p->unit[number] = (struct mat){ t.rows, t.cols, whole };
		return;
	}
	tile_store(p, &t, whole);
	free(whole);
}

/* Chooses units per tile so that every thread has some. */
static void cut_units(struct product *p, size_t tiles, unsigned threads)
{
	size_t blocks = rowsum_blocks(p->inner);

	p->units = 1;
	p->span = blocks;
	if (threads < 2 || blocks < 2 || tiles >= threads)
		return;
	for (p->span = 1; (blocks + p->span - 1) / p->span * tiles > 4 * (size_t)threads;)
		p->span *= 2;
	p->units = (blocks + p->span - 1) / p->span;
	if (p->units > 1)
		ALLOC(p->unit, tiles * p->units);
}

static void join_units(struct product *p, size_t tiles)
{
	for (size_t i = 0; i < tiles; i++) {
		struct tile t = tile_of(p, i);
		struct rowsum s;

		if (p->symmetric && t.col < t.row)
			continue;
		rowsum_init(&s, t.rows * t.cols, NULL, NULL);
		for (size_t u = i * p->units; u < (i + 1) * p->units; u++) {
			memcpy(rowsum_open(&s), p->unit[u].a, t.rows * t.cols * sizeof(double));
			rowsum_close(&s);
			mat_release(&p->unit[u]);
		}
		tile_store(p, &t, rowsum_end(&s));
		rowsum_release(&s);
	}
	free(p->unit);
}

static void la_product_run(struct product p, unsigned threads)
{
	struct mat *C = p.C;
	size_t tiles;

	p.inner = p.a_transposed ? p.A->rows : p.A->cols;
	assert(p.inner == (p.b_transposed ? p.B->cols : p.B->rows));
	mat_init(C, p.a_transposed ? p.A->cols : p.A->rows, p.b_transposed ? p.B->rows : p.B->cols);
	if (C->rows == 0 || C->cols == 0 || (p.inner == 0 && !p.R))
		return;
	threads = p.R ? 1 : threads; /* one thread: ranks exchange sums tile by tile */
	p.tiles_across = (C->cols + LA_TILE - 1) / LA_TILE;
	tiles = (C->rows + LA_TILE - 1) / LA_TILE * p.tiles_across;
	cut_units(&p, tiles, threads);
	parallel(threads, tiles * p.units, product_tile, &p);
	if (p.unit)
		join_units(&p, tiles);
	for (size_t i = 0; p.symmetric && i < C->rows; i++)
		for (size_t j = 0; j < i; j++)
			MAT(C, i, j) = MAT(C, j, i);
}

void la_mul_tn_of(const struct ranks *R, const struct mat *A, const struct mat *B, unsigned threads,
		  struct mat *C)
{
	la_product_run((struct product){ .R = R, .A = A, .B = B, .C = C, .a_transposed = true },
		       threads);
}

void la_mul_tn(const struct mat *A, const struct mat *B, unsigned threads, struct mat *C)
{
	la_mul_tn_of(NULL, A, B, threads, C);
}

void la_mul_nn(const struct mat *A, const struct mat *B, unsigned threads, struct mat *C)
{
	la_product_run((struct product){ .A = A, .B = B, .C = C }, threads);
}

void la_mul_nt(const struct mat *A, const struct mat *B, unsigned threads, struct mat *C)
{
	la_product_run((struct product){ .A = A, .B = B, .C = C, .b_transposed = true }, threads);
}

void la_gram_columns_of(const struct ranks *R, const struct mat *A, unsigned threads, struct mat *G)
{
	la_product_run(
	    (struct product){
		.R = R, .A = A, .B = A, .C = G, .a_transposed = true, .symmetric = true },
	    threads);
}

void la_gram_columns(const struct mat *A, unsigned threads, struct mat *G)
{
	la_gram_columns_of(NULL, A, threads, G);
}

void la_gram_rows(const struct mat *A, unsigned threads, struct mat *G)
{
	la_product_run(
	    (struct product){ .A = A, .B = A, .C = G, .b_transposed = true, .symmetric = true },
	    threads);
}
