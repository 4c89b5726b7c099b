/* coordinator.h -- Spectral clustering of a graph with edges at several parties: the coordinator's
 * side. FedSpectral and FedSpectral+ are those of Thakkar and Joshi (2023). `exact` is block
 * Lanczos on the joint graph; its products are sums over the parties.
 *
 * Central spectral clustering is a run with one party in memory (fedspectral_in_memory, party.h)
 * that has all edges.
 *
 * Labels are 0 .. k-1 by falling size; nodes without any edge get label k. */
#ifndef PROTOCOLS_FEDSPECTRAL_COORDINATOR_H
#define PROTOCOLS_FEDSPECTRAL_COORDINATOR_H

#include "common/parties/parties.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FEDSPECTRAL_ROUNDS = 100,     /* default maximum of exact */
	FEDSPECTRAL_PLUS_ROUNDS = 20, /* default of fedspectral+ */
	FEDSPECTRAL_AUTO_MAX = 20,    /* most clusters that the eigengap may choose */
	/* rows of a sample on which k-means runs all restarts; the best continues on all rows */
	FEDSPECTRAL_SAMPLE = 1 << 14,
};

struct fedspectral_params {
	unsigned k;      /* clusters, >= 1; with exact also 0: chosen by the eigengap, 2 .. 20 */
	unsigned block;  /* exact: columns of a product; 0: max(20, k + 10) */
	unsigned rounds; /* exact: maximum; fedspectral+: exact number */
	unsigned iterations; /* fedspectral+: power iterations a round, at the parties */
	double tau;          /* exact: D + tau I for D, tau in harmonic mean degrees; 0: D */
	bool unit_rows;
	/* exact: bound of an eigenvector's residual, relative to the first eigenvalue */
	double tolerance;
	/* restarts of k-means, the parties' too; twice as many swaps then improve the best */
	unsigned restarts;
	/* exact with noise in aggregates (private.h): deviations, in units of an edge's largest
	 * effect; 0: none */
	double degree, product;
	/* parties assumed to reveal their noise shares; JOB_AUTO: half */
	unsigned colluders;
	uint64_t seed;
	unsigned threads; /* does not change labels */
};

struct fedspectral_report {
	unsigned k;
	unsigned clusters; /* k, plus one if there are isolated nodes */
	size_t isolated;
	unsigned rounds; /* sums of products or powers */
	/* exact only: */
	double residual;
	/* leading eigenvalues of D^-1/2 A D^-1/2, falling; those beyond the k-th are lower
	 * bounds */
	double value[2 * FEDSPECTRAL_AUTO_MAX];
	size_t values;
	double gap;    /* value[k-1] - value[k]; 0 if value[k] is unknown */
	size_t near_1; /* number of values above 1 - 1e-5; 0 with tau */
};

void fedspectral_defaults(struct fedspectral_params *p, unsigned k, uint64_t seed,
			  unsigned threads);

/* Columns of the first block of `exact` for m nodes with edges; later blocks have no more. Both
 * sides compute it. */
size_t fedspectral_block(unsigned k, unsigned block, size_t m);

/* label (n). Phases: "degrees" and "lanczos", "power" or "local"; then "kmeans". ERR_JOB: fewer
 * nodes with edges than k, or no convergence within the rounds; also errors of the sums. `report`
 * may be NULL. The same seed and row numbers give the same labels. Memory of exact: n x min(rounds
 * b, 4 GiB worth of columns) doubles and five blocks. */
enum err fedspectral_exact(struct parties *parties, size_t n, const struct fedspectral_params *p,
			   uint32_t *label, struct fedspectral_report *report) MUST_CHECK;
/* Algorithm 4. With unit_rows k-means runs on unit rows, as in central spectral clustering. The
 * result is then closer to the central one (ego-facebook: ARI .8 instead of .45). */
enum err fedspectral_plus(struct parties *parties, size_t n, const struct fedspectral_params *p,
			  uint32_t *label, struct fedspectral_report *report) MUST_CHECK;
/* Algorithm 2: spectral clustering of the matrix B B' / P. An entry is the share of parties that
 * put two nodes into the same cluster. B is an n x P K indicator; the product is never formed. */
enum err fedspectral_plain(struct parties *parties, size_t n, const struct fedspectral_params *p,
			   uint32_t *label, struct fedspectral_report *report) MUST_CHECK;

#endif
