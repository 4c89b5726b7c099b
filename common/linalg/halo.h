/* halo.h -- the rows of other ranks that are adjacent to this rank's rows, and their values.
 *
 * A sparse matrix with distributed rows has columns numbered over all rows: an entry may refer to a
 * row of another rank. These rows are the halo. Without ranks it is empty, and nothing is copied or
 * exchanged. */
#ifndef COMMON_LINALG_HALO_H
#define COMMON_LINALG_HALO_H

#include "common/linalg/csr.h"
#include "common/linalg/ranks.h"

/* Row numbers, count[q] of them for rank q, in the order of ranks. Owned. */
struct rows_by_rank {
	size_t *count;
	uint32_t *item;
};
/* Makes an empty list with capacity `most`. */
void rows_by_rank_init(struct rows_by_rank *l, const struct ranks *R, size_t most);
void rows_by_rank_release(struct rows_by_rank *l);
size_t rows_by_rank_all(const struct rows_by_rank *l, const struct ranks *R);
/* Sends each rank the row numbers that `from` lists for it. to (initialised here) receives the
 * numbers of this rank's rows that each rank listed, counted from this rank's first row. */
void rows_by_rank_exchange(const struct ranks *R, const struct rows_by_rank *from,
			   struct rows_by_rank *to);

struct halo {
	const struct ranks *R;
	size_t rows, count; /* this process's rows; rows of the halo */
	uint32_t *row;      /* count: row numbers of the halo, ascending */
	uint32_t *at;       /* per entry: a row of this process, or rows + an index into the halo */
	size_t *want;       /* number of the halo's rows that each rank owns */
	struct rows_by_rank give; /* rows of this process in the halos of other ranks */
};

/* Builds the halo of `a`, which has this process's rows. Without ranks, h->at is the index of `a`,
 * borrowed. O(entries log count), and one exchange. Memory: 4 bytes per entry and per row of the
 * halo. */
void halo_init(struct halo *h, const struct ranks *R, const struct csr *a);
void halo_release(struct halo *h);
/* Fills halo (count items of `bytes` bytes). Each rank sends the items of its rows, which it takes
 * from `own` (rows items). */
void halo_fetch(const struct halo *h, size_t bytes, const void *own, void *halo);

#endif
