#include "common/data/sheet.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/utf8.h"
#include "common/data/limits.h"
#include "common/data/value.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const role_names[] = { "number", "category", "date", "id", "label", "ignore" };

/* ---- errors ---- */

/* Sets the error "WHERE:LINE: column "x" ...". Without values_show(), the column's number from 1
 * replaces its name. */
static enum err PRINTF(4, 5) sheet_error(const struct sheet *t, size_t line,
					 const struct sheet_column *c, const char *fmt, ...)
{
	char text[ERR_DETAIL_MAX / 2], column[SHEET_NAME_MAX + 4];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (values_are_shown())
		snprintf(column, sizeof(column), "\"%s\"", c->name);
	else
		snprintf(column, sizeof(column), "%td", c - t->column + 1);
	return err_set(ERR_INPUT, "%s:%zu: column %s %s", t->where, line, column, text);
}

struct value cell_shown(const struct cell *c)
{
	return value_text(c->p, c->n);
}

struct word cell_text(const struct cell *c, struct buf *scratch)
{
	if (c->kind != CELL_DOUBLED)
		return (struct word){ c->n ? c->p : "", c->n };
	scratch->n = 0;
	for (size_t i = 0; i < c->n; i++) {
		buf_add(scratch, c->p + i, 1);
		i += c->p[i] == '"';
	}
	return (struct word){ (const char *)scratch->p, scratch->n };
}

/* ---- the heading ---- */

/* Returns the fault of a name or of a category's value; NULL: none. */
static const char *text_fault(struct word w, size_t most)
{
	size_t len;

	if (w.n > most)
		return "is too long";
	if (w.n && (w.p[0] == ' ' || w.p[w.n - 1] == ' '))
		return "begins or ends with a blank";
	for (size_t i = 0; i < w.n; i += len) {
		len = utf8_length((const unsigned char *)w.p + i, w.n - i);
		if (!len)
			return "is not UTF-8: save the file as UTF-8";
		if (utf8_is_harmful(utf8_code((const unsigned char *)w.p + i, len)))
			return "has a control character, a line end or a mark that cannot be seen";
	}
	return NULL;
}

static int sheet_by_name(const void *a, const void *b)
{
	const struct sheet_column *x = *(const struct sheet_column *const *)a;
	const struct sheet_column *y = *(const struct sheet_column *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x > y) - (x < y);
}

static enum err sheet_check_twice(const struct sheet *t)
{
	const struct sheet_column **sorted;
	enum err err = ERR_OK;

	ALLOC(sorted, t->columns);
	for (size_t i = 0; i < t->columns; i++)
		sorted[i] = &t->column[i];
	qsort(sorted, t->columns, sizeof(*sorted), sheet_by_name);
	for (size_t i = 1; i < t->columns && !err; i++)
		if (!strcmp(sorted[i]->name, sorted[i - 1]->name))
			err = err_set(
			    ERR_INPUT,
			    "%s: columns %td and %td are both called %s; give one another name",
			    t->where, sorted[i - 1] - t->column + 1, sorted[i] - t->column + 1,
			    value_text(sorted[i]->name, strlen(sorted[i]->name)).s);
	free(sorted);
	return err;
}

static enum err take_name(struct sheet *t, size_t i, const struct cell *cell, struct buf *scratch)
{
	struct sheet_column *c = &t->column[i];
	struct word w = cell ? cell_text(cell, scratch) : (struct word){ "", 0 };
	const char *fault = text_fault(w, SHEET_NAME_MAX);

	if (fault)
		return err_set(ERR_INPUT, "%s: the name of column %zu, %s, %s", t->where, i + 1,
			       cell_shown(cell).s, fault);
	c->unnamed = cell && !w.n;
	ALLOC(c->name, w.n + 24);
	if (w.n)
		memcpy(c->name, w.p, w.n);
	else
		snprintf(c->name, 24, "#%zu", i + 1);
	return ERR_OK;
}

