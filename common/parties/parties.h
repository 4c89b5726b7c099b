/* parties.h -- the parties of a job, as the coordinator's half of a protocol deals with them: it
 * tells all of them something, and gets sums of what they answer.
 *
 * A protocol is written once, against struct parties, in the order of its messages. In a run they are
 * behind channels (server/run/parties.h): what is told goes onto the wire, and a sum is a secure sum.
 * For tests, pooled data and a party's own baselines they are in memory: telling does nothing, and a
 * sum asks every party its `question`, a struct of the protocol's, which says what was told. Behind
 * channels nobody looks at it: there the party's half knows what comes next.
 */
#ifndef COMMON_PARTIES_PARTIES_H
#define COMMON_PARTIES_PARTIES_H

#include "common/base/err.h"
#include "common/linalg/mat.h"
#include "common/parties/choice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PARTIES_VECTOR_MAX = 1 << 30 }; /* numbers or labels of one vector */

/* As what a vector is told: each is a message of this name. */
enum parties_reals { PARTIES_MATRIX, PARTIES_BLOCK /* in floats */ };
enum parties_labels { PARTIES_ASSIGNMENT, PARTIES_LANDMARKS, PARTIES_RESULT };

/* In which numbers a sum is taken. */
enum parties_how {
	PARTIES_WIDE,  /* 64 bits, for numbers whose size the job does not know */
	PARTIES_TOLD,  /* as wide ones; parties are told it, and verify it */
	PARTIES_TOLD_PARTS, /* and each number cut into several words: common/privacy/parts.h */
	PARTIES_BOUND, /* the job's fixed point, filled by terms and sums up to a known bound */
};

/* Telling may be nothing: members up to `bound` may be NULL. */
struct parties_backend {
	void (*phase)(void *ctx, const char *name);
	void (*progress)(void *ctx, unsigned round, size_t moved);
	void (*note)(void *ctx, const char *text);
	enum err (*tell_choice)(void *ctx, enum choice what, uint64_t value);
	enum err (*tell_reals)(void *ctx, enum parties_reals as, const double *x, size_t n);
	enum err (*pass_reals)(void *ctx, double *x, size_t n);
	enum err (*refuse)(void *ctx, enum err e);
	enum err (*tell_labels)(void *ctx, enum parties_labels as, size_t values,
				const uint32_t *label, size_t n);
	enum err (*warm)(void *ctx);
	enum err (*bound)(void *ctx, int *e);
	enum err (*sum)(void *ctx, const void *question, enum parties_how how, double most,
			double *x, size_t n);
	enum err (*collect_labels)(void *ctx, const void *question, size_t values, uint32_t *label,
				   size_t n);
	enum err (*collect_reals)(void *ctx, const void *question, double *x, size_t n);
	enum err (*collect_rows)(void *ctx, const void *question, struct mat *C);
	enum err (*hand)(void *ctx, size_t values, const uint32_t *label, size_t n);
};

struct parties {
	size_t count; /* L */
	const struct parties_backend *backend;
	void *ctx;         /* the backend's */
	const char *phase; /* the one that runs, "" before the first */
	const char *const *name; /* of each party; NULL: they have none */
	/* A party runs the coordinator's half itself, on verified sums (party/work/verified.h). */
	bool at_party;
};

/* For sentences: whose fault it is. */
const char *parties_name(const struct parties *p, size_t l);

/* The phase `name`, static text, begins. */
void parties_phase(struct parties *p, const char *name);
/* A round of the phase is over: its number, from 1, and how much it changed. */
void parties_progress(struct parties *p, unsigned round, size_t moved);
/* For the log of a run: a line about what was found. */
void parties_note(struct parties *p, const char *fmt, ...) PRINTF(2, 3);

/* To all parties. Errors are those of the channels. */
enum err parties_tell_choice(struct parties *p, enum choice what, uint64_t value) MUST_CHECK;
enum err parties_tell_reals(struct parties *p, enum parties_reals as, const double *x,
			    size_t n) MUST_CHECK;
/* Numbers that parties need not compute, since they can check them for less: at a party x becomes what
 * the coordinator has said; everywhere else this tells x, as a MATRIX. A party checks x, and if the
 * check fails, by the error e, returns parties_refuse(p, e), which blames the coordinator. */
