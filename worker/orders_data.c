#include "worker/state.h"
#include "common/base/alloc.h"
#include "common/data/npy.h"
#include "common/ranks/read.h"
#include "common/ranks/rename.h"
#include "worker/link.h"

#include <stdlib.h>
#include <string.h>

void order_drop_data(struct state *s)
{
	order_end(&s->search);
	slice_release(&s->slice);
	placing_release(&s->place);
	graph_release(&s->g);
	features_release(&s->X);
	mat_release(&s->Z);
	mat_release(&s->c);
	fedsc_party_release(&s->party);
	free(s->given);
	free(s->sums);
	s->given = s->sums = NULL;
	ranks_release(s->R);
	free(s->features);
	free(s->moved);
	s->features = NULL;
	s->moved = NULL;
	free(s->label);
	s->label = NULL;
}

enum err order_read_files(struct state *s)
{
	struct csr rows = { 0 };

	order_drop_data(s);
	TRY(ranks_read_features(s->R, s->order.features, &s->X));
	if (*s->order.edges)
		TRY(ranks_read_edges(s->R, s->order.edges, &rows));
	s->features = alloc_copy(s->order.features);
	s->read = link_cost();
	s->embedded = (struct ranks_cost){ 0 };
	ALLOC(s->label, ranks_rows(s->R));
	if (*s->order.edges) {
		graph_init_part(&s->g, &rows, s->R);
		s->reply.neighbours = graph_neighbours(&s->g);
	}
	s->reply.weighted = s->g.adjacency.value != NULL;
	s->reply.n = s->R->n;
	s->reply.cols = features_cols(&s->X);
	s->reply.is_sparse = s->X.is_sparse;
	if (s->X.is_sparse)
		s->reply.entries = ranks_total(s->R, s->X.sparse.start[s->X.sparse.rows]);
	return ERR_OK;
}

enum err order_rename_rows(struct state *s)
{
	uint32_t *place = alloc(ranks_rows(s->R), sizeof(*place));
	struct csr rows = s->g.adjacency;

	state_receive_rows(s, sizeof(*place), place);
	ranks_rename(s->R, place, &s->X, &rows);
	s->g.adjacency = (struct csr){ 0 };
	graph_release(&s->g);
	if (rows.start)
		graph_init_part(&s->g, &rows, s->R);
	free(s->moved);
	s->moved = place;
	s->read = link_cost();
	return ERR_OK;
}

enum err orders_read_again(void *arg, struct features *X)
{
	struct state *s = arg;
	struct csr none = { 0 };
	size_t first = s->R->cut[s->R->own], rows = ranks_rows(s->R);
	enum err e;

	*X = (struct features){ 0 };
	e = npy_read_rows(s->features, first, rows, &X->dense);
	if (e == ERR_OK && (X->dense.rows != rows || X->dense.cols != s->slice.columns))
		e = err_set(ERR_INPUT, "%s: has changed since it was read", s->features);
	e = ranks_agree(s->R, e);
	if (e != ERR_OK)
		mat_release(&X->dense);
	else if (s->moved)
		ranks_rename(s->R, s->moved, X, &none);
	return e;
}

static void make_starts(struct state *s, size_t first, size_t count, void *to)
{
	memcpy(to, s->start + first, count * sizeof(*s->start));
}

static void make_index(struct state *s, size_t first, size_t count, void *to)
{
	memcpy(to, s->sent->index + first, count * sizeof(*s->sent->index));
}

static void make_values(struct state *s, size_t first, size_t count, void *to)
{
	memcpy(to, s->sent->value + first, count * sizeof(*s->sent->value));
}

static void make_weighted(struct state *s, size_t first, size_t count, void *to)
{
	const struct csr *a = s->sent;
	struct ranks_neighbour *each = to;

	for (size_t i = 0; i < count; i++)
		each[i] = (struct ranks_neighbour){ a->value ? a->value[first + i] : 1,
						    a->index[first + i] };
}

/* Of all ranks' rows together. */
static void send_starts(struct state *s, const struct csr *rows)
{
	size_t n = rows->rows, entries = rows->start[n], before = 0, zero = 0;
	size_t *each = ranks_all(s->R, sizeof(entries), &entries);

	for (size_t q = 0; q < s->R->own; q++)
		before += each[q];
	free(each);
	ALLOC(s->start, n);
	for (size_t i = 0; i < n; i++)
		s->start[i] = before + rows->start[i + 1];
	state_send_told(s, &zero, sizeof(zero));
	state_send_up(s, sizeof(*s->start), n, RANKS_FRAME_MAX / sizeof(*s->start), make_starts);
	free(s->start);
	s->start = NULL;
}

static void send_entries(struct state *s, const struct csr *rows, size_t bytes, produce *make)
{
	s->sent = rows;
	state_send_up(s, bytes, rows->start[rows->rows], RANKS_FRAME_MAX / bytes, make);
}

static void send_csr(struct state *s, const struct csr *rows)
{
	send_starts(s, rows);
	send_entries(s, rows, sizeof(*rows->index), make_index);
	if (rows->value)
		send_entries(s, rows, sizeof(*rows->value), make_values);
}

void order_send_graph(struct state *s)
{
	send_csr(s, &s->g.adjacency);
}

void order_send_edges(struct state *s)
{
	send_starts(s, &s->g.adjacency);
	send_entries(s, &s->g.adjacency, sizeof(struct ranks_neighbour), make_weighted);
}

static void make_rows(struct state *s, size_t first, size_t count, void *to)
{
	const struct mat *X = &s->X.dense;

	memcpy(to, ROW(X, first), count * X->cols * sizeof(*X->a));
}

void order_send_features(struct state *s)
{
	size_t row = s->X.dense.cols * sizeof(double);

	if (s->X.is_sparse)
		send_csr(s, &s->X.sparse);
	else
		state_send_up(s, row, s->X.dense.rows,
			      row < RANKS_FRAME_MAX ? RANKS_FRAME_MAX / row : 1, make_rows);
}
