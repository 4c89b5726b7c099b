#include "common/base/log.h"
#include "common/data/edges.h"
#include "common/data/limits.h"
#include "common/data/reading.h"
#include "common/data/sheet.h"

#include <stdlib.h>
#include <string.h>

struct ends {
	size_t from, to, weight; /* columns; SIZE_MAX: none */
};

static enum err edges_csv_find_column(const struct csv_record *heading, const char *where,
				      const char *what, const char *name, bool named,
				      size_t *column)
{
	struct buf scratch = { 0 };
	char *end;

	*column = SIZE_MAX;
	if (!name)
		return ERR_OK;
	for (size_t i = 0; i < heading->n && named && *column == SIZE_MAX; i++) {
		struct word w = cell_text(&heading->cell[i], &scratch);

		if (w.n == strlen(name) && !memcmp(w.p, name, w.n))
			*column = i;
	}
	buf_release(&scratch);
	if (*column == SIZE_MAX && name[0] == '#') {
		unsigned long at = strtoul(name + 1, &end, 10);

		if (!*end && at >= 1 && at <= heading->n)
			*column = at - 1;
	}
	if (*column != SIZE_MAX)
		return ERR_OK;
	return err_set(
	    ERR_INPUT,
	    "%s:%zu: %s is \"%.60s\", which is none of the %zu columns of the first line", where,
	    heading->line, what, name, heading->n);
}

static bool edges_csv_is_name(const char *name)
{
	return name && name[0] != '#';
}

/* Decides whether the first line is a heading, by the party's settings. If they do not say so, a
 * line of numbers is an edge, and any other line is ERR_INPUT, since ids need not be numbers. */
static enum err is_heading(const struct text *t, const struct reading *how,
			   const struct csv_record *r, bool *heading)
{
	double x;

	*heading = how->header == HEADER_YES || edges_csv_is_name(how->from) ||
		   edges_csv_is_name(how->to) || edges_csv_is_name(how->weight);
	if (*heading || how->header == HEADER_NO)
		return ERR_OK;
	for (size_t i = 0; i < r->n; i++)
		if (!word_number(cell_trimmed(&r->cell[i]), &x))
			return err_set(
			    ERR_INPUT,
			    "%s:%zu: the first line may be a heading or an edge: say which (header "
			    "yes or no), or which columns have the ends (from, to)",
			    t->where, r->line);
	return ERR_OK;
}

static enum err edges_csv_choose_columns(const struct text *t, const struct reading *how,
					 const struct csv_record *r, bool heading, struct ends *e)
{
	TRY(edges_csv_find_column(r, t->where, "from", how->from, heading, &e->from));
	TRY(edges_csv_find_column(r, t->where, "to", how->to, heading, &e->to));
	TRY(edges_csv_find_column(r, t->where, "weight", how->weight, heading, &e->weight));
	if ((e->from == SIZE_MAX) != (e->to == SIZE_MAX))
		return err_set(
		    ERR_INPUT,
		    "%s: one end has a column that is named, expected both (from and to)",
		    t->where);
	if (e->from == SIZE_MAX) {
		e->from = 0;
		e->to = 1;
		if (r->n != 2 + (size_t)(e->weight != SIZE_MAX))
			return err_set(ERR_INPUT,
				       "%s:%zu: %zu columns, expected 2: say which have the ends "
				       "and the weight (from, to, weight)",
				       t->where, r->line, r->n);
	}
	if (e->from == e->to || e->from == e->weight || e->to == e->weight)
		return err_set(ERR_INPUT, "%s: from, to and weight are not different columns",
			       t->where);
	return ERR_OK;
}

static enum err add_end(struct text *t, const struct cell *cell, struct buf *scratch,
			struct buf *out)
{
	struct word w = cell_text(cell, scratch);

	if (id_check(t, w) != ERR_OK)
		return text_error(t,
				  "an end of the edge is %s, expected an id: 1 to %d bytes of "
				  "UTF-8 without blanks that do not begin with '#'",
				  cell_shown(cell).s, ID_MAX);
	buf_add(out, w.p, w.n);
	buf_add(out, "\t", 1);
	return ERR_OK;
}

static enum err edges_csv_add_edge(struct text *t, const struct csv_record *r, const struct ends *e,
				   const struct reading *how, struct buf *scratch, struct buf *out)
{
	double x;

	TRY(add_end(t, &r->cell[e->from], scratch, out));
	TRY(add_end(t, &r->cell[e->to], scratch, out));
	if (e->weight != SIZE_MAX) {
		const struct cell *c = &r->cell[e->weight];

		if (!(*how->decimal == ',' ? word_comma_number : word_number)(cell_trimmed(c), &x))
			return text_error(t, "the weight is %s, expected a number above 0",
					  cell_shown(c).s);
		buf_printf(out, "%.17g", x);
	}
	return ERR_OK;
}

static enum err convert(struct text *t, const struct reading *how, struct csv_record *r,
			struct buf *scratch, struct buf *out)
{
	char separator = reading_separator(how, t->where);
	struct text begin = *t;
	size_t columns = 0, line = 1;
	struct ends e;
	bool there, heading = false;

	for (;;) {
		struct text here;

		TRY(csv_record(t, separator, '#', SHEET_COLUMNS_MAX, r, &there));
		if (!there)
			return ERR_OK;
		here = *t;
		here.line = r->line;
		if (csv_record_blank(r))
			continue;
		if (!columns) {
			columns = r->n;
			TRY(is_heading(&begin, how, r, &heading));
			TRY(edges_csv_choose_columns(&here, how, r, heading, &e));
			log_info("%s: the first line is %s; the ends of edges are in columns "
				 "%zu and %zu%s",
				 t->where, heading ? "the heading" : "an edge and no heading",
				 e.from + 1, e.to + 1,
				 e.weight == SIZE_MAX ? ", edges have no weights" : "");
			if (heading)
				continue;
		}
		if (r->n != columns)
			return text_error(&here, "%zu fields, expected %zu as on the first line",
					  r->n, columns);
		for (; line < r->line; line++)
			buf_add(out, "\n", 1);
		TRY(edges_csv_add_edge(&here, r, &e, how, scratch, out));
	}
}

enum err edges_from_csv(struct bytes file, const char *where, const struct reading *how,
			struct buf *out)
{
	struct buf scratch = { 0 };
	struct csv_record r = { 0 };
	struct text t;
	bool mark;
	enum err err;

	if (!file.n)
		return ERR_OK; /* no edges, like an empty edges.tsv */
	TRY(sheet_open(&t, file, where, &mark));
	err = convert(&t, how, &r, &scratch, out);
	csv_record_release(&r);
	buf_release(&scratch);
	return err;
}
