/* fedkmeans.h -- k-means over rows at several parties, computed only from sums: both sides.
 *
 * A round consists of two sums. The first has the counts of rows. The second has, for each centre
 * with `least` rows or more, the sum of its rows and of their squared distances. Rows of smaller
 * clusters enter no sum. But two rounds that differ by one row disclose that row. */
#ifndef PROTOCOLS_FEDSC_FEDKMEANS_H
#define PROTOCOLS_FEDSC_FEDKMEANS_H

#include "common/base/err.h"
#include "common/cluster/selection.h"
#include "common/linalg/mat.h"
#include "common/linalg/ranks.h"
#include "common/parties/parties.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- questions ---- */

/* Each comment begins with the number of words of the answer, for c centres and m columns. */
enum fedkmeans_kind {
	/* c: number of rows nearest to each centre; on ties the first centre counts */
	FEDKMEANS_COUNTS,
	/* c' (m + 1): for each of the c' centres with count >= least, in order, the sum of its rows
	 * and the sum of their squared distances */
	FEDKMEANS_SUMS,
	/* 1: the sum over all rows of 1 - a / b. a and b are the distances to the nearest two
	 * centres of the last COUNTS. A row adds 0 if a and b are 0, or if there is one centre
	 * only */
	FEDKMEANS_MARGIN,
};

/* A question. The comment of a member names the kinds that use it, then its shape or meaning. */
struct fedkmeans_question {
	enum fedkmeans_kind kind;
	const struct mat *centres; /* COUNTS: k x m */
	const double *count;       /* SUMS, MARGIN: the k joint counts that the last COUNTS gave */
	size_t k;                  /* SUMS, MARGIN */
	double least;              /* SUMS: >= 1 */
};

/* Returns the number of numbers in the answer to a question about rows of m columns. */
size_t fedkmeans_words(const struct fedkmeans_question *q, size_t m);

/* ---- the party's side ---- */

struct fedkmeans_party {
	const struct mat *X; /* borrowed: n x m */
	/* the policy's fewest rows of a sum; 0: any number is permitted */
	double min_cluster;
	uint32_t *label; /* n: nearest centre of the last COUNTS */
	double *near;    /* n: squared distance to the nearest centre */
	/* n: squared distance to the second nearest centre; infinite if there is none. */
	double *next;
	size_t k; /* number of centres of the last COUNTS; 0 before the first */
	unsigned threads;
	const struct ranks *ranks; /* borrowed; NULL: X has all rows */
};

void fedkmeans_party_init(struct fedkmeans_party *p, const struct mat *X, double min_cluster,
			  unsigned threads);
void fedkmeans_party_release(struct fedkmeans_party *p);

/* Returns the margin of row i by the last COUNTS: 1 - a / b as in MARGIN, from 0 to 1. */
double fedkmeans_margin(const struct fedkmeans_party *p, size_t i);

/* Fills x with this party's term. ERR_PEER: the question is invalid. It has a wrong shape, centres
 * that are not finite, SUMS or MARGIN without COUNTS, a `least` or (MARGIN) a total of counts below
 * min_cluster, or a count below this party's own. O(n k m). Bitwise identical for any number of
 * threads. */
enum err fedkmeans_answer(struct fedkmeans_party *p, const struct fedkmeans_question *q,
			  double *x) MUST_CHECK;

/* ---- the coordinator's side ---- */

struct fedkmeans {
	struct parties *parties;
	double n;        /* number of rows of all parties */
	unsigned rounds; /* number of COUNTS so far */
};

/* Centres with their statistics. There are k = Z.rows of them. */
struct fedkmeans_centres {
	struct mat Z;   /* k x m */
	double *count;  /* k: number of rows at the last COUNTS; 0 before */
	double *spread; /* k: sum of squared distances by the last SUMS */
	/* Number of centres removed in all rounds so far because they had too few rows. */
	size_t dropped;
};
void fedkmeans_centres_init(struct fedkmeans_centres *c, const struct mat *Z);
void fedkmeans_centres_release(struct fedkmeans_centres *c);

