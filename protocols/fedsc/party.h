/* party.h -- a party's rows in FedSC, and its term of each secure sum. All parties have the same
 * columns. Nothing depends on the number of parties, so the same code answers for pooled data. */
#ifndef PROTOCOLS_FEDSC_PARTY_H
#define PROTOCOLS_FEDSC_PARTY_H

#include "common/base/err.h"
#include "protocols/fedsc/fedkmeans.h"
#include "protocols/fedsc/anchor.h"
#include "protocols/fedsc/dictionary.h"
#include "common/parties/parties.h"
#include "common/privacy/noise.h"

#include <stdbool.h>

/* Each comment begins with the number of words of the answer. m: columns; k: clusters; c: centres;
 * d: landmarks; "in parts": five words for a number (common/privacy/parts.h). TOTALS, SPREAD and
 * SCALE come once each and in this order, then the others in any number. Symmetric d x d sums are
 * sent as their lower triangles, row by row. A party's masks depend on the values of this enum, so
 * append new kinds at the end. */
enum fedsc_kind {
	FEDSC_TOTALS, /* 1 + m in parts: number of rows; sum of each column */
	/* 1 in parts: the sum of (x_ij - mean_j)^2. With `columns`, 2 m in parts: this sum for each
	 * column; then for each column 1 if this party does not scale it, else 0. The step centres
	 * the rows permanently */
	FEDSC_SPREAD,
	/* 1 with `width`: the mean distance between own rows; else no sum. The step permanently
	 * divides columns by unit, or by scale. Then it shortens rows to clip, and adds noise of
	 * beta */
	FEDSC_SCALE,
	FEDSC_CLUSTERS, /* a sum of fedkmeans.h over the rows; after EMBED, over their embedding */
	FEDSC_SPECTRUM, /* d (d + 1) / 2: F'F, F = C Kzz^1/2 */
	FEDSC_DICTIONARY, /* d m + 1, after a round of Stage I: omega Z_p, and omega = n_p / n */
	FEDSC_DEGREES,    /* d: F'1 */
	FEDSC_DENSE,      /* d (d + 1) / 2: F' diag(1 / F t) F; t is the sum of DEGREES */
	/* d (d + 1) / 2: B'B; a row of B has the row's weights of its nearest landmarks */
	FEDSC_ANCHOR,
	/* no sum: the rows to cluster become the unit rows of B R. After DENSE they become the unit
	 * rows of diag(1 / F t)^1/2 F R */
	FEDSC_EMBED,
	FEDSC_SIZES, /* k: number of rows of each cluster, by the labels */
	/* 2 m for all rows, then 2 m for each shown cluster, in order. For all rows: each column's
	 * sum of squares around the mean, as clustered; then its number of rows that were not 0 as
	 * read. For a cluster: the sum of each column, as clustered; then its number of rows that
	 * were not 0. Every word has noise of deviation 1 / sqrt(L) */
	FEDSC_PROFILE,
	FEDSC_UPLOAD, /* no sum: message UPLOAD has C (n_p x d), unmasked */
	/* Questions of jobs with noise in aggregates (private.h). */
	FEDSC_COUNT, /* 1: number of rows */
	FEDSC_BALL,  /* no sum: permanently divides rows by clip, and shortens them to length 1 */
	/* c (m + 2), with noise: for each centre its number of nearest rows. Then for each centre
	 * two sums over these rows: of offsets, shortened to the radius, and of widths */
	FEDSC_NOISY,
	/* d (d + 1) / 2, with noise: as ANCHOR, but the weights of each row have length 1 */
	FEDSC_NOISY_ANCHOR,
	FEDSC_NEAREST, /* no sum: permanently sets the labels by the centres Z */
	/* no sum: message UPLOAD has rows of K^ (n_p x n), see protocols/fedsc/party/pairwise.h */
	FEDSC_PAIRWISE,
};

struct fedsc_noisy;
struct discrete_share;

/* A question. The comment of a member names the kinds that use it, then its shape or meaning. */
struct fedsc_question {
	enum fedsc_kind kind;
	const double *mean; /* SPREAD: m */
	bool columns;       /* SPREAD */
	double scale, beta; /* SCALE */
	/* SCALE: m divisors of columns, which include `scale`; NULL: `scale` divides all
	 * columns */
	const double *unit;
	/* SCALE: length to which longer rows are shortened after scaling; 0: no row is shortened.
	 * BALL: the divisor. */
	double clip;
	bool width;                                /* SCALE */
	const struct fedkmeans_question *clusters; /* CLUSTERS */
	/* SPECTRUM, DICTIONARY, DEGREES, ANCHOR, NOISY_ANCHOR, UPLOAD, PAIRWISE: d x m; NOISY,
	 * NEAREST: k x m; DENSE and EMBED use the Z of the last DEGREES or ANCHOR */
	const struct mat *Z;
	double r, lambda; /* SPECTRUM, DICTIONARY, DEGREES, UPLOAD, PAIRWISE */
	unsigned inner;   /* DICTIONARY: Q */
	double n;         /* DICTIONARY, PAIRWISE: rows of all parties */
	/* DICTIONARY: length to which rows of Z_p are shortened before noise is added; 0: no row is
	 * shortened. */
	double ball;
	double noise_z;          /* DICTIONARY: noise on Z_p, in units of its standard deviation */
	double sigma_z;          /* DICTIONARY: additional noise on Z_p, absolute */
	double noise_c, sigma_c; /* UPLOAD: noise on C_p, in units of its standard deviation, and
				  * absolute */
	const double *t;         /* DENSE: d numbers, the sum of DEGREES */
	size_t d;                /* DENSE */
	unsigned near; /* ANCHOR, NOISY_ANCHOR: s, number of landmarks to which a row is tied */
	const struct mat *R;                /* EMBED: d x k */
	size_t k;                           /* SIZES, PROFILE */
	const bool *shown;                  /* PROFILE: k */
	double sigma;                       /* PROFILE: deviation of this party's noise */
	const struct fedsc_noisy *noisy;    /* NOISY: noise of the sums for the centres Z */
	const struct discrete_share *share; /* NOISY_ANCHOR */
};

