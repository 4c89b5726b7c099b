#include "common/graph/filtered.h"
#include "common/base/alloc.h"
#include "common/linalg/parallel.h"
#include "common/linalg/simd.h"
#include "common/linalg/svd.h"
#include "common/linalg/thin.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 8192 };

#define COLUMNS FILTERED_COLUMNS

typedef void step_fn(const struct filter_plan *p, size_t first, size_t last,
		     const struct filter_step *t, const double *restrict y, double *restrict out);
typedef void product_fn(const struct csr *s, size_t first, size_t last, size_t blocks,
			const double *restrict in, double *restrict out);

#define STEP    block_step
#define PRODUCT block_product
#define VEC     vec2
#define TARGET
#include "common/graph/filtered_product.inc"
#include "common/graph/filter_step.inc"
#ifdef SIMD_AVX2
#define STEP    block_step_avx2
#define PRODUCT block_product_avx2
#define VEC     vec4
#define TARGET  __attribute__((target("avx2")))
#include "common/graph/filtered_product.inc"
#include "common/graph/filter_step.inc"
#define STEP    block_step_avx512
#define PRODUCT block_product_avx512
#define VEC     vec8
#define TARGET  __attribute__((target("avx512f")))
#include "common/graph/filtered_product.inc"
#include "common/graph/filter_step.inc"
#endif

/* -- steps and products on blocks ----------------------------------------------------------- */

struct pass {
	const struct filter_plan *p; /* plan of a step; NULL if the pass is a product */
	const struct filter_step *t;
	const struct csr *s; /* matrix of a product, of `blocks` blocks */
	size_t rows, blocks;
	const double *in;
	double *out;
	step_fn *step;
	product_fn *product;
};

static void pass_chunk(void *ctx, unsigned worker, size_t chunk)
{
	const struct pass *a = ctx;
	size_t first = chunk * CHUNK, last = first + CHUNK < a->rows ? first + CHUNK : a->rows;

	(void)worker;
	if (a->p)
		a->step(a->p, first, last, a->t, a->in, a->out);
	else
		a->product(a->s, first, last, a->blocks, a->in, a->out);
}

static void pass(struct pass *a, unsigned threads)
{
	a->step = SIMD_PICK_512(block_step);
	a->product = SIMD_PICK_512(block_product);
	parallel(threads, (a->rows + CHUNK - 1) / CHUNK, pass_chunk, a);
}

static void filtered_product(const struct filtered *f, const struct csr *s, const double *in,
			     double *out, size_t blocks)
{
	struct pass a = { .s = s, .rows = s->rows, .blocks = blocks, .in = in, .out = out };

	pass(&a, f->threads);
}

static size_t block_size(const struct filtered *f)
{
	return f->nodes.n * FILTERED_COLUMNS;
}

static void run_steps(const struct filtered *f, const struct filter_steps *s, double *block)
{
	double *y = block, *z = f->y;

	for (size_t t = 0; t < s->count; t++) {
		struct pass a = {
			.p = &f->nodes, .t = &s->step[t], .rows = f->nodes.n, .in = y, .out = z
		};

		pass(&a, f->threads);
		z = y;
		y = a.out;
	}
	if (y != block)
		memcpy(block, y, block_size(f) * sizeof(*block));
}

/* -- rows of matrices to blocks and back ---------------------------------------------------- */

/* Row i of `to` becomes scale[i] times the entries of column order[i] in the FILTERED_COLUMNS rows
 * from `first` on, with 0 for rows behind the last. order and scale may be NULL. */
static void filtered_gather(const struct mat *rows, size_t first, const uint32_t *order,
			    const double *scale, double *to)
{
	size_t width = min_size(FILTERED_COLUMNS, rows->rows - first);

	memset(to, 0, rows->cols * FILTERED_COLUMNS * sizeof(*to));
	for (size_t u = 0; u < width; u++) {
		const double *row = ROW(rows, first + u);

		for (size_t i = 0; i < rows->cols; i++)
			to[i * FILTERED_COLUMNS + u] =
			    row[order ? order[i] : i] * (scale ? scale[i] : 1);
	}
}

