/* sums.h -- sums over all parties' features that GCC and landmark projection share: the agreement
 * on facts, norms and the order, and products by the joint K = T^p X X' T^p' (n x n), which is
 * never formed. */
#ifndef PROTOCOLS_KCAGC_SUMS_H
#define PROTOCOLS_KCAGC_SUMS_H

#include "protocols/kcagc/slice.h"
#include "common/cluster/selection.h"
#include "common/parties/parties.h"

struct sums_basis {
	bool idf;     /* columns are weighted, because all features of all parties are 0 or 1 */
	size_t width; /* m, the sum of the widths of all slices */
	unsigned order;
	enum degrees degrees; /* the job's parameter; for DEGREES_AUTO, the decision on it */
	/* share of the variance that degrees explain, which decided DEGREES_AUTO; 0: not
	 * measured */
	double explained;
	/* ||T^p X||^2; with degrees, the squared length of the matrix that replaces T^p X in
	 * slice.h */
	double square;
	/* If sums chose the order: the order of psi_gcc() alone, and psi_share()'s curve from t = 1
	 * on. rule is 0 if the job gave the order. */
	unsigned rule;
	double share[SLICE_ORDER_MAX + 1];
	/* If settle.h tries two orders: the lower order and its ||T^p X||^2; after the comparison,
	 * also the order that sums chose and the modularity of both clusterings. If there is only
	 * one order, first is 0. */
	unsigned first, tried;
	double first_square, fit[2];
};

/* Agrees on facts, norms and the order, in phases "norms" and "order". Sums: the bound on norms
 * (parties_bound), facts and joint row norms (2 + n numbers), spreads. The spreads are 2
 * SLICE_POWERS numbers if the job gives the order, otherwise SLICE_SPREADS; degrees add one number,
 * "auto" three. If only some parties have features of 0 and 1 alone (besides foreign columns,
 * seen.h), one more sum of n numbers precedes the spreads. If order is 0, slice_order() chooses it.
 * With `own` (ASK_CELLS; may be NULL), a phase "local" between "norms" and "order" collects the
 * parties' own clusters into cells (parties x n). ERR_INPUT: order exceeds SLICE_ORDER_MAX, or all
 * features are zero. */
enum err sums_agree(struct parties *parties, size_t n, unsigned order, enum degrees degrees,
		    struct question *own, uint32_t *cells, struct sums_basis *basis) MUST_CHECK;

/* Broadcasts B and sums K B into Y (n x d, initialised here). B is multiplied by sqrt(n) before it
 * is sent, so that entries of a unit column are near 1 and keep their digits in fixed point. */
enum err sums_products(struct parties *parties, unsigned order, const struct mat *B,
		       struct mat *Y) MUST_CHECK;

/* Returns the number of restarts of a k-means over all n rows. Up to 10^5 rows this is `restarts`.
 * With more rows, it is the number of restarts that cost no more than at 10^5 rows, but at least
 * min(10, restarts). The results of restarts differ less if there are more rows. */
unsigned sums_restarts(unsigned restarts, size_t n);

/* Sums K G D^-1: each row's inner products with the joint means of k sets that were broadcast
 * before. G (n x k) has 1 in column label[i] of row i, otherwise 0; D is diagonal and has the sizes
 * of the sets. Column r is 0 if set r is empty. Y (n x k) is initialised here. */
enum err sums_means(struct parties *parties, unsigned order, const uint32_t *label, size_t n,
		    size_t k, struct mat *Y) MUST_CHECK;
/* Broadcasts the clusters of the next step, then calls sums_means(). */
enum err sums_step(struct parties *parties, unsigned order, const uint32_t *label, size_t n,
		   size_t k, struct mat *Y) MUST_CHECK;

/* A k-means over the rows of a joint embedding. The lengths of the embedding's columns are the
 * joint operator's singular values, in descending order. */
struct sums_clusters {
	/* k_from 0: k is given. Otherwise one of k_from .. k is chosen and written to k. */
	unsigned k, k_from;
	unsigned restarts, lloyd;
	uint64_t seed;
	unsigned threads;
	double inertia; /* output, like `selection` */
	struct selection selection;
};
/* p: parameters of gcc.h or landmark.h. */
#define SUMS_CLUSTERS_OF(p)                                                                        \
	((struct sums_clusters){ .k = (p)->k,                                                      \
				 .k_from = (p)->k_from,                                            \
				 .restarts = (p)->restarts,                                        \
				 .lloyd = (p)->lloyd,                                              \
				 .seed = (p)->seed,                                                \
				 .threads = (p)->threads })
/* Returns the number of columns needed: k. For a range, one more, for the last eigengap. */
size_t sums_columns(unsigned k, unsigned k_from);
/* Fills label (n) and centres (initialised here; may be NULL). For a range, tries each k on the k
 * leading columns of Z, drops the other columns, and broadcasts the k chosen. */
enum err sums_cluster(struct parties *parties, struct mat *Z, struct sums_clusters *c,
		      uint32_t *label, struct mat *centres) MUST_CHECK;

enum err sums_end_steps(struct parties *parties) MUST_CHECK;

/* Broadcasts n labels in phase "result". */
enum err sums_result(struct parties *parties, const uint32_t *label, size_t n, size_t k) MUST_CHECK;

#endif
