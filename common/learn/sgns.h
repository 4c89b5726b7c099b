/* sgns.h -- SkipGram with negative sampling (Mikolov et al. 2013) over walks.
 *
 * One epoch in a shuffled order of the walks. For each token, the centre: a window shrunk uniformly to
 * 1 .. `window`; each token in it predicts the centre, and not SGNS_NEGATIVES tokens drawn by
 * count^0.75, which are the same for the whole window (Ji et al. 2016): a small matrix product, three
 * times as fast as pair by pair. Step falls linearly from SGNS_RATE to SGNS_RATE_LAST. On BlogCatalog
 * (33 million tokens) 21 s of one core, micro/macro F1 .413/.279 at a training ratio of .6.
 *
 * Deterministic: walks are cut into rounds by their number and that of vertices; in a round SGNS_SHARDS
 * shards, whatever the number of threads, each learn from their part on their own copy of the vectors,
 * and what they changed is added up in order. So results are the same for any threads, of which
 * SGNS_SHARDS are of use, and on any machine (common/linalg/simd.h).
 */
#ifndef COMMON_LEARN_SGNS_H
#define COMMON_LEARN_SGNS_H

#include "common/graph/walks.h"

#include <stddef.h>
#include <stdint.h>

enum {
	SGNS_DIMS = 128, /* known to the compiler: the inner loop is unrolled for it */
	SGNS_NEGATIVES = 5,
	SGNS_SHARDS = 2,
};
#define SGNS_RATE      0.025
#define SGNS_RATE_LAST 1e-4

struct sgns_params {
	size_t n;        /* tokens are below n; those that never occur keep a row of zeros */
	unsigned window; /* 10 */
	uint64_t seed;
	unsigned threads;
	/* Called now and then, in this thread: done of 1, and the mean loss of a positive with its
	 * negatives since the last time, in nats. NULL: not. */
	void (*progress)(void *ctx, double done, double loss);
	void *ctx;
};

/* X (n x SGNS_DIMS floats, given by the caller) becomes the vectors. Calls progress_tick().
 * O(tokens (window + 5) SGNS_DIMS). Memory: 2 (1 + SGNS_SHARDS) n SGNS_DIMS floats with X, and 4 bytes a
 * walk. */
void sgns(const struct walks *w, const struct sgns_params *p, float *X);

#endif