static void filtered_scatter(const double *from, size_t first, const uint32_t *order,
			     const double *scale, struct mat *rows)
{
	for (size_t u = 0; u < FILTERED_COLUMNS && first + u < rows->rows; u++) {
		double *row = ROW(rows, first + u);

		for (size_t i = 0; i < rows->cols; i++)
			row[order ? order[i] : i] =
			    from[i * FILTERED_COLUMNS + u] / (scale ? scale[i] : 1);
	}
}

/* -- the map -------------------------------------------------------------------------------- */

static size_t filtered_blocks_of(const struct mat *rows)
{
	return (rows->rows + FILTERED_COLUMNS - 1) / FILTERED_COLUMNS;
}

/* f->tall <- D^-1/2 X in', with D as in filter.h, in blocks of FILTERED_COLUMNS columns. */
static void filtered_enter(struct filtered *f, const struct mat *in)
{
	size_t blocks = filtered_blocks_of(in), tall = block_size(f),
	       narrow = in->cols * FILTERED_COLUMNS;
	struct mat Y;

	if (blocks > f->room) {
		free(f->tall_owned);
		free(f->narrow_owned);
		f->tall_owned = alloc(blocks * tall + SIMD_LINE, sizeof(*f->tall));
		f->narrow_owned = alloc(blocks * narrow + SIMD_LINE, sizeof(*f->narrow));
		f->tall = simd_line(f->tall_owned);
		f->narrow = simd_line(f->narrow_owned);
		f->room = blocks;
	}
	if (f->dense) {
		thin_product(f->dense, in, f->threads, &Y);
		for (size_t i = 0; i < blocks; i++)
			filtered_gather(&Y, i * FILTERED_COLUMNS, f->nodes.order, f->nodes.enter,
					f->tall + i * tall);
		mat_release(&Y);
		return;
	}
	for (size_t i = 0; i < blocks; i++)
		filtered_gather(in, i * FILTERED_COLUMNS, NULL, NULL, f->narrow + i * narrow);
	filtered_product(f, &f->in, f->narrow, f->tall, blocks);
}

/* out (b x n) <- D^1/2 f->tall, for b vectors. */
static void filtered_leave(const struct filtered *f, size_t vectors, struct mat *out)
{
	mat_init(out, vectors, f->map.rows);
	for (size_t i = 0; i < filtered_blocks_of(out); i++)
		filtered_scatter(f->tall + i * block_size(f), i * FILTERED_COLUMNS, f->nodes.order,
				 f->nodes.enter, out);
}

static void filtered_multiply(void *ctx, const struct mat *in, struct mat *out)
{
	struct filtered *f = ctx;

	filtered_enter(f, in);
	for (size_t i = 0; i < filtered_blocks_of(in); i++)
		run_steps(f, &f->once, f->tall + i * block_size(f));
	filtered_leave(f, in->rows, out);
}

/* Computes products with F'F = X' p(S)^2 X (filtered.h); p(S) is symmetric. */
static void filtered_square(void *ctx, const struct mat *in, struct mat *out)
{
	struct filtered *f = ctx;
	size_t blocks = filtered_blocks_of(in);
	struct mat Y;

	filtered_enter(f, in);
	for (size_t i = 0; i < blocks; i++)
		run_steps(f, &f->twice, f->tall + i * block_size(f));
	if (f->dense) {
		filtered_leave(f, in->rows, &Y);
		thin_combine(f->dense, &Y, f->threads, out);
		mat_release(&Y);
		return;
	}
	filtered_product(f, &f->across, f->tall, f->narrow, blocks);
	mat_init(out, in->rows, in->cols);
	for (size_t i = 0; i < blocks; i++)
		filtered_scatter(f->narrow + i * in->cols * FILTERED_COLUMNS, i * FILTERED_COLUMNS,
				 NULL, NULL, out);
}

/* -- construction --------------------------------------------------------------------------- */