enum err parties_pass_reals(struct parties *p, double *x, size_t n) MUST_CHECK;
enum err parties_refuse(struct parties *p, enum err e) MUST_CHECK;
/* Labels 0 .. values - 1, or `values` where none is meant. */
enum err parties_tell_labels(struct parties *p, enum parties_labels as, size_t values,
			     const uint32_t *label, size_t n) MUST_CHECK;

/* x (n) becomes the sum of the parties' answers; of no numbers there is no sum, but parties in memory
 * are asked. Errors of the secure sum, or of the party that answers, which is named. ERR_JOB: more than
 * PARTIES_VECTOR_MAX numbers, as in all that is told or collected. */
enum err parties_sum(struct parties *p, const void *question, double *x, size_t n) MUST_CHECK;
/* The same, and all parties learn x too, verified: x is the same bits for all. */
enum err parties_sum_told(struct parties *p, const void *question, double *x, size_t n) MUST_CHECK;
enum err parties_sum_told_parts(struct parties *p, const void *question, double *x,
				size_t n) MUST_CHECK;
/* Checks a verified sum of counts: n whole numbers from 0 to most, one for each `what`. all (NULL: unused): their sum.
 * ERR_PEER: a party gave a wrong term, since tags show what a coordinator changes. */
enum err parties_check_counts(const char *phase, const char *what, const double *x, size_t n, double most,
			      double *all) MUST_CHECK;
/* None of the terms, nor any sum of some of them, is beyond `most`. */
enum err parties_sum_bound(struct parties *p, const void *question, double most, double *x,
			   size_t n) MUST_CHECK;

/* No joint vector's squared length is above 2^*e (common/privacy/bound.h); in memory, where numbers may be of
 * any size, it is 0. */
enum err parties_bound(struct parties *p, int *e) MUST_CHECK;

/* Vectors that parties send in clear. Labels: n of each party, below `values` or `values`; one party's behind
 * the other's. Reals: n of each. Rows: those of C (rows x cols, given; all parties' together), two or
 * more of each; who had how many is kept for parties_hand(). At a party, which sends its own, x
 * and C stay as they are. */
enum err parties_collect_labels(struct parties *p, const void *question, size_t values,
				uint32_t *label, size_t n) MUST_CHECK;
enum err parties_collect_reals(struct parties *p, const void *question, double *x,
			       size_t n) MUST_CHECK;
enum err parties_collect_rows(struct parties *p, const void *question, struct mat *C) MUST_CHECK;
/* The labels, below `values`, of the rows that were collected: to each party those of its own. At a
 * party label is not read. */
enum err parties_hand(struct parties *p, size_t values, const uint32_t *label,
		      size_t n) MUST_CHECK;

/* All is told, answers are awaited: links are brought up to speed meanwhile. */
enum err parties_warm(struct parties *p) MUST_CHECK;

/* -- in memory: for tests, pooled data (one party that has all), and what a run is compared with -- */

/* How a protocol's parties answer; each protocol has one. Those may be NULL that its questions do not
 * need. A question is one that its coordinator's half asks. */
struct memory_kind {
	size_t size; /* of the struct of a party */
	enum err (*answer)(void *party, size_t l, const void *question, double *x); /* party l */
	enum err (*labels)(void *party, const void *question, uint32_t *label);
	enum err (*upload)(void *party, const void *question, double *x);
	enum err (*rows)(void *party, const void *question, struct mat *C); /* C: initialised there */
	/* The party takes as many of the n labels as it has rows: *taken. */
	enum err (*take)(void *party, const uint32_t *label, size_t n, size_t *taken);
};

struct memory {
	const struct memory_kind *kind;
	void *party; /* an array of the kind's structs, borrowed */
	size_t count;
	double step;            /* answers are rounded to its multiples, as by fixed point; 0: not */
	unsigned fraction_bits; /* if not 0: sums are in a job's wide fixed point, the same bits */
	/* An observer, or NULL: called after each sum with its result, which it may change. */
	enum err (*watch)(void *watcher, const void *question, double *x, size_t n);
	void *watcher;
};

/* m must outlive the parties. Sums are taken in the order of the parties; errors of their answers name
 * the party by its number. With fraction_bits ERR_JOB besides: an answer is beyond the fixed point. */
void parties_in_memory(struct parties *p, struct memory *m);

#endif
