#include "common/base/alloc.h"
#include "common/ranks/read.h"
#include "worker/link.h"
#include "worker/state.h"

#include <stdlib.h>

static enum err read_files(struct state *s)
{
	const struct csr *sparse = &s->X.sparse;
	struct ranks_sizes *sizes = &s->reply.sizes;
	struct csr rows;

	state_drop(s);
	s->embedded = (struct ranks_cost){ 0 };
	TRY(ranks_read_features(s->R, s->order.features, &s->X));
	if (*s->order.edges) {
		TRY(ranks_read_edges(s->R, s->order.edges, &rows));
		graph_init_part(&s->g, &rows, s->R);
		sizes->neighbours = graph_neighbours(&s->g);
	}
	s->features = alloc_copy(s->order.features);
	s->read = link_cost();
	sizes->ranks = s->R->count;
	sizes->weighted = s->g.adjacency.value != NULL;
	sizes->n = s->R->n;
	sizes->cols = features_cols(&s->X);
	sizes->is_sparse = s->X.is_sparse;
	if (s->X.is_sparse)
		sizes->entries = ranks_total(s->R, sparse->start[sparse->rows]);
	return ERR_OK;
}

void order_read(struct state *s)
{
	(void)state_reply(s, read_files(s));
}

void order_rename(struct state *s)
{
	struct csr rows = s->g.adjacency;

	free(s->moved);
	ALLOC(s->moved, ranks_rows(s->R));
	state_receive_rows(s, sizeof(*s->moved), s->moved);
	ranks_rename(s->R, s->moved, &s->X, &rows);
	s->g.adjacency = (struct csr){ 0 };
	graph_release(&s->g);
	if (rows.start)
		graph_init_part(&s->g, &rows, s->R);
	s->read = link_cost();
	(void)state_reply(s, ERR_OK);
}

/* Sends the end of each row of all ranks, after a zero. */
static void send_starts(struct state *s, const struct csr *rows)
{
	size_t entries = rows->start[rows->rows], before = 0, zero = 0, *end;
	size_t *each = ranks_all(s->R, sizeof(entries), &entries);

	for (size_t q = 0; q < s->R->own; q++)
		before += each[q];
	free(each);
	ALLOC(end, rows->rows);
	for (size_t i = 0; i < rows->rows; i++)
		end[i] = before + rows->start[i + 1];
	state_send_told(s, &zero, sizeof(zero));
	state_send_items(s, sizeof(*end), rows->rows, end);
	free(end);
}

static void send_csr(struct state *s, const struct csr *rows)
{
	size_t entries = rows->start[rows->rows];

	send_starts(s, rows);
	state_send_items(s, sizeof(*rows->index), entries, rows->index);
	if (rows->value)
		state_send_items(s, sizeof(*rows->value), entries, rows->value);
}

void order_graph(struct state *s)
{
	if (state_reply(s, ERR_OK))
		send_csr(s, &s->g.adjacency);
}

static void make_neighbours(const void *adjacency, size_t first, size_t count, void *to)
{
	const struct csr *a = adjacency;
	struct ranks_neighbour *each = to;

	for (size_t i = first; i < first + count; i++)
		*each++ = (struct ranks_neighbour){ a->value ? a->value[i] : 1, a->index[i] };
}

void order_edges(struct state *s)
{
	const struct csr *a = &s->g.adjacency;
	const size_t bytes = sizeof(struct ranks_neighbour);

	if (!state_reply(s, ERR_OK))
		return;
	send_starts(s, a);
	state_send_made(s, bytes, a->start[a->rows], RANKS_FRAME_MAX / bytes, make_neighbours, a);
}

void order_features(struct state *s)
{
	const struct mat *X = &s->X.dense;

	if (!state_reply(s, ERR_OK))
		return;
	if (s->X.is_sparse)
		send_csr(s, &s->X.sparse);
	else
		state_send_items(s, X->cols * sizeof(*X->a), X->rows, X->a);
}
