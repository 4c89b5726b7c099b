/* party.h -- a party's rows in FedSC (same columns everywhere): what it is asked, and its term of each
 * secure sum. Nothing depends on the number of parties, so the same code answers for pooled data. */
#ifndef PROTOCOLS_FEDSC_PARTY_H
#define PROTOCOLS_FEDSC_PARTY_H

#include "common/base/err.h"
#include "protocols/fedsc/fedkmeans.h"
#include "protocols/fedsc/anchor.h"
#include "protocols/fedsc/dictionary.h"
#include "common/parties/parties.h"
#include "common/privacy/noise.h"

#include <stdbool.h>

/* TOTALS, SPREAD and SCALE come once each and in this order, then the others as often as wanted; symmetric
 * d x d sums travel as their lower triangles, row by row. */
enum fedsc_kind {
	FEDSC_TOTALS,     /* 1 + m: rows; the sum of each column */
	FEDSC_SPREAD,     /* 1: the sum of (x_ij - mean_j)^2; with `columns` 2 m: those of each column, then
	                     1 for each that this party leaves as it is; rows are centred for good */
	FEDSC_SCALE,      /* 1 if width, else 0: columns are divided by unit, or scale, for good; rows shortened to clip,
	                     noise of beta is added; the mean distance between own rows */
	FEDSC_CLUSTERS,   /* fedkmeans_words(): on the rows, after EMBED on their embedding */
	FEDSC_SPECTRUM,   /* d (d+1) / 2: F'F, F = C Kzz^1/2 */
	FEDSC_DICTIONARY, /* d m + 1: omega Z_p after a round of Stage I; omega = n_p / n */
	FEDSC_DEGREES,    /* d: F'1 */
	FEDSC_DENSE,      /* d (d+1) / 2: F' diag(1 / F t) F */
	FEDSC_ANCHOR,     /* d (d+1) / 2: B'B, each row's weights of its s nearest landmarks */
	FEDSC_EMBED,      /* 0: unit rows of diag(1 / F t)^1/2 F R if the last of DENSE and ANCHOR was
	                     DENSE, else of B R, are what is clustered from now on */
	FEDSC_SIZES,      /* k: rows of each cluster, by the labels */
	FEDSC_PROFILE,    /* 2 m, and 2 m for each cluster shown: of each column the sum of squares, of rows as they are clustered,
	                     and how many rows have it, of all rows; then of the cluster's the sum, and how many; with noise */
	FEDSC_UPLOAD,     /* rows, in clear: fedsc_upload() */
	/* with noise in sums: private.h */
	FEDSC_COUNT,      /* 1: rows */
	FEDSC_BALL,       /* 0: rows are divided by clip and shortened to length 1, for good */
	FEDSC_NOISY,      /* k (m + 2): N, then S and Q of each centre */
	FEDSC_NOISY_ANCHOR, /* d (d+1) / 2: ANCHOR's, of weights of length 1 */
	FEDSC_NEAREST,    /* 0: labels are by the centres Z, for good */
};

struct fedsc_noisy;
struct discrete_share;

struct fedsc_question {
	enum fedsc_kind kind;
	const double *mean;  /* SPREAD: m */
	bool columns;        /* SPREAD */
	double scale, beta;  /* SCALE */
	const double *unit;  /* SCALE: m, which scale is a factor of; NULL: scale in all columns */
	double clip;         /* SCALE: longer rows are shortened to it, once scaled; 0: not; BALL */
	bool width;          /* SCALE */
	const struct fedkmeans_question *clusters; /* CLUSTERS */
	const struct mat *Z; /* SPECTRUM, DICTIONARY, DEGREES, ANCHOR, NOISY_ANCHOR, UPLOAD: d x m; NOISY, NEAREST: k x m; DENSE and EMBED go by
	                        the last of DEGREES and ANCHOR */
	double r, lambda;    /* SPECTRUM, DICTIONARY, DEGREES, UPLOAD */
	unsigned inner;      /* DICTIONARY: Q */
	double n;            /* DICTIONARY: rows of all parties */
	double ball;         /* DICTIONARY: rows of Z_p are shortened to it before noise; 0: not */
	double noise_z;      /* DICTIONARY: noise on Z_p, in units of its standard deviation */
	double sigma_z;      /* DICTIONARY: and of so much besides */
	const bool *member;  /* DICTIONARY: which parties take part, the others add zeros; NULL: all */
	double noise_c, sigma_c; /* UPLOAD: the same on C_p */
	const double *t;     /* DENSE: d, the sum of DEGREES */
	size_t d;            /* DENSE */
	unsigned near;       /* ANCHOR, NOISY_ANCHOR: s */
	const struct mat *R; /* EMBED: d x k */
	size_t k;            /* SIZES, PROFILE */
	const bool *shown;   /* PROFILE: k */
	double sigma;        /* PROFILE: of the noise of this party */
	const struct fedsc_noisy *noisy; /* NOISY: of its centres Z */
	const struct discrete_share *share; /* NOISY_ANCHOR */
};

