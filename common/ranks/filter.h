/* filter.h -- the filters of graph/filter.h on rows that lie on several ranks, to the same bits; all but the spectral one. */
#ifndef COMMON_RANKS_FILTER_H
#define COMMON_RANKS_FILTER_H

#include "common/graph/filter.h"
#include "common/linalg/csr.h"
#include "common/linalg/ranks.h"

/* rows: this rank's rows of the adjacency, columns numbered over all ranks; used up, unless `keep`.
 * X: its rows of the features, filtered in place. Rows that others have are told once, what of them is needed once a
 * step and panel; leaves that one rank's node folds lie with that node meanwhile. Memory: two panels of rows and of
 * those of others that they are joined to. */
void ranks_filter(const struct ranks *R, struct csr *rows, bool keep, enum filter_kind kind, unsigned psi,
		  struct mat *X);

/* graph_filter_spread() of rows that stay, as X does, sparse or dense. */
void ranks_filter_spread(const struct ranks *R, const struct csr *rows, enum filter_kind kind, unsigned steps,
			 const struct features *X, double *square, double *spread);

/* graph_filter() by one step at a time: rows are laid out once. */
struct ranks_steps *ranks_steps_new(const struct ranks *R, const struct csr *rows, enum filter_kind kind);
void ranks_steps_once(struct ranks_steps *k, struct mat *X);
void ranks_steps_free(struct ranks_steps *k); /* accepts NULL */

#endif
