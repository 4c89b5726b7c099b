#include "common/base/alloc.h"
#include "common/data/dataset.h"
#include "common/ranks/read.h"
#include "worker/link.h"
#include "worker/state.h"

#include <stdlib.h>
#include <string.h>

static enum err read_files(struct state *s)
{
	const struct csr *sparse = &s->X.sparse;
	struct ranks_sizes *sizes = &s->reply.sizes;
	struct csr rows;

	state_drop(s);
	s->embedded = (struct ranks_cost){ 0 };
	TRY(ranks_read_features(s->R, s->command.features, &s->X));
	if (*s->command.edges) {
		TRY(ranks_read_edges(s->R, s->command.edges, &rows));
		graph_init_part(&s->g, &rows, s->R);
		sizes->neighbours = graph_neighbours(&s->g);
	}
	s->features = alloc_copy(s->command.features);
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

void command_read(struct state *s)
{
	(void)state_reply(s, read_files(s));
}

void command_rename(struct state *s)
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

/* Sends for each row of all ranks where it ends: the number of entries up to there. Sends a 0
 * first. */
static void send_starts(struct state *s, const struct csr *rows)
{
	size_t before = ranks_before(s->R, rows->start[rows->rows]), zero = 0;
	size_t *end = alloc(rows->rows, sizeof(*end));

	for (size_t i = 0; i < rows->rows; i++)
		end[i] = before + rows->start[i + 1];
	state_send_common(s, &zero, sizeof(zero));
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

void command_graph(struct state *s)
{
	if (state_reply(s, ERR_OK))
		send_csr(s, &s->g.adjacency);
}

/* Position of the next edge to send: entry `next` of `a`, in row `row` of this rank. That row
 * has number `first + row` among the rows of all ranks. */
struct edges {
	const struct csr *a;
	size_t first, row, next;
	char *to;
};

static void append_edge(void *edges, const void *p, size_t n)
{
	struct edges *e = edges;

	memcpy(e->to, p, n);
	e->to += n;
}

static void commands_make_edges(void *edges, size_t first, size_t count, void *to)
{
	struct edges *e = edges;
	const struct csr *a = e->a;

	(void)first;
	for (e->to = to; e->to < (char *)to + count * DATASET_EDGE_LEN; e->next++) {
		while (e->next == a->start[e->row + 1])
			e->row++;
		dataset_feed_neighbour(e->first + e->row, a->index[e->next],
				       a->value ? a->value[e->next] : 1, append_edge, e);
	}
}

void command_edges(struct state *s)
{
	const struct csr *a = &s->g.adjacency;
	struct edges e = { .a = a, .first = ranks_first(s->R) };
	size_t count = 0;

	for (size_t i = 0; i < a->rows; i++)
		for (size_t at = a->start[i]; at < a->start[i + 1]; at++)
			count += a->index[at] >= e.first + i;
	if (state_reply(s, ERR_OK))
		state_send_made(s, DATASET_EDGE_LEN, count, RANKS_FRAME_MAX / DATASET_EDGE_LEN,
				commands_make_edges, &e);
}

void command_features(struct state *s)
{
	const struct mat *X = &s->X.dense;

	if (!state_reply(s, ERR_OK))
		return;
	if (s->X.is_sparse)
		send_csr(s, &s->X.sparse);
	else
		state_send_items(s, X->cols * sizeof(*X->a), X->rows, X->a);
}
