/* columns.h -- the points of kmeans.columns: a party's columns as they are, or standardised. */
#ifndef COMMON_KCAGC_COLUMNS_H
#define COMMON_KCAGC_COLUMNS_H

#include "common/base/err.h"
#include "common/linalg/csr.h"
#include "common/linalg/mat.h"

#include <stdbool.h>

/* Z (n x d, initialised here): X, dense, which is used up. With `standardize` each column is brought to
 * mean 0 and deviation 1 (over n); columns that are the same in all rows, to rounding, are left out, and the
 * log says which, from 0. ERR_INPUT if none is left. O(n m), no second copy of a dense X. */
enum err columns_points(struct features *X, bool standardize, struct mat *Z) MUST_CHECK;

#endif
