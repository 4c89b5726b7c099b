/* gmm.h -- mixtures of Gaussians with full covariances, of few dimensions, by EM. */
#ifndef COMMON_CLUSTER_GMM_H
#define COMMON_CLUSTER_GMM_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

enum { GMM_DIMENSIONS_MAX = 8 };

struct gmm {
	size_t k, q;
	double *share;     /* k, adding up to 1 */
	double *mu;        /* k x q */
	double *precision; /* k x q x q: inverse covariances */
	double likelihood; /* mean log density of the points it was fitted to */
};

struct gmm_params {
	size_t k;
	unsigned restarts, iterations; /* each from other k-means clusters; the likeliest wins */
	double tolerance;              /* of the mean log density */
	double ridge;                  /* added to covariances, of the points' mean variance */
	uint64_t seed;
};

/* X (n x q, n >= 1, q <= GMM_DIMENSIONS_MAX). m is initialised here. A component that loses its
 * points stays where it is with a share of 0. Same seed, same mixture. O(restarts iterations n k
 * q^2). */
void gmm_fit(const struct mat *X, const struct gmm_params *p, struct gmm *m);
/* label[i]: the component of largest posterior, the first on ties. precision has to be positive
 * definite: ERR_INPUT if not. */
enum err gmm_label(const struct gmm *m, const struct mat *X, uint32_t *label) MUST_CHECK;
void gmm_release(struct gmm *m);

#endif
