/* privacy.h -- what the sums that parties share tell, from pooled data: of summed squared distances
 * about features (Table 7 of the paper), of the sums of fedsc and kmeans about single rows. */
#ifndef LAB_PRIVACY_PRIVACY_H
#define LAB_PRIVACY_PRIVACY_H

#include "common/base/err.h"
#include "common/job/job.h"
#include "common/linalg/mat.h"

#include <stdint.h>

#define PRIVACY_ROUNDING 1e-12

/* All in bits, means over the k centres, and over the columns where a column comes in. */
struct privacy {
	size_t columns; /* counted: without those that too few nodes have, or have not */
	size_t repeated; /* distances left out as equal to another's to the same centre, in all; equal
			    is: but for PRIVACY_ROUNDING of the largest */
	double entropy;  /* h(Y) of a summed squared distance */
	double mutual;   /* I(Y;X) with one column: a node has the feature, or not */
	double most;     /* the largest of any column, mean over the centres */
};

/* D: n x k, Y: row i has node i's squared distances to the k centres. has: n x m, X: column by
 * column (m times n values, 0 or 1). neighbours: of the estimators, see entropy.h. ERR_INPUT if no
 * column is left, or no distances. */
enum err privacy_of(const struct mat *D, const uint8_t *has, size_t m, unsigned neighbours,
		    unsigned threads, struct privacy *p) MUST_CHECK;

/* ---- fedsc and kmeans: which rows can be read ----
 *
 * Sums are of at least min_cluster rows, but if the sets of two differ by one row, their difference
 * is that row. And the coordinator can tell: a sum comes with the squared distances to a centre it
 * knows, so with the sum of squared lengths; of what remains of two sums and of their lengths, one
 * is the square of the other if it is a row. Whoever sees counts and centres alone has to guess. */
struct exposed_sums {
	size_t rounds, sums; /* of k-means; sets whose sum was formed */
	size_t fewest;       /* rows of the smallest of those; 0: there is none */
	size_t alone;   /* rows that were by themselves at a centre in some round: sums of one, were
			   they formed before a centre is dropped */
	size_t rest;    /* rows that were all that was left out of a round's sums: the sum of all
			   rows is known, and the rest follows */
	size_t exposed; /* rows by which two of the sets differ; rests, all rows and none are sets
			   too */
	size_t found;   /* of those: by the coordinator, from what it sees */
	size_t mistaken; /* differences that it takes for rows, but are none */
};
struct exposed {
	size_t parties, n;
	struct exposed_sums rows;      /* of the rows themselves */
	struct exposed_sums embedding; /* fedsc: of their embedding, k numbers for a row */
	size_t products; /* anchor: entries of B'B that are not 0, the lower triangle's */
	size_t single;   /* of those: with one row behind them, whose weights they show */
};

/* Runs the job (fedsc, kmeans; without noise) on the n x m rows of X, dealt to parties at random by
 * the job's seed. ERR_INPUT, and the errors of the protocol. */
enum err exposed_by(const struct mat *X, const struct job *job, size_t parties, unsigned threads,
		    struct exposed *e) MUST_CHECK;

/* `coterie-lab privacy` for such a job: X from a data directory, the numbers on stdout. */
enum err exposed_print(const char *dir, const struct job *job, size_t parties,
		       unsigned threads) MUST_CHECK;

#endif
