#include "common/data/edges.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/limits.h"
#include "common/data/mtx.h"
#include "common/data/text.h"

#include <stdlib.h>
#include <string.h>

/* Edges as they are read, each with row < col. */
struct list {
	struct triple *t;
	size_t count, room;
	size_t loops;
};

static void add(struct list *l, uint32_t u, uint32_t v, double w)
{
	if (u == v) {
		l->loops++;
		return;
	}
	if (l->count == l->room) {
		l->room = l->room ? 2 * l->room : 1024;
		l->t = alloc_again(l->t, l->room, sizeof(*l->t));
	}
	l->t[l->count++] = (struct triple){ u < v ? u : v, u < v ? v : u, w };
}

/* Sorts, and drops what is said again. */
static enum err drop_repeated(struct list *l, const char *where, const struct ids *ids,
			      struct edges_dropped *dropped)
{
	size_t kept = 0;

	*dropped = (struct edges_dropped){ .loops = l->loops };
	triples_sort(l->t, l->count);
	for (size_t i = 0; i < l->count; i++) {
		struct triple *e = &l->t[i], *last = kept ? &l->t[kept - 1] : NULL;

		if (!last || last->row != e->row || last->col != e->col) {
			l->t[kept++] = *e;
			continue;
		}
		dropped->repeated++;
		if (last->value == e->value)
			continue;
		if (ids)
			return err_set(
			    ERR_INPUT, "%s: the edge %s %s is given with weight %g and with %g",
			    where, ids->id[e->row], ids->id[e->col], last->value, e->value);
		return err_set(ERR_INPUT, "%s: the edge %u %u is given with weight %g and with %g",
			       where, e->row, e->col, last->value, e->value);
	}
	l->count = kept;
	return ERR_OK;
}

/* Both directions of each edge. Edges are sorted and have row < col, so that for every node first
 * the neighbours below it come, then those above it, each rising. */
static void lay_out(const struct list *l, size_t n, struct csr *s)
{
	bool weighted = false;
	size_t *at;

	*s = (struct csr){ .rows = n, .cols = n };
	ALLOC(s->start, n + 1);
	ALLOC(s->index, 2 * l->count);
	ALLOC(at, n + 1);
	for (size_t i = 0; i < l->count; i++) {
		s->start[l->t[i].row + 1]++;
		s->start[l->t[i].col + 1]++;
		weighted |= l->t[i].value != 1;
	}
	if (weighted)
		ALLOC(s->value, 2 * l->count);
	for (size_t i = 0; i < n; i++) {
		s->start[i + 1] += s->start[i];
		at[i] = s->start[i];
	}
	for (int above = 0; above <= 1; above++) {
		for (size_t i = 0; i < l->count; i++) {
			const struct triple *e = &l->t[i];
			uint32_t from = above ? e->row : e->col;

			if (weighted)
				s->value[at[from]] = e->value;
			s->index[at[from]++] = above ? e->col : e->row;
		}
	}
	free(at);
}

static enum err build(struct list *l, const char *where, size_t n, const struct ids *ids,
		      struct csr *s, struct edges_dropped *dropped)
{
	TRY(drop_repeated(l, where, ids, dropped));
	lay_out(l, n, s);
	return ERR_OK;
}

static enum err read_node(struct text *t, size_t n, const struct ids *ids, uint32_t *node)
{
	struct word w;
	uint64_t x;
	size_t at;

	if (!ids) {
		TRY(text_whole(t, 0, n - 1, "the node", &x));
		*node = (uint32_t)x;
		return ERR_OK;
	}
	w = text_word(t);
	if (!w.n)
		return text_error(t, "the line ends where an id is expected");
	at = ids_find(ids, w);
	if (at == SIZE_MAX)
		return text_error(t, "\"%.*s\" is none of the %zu ids", (int)(w.n < 40 ? w.n : 40),
				  w.p, ids->n);
	*node = (uint32_t)at;
	return ERR_OK;
}

