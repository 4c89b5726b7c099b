/* privacy.h -- measures, from pooled data, what the parties' sums disclose: summed squared
 * distances about features (Table 7 of the paper), and sums of fedsc and kmeans about single
 * rows. */
#ifndef LAB_PRIVACY_PRIVACY_H
#define LAB_PRIVACY_PRIVACY_H

#include "common/base/err.h"
#include "common/job/job.h"
#include "common/linalg/mat.h"

#include <stdint.h>

#define PRIVACY_ROUNDING 1e-12

/* Results in bits: means over the k centres and, where columns matter, over the columns. */
struct privacy {
	/* Number of columns that count. In other columns, too few nodes have a zero, or too few
	 * have a non-zero. */
	size_t columns;
	/* Number of distances that were dropped because another distance to the same centre is
	 * equal, up to a difference of PRIVACY_ROUNDING times the largest distance. */
	size_t repeated;
	double entropy; /* h(Y), where Y is a summed squared distance */
	double mutual;  /* I(Y;X), where X is whether a node has the feature of a column */
	double most;    /* I(Y;X) for the column for which it is largest */
};

/* Computes p. D (n x k) has the values of Y: row i has node i's squared distances to the k centres.
 * `has` has those of X: for each of m columns n values, 0 or 1. neighbours: k of the estimators in
 * entropy.h. ERR_INPUT: a centre has at most `neighbours` different distances, or no column counts
 * (p->columns is 0). */
enum err privacy_of(const struct mat *D, const uint8_t *has, size_t m, unsigned neighbours,
		    unsigned threads, struct privacy *p) MUST_CHECK;

/* -- fedsc and kmeans: rows that sums expose -------------------------------------------------
 *
 * Each sum has at least min_cluster rows. But if the sets of two sums differ by one row, the
 * difference of the sums is that row. The coordinator can detect this, because a sum comes with the
 * squared distances to a known centre, hence with the sum of squared lengths. If the difference of
 * two sums is a row, its squared length equals the difference of their summed squared lengths. An
 * observer who sees only counts and centres has to guess. */
struct exposed_sums {
	size_t rounds, sums; /* number of rounds of k-means; number of sets that were summed */
	size_t fewest;       /* number of rows in the smallest of these sets; 0: there is none */
	/* Number of rows that were alone at a centre in some round. A sum would disclose them if it
	 * were formed before the centre is dropped. */
	size_t alone;
	/* Number of rows that were the only one left out of a round's sums. If the coordinator
	 * knows the sum of all rows, it can compute these rows. */
	size_t rest;
	/* Number of rows that are the difference of two sets. Besides the summed sets, these
	 * include the rows left out of a round, all rows, and the empty set. */
	size_t exposed;
	size_t found;    /* number of exposed rows that the coordinator finds from its view */
	size_t mistaken; /* number of differences that the coordinator mistakes for rows */
};
struct exposed {
	size_t parties, n;
	struct exposed_sums rows;
	struct exposed_sums embedding; /* fedsc: the same for the embedding, k numbers per row */
	/* Variant anchor: number of non-zero entries in the lower triangle of B'B, where B has the
	 * rows' weights for landmarks. */
	size_t products;
	/* Number of these entries to which only one row contributes. Such an entry discloses the
	 * row's weights. */
	size_t single;
};

/* Runs the job (fedsc or kmeans, without noise) on the n x m rows of X. Rows are assigned to
 * parties at random by the job's seed. Errors are ERR_INPUT and those of the protocol. */
enum err exposed_by(const struct mat *X, const struct job *job, size_t parties, unsigned threads,
		    struct exposed *e) MUST_CHECK;

/* Implements `coterie-lab privacy` for a job of kind fedsc or kmeans: reads X from a data
 * directory, prints to stdout. */
enum err exposed_print(const char *dir, const struct job *job, size_t parties,
		       unsigned threads) MUST_CHECK;

#endif
