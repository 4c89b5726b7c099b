/* landmark.h -- landmark projection, the coordinator's half: the parties' local clusters give a few sets
 * of nodes, and rows are known by their inner products with those sets' joint means.
 *
 * kCAGC's reduction (arXiv 2411.12329, Protocol 3) with inner products in place of distances: no party
 * normalises alone, and the number of sums does not depend on that of parties.
 */
#ifndef PROTOCOLS_KCAGC_LANDMARK_H
#define PROTOCOLS_KCAGC_LANDMARK_H

#include "protocols/kcagc/job.h"
#include "protocols/kcagc/sums.h"

struct landmark_params {
	unsigned k, k_from;    /* k_from 0: k is given; else one of k_from .. k is chosen */
	size_t local_clusters; /* k^, of each party */
	unsigned order;        /* p; 0: by the rule of order.h */
	enum degrees degrees;  /* of the job; where they are, the guard decides nothing: classes are no communities */
	bool power;            /* one product by K; without, the parties never see a joint vector */
	unsigned restarts, lloyd;         /* of the k-means that makes the clusters: 100, 100 */
	unsigned set_restarts;            /* of the one that makes the sets: 5 */
	unsigned polish;                  /* steps on all rows at the end: 1 */
	size_t min_cell;                  /* the fewest nodes of a set: 1 */
	double guard;                     /* modularity that scaled rows must win by: 0.02 */
	uint64_t seed;
	unsigned threads; /* the labels do not depend on it */
	double *confidence; /* n, the caller's: becomes landmark_margins(), without polish kmeans_margins() in
	                       the embedding; may be NULL */
};

struct landmark_report {
	struct sums_basis basis;
	size_t sets, merged, rank; /* landmarks; sets below min_cell; dimensions of their span */
	bool scaled;               /* the guard took the clusters of scaled rows */
	double inertia;
	double modularity;          /* before polish; the mean over the parties' graphs */
	unsigned k;                 /* as given or chosen */
	struct selection selection; /* of a range; else empty */
};

struct landmark_params landmark_params_of(const struct kcagc_job *job, unsigned threads);

/* The most that there may be of n >= 2 nodes: sets, 2k + 10; columns of the block that the power
 * step multiplies by K, k + 10. */
size_t landmark_most(unsigned k, size_t n);
size_t landmark_columns(unsigned k, size_t n);

/* k-means parameters of Protocol 1 with R = 5 (2 at 8k), Q = 10 and the 1/9 step, for a party's own
 * clusters. */
struct kmeans_params landmark_local(unsigned k, size_t local_clusters, uint64_t seed,
				    unsigned threads);

/* Phases "norms", "local", "order", "landmarks", "power", "polish". label: n, below k. Sums: 2 to agree
 * (sums_agree), n (2k + 10) words, with `power` n (k + 10) (both fewer if the local clusters leave
 * fewer landmarks or directions), 2 for the guard together with the n k of the first polish, n k for
 * each other; where settle.h tries two orders, all of these but what is agreed twice. Same seed and same local clusters, same labels for any split. `report`, which may be
 * NULL, is filled as far as it came. ERR_INPUT if k exceeds n, ERR_JOB if min_cell does. */
enum err landmark_run(struct parties *parties, size_t n, const struct landmark_params *p, uint32_t *label,
		      struct landmark_report *report) MUST_CHECK;

/* -- the steps ------------------------------------------------------------------------------- */

/* Sets of nodes that the parties' clusters (parties x n, each below `clusters`) have in common:
 * k-means into at most `most` on the leading k + 10 left singular vectors, times singular values,
 * of their centred indicators, each column over the square root of its size. set: n; returns how
 * many there are, numbered from 0 without gaps, the smaller than min_cell merged into the largest
 * (*merged of them). O(n parties (k + 10)) per round. */
enum err landmark_sets(const uint32_t *cells, size_t parties, size_t n, size_t clusters, size_t most,
		       const struct landmark_params *p, uint32_t *set, size_t *sets,
		       size_t *merged) MUST_CHECK;

/* Phi (n x r, initialised here): rows projected on the span of the sets' means, from
 * Q = K G D^-1 (n x sets). W = sym(D^-1 G'Q), Phi = Q E lam^-1/2. */
enum err landmark_project(const struct mat *Q, const uint32_t *set, struct mat *Phi) MUST_CHECK;

/* label <- argmin_c of -2 Q_ic + (mean over c of Q_jc), with Q = K G D^-1 (n x k): the nearest joint
 * mean of all rows. Empty clusters stay so. Returns how many labels changed. */
size_t landmark_polish(const struct mat *Q, uint32_t *label);

/* margin (n): kmeans_margins() of `label`, which landmark_polish() made of Q and the clusters `before`. Distances are
 * those within the span of the k means: how far a row lies outside it, which is the same for all means, Q does not
 * tell. 8 n (k + rank) bytes, O(n k^2). */
enum err landmark_margins(const struct mat *Q, const uint32_t *before, const uint32_t *label,
			  double *margin) MUST_CHECK;

#endif
