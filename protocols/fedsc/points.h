/* points.h -- The second stage of FedSC as published: clusters of all rows from their
 * coefficients. */
#ifndef PROTOCOLS_FEDSC_POINTS_H
#define PROTOCOLS_FEDSC_POINTS_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

struct points_params {
	unsigned k;
	unsigned restarts; /* restarts of k-means: 20 */
	uint64_t seed;
	unsigned threads; /* labels do not depend on it */
};

/* FedSC's second stage as published (Section 2.2, steps 6 to 8). All coefficients are unmasked.
 * Together with Z they disclose the rows, because (Kzz + lambda I) c = k(Z, x) gives the distances
 * of the rows.
 *
 * Fills label (n) from Z (d x m) and C (n x d). Computes K = C Kzz C' in blocks of rows, finds
 * nearest neighbours (equation 25), and clusters them spectrally. ERR_JOB: with this r most rows
 * resemble no row of Z, or all rows are alike. Also returns errors of spectral_cluster() and
 * fedsc_basis_init(). */
enum err points_paper(const struct mat *Z, const struct mat *C, double r, double lambda,
		      const struct points_params *p, uint32_t *label) MUST_CHECK;
/* As points_paper(), but from K (n x n, symmetric). In Appendix C the coordinator has K instead of
 * Z and C. The dictionary has d rows. */
enum err points_similarities(struct mat *K, size_t d, double r, const struct points_params *p,
			     uint32_t *label) MUST_CHECK;

#endif
