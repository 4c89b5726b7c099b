/* Reading on ranks: files, rows and edges. */
#include "party/ranks/rank0.h"
#include "common/base/alloc.h"
#include "common/data/limits.h"

#include <stdio.h>
#include <stdlib.h>

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
	const struct ranks_sizes *r = &w->reply.sizes;

	TRY(put_path(w->order.features, features));
	TRY(put_path(w->order.edges, edges ? edges : ""));
	TRY(rank0_ask(w, RANKS_READ));
	if (r->ranks != w->sizes.ranks || r->n < 1 || r->n > ROWS_MAX || r->cols < 1 ||
	    r->cols > COLS_MAX || r->neighbours > 2 * EDGES_MAX ||
	    (r->is_sparse && r->entries > 2 * EDGES_MAX))
		return err_set(ERR_INTERNAL, "ranks: %zu x %zu features and %zu neighbours", r->n,
			       r->cols, r->neighbours);
	w->sizes = *r;
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

enum err workers_csr(struct workers *w, enum ranks_op op, size_t *start, workers_entries *each,
		     void *arg)
{
	bool graph = op == RANKS_GRAPH, values = !graph || w->sizes.weighted;
	size_t entries = graph ? w->sizes.neighbours : w->sizes.entries;

	TRY(receive_starts(w, op, start, entries));
	TRY(receive_entries(w, WORKERS_INDEX, entries, each, arg));
	return values ? receive_entries(w, WORKERS_VALUES, entries, each, arg) : ERR_OK;
}

enum err workers_rows(struct workers *w, workers_values *each, void *arg)
{
	TRY(rank0_ask(w, RANKS_FEATURES));
	return rank0_values(w, w->sizes.n * w->sizes.cols, each, arg);
}

static enum err feed_edges(struct workers *w, size_t *start, dataset_feed *feed, void *arg)
{
	const struct ranks_neighbour *each = (const void *)w->piece;
	size_t row = 0, at = 0;

	TRY(receive_starts(w, RANKS_EDGES, start, w->sizes.neighbours));
	for (size_t left = w->sizes.neighbours * sizeof(*each), count; left;) {
		TRY(rank0_piece(w, &left, sizeof(*each), &count));
		for (size_t i = 0; i < count; i++, at++) {
			while (at >= start[row + 1])
				row++;
			dataset_feed_neighbour(row, each[i].number, each[i].weight, feed, arg);
		}
	}
	return ERR_OK;
}

enum err workers_feed_edges(struct workers *w, dataset_feed *feed, void *arg)
{
	size_t *start = alloc(w->sizes.n + 1, sizeof(*start));
	enum err e;

	dataset_feed_graph(w->sizes.n, w->sizes.neighbours, feed, arg);
	e = feed_edges(w, start, feed, arg);
	free(start);
	return e;
}
