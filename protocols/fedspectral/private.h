/* private.h -- Variant `exact` with noise in aggregates: (eps, delta)-differential privacy of each
 * edge of a party.
 *
 * A product is A V, with the adjacency matrix A itself, few columns and a fixed number of rounds,
 * as in noisy power iteration (Hardt, Price, NIPS 2014; for graphs: arXiv 2510.07136). Noise grows
 * with the square root of the number of columns. With one column per cluster, it would hide the
 * results of the first rounds (docs/results/dp.md). Later rounds count each node's edges into each
 * cluster. Their noise does not grow with k.
 *
 *   d = A 1, with noise; at least max(1, a quarter of the mean); W = d^-1/2
 *   V (n x l), random, orthonormal
 *   T1 times: X = W V, scaled to rows of mean length 2/3, longer ones shortened to 1
 *             Y = A X, with noise; V = an orthonormal basis of W Y without its part along d^1/2
 *   labels: k-means of V's unit rows
 *   T2 times: X = 1 for each node in its cluster's column; Y = A X, with noise; each node moves
 *             to the cluster of largest Y - d_i (sum of the cluster's d) / (sum of all d)
 *
 * Sensitivity to one edge {i, j} of a party, of weight w: the party cuts weights to 1. The edge
 * changes d_i and d_j by w each, so d changes by at most sqrt(2). It changes row i of A X by w x_j,
 * and row j by w x_i. The party shortens the rows of any X to length 1, so A X changes by at most
 * sqrt(|x_i|^2 + |x_j|^2) <= sqrt(2), for any number of columns. A loop changes less. Each sum is
 * thus a Gaussian release of sensitivity 1/s with noise of deviation sqrt(2) s. Each X follows from
 * earlier sums. Degrees get a tenth of mu^2, and the rounds get equal parts of the rest (Dong,
 * Roth, Su 2022). If several parties hold an edge, each party's copy counts as an edge of its
 * own. */
#ifndef PROTOCOLS_FEDSPECTRAL_PRIVATE_H
#define PROTOCOLS_FEDSPECTRAL_PRIVATE_H

#include "protocols/fedspectral/coordinator.h"
#include "protocols/fedspectral/party.h"
#include "common/privacy/discrete.h"

enum { FEDSPECTRAL_COUNTING = 4 }; /* T2, the number of counting rounds */

/* Sets `degree` and `product`, the deviations of noise before the factor sqrt(2), so that all
 * rounds have mu. If block (l) is 0, sets it from k. If rounds_too is set, first sets rounds (T1)
 * to its default. */
void fedspectral_private_settle(struct fedspectral_params *p, double mu, bool rounds_too);

/* Sets a party's noise share for degrees (cols 0) or for a product with `cols` columns. deviation
 * (may be NULL): the standard deviation of the total noise. ERR_INPUT: there are as many colluders
 * as parties, or eps is so large that noise is below the last digit of the sums. */
enum err fedspectral_noisy_of(const struct fedspectral_params *p, size_t parties, size_t cols,
			      struct discrete_share *share, double *deviation) MUST_CHECK;

/* These functions compute a party's terms. The product shortens the rows of X (n x b). ERR_PEER:
 * the party has no source of noise, or X is not finite. O(edges b). */
enum err fedspectral_noisy_degrees(const struct fedspectral_party *p,
				   const struct discrete_share *share, double *degree) MUST_CHECK;
enum err fedspectral_noisy_product(const struct fedspectral_party *p, struct mat *X,
				   const struct discrete_share *share, double *y) MUST_CHECK;

/* Runs the coordinator's side. Phases: "degrees", "power", "kmeans". Noise hides which nodes have
 * no edges, so these nodes get labels like others. Errors: as fedspectral_exact(). */
enum err fedspectral_private(struct parties *parties, size_t n, const struct fedspectral_params *p,
			     uint32_t *label, struct fedspectral_report *report) MUST_CHECK;

#endif
