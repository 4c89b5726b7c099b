/* landmark.h -- landmark projection, coordinator side. A few sets of nodes are derived from the
 * parties' local clusters. Each row is represented by its inner products with the joint means of
 * those sets.
 *
 * The method is kCAGC's reduction (arXiv 2411.12329, Protocol 3) with inner products in place of
 * distances. So no party normalises its rows on its own, and the number of sums does not depend on
 * the number of parties. */
#ifndef PROTOCOLS_KCAGC_LANDMARK_H
#define PROTOCOLS_KCAGC_LANDMARK_H

#include "protocols/kcagc/job.h"
#include "protocols/kcagc/sums.h"

struct landmark_params {
	unsigned k, k_from;
	size_t local_clusters; /* k^, local clusters per party */
	unsigned order;        /* p; 0: chosen by the rule of order.h */
	/* The job's parameter `degrees`. If degrees are used, classes are not communities, so the
	 * guard never takes scaled rows. */
	enum degrees degrees;
	/* true: multiplies the landmarks' directions by K (sums.h) once; false: the parties see no
	 * joint vector */
	bool power;
	/* Restarts and steps of the k-means that makes the clusters: 100, 100. */
	unsigned restarts, lloyd;
	unsigned set_restarts; /* restarts of the k-means that makes the sets: 5 */
	unsigned polish;       /* number of steps over all rows at the end: 1 */
	size_t min_cell;       /* least nodes per set: 1 */
	double guard;          /* difference in modularity by which scaled rows must win: 0.02 */
	uint64_t seed;
	unsigned threads; /* labels do not depend on it */
	/* n entries of the caller, or NULL. They receive landmark_margins() or, without polish,
	 * kmeans_margins() in the embedding. */
	double *confidence;
};

struct landmark_report {
	struct sums_basis basis;
	/* numbers of landmarks (sets), of sets merged because of min_cell, and of dimensions of the
	 * landmarks' span (rank) */
	size_t sets, merged, rank;
	bool scaled; /* the guard took the clusters of scaled rows */
	double inertia;
	double modularity; /* modularity before polish, as the mean over the parties' graphs */
	unsigned k;
	struct selection selection; /* empty unless k is a range */
};

struct landmark_params landmark_params_of(const struct kcagc_job *job, unsigned threads);

/* Return upper bounds for n >= 2 nodes. landmark_most(): number of sets, 2k + 10.
 * landmark_columns(): number of columns of the block that the power step multiplies by K, k +
 * 10. */
size_t landmark_most(unsigned k, size_t n);
size_t landmark_columns(unsigned k, size_t n);

/* Returns the parameters of a party's own k-means, which are those of Protocol 1 with Q = 10 and
 * `ninth` (kmeans_params) set. R is 5, or 2 if local_clusters is 8 k or more. */
struct kmeans_params landmark_local(unsigned k, size_t local_clusters, uint64_t seed,
				    unsigned threads);

/* Runs the phases "norms", "local", "order", "landmarks", "power", "polish" and writes label (n,
 * each below k).
 *
 * It takes these sums: those of sums_agree(); one of n (2k + 10) numbers; with `power`, one of n (k
 * + 10) numbers; one of 2 + n k numbers for the guard and the first polish step; one of n k numbers
 * for each further step. The sums of n (2k + 10) and n (k + 10) numbers are smaller if there are
 * fewer landmarks or directions. If settle.h tries two orders, all steps except sums_agree() run
 * twice. The same seed and local clusters give the same labels for any split. `report` (may be
 * NULL) is filled up to the step at which the run ended. ERR_INPUT: k is 0 or exceeds n, or n is
 * below 2. ERR_JOB: min_cell exceeds n. Other errors are those of the sums. */
enum err landmark_run(struct parties *parties, size_t n, const struct landmark_params *p,
		      uint32_t *label, struct landmark_report *report) MUST_CHECK;

/* -- the steps ------------------------------------------------------------------------------ */

/* Finds sets of nodes that the parties' clusters (parties x n, each below `clusters`) have in
 * common. Makes a matrix of 0 and 1 with a row for each node and a column for each cluster of each
 * party. Centres it, divides each column by the square root of its cluster's size, and runs k-means
 * with at most `most` clusters on the leading k + 10 left singular vectors times singular values.
 * set (n): the set of each node, numbered from 0 without gaps; *sets: the number of sets.
 * Sets smaller than min_cell are merged into the largest; *merged: the number of merged sets. O(n
 * parties (k + 10)) per round. */
enum err landmark_sets(const uint32_t *cells, size_t parties, size_t n, size_t clusters,
		       size_t most, const struct landmark_params *p, uint32_t *set, size_t *sets,
		       size_t *merged) MUST_CHECK;

/* Initialises Phi (n x r): the rows projected on the span of the sets' means, from Q = K G D^-1 (n
 * x sets; G and D as in sums_means()). Phi = Q E lam^-1/2, where E and lam are the eigenvectors and
 * eigenvalues of W = sym(D^-1 G'Q). */
enum err landmark_project(const struct mat *Q, const uint32_t *set, struct mat *Phi) MUST_CHECK;

/* Moves each row to the nearest joint mean: sets label[i] to the c with the least -2 Q_ic + (mean
 * over cluster c of Q_jc), with Q (n x k) from sums_means() of the clusters in `label`. Empty
 * clusters stay empty. Returns the number of labels changed. */
size_t landmark_polish(const struct mat *Q, uint32_t *label);

/* Fills margin (n) with kmeans_margins() of `label`, which landmark_polish() computed from Q and
 * the clusters `before`. Distances are measured within the span of the k means. Q does not
 * determine a row's distance to that span, but this is the same for all means. 8 n (k + rank)
 * bytes, O(n k^2). */
enum err landmark_margins(const struct mat *Q, const uint32_t *before, const uint32_t *label,
			  double *margin) MUST_CHECK;

#endif
