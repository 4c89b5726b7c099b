#include "common/ranks/filter.h"
#include "common/base/alloc.h"
#include "common/graph/spread.h"
#include "common/linalg/simd.h"
#include "common/ranks/layout.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Half of graph/filter.h's columns at a time: rows of others come on top here, and a panel of all
 * of them is what a rank's memory is spent on. The same bytes go, in twice as many exchanges. */
enum { PANEL = FILTER_PANEL / 2 };

#define COLUMNS PANEL
#define STEP    rank_step
#define VEC     vec2
#define TARGET
#include "common/graph/filter_step.inc"
#ifdef SIMD_AVX2
#define STEP   rank_step_avx2
#define VEC    vec4
#define TARGET __attribute__((target("avx2")))
#include "common/graph/filter_step.inc"
#define STEP   rank_step_avx512
#define VEC    vec8
#define TARGET __attribute__((target("avx512f")))
#include "common/graph/filter_step.inc"
#endif

/* Rows of leaves go to those with whom they lie, and back. */
static void send_rows(const struct ranks_steps *k, const struct lists *out, const struct mat *from,
		      const struct lists *in, struct mat *to)
{
	size_t count = lists_all(out, k->R), m = from->cols;
	double *box = alloc(count, m * sizeof(*box));

	for (size_t i = 0; i < count; i++)
		memcpy(box + i * m, ROW(from, out->item[i]), m * sizeof(*box));
	k->R->exchange(k->R->ctx, m * sizeof(*box), box, out->count, to->a, in->count);
	free(box);
}

static double *x_row(const struct ranks_steps *k, const struct mat *X, size_t row)
{
	return row < k->n ? ROW(X, row) : ROW(&k->X, row - k->n);
}

static void load(const struct ranks_steps *k, const struct mat *X, size_t column, size_t width,
		 double *y)
{
	const struct filter_plan *p = &k->plan;

	memset(y, 0, p->n * PANEL * sizeof(*y));
	for (size_t i = 0; i < p->n; i++)
		for (size_t j = p->of[i]; j < p->of[i + 1]; j++) {
			const double *x = x_row(k, X, p->order[j]) + column;

			for (size_t u = 0; u < width; u++)
				y[i * PANEL + u] += p->enter[i] * x[u];
		}
}

/* filter.c's panel_store(). */
static void store(const struct ranks_steps *k, struct mat *X, size_t column, size_t width,
		  const double *y)
{
	const struct filter_plan *p = &k->plan;

	for (size_t i = 0; i < p->n; i++, y += PANEL) {
		size_t first = p->of[i], end = p->of[i + 1];
		double mean[PANEL], share = 1 / (double)(end - first), fade;
		double leave = share / p->enter[i];

		if (end - first == 1) {
			double *x = x_row(k, X, p->order[first]) + column;

			for (size_t u = 0; u < width; u++)
				x[u] = y[u] / p->enter[i];
			continue;
		}
		fade = filter_steps_at(&k->steps, p->keep[i] + p->take[i]);
		for (size_t u = 0; u < width; u++)
			mean[u] = leave * y[u];
		for (size_t j = first; j < end; j++)
			for (size_t u = 0; u < width; u++)
				mean[u] -= share * fade * x_row(k, X, p->order[j])[column + u];
		for (size_t j = first; j < end; j++) {
			double *x = x_row(k, X, p->order[j]) + column;

			for (size_t u = 0; u < width; u++)
				x[u] = mean[u] + fade * x[u];
		}
	}
}

/* Does a step want what was there before the one before it? */
static bool steps_look_back(const struct filter_steps *s)
{
	for (size_t t = 0; t < s->count; t++)
		if (s->step[t].back != 0)
			return true;
	return false;
}

/* Two panels of rows and of those of others; and where what others asked for is gathered, if it
 * cannot be where the step writes next, for the step reads there, too. */
struct panels {
	double *owned, *y, *z, *box;
};

static void panels_init(const struct ranks_steps *k, bool look_back, struct panels *p)
{
	size_t all = k->plan.n + k->ghosts, given = lists_all(&k->give, k->R);
	size_t room = given > all ? given : all;

	p->owned = alloc(2 * room * PANEL + SIMD_LINE, sizeof(double));
	p->y = simd_line(p->owned);
	p->z = p->y + room * PANEL;
	p->box = look_back ? alloc(given, PANEL * sizeof(double)) : NULL;
}

static void panels_release(struct panels *p)
{
	free(p->box);
	free(p->owned);
}

/* What others asked for has gone when the step begins. */
static void panel_step(const struct ranks_steps *k, const struct filter_step *t, struct panels *p)
{
	size_t rows = k->plan.n, given = lists_all(&k->give, k->R), bytes = PANEL * sizeof(double);
	double *out = p->box ? p->box : p->z, *old = p->y;

	for (size_t i = 0; i < given; i++)
		memcpy(out + i * PANEL, p->y + k->give.item[i] * PANEL, bytes);
	k->R->exchange(k->R->ctx, bytes, out, k->give.count, p->y + rows * PANEL, k->want.count);
	SIMD_PICK_512(rank_step)(&k->plan, 0, rows, t, p->y, p->z);
	p->y = p->z;
	p->z = old;
}

static void filter_panels(struct ranks_steps *k, struct mat *X)
{
	struct panels p;

	panels_init(k, steps_look_back(&k->steps), &p);
	for (size_t column = 0; column < X->cols; column += PANEL) {
		size_t width = min_size(PANEL, X->cols - column);

		load(k, X, column, width, p.y);
		for (size_t t = 0; t < k->steps.count; t++)
			panel_step(k, &k->steps.step[t], &p);
		store(k, X, column, width, p.y);
	}
	panels_release(&p);
}

