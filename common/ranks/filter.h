/* filter.h -- the half filter of graph/filter.h on rows that lie on several ranks, to the same bits. */
#ifndef COMMON_RANKS_FILTER_H
#define COMMON_RANKS_FILTER_H

#include "common/linalg/csr.h"
#include "common/ranks/ranks.h"

/* rows: this rank's rows of the adjacency, columns numbered over all ranks, without weights; used up. X: its rows of the
 * features, filtered in place. Rows that others have are told once, what of them is needed once a step and panel;
 * leaves that one rank's node folds lie with that node meanwhile. Memory: two panels of rows and of those of
 * others that they are joined to. */
void ranks_filter(const struct ranks *R, struct csr *rows, unsigned psi, struct mat *X);

#endif
