#include "common/graph/filter_peers.h"
#include "common/base/alloc.h"
#include "common/graph/filter_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct layout {
	const struct csr *a;
	struct halo h;
	const double *enter;
	/* Per own node and per adjacent node of another rank: true if it is a leaf that now belongs
	 * to the rank of its neighbour. */
	bool *gone;
	uint32_t *number; /* per node: its number in struct filter_nodes */
	/* leaves taken from other ranks, and the neighbour of each leaf, as numbers in struct
	 * filter_nodes */
	uint32_t *taken, *of;
	size_t taken_count;
};

/* -- leaves --------------------------------------------------------------------------------- */

static bool is_leaf(const struct layout *l, uint32_t at)
{
	return l->enter[at] == 1 / sqrt(2.0); /* degree 1; edges have no weights here */
}

/* Returns the number of rows saved if the leaves of each node of this process are folded. */
static size_t count_folded(const struct layout *l)
{
	size_t go = 0;

	for (size_t i = 0; i < l->a->rows; i++) {
		size_t leaves = 0;

		for (size_t e = l->a->start[i]; e < l->a->start[i + 1]; e++)
			leaves += is_leaf(l, l->h.at[e]);
		go += leaves - (leaves + FOLD_MOST - 1) / FOLD_MOST;
	}
	return go;
}

static bool folds(const struct layout *l)
{
	size_t go;

	if (l->a->value) /* all ranks have weights, or none has */
		return false;
	go = ranks_total(l->h.R, count_folded(l));
	return go > 0 && 8 * go >= ranks_n(l->h.R, l->a->rows);
}

/* Finds the next group of leaves of node i to fold. Returns their number, writes the leaves to
 * at[], and advances e. */
static size_t next_group(const struct layout *l, size_t i, size_t *e, uint32_t at[static FOLD_MOST])
{
	size_t count = 0;

	for (; *e < l->a->start[i + 1] && count < FOLD_MOST; ++*e)
		if (is_leaf(l, l->h.at[*e]))
			at[count++] = l->h.at[*e];
	return count;
}

static void list_taken(struct layout *l, const uint32_t *node_of, struct filter_peers *p)
{
	struct rows_by_rank told;
	size_t n = l->a->rows;

	rows_by_rank_init(&told, p->R, l->h.count);
	ALLOC(l->taken, l->h.count);
	ALLOC(l->of, l->h.count);
	for (size_t g = 0; g < l->h.count; g++) {
		size_t owner = ranks_owner(p->R, l->h.row[g]);

		if (!l->gone[n + g])
			continue;
		told.item[l->taken_count] = l->h.row[g];
		told.count[owner]++;
		l->of[l->taken_count] = node_of[g];
		l->taken[l->taken_count++] = (uint32_t)(n + g);
	}
	rows_by_rank_exchange(p->R, &told, &p->sent);
	memcpy(p->taken, told.count, p->R->count * sizeof(*p->taken));
	rows_by_rank_release(&told);
}

/* Moves leaves that are to share a row to the rank of their neighbour. */
static void take_leaves(struct layout *l, struct filter_peers *p)
{
	uint32_t *node_of = alloc(l->h.count, sizeof(*node_of)), at[FOLD_MOST];
	size_t n = l->a->rows, all;

	for (size_t i = 0; i < n; i++)
		for (size_t e = l->a->start[i]; e < l->a->start[i + 1];) {
			size_t count = next_group(l, i, &e, at);

			for (size_t j = 0; count > 1 && j < count; j++) {
				if (at[j] < n)
					continue;
				l->gone[at[j]] = true;
				node_of[at[j] - n] = (uint32_t)i;
			}
		}
	list_taken(l, node_of, p);
	free(node_of);
	all = rows_by_rank_all(&p->sent, p->R);
	for (size_t i = 0; i < all; i++)
		l->gone[p->sent.item[i]] = true;
}

/* -- nodes ---------------------------------------------------------------------------------- */

/* Numbers the own nodes that stay, then the leaves taken from other ranks, then the rows of other
 * ranks that these nodes read. */
static void number_nodes(struct layout *l, struct filter_nodes *s)
{
	size_t n = l->a->rows;

	ALLOC(s->node, n + l->taken_count);
	for (size_t i = 0; i < n; i++)
		if (!l->gone[i]) {
			l->number[i] = (uint32_t)s->rows;
			s->node[s->rows++] = (uint32_t)i;
		}
	for (size_t t = 0; t < l->taken_count; t++) {
		l->number[l->taken[t]] = (uint32_t)s->rows;
		s->node[s->rows++] = (uint32_t)(n + t);
	}
	for (size_t at = n; at < n + l->h.count; at++)
		if (!l->gone[at])
			l->number[at] = (uint32_t)(s->rows + s->others++);
}

static void peers_lay_out(const struct layout *l, struct filter_nodes *s)
{
	const struct csr *a = l->a;
	size_t n = a->rows, to = 0, entries = a->start[n] + l->taken_count;

	ALLOC(s->start, s->rows + 1);
	ALLOC(s->index, entries);
	if (a->value)
		ALLOC(s->value, entries);
	for (size_t i = 0; i < s->rows; i++) {
		if (s->node[i] >= n)
			s->index[to++] = l->number[l->of[s->node[i] - n]];
		else
			for (size_t e = a->start[s->node[i]]; e < a->start[s->node[i] + 1]; e++) {
				if (s->value)
					s->value[to] = a->value[e];
				s->index[to++] = l->number[l->h.at[e]];
			}
		s->start[i + 1] = to;
	}
}