static enum err read_tsv(struct text *t, size_t n, const struct ids *ids, struct list *l)
{
	while (text_line(t, '#')) {
		uint32_t u, v;
		double w = 1;

		TRY(read_node(t, n, ids, &u));
		TRY(read_node(t, n, ids, &v));
		if (!text_at_end(t)) {
			TRY(text_number(t, &w));
			if (!(w > 0))
				return text_error(t, "the weight is %g, expected more than 0", w);
		}
		TRY(text_end(t));
		add(l, u, v, w);
		if (l->count > EDGES_MAX)
			return text_error(t, "more than %zu edges", EDGES_MAX);
	}
	return ERR_OK;
}

enum err edges_parse_tsv(struct bytes file, const char *where, size_t n, const struct ids *ids,
			 struct csr *adjacency, struct edges_dropped *dropped)
{
	struct text t = text_open(file, where);
	struct list l = { 0 };
	enum err err;

	*adjacency = (struct csr){ 0 };
	err = read_tsv(&t, n, ids, &l);
	if (!err)
		err = build(&l, where, n, ids, adjacency, dropped);
	free(l.t);
	return err;
}

/* The position of each of the party's rows among the sorted ids. */
static uint32_t *places_of(const struct ids *ids, size_t n)
{
	uint32_t *place;

	ALLOC(place, n);
	for (size_t i = 0; i < n; i++)
		place[ids ? ids->row[i] : i] = (uint32_t)i;
	return place;
}

static enum err from_mtx(const char *path, struct mtx *m, size_t n, const struct ids *ids,
			 struct csr *adjacency, struct edges_dropped *dropped)
{
	struct list l = { 0 };
	enum err err = ERR_OK;
	uint32_t *place;

	if (m->is_array)
		return err_set(ERR_INPUT, "%s: an array, expected coordinates", path);
	if (m->rows != n || m->cols != n)
		return err_set(
		    ERR_INPUT,
		    "%s: %zu x %zu, expected %zu x %zu as there are that many rows of features",
		    path, m->rows, m->cols, n, n);
	place = places_of(ids, n);
	for (size_t i = 0; i < m->count && !err; i++) {
		struct triple *e = &m->entry[i];

		if (e->value > 0)
			add(&l, place[e->row], place[e->col], e->value);
		else
			err = err_set(ERR_INPUT,
				      "%s: entry (%u, %u) is %g, expected a weight of more than 0",
				      path, e->row + 1, e->col + 1, e->value);
	}
	free(place);
	if (!err)
		err = build(&l, path, n, ids, adjacency, dropped);
	free(l.t);
	return err;
}

enum err edges_read(const char *path, size_t n, const struct ids *ids, struct csr *adjacency,
		    struct edges_dropped *dropped)
{
	const char *end = strrchr(path, '.');
	struct buf file = { 0 };
	struct mtx m = { 0 };
	enum err err;

	*adjacency = (struct csr){ 0 };
	if (end && !strcmp(end, ".mtx")) {
		TRY(mtx_read(path, &m));
		err = from_mtx(path, &m, n, ids, adjacency, dropped);
		mtx_release(&m);
		return err;
	}
	if (!end || (strcmp(end, ".tsv") != 0 && strcmp(end, ".txt") != 0))
		return err_set(ERR_INPUT, "%s: expected edges in a file .tsv, .txt or .mtx", path);
	TRY(file_read(path, DATA_FILE_MAX, &file));
	err = edges_parse_tsv((struct bytes){ file.p, file.n }, path, n, ids, adjacency, dropped);
	buf_release(&file);
	return err;
}

static void print_node(size_t i, char *const *ids, struct buf *out)
{
	if (ids)
		buf_printf(out, "%s", ids[i]);
	else
		buf_printf(out, "%zu", i);
}

void edges_print_tsv(const struct csr *s, char *const *ids, struct buf *out)
{
	for (size_t u = 0; u < s->rows; u++) {
		for (size_t e = s->start[u]; e < s->start[u + 1]; e++) {
			if (s->index[e] < u)
				continue;
			print_node(u, ids, out);
			buf_add(out, "\t", 1);
			print_node(s->index[e], ids, out);
			if (s->value)
				buf_printf(out, "\t%.17g", s->value[e]);
			buf_add(out, "\n", 1);
		}
	}
}
