/* central.h -- clustering of pooled rows, the baselines of FedSC (its Section 5.3). Vanilla
 * spectral clustering uses FedSC's kernel, width and neighbours. DSC does the same at each party
 * separately. It is the method of Hernandez-Pereira et al. (ESANN 2021), as the authors of FedSC
 * use it. */
#ifndef LAB_POOLED_CENTRAL_H
#define LAB_POOLED_CENTRAL_H

#include "common/base/err.h"
#include "common/linalg/csr.h"
#include "common/linalg/mat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct central_params {
	unsigned k;
	double width_factor; /* r = width_factor x mean distance; default 1 */
	size_t neighbours;   /* 0: knn_rule() */
	unsigned restarts;   /* restarts of k-means; default 20 */
	uint64_t seed;
	unsigned threads; /* labels do not depend on it */
};

/* Makes S as knn_graph() does: the k nearest rows of each row, by the Gaussian kernel of width
 * r. */
void central_neighbours(const struct mat *X, double r, size_t k, unsigned threads, struct csr *S);

void central_defaults(struct central_params *p, unsigned k, uint64_t seed, unsigned threads);

/* Fills label (n) by a spectral clustering of the kNN graph of the Gaussian kernel. O(n^2 m), in
 * blocks. ERR_INPUT: k is 0 or exceeds n, all rows are equal, or the width is too small. Other
 * errors are those of spectral_cluster(). */
enum err central_spectral(const struct mat *X, const struct central_params *p,
			  uint32_t *label) MUST_CHECK;

/* Fills label (n) in the same way, but separately for the rows of each party (part[i] < parties),
 * with r and neighbours chosen for the party's rows. A party with at most k rows gets one cluster
 * per row. matched: clusters the means of all parties' clusters, weighted by size, into k clusters,
 * and gives a row the number of its mean's cluster. Otherwise the numbers are those of each party's
 * own k-means, as in the paper, and agree between parties only by chance. */
enum err central_dsc(const struct mat *X, const uint32_t *part, size_t parties, bool matched,
		     const struct central_params *p, uint32_t *label) MUST_CHECK;

#endif
