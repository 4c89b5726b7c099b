#include "common/base/log.h"
#include "common/base/machine.h"
#include "common/data/sheet.h"

#include <stdio.h>
#include <string.h>

/* ---- check for UTF-8 text ---- */

enum err sheet_open(struct text *t, struct bytes file, const char *where, bool *mark)
{
	static const char utf8[] = { '\xef', '\xbb', '\xbf' };
	size_t look;

	*mark = file.n >= 3 && !memcmp(file.p, utf8, 3);
	if (*mark)
		file = (struct bytes){ file.p + 3, file.n - 3 };
	*t = text_open(file, where);
	look = file.n < 64 ? file.n : 64;
	if (!file.n)
		return err_set(ERR_INPUT, "%s: the file is empty, expected a heading and rows",
			       where);
	if (file.n >= 2 && ((file.p[0] == 0xff && file.p[1] == 0xfe) ||
			    (file.p[0] == 0xfe && file.p[1] == 0xff) || memchr(file.p, 0, look)))
		return err_set(ERR_INPUT,
			       "%s: expected text in UTF-8, not UTF-16 or a file of another kind: "
			       "save it as CSV in UTF-8",
			       where);
	return ERR_OK;
}

/* ---- the heading ---- */

/* Counts of the first line's cells by their possible types. */
struct kinds {
	size_t numbers, words, empty;
	size_t gaps; /* cells that are neither numbers nor likely names, such as dates */
	bool counts; /* the numbers are 0, 1, .. or 1, 2, 3, .., like headings that pandas writes */
	bool from_zero;
};

static struct kinds kinds_of(const struct csv_record *r, const struct reading *how)
{
	struct kinds k = { .counts = true };
	double first = 0, x;

	for (size_t i = 0; i < r->n; i++) {
		struct word w = cell_trimmed(&r->cell[i]);

		if (!w.n) {
			k.empty++;
		} else if (word_number(w, &x)) {
			if (!k.numbers)
				first = x;
			k.from_zero = first == 0;
			k.counts &= (first == 0 || first == 1) && x == first + (double)k.numbers;
			k.numbers++;
		} else if (reading_is_na(how, w.p, w.n) || word_date(w, &x)) {
			k.gaps++;
		} else {
			k.words++;
		}
	}
	return k;
}

static struct value first_line(const struct text *t)
{
	const char *nl = memchr(t->p, '\n', (size_t)(t->end - t->p));
	struct cell c = { .p = t->p, .n = (size_t)((nl ? nl : t->end) - t->p) };

	c.n -= c.n && c.p[c.n - 1] == '\r';
	return cell_shown(&c);
}

/* Decides whether the first record is a heading, by its cells and by struct reading. ERR_INPUT if
 * that is ambiguous. */
static enum err sheet_heading(const struct text *t, const struct reading *how, bool named,
			      const struct csv_record *first, struct sheet_said *said)
{
	struct kinds k = kinds_of(first, how);
	const char *why = NULL;

	said->heading = true;
	if (how->header != HEADER_AUTO) {
		said->heading = how->header == HEADER_YES;
		why = "as header says";
	} else if (named) {
		why = "as columns are named";
	} else if (k.words && !k.numbers && !k.gaps) {
		why = "as no field in it is a number";
	} else if (!k.words && k.numbers && !(k.counts && k.numbers >= (k.from_zero ? 2u : 3u)) &&
		   !(k.counts && first->n == 1 && first->cell[0].p[0] == '0')) {
		said->heading = false;
		why = "as it has numbers and no word";
	}
	if (!why)
		return err_set(ERR_INPUT,
			       "%s:%zu: the first line, %s, may be a heading or a row: say which "
			       "(header yes or no)",
			       t->where, first->line, first_line(t).s);
	snprintf(said->why, sizeof(said->why), "%s", why);
	return ERR_OK;
}

/* True if a setting names a column by its heading. */
static bool names_columns(const struct reading *r)
{
	const struct config_strings *list[] = { &r->category, &r->date, &r->ignore, &r->only,
						&r->unit };

	if ((r->id && r->id[0] != '#') || (r->label && r->label[0] != '#'))
		return true;
	for (size_t l = 0; l < sizeof(list) / sizeof(*list); l++)
		for (size_t i = 0; i < list[l]->count; i++)
			if (list[l]->item[i][0] != '#')
				return true;
	for (size_t i = 0; i < r->missing.count; i++)
		if (strchr(r->missing.item[i], '=') && r->missing.item[i][0] != '#')
			return true;
	return false;
}

/* ---- records ---- */

/* If no setting gives the separator, refuses a record of a single unquoted field that contains
 * another separator. */
static enum err check_separator(const struct text *t, const struct csv_record *first,
				const struct reading *how, char separator)
{
	static const char other[] = ";\t,|";
	const struct cell *c = &first->cell[0];

	if (first->n != 1 || how->separator || c->kind != CELL_TEXT)
		return ERR_OK;
	for (const char *o = other; *o; o++) {
		size_t n = 0;

		for (size_t i = 0; i < c->n; i++)
			n += c->p[i] == *o;
		if (n && *o != separator)
			return err_set(ERR_INPUT,
				       "%s:%zu: no %s in %s, but %zu times %s: say what separates "
				       "fields (separator)",
				       t->where, first->line, separator == '\t' ? "tab" : "comma",
				       first_line(t).s, n,
				       *o == '\t'  ? "a tab"
				       : *o == ';' ? "';'"
				       : *o == '|' ? "'|'"
						   : "a comma");
	}
	return ERR_OK;
}

