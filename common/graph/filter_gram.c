#include "common/graph/filter_gram.h"
#include "common/base/alloc.h"
#include "common/graph/filter_steps.h"
#include "common/linalg/la.h"
#include "common/linalg/parallel.h"
#include "common/linalg/simd_float.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* A row of a panel has as many bytes as in filter.c. Rows that are loaded, and that go into the
 * Gram matrix, at a time. */
enum { PANEL = FILTER_GRAM_COLUMNS, LOAD_ROWS = 4096, GRAM_ROWS = 512 };

/* Leaves of one node differ by 3/4 as much after each step at most (half), in the Gram matrix by
 * the square: from so many steps on, by 1e-6. */
enum { FOLD_FROM = 24 };

typedef void panel_step_fn(const struct filter_plan *p, size_t first, size_t last,
			   const struct filter_step *t, const float *restrict y,
			   float *restrict out);

#define STEP    panel_step
#define COLUMNS PANEL
#define REAL    float
#define VEC     float4
#define TARGET
#include "common/graph/filter_step.inc"
#ifdef SIMD_AVX2
#undef STEP
#undef VEC
#undef TARGET
#define STEP   panel_step_avx2
#define VEC    float8
#define TARGET __attribute__((target("avx2")))
#include "common/graph/filter_step.inc"
#undef STEP
#undef VEC
#undef TARGET
#define STEP   panel_step_avx512
#define VEC    float16
#define TARGET __attribute__((target("avx512f")))
#include "common/graph/filter_step.inc"
#endif

static panel_step_fn *best_panel_step(void)
{
#ifdef SIMD_AVX2
	if (simd_avx512())
		return panel_step_avx512;
	if (simd_avx2())
		return panel_step_avx2;
#endif
	return panel_step;
}

struct panels {
	struct filter_plan nodes;
	struct filter_steps steps;
	panel_step_fn *step;
	const struct csr *sparse; /* X, or NULL: */
	const struct mat *dense;
	double unit; /* its largest entry, for single numbers to hold */
	size_t cols, count;
	double *owned;
	float **panel; /* count, n x PANEL each, all zero at first; */
	float **spare; /* one per worker */
};

static void load_entry(const struct panels *p, size_t i, size_t column, double y)
{
	p->panel[column / PANEL][i * PANEL + column % PANEL] += (float)y;
}

/* Y = D^-1/2 X over the unit. */
static void load_rows(void *ctx, unsigned worker, size_t block)
{
	const struct panels *p = ctx;
	const struct csr *s = p->sparse;
	size_t first = block * LOAD_ROWS, last = first + LOAD_ROWS;

	(void)worker;
	for (size_t i = first; i < last && i < p->nodes.n; i++)
		for (size_t j = filter_plan_first(&p->nodes, i);
		     j < filter_plan_first(&p->nodes, i + 1); j++) {
			size_t node = p->nodes.order[j];
			double scale = p->nodes.enter[i] / p->unit;

			for (size_t e = s ? s->start[node] : 0; s && e < s->start[node + 1]; e++)
				load_entry(p, i, s->index[e], scale * (s->value ? s->value[e] : 1));
			for (size_t c = 0; !s && c < p->cols; c++)
				load_entry(p, i, c, scale * MAT(p->dense, node, c));
		}
}

static void run_panel(void *ctx, unsigned worker, size_t panel)
{
	const struct panels *p = ctx;
	float *y = p->panel[panel], *out = p->spare[worker];

	for (size_t t = 0; t < p->steps.count; t++) {
		float *old = y;

		p->step(&p->nodes, 0, p->nodes.n, &p->steps.step[t], y, out);
		y = out;
		out = old;
	}
	p->panel[panel] = y;
	p->spare[worker] = out;
}

/* Rows of F = D^1/2 Y. Leaves of one node are taken for equal, their mean. */
static void gram(const struct panels *p, unsigned threads, struct mat *G)
{
	struct mat F;

	mat_init(&F, GRAM_ROWS, p->cols);
	mat_init(G, p->cols, p->cols);
	for (size_t first = 0; first < p->nodes.n; first += GRAM_ROWS) {
		size_t left = p->nodes.n - first;

		F.rows = left < GRAM_ROWS ? left : GRAM_ROWS;
		for (size_t i = 0; i < F.rows; i++) {
			size_t row = first + i;
			double nodes = (double)(filter_plan_first(&p->nodes, row + 1) -
						filter_plan_first(&p->nodes, row));
			double scale = p->unit / (p->nodes.enter[row] * sqrt(nodes));

			for (size_t c = 0; c < p->cols; c++)
				MAT(&F, i, c) =
				    scale * (double)p->panel[c / PANEL][row * PANEL + c % PANEL];
		}
		la_gram_add(&F, threads, G);
	}
	mat_release(&F);
}

static double largest(const double *a, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, fabs(a[i]));
	return most;
}

static double unit_of(const struct panels *p)
{
	const struct csr *s = p->sparse;
	double unit;

	if (s)
		unit = s->value ? largest(s->value, s->start[s->rows]) : 1;
	else
		unit = largest(p->dense->a, p->dense->rows * p->cols);
	return unit > 0 ? unit : 1;
}

static void make_room(struct panels *p, unsigned workers)
{
	size_t size = p->nodes.n * PANEL / 2; /* in doubles */
	void *line;
	float *at;

	p->owned = alloc((p->count + workers) * size + SIMD_LINE, sizeof(*p->owned));
	line = simd_line(p->owned);
	at = line;
	ALLOC(p->panel, p->count);
	ALLOC(p->spare, workers);
	for (size_t i = 0; i < p->count; i++, at += 2 * size)
		p->panel[i] = at;
	for (unsigned w = 0; w < workers; w++, at += 2 * size)
		p->spare[w] = at;
}

void filter_gram(const struct filter_plan *nodes, unsigned psi, unsigned threads,
		 const struct csr *sparse, const struct mat *dense, struct mat *G)
{
	struct panels p = { .step = best_panel_step(), .sparse = sparse, .dense = dense };

	assert(!sparse != !dense);
	assert((sparse ? sparse->rows : dense->rows) == nodes->n);
	filter_plan_copy(&p.nodes, nodes);
	if (psi >= FOLD_FROM)
		filter_plan_fold(&p.nodes);
	filter_steps_init_rough(&p.steps, psi);
	p.cols = sparse ? sparse->cols : dense->cols;
	p.count = (p.cols + PANEL - 1) / PANEL;
	p.unit = unit_of(&p);
	make_room(&p, parallel_workers(threads, p.count));
	parallel(threads, (p.nodes.n + LOAD_ROWS - 1) / LOAD_ROWS, load_rows, &p);
	parallel(threads, p.count, run_panel, &p);
	gram(&p, threads, G);
	free(p.spare);
	free(p.panel);
	free(p.owned);
	filter_steps_release(&p.steps);
	filter_plan_release(&p.nodes);
}
