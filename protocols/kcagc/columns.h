/* columns.h -- makes the points of kmeans.columns: a party's columns, centred and, if the job asks
 * for it, standardised. */
#ifndef PROTOCOLS_KCAGC_COLUMNS_H
#define PROTOCOLS_KCAGC_COLUMNS_H

#include "common/base/err.h"
#include "common/data/columns.h"
#include "common/data/standard.h"
#include "common/linalg/csr.h"
#include "common/linalg/mat.h"

#include <stdbool.h>

/* Moves X into the dense matrix Z (n x d, initialised here), centres its columns, and releases X.
 * With `standardize`, drops constant columns, and scales the others as standard_own() does, except
 * for categories and sparse features. names may be NULL. by (may be NULL) is filled on success, for
 * columns_again(). Returns ERR_INPUT if there is no row, or no column is left. O(n m); makes no
 * second copy of a dense X. */
enum err columns_points(struct features *X, bool standardize, const struct columns *names,
			struct mat *Z, struct standard_by *by) MUST_CHECK;

/* Applies `by` to other rows of the same columns. X must have as many columns as the features that
 * columns_points() got. */
void columns_again(struct features *X, const struct standard_by *by, struct mat *Z);

#endif
