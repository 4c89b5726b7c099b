#include "common/base/alloc.h"
#include "common/base/sort.h"
#include "common/base/log.h"
#include "common/base/machine.h"
#include "common/data/limits.h"
#include "common/data/sheet.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- values that replace missing ones ---- */

static double sheet_fill_median(const struct sheet *t, const struct sheet_column *c)
{
	size_t n = 0;
	double *x, m;

	ALLOC(x, t->rows - c->gaps);
	for (size_t i = 0; i < t->rows; i++) {
		double v = t->number[i * t->numbers + c->place];

		if (!isnan(v))
			x[n++] = v;
	}
	sort_reals(x, n);
	m = n % 2 ? x[n / 2] : x[n / 2 - 1] / 2 + x[n / 2] / 2;
	free(x);
	return m;
}

/* Computes the mean of each column of numbers, and then the values that replace missing ones. Adds
 * in the order in which the values are stored. */
static enum err sheet_fill_measure(struct sheet *t)
{
	struct sheet_column **at;
	enum err err = ERR_OK;
	double *sum;

	ALLOC(at, t->numbers);
	ALLOC(sum, t->numbers);
	for (size_t i = 0; i < t->columns; i++)
		if (t->column[i].role == ROLE_NUMBER || t->column[i].role == ROLE_DATE)
			at[t->column[i].place] = &t->column[i];
	for (size_t i = 0; i < t->rows; i++) {
		for (size_t j = 0; j < t->numbers; j++) {
			double x = t->number[i * t->numbers + j];

			if (!isnan(x))
				sum[j] += x / (double)(t->rows - at[j]->gaps);
		}
	}
	for (size_t j = 0; j < t->numbers && !err; j++) {
		struct sheet_column *c = at[j];

		if (c->gaps == t->rows)
			err = err_set(ERR_INPUT,
				      "%s: column \"%s\" has no value in any of the %zu rows: say "
				      "that it is to be ignored (ignore)",
				      t->where, c->name, t->rows);
		else if (c->gaps)
			c->fill = c->missing == MISSING_MEDIAN ? sheet_fill_median(t, c) : sum[j];
	}
	free(at);
	free(sum);
	return err;
}

/* ---- columns of the result ---- */

/* True if the features get a further column that marks the missing values of this column. Numbers
 * and dates get it only with MISSING_INDICATOR. It is there if values are missing, and also if a
 * setting for this column asks for it, so that all parties get the same columns. */
static bool has_indicator(const struct sheet_column *c)
{
	if (c->role == ROLE_CATEGORY)
		return c->gaps || (c->missing_said && c->missing != MISSING_ERROR);
	return c->missing == MISSING_INDICATOR && (c->gaps || c->missing_said);
}

static void name_columns(struct sheet *t, const struct sheet_column *c)
{
	char name[COLUMN_NAME_MAX + 1];

	if (c->role == ROLE_NUMBER || c->role == ROLE_DATE)
		columns_add(&t->out, c->name, c->role == ROLE_DATE ? COLUMN_DATE : COLUMN_NUMBER,
			    c->unit                ? c->unit
			    : c->role == ROLE_DATE ? "days"
						   : NULL,
			    NULL);
	for (size_t v = 0; c->role == ROLE_CATEGORY && v < c->sorted.n; v++) {
		snprintf(name, sizeof(name), "%s=%s", c->name, c->sorted.id[v]);
		columns_add(&t->out, name, COLUMN_CATEGORY, NULL, c->name);
	}
	if (has_indicator(c)) {
		snprintf(name, sizeof(name), "%s is missing", c->name);
		columns_add(&t->out, name, COLUMN_CATEGORY, NULL, c->name);
	}
}

/* Writes one column of the table as the feature columns that it becomes. *to is the first of them,
 * and becomes the one after the last. */
static void sheet_fill_spread_column(struct sheet *t, const struct sheet_column *c,
				     const uint32_t *place, size_t *to)
{
	bool number = c->role == ROLE_NUMBER || c->role == ROLE_DATE, indicator = has_indicator(c);
	size_t width = (number ? 1 : c->sorted.n) + indicator;

	for (size_t i = 0; i < t->rows; i++) {
		double *x = &MAT(&t->X, i, *to);

		if (number) {
			double v = t->number[i * t->numbers + c->place];

			x[0] = isnan(v) ? c->fill : v;
			if (indicator)
				x[1] = isnan(v);
		} else {
			uint32_t code = t->code[i * t->codes + c->place];

			x[code == UINT32_MAX ? width - 1 : place[code]] = 1;
		}
	}
	*to += width;
}

