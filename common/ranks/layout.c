#include "common/ranks/layout.h"
#include "common/base/alloc.h"
#include "common/graph/graph.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t FOLDED = UINT32_MAX;

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

size_t lists_all(const struct lists *l, const struct ranks *R)
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

static bool is_own(const struct ranks_steps *k, uint32_t j)
{
	return j >= k->first && j < k->first + k->n;
}

/* Which rows of others these are joined to; their owners are told. */
static void find_ghosts(struct ranks_steps *k)
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

static void find_degrees(struct ranks_steps *k)
{
	size_t asked = lists_all(&k->give, k->R);
	uint32_t *out = alloc(asked, sizeof(*out));

	ALLOC(k->degree, k->n + k->ghosts);
	for (size_t i = 0; i < k->n; i++)
		k->degree[i] = (uint32_t)(k->rows->start[i + 1] - k->rows->start[i]);
	for (size_t i = 0; i < asked; i++)
		out[i] = k->degree[k->give.item[i]];
	k->R->exchange(k->R->ctx, sizeof(*out), out, k->give.count, k->degree + k->n,
		       k->want.count);
	free(out);
}

/* Of edges with weights no number of neighbours says D^-1/2; the mean filter's row sums want it of
 * all. */
static void find_enters(struct ranks_steps *k)
{
	size_t asked = lists_all(&k->give, k->R);
	double *out;

	if (!k->rows->value || k->kind != FILTER_MEAN)
		return;
	out = alloc(asked, sizeof(*out));
	ALLOC(k->enter, k->n + k->ghosts);
	for (size_t i = 0; i < k->n; i++)
		k->enter[i] = graph_inv_sqrt_deg(k->rows, i);
	for (size_t i = 0; i < asked; i++)
		out[i] = k->enter[k->give.item[i]];
	k->R->exchange(k->R->ctx, sizeof(*out), out, k->give.count, k->enter + k->n, k->want.count);
	free(out);
}

static bool is_leaf(const struct ranks_steps *k, uint32_t at)
{
	return k->degree[at] == 1;
}

static size_t leaves_of(const struct ranks_steps *k, size_t i)
{
	size_t leaves = 0;

	for (size_t e = k->rows->start[i]; e < k->rows->start[i + 1]; e++)
		leaves += is_leaf(k, k->at[e]);
	return leaves;
}

/* As filter_plan_fold(): whether an eighth of the rows of all go. */
static bool folds(const struct ranks_steps *k)
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
static size_t next_group(const struct ranks_steps *k, size_t i, size_t *e,
			 uint32_t at[static FOLD_MOST])
{
	size_t count = 0;

	for (; *e < k->rows->start[i + 1] && count < FOLD_MOST; ++*e)
		if (is_leaf(k, k->at[*e]))
			at[count++] = k->at[*e];
	return count;
}

/* Which leaves lie in rows of several, and with whom. */
static void take_leaves(struct ranks_steps *k)
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

/* D^-1/2 of a node, where near_of() is looked at. */
static double enter_of(const struct ranks_steps *k, uint32_t at)
{
	return k->enter ? k->enter[at] : 1 / sqrt(1 + (double)k->degree[at]);
}

/* filter_plan.c's plan_weigh(). near: D^-1/2 of the node and then of its neighbours, added up. */
static double keep_of(enum filter_kind kind, double enter, double near)
{
	if (kind == FILTER_MEAN)
		return 1 / (1 + enter * near);
	return kind == FILTER_PLAIN ? 0 : 0.5;
}

static double near_of(const struct ranks_steps *k, size_t i)
{
	const struct csr *a = k->rows;
	double sum = enter_of(k, (uint32_t)i);

	for (size_t e = a->start[i]; e < a->start[i + 1]; e++)
		sum += (a->value ? a->value[e] : 1) * enter_of(k, k->at[e]);
	return sum;
}

