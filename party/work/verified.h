/* verified.h -- the coordinator side of a protocol, run by a party for itself.
 *
 * The party gives its term of each sum, receives the sum, verifies it (party/work/secure.h), and
 * computes the next question from it with the coordinator's code. So the coordinator decides
 * nothing: it sends verified sums, and numbers that the protocol checks (parties_pass_reals()).
 */
#ifndef PARTY_WORK_VERIFIED_H
#define PARTY_WORK_VERIFIED_H

#include "common/parties/parties.h"
#include "party/work/work.h"

struct verified;

/* Answers of the kind's party. */
struct verified_kind {
	/* x (n) becomes this party's term. The question goes into the transcript here
	 * (work_bind), so that all parties answer the same one. */
	enum err (*answer)(struct verified *v, const void *question, double *x, size_t n);
	/* Sends own rows or numbers in clear; or NULL. */
	enum err (*upload)(struct verified *v, const void *question);
	/* Seals a batch to each other party, and takes theirs; or NULL. */
	enum err (*exchange)(struct verified *v, const void *question, enum parties_batches what);
	/* the own rows' labels; or NULL */
	enum err (*take)(struct verified *v, size_t values);
};

struct verified {
	struct parties parties; /* argument of the coordinator side */
	struct work *work;
	const struct verified_kind *kind;
	void *party; /* the kind's */
	struct tree tree;
	const struct tree_node *root;
	bool here; /* the error is of this party's own, or of its channel */
};

/* Shares the group key: the coordinator relays it then. */
enum err verified_open(struct verified *v, struct work *work, const struct verified_kind *kind,
		       void *party) MUST_CHECK;

/* The error after e ended a coordinator side that was run with v. The coordinator finds errors of
 * the sums as well, and ends the job by a sentence; this waits for it. */
enum err verified_error(struct verified *v, enum err e) MUST_CHECK;

#endif