size_t fedsc_words(const struct fedsc_question *q, size_t m);

struct fedsc_party {
	struct mat X;         /* n x m; raw at first, then centred, then scaled; owned */
	const bool *unscaled; /* m: columns that are not scaled; borrowed; NULL: none */
	double min_cluster;   /* the policy's fewest rows of a sum (fedkmeans.h) */
	/* Source of noise; borrowed. NULL: questions that need noise are refused. May change
	 * between questions. */
	const struct noise_source *noise;
	unsigned threads;
	struct mat Z;               /* Z of the last SPECTRUM, DEGREES or fedsc_upload() */
	struct fedsc_basis basis;   /* basis of Z */
	double *t;                  /* t of DENSE; NULL before that question */
	struct fedsc_anchor anchor; /* ties of the last ANCHOR */
	struct mat embedding;       /* n x k unit rows, after EMBED */
	/* One bit for each value that is not 0, row by row; set by fedsc_party_mark(). Otherwise
	 * NULL. */
	uint8_t *present;
	/* clusters.label has n labels after the COUNTS of a CLUSTERS. */
	struct fedkmeans_party clusters;
	/* Ranks that have the rows; borrowed. NULL: X has all rows of the party. With ranks, the
	 * party answers TOTALS, SPREAD, SCALE without width and noise, CLUSTERS, ANCHOR and EMBED
	 * for the rows of all ranks, at each rank. */
	const struct ranks *ranks;
};

/* Takes over *X, which becomes empty. ERR_INPUT: X has fewer than 2 rows, no columns, or a value
 * that is not finite. */
enum err fedsc_party_init(struct fedsc_party *p, struct mat *X, double min_cluster,
			  const struct noise_source *noise, unsigned threads) MUST_CHECK;
/* As fedsc_party_init(), for the part of a party's rows that one rank has: any number of rows, with
 * finite values. Borrows ranks. */
void fedsc_party_part(struct fedsc_party *p, struct mat *X, double min_cluster,
		      const struct ranks *ranks);
void fedsc_party_release(struct fedsc_party *p);

/* Records which values are not 0. Call before the first question; without this call PROFILE is
 * refused. */
void fedsc_party_mark(struct fedsc_party *p);

/* Fills x with this party's term; questions must come in order. ERR_PEER: the question is invalid.
 * ERR_JOB: a row has no positive degree (DENSE), because it resembles no row of the dictionary; or
 * the dictionary's kernel matrix is not positive definite. In addition to X, a party needs memory
 * for O(n (near + k) + d (m + d)) numbers and some blocks. Bitwise identical for any number of
 * threads. */
enum err fedsc_answer(struct fedsc_party *p, const struct fedsc_question *q, double *x) MUST_CHECK;

/* Variant `paper`: initialises C (n x d). Adds noise of deviation noise_c, in standard deviations
 * of C's entries, then noise of absolute deviation sigma_c. The party uploads C unmasked, which
 * discloses the rows. */
enum err fedsc_upload(struct fedsc_party *p, const struct mat *Z, double r, double lambda,
		      double noise_c, double sigma_c, struct mat *C) MUST_CHECK;
/* Sets the labels of the upload's rows in p->clusters. ERR_PEER: n is not X.rows. */
enum err fedsc_take_labels(struct fedsc_party *p, const uint32_t *label, size_t n) MUST_CHECK;

/* Returns the rows to cluster: those of the embedding once it exists, otherwise X. */
const struct mat *fedsc_rows_clustered(const struct fedsc_party *p);
/* A part of fedsc_answer(): ties rows to q's landmarks in party->anchor. */
enum err fedsc_tie(struct fedsc_party *p, const struct fedsc_question *q) MUST_CHECK;
/* Parts of fedsc_answer() in profile.c. */
enum err fedsc_answer_sizes(const struct fedsc_party *p, const struct fedsc_question *q,
			    double *x) MUST_CHECK;
enum err fedsc_answer_profile(const struct fedsc_party *p, const struct fedsc_question *q,
			      double *x) MUST_CHECK;
size_t fedsc_profile_words(const struct fedsc_question *q, size_t m);

/* ---- parties in memory ---- */

extern const struct memory_kind fedsc_in_memory; /* parties are struct fedsc_party */

/* Copies the rows i of X with part[i] == l to *out, in order. */
void fedsc_deal(const struct mat *X, const uint32_t *part, uint32_t l, struct mat *out);
/* Returns the parties' labels in the order of the n rows before fedsc_deal(); owned by the
 * caller. */
uint32_t *fedsc_gather(const struct fedsc_party *party, size_t parties, const uint32_t *part,
		       size_t n);

#endif
