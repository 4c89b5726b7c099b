/* verified.h -- runs the coordinator side of a protocol at a party, for that party itself.
 *
 * For each sum the party sends its term, receives the sum, and verifies it (party/work/secure.h).
 * From the sum the party computes the next question with the coordinator's code. So the coordinator
 * decides nothing: it sends verified sums, and numbers that the protocol checks
 * (parties_pass_reals()).
 */
#ifndef PARTY_WORK_VERIFIED_H
#define PARTY_WORK_VERIFIED_H

#include "common/parties/parties.h"
#include "party/work/work.h"

struct verified;

/* Functions of the kind's party side, which answer the coordinator side. */
struct verified_kind {
	/* Sets x (n) to this party's term. Adds the question to the transcript (work_bind), so
	 * that all parties answer the same question. */
	enum err (*answer)(struct verified *v, const void *question, double *x, size_t n);
	/* Sends own rows or numbers unmasked. NULL: the kind sends none. */
	enum err (*upload)(struct verified *v, const void *question);
	/* Seals a batch to each other party, and receives their batches. NULL: the kind has no
	 * batches. */
	enum err (*exchange)(struct verified *v, const void *question, enum parties_batches what);
	/* Receives the labels of this party's rows. NULL: the kind has no labels. */
	enum err (*take)(struct verified *v, size_t values);
};

struct verified {
	struct parties parties; /* argument of the coordinator side */
	struct work *work;
	const struct verified_kind *kind;
	void *party; /* state of the kind's party side */
	struct tree tree;
	const struct tree_node *root;
	bool here; /* the error came from this party or its channel */
};

/* Prepares v, and shares the group key, which the coordinator relays. */
enum err verified_open(struct verified *v, struct work *work, const struct verified_kind *kind,
		       void *party) MUST_CHECK;

/* Returns the error of the job after the coordinator side has ended with error e. If it found e in
 * the sums (v->here is false), the coordinator finds the same error, and ends the job with its
 * text. This function then waits for that text. */
enum err verified_error(struct verified *v, enum err e) MUST_CHECK;

#endif