static void sheet_fill_warn_of_gaps(const struct sheet *t, const struct sheet_column *c)
{
	static const char *const what[] = {
		"", "the mean of the others is there", "the median of the others is there",
		"the mean of the others is there, and a column says where"
	};

	if (!c->gaps)
		return;
	log_warn("%s: column \"%s\": %zu of %zu values are missing; %s", t->where, c->name, c->gaps,
		 t->rows,
		 c->role == ROLE_CATEGORY ? "a column of its own says where" : what[c->missing]);
}

/* True for names such as "id", "customer_id", "Customer ID", "customerId". */
static bool is_name_of_ids(const char *name)
{
	size_t n = strlen(name);
	const char *end = n < 2 ? name : name + n - 2;

	if (strcasecmp(end, "id"))
		return false;
	return n == 2 || !isalpha((unsigned char)end[-1]) ||
	       (*end == 'I' && islower((unsigned char)end[-1]));
}

/* True if the column has a different whole number in each of more than two rows. */
static bool is_number_of_rows(const struct sheet *t, const struct sheet_column *c)
{
	bool all = t->rows > 2 && !c->gaps;
	double *x;

	ALLOC(x, t->rows);
	for (size_t i = 0; all && i < t->rows; i++) {
		x[i] = t->number[i * t->numbers + c->place];
		all = x[i] == floor(x[i]);
	}
	if (all)
		sort_reals(x, t->rows);
	for (size_t i = 1; all && i < t->rows; i++)
		all = x[i] != x[i - 1];
	free(x);
	return all;
}

static void sheet_fill_warn_of_codes(const struct sheet *t, const struct sheet_column *c)
{
	if (c->role != ROLE_NUMBER)
		return;
	if (c->codes)
		log_warn("%s: column \"%s\": %zu values have zeros in front or are beyond 2^53: "
			 "if they are ids, set id; if they are codes, set category",
			 t->where, c->name, c->codes);
	else if (!t->has_ids && is_name_of_ids(c->name) && is_number_of_rows(t, c))
		log_warn("%s: column \"%s\" has another whole number in each row, but is read "
			 "as a feature: if it has the ids, set id",
			 t->where, c->name);
}

static enum err check_room(const struct sheet *t)
{
	double need = 8.0 * (double)t->rows * (double)t->out.n;

	if (t->out.n > COLS_MAX)
		return err_set(ERR_INPUT,
			       "%s: %zu columns, once categories are spread; at most %lu are read",
			       t->where, t->out.n, COLS_MAX);
	return machine_fits(t->where, "its matrix, with a column for each category,", need);
}

static void sort_values(struct sheet_column *c, uint32_t **place)
{
	ALLOC(*place, c->values.n);
	names_sort(&c->values, &c->sorted, *place);
}

enum err sheet_fill(struct sheet *t)
{
	uint32_t **place;
	size_t to = 0, gaps = 0;
	enum err err;

	TRY(sheet_fill_measure(t));
	ALLOC(place, t->columns);
	for (size_t i = 0; i < t->columns; i++) {
		struct sheet_column *c = &t->column[i];

		if (c->role == ROLE_CATEGORY)
			sort_values(c, &place[i]);
		name_columns(t, c);
		sheet_fill_warn_of_gaps(t, c);
		sheet_fill_warn_of_codes(t, c);
		gaps += c->gaps;
	}
	err = t->out.n || t->has_ids
		  ? check_room(t)
		  : err_set(ERR_INPUT,
			    "%s: no column is left that becomes a feature, and none has ids",
			    t->where);
	if (!err)
		err = columns_check(&t->out, t->where);
	if (!err && t->out.n == t->numbers && !gaps) { /* the numbers can stay in place */
		t->X = (struct mat){ .rows = t->rows, .cols = t->numbers, .a = t->number };
		t->number = NULL;
	} else if (!err) {
		mat_init(&t->X, t->rows, t->out.n);
		for (size_t i = 0; i < t->columns; i++)
			if (t->column[i].role <= ROLE_DATE)
				sheet_fill_spread_column(t, &t->column[i], place[i], &to);
	}
	for (size_t i = 0; i < t->columns; i++)
		free(place[i]);
	free(place);
	return err;
}
