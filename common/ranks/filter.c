#include "common/ranks/filter.h"
#include "common/base/alloc.h"
#include "common/graph/filter_plan.h"
#include "common/graph/filter_steps.h"
#include "common/linalg/simd.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
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

static const uint32_t FOLDED = UINT32_MAX;

/* Numbers of rows, by rank: count[q] of each. */
struct lists {
	size_t *count; /* of each rank */
	uint32_t *item;
};

struct ranked {
	const struct ranks *R;
	struct csr *rows; /* until the plan stands */
	size_t n, first;
	struct filter_plan plan; /* order: rows of X, those beyond n of taken */
	struct filter_steps steps;
	size_t ghosts;     /* rows of others that this rank's are joined to */
	uint32_t *ghost;   /* their numbers, rising */
	uint32_t *at;      /* of each entry of rows: a row of this rank, or n + a ghost's place */
	uint32_t *row;     /* of each of these: its row of the plan, or FOLDED */
	bool *leaf, *gone; /* of each of these: has one neighbour; lies with another rank, or as
			      part of a row */
	struct lists want,
	    give; /* ghosts by owner, and which rows (of X, then of the plan) others asked for */
	struct lists taken,
	    sent;     /* leaves that lie here for others, n + ghost's place; and own at others */
	struct mat X; /* of the taken ones */
};

static void lists_init(struct lists *l, const struct ranks *R, size_t most)
{
	ALLOC(l->count, R->count);
	ALLOC(l->item, most);
}

static void lists_release(struct lists *l)
{
	free(l->count);
	free(l->item);
}

static size_t lists_all(const struct lists *l, const struct ranks *R)
{
	size_t all = 0;

	for (size_t q = 0; q < R->count; q++)
		all += l->count[q];
	return all;
}

/* What others have in `from` of this rank, as rows of it. */
static void lists_tell(const struct ranks *R, const struct lists *from, struct lists *to)
{
	size_t all;

	ALLOC(to->count, R->count);
	to->item = ranks_exchange(R, sizeof(uint32_t), from->item, from->count, to->count);
	all = lists_all(to, R);
	for (size_t i = 0; i < all; i++)
		to->item[i] -= (uint32_t)R->cut[R->own];
}

static bool is_own(const struct ranked *k, uint32_t j)
{
	return j >= k->first && j < k->first + k->n;
}

/* Which rows of others these are joined to; their owners are told. */
static void find_ghosts(struct ranked *k)
{
	const struct csr *a = k->rows;
	size_t entries = a->start[k->n], count = 0;

	ALLOC(k->ghost, entries);
	ALLOC(k->at, entries);
	for (size_t e = 0; e < entries; e++)
		if (!is_own(k, a->index[e]))
			k->ghost[count++] = a->index[e];
	if (count)
		qsort(k->ghost, count, sizeof(*k->ghost), ranks_by_number);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || k->ghost[i] != k->ghost[i - 1])
			k->ghost[k->ghosts++] = k->ghost[i];
	lists_init(&k->want, k->R, k->ghosts);
	for (size_t i = 0; i < k->ghosts; i++) {
		k->want.item[i] = k->ghost[i];
		k->want.count[ranks_owner(k->R, k->ghost[i])]++;
	}
	for (size_t e = 0; e < entries; e++) {
		uint32_t j = a->index[e];

		k->at[e] =
		    is_own(k, j)
			? j - (uint32_t)k->first
			: (uint32_t)(k->n +
				     (size_t)((uint32_t *)bsearch(&j, k->ghost, k->ghosts,
								  sizeof(j), ranks_by_number) -
					      k->ghost));
	}
	lists_tell(k->R, &k->want, &k->give);
}

