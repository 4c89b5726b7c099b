/* private.h -- k-means over rows of several parties with noise in its sums: what is shown is differentially
 * private in each row, and there is far less noise than if each party added its own to its rows.
 *
 * A fixed number of rounds T, as in FastLloyd (Diaa, Humphries, Kerschbaum, USENIX Security 2025,
 * arXiv 2405.02437): in each the sums are of rows' offsets from their centre, shortened to a radius that
 * falls from round to round, and of counts, all with Gaussian noise. There parties compute on secret shares,
 * which add the noise; here each party adds its share to its own term (discrete.h), and the sum is a masked
 * one, as all of ours. Its centres begin spread over the ball by chance. Ours begin as one, and the widest are
 * split, as in fedkmeans.h: they come to lie where rows are, at no sum more.
 *
 *   n = sum n_p                         exact: how many rows there are is not hidden
 *   Z = 0, rho = 1                      rows are in the unit ball
 *   for t in 0 .. T-1:
 *       for each centre j: N_j = sum 1, S_j = sum y, Q_j = sum w |y|^2 / rho, each with noise, where
 *                          y = x - z_j shortened to rho, over the rows x nearest to z_j, and w^2 = 1/2
 *       z_j += S_j / N_j, back into the ball    if N_j is min_cluster or more, and above its noise
 *       t < T1 - 1: centres with little but noise go, the widest are split, up to four for each
 *       t = T1 - 1: Z = k-means of those that stay, weighed by N
 *       rho = 0.7 rho
 *   each party: labels by the nearest z_j
 *
 * T1 is 5 of 7 rounds. What one row in place of another can change, with noise of deviation 2 rho s in S and Q
 * and of sqrt(8) s in N, s being the multiplier: both of one centre: |y - y'|^2 + (Q - Q')^2 <= 4 rho^2, where
 * equality is with |y| = |y'| = rho; else |y|^2 + |y'|^2 + Q^2 + Q'^2 <= 3 rho^2, which is 3/4 of 1/s^2, and 2 in N,
 * which is the other 1/4. So each round is a Gaussian release of sensitivity 1/s.
 */
#ifndef PROTOCOLS_FEDSC_PRIVATE_H
#define PROTOCOLS_FEDSC_PRIVATE_H

#include "common/base/rng.h"
#include "protocols/fedsc/coordinator.h"
#include "common/privacy/discrete.h"

/* What all know of a round's noise. */
struct fedsc_noisy {
	double radius;                    /* rho */
	struct discrete_share count, sum; /* of a party; sum: of S and Q */
	double deviation;                 /* of a count's noise, of all parties */
};

/* Of fedsc's B'B, each row of B of length 1: deviation sqrt(2) s, s being p->gram. `deviation` (may be NULL): of
 * an entry's noise, of all parties. */
enum err fedsc_noisy_gram_of(const struct fedsc_params *p, size_t parties,
			     struct discrete_share *share, double *deviation) MUST_CHECK;

/* Both halves and tests have it from here. radius: in (0, 1]. ERR_INPUT: eps is so large that noise is below
 * the sums' last digit. */
enum err fedsc_noisy_of(const struct fedsc_params *p, size_t parties, size_t m, double radius,
			struct fedsc_noisy *noisy) MUST_CHECK;

/* The coordinator's half, which parties run as well (party/work/verified.h). Phases: "totals", "landmarks",
 * "kmeans". report: n, dims (landmarks), rounds, size (by the last noisy counts, whole and not below 0),
 * centres, mean, unit. ERR_INPUT: fewer rows than clusters, noise that cannot be; ERR_PEER: sums that
 * cannot be. */
enum err fedsc_private(struct parties *parties, size_t m, const struct fedsc_params *p,
		       struct fedsc_report *report) MUST_CHECK;

/* Kind fedsc, variant anchor (private_anchor.c). All T rounds are for landmarks, and have half of mu^2 together:
 *
 *   Z, N as above, T1 = T, without a k-means at their end
 *   M = B'B, with noise: w of a row of B, its weights of the s nearest landmarks, brought to length 1
 *   M_ij = 0 where it is below two deviations of its noise, and no diagonal below 0
 *   R, the leading eigenvectors of M as in anchor.h; k-means of R's rows; each party: labels by its rows' B R
 *
 * One row in place of another: |w w' - v v'|^2 over the triangle is at most |w|^4 + |v|^4 = 2, reached where w and v are of
 * one landmark each, and not the same. So M is a Gaussian release of sensitivity 1/s with noise of deviation sqrt(2) s.
 * Rounds on the embedding were tried and cost more than they brought. Phases: "totals", "landmarks", "anchor",
 * "kmeans". report: as fedsc_private()'s, without centres; eigenvalues. ERR_JOB: fewer landmarks than
 * clusters. */
enum err fedsc_private_anchors(struct parties *parties, size_t m, const struct fedsc_params *p,
			       struct fedsc_report *report) MUST_CHECK;

/* -- what both have in common ------------------------------------------------------------------ */

struct fedsc_rounds {
	struct parties *parties;
	const struct fedsc_params *p;
	struct mat Z;  /* centres; room for `most` rows */
	double *count; /* N, most */
	double *width; /* Q rho / w: summed squared offsets, most */
	size_t most, fewest; /* of these; fewest stay whatever their counts */
	struct rng rng;
	unsigned done;
	double radius, deviation; /* of this round; of a count */
};

/* How many rows there are; they come into the ball. Fills what report says of both. Released in any case. */
enum err fedsc_rounds_init(struct fedsc_rounds *run, struct parties *parties, size_t m,
			   const struct fedsc_params *p, struct fedsc_report *report) MUST_CHECK;
void fedsc_rounds_release(struct fedsc_rounds *run);
/* So many rounds from one centre to landmarks, without a k-means at their end. Phase "landmarks". */
enum err fedsc_noisy_landmarks(struct fedsc_rounds *run, unsigned rounds) MUST_CHECK;
/* Labels by the nearest of Z; sizes by noisy counts. */
enum err fedsc_noisy_end(struct parties *parties, const struct mat *Z, const double *count,
			 struct fedsc_report *report) MUST_CHECK;

/* A party's answers to BALL, NOISY, NOISY_ANCHOR and NEAREST. ERR_PEER: centres of another width or not finite, no source of
 * noise. O(n k m). */
enum err fedsc_enter_ball(struct fedsc_party *p, double clip) MUST_CHECK;
enum err fedsc_tell_noisy(struct fedsc_party *p, const struct fedsc_question *q,
			  double *x) MUST_CHECK;
enum err fedsc_tell_noisy_anchor(struct fedsc_party *p, const struct fedsc_question *q,
				 double *x) MUST_CHECK;
enum err fedsc_take_centres(struct fedsc_party *p, const struct mat *Z) MUST_CHECK;

#endif