enum err filtered_init(struct filtered *f, const struct csr *sparse, const struct mat *dense,
		       const struct graph *g, enum filter_kind kind, unsigned psi, unsigned threads)
{
	size_t n = sparse ? sparse->rows : dense->rows, m = sparse ? sparse->cols : dense->cols;
	size_t entries = sparse ? sparse->start[n] : 0, to = 0, *next;

	assert(!sparse != !dense && kind != FILTER_MEAN);
	*f = (struct filtered){ .threads = threads, .dense = dense };
	TRY(graph_check_rows(g, n));
	TRY(filter_plan_init(&f->nodes, g, kind, false));
	f->map = (struct linear_map){ .rows = n,
				      .cols = m,
				      .ctx = f,
				      .multiply = filtered_multiply,
				      .square = filtered_square };
	filter_steps_init(&f->once, psi);
	filter_steps_init(&f->twice, 2 * psi);
	f->owned = alloc(block_size(f) + SIMD_LINE, sizeof(*f->owned));
	f->y = simd_line(f->owned);
	if (!sparse)
		return ERR_OK;
	csr_init(&f->in, n, m, entries, true);
	csr_init(&f->across, m, n, entries, true);
	for (size_t e = 0; e < entries; e++)
		f->across.start[sparse->index[e] + 1]++;
	for (size_t j = 0; j < m; j++)
		f->across.start[j + 1] += f->across.start[j];
	ALLOC(next, m);
	memcpy(next, f->across.start, m * sizeof(*next));
	for (size_t i = 0; i < n; i++) {
		size_t node = f->nodes.order[i];

		for (size_t e = sparse->start[node]; e < sparse->start[node + 1]; e++, to++) {
			double x = sparse->value ? sparse->value[e] : 1;
			size_t at = next[sparse->index[e]]++;

			f->in.index[to] = sparse->index[e];
			f->in.value[to] = x * f->nodes.enter[i];
			f->across.index[at] = (uint32_t)i;
			f->across.value[at] = x / f->nodes.enter[i];
		}
		f->in.start[i + 1] = to;
	}
	free(next);
	return ERR_OK;
}

void filtered_set_order(struct filtered *f, unsigned psi)
{
	filter_steps_release(&f->once);
	filter_steps_release(&f->twice);
	filter_steps_init(&f->once, psi);
	filter_steps_init(&f->twice, 2 * psi);
}

void filtered_release(struct filtered *f)
{
	filter_steps_release(&f->once);
	filter_steps_release(&f->twice);
	filter_plan_release(&f->nodes);
	csr_release(&f->in);
	csr_release(&f->across);
	free(f->owned);
	free(f->tall_owned);
	free(f->narrow_owned);
	*f = (struct filtered){ 0 };
}

/* -- cost ----------------------------------------------------------------------------------- */

/* Measured costs (bench_kernels). A dense product does DENSE_SPEED operations in the time of one
 * operation of a sparse product or of a filter step. An eigenproblem of order n takes EIGEN n^3
 * operations, as fast as those of a dense product. */
static const double DENSE_SPEED = 3, EIGEN = 1;

bool filtered_pays(size_t n, size_t m, size_t entries, size_t neighbours, enum filter_kind kind,
		   unsigned psi, size_t d)
{
	double rows = (double)n, cols = (double)m, narrow = rows < cols ? rows : cols;
	double vectors = KRYLOV_STEPS_USUAL * (double)krylov_width(d, m);
	double step = (double)neighbours + 2 * rows; /* operations of a step for one column */
	double basis = 2 * vectors * vectors * cols / DENSE_SPEED, map, formed;

	if (kind == FILTER_MEAN || vectors > narrow)
		return false;
	map = basis + vectors * (2 * (double)entries / (entries < n * m ? 1 : DENSE_SPEED) +
				 (double)filter_steps_count(2 * psi) * step);
	formed = (double)filter_steps_count(psi) * step * cols;
	if (n > SVD_EXACT_MAX && m > SVD_EXACT_MAX)
		formed += basis + vectors * 2 * rows * cols / DENSE_SPEED;
	else
		formed +=
		    (rows * cols * narrow / 2 + EIGEN * narrow * narrow * narrow) / DENSE_SPEED;
	return map < formed;
}