static void find_leaves(struct ranked *k)
{
	size_t asked = lists_all(&k->give, k->R);
	bool *out = alloc(asked, sizeof(*out));

	ALLOC(k->leaf, k->n + k->ghosts);
	for (size_t i = 0; i < k->n; i++)
		k->leaf[i] = k->rows->start[i + 1] - k->rows->start[i] == 1;
	for (size_t i = 0; i < asked; i++)
		out[i] = k->leaf[k->give.item[i]];
	k->R->exchange(k->R->ctx, sizeof(*out), out, k->give.count, k->leaf + k->n, k->want.count);
	free(out);
}

static size_t leaves_of(const struct ranked *k, size_t i)
{
	size_t leaves = 0;

	for (size_t e = k->rows->start[i]; e < k->rows->start[i + 1]; e++)
		leaves += k->leaf[k->at[e]];
	return leaves;
}

/* As filter_plan_fold(): whether an eighth of the rows of all go. */
static bool folds(const struct ranked *k)
{
	size_t go = 0;

	if (k->rows->value) /* at each rank, or at none */
		return false;
	for (size_t i = 0; i < k->n; i++) {
		size_t leaves = leaves_of(k, i);

		go += leaves - (leaves + FOLD_MOST - 1) / FOLD_MOST;
	}
	go = ranks_total(k->R, go);
	return go > 0 && 8 * go >= k->R->n;
}

/* The leaves of node i that come to be one row: at[0 .. return - 1]; e goes on. */
static size_t next_group(const struct ranked *k, size_t i, size_t *e, uint32_t at[static FOLD_MOST])
{
	size_t count = 0;

	for (; *e < k->rows->start[i + 1] && count < FOLD_MOST; ++*e)
		if (k->leaf[k->at[*e]])
			at[count++] = k->at[*e];
	return count;
}

/* Which leaves lie in rows of several, and with whom. */
static void take_leaves(struct ranked *k)
{
	struct lists told;
	size_t taken = 0, all;

	for (size_t i = 0; i < k->n; i++)
		for (size_t e = k->rows->start[i]; e < k->rows->start[i + 1];) {
			uint32_t at[FOLD_MOST];
			size_t count = next_group(k, i, &e, at);

			for (size_t j = 0; count > 1 && j < count; j++)
				k->gone[at[j]] = true;
		}
	lists_init(&told, k->R, k->ghosts);
	lists_init(&k->taken, k->R, k->ghosts);
	for (size_t g = 0; g < k->ghosts; g++)
		if (k->gone[k->n + g]) {
			size_t owner = ranks_owner(k->R, k->ghost[g]);

			told.item[taken] = k->ghost[g];
			k->taken.item[taken++] = (uint32_t)(k->n + g);
			told.count[owner]++;
			k->taken.count[owner]++;
		}
	lists_tell(k->R, &told, &k->sent);
	lists_release(&told);
	all = lists_all(&k->sent, k->R);
	for (size_t i = 0; i < all; i++)
		k->gone[k->sent.item[i]] = true;
}

/* Those that lie elsewhere are not asked for, and not given. */
static void drop_gone(struct lists *l, const struct ranks *R, const bool *gone)
{
	size_t to = 0, from = 0;

	for (size_t q = 0; q < R->count; q++) {
		size_t count = l->count[q];

		l->count[q] = 0;
		for (size_t i = 0; i < count; i++, from++)
			if (!gone[l->item[from]]) {
				l->item[to++] = l->item[from];
				l->count[q]++;
			}
	}
}

/* A row of the plan: its node's, or its leaves' of one node. */
static void add_row(struct ranked *k, double enter, size_t leaves, size_t *nodes)
{
	struct filter_plan *p = &k->plan;
	double keep = 0.5, take = 0.5 * (enter * enter), all = (double)leaves * take;

	p->keep[p->n] = leaves > 1 ? keep + take - all : keep;
	p->take[p->n] = all;
	p->enter[p->n] = enter;
	p->of[++p->n] = *nodes;
}

/* Of each ghost taken: its row behind X's. Owned by the caller. */
static uint32_t *places(const struct ranked *k)
{
	size_t taken = lists_all(&k->taken, k->R);
	uint32_t *place;

	ALLOC(place, k->ghosts);
	for (size_t i = 0; i < taken; i++)
		place[k->taken.item[i] - k->n] = (uint32_t)(k->n + i);
	return place;
}