enum err sheet_begin(struct sheet *t, const struct reading *how, const char *where,
		     const struct cell *name, size_t n)
{
	struct buf scratch = { 0 };
	enum err err = ERR_OK;

	*t = (struct sheet){ .how = how, .where = where, .columns = n };
	if (n < 1 || n > SHEET_COLUMNS_MAX)
		return err_set(ERR_INPUT, "%s: %zu columns, expected 1 to %d", where, n,
			       SHEET_COLUMNS_MAX);
	ALLOC(t->column, n);
	for (size_t i = 0; i < n && !err; i++)
		err = take_name(t, i, name ? &name[i] : NULL, &scratch);
	buf_release(&scratch);
	if (!err)
		err = sheet_check_twice(t);
	return err ? err : sheet_roles(t);
}

/* ---- rows ---- */

void sheet_reserve(struct sheet *t, size_t rows)
{
	t->room = rows > t->rows ? rows : t->rows;
	t->number = alloc_again(t->number, t->room * t->numbers + 1, sizeof(*t->number));
	t->code = alloc_again(t->code, t->room * t->codes + 1, sizeof(*t->code));
	if (t->has_ids)
		t->line = alloc_again(t->line, t->room + 1, sizeof(*t->line));
}

/* Returns w, or a copy that t owns if w is not part of the file. The result stays valid after the
 * cell. */
static struct word sheet_keep_text(struct sheet *t, const struct cell *cell, struct word w)
{
	char *copy;

	if (cell->kind != CELL_DOUBLED)
		return w;
	ALLOC_ROOM(t->kept, t->kept_n, t->kept_room);
	ALLOC(copy, w.n + 1);
	memcpy(copy, w.p, w.n);
	t->kept[t->kept_n++] = copy;
	return (struct word){ copy, w.n };
}

struct word cell_trimmed(const struct cell *cell)
{
	struct word w = { cell->p, cell->n };

	while (w.n && (*w.p == ' ' || *w.p == '\t')) {
		w.p++;
		w.n--;
	}
	while (w.n && (w.p[w.n - 1] == ' ' || w.p[w.n - 1] == '\t'))
		w.n--;
	return w;
}

static bool is_gap(const struct sheet *t, const struct cell *cell)
{
	struct word w = cell_trimmed(cell);

	return reading_is_na(t->how, w.p, w.n);
}

static enum err gap(struct sheet *t, size_t at, struct sheet_column *c, const struct cell *cell)
{
	char shown[64] = "";

	if (c->missing != MISSING_ERROR) {
		c->gaps++;
		return ERR_OK;
	}
	if (values_are_shown())
		snprintf(shown, sizeof(shown), " (%s)", cell_shown(cell).s);
	return sheet_error(t, at, c,
			   "has no value%s: say what becomes of it (missing): mean, median or "
			   "indicator, or that the column is to be ignored",
			   shown);
}

static bool sheet_consists_of(struct word w, const char *characters)
{
	for (size_t i = 0; i < w.n; i++)
		if (!w.p[i] || !strchr(characters, w.p[i]))
			return false;
	return true;
}

static enum err no_number(const struct sheet *t, size_t at, const struct sheet_column *c,
			  const struct cell *cell)
{
	struct word w = cell_trimmed(cell);
	struct value v = cell_shown(cell);
	double days;

	if (word_date(w, &days))
		return sheet_error(t, at, c,
				   "is %s, expected a number: say that it is a date (date), or is "
				   "to be ignored (ignore)",
				   v.s);
	/* The cell may have signs of currency and blanks in UTF-8, or be a date with dots. */
	if (sheet_consists_of(w, "0123456789.,+-/()%$' \xc2\xa0\xa3\xa5\xe2\x80\x82\xac\xaf\x99") &&
	    (!sheet_consists_of(w, "0123456789.,+-") ||
	     memchr(w.p, '.', w.n) != memrchr(w.p, '.', w.n)))
		return sheet_error(
		    t, at, c,
		    "is %s, expected a number without signs of currency or per cent, "
		    "parentheses, apostrophes and blanks, or a date as 2024-12-31 "
		    "(date): format the column so, or let coterie.convert read it",
		    v.s);
	if (*t->how->decimal == '.' && sheet_consists_of(w, "0123456789,.-"))
		return sheet_error(
		    t, at, c,
		    "is %s, expected a number with a decimal point and without separators of "
		    "thousands: where a comma is the decimal point say so (decimal)",
		    v.s);
	if (sheet_consists_of(w, "+-0123456789.eE") || (w.n >= 3 && !strncasecmp(w.p, "inf", 3)) ||
	    (w.n >= 4 && !strncasecmp(w.p, "-inf", 4)))
		return sheet_error(
		    t, at, c,
		    "is %s, expected a finite number; if it stands for no value say so (na)", v.s);
	return sheet_error(t, at, c,
			   "is %s, expected a number: say that it is a column of words (category), "
			   "or is to be ignored (ignore), or that it stands for no value (na)",
			   v.s);
}

