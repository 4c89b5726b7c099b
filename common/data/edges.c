#include "common/data/edges.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/limits.h"
#include "common/data/mtx.h"
#include "common/data/reading.h"
#include "common/data/text.h"
#include "common/data/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Edges as read, each with row < col. */
struct list {
	struct triple *t;
	size_t count, room;
	size_t loops;
};

static void edges_add(struct list *l, uint32_t u, uint32_t v, double w)
{
	if (u == v) {
		l->loops++;
		return;
	}
	ALLOC_ROOM(l->t, l->count, l->room);
	l->t[l->count++] = (struct triple){ u < v ? u : v, u < v ? v : u, w };
}

bool edges_unite(struct triple *t, size_t *count, size_t *repeated, struct triple *clash)
{
	size_t kept = 0, given = *count;
	bool one = true;

	triples_sort(t, given);
	for (size_t i = 0; i < given; i++) {
		const struct triple e = t[i], *last = kept ? &t[kept - 1] : NULL;

		if (!last || last->row != e.row || last->col != e.col) {
			t[kept++] = e;
		} else if (last->value != e.value) {
			*clash = e;
			one = false;
		}
	}
	*count = kept;
	*repeated = given - kept;
	return one;
}

static bool drop_repeated(struct list *l, struct edges_dropped *dropped, struct triple *clash)
{
	dropped->loops = l->loops;
	return edges_unite(l->t, &l->count, &dropped->repeated, clash);
}

/* Stores both directions of each edge. Edges are sorted and have row < col. So every node first
 * gets the neighbours with smaller numbers, then those with larger numbers, both in ascending
 * order. */
static void edges_lay_out(const struct list *l, size_t n, struct csr *s)
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

/* How a file names nodes: by `ids`; if that is NULL, by any words, which `names` collects; if both
 * are NULL, by numbers below n. */
struct naming {
	size_t n;
	const struct ids *ids;
	struct names *names;
};

static enum err find_node(const struct text *t, const struct naming *as, struct word w,
			  uint32_t *node)
{
	size_t at = as->names ? names_number(as->names, w) : ids_find(as->ids, w);

	if (as->names && at >= ROWS_MAX)
		return text_error(t, "more than %zu ids", ROWS_MAX);
	if (at == SIZE_MAX)
		return text_error(t, "%s is none of the %zu ids", value_text(w.p, w.n).s,
				  as->ids->n);
	*node = (uint32_t)at;
	return ERR_OK;
}

static enum err read_word(struct text *t, const struct naming *as, struct word *w)
{
	*w = text_word(t);
	if (!w->n)
		return text_error(t, "the line ends where an id is expected; ends are between "
				     "blanks or tabs, and between commas in a file .csv");
	return as->names ? id_check(t, *w) : ERR_OK;
}

static enum err read_node(struct text *t, const struct naming *as, uint32_t *node)
{
	struct word w;
	uint64_t x;

	if (!as->ids) {
		TRY(text_whole(t, 0, as->n - 1, "the node", &x));
		*node = (uint32_t)x;
		return ERR_OK;
	}
	TRY(read_word(t, as, &w));
	return find_node(t, as, w, node);
}

/* Reads the weight and the end of the line. */
static enum err read_weight(struct text *t, double *w)
{
	*w = 1;
	if (!text_at_end(t)) {
		TRY(text_number(t, w));
		if (!(*w > 0))
			return text_error(t, "the weight is %s, expected more than 0",
					  value_number(*w).s);
	}
	return text_end(t);
}

enum err edges_read_line(struct text *t, size_t n, uint32_t *u, uint32_t *v, double *w)
{
	const struct naming as = { .n = n };

	TRY(read_node(t, &as, u));
	TRY(read_node(t, &as, v));
	return read_weight(t, w);
}

/* Lines wait until the ids with which they are compared are in the cache. Ids come in random order,
 * and fetching them one after the other would take longer than reading the file. */
enum { WAITING_MAX = 32 };
struct waiting {
	struct waiting_edge {
		struct word u, v;
		double w;
		size_t line;
	} edge[WAITING_MAX];
	size_t count;
};

static enum err add_waiting(const struct text *t, const struct naming *as, struct waiting *q,
			    struct list *l)
{
	const struct id_table *table = as->names ? &as->names->table : &as->ids->table;
	struct text at = *t; /* for messages */

