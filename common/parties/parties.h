/* parties.h -- the parties of a job, as seen by the coordinator side of a protocol: it broadcasts
 * to all and receives sums of their answers.
 *
 * A protocol is written once, against struct parties, in the order of its messages. In a run the
 * parties are behind channels (server/run/parties.h): broadcasts are sent, and a sum is a secure
 * sum. For tests, pooled data and a party's own baselines, the parties are in memory. Then
 * broadcasts do nothing, and a sum passes each party its `question`, a struct of the protocol that
 * carries the broadcast values. Behind channels the question is unused, because the party side
 * knows the order of messages.
 */
#ifndef COMMON_PARTIES_PARTIES_H
#define COMMON_PARTIES_PARTIES_H

#include "common/base/err.h"
#include "common/linalg/mat.h"
#include "common/parties/choice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PARTIES_VECTOR_MAX = 1 << 30 }; /* maximum number of numbers or labels in a vector */

/* Message type that carries a vector. */
enum parties_reals { PARTIES_MATRIX, PARTIES_BLOCK /* in floats */ };
enum parties_labels { PARTIES_ASSIGNMENT, PARTIES_LANDMARKS, PARTIES_RESULT };
/* Kind of a batch that a party seals to another. */
enum parties_batches { PARTIES_CIPHERS, PARTIES_PRODUCTS };

/* Encoding of a sum. */
enum parties_how {
	PARTIES_WIDE,   /* fixed point in 64-bit words, for numbers of unknown size */
	PARTIES_OPENED, /* as PARTIES_WIDE; the sum is broadcast and verified */
	/* Like PARTIES_OPENED, with each number split into several words: common/privacy/parts.h */
	PARTIES_OPENED_PARTS,
	PARTIES_BOUND, /* the job's fixed point, scaled to a known bound on terms and sums */
};

/* Functions of a backend. The members before `sum` may be NULL, and then do nothing. Without
 * `exchange`, parties_exchange() returns ERR_INPUT. */
struct parties_backend {
	void (*phase)(void *ctx, const char *name);
	void (*progress)(void *ctx, unsigned round, size_t moved);
	void (*note)(void *ctx, const char *text);
	enum err (*broadcast_choice)(void *ctx, enum choice what, uint64_t value);
	enum err (*broadcast_reals)(void *ctx, enum parties_reals as, const double *x, size_t n);
	enum err (*pass_reals)(void *ctx, double *x, size_t n);
	enum err (*refuse)(void *ctx, enum err e);
	enum err (*broadcast_labels)(void *ctx, enum parties_labels as, size_t values,
				     const uint32_t *label, size_t n);
	enum err (*warm)(void *ctx);
	enum err (*bound)(void *ctx, int *e);
	enum err (*sum)(void *ctx, const void *question, enum parties_how how, double most,
			double *x, size_t n);
	enum err (*collect_labels)(void *ctx, const void *question, size_t values, uint32_t *label,
				   size_t n);
	enum err (*collect_reals)(void *ctx, const void *question, double *x, size_t n);
	enum err (*collect_rows)(void *ctx, const void *question, struct mat *C);
	enum err (*exchange)(void *ctx, const void *question, enum parties_batches what);
	enum err (*send_labels)(void *ctx, size_t values, const uint32_t *label, size_t n);
};

struct parties {
	size_t count; /* number of parties */
	const struct parties_backend *backend;
	void *ctx;               /* the backend's context */
	const char *phase;       /* the current phase, "" before the first */
	const char *const *name; /* names of the parties; NULL: none */
	/* rows of each party, after parties_collect_rows() at the coordinator; else NULL */
	const size_t *rows;
	/* True if a party itself runs the coordinator side, on verified sums
	 * (party/work/verified.h). */
	bool at_party;
};

/* Name of party l for error messages. */
const char *parties_name(const struct parties *p, size_t l);

/* Starts the phase `name`, static text. */
void parties_phase(struct parties *p, const char *name);
/* Reports the end of a round: its number, from 1, and how many labels changed, 0 if they are not
 * counted. */
void parties_progress(struct parties *p, unsigned round, size_t moved);
/* Adds a line to the log of a run. */
void parties_note(struct parties *p, const char *fmt, ...) PRINTF(2, 3);

/* Broadcasts to all parties. Errors are those of the channels. */
enum err parties_broadcast_choice(struct parties *p, enum choice what, uint64_t value) MUST_CHECK;
enum err parties_broadcast_reals(struct parties *p, enum parties_reals as, const double *x,
				 size_t n) MUST_CHECK;
/* Broadcasts x as a MATRIX. It is for numbers that are cheaper to check than to compute. At a
 * party, x becomes the coordinator's values. The party checks them. If they are wrong, it returns
 * parties_refuse(p, e), which blames the coordinator for the error e. */
