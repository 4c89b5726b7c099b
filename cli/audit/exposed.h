/* exposed.h -- which rows can be read from the sums of fedsc and kmeans, from pooled data.
 *
 * Sums are of at least min_cluster rows, but who sees many of them can take one from another: if
 * the sets differ by one row, that row is what remains. And the coordinator can tell: a sum comes
 * with the squared distances to a centre it knows, so with the sum of squared lengths, and of what
 * remains of two sums and of their lengths one is the square of the other if it is a row. Whoever
 * sees counts and centres alone has to guess.
 */
#ifndef CLI_AUDIT_EXPOSED_H
#define CLI_AUDIT_EXPOSED_H

#include "common/base/err.h"
#include "common/job/job.h"
#include "common/linalg/mat.h"

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

/* `coterie privacy` for such a job: X from a data directory, the numbers on stdout. */
enum err exposed_print(const char *dir, const struct job *job, size_t parties,
		       unsigned threads) MUST_CHECK;

#endif
