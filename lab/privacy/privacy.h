/* privacy.h -- measures the leakage of the parties' sums, from pooled data: summed squared
 * distances about features (Table 7 of the paper), the sums of fedsc and kmeans about single
 * rows. */
#ifndef LAB_PRIVACY_PRIVACY_H
#define LAB_PRIVACY_PRIVACY_H

#include "common/base/err.h"
#include "common/job/job.h"
#include "common/linalg/mat.h"

#include <stdint.h>

#define PRIVACY_ROUNDING 1e-12

/* In bits, means over the k centres, and over the columns where columns matter. */
struct privacy {
	size_t columns; /* counted: excludes those that are zero, or non-zero, at too few nodes */
	/* distances dropped as equal to another's to the same centre, in total; equal: up to
	 * PRIVACY_ROUNDING of the largest */
	size_t repeated;
	double entropy; /* h(Y) of a summed squared distance */
	double mutual;  /* I(Y;X) with one column: whether a node has the feature */
	double most;    /* the largest of any column, of means over the centres */
};

/* D: n x k, Y: row i has node i's squared distances to the k centres. has: n x m, X: column by
 * column (m times n values, 0 or 1). neighbours: of the estimators, see entropy.h. ERR_INPUT if no
 * column or no distances remain. */
enum err privacy_of(const struct mat *D, const uint8_t *has, size_t m, unsigned neighbours,
		    unsigned threads, struct privacy *p) MUST_CHECK;

/* -- fedsc and kmeans: rows that sums expose -------------------------------------------------
 *
 * Sums are of at least min_cluster rows, but if the sets of two differ by one row, their difference
 * is that row. The coordinator can detect this. A sum comes with the squared distances to a known
 * centre, hence with the sum of squared lengths. Of the differences of two sums and of their
 * lengths, one is the square of the other if the difference is a row. An observer of counts and
 * centres alone has to guess. */
struct exposed_sums {
	size_t rounds, sums; /* of k-means; sets that were summed */
	size_t fewest;       /* rows of the smallest of those; 0: none */
	/* rows alone at a centre in some round: a sum would show them, were it formed before a
	 * centre is dropped */
	size_t alone;
	/* rows that alone were left out of a round's sums: the sum of all rows is known, so that
	 * the rest follows */
	size_t rest;
	/* rows by which two of the sets differ; rests, all rows and the empty set are sets too */
	size_t exposed;
	size_t found;    /* of those, by the coordinator, from its view */
	size_t mistaken; /* differences that it takes for rows by mistake */
};
struct exposed {
	size_t parties, n;
	struct exposed_sums rows;
	struct exposed_sums embedding; /* fedsc: for their embedding, k numbers per row */
	size_t products;               /* anchor: non-zero entries of B'B, of the lower triangle */
	/* of those: with a single contributing row, of which they show the weights */
	size_t single;
};

/* Runs the job (fedsc, kmeans; without noise) on the n x m rows of X, distributed to parties at
 * random by the job's seed. ERR_INPUT, and errors of the protocol. */
enum err exposed_by(const struct mat *X, const struct job *job, size_t parties, unsigned threads,
		    struct exposed *e) MUST_CHECK;

/* Implements `coterie-lab privacy` for such a job: reads X from a data directory, prints to
 * stdout. */
enum err exposed_print(const char *dir, const struct job *job, size_t parties,
		       unsigned threads) MUST_CHECK;

#endif