bool word_comma_number(struct word w, double *x)
{
	char copy[64];

	if (w.n >= sizeof(copy) || memchr(w.p, '.', w.n))
		return false;
	for (size_t i = 0; i < w.n; i++)
		copy[i] = w.p[i] == ',' ? '.' : w.p[i];
	return word_number((struct word){ copy, w.n }, x);
}

/* True if the word, which has the value x, consists of digits and has leading zeros or is above
 * 2^53, from where a double cannot represent each whole number. Such a word is probably an id or a
 * code, not a quantity. */
static bool looks_like_code(struct word w, double x)
{
	return w.n > 1 && ((w.p[0] == '0' && w.p[1] >= '0' && w.p[1] <= '9') || w.n > 15) &&
	       sheet_consists_of(w, "0123456789") && (w.p[0] == '0' || x > 0x1p53);
}

static enum err take_number(struct sheet *t, size_t at, struct sheet_column *c,
			    const struct cell *cell, double *x)
{
	bool comma = *t->how->decimal == ',';
	struct word w = { cell->p, cell->n };

	/* Nearly all cells take this branch. */
	if (cell->kind == CELL_TEXT && !comma && word_number(w, x)) {
		c->codes += looks_like_code(w, *x);
		return ERR_OK;
	}
	if (is_gap(t, cell)) {
		*x = NAN;
		return gap(t, at, c, cell);
	}
	w = cell_trimmed(cell);
	if (cell->kind == CELL_DOUBLED || !(comma ? word_comma_number : word_number)(w, x))
		return no_number(t, at, c, cell);
	c->codes += looks_like_code(w, *x);
	return ERR_OK;
}

static enum err take_date(struct sheet *t, size_t at, struct sheet_column *c,
			  const struct cell *cell, double *x)
{
	if (is_gap(t, cell)) {
		*x = NAN;
		return gap(t, at, c, cell);
	}
	if (!word_date(cell_trimmed(cell), x))
		return sheet_error(t, at, c,
				   "is %s, expected a date as 2024-12-31 or 2024-12-31T23:59:59",
				   cell_shown(cell).s);
	return ERR_OK;
}

/* Finds the number of a cell's value in its category; a new value gets the next number. *code
 * becomes UINT32_MAX if the cell has no value. */
static enum err take_value(struct sheet *t, size_t at, struct sheet_column *c,
			   const struct cell *cell, uint32_t *code)
{
	size_t n = c->values.n;
	struct value v = cell_shown(cell);
	struct buf scratch = { 0 };
	const char *fault;
	struct word w;
	enum err err = ERR_OK;

	*code = UINT32_MAX;
	if (is_gap(t, cell))
		return gap(t, at, c, cell);
	w = cell_text(cell, &scratch);
	fault = text_fault(w, COLUMN_NAME_MAX - 1 - strlen(c->name));
	if (fault)
		err = sheet_error(t, at, c, "is %s, which %s", v.s, fault);
	else
		*code = names_number(&c->values, w);
	if (!err && c->values.n > n && c->values_said)
		err = sheet_error(
		    t, at, c, "is %s, which is none of the %zu values that were given (category)",
		    v.s, n);
	else if (!err && !c->values_said && c->values.n > SHEET_VALUES_MAX)
		err = sheet_error(t, at, c,
				  "has more than %d values, %s is one more: say that it is to be "
				  "ignored (ignore), or give all its values (category)",
				  SHEET_VALUES_MAX, v.s);
	else if (!err && c->values.n > n)
		names_keep(&c->values, sheet_keep_text(t, cell, w));
	buf_release(&scratch);
	return err;
}