/* Filtered leaves to where they are from: the taken ones are k->X's rows one by one. */
static void give_back(struct ranks_steps *k, struct mat *X)
{
	size_t back = lists_all(&k->sent, k->R);
	struct mat own;

	for (size_t i = 0; i < k->X.rows; i++)
		k->taken.item[i] = (uint32_t)i;
	mat_init(&own, back, X->cols);
	send_rows(k, &k->taken, &k->X, &k->sent, &own);
	for (size_t i = 0; i < back; i++)
		memcpy(ROW(X, k->sent.item[i]), ROW(&own, i), X->cols * sizeof(double));
	mat_release(&own);
}

void ranks_filter(const struct ranks *R, struct csr *rows, bool keep, enum filter_kind kind,
		  unsigned psi, struct mat *X)
{
	struct ranks_steps k;

	assert(X->rows == ranks_rows(R));
	if (psi) {
		k = ranks_layout(R, rows, kind, psi > 1);
		if (!keep)
			csr_release(rows);
		mat_init(&k.X, lists_all(&k.taken, R), X->cols);
		send_rows(&k, &k.sent, X, &k.taken, &k.X);
		filter_steps_init(&k.steps, psi);
		filter_panels(&k, X);
		filter_steps_release(&k.steps);
		give_back(&k, X);
		ranks_layout_release(&k);
	}
	if (!keep)
		csr_release(rows);
}

/* -- step by step ---------------------------------------------------------------------------- */

struct ranks_steps *ranks_steps_new(const struct ranks *R, const struct csr *rows,
				    enum filter_kind kind)
{
	struct ranks_steps *k = alloc(1, sizeof(*k));

	*k = ranks_layout(R, rows, kind, false);
	return k;
}

void ranks_steps_once(struct ranks_steps *k, struct mat *X)
{
	filter_steps_init(&k->steps, 1);
	filter_panels(k, X);
	filter_steps_release(&k->steps);
}

void ranks_steps_free(struct ranks_steps *k)
{
	if (k)
		ranks_layout_release(k);
	free(k);
}

/* -- what each power leaves ------------------------------------------------------------------ */

/* to = the rows of a panel; columns beyond the last are 0. */
static void leave_rows(const struct ranks_steps *k, size_t first, size_t rows, const double *y,
		       double *to)
{
	for (size_t i = first; i < first + rows; i++)
		for (size_t u = 0; u < PANEL; u++)
			*to++ = 1 / k->plan.enter[i] * y[i * PANEL + u];
}

/* Columns of coordinates, as load() has them of dense rows, of which none is folded. next (n): of
 * each row its first entry behind the panels so far. */
static void load_sparse(const struct ranks_steps *k, const struct csr *X, size_t *next,
			size_t column, size_t width, double *y)
{
	memset(y, 0, k->plan.n * PANEL * sizeof(*y));
	for (size_t i = 0; i < k->plan.n; i++) {
		size_t e = next[i];

		for (; e < X->start[i + 1] && X->index[e] < column + width; e++)
			y[i * PANEL + X->index[e] - column] +=
			    k->plan.enter[i] * (X->value ? X->value[e] : 1);
		next[i] = e;
	}
}

static void panel_spread(const struct ranks_steps *k, const double *y, double *box, double *total)
{
	size_t width = PANEL;
	struct rowsum s;

	spread_init(&s, &width);
	rowsum_begin_at(&s, k->first / ROWSUM_ROWS);
	for (size_t b = 0; b < rowsum_blocks(k->n); b++) {
		size_t rows = rowsum_rows(k->n, b);

		leave_rows(k, b * ROWSUM_ROWS, rows, y, box);
		spread_add(&s, box, rows, PANEL);
	}
	ranks_sum(k->R, &s, total);
	rowsum_release(&s);
}

void ranks_filter_spread(const struct ranks *R, const struct csr *rows, enum filter_kind kind,
			 unsigned steps, const struct features *X, double *square, double *spread)
{
	size_t powers = (size_t)steps + 1, m = features_cols(X), panels = (m + PANEL - 1) / PANEL;
	struct ranks_steps k = ranks_layout(R, rows, kind, false);
	double *term = alloc(panels, 2 * powers * sizeof(*term));
	double *box = alloc(ROWSUM_ROWS, PANEL * sizeof(*box)), total[1 + 3 * PANEL];
	size_t *next = alloc(k.n, sizeof(*next));
	struct panels p;

	_Static_assert((int)PANEL == (int)SPREAD_COLUMNS, "groups are panels");
	panels_init(&k, false, &p);
	if (X->is_sparse)
		memcpy(next, X->sparse.start, k.n * sizeof(*next));
	for (size_t panel = 0; panel < panels; panel++) {
		size_t column = panel * PANEL, width = min_size(PANEL, m - column);

		if (X->is_sparse)
			load_sparse(&k, &X->sparse, next, column, width, p.y);
		else
			load(&k, &X->dense, column, width, p.y);
		for (size_t t = 0; t < powers; t++) {
			double *to = term + panel * 2 * powers + t;

			if (t)
				panel_step(&k, &FILTER_STEP, &p);
			panel_spread(&k, p.y, box, total);
			spread_of_group(total, PANEL, 0, to, to + powers);
		}
	}
	spread_add_groups(term, panels, powers, square, spread);
	panels_release(&p);
	free(next);
	free(box);
	free(term);
	ranks_layout_release(&k);
}
