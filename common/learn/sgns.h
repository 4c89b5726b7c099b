/* sgns.h -- SkipGram with negative sampling (Mikolov et al. 2013) over walks.
 *
 * One epoch over the walks in shuffled order. Each token is the centre of a window, whose size is
 * drawn uniformly from 1 .. `window`. Each token of the window learns to predict the centre, and
 * not the SGNS_NEGATIVES negatives, which are tokens drawn with probability proportional to
 * count^0.75. The whole window shares the negatives (Ji et al. 2016), so that it is one small
 * matrix product, three times as fast as single pairs. The step size decreases linearly from
 * SGNS_RATE to SGNS_RATE_LAST. On BlogCatalog (33 million tokens): 21 s on one core, micro/macro F1
 * .413/.279 at a training ratio of .6.
 *
 * Deterministic: the number of rounds depends only on the number and length of walks and the number
 * of vertices. In a round each of SGNS_SHARDS shards trains on its part of the walks with its own
 * copy of the vectors. Then the changes are added in the order of the shards. Results are the same
 * for any number of threads and on any machine (common/linalg/simd.h). At most SGNS_SHARDS threads
 * are used.
 */
#ifndef COMMON_LEARN_SGNS_H
#define COMMON_LEARN_SGNS_H

#include "common/graph/walks.h"

#include <stddef.h>
#include <stdint.h>

enum {
	SGNS_DIMS = 128, /* a compile-time constant: the inner loop is unrolled for it */
	SGNS_NEGATIVES = 5,
	SGNS_SHARDS = 2,
};
#define SGNS_RATE      0.025
#define SGNS_RATE_LAST 1e-4

struct sgns_params {
	size_t n;        /* tokens are below n; unused ones keep a row of zeros */
	unsigned window; /* 1 .. 64 */
	uint64_t seed;
	unsigned threads;
	/* Called periodically in this thread. done: fraction from 0 to 1. loss: mean loss of a
	 * positive with its negatives since the last call, in nats. May be NULL. */
	void (*progress)(void *ctx, double done, double loss);
	void *ctx;
};

/* Fills X (n x SGNS_DIMS floats, allocated by the caller) with the vectors. Calls
 * progress_tick(). O(tokens (window + 5) SGNS_DIMS). Memory: 2 (1 + SGNS_SHARDS) n SGNS_DIMS
 * floats including X, and 4 bytes a walk. */
void sgns(const struct walks *w, const struct sgns_params *p, float *X);

#endif