/* Stores an id as it is written, after a check that no earlier row has it. sheet_end() warns if all
 * ids end in ".0", as some programs write whole numbers if one of them was missing. */
static enum err take_id(struct sheet *t, size_t at, const struct sheet_column *c,
			const struct cell *cell)
{
	struct text line = { .line = at, .where = t->where };
	size_t n = t->names.n;
	struct buf scratch = { 0 };
	struct value v = cell_shown(cell);
	struct word w;
	uint32_t number;
	enum err err;

	if (is_gap(t, cell))
		return sheet_error(
		    t, at, c, "has no id (%s): give the row one, or take it out of the file", v.s);
	w = cell_text(cell, &scratch);
	err = id_check(&line, w);
	if (err)
		err = sheet_error(t, at, c,
				  "is %s, expected an id: 1 to %d bytes of UTF-8 without blanks "
				  "that do not begin with '#'",
				  v.s, ID_MAX);
	number = err ? 0 : names_number(&t->names, w);
	if (!err && t->names.n == n)
		err = sheet_error(t, at, c,
				  "is %s, which is the id of line %zu too; take one of the rows "
				  "out, or give it an id of its own",
				  v.s, t->line[number]);
	else if (!err)
		names_keep(&t->names, sheet_keep_text(t, cell, w));
	buf_release(&scratch);
	return err;
}

static enum err sheet_take_cell(struct sheet *t, size_t at, struct sheet_column *c,
				const struct cell *cell)
{
	double *x = t->number + t->rows * t->numbers + c->place;
	uint32_t *code = t->code + t->rows * t->codes + c->place;

	if (c->role == ROLE_DATE)
		return take_date(t, at, c, cell, x);
	if (c->role == ROLE_CATEGORY)
		return take_value(t, at, c, cell, code);
	if (c->role == ROLE_ID)
		return take_id(t, at, c, cell);
	return ERR_OK;
}

enum err sheet_row(struct sheet *t, size_t at, const struct cell *cell)
{
	if (t->rows == ROWS_MAX)
		return err_set(ERR_INPUT, "%s: more than %zu rows", t->where, ROWS_MAX);
	if (t->rows == t->room)
		sheet_reserve(t, t->room ? 2 * t->room : 64);
	if (t->has_ids)
		t->line[t->rows] = at;
	for (size_t i = 0; i < t->columns; i++) {
		struct sheet_column *c = &t->column[i];

		if (c->role == ROLE_NUMBER)
			TRY(take_number(t, at, c, &cell[i],
					t->number + t->rows * t->numbers + c->place));
		else
			TRY(sheet_take_cell(t, at, c, &cell[i]));
	}
	t->rows++;
	return ERR_OK;
}

/* ---- the end ---- */

static void end_ids(struct sheet *t)
{
	uint32_t *place;

	ALLOC(place, t->names.n);
	names_sort(&t->names, &t->ids, place);
	for (size_t i = 0; i < t->rows; i++)
		t->ids.row[place[i]] = (uint32_t)i;
	free(place);
}

enum err sheet_end(struct sheet *t)
{
	size_t suffixed = 0;

	if (!t->rows)
		return err_set(ERR_INPUT, "%s: no rows below the heading", t->where);
	for (size_t i = 0; i < t->names.n; i++) {
		struct word w = t->names.word[i];

		suffixed += w.n > 2 && !memcmp(w.p + w.n - 2, ".0", 2);
	}
	if (t->has_ids && suffixed == t->rows)
		log_warn("%s: all ids end in \".0\": a program wrote them so because values "
			 "were missing; other parties' ids may differ",
			 t->where);
	if (t->has_ids)
		end_ids(t);
	return sheet_fill(t);
}

void sheet_release(struct sheet *t)
{
	for (size_t i = 0; t->column && i < t->columns; i++) {
		free(t->column[i].name);
		names_release(&t->column[i].values);
		ids_release(&t->column[i].sorted);
	}
	for (size_t i = 0; i < t->kept_n; i++)
		free(t->kept[i]);
	free(t->kept);
	free(t->column);
	free(t->number);
	free(t->code);
	free(t->line);
	names_release(&t->names);
	mat_release(&t->X);
	columns_release(&t->out);
	ids_release(&t->ids);
	*t = (struct sheet){ 0 };
}
