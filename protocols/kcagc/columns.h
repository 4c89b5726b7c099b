/* columns.h -- points of kmeans.columns: a party's columns, centred and, on request, standardised.
 */
#ifndef PROTOCOLS_KCAGC_COLUMNS_H
#define PROTOCOLS_KCAGC_COLUMNS_H

#include "common/base/err.h"
#include "common/data/columns.h"
#include "common/data/standard.h"
#include "common/linalg/csr.h"
#include "common/linalg/mat.h"

#include <stdbool.h>

/* Z (n x d, initialised here): X as a dense matrix, its columns centred; X is released. With
 * `standardize`, scales as standard_own() does, except for categories and sparse features: it drops
 * columns that are constant. names may be NULL. by (may be NULL) is filled on success, for
 * columns_again(). Returns ERR_INPUT if no column is left. O(n m), no second copy of a dense X. */
enum err columns_points(struct features *X, bool standardize, const struct columns *names,
			struct mat *Z, struct standard_by *by) MUST_CHECK;

/* Applies `by` to other rows of the same columns. X must have as many columns as the features from
 * which `by` was made. */
void columns_again(struct features *X, const struct standard_by *by, struct mat *Z);

#endif
