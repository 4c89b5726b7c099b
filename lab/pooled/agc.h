/* agc.h -- AGC (Zhang et al., IJCAI 2019) on pooled data. */
#ifndef LAB_POOLED_AGC_H
#define LAB_POOLED_AGC_H

#include "common/data/dataset.h"
#include "common/graph/filter.h"
#include "common/graph/graph.h"

#include <stdint.h>

/* Parameters of the baseline of kCAGC (arXiv 2411.12329, Section 5): Protocol 1 with one party and
 * all features. */
struct agc_params {
	unsigned k; /* number of clusters and of dimensions, >= 1 */
	enum filter_kind filter;
	unsigned psi;
	unsigned restarts;   /* 10 in the paper's comparison */
	unsigned iterations; /* 100 in the paper's comparison; fewer if no label changes */
	uint64_t seed;
	unsigned threads; /* labels do not depend on it */
};

/* Sets *psi to the filter's order that AGC's rule (filter.order "auto") chooses for all features.
 * X stays unchanged; p->psi is ignored. Errors are those of order_begin() and order_decide(). */
enum err agc_order(const struct features *X, const struct graph *g, const struct agc_params *p,
		   unsigned *psi) MUST_CHECK;

/* Clusters by AGC. Fills label (n entries of the caller) by a k-means on the k leading left
 * singular vectors, of length 1, of the features as they are, filtered p->psi times. Releases X,
 * and returns the errors of embed(). */
enum err agc(struct features *X, const struct graph *g, const struct agc_params *p,
	     uint32_t *label) MUST_CHECK;

#endif
