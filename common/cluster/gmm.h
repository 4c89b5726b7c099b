/* gmm.h -- mixtures of Gaussians with full covariances in few dimensions, by EM. */
#ifndef COMMON_CLUSTER_GMM_H
#define COMMON_CLUSTER_GMM_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

enum { GMM_DIMENSIONS_MAX = 8 };

struct gmm {
	size_t k, q;
	double *share;     /* k, sums to 1 */
	double *mu;        /* k x q: means */
	double *precision; /* k x q x q: inverse covariances */
	double likelihood; /* mean log density of the fitted points */
};

struct gmm_params {
	size_t k;
	/* each restart begins with other k-means clusters; the highest likelihood wins */
	unsigned restarts, iterations;
	double tolerance; /* EM ends when a step raises the mean log density by less */
	double ridge;     /* added to covariances, in units of the points' mean variance */
	uint64_t seed;
};

/* Fits m (initialised here) to the rows of X (n x q, n >= 1, q <= GMM_DIMENSIONS_MAX). A component
 * for which the points' posteriors sum to less than 0.001 keeps its place, with a share of 0. The
 * same seed gives the same mixture. O(restarts iterations n k q^2). */
void gmm_fit(const struct mat *X, const struct gmm_params *p, struct gmm *m);
/* label[i] becomes the component of largest posterior, on ties the first such component. ERR_INPUT
 * unless each component's precision is positive definite. */
enum err gmm_label(const struct gmm *m, const struct mat *X, uint32_t *label) MUST_CHECK;
void gmm_release(struct gmm *m);

#endif