	for (size_t i = 0; i < q->count; i++) {
		id_table_fetch(table, q->edge[i].u, true);
		id_table_fetch(table, q->edge[i].v, true);
	}
	for (size_t i = 0; i < q->count; i++) {
		uint32_t u, v;

		at.line = q->edge[i].line;
		TRY(find_node(&at, as, q->edge[i].u, &u));
		TRY(find_node(&at, as, q->edge[i].v, &v));
		edges_add(l, u, v, q->edge[i].w);
		if (l->count > EDGES_MAX)
			return text_error(&at, "more than %zu edges", EDGES_MAX);
	}
	q->count = 0;
	return ERR_OK;
}

static enum err edges_named_lines(struct text *t, const struct naming *as, struct list *l)
{
	struct waiting q = { .count = 0 };

	while (text_line(t, '#')) {
		struct waiting_edge *e = &q.edge[q.count];
		enum err err;

		TRY(text_wanted(t));
		e->line = t->line;
		err = read_word(t, as, &e->u);
		if (!err)
			err = read_word(t, as, &e->v);
		if (!err)
			err = read_weight(t, &e->w);
		if (!err) {
			const struct id_table *table =
			    as->names ? &as->names->table : &as->ids->table;

			id_table_fetch(table, e->u, false);
			id_table_fetch(table, e->v, false);
			q.count++;
		}
		/* The waiting lines precede this line, so they are checked first: the error must be
		 * about the first invalid line. */
		if (err || q.count == WAITING_MAX)
			TRY(add_waiting(t, as, &q, l));
		TRY(err);
	}
	return add_waiting(t, as, &q, l);
}

static enum err edges_tsv_lines(struct text *t, const struct naming *as, struct list *l)
{
	if (as->ids || as->names)
		return edges_named_lines(t, as, l);
	while (text_line(t, '#')) {
		uint32_t u, v;
		double w;

		TRY(text_wanted(t));
		TRY(edges_read_line(t, as->n, &u, &v, &w));
		edges_add(l, u, v, w);
		if (l->count > EDGES_MAX)
			return text_error(t, "more than %zu edges", EDGES_MAX);
	}
	return ERR_OK;
}

/* Refuses a heading, which would become two nodes and an edge. The first line is a heading if its
 * two names are usual in headings, or if they are no numbers, but all other names of the file, at
 * least NUMBERS_MANY, are. */
enum { NUMBERS_MANY = 8 };
static enum err check_heading(const struct names *names, const char *where)
{
	static const char *const pair[][2] = { { "source", "target" }, { "from", "to" },
					       { "src", "dst" },       { "u", "v" },
					       { "node1", "node2" },   { "id1", "id2" } };
	const struct word *w = names->word;
	bool heading = names->n >= 2 + NUMBERS_MANY;
	uint64_t x;

	for (size_t i = 0; i < names->n && heading; i++)
		heading = word_whole(w[i], &x) == (i >= 2);
	for (size_t i = 0; i < sizeof(pair) / sizeof(*pair) && names->n >= 2 && !heading; i++)
		heading = w[0].n == strlen(pair[i][0]) &&
			  !strncasecmp(w[0].p, pair[i][0], w[0].n) &&
			  w[1].n == strlen(pair[i][1]) && !strncasecmp(w[1].p, pair[i][1], w[1].n);
	if (!heading)
		return ERR_OK;
	return err_set(ERR_INPUT,
		       "%s: the first line, %s and %s, looks like a heading: begin it with '#', or "
		       "take it out",
		       where, value_text(w[0].p, w[0].n).s, value_text(w[1].p, w[1].n).s);
}

/* Reads the file once more to find the lines that give the edge of `clash` two weights. */
static enum err clash_error(struct bytes file, const char *where, size_t n, const struct ids *ids,
			    struct triple clash)
{
	const struct naming as = { .n = n, .ids = ids };
	struct text t = text_open(file, where);
	size_t first_line = 0;
	double first = 0;

