/* privacy.h -- what summed squared distances tell about features: Table 7 of the paper. */
#ifndef CLI_AUDIT_PRIVACY_H
#define CLI_AUDIT_PRIVACY_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

#include <stdint.h>

#define PRIVACY_ROUNDING 1e-12

/* All in bits, means over the k centres, and over the columns where a column comes in. */
struct privacy {
	size_t columns; /* counted: without those that too few nodes have, or have not */
	size_t repeated; /* distances left out as equal to another's to the same centre, in all; equal
			    is: but for PRIVACY_ROUNDING of the largest */
	double entropy;  /* h(Y) of a summed squared distance */
	double mutual;   /* I(Y;X) with one column: a node has the feature, or not */
	double most;     /* the largest of any column, mean over the centres */
};

/* D: n x k, Y: row i has node i's squared distances to the k centres. has: n x m, X: column by
 * column (m times n values, 0 or 1). neighbours: of the estimators, see cli/audit/entropy.h.
 * ERR_INPUT if no column is left, or no distances. */
enum err privacy_of(const struct mat *D, const uint8_t *has, size_t m, unsigned neighbours,
		    unsigned threads, struct privacy *p) MUST_CHECK;

#endif
