#include "cli/synth/planted_graphs.h"
#include "cli/args/args.h"
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/file.h"
#include "common/base/rng.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_CLASSES = 0x6772617068, STREAM_EDGES, STREAM_ATTRIBUTES };

enum { EDGES, INDICATOR, LABELS, ATTRIBUTES, FILES };
struct texts {
	struct buf file[FILES];
	size_t nodes, written;
};

/* One graph: its adjacency matrix. */
struct sketch {
	size_t n;
	bool *edge; /* n x n, symmetric */
};

static void planted_graphs_add_edge(struct sketch *s, size_t u, size_t v)
{
	s->edge[u * s->n + v] = s->edge[v * s->n + u] = u != v;
}

/* Draws an edge of the pattern with probability `signal`, otherwise one between any two nodes. */
static void planted_graphs_draw_edge(struct sketch *s, size_t u, size_t v, double signal,
				     struct rng *rng)
{
	if (rng_unit(rng) < signal)
		planted_graphs_add_edge(s, u, v);
	else
		planted_graphs_add_edge(s, rng_below(rng, s->n), rng_below(rng, s->n));
}

static void draw_all(struct sketch *s, size_t clique, double signal, struct rng *rng)
{
	for (size_t first = 0; first < s->n; first += clique) {
		size_t end = first + clique < s->n ? first + clique : s->n;

		if (first)
			planted_graphs_draw_edge(s, first, rng_below(rng, first), signal, rng);
		for (size_t u = first; u < end; u++)
			for (size_t v = u + 1; v < end; v++)
				planted_graphs_draw_edge(s, u, v, signal, rng);
	}
	if (s->n > 1) /* so that every graph has an edge */
		planted_graphs_add_edge(s, 0, 1);
}

/* Prints both directions of each edge, as the published sets do. Nodes are counted from 1 over all
 * graphs. */
static void print_edges(const struct sketch *s, struct texts *t)
{
	for (size_t u = 0; u < s->n; u++)
		for (size_t v = 0; v < s->n; v++)
			if (s->edge[u * s->n + v]) {
				buf_printf(&t->file[EDGES], "%zu, %zu\n", t->nodes + u + 1,
					   t->nodes + v + 1);
				t->written++;
			}
}

static void print_graphs(const struct planted_graphs_params *p, const uint32_t *class,
			 struct texts *t)
{
	struct rng edges, attributes;

	rng_seed(&edges, p->seed, STREAM_EDGES);
	rng_seed(&attributes, p->seed, STREAM_ATTRIBUTES);
	for (size_t g = 0; g < p->graphs; g++) {
		size_t least = p->size * 3 / 4 > 2 ? p->size * 3 / 4 : 2;
		struct sketch s = { .n = least + rng_below(&edges, p->size / 2 + 1) };

		ALLOC(s.edge, s.n * s.n);
		draw_all(&s, 2 + 2 * (size_t) class[g], p -> signal, &edges);
		print_edges(&s, t);
		for (size_t a = 0; a < s.n * p->attributes; a++) {
			size_t j = a % p->attributes;

			buf_printf(&t->file[ATTRIBUTES], "%.6f%s",
				   rng_normal(&attributes) + (j == class[g] % p->attributes),
				   j + 1 < p->attributes ? ", " : "\n");
		}
		for (size_t u = 0; u < s.n; u++)
			buf_printf(&t->file[INDICATOR], "%zu\n", g + 1);
		buf_printf(&t->file[LABELS], "%u\n", class[g] + 1);
		t->nodes += s.n;
		free(s.edge);
	}
}

enum err planted_graphs_write(const char *dir, const struct planted_graphs_params *p,
			      struct planted_graphs_counts *counts)
{
	static const char *const what[FILES] = { "A", "graph_indicator", "graph_labels",
						 "node_attributes" };
	struct texts t = { 0 };
	char *path, file[512];
	const char *slash;
	uint32_t *class;
	struct rng rng;
	enum err err;

	assert(p->classes >= 1 && p->classes <= PLANTED_GRAPHS_CLASSES_MAX && p->size >= 2);
	if (p->classes > p->graphs)
		return err_set(ERR_INPUT, "%zu classes of %zu graphs, expected at most as many",
			       p->classes, p->graphs);
	ALLOC(class, p->graphs);
	for (size_t g = 0; g < p->graphs; g++)
		class[g] = (uint32_t)(g % p->classes);
	rng_seed(&rng, p->seed, STREAM_CLASSES);
	rng_shuffle(&rng, class, p->graphs);
	print_graphs(p, class, &t);
	*counts = (struct planted_graphs_counts){ t.nodes, t.written / 2 };
	free(class);
	path = alloc_copy(dir);
	for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
		path[n - 1] = 0;
	slash = strrchr(path, '/');
	err = file_make_new_dir(dir);
	for (int i = 0; i < FILES; i++) {
		snprintf(file, sizeof(file), "%s_%s.txt", slash ? slash + 1 : path, what[i]);
		if (!err && t.file[i].n)
			err = args_write(dir, file, &t.file[i]);
		buf_release(&t.file[i]);
	}
	free(path);
	return err;
}
