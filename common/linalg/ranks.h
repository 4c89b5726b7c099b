/* ranks.h -- distributed rows: the rows of each rank, sums over all rows, and an exchange.
 *
 * Numerics over rows are written once, over a `const struct ranks *`. If it is NULL, this process
 * has all rows: sums then need no exchange and keep the order of additions. Results are bitwise
 * identical for any number of ranks.
 *
 * Rows are numbered over all ranks, 0 .. n - 1. Rank r has rows cut[r] .. cut[r + 1] - 1, whole
 * blocks of rowsum.h, so that every sum joins the same blocks. All ranks call each exchanging
 * function below in the same order. A failed exchange ends the process. */
#ifndef COMMON_LINALG_RANKS_H
#define COMMON_LINALG_RANKS_H

#include "common/base/err.h"
#include "common/linalg/rowsum.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ranks {
	size_t own, count;
	size_t n; /* rows of all ranks */
	size_t *cut;
	const char *host; /* host of this rank, for errors; or NULL */
	void *ctx;
	/* Sends out_count[q] items of `bytes` bytes to rank q, in the order of ranks, and receives
	 * in_count[q] from it. */
	void (*exchange)(void *ctx, size_t bytes, const void *out, const size_t *out_count,
			 void *in, const size_t *in_count);
};

/* Sets n, and cut for R->count ranks; the caller sets the rest, count before the call. */
void ranks_cut(struct ranks *R, size_t n);
void ranks_release(struct ranks *R);
int ranks_by_number(const void *a, const void *b);
size_t ranks_owner(const struct ranks *R, size_t row);
static inline size_t ranks_rows(const struct ranks *R)
{
	return R->cut[R->own + 1] - R->cut[R->own];
}
static inline size_t ranks_first(const struct ranks *R)
{
	return R ? R->cut[R->own] : 0;
}
/* Returns the number of rows of all ranks. rows: those of this process. */
static inline size_t ranks_n(const struct ranks *R, size_t rows)
{
	return R ? R->n : rows;
}

/* Exchanges counts and then items. Returns the items received from all ranks, in the order of
 * ranks; the caller owns them. Fills in_count (R->count). R must not be NULL. */
void *ranks_exchange(const struct ranks *R, size_t bytes, const void *out, const size_t *out_count,
		     size_t *in_count);
/* Returns the items of all ranks, in their order, owned by the caller; *all: their number. This
 * rank gives `count`. */
void *ranks_gather(const struct ranks *R, size_t bytes, const void *own, size_t count, size_t *all);
/* Returns one item per rank: R->count, or one without ranks; owned by the caller. */
void *ranks_all(const struct ranks *R, size_t bytes, const void *own);
size_t ranks_total(const struct ranks *R, size_t own);  /* sum of `own` over all ranks */
size_t ranks_before(const struct ranks *R, size_t own); /* sum of `own` over lower ranks */
/* Broadcasts the n bytes at p from rank `from`. */
void ranks_broadcast(const struct ranks *R, size_t from, void *p, size_t n);
/* Turns an error of one rank into an error of all. With several errors, that of the first rank
 * counts. The message begins with that rank's number and host. */
enum err ranks_agree(const struct ranks *R, enum err own) MUST_CHECK;

/* Begins s at this process's first block of rows. join and ctx: as for rowsum_init(). */
void ranks_sum_begin(const struct ranks *R, struct rowsum *s, size_t width, rowsum_join *join,
		     void *ctx);
/* Sets total (s->width values) to the sum over the blocks of all ranks, which is the same at each
 * rank. Resets s. */
void ranks_sum(const struct ranks *R, struct rowsum *s, double *total);
void ranks_sum_end(const struct ranks *R, struct rowsum *s, double *total);

#endif
