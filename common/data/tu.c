#include "common/data/tu.h"
#include "common/base/sort.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/limits.h"
#include "common/data/text.h"
#include "common/data/value.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of graphs of a set. FedGCN's embeddings, labels and broadcasts have one row for
 * each graph. */
enum { TU_GRAPHS_MAX = 1 << 24 };

/* Maximum bytes of a file's name in errors, such as "MUTAG_A.txt". */
enum { WHERE_MAX = 300 };

struct source {
	char where[WHERE_MAX];
	struct text text;
};

static struct text *open_file(struct source *s, const char *name, const char *what,
			      struct bytes file)
{
	snprintf(s->where, sizeof(s->where), "%s_%s.txt", name, what);
	s->text = text_open(file, s->where);
	return &s->text;
}

/* Returns the next word of this line. Numbers are separated by blanks, by one comma, or by both.
 * Leaves a comma at the end of a line to text_end(), which reports it. */
static struct word next_word(struct text *t)
{
	struct text ahead = *t;
	struct word w = text_word(&ahead);
	const char *comma;

	if (w.n && *w.p == ',') {
		ahead.p = w.p + 1;
		w = text_word(&ahead);
		if (!w.n || *w.p == ',')
			return (struct word){ t->p, 0 };
	}
	comma = w.n ? memchr(w.p, ',', w.n) : NULL;
	if (comma)
		w.n = (size_t)(comma - w.p);
	t->p = w.p + w.n;
	return w;
}

/* ---- the graph of each node ---- */

static enum err read_indicator(struct bytes file, const char *name, struct graphs *g)
{
	struct source source;
	struct text *t = open_file(&source, name, "graph_indicator", file);
	size_t most = (file.n + 1) / 2, nodes = 0; /* non-empty lines take at least two bytes */

	most = most < TU_GRAPHS_MAX ? most : TU_GRAPHS_MAX;
	ALLOC(g->first, most + 1);
	while (text_line(t, 0)) {
		uint64_t graph;

		TRY(text_whole(t, 1, TU_GRAPHS_MAX, "graph", &graph));
		if (graph < g->count)
			return text_error(
			    t, "a node of graph %ju after nodes of graph %zu: indicators rise",
			    (uintmax_t)graph, g->count);
		if (graph > g->count + 1)
			return text_error(t, "graph %zu has no nodes: after graph %zu comes %ju",
					  g->count + 1, g->count, (uintmax_t)graph);
		if (graph > g->count && g->count >= most)
			return text_error(t, "more than %zu graphs", most);
		if (graph > g->count)
			g->first[g->count++] = nodes;
		if (++nodes > ROWS_MAX)
			return text_error(t, "more than %zu nodes", ROWS_MAX);
		TRY(text_end(t)); /* called last, since errors name this line */
	}
	if (!nodes)
		return err_set(ERR_INPUT, "%s: has no nodes", t->where);
	g->first[g->count] = nodes;
	g->first = alloc_again(g->first, g->count + 1, sizeof(*g->first));
	return ERR_OK;
}

/* ---- edges ---- */

/* Directed edges as the file lists them, two numbers each. */
struct lines {
	uint32_t *end;
	size_t count, room;
};

static enum err tu_read_edges(struct bytes file, const char *name, const struct graphs *g,
			      const uint32_t *of, struct lines *l, size_t *loops)
{
	struct source source;
	struct text *t = open_file(&source, name, "A", file);
	size_t nodes = graphs_nodes(g);

	while (text_line(t, 0)) {
		uint64_t end[2];

		for (int i = 0; i < 2; i++) {
			struct word w = next_word(t);

			if (!w.n)
				return text_error(t, "the line ends where a node is expected");
			if (!word_whole(w, &end[i]) || end[i] < 1 || end[i] > nodes)
				return text_error(t, "%s is no node: they are 1 to %zu",
						  value_text(w.p, w.n).s, nodes);
			end[i]--;
		}
		if (of[end[0]] != of[end[1]])
			return text_error(t, "an edge from graph %u to graph %u", of[end[0]] + 1,
					  of[end[1]] + 1);
		TRY(text_end(t));
		if (end[0] == end[1]) {
			++*loops;
			continue;
		}
		if (l->count == EDGES_MAX)
			return text_error(t, "more than %zu edges", EDGES_MAX);
		if (l->count == l->room) {
			l->room = l->room ? 2 * l->room : 1024;
			l->end = alloc_again(l->end, l->room, 2 * sizeof(*l->end));
		}
		l->end[2 * l->count] = (uint32_t)end[0];
		l->end[2 * l->count++ + 1] = (uint32_t)end[1];
	}
	return ERR_OK;
}

/* Stores both directions of each line, in rows. Each entry is (neighbour << 1) | reversed;
 * `reversed` is 1 in the direction that the line does not have. ROWS_MAX leaves the low bit
 * free. */
