/* rename.h -- rows of files that lie on ranks, in the order of their ids: what dataset.h does of one process's. */
#ifndef COMMON_RANKS_RENAME_H
#define COMMON_RANKS_RENAME_H

#include "common/linalg/csr.h"
#include "common/linalg/ranks.h"

/* rows: empty without edges. place: where each of this rank's rows goes, a permutation over all ranks. Rows of X and of the adjacency go to whoever
 * has these places, neighbours are called by theirs. Takes memory for both once more, and 24 bytes for each entry. */
void ranks_rename(const struct ranks *R, const uint32_t *place, struct features *X, struct csr *rows);

#endif
