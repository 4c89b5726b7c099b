/* columns.h -- the points of kmeans.columns: a party's columns, of mean 0, in their units or
 * standardised. */
#ifndef PROTOCOLS_KCAGC_COLUMNS_H
#define PROTOCOLS_KCAGC_COLUMNS_H

#include "common/base/err.h"
#include "common/data/columns.h"
#include "common/data/standard.h"
#include "common/linalg/csr.h"
#include "common/linalg/mat.h"

#include <stdbool.h>

/* Z (n x d, initialised here): X, dense, which is used up, its columns of mean 0. With
 * `standardize` as standard_own() does, but for categories and sparse features: columns that are
 * the same in all rows are left out. names may be NULL. by, filled where there is no error, for
 * columns_again(); or NULL. ERR_INPUT if none is left. O(n m), no second copy of a dense X. */
enum err columns_points(struct features *X, bool standardize, const struct columns *names,
			struct mat *Z, struct standard_by *by) MUST_CHECK;

/* The same of other rows of these columns, as `by` has it, which was filled for as many columns as X has. */
void columns_again(struct features *X, const struct standard_by *by, struct mat *Z);

#endif
