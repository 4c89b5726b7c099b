/* coordinator.h -- spectral clustering of a graph whose edges lie at several parties: the
 * coordinator's half. FedSpectral and FedSpectral+ are Thakkar and Joshi's (2023); `exact` is block
 * Lanczos on the joint graph, whose products are sums of the parties'.
 *
 * One party in memory (fedspectral_in_memory, party.h) that holds all edges is central spectral
 * clustering.
 *
 * Labels: 0 .. k-1 by falling size; nodes without any edge get label k, for themselves.
 */
#ifndef COMMON_FEDSPECTRAL_COORDINATOR_H
#define COMMON_FEDSPECTRAL_COORDINATOR_H

#include "common/parties/parties.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FEDSPECTRAL_ROUNDS = 100,     /* of exact at most, */
	FEDSPECTRAL_PLUS_ROUNDS = 20, /* and of fedspectral+, if nobody says otherwise */
	FEDSPECTRAL_AUTO_MAX = 20, /* clusters that the eigengap may choose */
	FEDSPECTRAL_SAMPLE = 1 << 14, /* rows that k-means makes all its restarts on; with more, the
					 best goes on on all rows */
};

struct fedspectral_params {
	unsigned k;        /* clusters, >= 1; exact: or 0, by the eigengap, 2 .. 20 */
	unsigned block;    /* exact: columns of a product; 0: max(20, k + 10) */
	unsigned rounds;   /* exact: at most; fedspectral+: so many */
	unsigned iterations; /* fedspectral+: of a round, at the parties */
	double regularize; /* exact: tau, in mean degrees: D + tau I in place of D; 0: D */
	bool unit_rows;    /* k-means on rows of length 1 */
	double tolerance;  /* exact: of an eigenvector's residual, relative to the first eigenvalue */
	unsigned restarts; /* of k-means, after which twice as many swaps improve the best; of the
			      parties' k-means, too */
	double degree, product; /* exact, noise in sums (private.h): deviations, in what an edge can change; 0: none */
	unsigned colluders;     /* so many parties' shares of it are taken to be known; JOB_AUTO: half */
	uint64_t seed;
	unsigned threads; /* labels do not depend on it */
};

struct fedspectral_report {
	unsigned k;        /* as given, or found */
	unsigned clusters; /* k, and one more if there are isolated nodes */
	size_t isolated;   /* nodes without any edge */
	unsigned rounds;   /* sums of products or powers */
	/* exact alone: */
	double residual;
	double value[2 * FEDSPECTRAL_AUTO_MAX]; /* leading eigenvalues of D^-1/2 A D^-1/2, falling;
						    those after the k-th from below */
	size_t values;
	double gap;        /* value[k-1] - value[k]; 0 if value[k] is not known */
	size_t near_1;     /* of value: above 1 - 1e-5; 0, not counted, with regularize */
};

/* The job's defaults (job.c). */
void fedspectral_defaults(struct fedspectral_params *p, unsigned k, uint64_t seed,
			  unsigned threads);

/* Columns of the first block of `exact`, of m nodes with edges; none has more. Both halves know it. */
size_t fedspectral_block(unsigned k, unsigned block, size_t m);

/* label (n). Phases: "degrees" and "lanczos", "power" or "local"; then "kmeans". ERR_JOB: fewer nodes
 * with edges than k, or the rounds do not do. Errors of the sums. `report` may be NULL. Same seed and
 * numbers of rows, same labels. Memory of exact: n x min(rounds b, 4 GiB worth of columns) doubles and five
 * blocks. */
enum err fedspectral_exact(struct parties *parties, size_t n, const struct fedspectral_params *p,
			   uint32_t *label, struct fedspectral_report *report) MUST_CHECK;
/* Algorithm 4. With unit_rows k-means is on unit rows, as in central spectral clustering, from which it is then less
 * far (ego-facebook: ARI .8 instead of .45). */
enum err fedspectral_plus(struct parties *parties, size_t n, const struct fedspectral_params *p,
			  uint32_t *label, struct fedspectral_report *report) MUST_CHECK;
/* Algorithm 2: spectral clustering of the share of parties that put two nodes together, which is
 * B B' / P for an n x P K indicator B; it is never formed. */
enum err fedspectral_plain(struct parties *parties, size_t n, const struct fedspectral_params *p,
			   uint32_t *label, struct fedspectral_report *report) MUST_CHECK;

#endif