/* Runs one Lloyd round. drop: removes centres with fewer than `least` (>= 1) rows, unless all
 * centres have fewer. Without drop, centres with fewer rows do not move, and their rows are not
 * summed. *moved (may be NULL): the largest distance by which a centre moved. ERR_PEER: impossible
 * counts. */
enum err fedkmeans_round(struct fedkmeans *loop, double least, bool drop,
			 struct fedkmeans_centres *c, double *moved) MUST_CHECK;

/* Runs at most `rounds` Lloyd rounds, until no centre moves by more than tolerance. *used (may be
 * NULL): the number of rounds. */
enum err fedkmeans_lloyd(struct fedkmeans *loop, double least, unsigned rounds, double tolerance,
			 struct fedkmeans_centres *c, unsigned *used) MUST_CHECK;

/* Runs a last COUNTS without SUMS, from which the parties get their labels. ERR_PEER: the counts
 * are impossible. */
enum err fedkmeans_count(struct fedkmeans *loop, struct fedkmeans_centres *c) MUST_CHECK;

/* Measures the centres of the last COUNTS. The inertia is the sum of c->spread. The margin needs
 * another sum over all rows. ERR_PEER: the sum is impossible. */
enum err fedkmeans_measure(struct fedkmeans *loop, const struct fedkmeans_centres *c,
			   struct selection_point *p) MUST_CHECK;

/* Moves the centres of the chosen k into *best and releases the centres of the other k. */
void fedkmeans_take_chosen(const struct selection *s, struct fedkmeans_centres tried[SELECTION_MAX],
			   struct fedkmeans_centres *best);

/* Finds landmarks by splitting centres (Linde, Buzo, Gray 1980). Starts with one centre at `mean`
 * (1 x m). Splits the centres z of the clusters with largest spread into z +- e/2 N(0, I), e =
 * sqrt(spread / (count m)). `rounds` Lloyd rounds follow each doubling. After all doublings, `last`
 * further rounds follow. The search ends early when the number of landmarks stops rising. At the
 * end each landmark has `least` rows or more. ERR_JOB: there is no landmark. */
struct fedkmeans_landmarks {
	size_t most;  /* d: maximum number of landmarks */
	double least; /* mc: fewest rows of a landmark */
	unsigned rounds, last;
	uint64_t seed;
};
enum err fedkmeans_landmarks(struct fedkmeans *loop, const struct fedkmeans_landmarks *p,
			     const struct mat *mean, struct fedkmeans_centres *c) MUST_CHECK;

/* Federated k-means in three steps: finds landmarks; runs weighted k-means++ with restarts on the
 * landmarks, which needs no sums; runs Lloyd rounds on all rows. If k is a range, all its k use the
 * landmarks of the largest k. The last counting uses the centres of the chosen k. c->count are the
 * counts of the last counting, the cluster sizes. ERR_INPUT: k is 0 or exceeds the number of rows;
 * ERR_JOB: fewer landmarks than clusters. */
struct fedkmeans_params {
	unsigned k;
	/* first k of a range that ends with k; 0: k is given */
	unsigned k_from;
	/* If landmarks.most is 0, the search looks for max(20 k, 100) landmarks. This number is
	 * limited to n / 5, and is then at least k. */
	struct fedkmeans_landmarks landmarks;
	unsigned restarts; /* default 20 */
	unsigned lloyd;    /* rounds on all rows; default 100 */
	/* default 1e-6; unit: the root mean square distance of rows from their landmarks */
	double tolerance;
	unsigned threads;
};
struct fedkmeans_report {
	size_t landmarks, dropped;
	unsigned rounds;
	double inertia;             /* by the last SUMS */
	struct selection selection; /* how k was chosen from a range; empty if k was given */
};
void fedkmeans_defaults(struct fedkmeans_params *p, unsigned k, double least, uint64_t seed,
			unsigned threads);
/* Runs federated k-means. mean (1 x m): the mean of all rows, from earlier sums. */
enum err fedkmeans_run(struct fedkmeans *loop, const struct fedkmeans_params *p,
		       const struct mat *mean, struct fedkmeans_centres *c,
		       struct fedkmeans_report *report) MUST_CHECK;

#endif
