/* halo.h -- rows of other ranks that this rank's rows are joined to, and values of them.
 *
 * A sparse matrix whose rows ranks share has columns numbered over all rows: an entry may lead to a
 * row elsewhere. These rows are the halo. Without ranks it is empty, and nothing is copied or
 * exchanged. */
#ifndef COMMON_LINALG_HALO_H
#define COMMON_LINALG_HALO_H

#include "common/linalg/csr.h"
#include "common/linalg/ranks.h"

/* Numbers of rows, count[q] of them for rank q, in the order of ranks. Owned. */
struct rows_by_rank {
	size_t *count;
	uint32_t *item;
};
/* Without any; room for `most`. */
void rows_by_rank_init(struct rows_by_rank *l, const struct ranks *R, size_t most);
void rows_by_rank_release(struct rows_by_rank *l);
size_t rows_by_rank_all(const struct rows_by_rank *l, const struct ranks *R);
/* to (initialised here): the numbers in all ranks' `from` that are rows of this rank, counted from
 * its first row. */
void rows_by_rank_tell(const struct ranks *R, const struct rows_by_rank *from,
		       struct rows_by_rank *to);

struct halo {
	const struct ranks *R;
	size_t rows, count; /* this process's rows; rows of the halo */
	uint32_t *row;      /* count: numbers of the halo's rows, rising */
	uint32_t *at; /* of each entry: this process's row, or rows + a place in the halo */
	size_t *want; /* rows of the halo that each rank has */
	struct rows_by_rank give; /* this process's rows in the halos of others */
};

/* a: this process's rows; without ranks `at` is its index, borrowed. O(entries log count), one
 * exchange. Memory: 4 bytes for each entry and for each row of the halo. */
void halo_init(struct halo *h, const struct ranks *R, const struct csr *a);
void halo_release(struct halo *h);
/* halo (count items of `bytes` bytes): items that its owners have in own (rows items). */
void halo_fetch(const struct halo *h, size_t bytes, const void *own, void *halo);

#endif
