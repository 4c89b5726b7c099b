#include "common/kcagc/columns.h"
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/log.h"

#include <math.h>
#include <stdlib.h>

enum { NAMED_MAX = 20 }; /* columns that the log names one by one */

static const double ALIKE = 1e-12; /* values that differ by less than this part are the same */

struct column {
	double least, most, largest; /* largest: of the absolute values */
	double mean, deviation;      /* in units of largest, so that no square overflows */
	bool alike;                  /* all values are the same */
};

static void measure(const struct mat *Z, struct column *column)
{
	const double n = (double)Z->rows;

	for (size_t j = 0; j < Z->cols; j++)
		column[j].least = column[j].most = MAT(Z, 0, j);
	for (size_t i = 1; i < Z->rows; i++)
		for (size_t j = 0; j < Z->cols; j++) {
			column[j].least = fmin(column[j].least, MAT(Z, i, j));
			column[j].most = fmax(column[j].most, MAT(Z, i, j));
		}
	for (struct column *c = column; c < column + Z->cols; c++) {
		c->largest = fmax(fabs(c->least), fabs(c->most));
		c->alike = c->largest == 0 || c->most / c->largest - c->least / c->largest <= ALIKE;
		c->largest = c->alike ? 1 : c->largest;
	}
	for (size_t i = 0; i < Z->rows; i++)
		for (size_t j = 0; j < Z->cols; j++)
			column[j].mean += MAT(Z, i, j) / column[j].largest / n;
	for (size_t i = 0; i < Z->rows; i++)
		for (size_t j = 0; j < Z->cols; j++) {
			double x = MAT(Z, i, j) / column[j].largest - column[j].mean;

			column[j].deviation += x * x / n;
		}
	for (struct column *c = column; c < column + Z->cols; c++)
		c->deviation = sqrt(c->deviation);
}

static void say_left_out(const struct column *column, size_t columns, size_t left_out)
{
	struct buf named = { 0 };
	size_t count = 0;

	for (size_t j = 0; j < columns && count < NAMED_MAX; j++)
		if (column[j].alike)
			buf_printf(&named, "%s%zu", count++ ? ", " : "", j);
	buf_add(&named, "", 1);
	log_warn(
	    "%zu of %zu feature columns have the same value in all rows and are left out: %s%s "
	    "(from 0)",
	    left_out, columns, (char *)named.p, left_out > NAMED_MAX ? ", ..." : "");
	buf_release(&named);
}

static enum err standardize_columns(struct mat *Z)
{
	struct column *column = alloc(Z->cols, sizeof(*column));
	size_t left_out = 0, to = 0;
	enum err e = ERR_OK;

	measure(Z, column);
	for (size_t j = 0; j < Z->cols; j++)
		left_out += column[j].alike;
	if (left_out == Z->cols)
		e = err_set(
		    ERR_INPUT,
		    "each of the %zu feature columns has the same value in all rows: nothing "
		    "to cluster",
		    Z->cols);
	else if (left_out)
		say_left_out(column, Z->cols, left_out);
	for (size_t i = 0; i < Z->rows; i++)
		for (size_t j = 0; j < Z->cols; j++)
			if (!column[j].alike)
				Z->a[to++] = (MAT(Z, i, j) / column[j].largest - column[j].mean) /
					     column[j].deviation;
	Z->cols -= left_out;
	free(column);
	return e;
}

enum err columns_points(struct features *X, bool standardize, struct mat *Z)
{
	enum err e = ERR_OK;

	if (X->is_sparse) {
		csr_to_dense(&X->sparse, Z);
	} else {
		*Z = X->dense;
		X->dense = (struct mat){ 0 };
	}
	features_release(X);
	if (Z->rows == 0 || Z->cols == 0)
		e = err_set(ERR_INPUT, "features are %zu x %zu: nothing to cluster", Z->rows,
			    Z->cols);
	else if (standardize)
		e = standardize_columns(Z);
	if (e)
		mat_release(Z);
	return e;
}