	while (text_line(&t, '#')) {
		size_t line = t.line;
		uint32_t u, v;
		double w;

		TRY(read_node(&t, &as, &u));
		TRY(read_node(&t, &as, &v));
		TRY(read_weight(&t, &w));
		if ((u < v ? u : v) != clash.row || (u < v ? v : u) != clash.col)
			continue;
		if (!first_line) {
			first_line = line;
			first = w;
		} else if (w != first) {
			return err_set(
			    ERR_INPUT,
			    "%s:%zu: the edge is given with weight %s, but with %s on line %zu",
			    where, line, value_number(w).s, value_number(first).s, first_line);
		}
	}
	return err_set(ERR_INTERNAL, "%s: the file changed while it was read", where);
}

enum err edges_parse_tsv(struct bytes file, const char *where, size_t n, const struct ids *ids,
			 struct csr *adjacency, struct edges_dropped *dropped)
{
	struct text t = text_open(file, where);
	struct list l = { 0 };
	struct triple clash;
	enum err err;

	*adjacency = (struct csr){ 0 };
	err = edges_tsv_lines(&t, &(struct naming){ .n = n, .ids = ids }, &l);
	if (!err && drop_repeated(&l, dropped, &clash))
		edges_lay_out(&l, n, adjacency);
	else if (!err)
		err = clash_error(file, where, n, ids, clash);
	free(l.t);
	return err;
}

enum err edges_parse_named(struct bytes file, const char *where, struct ids *ids,
			   struct csr *adjacency, struct edges_dropped *dropped)
{
	struct text t = text_open(file, where);
	struct names names = { 0 };
	struct list l = { 0 };
	struct triple clash;
	enum err err;

	*adjacency = (struct csr){ 0 };
	*ids = (struct ids){ 0 };
	err = edges_tsv_lines(&t, &(struct naming){ .names = &names }, &l);
	if (!err)
		err = check_heading(&names, where);
	if (!err) {
		uint32_t *place = alloc(names.n, sizeof(*place));

		names_sort(&names, ids, place);
		/* Replaces the number of each name by its position among the sorted names. */
		for (size_t i = 0; i < l.count; i++) {
			uint32_t u = place[l.t[i].row], v = place[l.t[i].col];

			l.t[i].row = u < v ? u : v;
			l.t[i].col = u < v ? v : u;
		}
		free(place);
		if (drop_repeated(&l, dropped, &clash))
			edges_lay_out(&l, ids->n, adjacency);
		else
			err = clash_error(file, where, ids->n, ids, clash);
	}
	names_release(&names);
	free(l.t);
	if (err)
		ids_release(ids);
	return err;
}

enum err edges_check_mtx(const char *path, bool is_array, size_t rows, size_t cols, size_t n)
{
	if (is_array)
		return err_set(ERR_INPUT, "%s: an array, expected coordinates", path);
	if (rows != n || cols != n)
		return err_set(ERR_INPUT,
			       "%s: %zu x %zu, expected %zu x %zu as there are that many nodes",
			       path, rows, cols, n, n);
	return ERR_OK;
}

static enum err from_mtx(const char *path, struct mtx *m, size_t n, const struct ids *ids,
			 struct csr *adjacency, struct edges_dropped *dropped)
{
	struct triple clash;
	struct list l = { 0 };
	enum err err = ERR_OK;
	uint32_t *place;

	TRY(edges_check_mtx(path, m->is_array, m->rows, m->cols, n));
	ALLOC(place, n); /* position of each of the party's rows among the sorted ids */
	for (size_t i = 0; i < n; i++)
		place[ids ? ids->row[i] : i] = (uint32_t)i;
	for (size_t i = 0; i < m->count && !err; i++) {
		struct triple *e = &m->entry[i];

		if (e->value > 0)
			edges_add(&l, place[e->row], place[e->col], e->value);
		else
			err = err_set(
			    ERR_INPUT,
			    "%s:%zu: entry (%u, %u) is %s, expected a weight of more than 0", path,
			    mtx_line(path, e->row, e->col), e->row + 1, e->col + 1,
			    value_number(e->value).s);
	}
	free(place);
	if (!err && drop_repeated(&l, dropped, &clash)) {
		edges_lay_out(&l, n, adjacency);
	} else if (!err) { /* entries (i, j) and (j, i) have different values */
		uint32_t i = ids ? ids->row[clash.row] : clash.row;
		uint32_t j = ids ? ids->row[clash.col] : clash.col;

		err = err_set(ERR_INPUT,
			      "%s:%zu: entry (%u, %u) is not entry (%u, %u), on line %zu, but a "
			      "graph has one weight for both",
			      path, mtx_line(path, j, i), j + 1, i + 1, i + 1, j + 1,
			      mtx_line(path, i, j));
	}
	free(l.t);
	return err;
}

