#include "cli/import/sources.h"
#include "common/data/limits.h"
#include "common/data/mtx.h"

#include <math.h>
#include <stdlib.h>

enum err import_triples(struct triple *t, size_t count, size_t rows, size_t cols, const char *where,
			struct features *X)
{
	size_t twice;

	if (rows < 1 || rows > ROWS_MAX || cols < 1 || cols > COLS_MAX)
		return err_set(ERR_INPUT, "%s: %zu x %zu, expected 1 to %zu rows and columns",
			       where, rows, cols, ROWS_MAX);
	twice = triples_sort(t, count);
	if (twice < count)
		return err_set(ERR_INPUT,
			       "%s: entry (%u, %u), from 0, is there twice; in scipy, "
			       "sum_duplicates() adds them up",
			       where, t[twice].row, t[twice].col);
	X->is_sparse = true;
	csr_from_triples(&X->sparse, rows, cols, t, count);
	return ERR_OK;
}

static bool whole_below(double x, double most)
{
	return x >= 0 && x <= most && x == floor(x);
}

static enum err take_line(const struct compressed *c, size_t line, const char *where,
			  struct triple *t)
{
	if (!whole_below(c->start[line], (double)c->count) ||
	    !whole_below(c->start[line + 1], (double)c->count) ||
	    c->start[line] > c->start[line + 1])
		return err_set(
		    ERR_INPUT,
		    "%s: starts %zu and %zu are %g and %g, expected whole numbers that rise to %zu",
		    where, line, line + 1, c->start[line], c->start[line + 1], c->count);
	for (size_t e = (size_t)c->start[line]; e < (size_t)c->start[line + 1]; e++) {
		if (!whole_below(c->index[e], (double)c->width - 1))
			return err_set(ERR_INPUT,
				       "%s: index %zu is %g, expected a whole number from 0 to %zu",
				       where, e, c->index[e], c->width - 1);
		if (!isfinite(c->value[e]))
			return err_set(ERR_INPUT, "%s: value %zu is %g, expected a finite number",
				       where, e, c->value[e]);
		t[e] = (struct triple){ c->by_columns ? (uint32_t)c->index[e] : (uint32_t)line,
					c->by_columns ? (uint32_t)line : (uint32_t)c->index[e],
					c->value[e] };
	}
	return ERR_OK;
}

enum err import_compressed(const struct compressed *c, const char *where, struct features *X)
{
	struct triple *t;
	enum err err = ERR_OK;

	if (c->lines > ROWS_MAX || c->width > COLS_MAX || c->width < 1)
		return err_set(ERR_INPUT, "%s: %zu lines of %zu, expected at most %zu", where,
			       c->lines, c->width, ROWS_MAX);
	if (c->start[0] != 0 || c->start[c->lines] != (double)c->count)
		return err_set(
		    ERR_INPUT,
		    "%s: starts go from %g to %g, expected 0 to %zu as there are so many values",
		    where, c->start[0], c->start[c->lines], c->count);
	ALLOC(t, c->count);
	for (size_t line = 0; line < c->lines && !err; line++)
		err = take_line(c, line, where, t);
	if (!err)
		err = import_triples(t, c->count, c->by_columns ? c->width : c->lines,
				     c->by_columns ? c->lines : c->width, where, X);
	free(t);
	return err;
}

enum err import_labels(struct imported *in, const char *where, const struct mat *label)
{
	size_t n = label->rows * label->cols;

	if ((label->rows != 1 && label->cols != 1) || n != features_rows(&in->X))
		return err_set(ERR_INPUT, "%s: %zu x %zu labels, expected %zu, one for each row",
			       where, label->rows, label->cols, features_rows(&in->X));
	for (size_t i = 0; i < n; i++)
		if (!whole_below(label->a[i], LABELS_MAX - 1))
			return err_set(ERR_INPUT,
				       "%s: label %zu is %g, expected a whole number from 0 to %d",
				       where, i + 1, label->a[i], LABELS_MAX - 1);
	ALLOC(in->sheet.label, n);
	for (size_t i = 0; i < n; i++)
		in->sheet.label[i] = (uint32_t)label->a[i];
	in->sheet.rows = n;
	in->sheet.has_labels = true;
	return ERR_OK;
}
