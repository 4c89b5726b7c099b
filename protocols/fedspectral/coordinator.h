/* coordinator.h -- Spectral clustering of a graph with edges at several parties: the coordinator's
 * side. FedSpectral and FedSpectral+ are the methods of Thakkar and Joshi (2023). Variant `exact`
 * is block Lanczos on the joint graph, whose products are sums over the parties.
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
	FEDSPECTRAL_ROUNDS = 100,     /* default of the maximum of rounds of exact */
	FEDSPECTRAL_PLUS_ROUNDS = 20, /* default number of rounds of fedspectral+ */
	FEDSPECTRAL_AUTO_MAX = 20,    /* largest number of clusters that the eigengap may choose */
	/* If there are more rows than this, k-means runs all restarts on so many sampled rows. The
	 * best restart continues on all rows. */
	FEDSPECTRAL_SAMPLE = 1 << 14,
};

struct fedspectral_params {
	/* Number of clusters, >= 1; exact also accepts 0: the eigengap chooses 2 .. 20. */
	unsigned k;
	unsigned block; /* exact: number of columns in a product; 0: max(20, k + 10) */
	/* Number of rounds: for exact a maximum, for fedspectral+ the exact number. */
	unsigned rounds;
	unsigned iterations; /* fedspectral+: number of power iterations of a party per round */
	/* Exact: tau times the harmonic mean degree is added to each degree; 0: nothing is
	 * added. */
	double tau;
	bool unit_rows;
	/* exact: bound of an eigenvector's residual, relative to the first eigenvalue */
	double tolerance;
	/* Restarts of k-means, at the coordinator and at parties. At the coordinator, 2 x
	 * `restarts` swaps of centres then improve the best restart. */
	unsigned restarts;
	/* For exact with noise in aggregates (private.h): standard deviations of the noise, in
	 * units of the largest effect of an edge. 0: no noise. */
	double degree, product;
	/* number of parties assumed to reveal their noise shares; JOB_AUTO: half of the parties */
	unsigned colluders;
	uint64_t seed;
	unsigned threads; /* labels do not depend on it */
};

struct fedspectral_report {
	unsigned k;
	unsigned clusters; /* k; if there are isolated nodes, k + 1 */
	size_t isolated;
	unsigned rounds; /* number of rounds, each of which sums products or powers */
	/* exact only: */
	double residual;
	/* Leading eigenvalues of D^-1/2 A D^-1/2 in descending order. The values after the k-th are
	 * lower bounds. */
	double value[2 * FEDSPECTRAL_AUTO_MAX];
	size_t values;
	double gap;    /* value[k-1] - value[k]; 0 if value[k] is unknown */
	size_t near_1; /* number of eigenvalues above 1 - 1e-5; 0 if tau is used */
};

void fedspectral_defaults(struct fedspectral_params *p, unsigned k, uint64_t seed,
			  unsigned threads);

/* Returns the number of columns of the first block of `exact`, for m nodes with edges. Later blocks
 * have no more columns. Both sides compute this number. */
size_t fedspectral_block(unsigned k, unsigned block, size_t m);

/* Runs variant `exact` and fills label (n). Phases: "degrees", "lanczos", "kmeans". Instead of the
 * first two, fedspectral_plus() has "power", and fedspectral_plain() has "local". ERR_JOB: there
 * are fewer nodes with edges than k, or the method does not converge within the rounds. Also errors
 * of the sums. `report` may be NULL. The same seed and row numbers give the same labels. Memory of
 * exact, with blocks of b columns: n x min(rounds b, 4 GiB worth of columns) doubles and five
 * blocks. */
enum err fedspectral_exact(struct parties *parties, size_t n, const struct fedspectral_params *p,
			   uint32_t *label, struct fedspectral_report *report) MUST_CHECK;
/* Runs Algorithm 4. With unit_rows, k-means runs on unit rows, as in central spectral clustering.
 * The result is then closer to the central one (ego-facebook: ARI .8 instead of .45). */
enum err fedspectral_plus(struct parties *parties, size_t n, const struct fedspectral_params *p,
			  uint32_t *label, struct fedspectral_report *report) MUST_CHECK;
/* Runs Algorithm 2: spectral clustering of the matrix B B' / P. An entry is the share of parties
 * that put two nodes into the same cluster. B is the n x P K indicator of the K clusters of each of
 * P parties; B B' is never formed. */
enum err fedspectral_plain(struct parties *parties, size_t n, const struct fedspectral_params *p,
			   uint32_t *label, struct fedspectral_report *report) MUST_CHECK;

#endif