/* .tsv and .txt are one format. */
static enum err check_ending(const char *path, bool *is_mtx)
{
	*is_mtx = file_ends(path, ".mtx");
	if (*is_mtx || file_ends(path, ".tsv") || file_ends(path, ".txt") ||
	    file_ends(path, ".csv"))
		return ERR_OK;
	return err_set(ERR_INPUT, "%s: expected edges in a file .tsv, .txt, .csv or .mtx", path);
}

/* Reads a file of edges. Text of a .csv is converted to the format of edges.tsv. */
static enum err edges_read_text(const char *path, const struct reading *how, struct buf *text)
{
	struct buf file = { 0 };
	enum err err;

	if (!file_ends(path, ".csv"))
		return file_read_text(path, DATA_FILE_MAX, text);
	TRY(file_read(path, DATA_FILE_MAX, &file));
	err = edges_from_csv((struct bytes){ file.p, file.n }, path, how, text);
	buf_release(&file);
	return err;
}

enum err edges_read_as(const char *path, const struct reading *how, size_t n, const struct ids *ids,
		       struct csr *adjacency, struct edges_dropped *dropped)
{
	struct buf text = { 0 };
	struct mtx m = { 0 };
	bool is_mtx;
	enum err err;

	*adjacency = (struct csr){ 0 };
	TRY(check_ending(path, &is_mtx));
	if (is_mtx) {
		TRY(mtx_read(path, &m));
		err = from_mtx(path, &m, n, ids, adjacency, dropped);
		mtx_release(&m);
		return err;
	}
	err = edges_read_text(path, how, &text);
	if (!err)
		err = edges_parse_tsv((struct bytes){ text.p, text.n }, path, n, ids, adjacency,
				      dropped);
	buf_release(&text);
	return err;
}

enum err edges_read_named_as(const char *path, const struct reading *how, struct ids *ids,
			     struct csr *adjacency, struct edges_dropped *dropped)
{
	struct buf text = { 0 };
	bool is_mtx;
	struct mtx m;
	enum err err;

	*adjacency = (struct csr){ 0 };
	*ids = (struct ids){ 0 };
	TRY(check_ending(path, &is_mtx));
	if (is_mtx) {
		TRY(mtx_read(path, &m));
		for (size_t i = 1; i <= (m.is_array ? m.dense.rows : m.rows); i++)
			buf_printf(&text, "%zu\n", i);
		err = ids_parse((struct bytes){ text.p, text.n }, path, ids);
		if (!err)
			err = from_mtx(path, &m, ids->n, ids, adjacency, dropped);
		mtx_release(&m);
	} else {
		err = edges_read_text(path, how, &text);
		if (!err)
			err = edges_parse_named((struct bytes){ text.p, text.n }, path, ids,
						adjacency, dropped);
	}
	buf_release(&text);
	if (err)
		ids_release(ids);
	return err;
}

enum err edges_read(const char *path, size_t n, const struct ids *ids, struct csr *adjacency,
		    struct edges_dropped *dropped)
{
	struct reading standard;
	enum err err;

	reading_init(&standard);
	err = edges_read_as(path, &standard, n, ids, adjacency, dropped);
	reading_release(&standard);
	return err;
}

enum err edges_read_named(const char *path, struct ids *ids, struct csr *adjacency,
			  struct edges_dropped *dropped)
{
	struct reading standard;
	enum err err;

	reading_init(&standard);
	err = edges_read_named_as(path, &standard, ids, adjacency, dropped);
	reading_release(&standard);
	return err;
}

void edges_print_tsv(const struct csr *s, char *const *ids, struct buf *out)
{
	for (size_t u = 0; u < s->rows; u++) {
		for (size_t e = s->start[u]; e < s->start[u + 1]; e++) {
			uint32_t v = s->index[e];

			if (v < u)
				continue;
			if (ids)
				buf_printf(out, "%s\t%s", ids[u], ids[v]);
			else
				buf_printf(out, "%zu\t%u", u, v);
			if (s->value)
				buf_printf(out, "\t%.17g", s->value[e]);
			buf_add(out, "\n", 1);
		}
	}
}