/* A row of the plan: its node's, or its leaves' of one node. */
static void add_row(struct ranks_steps *k, double enter, double near, size_t leaves, size_t *nodes)
{
	struct filter_plan *p = &k->plan;
	double keep = keep_of(k->kind, enter, near), all;
	double take = k->kind == FILTER_PLAIN ? 1 : keep;

	take *= enter * enter;
	all = (double)leaves * take;
	p->keep[p->n] = leaves > 1 ? keep + take - all : keep;
	p->take[p->n] = all;
	p->enter[p->n] = enter;
	p->of[++p->n] = *nodes;
}

/* Of each ghost taken: its row behind X's. Owned by the caller. */
static uint32_t *places(const struct ranks_steps *k)
{
	size_t taken = lists_all(&k->taken, k->R);
	uint32_t *place;

	ALLOC(place, k->ghosts);
	for (size_t i = 0; i < taken; i++)
		place[k->taken.item[i] - k->n] = (uint32_t)(k->n + i);
	return place;
}

static void plan_init(struct ranks_steps *k, size_t most)
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
static void lay_rows(struct ranks_steps *k)
{
	const struct csr *a = k->rows;
	struct filter_plan *p = &k->plan;
	size_t nodes = 0, ghost = 0;
	uint32_t *place = places(k);
	const double leaf = 1 / sqrt(2.0); /* D^-1/2 of one */

	plan_init(k, k->n + k->ghosts);
	for (size_t i = 0; i < k->n; i++) {
		double enter = graph_inv_sqrt_deg(k->rows, i);

		if (!k->gone[i]) {
			k->row[i] = (uint32_t)p->n;
			p->order[nodes++] = (uint32_t)i;
			add_row(k, enter, near_of(k, i), 1, &nodes);
		}
		for (size_t e = a->start[i]; e < a->start[i + 1];) {
			uint32_t at[FOLD_MOST];
			size_t count = next_group(k, i, &e, at);

			if (count < 2 || !k->gone[at[0]])
				continue;
			k->row[at[0]] = (uint32_t)p->n;
			for (size_t j = 0; j < count; j++)
				p->order[nodes++] = at[j] < k->n ? at[j] : place[at[j] - k->n];
			add_row(k, leaf, leaf + enter, count, &nodes);
		}
	}
	for (size_t g = 0; g < k->ghosts; g++)
		if (!k->gone[k->n + g])
			k->row[k->n + g] = (uint32_t)(p->n + ghost++);
	k->ghosts = ghost;
	free(place);
}

/* Entries, in the order of rows. */
static void lay_entries(struct ranks_steps *k)
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

/* Whom each row is joined to, and which leaves lie where. */
static void prepare(struct ranks_steps *k, bool fold)
{
	size_t given;

	find_ghosts(k);
	find_degrees(k);
	find_enters(k);
	ALLOC(k->gone, k->n + k->ghosts);
	if (fold && folds(k)) {
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
static void drop_sources(struct ranks_steps *k)
{
	free(k->ghost);
	free(k->at);
	free(k->row);
	free(k->degree);
	free(k->enter);
	free(k->gone);
	k->ghost = k->at = k->row = NULL;
	k->degree = NULL;
	k->enter = NULL;
	k->gone = NULL;
	k->rows = NULL;
}

void ranks_layout_release(struct ranks_steps *k)
{
	mat_release(&k->X);
	filter_plan_release(&k->plan);
	lists_release(&k->want);
	lists_release(&k->give);
	lists_release(&k->taken);
	lists_release(&k->sent);
}

struct ranks_steps ranks_layout(const struct ranks *R, const struct csr *rows,
				enum filter_kind kind, bool fold)
{
	struct ranks_steps k = {
		.R = R, .rows = rows, .kind = kind, .n = ranks_rows(R), .first = R->cut[R->own]
	};

	assert(rows->rows == k.n && kind != FILTER_SPECTRAL);
	prepare(&k, fold);
	drop_sources(&k);
	return k;
}
