/* private.h -- variant `exact` with noise in its sums: (eps, delta)-differential privacy of each edge of a party.
 *
 * Products are of the graph itself, A V, with a few columns and in a number of rounds that is fixed beforehand, as in
 * noisy power iteration (Hardt, Price, NIPS 2014; of graphs: arXiv 2510.07136). Few columns, since noise grows with their
 * root: with as many as clusters the first rounds drown (docs/benchmarks/dp.md). Then rounds that count
 * each node's edges into each cluster, whose noise does not grow with k.
 *
 *   d = A 1, with noise; not below max(1, a quarter of the mean); W = d^-1/2
 *   V (n x l), by chance, orthonormal
 *   T1 times: X = W V, scaled to rows of length 2/3 on average, longer ones shortened to 1
 *             Y = A X, with noise; V = an orthonormal basis of W Y, without the part along d^1/2
 *   labels: k-means of V's unit rows
 *   T2 times: X = a 1 for each node in its cluster's column; Y = A X, with noise;
 *             each node goes where Y exceeds most what degrees make expect, d_i (sum of the cluster's d) / (sum of all)
 *
 * What one edge {i, j} of a party, of weight w, more or less can change: weights are shortened to 1, by the party. d_i and d_j by
 * w each: sqrt(2). Row i of A X by w x_j and row j by w x_i, where the party has shortened rows to length 1, whoever made
 * X: sqrt(|x_i|^2 + |x_j|^2) is at most sqrt(2), whatever the number of columns. A loop changes less. So each sum is a Gaussian
 * release of sensitivity 1/s with noise of deviation sqrt(2) s; X follows from the sums before. Degrees have a tenth of mu^2,
 * all rounds an equal part of the rest (Dong, Roth, Su 2022). An edge that several parties have is one of each.
 */
#ifndef COMMON_FEDSPECTRAL_PRIVATE_H
#define COMMON_FEDSPECTRAL_PRIVATE_H

#include "common/fedspectral/coordinator.h"
#include "common/fedspectral/party.h"
#include "common/privacy/discrete.h"

enum { FEDSPECTRAL_COUNTING = 4 }; /* T2 */

/* Fills degree, product, block (l) and, where the job says nothing of them, rounds (T1), for so much mu. */
void fedspectral_private_settle(struct fedspectral_params *p, double mu, bool rounds_too);

/* A party's share of what degrees (cols 0) or a product of so many columns get. deviation (may be NULL): of all. ERR_INPUT:
 * as many colluders as parties, or eps so large that noise is below the sums' last digit. */
enum err fedspectral_noisy_of(const struct fedspectral_params *p, size_t parties, size_t cols,
			      struct discrete_share *share, double *deviation) MUST_CHECK;

/* A party's terms. X (n x b): rows are shortened here. ERR_PEER: no source of noise, or X is not finite. O(edges b). */
enum err fedspectral_noisy_degrees(const struct fedspectral_party *p,
				   const struct discrete_share *share, double *degree) MUST_CHECK;
enum err fedspectral_noisy_product(const struct fedspectral_party *p, struct mat *X,
				   const struct discrete_share *share, double *y) MUST_CHECK;

/* The coordinator's half; phases "degrees", "power", "kmeans". Nodes without edges are not told from others. Errors
 * as of fedspectral_exact(). */
enum err fedspectral_private(struct parties *parties, size_t n, const struct fedspectral_params *p,
			     uint32_t *label, struct fedspectral_report *report) MUST_CHECK;

#endif
