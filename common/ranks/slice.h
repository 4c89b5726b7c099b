/* slice.h -- a party's columns in landmark projection and federated GCC (common/kcagc/slice.h) whose rows lie on several
 * ranks: each answers for its rows, to the bits of one process. */
#ifndef COMMON_RANKS_SLICE_H
#define COMMON_RANKS_SLICE_H

#include "common/kcagc/place.h"
#include "common/kcagc/slice.h"
#include "common/linalg/ranks.h"

struct ranks_slice {
	struct slice slice; /* slice_answer(), slice_cluster(), slice_means(): all ranks alike, of own rows */
	const struct ranks *R;
	struct csr rows;
	struct graph g; /* of own rows: how many there are, and D^-1/2 */
	struct slice_rest rest;
};

/* Takes over rows and X, this rank's. s stays where it is until it is released. ERR_INPUT at each rank, who then keeps both, for
 * columns that one process would filter by products alone (wide_pays()). */
enum err ranks_slice_init(struct ranks_slice *s, const struct ranks *R, struct csr *rows, struct features *X) MUST_CHECK;
/* The same without edges, for who asks about columns alone: X is formed. */
void ranks_slice_begin(struct ranks_slice *s, const struct ranks *R, struct features *X);
void ranks_slice_release(struct ranks_slice *s); /* accepts zeros */

/* placing_weigh() and placing_distances(), whose errors are all ranks'; D (initialised here) has own rows.
 * rows and X are used up by the second. */
enum err ranks_place_weigh(const struct ranks *R, const struct placing *p, struct features *X,
			   double *length) MUST_CHECK;
void ranks_place_distances(const struct ranks *R, struct csr *rows, const struct placing *p, struct features *X,
			   const double *norm, struct mat *D);

#endif