static void plan_init(struct ranked *k, size_t most)
{
	struct filter_plan *p = &k->plan;

	ALLOC(p->order, most);
	ALLOC(p->of, most + 1);
	ALLOC(p->enter, most);
	ALLOC(p->keep, most);
	ALLOC(p->take, most);
	ALLOC(p->start, most + 1);
	ALLOC(p->index, k->rows->start[k->n] + most);
	if (k->rows->value) /* of which no leaves are folded */
		ALLOC(p->value, k->rows->start[k->n]);
	ALLOC(k->row, most);
	for (size_t i = 0; i < most; i++)
		k->row[i] = FOLDED;
}

/* What the rows are, and where each node's is. */
static void lay_rows(struct ranked *k)
{
	const struct csr *a = k->rows;
	struct filter_plan *p = &k->plan;
	size_t nodes = 0, ghost = 0;
	uint32_t *place = places(k);

	plan_init(k, k->n + k->ghosts);
	for (size_t i = 0; i < k->n; i++) {
		double degree = 1;

		for (size_t e = a->start[i]; e < a->start[i + 1]; e++)
			degree += a->value ? a->value[e] : 1;

		if (!k->gone[i]) {
			k->row[i] = (uint32_t)p->n;
			p->order[nodes++] = (uint32_t)i;
			add_row(k, 1 / sqrt(degree), 1, &nodes);
		}
		for (size_t e = a->start[i]; e < a->start[i + 1];) {
			uint32_t at[FOLD_MOST];
			size_t count = next_group(k, i, &e, at);

			if (count < 2 || !k->gone[at[0]])
				continue;
			k->row[at[0]] = (uint32_t)p->n;
			for (size_t j = 0; j < count; j++)
				p->order[nodes++] = at[j] < k->n ? at[j] : place[at[j] - k->n];
			add_row(k, 1 / sqrt(2.0), count, &nodes);
		}
	}
	for (size_t g = 0; g < k->ghosts; g++)
		if (!k->gone[k->n + g])
			k->row[k->n + g] = (uint32_t)(p->n + ghost++);
	k->ghosts = ghost;
	free(place);
}

/* Entries, in the order of rows. */
static void lay_entries(struct ranked *k)
{
	const struct csr *a = k->rows;
	struct filter_plan *p = &k->plan;
	size_t to = 0, row = 0;

	for (size_t i = 0; i < k->n; i++) {
		if (!k->gone[i]) {
			for (size_t e = a->start[i]; e < a->start[i + 1]; e++) {
				if (k->row[k->at[e]] == FOLDED)
					continue;
				if (p->value)
					p->value[to] = a->value[e];
				p->index[to++] = k->row[k->at[e]];
			}
			p->start[++row] = to;
		}
		for (size_t e = a->start[i]; e < a->start[i + 1];) {
			uint32_t at[FOLD_MOST];

			if (next_group(k, i, &e, at) < 2 || !k->gone[at[0]])
				continue;
			p->index[to++] = k->row[i];
			p->start[++row] = to;
		}
	}
	assert(row == p->n);
}

/* Rows of leaves go to those with whom they lie, and back. */
static void send_rows(const struct ranked *k, const struct lists *out, const struct mat *from,
		      const struct lists *in, struct mat *to)
{
	size_t count = lists_all(out, k->R), m = from->cols;
	double *box = alloc(count, m * sizeof(*box));

	for (size_t i = 0; i < count; i++)
		memcpy(box + i * m, ROW(from, out->item[i]), m * sizeof(*box));
	k->R->exchange(k->R->ctx, m * sizeof(*box), box, out->count, to->a, in->count);
	free(box);
}

static double *x_row(const struct ranked *k, struct mat *X, size_t row)
{
	return row < k->n ? ROW(X, row) : ROW(&k->X, row - k->n);
}