static void enter_by_number(const struct layout *l, struct filter_nodes *s)
{
	ALLOC(s->enter, s->rows + s->others);
	for (size_t at = 0; at < l->a->rows + l->h.count; at++)
		if (!l->gone[at] || at >= l->a->rows)
			s->enter[l->number[at]] = l->enter[at];
}

/* Removes the nodes marked `gone` from lists of count[q] nodes per rank. item NULL: the lists have
 * the nodes 0, 1, 2, ... kept NULL: only changes `count`. */
static void drop_gone(const struct ranks *R, const uint32_t *item, const bool *gone, size_t *count,
		      uint32_t *kept)
{
	size_t to = 0, from = 0;

	for (size_t q = 0; q < R->count; q++) {
		size_t end = from + count[q];

		for (count[q] = 0; from < end; from++)
			if (!gone[item ? item[from] : from]) {
				if (kept)
					kept[to] = item[from];
				count[q]++;
				to++;
			}
	}
}

static void part(struct layout *l, struct filter_nodes *s)
{
	const struct ranks *R = l->h.R;
	struct filter_peers *p = alloc(1, sizeof(*p));
	size_t n = l->a->rows, all = n + l->h.count;

	*p = (struct filter_peers){ .R = R, .n = n, .want = l->h.want, .give = l->h.give };
	ALLOC(p->taken, R->count);
	ALLOC(l->gone, all);
	ALLOC(l->number, all);
	if (s->fold)
		take_leaves(l, p);
	else
		rows_by_rank_init(&p->sent, R, 0);
	drop_gone(R, NULL, l->gone + n, p->want, NULL);
	drop_gone(R, p->give.item, l->gone, p->give.count, p->give.item);
	number_nodes(l, s);
	peers_lay_out(l, s);
	enter_by_number(l, s);
	s->peers = p;
	p->others = s->others;
	for (size_t i = 0, given = filter_peers_given(p); i < given; i++)
		p->give.item[i] = l->number[p->give.item[i]];
	l->h.want = NULL;
	l->h.give = (struct rows_by_rank){ 0 };
	free(l->gone);
	free(l->number);
	free(l->taken);
	free(l->of);
}

void filter_nodes_init(struct filter_nodes *s, const struct graph *g, bool fold)
{
	const struct csr *a = &g->adjacency;
	struct layout l = { .a = a, .enter = g->inv_sqrt_deg };
	double *enter = NULL;

	*s = (struct filter_nodes){ 0 };
	halo_init(&l.h, g->ranks, a);
	if (g->ranks) {
		enter = alloc(a->rows + l.h.count, sizeof(*enter));
		memcpy(enter, g->inv_sqrt_deg, a->rows * sizeof(*enter));
		halo_fetch(&l.h, sizeof(*enter), g->inv_sqrt_deg, enter + a->rows);
		l.enter = enter;
	}
	s->fold = fold && folds(&l);
	if (g->ranks) {
		part(&l, s);
	} else {
		s->rows = a->rows;
		s->start = a->start;
		s->index = a->index;
		s->value = a->value;
		s->enter = g->inv_sqrt_deg;
	}
	free(enter);
	halo_release(&l.h);
}

void filter_nodes_release(struct filter_nodes *s)
{
	if (s->peers) {
		free(s->start);
		free(s->index);
		free(s->value);
		free(s->enter);
		free(s->node);
	}
	*s = (struct filter_nodes){ 0 };
}

/* -- exchange of rows ----------------------------------------------------------------------- */

void filter_peers_free(struct filter_peers *p)
{
	if (!p)
		return;
	free(p->want);
	free(p->taken);
	rows_by_rank_release(&p->give);
	rows_by_rank_release(&p->sent);
	free(p);
}

void filter_peers_place(struct filter_peers *p, const uint32_t *row)
{
	size_t given = filter_peers_given(p);

	for (size_t i = 0; i < given; i++)
		p->give.item[i] = row[p->give.item[i]];
}

static size_t taken_of(const struct filter_peers *p)
{
	size_t all = 0;

	for (size_t q = 0; q < p->R->count; q++)
		all += p->taken[q];
	return all;
}

void filter_peers_take(const struct filter_peers *p, struct mat *X)
{
	size_t count = rows_by_rank_all(&p->sent, p->R), bytes = X->cols * sizeof(*X->a);
	char *out = alloc(count, bytes);

	X->rows = p->n + taken_of(p);
	X->a = alloc_again(X->a, X->rows, bytes);
	for (size_t i = 0; i < count; i++)
		memcpy(out + i * bytes, ROW(X, p->sent.item[i]), bytes);
	p->R->exchange(p->R->ctx, bytes, out, p->sent.count, ROW(X, p->n), p->taken);
	free(out);
}

void filter_peers_give_back(const struct filter_peers *p, struct mat *X)
{
	size_t count = rows_by_rank_all(&p->sent, p->R), bytes = X->cols * sizeof(*X->a);
	char *in = alloc(count, bytes);

	p->R->exchange(p->R->ctx, bytes, ROW(X, p->n), p->taken, in, p->sent.count);
	for (size_t i = 0; i < count; i++)
		memcpy(ROW(X, p->sent.item[i]), in + i * bytes, bytes);
	free(in);
	X->rows = p->n;
	X->a = alloc_again(X->a, X->rows, bytes);
}

size_t filter_peers_given(const struct filter_peers *p)
{
	return rows_by_rank_all(&p->give, p->R);
}

void filter_peers_fetch(const struct filter_peers *p, size_t rows, size_t width, double *y,
			double *box)
{
	size_t given = filter_peers_given(p), bytes = width * sizeof(*y);

	for (size_t i = 0; i < given; i++)
		memcpy(box + i * width, y + p->give.item[i] * width, bytes);
	p->R->exchange(p->R->ctx, bytes, box, p->give.count, y + rows * width, p->want);
}
