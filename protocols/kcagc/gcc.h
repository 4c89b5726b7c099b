/* gcc.h -- graph convolution and clustering at once: GCC (Fettal, Labiod, Nadif, "Efficient graph
 * convolution for joint node representation learning and clustering", WSDM 2022) from sums.
 *
 * min ||T^p X - G F W'||^2 over W'W = I, an n x k indicator G and centres F. Over a vertical split
 * the joint X enters by K B = sum_l X_l (X_l' B) alone, so any number of parties gives the labels
 * of pooled data. This is the coordinator's half; one slice in memory makes it the centralised method.
 *
 * Beyond the paper, which clusters rows at the lengths that the filter leaves: where guard.h says that long rows have the
 * clusters to themselves, those of scaled rows are taken, and one step to the nearest joint means, landmark's, in place
 * of the iterations, which would go by lengths again. */
#ifndef PROTOCOLS_KCAGC_GCC_H
#define PROTOCOLS_KCAGC_GCC_H

#include "protocols/kcagc/sums.h"

enum { GCC_ITERATIONS = 30 };

struct gcc_params {
	unsigned k;     /* clusters, >= 1 */
	unsigned k_from; /* 0: k is given; else one of k_from .. k is chosen */
	unsigned order; /* p; 0: by the rule of order.h */
	enum degrees degrees;
	unsigned rounds; /* products of the first subspace: 8; 4 are nearly enough */
	unsigned restarts, lloyd; /* of the first k-means: 200, and 100 iterations at most. The
	                             coordinator's own time, no rounds; 10 cost wiki two points */
	unsigned iterations;      /* GCC_ITERATIONS at most; 0: no step either */
	double guard;             /* GUARD_MARGIN; scaled rows' clusters take half the restarts */
	uint64_t seed;
	unsigned threads; /* the labels do not depend on it */
	double *confidence; /* n, the caller's: becomes kmeans_margins() in the embedding that the labels
	                       were made in; may be NULL */
};

struct gcc_report {
	struct sums_basis basis;
	unsigned k;                 /* as given or chosen */
	struct selection selection; /* of a range; else empty */
	bool scaled;         /* the guard took the clusters of scaled rows: no iterations, no losses */
	double modularity;   /* before the iterations; the mean over the parties' graphs */
	unsigned iterations; /* that were run: each is one sum, the guard's the first */
	double losses[GCC_ITERATIONS]; /* ||T^p X - G F W'|| after each */
	double loss;                   /* the last; if scaled the inertia of the scaled rows' clusters */
};

void gcc_defaults(struct gcc_params *p, unsigned k, uint64_t seed, unsigned threads);

/* Columns of the block whose products by K make the first subspace, of n >= 2 nodes. */
size_t gcc_width(const struct gcc_params *p, size_t n);

/* Phases "norms", "order", "init", "iterate". label: n, below k. Sums: those of sums_agree(), p->rounds of
 * n (k + 10) words, one of n k words per iteration, each after a broadcast of as many numbers or of
 * n labels; with the first of these the guard's 2 and n labels more. Where settle.h tries two orders, all of these but what is agreed
 * twice. Same seed, same labels. `report` (may be NULL) is filled as far as it came. ERR_INPUT if k exceeds n; errors of the sums. */
enum err gcc_run(struct parties *parties, size_t n, const struct gcc_params *p, uint32_t *label,
		 struct gcc_report *report) MUST_CHECK;

#endif