size_t fedsc_words(const struct fedsc_question *q, size_t m);

struct fedsc_party {
	struct mat X;        /* owned: n x m, raw, then centred, then scaled */
	const bool *apart;   /* m: columns that are left as they are; borrowed; NULL: none */
	double min_cluster;  /* policy: see fedkmeans.h */
	const struct noise_source *noise; /* borrowed; NULL: questions that want noise are refused; may
	                                     be set anew before each */
	unsigned threads;
	struct mat Z;        /* of the last of SPECTRUM, DEGREES and fedsc_upload() */
	struct fedsc_basis basis; /* on it */
	double *t;           /* of DENSE; NULL before */
	struct fedsc_anchor anchor; /* of ANCHOR */
	struct mat embedding; /* n x k unit rows, once there is one */
	uint8_t *present;    /* a bit for each value that was not 0, row by row: fedsc_party_mark(); else NULL */
	struct fedkmeans_party clusters; /* clusters.label: n labels, after a CLUSTERS counting */
	/* Borrowed; NULL: X has all rows of the party. Else TOTALS, SPREAD, SCALE without width and
	 * noise, CLUSTERS, ANCHOR and EMBED are answered, over the rows of all ranks, at each. */
	const struct ranks *ranks;
};

/* Takes over *X (which becomes empty). ERR_INPUT: fewer than 2 rows, no columns, a value that is not
 * finite. */
enum err fedsc_party_init(struct fedsc_party *p, struct mat *X, double min_cluster,
			  const struct noise_source *noise, unsigned threads) MUST_CHECK;
/* Of a party's rows those of one rank, any number of them, all finite; ranks stays. */
void fedsc_party_part(struct fedsc_party *p, struct mat *X, double min_cluster,
		      const struct ranks *ranks);
void fedsc_party_release(struct fedsc_party *p);

/* Notes which values are not 0, before the first question: without, PROFILE is refused. */
void fedsc_party_mark(struct fedsc_party *p);

/* x becomes this party's term; the questions come in their order. ERR_PEER if one does not fit: the asker
 * is at fault. ERR_JOB if a row has no positive degree (DENSE): it is like none of the dictionary.
 * Beside X a party holds O(n (s + k) + d (m + d)) and blocks. Same bits for any threads. */
enum err fedsc_answer(struct fedsc_party *p, const struct fedsc_question *q, double *x) MUST_CHECK;

/* Variant `paper`: C (n x d, initialised here), with noise of noise_c standard deviations of its
 * entries, and of sigma_c besides. This is an upload in clear from which rows can be read. */
enum err fedsc_upload(struct fedsc_party *p, const struct mat *Z, double r, double lambda,
		      double noise_c, double sigma_c, struct mat *C) MUST_CHECK;
/* Labels that came back for the upload's rows become those in p->clusters. ERR_PEER if there are not n
 * = X.rows of them. */
enum err fedsc_take_labels(struct fedsc_party *p, const uint32_t *label, size_t n) MUST_CHECK;

/* What is clustered: the embedding, once there is one. */
const struct mat *fedsc_rows_clustered(const struct fedsc_party *p);
/* Of fedsc_answer(): party->anchor is of q's landmarks. */
enum err fedsc_tie(struct fedsc_party *p, const struct fedsc_question *q) MUST_CHECK;
/* Of fedsc_answer(): profile.c. */
enum err fedsc_tell_sizes(const struct fedsc_party *p, const struct fedsc_question *q, double *x) MUST_CHECK;
enum err fedsc_tell_profile(const struct fedsc_party *p, const struct fedsc_question *q, double *x) MUST_CHECK;
size_t fedsc_profile_words(const struct fedsc_question *q, size_t m);

/* -- parties in memory ------------------------------------------------------------------------- */

extern const struct memory_kind fedsc_in_memory; /* of struct fedsc_party */

/* Rows of X (which stays) with part[i] == l become party l's, in order. */
void fedsc_deal(const struct mat *X, const uint32_t *part, uint32_t l, struct mat *out);
/* The parties' labels in the order of the n rows that were dealt; owned by the caller. */
uint32_t *fedsc_gather(const struct fedsc_party *party, size_t parties, const uint32_t *part,
		       size_t n);

#endif
