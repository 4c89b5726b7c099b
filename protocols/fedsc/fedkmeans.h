/* fedkmeans.h -- k-means over rows that are spread over parties: both halves, from sums alone.
 *
 * A round is two sums: the counts; then, of centres with `least` rows or more, the sums of rows and of
 * squared distances. No other rows are ever summed; but two rounds that differ by one row show that
 * row.
 */
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

/* -- what is asked --------------------------------------------------------------------------- */

enum fedkmeans_kind {
	FEDKMEANS_COUNTS, /* k: rows that are nearest to each centre, the first on ties */
	FEDKMEANS_SUMS,   /* for each centre with count >= least, in order: the sum of its rows (m),
	                     the sum of their squared distances (1) */
	FEDKMEANS_MARGIN, /* 1: the sum over all rows of 1 - a / b, a and b the distances to the nearest two
	                     centres of the last COUNTS; 0 of a row at both, and with one centre */
};

struct fedkmeans_question {
	enum fedkmeans_kind kind;
	const struct mat *centres; /* COUNTS: k x m */
	const double *count;       /* SUMS, MARGIN: the k joint counts that came of the last COUNTS */
	size_t k;                  /* SUMS, MARGIN */
	double least;              /* SUMS: >= 1 */
};

/* How many numbers answer a question about rows of m columns. */
size_t fedkmeans_words(const struct fedkmeans_question *q, size_t m);

/* -- the party's half ------------------------------------------------------------------------ */

struct fedkmeans_party {
	const struct mat *X; /* borrowed: n x m */
	double min_cluster;  /* the party's policy: sums of fewer rows are refused; 0: none are */
	uint32_t *label;     /* n: the nearest of the last centres */
	double *near;        /* n: its squared distance */
	double *next;        /* n: that of the second nearest; infinite if there is none */
	size_t k;            /* of the last COUNTS; 0 before the first */
	unsigned threads;
	const struct ranks *ranks; /* borrowed; NULL: X has all rows */
};

void fedkmeans_party_init(struct fedkmeans_party *p, const struct mat *X, double min_cluster,
			  unsigned threads);
void fedkmeans_party_release(struct fedkmeans_party *p);

/* Of row i, by the last COUNTS: 1 - a / b as in MARGIN, 0 .. 1. */
double fedkmeans_margin(const struct fedkmeans_party *p, size_t i);

/* x becomes this party's term. ERR_PEER, the asker being at fault: a shape that does not fit, centres
 * that are not finite, SUMS without COUNTS, a least below min_cluster, or a count below this
 * party's own. O(n k m). Same bits for any threads. */
enum err fedkmeans_answer(struct fedkmeans_party *p, const struct fedkmeans_question *q,
			  double *x) MUST_CHECK;

/* -- the coordinator's half ------------------------------------------------------------------ */

struct fedkmeans {
	struct parties *parties;
	double n;        /* rows of all parties */
	unsigned rounds; /* so far: countings */
};

/* Centres and what is known of them; k = Z.rows. */
struct fedkmeans_centres {
	struct mat Z;   /* k x m */
	double *count;  /* k: rows at the last counting; 0 before */
	double *spread; /* k: their summed squared distance, from the last SUMS */
	size_t dropped; /* centres, in all rounds so far, that had fewer than `least` rows */
};
void fedkmeans_centres_init(struct fedkmeans_centres *c, const struct mat *Z);
void fedkmeans_centres_release(struct fedkmeans_centres *c);

/* One Lloyd round. ERR_PEER: counts that cannot be. drop: centres below least (>= 1) go, unless all would;
 * else they stay where they are, without a sum. *moved (may be NULL): the largest distance of any. */
enum err fedkmeans_round(struct fedkmeans *loop, double least, bool drop,
			 struct fedkmeans_centres *c, double *moved) MUST_CHECK;

/* At most `rounds` Lloyd rounds, fewer once no centre moves by more than tolerance; *used of them. */
enum err fedkmeans_lloyd(struct fedkmeans *loop, double least, unsigned rounds,
			 double tolerance, struct fedkmeans_centres *c, unsigned *used) MUST_CHECK;

/* A counting without sums, at the end: by it parties know their labels. ERR_PEER: counts that cannot be. */
enum err fedkmeans_count(struct fedkmeans *loop, struct fedkmeans_centres *c) MUST_CHECK;

/* How good centres are that were counted last: c->spread is their inertia, what is asked is the sum of the
 * rows' margins. ERR_PEER: it cannot be. */
enum err fedkmeans_measure(struct fedkmeans *loop, const struct fedkmeans_centres *c,
			   struct selection_point *p) MUST_CHECK;

/* The centres of the k that is chosen become *best, of all that were tried for s; the others are
 * released. */
void fedkmeans_take_chosen(const struct selection *s, struct fedkmeans_centres tried[SELECTION_MAX],
			   struct fedkmeans_centres *best);

/* Landmarks by splitting (Linde, Buzo, Gray 1980): from `mean` (1 x m) on, the clusters of largest
 * spread are cut in two at z +- e/2 N(0, I), e = sqrt(spread / (count m)), with `rounds` Lloyd
 * rounds per doubling and `last` at the end; it ends early when their number stops rising. At the end
 * all have `least` rows or more. ERR_JOB if there are none. */
struct fedkmeans_landmarks {
	size_t most; /* d */
	double least; /* mc */
	unsigned rounds, last;
	uint64_t seed;
};
enum err fedkmeans_landmarks(struct fedkmeans *loop,
			     const struct fedkmeans_landmarks *p, const struct mat *mean,
			     struct fedkmeans_centres *c) MUST_CHECK;

/* Of a range all k have the landmarks of its end in common; the last counting is of the k that was chosen.
 * Federated k-means: landmarks; weighted k-means++ with restarts on them, which costs no sums; Lloyd
 * rounds on all rows. c->count is that of the last counting: cluster sizes. ERR_INPUT: k is 0;
 * ERR_JOB: fewer landmarks than clusters. */
struct fedkmeans_params {
	unsigned k;
	unsigned k_from;                      /* of k_from .. k one is chosen; 0: k is given */
	struct fedkmeans_landmarks landmarks; /* most 0: max(20 k, 100), at most n / 5 and at least k */
	unsigned restarts;                    /* 20 */
	unsigned lloyd;                       /* rounds on all rows: 100 */
	double tolerance;                     /* 1e-6 of the rows' spread */
	unsigned threads;
};
struct fedkmeans_report {
	size_t landmarks, dropped;
	unsigned rounds;
	double inertia; /* of the last SUMS */
	struct selection selection; /* of a range; else empty */
};
void fedkmeans_defaults(struct fedkmeans_params *p, unsigned k, double least, uint64_t seed,
			unsigned threads);
/* The landmarks that it looks for among n rows: landmarks.most, or what stands in for it. */
size_t fedkmeans_most(const struct fedkmeans_params *p, double n);
/* mean (1 x m): of all rows, by sums that were had before. */
enum err fedkmeans_run(struct fedkmeans *loop, const struct fedkmeans_params *p,
		       const struct mat *mean, struct fedkmeans_centres *c,
		       struct fedkmeans_report *report) MUST_CHECK;

#endif
