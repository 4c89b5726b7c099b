/* gcc.h -- simultaneous graph convolution and clustering: GCC (Fettal, Labiod, Nadif, "Efficient
 * graph convolution for joint node representation learning and clustering", WSDM 2022) from secure
 * sums; coordinator side.
 *
 * GCC minimises ||T^p X - G F W'||^2 over W'W = I, labels G (n x k; each row has one 1, in the
 * column of its cluster, and otherwise 0) and centres F. Over a vertical split the joint X enters
 * only through K B = sum_l X_l (X_l' B), so that the labels do not depend on the number of parties.
 * With a single slice, this is the centralised method.
 *
 * The paper clusters rows with the lengths that the filter leaves. Here, if long rows dominate, the
 * guard (guard.h) may take the clusters of scaled rows instead. Iterations would again depend on
 * the lengths of rows. So in this case one step to the nearest joint means replaces the iterations,
 * as in landmark projection.
 */
#ifndef PROTOCOLS_KCAGC_GCC_H
#define PROTOCOLS_KCAGC_GCC_H

#include "protocols/kcagc/sums.h"

enum { GCC_ITERATIONS = 30 };

struct gcc_params {
	unsigned k;
	unsigned k_from; /* 0: k is given; otherwise one of k_from .. k is chosen */
	unsigned order;  /* p; 0: chosen by the rule of order.h */
	enum degrees degrees;
	/* Number of products for the first subspace: 8, although 4 nearly suffice. */
	unsigned rounds;
	/* The first k-means: 200 restarts of at most 100 iterations. They cost the coordinator time
	 * but no rounds. With 10 restarts wiki loses two points of accuracy */
	unsigned restarts, lloyd;
	/* Maximum number of iterations, up to GCC_ITERATIONS. 0 also omits the step that replaces
	 * iterations. */
	unsigned iterations;
	/* Difference in modularity by which scaled rows must win: GUARD_MARGIN. */
	double guard;
	uint64_t seed;
	unsigned threads; /* labels do not depend on it */
	/* n entries of the caller, which receive kmeans_margins() in the embedding of the labels;
	 * or NULL */
	double *confidence;
};

struct gcc_report {
	struct sums_basis basis;
	unsigned k;
	struct selection selection; /* empty unless k is a range */
	/* the guard took the clusters of scaled rows, so there are no iterations and no losses */
	bool scaled;
	/* Modularity before the iterations, as the mean over the parties' graphs. */
	double modularity;
	/* Number of iterations. Each takes one sum; the first uses the sum of the guard. */
	unsigned iterations;
	double losses[GCC_ITERATIONS]; /* ||T^p X - G F W'|| after each iteration */
	double loss; /* the last loss; if scaled, the inertia of the scaled rows' clusters */
};

void gcc_defaults(struct gcc_params *p, unsigned k, uint64_t seed, unsigned threads);

/* Returns the number of columns of the first block, for n >= 2 nodes: min(k + 10, n - 1). */
size_t gcc_width(const struct gcc_params *p, size_t n);

/* Runs the phases "norms", "order", "init", "iterate" and writes label (n, each below k).
 *
 * It takes the sums of sums_agree(), p->rounds sums of n (k + 10) numbers, and one sum of n k
 * numbers per iteration. Before each product the coordinator broadcasts n (k + 10) numbers, and
 * before each iteration n labels. The guard adds 2 numbers to the first sum of n k numbers, and n
 * labels to the broadcast before it. If settle.h tries two orders, all steps except sums_agree()
 * run twice. The same seed gives the same labels. `report` (may be NULL) is filled up to the step
 * at which the run ended. ERR_INPUT: k is 0 or exceeds n, or n is below 2. Other errors are those
 * of the sums. */
enum err gcc_run(struct parties *parties, size_t n, const struct gcc_params *p, uint32_t *label,
		 struct gcc_report *report) MUST_CHECK;

#endif