static void load(const struct ranked *k, struct mat *X, size_t column, size_t width, double *y)
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
static void store(const struct ranked *k, struct mat *X, size_t column, size_t width,
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

/* What others asked for is gathered where the step writes next, unless it reads there, too: it has
 * gone when the step begins. */
static void filter_panels(struct ranked *k, struct mat *X)
{
	size_t rows = k->plan.n, all = rows + k->ghosts, given = lists_all(&k->give, k->R);
	size_t bytes = PANEL * sizeof(double), room = given > all ? given : all;
	double *owned = alloc(2 * room * PANEL + SIMD_LINE, sizeof(double));
	double *y = simd_line(owned), *z = y + room * PANEL;
	double *box = steps_look_back(&k->steps) ? alloc(given, bytes) : NULL;

	for (size_t column = 0; column < X->cols; column += PANEL) {
		size_t width = min_size(PANEL, X->cols - column);

		load(k, X, column, width, y);
		for (size_t t = 0; t < k->steps.count; t++) {
			double *old = y, *out = box ? box : z;

			for (size_t i = 0; i < given; i++)
				memcpy(out + i * PANEL, y + k->give.item[i] * PANEL, bytes);
			k->R->exchange(k->R->ctx, bytes, out, k->give.count, y + rows * PANEL,
				       k->want.count);
			SIMD_PICK_512(rank_step)(&k->plan, 0, rows, &k->steps.step[t], y, z);
			y = z;
			z = old;
		}
		store(k, X, column, width, y);
	}
	free(box);
	free(owned);
}

/* Whom each row is joined to, and which leaves lie where. */
static void prepare(struct ranked *k, unsigned psi)
{
	size_t given;

	find_ghosts(k);
	find_leaves(k);
	ALLOC(k->gone, k->n + k->ghosts);
	if (psi > 1 && folds(k)) {
		take_leaves(k);
	} else {
		lists_init(&k->taken, k->R, 0);
		lists_init(&k->sent, k->R, 0);
	}
	for (size_t g = 0; g < k->ghosts; g++)
		k->want.item[g] = (uint32_t)(k->n + g);
	drop_gone(&k->want, k->R, k->gone);
	drop_gone(&k->give, k->R, k->gone);
	lay_rows(k);
	lay_entries(k);
	given = lists_all(&k->give, k->R);
	for (size_t i = 0; i < given; i++)
		k->give.item[i] = k->row[k->give.item[i]];
}

/* What only the plan was made of, before the panels take memory. */
static void drop_sources(struct ranked *k)
{
	csr_release(k->rows);
	free(k->ghost);
	free(k->at);
	free(k->row);
	free(k->leaf);
	free(k->gone);
	k->ghost = k->at = k->row = NULL;
	k->leaf = k->gone = NULL;
}

/* Filtered leaves to where they are from: the taken ones are k->X's rows one by one. */
static void give_back(struct ranked *k, struct mat *X)
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

static void ranked_release(struct ranked *k)
{
	mat_release(&k->X);
	filter_plan_release(&k->plan);
	lists_release(&k->want);
	lists_release(&k->give);
	lists_release(&k->taken);
	lists_release(&k->sent);
}

void ranks_filter(const struct ranks *R, struct csr *rows, unsigned psi, struct mat *X)
{
	struct ranked k = { .R = R, .rows = rows, .n = ranks_rows(R), .first = R->cut[R->own] };

	assert(rows->rows == k.n && X->rows == k.n);
	if (psi == 0) {
		csr_release(rows);
		return;
	}
	prepare(&k, psi);
	drop_sources(&k);
	mat_init(&k.X, lists_all(&k.taken, R), X->cols);
	send_rows(&k, &k.sent, X, &k.taken, &k.X);
	filter_steps_init(&k.steps, psi);
	filter_panels(&k, X);
	filter_steps_release(&k.steps);
	give_back(&k, X);
	ranked_release(&k);
}
