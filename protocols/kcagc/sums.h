/* sums.h -- what GCC and landmark projection have of all parties' features: what is agreed first, and
 * products by the joint K = T^p X X' T^p' (n x n), which nobody forms.
 */
#ifndef PROTOCOLS_KCAGC_SUMS_H
#define PROTOCOLS_KCAGC_SUMS_H

#include "protocols/kcagc/slice.h"
#include "common/cluster/selection.h"
#include "common/parties/parties.h"

/* Agreed on before either method begins. */
struct sums_basis {
	bool idf;     /* all features of all parties are 0 or 1: columns are weighted */
	size_t width; /* m, the sum of the slices' */
	unsigned order;
	enum degrees degrees; /* the job's; of DEGREES_AUTO what was decided, by: */
	double explained;     /* part of the features' variance; 0: the job's stood */
	double square; /* ||T^p X||^2, with degrees of what slice.h then has in its place */
	/* Of an order that sums chose: what psi_gcc() alone would take, and psi_share()'s curve, from
	 * t = 1 on. rule 0: the job gave the order. */
	unsigned rule;
	double share[SLICE_ORDER_MAX + 1];
	/* Where they do not settle it (settle.h): the lower order that is tried, too, its ||T^p X||^2, and once both are compared the order that sums
	 * chose and the modularity of the clusters by both. first 0: they settle it. */
	unsigned first, tried;
	double first_square, fit[2];
};

/* Phases "norms" and "order". The bound on norms (parties_bound), then two sums: facts and joint row norms (2 + n words), spreads
 * (2 SLICE_POWERS, or SLICE_SPREADS without an order, with degrees 1 more); between them one of n words more if some of the parties, but not all, have features
 * of 0 and 1 alone. order 0: by slice_order(). own (ASK_CELLS; or NULL): each party's own clusters are
 * collected into cells (parties x n), in a phase "local" between the two. ERR_INPUT if order exceeds
 * SLICE_ORDER_MAX, or if all features are zero. */
enum err sums_agree(struct parties *parties, size_t n, unsigned order, enum degrees degrees,
		    struct question *own, uint32_t *cells, struct sums_basis *basis) MUST_CHECK;

/* B down, K B up. B goes with its columns sqrt(n) times as long, so that entries of a unit column are
 * near 1 and fixed point keeps their digits. Y (n x d) is initialised here. */
enum err sums_products(struct parties *parties, unsigned order, const struct mat *B,
		       struct mat *Y) MUST_CHECK;

/* Restarts of a k-means over all n rows: as asked for up to 10^5 rows; beyond, so many as cost no more
 * than that, but 10 at least (or all, if fewer are asked for). The more rows, the less the minima that
 * restarts find differ. */
unsigned sums_restarts(unsigned restarts, size_t n);

/* K G D^-1 up, for sets that were told: each row's inner products with the joint means of the k sets;
 * column r is 0 if set r is empty. Y (n x k) is initialised here. */
enum err sums_means(struct parties *parties, unsigned order, const uint32_t *label, size_t n,
		    size_t k, struct mat *Y) MUST_CHECK;
/* The clusters of the next step down, and sums_means() of them. */
enum err sums_step(struct parties *parties, unsigned order, const uint32_t *label, size_t n,
		   size_t k, struct mat *Y) MUST_CHECK;

/* A k-means over the rows of a joint embedding, whose columns are as long as the joint operator's singular
 * values, the largest first. */
struct sums_clusters {
	unsigned k, k_from; /* k_from 0: k is given; else one of k_from .. k is chosen, and becomes k */
	unsigned restarts, lloyd;
	uint64_t seed;
	unsigned threads;
	double inertia; /* these are filled */
	struct selection selection; /* empty where k is given */
};
/* How many columns it wants: k, and where there is a range one more, for the last eigengap. */
size_t sums_columns(unsigned k, unsigned k_from);
/* label (n) and centres (initialised here; may be NULL). Of a range each k is tried on the k leading columns of
 * Z, which then loses the others, and parties are told k. */
enum err sums_cluster(struct parties *parties, struct mat *Z, struct sums_clusters *c,
		      uint32_t *label, struct mat *centres) MUST_CHECK;

/* No more steps. */
enum err sums_end_steps(struct parties *parties) MUST_CHECK;

/* n labels to all, in phase "result". */
enum err sums_result(struct parties *parties, const uint32_t *label, size_t n,
		     size_t k) MUST_CHECK;

#endif
