/* private.h -- k-means over rows of several parties with noise in aggregates. The results are
 * differentially private in each row, with far less noise than if each party perturbed its own
 * rows.
 *
 * The number of rounds T is fixed, as in FastLloyd (Diaa, Humphries, Kerschbaum, USENIX Security
 * 2025, arXiv 2405.02437). Each round sums counts, and the rows' offsets from their centre. Offsets
 * are shortened to a radius that falls from round to round. All sums have Gaussian noise. In
 * FastLloyd, parties compute on secret shares and add the noise to the shares. Here each party adds
 * its noise share to its own term (discrete.h), and the sum is masked like all others. FastLloyd's
 * centres begin at random points of the ball. Here there is one centre at first, and the widest
 * centres are split, as in fedkmeans.h. So centres end where rows are, without further sums.
 *
 *   n = sum n_p                         exact: the number of rows is not hidden
 *   Z = 0, rho = 1                      rows are in the unit ball
 *   for t in 0 .. T-1:
 *       for each centre j: N_j = sum 1, S_j = sum y, Q_j = sum w |y|^2 / rho, each with noise;
 *                          y = x - z_j shortened to rho, over the rows x nearest to z_j;
 *                          w^2 = 1/2
 *       z_j += S_j / N_j, back into the ball    if N_j >= min_cluster, and above its noise
 *       t < T1 - 1: centres with little but noise go, the widest are split; their number grows
 *                   fourfold at most
 *       t = T1 - 1: Z = k-means of those that stay, weighted by N
 *       rho = 0.7 rho
 *   each party: labels by the nearest z_j
 *
 * T1 is 5 of 7 rounds. The noise has deviation 2 rho s in S and Q and sqrt(8) s in N, where s is
 * the multiplier. The replacement of one row changes the sums as follows. If both rows have the
 * same centre, |y - y'|^2 + (Q - Q')^2 <= 4 rho^2, with equality at |y| = |y'| = rho, and N stays
 * the same. Otherwise |y|^2 + |y'|^2 + Q^2 + Q'^2 <= 3 rho^2, and N changes by a squared length
 * of 2. In units of the squared noise this is 3 / (4 s^2) + 2 / (8 s^2) = 1/s^2. So each round is a
 * Gaussian release of sensitivity 1/s. */
#ifndef PROTOCOLS_FEDSC_PRIVATE_H
#define PROTOCOLS_FEDSC_PRIVATE_H

#include "common/base/rng.h"
#include "protocols/fedsc/coordinator.h"
#include "common/privacy/discrete.h"

/* Public parameters of the noise in a round. */
struct fedsc_noisy {
	double radius;                    /* rho */
	struct discrete_share count, sum; /* a party's noise shares: of N, and of S and Q */
	double deviation;                 /* deviation of a count's noise, over all parties */
};

/* Computes the noise of fedsc's B'B if each row of B has length 1. Its deviation is sqrt(2) s,
 * where s is p->gram. `deviation` (may be NULL): the standard deviation of an entry's noise, over
 * all parties. */
enum err fedsc_noisy_gram_of(const struct fedsc_params *p, size_t parties,
			     struct discrete_share *share, double *deviation) MUST_CHECK;

/* Computes the noise of a round, for both sides and for tests. radius: in (0, 1]. ERR_INPUT: eps is
 * so large that the noise is below the last digit of the sums. */
enum err fedsc_noisy_of(const struct fedsc_params *p, size_t parties, size_t m, double radius,
			struct fedsc_noisy *noisy) MUST_CHECK;

/* Runs the coordinator's side. Parties run it, too (party/work/verified.h). Phases: "totals",
 * "landmarks", "kmeans". report: n, dims (landmarks), rounds, size (from the last noisy counts,
 * whole and not negative), centres, mean, unit. ERR_INPUT: there are fewer rows than clusters, or
 * the noise is impossible. ERR_PEER: a sum is impossible. */
enum err fedsc_private(struct parties *parties, size_t m, const struct fedsc_params *p,
		       struct fedsc_report *report) MUST_CHECK;

/* Runs kind fedsc, variant anchor (private_anchor.c). All T rounds find landmarks, and together use
 * half of mu^2:
 *
 *   Z, N as above, T1 = T, without a k-means at their end
 *   M = B'B, with noise; w, a row of B (weights of the s nearest landmarks), has length 1
 *   M_ij = 0 below two deviations of its noise; no diagonal entry below 0
 *   R, the leading eigenvectors of M as in anchor.h; k-means of R's rows;
 *   each party: labels by its rows' B R
 *
 * Replacement of one row: |w w' - v v'|^2 over the triangle is at most |w|^4 + |v|^4 = 2, with
 * equality if w and v have one landmark each, and these differ. So M is a Gaussian release of
 * sensitivity 1/s with noise of deviation sqrt(2) s. Further rounds on the embedding cost more
 * accuracy than they gained. Phases: "totals", "landmarks", "anchor", "kmeans". report: as of
 * fedsc_private(), without centres; eigenvalues. ERR_JOB: fewer landmarks than clusters. */
enum err fedsc_private_anchors(struct parties *parties, size_t m, const struct fedsc_params *p,
			       struct fedsc_report *report) MUST_CHECK;

/* ---- common parts ---- */

struct fedsc_rounds {
	struct parties *parties;
	const struct fedsc_params *p;
	struct mat Z;  /* centres; Z has memory for `most` rows */
	double *count; /* N; `most` entries */
	double *width; /* `most` entries: Q rho / w, the summed squared offsets */
	/* Bounds of the number of centres. The `fewest` centres with most rows stay, even if their
	 * counts are low. */
	size_t most, fewest;
	struct rng rng;
	unsigned done;
	/* radius of this round; standard deviation of the noise on a count */
	double radius, deviation;
};

/* Computes the number of rows by a sum, brings rows into the ball, and sets n, scale and dims of
 * the report. Call fedsc_rounds_release() after errors too. */
enum err fedsc_rounds_init(struct fedsc_rounds *run, struct parties *parties, size_t m,
			   const struct fedsc_params *p, struct fedsc_report *report) MUST_CHECK;
void fedsc_rounds_release(struct fedsc_rounds *run);
/* Runs `rounds` rounds in phase "landmarks", from one centre to landmarks. No k-means follows. */
enum err fedsc_noisy_landmarks(struct fedsc_rounds *run, unsigned rounds) MUST_CHECK;
/* Last step: the parties label rows by the nearest row of Z. Cluster sizes derive from noisy
 * counts. */
enum err fedsc_noisy_end(struct parties *parties, const struct mat *Z, const double *count,
			 struct fedsc_report *report) MUST_CHECK;

/* Compute a party's answers to BALL, NOISY, NOISY_ANCHOR and NEAREST. ERR_PEER: centres have
 * another number of columns or are not finite, or the party has no source of noise. O(n k m). */
enum err fedsc_enter_ball(struct fedsc_party *p, double clip) MUST_CHECK;
enum err fedsc_answer_noisy(struct fedsc_party *p, const struct fedsc_question *q,
			    double *x) MUST_CHECK;
enum err fedsc_answer_noisy_anchor(struct fedsc_party *p, const struct fedsc_question *q,
				   double *x) MUST_CHECK;
enum err fedsc_take_centres(struct fedsc_party *p, const struct mat *Z) MUST_CHECK;

#endif
