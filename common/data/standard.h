/* standard.h -- scales columns of features to mean 0 and deviation 1, and finds a dominant column.
 *
 * Categories stay as they are, by the columns' names: 0 and 1 have no unit. So do all columns of
 * sparse features, which would become dense. Names may be NULL or none: columns then have numbers,
 * from 0.
 */
#ifndef COMMON_DATA_STANDARD_H
#define COMMON_DATA_STANDARD_H

#include "common/base/err.h"
#include "common/data/columns.h"
#include "common/linalg/csr.h"
#include "common/linalg/mat.h"

#include <stdbool.h>
#include <stddef.h>

/* "income", or "12 (from 0)". */
struct column_text {
	char s[COLUMN_NAME_MAX + 3];
};
struct column_text column_text(const struct columns *names, size_t j);

/* Marks the columns of X that are not scaled: m values, owned by the caller. */
bool *standard_apart(const struct features *X, const struct columns *names);

/* The scaling of m columns: x became (x - shift) / unit. unit 0: the column became 0, or was left
 * out. Owned. */
struct standard_by {
	double *shift, *unit;
};
void standard_by_release(struct standard_by *by);

/* Z's columns (n x m) that are not apart come to mean 0 and deviation 1 (over n), by its own
 * rows. Those that are the same in all rows, to rounding, are left out if `drop`, else become 0,
 * with a warning. apart may be NULL. by is filled here, also where there is an error; or NULL.
 * ERR_INPUT if none is left. O(n m), in place. No square overflows, whatever the unit. */
enum err standard_own(struct mat *Z, const bool *apart, const struct columns *names, bool drop,
		      struct standard_by *by) MUST_CHECK;

/* The same for dense features, except categories; keeps the number of columns. Leaves sparse
 * features as they are, with a line in the log. */
enum err standard_features(struct features *X, const struct columns *names) MUST_CHECK;

/* Returns each column's sum of squared deviations from its mean: m values, owned by the caller.
 * O(entries). */
double *standard_spread(const struct features *X);

/* The column that has more than 80 % of the variance of all: its number and *share; else m. */
size_t standard_dominant(const double *spread, size_t m, double *share);

/* Warnings (common/base/warnings.h) by the party's own rows: all features are 0; besides, of
 * features that are not standardised, a column dominates, and of dense ones of all rows columns
 * are constant. */
bool standard_warn_zero(const struct features *X); /* whether they are */
void standard_warn(const struct features *X, const struct columns *names, bool all_rows);

#endif
