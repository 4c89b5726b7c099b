#include "cli/args/pooled_graph.h"
#include "common/base/alloc.h"
#include "common/data/dataset.h"
#include "common/data/edges.h"
#include "common/data/labels.h"

#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_ROOM = 12 };

static enum err pooled_graph_read_named(const struct dataset_files *f, struct pooled_graph *g)
{
	struct dataset d;

	TRY(dataset_load(&d, NULL, f->edges, f->ids));
	g->n = d.n;
	g->S = d.g.adjacency;
	d.g.adjacency = (struct csr){ 0 };
	g->ids = d.ids;
	d.ids = (struct ids){ 0 };
	dataset_release(&d);
	ALLOC(g->id, g->n + 1);
	for (size_t i = 0; i < g->n; i++)
		g->id[i] = g->ids.id[i];
	return ERR_OK;
}

static enum err read_numbered(const char *edges, size_t n, struct pooled_graph *g)
{
	struct edges_dropped dropped;

	TRY(edges_read(edges, n, NULL, &g->S, &dropped));
	g->n = n;
	g->numbers = alloc(n + 1, NUMBER_ROOM);
	ALLOC(g->id, n + 1);
	for (size_t i = 0; i < n; i++) {
		g->id[i] = g->numbers + NUMBER_ROOM * i;
		snprintf(g->id[i], NUMBER_ROOM, "%u", (unsigned)i);
	}
	return ERR_OK;
}

enum err pooled_graph_read(const char *dir, struct pooled_graph *g)
{
	struct dataset_files f;
	struct labels l = { 0 };
	enum err err;

	*g = (struct pooled_graph){ 0 };
	TRY(dataset_find(dir, DATASET_EDGES, &f));
	err = f.labels ? labels_read(f.labels, &l) : ERR_OK;
	if (!err)
		err = f.labels && !f.ids ? read_numbered(f.edges, l.n, g)
					 : pooled_graph_read_named(&f, g);
	if (!err && f.labels && l.n != g->n)
		err = err_set(ERR_INPUT, "%s: %zu labels, expected %zu as %s has that many ids",
			      f.labels, l.n, g->n, f.ids);
	if (!err && f.labels) {
		ALLOC(g->truth, g->n + 1);
		/* The lines of labels.txt are in the order of ids.txt. */
		for (size_t i = 0; i < g->n; i++)
			g->truth[i] = l.label[f.ids ? g->ids.row[i] : i];
	}
	labels_release(&l);
	dataset_files_release(&f);
	if (err)
		pooled_graph_release(g);
	return err;
}

void pooled_graph_release(struct pooled_graph *g)
{
	csr_release(&g->S);
	ids_release(&g->ids);
	free(g->numbers);
	free(g->truth);
	free(g->id);
	*g = (struct pooled_graph){ 0 };
}

size_t pooled_graph_isolated(const struct pooled_graph *g)
{
	size_t count = 0;

	for (size_t i = 0; i < g->n; i++)
		count += g->S.start[i] == g->S.start[i + 1];
	return count;
}