static void tu_scatter(const struct lines *l, struct csr *A)
{
	size_t n = A->rows, *at;

	ALLOC(A->start, n + 1);
	ALLOC(A->index, 2 * l->count);
	ALLOC(at, n + 1);
	for (size_t i = 0; i < 2 * l->count; i++)
		A->start[l->end[i] + 1]++;
	for (size_t i = 0; i < n; i++) {
		A->start[i + 1] += A->start[i];
		at[i] = A->start[i];
	}
	for (size_t i = 0; i < l->count; i++) {
		uint32_t u = l->end[2 * i], v = l->end[2 * i + 1];

		A->index[at[u]++] = 2 * v;
		A->index[at[v]++] = 2 * u + 1;
	}
	free(at);
}

/* Sorts rows, merges repeated entries, and removes the bits `reversed`. Counts repeated lines in
 * *twice. */
static void tu_merge_repeated(struct csr *A, size_t *twice)
{
	size_t kept = 0, from = 0;

	for (size_t i = 0; i < A->rows; i++) {
		size_t to = A->start[i + 1], first = kept;
		uint32_t last = UINT32_MAX;

		sort_u32(A->index + from, to - from);
		for (size_t e = from; e < to; e++) {
			uint32_t entry = A->index[e];

			*twice += entry == last && !(entry & 1);
			if (kept == first || last >> 1 != entry >> 1)
				A->index[kept++] = entry;
			last = entry;
		}
		for (size_t e = first; e < kept; e++)
			A->index[e] >>= 1;
		A->start[i] = first;
		from = to;
	}
	A->start[A->rows] = kept;
	A->index = alloc_again(A->index, kept ? kept : 1, sizeof(*A->index));
}

static enum err take_edges(const struct tu_files *f, const char *name, struct tu *tu)
{
	struct graphs *g = &tu->graphs;
	struct lines l = { 0 };
	uint32_t *of; /* the graph of each node */
	enum err err;

	ALLOC(of, graphs_nodes(g));
	for (size_t i = 0; i < g->count; i++)
		for (size_t v = g->first[i]; v < g->first[i + 1]; v++)
			of[v] = (uint32_t)i;
	err = tu_read_edges(f->edges, name, g, of, &l, &tu->loops);
	free(of);
	if (!err && !l.count)
		err = err_set(ERR_INPUT, "%s_A.txt: has no edges; graphs are told apart by them",
			      name);
	if (!err) {
		g->A = (struct csr){ .rows = graphs_nodes(g), .cols = graphs_nodes(g) };
		tu_scatter(&l, &g->A);
		tu_merge_repeated(&g->A, &tu->twice);
		for (size_t i = 0; i < g->count; i++)
			tu->edgeless += g->A.start[g->first[i]] == g->A.start[g->first[i + 1]];
	}
	free(l.end);
	return err;
}

/* ---- attributes and labels ---- */

static enum err row_of_numbers(struct text *t, double *x, size_t room, size_t *count)
{
	*count = 0;
	for (;;) {
		struct word w = next_word(t);
		double value;

		if (!w.n)
			return text_end(t);
		if (*count == room)
			return text_error(t, "more than %zu attributes", room);
		if (!word_number(w, &value) || fabs(value) > (double)1e30F)
			return text_error(t, "%s is no number within +-1e30",
					  value_text(w.p, w.n).s);
		x[(*count)++] = value;
	}
}

static enum err read_attributes(struct bytes file, const char *name, size_t nodes, struct mat *X)
{
	struct source source;
	struct text *t = open_file(&source, name, "node_attributes", file);
	double row[TU_ATTRIBUTES_MAX];
	size_t at = 0, width;

	if (!file.p)
		return ERR_OK;
	while (text_line(t, 0)) {
		size_t line = t->line;

		TRY(row_of_numbers(t, row, TU_ATTRIBUTES_MAX, &width));
		if (at == nodes)
			return err_set(ERR_INPUT,
				       "%s:%zu: attributes of more nodes than the %zu there are",
				       t->where, line, nodes);
		if (at == 0) {
			/* false in a valid file, since a number and its separator take 2 bytes */
			if (nodes > file.n / width)
				return err_set(ERR_INPUT,
					       "%s: cut off: %zu bytes for %zu nodes of %zu "
					       "attributes",
					       t->where, file.n, nodes, width);
			mat_init(X, nodes, width);
		} else if (width != X->cols) {
			return err_set(ERR_INPUT, "%s:%zu: %zu attributes, %zu in the lines before",
				       t->where, line, width, X->cols);
		}
		memcpy(ROW(X, at++), row, width * sizeof(*row));
	}
	if (at < nodes)
		return err_set(ERR_INPUT, "%s: cut off: attributes of %zu nodes of %zu", t->where,
			       at, nodes);
	return ERR_OK;
}

