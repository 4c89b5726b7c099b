/* ranks.h -- rows that lie on several processes: who has which, and how they tell each other. The processes are
 * coterie-worker's (worker/), which has MPI; nothing here knows of it.
 *
 * Rows are numbered over all ranks, 0 .. n - 1. Rank r has rows cut[r] .. cut[r + 1] - 1, whole blocks of rowsum.h,
 * so that every sum over rows is joined of the same parts, whatever the number of ranks. */
#ifndef COMMON_RANKS_RANKS_H
#define COMMON_RANKS_RANKS_H

#include "common/base/err.h"
#include "common/linalg/rowsum.h"

#include <stddef.h>
#include <stdint.h>

struct ranks {
	size_t own, count; /* this rank; how many */
	size_t n;          /* rows of all */
	size_t *cut;       /* count + 1 */
	const char *host;  /* where this rank runs, for sentences; or NULL */
	void *ctx;
	/* Each rank gives rank q out_count[q] items of `bytes` bytes, in the order of ranks, and gets in_count[q] of
	 * it. All ranks call it alike. What fails ends the process. */
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

/* What the others give, owned by the caller; in_count (count) is filled. */
void *ranks_exchange(const struct ranks *R, size_t bytes, const void *out, const size_t *out_count,
		     size_t *in_count);
/* The same `bytes` bytes of each rank, at each: count of them, owned by the caller. */
void *ranks_all(const struct ranks *R, size_t bytes, const void *own);

size_t ranks_total(const struct ranks *R, size_t own); /* the sum of each rank's, at each */

/* Rank 0's n bytes, at each. */
void ranks_tell(const struct ranks *R, void *p, size_t n);
/* One rank's error is all ranks', with the sentence of the first that has one, and its number and host before it. */
enum err ranks_agree(const struct ranks *R, enum err own) MUST_CHECK;

/* s has the sums of this rank's blocks, begun at rowsum_init_at(cut[own] / ROWSUM_ROWS). total (s->width): of all
 * ranks, at each. */
void ranks_sum(const struct ranks *R, struct rowsum *s, double *total);
/* The same for who sums rows without knowing of ranks. R stays where it is, and is cut. */
struct rowsum_over ranks_over(const struct ranks *R);

#endif
