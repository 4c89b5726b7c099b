/* What ranks read: files, rows and edges. */
#include "party/ranks/rank0.h"
#include "common/base/alloc.h"
#include "common/data/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum err put_path(char *to, const char *path)
{
	char *whole = !*path || *path == '/' ? NULL : realpath(path, NULL);
	int n = snprintf(to, RANKS_PATH_MAX, "%s", whole ? whole : path);

	free(whole);
	return n < RANKS_PATH_MAX
		   ? ERR_OK
		   : err_set(ERR_INPUT, "%s: a path longer than %d bytes", path, RANKS_PATH_MAX);
}

enum err workers_read(struct workers *w, const char *features, const char *edges)
{
	const struct ranks_reply *r = &w->reply;

	TRY(put_path(w->order.features, features));
	TRY(put_path(w->order.edges, edges ? edges : ""));
	TRY(rank0_ask(w, RANKS_READ));
	if (r->n < 1 || r->n > ROWS_MAX || r->cols < 1 || r->cols > COLS_MAX ||
	    r->neighbours > 2 * EDGES_MAX || (r->is_sparse && r->entries > 2 * EDGES_MAX))
		return err_set(ERR_INTERNAL, "ranks: %zu x %zu features and %zu neighbours", r->n,
			       r->cols, r->neighbours);
	w->sizes.n = r->n;
	w->sizes.cols = r->cols;
	w->sizes.neighbours = r->neighbours;
	w->sizes.weighted = r->weighted;
	w->sizes.is_sparse = r->is_sparse;
	w->sizes.entries = r->entries;
	return ERR_OK;
}

enum err workers_rename(struct workers *w, const uint32_t *place)
{
	return rank0_call(w, RANKS_RENAME, SENT(place, w->sizes.n));
}

/* start (n + 1): of that many entries. */
static enum err receive_starts(struct workers *w, enum ranks_op op, size_t *start, size_t entries)
{
	TRY(rank0_call(w, op, RECEIVED(start, w->sizes.n + 1)));
	for (size_t i = 0; i < w->sizes.n; i++)
		if (start[0] != 0 || start[i] > start[i + 1] || start[w->sizes.n] != entries)
			return err_set(ERR_INTERNAL, "ranks: starts of rows that do not rise");
	return ERR_OK;
}

static enum err receive_entries(struct workers *w, enum workers_part part, size_t entries,
				workers_entries *each, void *arg)
{
	size_t unit = part == WORKERS_INDEX ? sizeof(uint32_t) : sizeof(double);

	for (size_t left = entries * unit, count; left;) {
		TRY(rank0_piece(w, &left, unit, &count));
		each(arg, part, w->piece, count);
	}
	return ERR_OK;
}

enum err workers_graph(struct workers *w, size_t *start, workers_entries *each, void *arg)
{
	size_t entries = w->sizes.neighbours;

	TRY(receive_starts(w, RANKS_GRAPH, start, entries));
	TRY(receive_entries(w, WORKERS_INDEX, entries, each, arg));
	return w->sizes.weighted ? receive_entries(w, WORKERS_VALUES, entries, each, arg) : ERR_OK;
}

enum err workers_sparse(struct workers *w, size_t *start, workers_entries *each, void *arg)
{
	size_t entries = w->sizes.entries;

	TRY(receive_starts(w, RANKS_FEATURES, start, entries));
	TRY(receive_entries(w, WORKERS_INDEX, entries, each, arg));
	return receive_entries(w, WORKERS_VALUES, entries, each, arg);
}

enum err workers_rows(struct workers *w, workers_values *each, void *arg)
{
	TRY(rank0_ask(w, RANKS_FEATURES));
	return rank0_values(w, w->sizes.n * w->sizes.cols, each, arg);
}

struct edge_walk {
	const size_t *start;
	size_t row, at;
	dataset_feed *feed;
	void *arg;
};

static void feed_edge(struct edge_walk *k, uint32_t to, double weight)
{
	while (k->at >= k->start[k->row + 1])
		k->row++;
	dataset_feed_neighbour(k->row, to, weight, k->feed, k->arg);
	k->at++;
}

static void feed_plain(void *arg, enum workers_part part, const void *p, size_t count)
{
	const uint32_t *index = p;

	(void)part;
	for (size_t i = 0; i < count; i++)
		feed_edge(arg, index[i], 1);
}

static enum err feed_weighted(struct workers *w, size_t *start, struct edge_walk *k)
{
	const struct ranks_neighbour *each = (const void *)w->piece;

	TRY(receive_starts(w, RANKS_EDGES, start, w->sizes.neighbours));
	for (size_t left = w->sizes.neighbours * sizeof(*each), count; left;) {
		TRY(rank0_piece(w, &left, sizeof(*each), &count));
		for (size_t i = 0; i < count; i++)
			feed_edge(k, each[i].number, each[i].weight);
	}
	return ERR_OK;
}

enum err workers_feed_edges(struct workers *w, dataset_feed *feed, void *arg)
{
	size_t *start = alloc(w->sizes.n + 1, sizeof(*start));
	struct edge_walk k = { .start = start, .feed = feed, .arg = arg };
	enum err e;

	dataset_feed_graph(w->sizes.n, w->sizes.neighbours, feed, arg);
	e = w->sizes.weighted ? feed_weighted(w, start, &k)
			      : workers_graph(w, start, feed_plain, &k);
	free(start);
	return e;
}
