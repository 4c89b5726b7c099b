/* secure.h -- the party side of a secure sum: converts to fixed point, masks, sends (kCAGC Protocol
 * 4 line 14). The caller begins a vector with its length, adds its pieces, and ends it. Chunks are
 * sent as they fill. */
#ifndef PARTY_WORK_SECURE_H
#define PARTY_WORK_SECURE_H

#include "crypto/fixed.h"
#include "party/work/work.h"

struct secure; /* one vector that is being sent */

/* Begins the next sum over the members of a node of the tree, which this party has built itself.
 * The vector has `count` words. wide: uses wide fixed point (server/run/run.h), for numbers that
 * the job does not bound. */
enum err secure_begin(struct work *work, const struct tree_node *node, size_t count, bool wide,
		      struct secure **s) MUST_CHECK;
/* Adds n numbers. ERR_JOB: a value exceeds the fixed-point bound. The text names party, bound and
 * setting; the value appears only on this process's stderr. */
enum err secure_add(struct secure *s, const double *x, size_t n) MUST_CHECK;
/* Returns the fixed-point format of a sum of `members` terms that is not wide. */
struct fixed secure_fixed(const struct work *work, size_t members);
/* Sends the remaining words, and calls broadcasts_confirm(). Asserts that `count` words were
 * added. */
enum err secure_end(struct secure *s) MUST_CHECK;
void secure_free(struct secure *s); /* wipes and frees s, also after an error; accepts NULL */

/* Computes a verified sum, which all members receive. x (count): on entry this party's term, on
 * return the sum over the node's members. The sum is in wide fixed point, and bitwise identical at
 * all members. The words carry a tag (crypto/tag.h); needs the group key (work_group_key).
 * ERR_PEER: the coordinator sends a false sum; x then contains nothing of it. The bound on terms
 * excludes wrap-around (crypto/fixed.h). */
enum err secure_sum_verified(struct work *work, const struct tree_node *node, double *x,
			     size_t count) MUST_CHECK;
/* As secure_sum_verified(), but for numbers of any size, over all parties. Divides numbers into
 * parts (common/privacy/parts.h). Also ERR_INPUT: a number is too large for the parts. */
enum err secure_sum_verified_parts(struct work *work, const struct tree_node *node, double *x,
				   size_t n) MUST_CHECK;

/* Sends a whole vector of `count` numbers at once. */
enum err secure_send(struct work *work, const struct tree_node *node, const double *x,
		     size_t count) MUST_CHECK;
enum err secure_send_wide(struct work *work, const struct tree_node *node, const double *x,
			  size_t count) MUST_CHECK;

/* Sends this party's term of a sum modulo 2^64. The words are not fixed-point numbers. */
enum err secure_send_words(struct work *work, const struct tree_node *node, const uint64_t *x,
			   size_t count) MUST_CHECK;

#endif
