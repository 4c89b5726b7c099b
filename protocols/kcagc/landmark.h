/* landmark.h -- landmark projection, coordinator side. The parties' local clusters yield a few sets
 * of nodes; each row is represented by its inner products with the joint means of those sets.
 *
 * kCAGC's reduction (arXiv 2411.12329, Protocol 3) with inner products in place of distances: no
 * party normalises on its own, and the number of sums does not depend on the number of parties. */
#ifndef PROTOCOLS_KCAGC_LANDMARK_H
#define PROTOCOLS_KCAGC_LANDMARK_H

#include "protocols/kcagc/job.h"
#include "protocols/kcagc/sums.h"

struct landmark_params {
	unsigned k, k_from;
	size_t local_clusters; /* k^, local clusters per party */
	unsigned order;        /* p; 0: chosen by the rule of order.h */
	/* The job's parameter. Unless it is off, classes are no communities, so the guard never
	 * takes scaled rows */
	enum degrees degrees;
	bool power; /* multiply by K once; if not set, the parties never see a joint vector */
	unsigned restarts, lloyd; /* parameters of the k-means that makes the clusters: 100, 100 */
	unsigned set_restarts;    /* restarts of the k-means that makes the sets: 5 */
	unsigned polish;          /* steps over all rows at the end: 1 */
	size_t min_cell;          /* least nodes per set: 1 */
	double guard;             /* modularity by which scaled rows must win: 0.02 */
	uint64_t seed;
	unsigned threads; /* labels do not depend on it */
	/* The caller's, n entries, or NULL. Gets landmark_margins() or, without polish,
	 * kmeans_margins() in the embedding */
	double *confidence;
};

struct landmark_report {
	struct sums_basis basis;
	/* sets: landmarks; merged: sets below min_cell; rank: dimensions of the landmarks' span */
	size_t sets, merged, rank;
	bool scaled; /* the guard took the clusters of scaled rows */
	double inertia;
	double modularity; /* before polish; mean over the parties' graphs */
	unsigned k;
	struct selection selection; /* empty unless k is a range */
};

struct landmark_params landmark_params_of(const struct kcagc_job *job, unsigned threads);

/* Upper bounds for n >= 2 nodes: landmark_most() sets, 2k + 10; landmark_columns() columns of the
 * block that the power step multiplies by K, k + 10. */
size_t landmark_most(unsigned k, size_t n);
size_t landmark_columns(unsigned k, size_t n);

/* k-means parameters of Protocol 1 with R = 5 (2 from 8k on), Q = 10 and the 1/9 step, for a
 * party's own clusters. */
struct kmeans_params landmark_local(unsigned k, size_t local_clusters, uint64_t seed,
				    unsigned threads);

/* Runs the phases "norms", "local", "order", "landmarks", "power", "polish" and writes label (n,
 * each below k).
 *
 * Sums: those of sums_agree(); n (2k + 10) words; with `power`, n (k + 10) words; 2 + n k words for
 * the guard and the first polish step; n k for each further step. The second and third have fewer
 * words if the local clusters yield fewer landmarks or directions. If settle.h tries two orders,
 * all but sums_agree() run twice. The same seed and local clusters give the same labels for any
 * split. `report` (may be NULL) is filled up to the step at which the run ended. ERR_INPUT if k
 * exceeds n, ERR_JOB if min_cell does. */
enum err landmark_run(struct parties *parties, size_t n, const struct landmark_params *p,
		      uint32_t *label, struct landmark_report *report) MUST_CHECK;

/* -- the steps ------------------------------------------------------------------------------ */

/* Finds sets of nodes that the parties' clusters (parties x n, each below `clusters`) have in
 * common. Centres the indicators, divides each column by the square root of its size, and runs
 * k-means with at most `most` clusters on the leading k + 10 left singular vectors times singular
 * values. set (n): numbered from 0 without gaps; *sets: their number. Sets smaller than min_cell
 * are merged into the largest, *merged of them. O(n parties (k + 10)) per round. */
enum err landmark_sets(const uint32_t *cells, size_t parties, size_t n, size_t clusters,
		       size_t most, const struct landmark_params *p, uint32_t *set, size_t *sets,
		       size_t *merged) MUST_CHECK;

/* Initialises Phi (n x r): the rows projected on the span of the sets' means, from Q = K G D^-1 (n
 * x sets). Phi = Q E lam^-1/2, where E and lam are the eigenvectors and eigenvalues of W = sym(D^-1
 * G'Q). */
enum err landmark_project(const struct mat *Q, const uint32_t *set, struct mat *Phi) MUST_CHECK;

/* label <- argmin_c of -2 Q_ic + (mean over c of Q_jc), with Q = K G D^-1 (n x k): the nearest
 * joint mean over all rows. Empty clusters stay empty. Returns the number of labels changed. */
size_t landmark_polish(const struct mat *Q, uint32_t *label);

/* margin (n): kmeans_margins() of `label`, which landmark_polish() made of Q and the clusters
 * `before`. Distances are measured within the span of the k means. Q does not determine a row's
 * distance to that span, but this is the same for all means. 8 n (k + rank) bytes, O(n k^2). */
enum err landmark_margins(const struct mat *Q, const uint32_t *before, const uint32_t *label,
			  double *margin) MUST_CHECK;

#endif