enum err parties_pass_reals(struct parties *p, double *x, size_t n) MUST_CHECK;
enum err parties_refuse(struct parties *p, enum err e) MUST_CHECK;
/* Broadcasts labels from 0 to values - 1. The label `values` means "no cluster". */
enum err parties_broadcast_labels(struct parties *p, enum parties_labels as, size_t values,
				  const uint32_t *label, size_t n) MUST_CHECK;

/* x (n) becomes the sum of the parties' answers. With n = 0 there is no sum, but parties in memory
 * still receive the question. Errors are those of the secure sum, or of the answering party, with
 * its name. ERR_JOB behind channels if n exceeds PARTIES_VECTOR_MAX, as for all vectors here. */
enum err parties_sum(struct parties *p, const void *question, double *x, size_t n) MUST_CHECK;
/* Like parties_sum(), but all parties also receive x. They verify it, and get bitwise the same
 * numbers as the coordinator. The second function takes the sum in several words for each number
 * (PARTIES_OPENED_PARTS). */
enum err parties_sum_opened(struct parties *p, const void *question, double *x,
			    size_t n) MUST_CHECK;
enum err parties_sum_opened_parts(struct parties *p, const void *question, double *x,
				  size_t n) MUST_CHECK;
/* Checks a verified sum of counts: n whole numbers from 0 to most, one for each `what`. all (may be
 * NULL): their total. ERR_PEER blames a party's wrong term, since tags (crypto/tag.h) reveal
 * changes by the coordinator. */
enum err parties_check_counts(const char *phase, const char *what, const double *x, size_t n,
			      double most, double *all) MUST_CHECK;
/* Like parties_sum(), for sums in which no term and no partial sum of terms exceeds `most`. */
enum err parties_sum_bound(struct parties *p, const void *question, double most, double *x,
			   size_t n) MUST_CHECK;

/* Sets *e so that the squared length of a row, joined over all parties' columns, does not exceed
 * 2^*e (common/privacy/bound.h). In memory *e is 0, since numbers may have any size there. */
enum err parties_bound(struct parties *p, int *e) MUST_CHECK;

/* Collect vectors that parties send unmasked. Labels: n from each party in turn, each at most
 * `values`. Reals: n from each party. Rows: C (rows x cols, allocated) receives the rows of all
 * parties, at least two from each. The number of rows of each party is kept for
 * parties_send_labels(). At a party, these functions only send its own vector; label, x and C do
 * not change. */
enum err parties_collect_labels(struct parties *p, const void *question, size_t values,
				uint32_t *label, size_t n) MUST_CHECK;
enum err parties_collect_reals(struct parties *p, const void *question, double *x,
			       size_t n) MUST_CHECK;
enum err parties_collect_rows(struct parties *p, const void *question, struct mat *C) MUST_CHECK;
/* Sends each party the labels of the rows collected from it. Labels are below `values`. At a party,
 * label is not read. */
enum err parties_send_labels(struct parties *p, size_t values, const uint32_t *label,
			     size_t n) MUST_CHECK;

/* Each party sends a sealed batch to each other party, and receives a batch from each other party.
 * The coordinator relays the batches and cannot read them. ERR_INPUT for parties in memory, which
 * cannot exchange batches. */
enum err parties_exchange(struct parties *p, const void *question,
			  enum parties_batches what) MUST_CHECK;

/* Sends padding (channel_warm()), which keeps slow links fast, while the parties compute answers to
 * the last broadcast. */
enum err parties_warm(struct parties *p) MUST_CHECK;

/* ---- in memory: for tests, pooled data (one party with all data), and baselines of a run ---- */

/* Functions that answer for a protocol's parties; each protocol has one table. The protocol's
 * coordinator side defines the questions. Members that no question needs may be NULL. */
struct memory_kind {
	size_t size; /* bytes of a party's struct */
	/* l: the party's number. */
	enum err (*answer)(void *party, size_t l, const void *question, double *x);
	enum err (*labels)(void *party, const void *question, uint32_t *label);
	enum err (*upload)(void *party, const void *question, double *x);
	enum err (*rows)(void *party, const void *question, struct mat *C); /* initialises C */
	/* Passes labels to a party. The party reads one label for each of its rows from the n
	 * labels, and *taken becomes their number. */
	enum err (*take)(void *party, const uint32_t *label, size_t n, size_t *taken);
};

struct memory {
	const struct memory_kind *kind;
	void *party; /* array of the kind's structs, borrowed */
	size_t count;
	/* if fraction_bits is 0: answers are rounded to multiples of it; 0: not rounded */
	double step;
	/* if not 0: sums equal those of a job's wide fixed point, bit by bit */
	unsigned fraction_bits;
	/* Observer, may be NULL: called after each sum with its result, which it may change. */
	enum err (*watch)(void *watcher, const void *question, double *x, size_t n);
	void *watcher;
};

/* m must outlive p. Sums add in the order of the parties. Errors of sums and of
 * parties_collect_rows() name the party by number, from 0. If fraction_bits is not 0, a sum also
 * returns ERR_JOB if an answer exceeds the fixed point. */
void parties_in_memory(struct parties *p, struct memory *m);

#endif
