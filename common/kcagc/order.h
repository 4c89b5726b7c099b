/* order.h -- filter.order "auto" for AGC and kCAGC: a party's terms of AGC's rule (Zhang et al.,
 * IJCAI 2019, Section 3.3), one for each psi.
 *
 * The features are filtered step by step; after each step they are projected and clustered as the
 * job says, and the mean intra-cluster distance is taken. psi_agc() looks at the sums of those over
 * the parties.
 */
#ifndef COMMON_KCAGC_ORDER_H
#define COMMON_KCAGC_ORDER_H

#include "common/kcagc/embed.h"
#include "common/cluster/kmeans.h"

/* Terms come in blocks, so that a block is one secure sum; after the last the rule gives up. */
enum { ORDER_BLOCK = 10, ORDER_BLOCKS = 10, ORDER_CAP = ORDER_BLOCK * ORDER_BLOCKS };

struct order_search {
	struct mat F; /* the features, filtered so far */
	const struct features *X;
	const struct graph *g;
	size_t entries; /* of X that are not 0, or all if they are many */
	struct embed_params how;
	struct kmeans_params clusters;
};

/* X stays as it is, and it and g outlive the search, which takes one dense copy of X. how->order is
 * not looked at. ERR_INPUT as embed(). */
enum err order_begin(struct order_search *s, const struct features *X, const struct graph *g,
		     const struct embed_params *how,
		     const struct kmeans_params *clusters) MUST_CHECK;
/* intra[t], ORDER_BLOCK of them: the mean intra-cluster distance for the next orders. */
enum err order_next(struct order_search *s, double *intra) MUST_CHECK;
void order_end(struct order_search *s);

/* AGC's rule on the first `known` sums of terms over all parties: *order, or 0 if more are needed.
 * ERR_JOB if there is no rise up to ORDER_CAP. */
enum err order_decide(const double *intra, size_t known, unsigned *order) MUST_CHECK;

#endif