static enum err wrong_count(const struct text *at, const struct sheet *t,
			    const struct csv_record *r, bool heading)
{
	if (csv_record_blank(r))
		return text_error(at, "the line is blank, expected %zu fields; take it out",
				  t->columns);
	if (t->columns == 1 && !t->rows)
		return text_error(at,
				  "%zu fields, expected 1 as on the first line; if that is a title "
				  "or a comment, take it out",
				  r->n);
	if (heading && !t->rows && r->n == t->columns + 1)
		return text_error(at,
				  "%zu fields, but the heading has %zu: the column of row names "
				  "has no name; give it one (in R: col.names = NA)",
				  r->n, t->columns);
	return text_error(at,
			  "%zu fields, expected %zu as on the first line; a field with a separator "
			  "in it has to be in quotes",
			  r->n, t->columns);
}

/* Looks ahead from behind a blank line. *blank becomes the number of blank lines, that line
 * included. Sets *end if nothing else is left. */
static enum err skip_end(struct text t, struct csv_record *r, char separator, size_t *blank,
			 bool *end)
{
	bool there = true;

	*end = false;
	for (*blank = 1;; ++*blank) {
		TRY(csv_record(&t, separator, 0, SHEET_COLUMNS_MAX, r, &there));
		*end = !there;
		if (!there || !csv_record_blank(r))
			return ERR_OK;
	}
}

static enum err sheet_csv_read_rows(struct sheet *t, struct text *at, struct csv_record *r,
				    char separator, struct sheet_said *said)
{
	for (;;) {
		struct text here;
		bool there, end;

		TRY(csv_record(at, separator, 0, SHEET_COLUMNS_MAX, r, &there));
		if (!there)
			return ERR_OK;
		if (csv_record_blank(r)) {
			struct csv_record ahead = { 0 };
			enum err err = skip_end(*at, &ahead, separator, &said->blank, &end);

			csv_record_release(&ahead);
			TRY(err);
			if (end)
				return ERR_OK;
			said->blank = 0;
		}
		here = *at;
		here.line = r->line;
		if (r->n != t->columns)
			return wrong_count(&here, t, r, said->heading);
		TRY(sheet_row(t, r->line, r->cell));
	}
}

/* Returns an upper bound of the number of rows. Each row has at least one byte per field, so the
 * size of the file gives a bound. */
static size_t rows_at_most(const struct text *t, size_t columns)
{
	size_t lines = 1, fit = (size_t)(t->end - t->p) / columns + 1;

	for (const char *p = t->p; p < t->end && (p = memchr(p, '\n', (size_t)(t->end - p))); p++)
		lines++;
	return lines < fit ? lines : fit;
}

static void sheet_csv_log_summary(const struct sheet *t, const struct sheet_said *said)
{
	size_t left_out = 0;

	for (size_t i = 0; i < t->columns; i++)
		left_out += t->column[i].role >= ROLE_LABEL;
	if (said->mark)
		log_info("%s: begins with a byte order mark, which the first name does not "
			 "include",
			 t->where);
	log_info("%s: the first line is %s heading, %s: %zu columns, %zu of them left out",
		 t->where, said->heading ? "the" : "a row and no", said->why, t->columns, left_out);
	if (said->blank)
		log_info("%s: left out %zu blank lines at the end", t->where, said->blank);
}

static enum err sheet_csv_parse(struct sheet *t, struct text *at, const struct reading *how,
				struct csv_record *r, struct sheet_said *said)
{
	char separator = reading_separator(how, at->where);
	struct text begin = *at;
	size_t rows;
	bool there;

	TRY(csv_record(at, separator, 0, SHEET_COLUMNS_MAX, r, &there));
	if (!there)
		return err_set(ERR_INPUT, "%s: the file is empty", at->where);
	if (csv_record_blank(r))
		return err_set(ERR_INPUT, "%s:%zu: the first line is blank; take it out", at->where,
			       r->line);
	if (separator == *how->decimal)
		return err_set(
		    ERR_INPUT,
		    "%s: '%c' is the separator and the decimal point, expected two characters",
		    at->where, separator);
	TRY(check_separator(&begin, r, how, separator));
	TRY(sheet_heading(&begin, how, names_columns(how), r, said));
	TRY(sheet_begin(t, how, at->where, said->heading ? r->cell : NULL, r->n));
	if (!said->heading)
		*at = begin;
	rows = rows_at_most(at, t->columns);
	TRY(machine_fits(at->where, "the table",
			 (double)(at->end - at->p) + 8 * (double)rows * (double)t->numbers));
	sheet_reserve(t, rows);
	TRY(sheet_csv_read_rows(t, at, r, separator, said));
	return sheet_end(t);
}

enum err sheet_parse(struct sheet *t, struct bytes file, const char *where,
		     const struct reading *how, struct sheet_said *said)
{
	struct csv_record r = { 0 };
	struct text at;
	enum err err;

	*t = (struct sheet){ 0 };
	*said = (struct sheet_said){ 0 };
	TRY(sheet_open(&at, file, where, &said->mark));
	err = sheet_csv_parse(t, &at, how, &r, said);
	csv_record_release(&r);
	if (!err)
		sheet_csv_log_summary(t, said);
	return err;
}
