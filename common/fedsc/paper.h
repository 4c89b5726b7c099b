/* paper.h -- FedSC's second stage as the paper has it (Section 2.2, steps 6 to 8): everybody's
 * coefficients at the coordinator, in clear.
 *
 * For reproduction alone. Whoever has Z and C has the rows too: (Kzz + lambda I) c = k(Z, x) gives
 * distances, and those give x.
 */
#ifndef COMMON_FEDSC_PAPER_H
#define COMMON_FEDSC_PAPER_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

struct fedsc_paper {
	unsigned k;
	size_t neighbours; /* of kNN, equation 25; 0: knn_rule() */
	unsigned restarts;
	double r, lambda;
	uint64_t seed;
	unsigned threads;
};

/* label (n) from Z (d x m) and C (n x d): K = C Kzz C' in blocks of rows, its k nearest neighbours,
 * spectral clustering of those. Errors of spectral_cluster() and of a Kzz that is not positive. */
enum err fedsc_paper(const struct mat *Z, const struct mat *C, const struct fedsc_paper *p,
		     uint32_t *label) MUST_CHECK;

#endif
