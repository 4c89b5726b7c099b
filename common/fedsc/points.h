/* points.h -- clustering of pooled rows: what FedSC is compared with (its Section 5.3). Vanilla spectral
 * clustering has FedSC's kernel, width and neighbours; DSC is that at each party by itself
 * (Hernandez-Pereira et al., ESANN 2021, as FedSC's authors use it). */
#ifndef COMMON_FEDSC_POINTS_H
#define COMMON_FEDSC_POINTS_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct points_params {
	unsigned k;
	double width_factor; /* r = width_factor x mean distance: 1 */
	size_t neighbours;   /* 0: knn_rule() */
	unsigned restarts;   /* of k-means: 20 */
	uint64_t seed;
	unsigned threads; /* the labels do not depend on it */
};

void points_defaults(struct points_params *p, unsigned k, uint64_t seed, unsigned threads);

/* label (n): spectral clustering of the kNN graph of the Gaussian kernel. O(n^2 m), in blocks.
 * ERR_INPUT if k is 0 or exceeds n or the rows are all equal; errors of spectral_cluster(). */
enum err points_spectral(const struct mat *X, const struct points_params *p,
			 uint32_t *label) MUST_CHECK;

/* label (n): the same for the rows of each party (part[i] < parties) by themselves, with the rules
 * for r and neighbours applied to its own rows; of fewer than k rows each is a cluster. matched: the
 * means of all parties' clusters, weighted by their sizes, are clustered into k, and a row has the
 * number of its mean's; else a party's numbers are what its own k-means left them, as in the paper,
 * whose numbers agree between parties by chance. */
enum err points_dsc(const struct mat *X, const uint32_t *part, size_t parties, bool matched,
		    const struct points_params *p, uint32_t *label) MUST_CHECK;

/* FedSC's second stage as the paper has it (Section 2.2, steps 6 to 8), with everybody's coefficients in
 * clear, by which whoever has Z has the rows: (Kzz + lambda I) c = k(Z, x) gives distances to them.
 *
 * label (n) from Z (d x m) and C (n x d): K = C Kzz C' in blocks of rows, its nearest neighbours
 * (equation 25), spectral clustering of those. p->width_factor is not looked at. ERR_JOB: most rows are like
 * none of Z, or all are alike, by this r; errors of spectral_cluster() and of a Kzz that is not positive. */
enum err points_paper(const struct mat *Z, const struct mat *C, double r, double lambda,
		      const struct points_params *p, uint32_t *label) MUST_CHECK;

#endif
