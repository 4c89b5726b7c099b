/* ranks.h -- rows that several processes share: which rank has which, sums over all rows, and an
 * exchange.
 *
 * Numerics over rows are written once, over a `const struct ranks *`. NULL means that this process
 * has all rows: a sum is then its own, in the same order of additions, and nothing is exchanged.
 * Any number of ranks computes the same bits.
 *
 * Rows are numbered over all ranks, 0 .. n - 1. Rank r has rows cut[r] .. cut[r + 1] - 1, whole
 * blocks of rowsum.h, so that every sum joins the same blocks. All ranks call each function below
 * that exchanges, in the same order. An exchange that fails ends the process. */
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
	/* Sends out_count[q] items of `bytes` bytes to rank q, in the order of ranks, and receives
	 * in_count[q] from it. */
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
/* Number of this process's first row. */
static inline size_t ranks_first(const struct ranks *R)
{
	return R ? R->cut[R->own] : 0;
}
/* Rows of all ranks; rows: of this process. */
static inline size_t ranks_n(const struct ranks *R, size_t rows)
{
	return R ? R->n : rows;
}

/* Receives from all ranks, in their order; the caller owns the result. in_count (R->count) is
 * filled. Not for NULL. */
void *ranks_exchange(const struct ranks *R, size_t bytes, const void *out, const size_t *out_count,
		     size_t *in_count);
/* Items of all ranks, in their order, of which this one has `count`: *all of them, owned by the
 * caller. */
void *ranks_gather(const struct ranks *R, size_t bytes, const void *own, size_t count, size_t *all);
/* One item of each rank: R->count, or, without ranks, one; owned by the caller. */
void *ranks_all(const struct ranks *R, size_t bytes, const void *own);
size_t ranks_total(const struct ranks *R, size_t own); /* sum over ranks of one number */
/* p becomes the n bytes that rank `from` has there. */
void ranks_tell(const struct ranks *R, size_t from, void *p, size_t n);
/* An error of one rank becomes the error of all: that of the first rank with one, after its number
 * and host. */
enum err ranks_agree(const struct ranks *R, enum err own) MUST_CHECK;

/* s begins with this process's first block of rows; join and ctx: as rowsum_init(). */
void ranks_sum_begin(const struct ranks *R, struct rowsum *s, size_t width, rowsum_join *join,
		     void *ctx);
/* total (s->width): sum over the blocks of all ranks, the same at each. s begins anew. */
void ranks_sum(const struct ranks *R, struct rowsum *s, double *total);
/* The same; s is released. */
void ranks_sum_end(const struct ranks *R, struct rowsum *s, double *total);

#endif
