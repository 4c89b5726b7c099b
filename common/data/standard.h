/* standard.h -- scales columns of features to mean 0 and deviation 1, and finds a dominant column.
 *
 * Categories, known by the columns' names, are not scaled: 0 and 1 have no unit. Columns of sparse
 * features are not scaled either, since they would become dense. Names may be NULL or empty:
 * columns then have numbers, from 0.
 */
#ifndef COMMON_DATA_STANDARD_H
#define COMMON_DATA_STANDARD_H

#include "common/base/err.h"
#include "common/data/columns.h"
#include "common/linalg/csr.h"
#include "common/linalg/mat.h"

#include <stdbool.h>
#include <stddef.h>

/* A column in messages: its name, such as "income", or its number, such as "12 (from 0)". */
struct column_text {
	char s[COLUMN_NAME_MAX + 3];
};
struct column_text column_text(const struct columns *names, size_t j);

/* Marks the columns of X that are not scaled: m values, owned by the caller. */
bool *standard_unscaled(const struct features *X, const struct columns *names);

/* The scaling of m columns: x became (x - shift) / unit. unit 0: the column became 0, or was left
 * out. Owned. */
struct standard_by {
	double *shift, *unit;
};
void standard_by_release(struct standard_by *by);

/* Scales the columns of Z (n x m), except those in unscaled, to mean 0 and deviation 1 (over n), by
 * its own rows. If `drop`, removes those of the scaled columns that have the same value in all
 * rows, up to rounding; otherwise sets them to 0. In both cases gives a warning about them, or
 * returns ERR_INPUT if they are all m columns. unscaled may be NULL. by (may be NULL) is filled
 * here, also on an error. O(n m), in place. Squares do not overflow for any unit of the data. */
enum err standard_own(struct mat *Z, const bool *unscaled, const struct columns *names, bool drop,
		      struct standard_by *by) MUST_CHECK;

/* Scales the columns of dense features as standard_own() does, except categories. Keeps the number
 * of columns. Leaves sparse features unchanged, and logs that. */
enum err standard_features(struct features *X, const struct columns *names) MUST_CHECK;

/* Returns each column's sum of squared deviations from its mean: m values, owned by the caller.
 * O(entries). */
double *standard_spread(const struct features *X);

/* Returns the number of the column with more than 80 % of the variance of all columns, and its
 * *share; m if there is none. */
size_t standard_dominant(const double *spread, size_t m, double *share);

/* Give warnings (common/base/warnings.h) about the party's own rows. standard_warn_zero() warns if
 * all features are 0, and then returns true. standard_warn() is for features that are not
 * standardised. It warns if all features are 0. Otherwise it warns if a column dominates and, if
 * `all_rows`, if columns of dense features are constant over the rows of X. */
bool standard_warn_zero(const struct features *X);
void standard_warn(const struct features *X, const struct columns *names, bool all_rows);

#endif