static enum err read_classes(struct bytes file, const char *name, struct tu *tu)
{
	struct source source;
	struct text *t = open_file(&source, name, "graph_labels", file);
	size_t count = tu->graphs.count, at = 0;

	if (!file.p)
		return ERR_OK;
	ALLOC(tu->class, count);
	while (text_line(t, 0)) {
		double value;

		if (at == count)
			return text_error(t, "a label for more graphs than the %zu there are",
					  count);
		TRY(text_number(t, &value));
		if (fabs(value) >= (double)LABELS_MAX || value != floor(value))
			return text_error(t, "%s is no class: a whole number within +-%d",
					  value_number(value).s, LABELS_MAX);
		TRY(text_end(t));
		tu->class[at++] = (int64_t)value;
	}
	if (at < count)
		return err_set(ERR_INPUT, "%s: cut off: labels of %zu graphs of %zu", t->where, at,
			       count);
	return ERR_OK;
}

/* ---- the whole set ---- */

enum err tu_parse(const struct tu_files *f, const char *name, struct tu *tu)
{
	enum err err;

	*tu = (struct tu){ 0 };
	err = read_indicator(f->indicator, name, &tu->graphs);
	if (!err)
		err = take_edges(f, name, tu);
	if (!err)
		err = read_attributes(f->attributes, name, graphs_nodes(&tu->graphs),
				      &tu->graphs.attribute);
	if (!err)
		err = read_classes(f->labels, name, tu);
	if (err)
		tu_release(tu);
	return err;
}

static int is_indicator(const struct dirent *e)
{
	static const char end[] = "_graph_indicator.txt";
	size_t n = strlen(e->d_name);

	return n > sizeof(end) - 1 && !strcmp(e->d_name + n - (sizeof(end) - 1), end);
}

/* Finds the set's NAME from its only file NAME_graph_indicator.txt. The caller owns *name. */
static enum err find_name(const char *dir, char **name)
{
	struct dirent **found;
	int count = scandir(dir, &found, is_indicator, alphasort);

	if (count < 0)
		return err_set(ERR_INPUT, "%s: cannot be read as a directory", dir);
	if (count == 1) {
		*name = alloc_copy(found[0]->d_name);
		*strrchr(*name, '_') = 0; /* cuts off _indicator.txt */
		*strrchr(*name, '_') = 0; /* cuts off _graph */
	}
	for (int i = 0; i < count; i++)
		free(found[i]);
	free(found);
	if (count == 1)
		return ERR_OK;
	return err_set(ERR_INPUT, "%s: %d files *_graph_indicator.txt; there has to be one", dir,
		       count);
}

enum err tu_read(const char *dir, struct tu *tu)
{
	struct tu_files f = { 0 };
	const struct {
		const char *what;
		bool needed;
		struct bytes *bytes;
	} part[] = { { "graph_indicator", true, &f.indicator },
		     { "A", true, &f.edges },
		     { "node_attributes", false, &f.attributes },
		     { "graph_labels", false, &f.labels } };
	struct buf file[4] = { 0 };
	char *name = NULL;
	enum err err;

	*tu = (struct tu){ 0 };
	err = find_name(dir, &name);
	for (int i = 0; i < 4 && !err; i++) {
		char file_name[WHERE_MAX], *path;

		snprintf(file_name, sizeof(file_name), "%s_%s.txt", name, part[i].what);
		path = file_join(dir, file_name);
		if (part[i].needed || file_exists(path))
			err = file_read_text(path, DATA_FILE_MAX, &file[i]);
		*part[i].bytes = (struct bytes){ file[i].p, file[i].n };
		free(path);
	}
	if (!err) {
		err = tu_parse(&f, name, tu);
		if (err)
			err = err_prefix(err, "%s", dir);
	}
	for (int i = 0; i < 4; i++)
		buf_release(&file[i]);
	free(name);
	return err;
}

void tu_release(struct tu *tu)
{
	graphs_release(&tu->graphs);
	free(tu->class);
	*tu = (struct tu){ 0 };
}

static int tu_by_class(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void tu_classes(const struct tu *tu, uint32_t *label, size_t *classes)
{
	size_t n = tu->graphs.count, kinds = 0;
	int64_t *kind;

	ALLOC(kind, n);
	memcpy(kind, tu->class, n * sizeof(*kind));
	qsort(kind, n, sizeof(*kind), tu_by_class);
	for (size_t i = 0; i < n; i++)
		if (!kinds || kind[kinds - 1] != kind[i])
			kind[kinds++] = kind[i];
	for (size_t i = 0; i < n; i++) {
		const int64_t *at = bsearch(&tu->class[i], kind, kinds, sizeof(*kind), tu_by_class);

		label[i] = (uint32_t)(at - kind);
	}
	*classes = kinds;
	free(kind);
}
