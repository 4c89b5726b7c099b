#include "common/data/csv.h"
#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Reads a quoted field, whose opening quote is at t->p, up to behind its closing quote. Advances
 * t->line by the line ends in it. */
static enum err quoted(struct text *t, struct cell *c)
{
	const struct text begin = *t;

	c->kind = CELL_QUOTED;
	c->p = ++t->p;
	for (;; t->p++) {
		if (t->p == t->end)
			return text_error(&begin, "a quote is opened here and never closed");
		if (*t->p == '"' && !(t->p + 1 < t->end && t->p[1] == '"'))
			break;
		t->line += *t->p == '\n';
		if (*t->p == '"') {
			c->kind = CELL_DOUBLED;
			t->p++;
		}
	}
	c->n = (size_t)(t->p++ - c->p);
	return ERR_OK;
}

static enum err csv_misplaced(const struct text *t, size_t field)
{
	if (*t->p == '\r')
		return text_error(t,
				  "field %zu has a carriage return that ends no line, expected "
				  "lines that end in LF or CRLF",
				  field);
	if (*t->p == '"')
		return text_error(t,
				  "field %zu has a quote in its middle, expected the whole field "
				  "in quotes and each quote in it twice",
				  field);
	return text_error(
	    t, "field %zu goes on behind its closing quote, expected each quote in it twice",
	    field);
}

/* Reads a cell up to the separator or the line's end. *last becomes true if the cell ends its line;
 * t is then at the next line. */
static enum err next_cell(struct text *t, char separator, size_t number, struct cell *c, bool *last)
{
	*c = (struct cell){ .p = t->p };
	if (t->p < t->end && *t->p == '"') {
		TRY(quoted(t, c));
	} else {
		const char *p = t->p;

		while (p < t->end && *p != separator && *p != '\n' && *p != '"' && *p != '\r')
			p++;
		t->p = p;
		c->n = (size_t)(p - c->p);
	}
	*last = t->p == t->end;
	if (*last)
		return ERR_OK;
	if (*t->p == '\r' && t->p + 1 < t->end && t->p[1] == '\n')
		t->p++;
	if (*t->p != separator && *t->p != '\n')
		return csv_misplaced(t, number);
	*last = *t->p == '\n';
	t->line += *last;
	t->p++;
	return ERR_OK;
}

enum err csv_record(struct text *t, char separator, char comment, size_t most, struct csv_record *r,
		    bool *there)
{
	bool last = false;

	while (comment && t->p < t->end && *t->p == comment)
		text_next(t);
	*there = t->p < t->end;
	r->line = t->line;
	TRY(text_wanted(t));
	for (r->n = 0; *there && !last; r->n++) {
		if (r->n == most)
			return text_error(t, "more than %zu fields", most);
		ALLOC_ROOM(r->cell, r->n, r->room);
		TRY(next_cell(t, separator, r->n + 1, &r->cell[r->n], &last));
	}
	return ERR_OK;
}

bool csv_record_blank(const struct csv_record *r)
{
	if (r->n != 1 || r->cell[0].kind != CELL_TEXT)
		return false;
	for (size_t i = 0; i < r->cell[0].n; i++)
		if (r->cell[0].p[i] != ' ' && r->cell[0].p[i] != '\t')
			return false;
	return true;
}

void csv_record_release(struct csv_record *r)
{
	free(r->cell);
	*r = (struct csv_record){ 0 };
}

enum err csv_field(struct text *t, struct buf *field, bool *last)
{
	field->n = 0;
	if (t->p < t->end && *t->p == '"') {
		for (t->p++;; t->p++) {
			if (t->p == t->end || *t->p == '\n')
				return text_error(t, "a quoted field does not end on its line");
			if (*t->p == '"' && !(t->p + 1 < t->end && t->p[1] == '"'))
				break;
			t->p += *t->p == '"'; /* two quotes stand for one */
			buf_add(field, t->p, 1);
		}
		t->p++;
	} else {
		for (; t->p < t->end && !strchr(",\n\r\"", *t->p); t->p++)
			buf_add(field, t->p, 1);
	}
	buf_add(field, "", 1);
	field->n--;
	if (t->p < t->end && *t->p == ',') {
		t->p++;
		*last = false;
		return ERR_OK;
	}
	if (t->p + 1 < t->end && t->p[0] == '\r' && t->p[1] == '\n')
		t->p++;
	if (t->p < t->end && *t->p != '\n')
		return text_error(t, "a quote or carriage return in the middle of a field");
	text_next(t);
	*last = true;
	return ERR_OK;
}

void csv_print_field(const char *text, struct buf *out)
{
	if (!strpbrk(text, ",\"\r\n")) {
		buf_add(out, text, strlen(text));
		return;
	}
	buf_add(out, "\"", 1);
	for (; *text; text++) {
		if (*text == '"')
			buf_add(out, "\"", 1);
		buf_add(out, text, 1);
	}
	buf_add(out, "\"", 1);
}
