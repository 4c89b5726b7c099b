/* ranks.h -- rows that several processes share: which rank has which, a sum over all rows, and an exchange.
 *
 * Numerics over rows are written once, over a `const struct ranks *`. NULL means that this process has all rows: then a
 * sum is the process's own, in the same order of additions, and nothing is exchanged. Ranks compute the same bits.
 *
 * Rows are numbered over all ranks, 0 .. n - 1. Rank r has rows cut[r] .. cut[r + 1] - 1, whole blocks of rowsum.h,
 * so that every sum over rows joins the same blocks for any number of ranks. All ranks call each function below that
 * exchanges, in the same order. An exchange that fails ends the process. */
#ifndef COMMON_LINALG_RANKS_H
#define COMMON_LINALG_RANKS_H

#include "common/base/err.h"
#include "common/linalg/rowsum.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ranks {
	size_t own, count; /* this rank; number of ranks */
	size_t n;          /* rows of all ranks */
	size_t *cut;       /* count + 1 */
	const char *host;  /* where this rank runs, for errors; or NULL */
	void *ctx;
	/* Each rank sends out_count[q] items of `bytes` bytes to rank q, in the order of ranks, and receives in_count[q]. */
	void (*exchange)(void *ctx, size_t bytes, const void *out, const size_t *out_count,
			 void *in, const size_t *in_count);
};

/* cut and n; the rest is the caller's. */
void ranks_cut(struct ranks *R, size_t n);
void ranks_release(struct ranks *R);
int ranks_by_number(const void *a, const void *b); /* of uint32_t, for qsort() and bsearch() */
size_t ranks_owner(const struct ranks *R, size_t row);
static inline size_t ranks_rows(const struct ranks *R)
{
	return R->cut[R->own + 1] - R->cut[R->own];
}
static inline size_t ranks_first(const struct ranks *R) /* number of the first of this process's rows */
{
	return R ? R->cut[R->own] : 0;
}
static inline size_t ranks_n(const struct ranks *R, size_t rows) /* rows of all, of which this process has `rows` */
{
	return R ? R->n : rows;
}

/* Receives from all ranks, in their order; the caller owns the result. in_count (R->count) is filled. Not for NULL. */
void *ranks_exchange(const struct ranks *R, size_t bytes, const void *out, const size_t *out_count,
		     size_t *in_count);
/* `count` items of this rank and those of all others, in the order of ranks: *all of them, owned by the caller. */
void *ranks_gather(const struct ranks *R, size_t bytes, const void *own, size_t count, size_t *all);
/* One item of each rank: R->count of them, or, without ranks, one; owned by the caller. */
void *ranks_all(const struct ranks *R, size_t bytes, const void *own);
size_t ranks_total(const struct ranks *R, size_t own); /* sum over ranks of one number */
/* p becomes the n bytes that rank `from` has there. */
void ranks_tell(const struct ranks *R, size_t from, void *p, size_t n);
/* An error of one rank becomes the error of all: that of the first rank with one, prefixed by its number and host. */
enum err ranks_agree(const struct ranks *R, enum err own) MUST_CHECK;

/* s begins with this process's first block of rows; join and ctx: as rowsum_init(). */
void ranks_sum_begin(const struct ranks *R, struct rowsum *s, size_t width, rowsum_join *join, void *ctx);
/* total (s->width): sum over the blocks of all ranks, the same at each. s may sum anew, from the first block on. */
void ranks_sum(const struct ranks *R, struct rowsum *s, double *total);
void ranks_sum_end(const struct ranks *R, struct rowsum *s, double *total); /* ranks_sum(); s is released */

#endif
