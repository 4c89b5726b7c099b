/* secure.h -- a party's side of a secure sum: fixed point, mask, send (kCAGC Protocol 4 line 14). A
 * vector is begun with its length, added to piece by piece, ended; it goes in chunks on the way. */
#ifndef PARTY_WORK_SECURE_H
#define PARTY_WORK_SECURE_H

#include "crypto/fixed.h"
#include "party/work/work.h"

struct secure; /* one vector under way */

/* Begins the next sum of this tree node, of count words. Its members are the node's, which this
 * party worked out itself. wide: in wide fixed point (server/run/run.h), for numbers that the job
 * does not bound. */
enum err secure_begin(struct work *work, const struct tree_node *node, size_t count, bool wide,
		      struct secure **s) MUST_CHECK;
/* ERR_JOB if a value exceeds the fixed-point bound: the sentence names party, bound and setting;
 * the value is on this process's stderr only. */
enum err secure_add(struct secure *s, const double *x, size_t n) MUST_CHECK;
/* Fixed point of a sum of so many in the job's words. */
struct fixed secure_fixed(const struct work *work, size_t members);
/* Sends the rest; asserts that count words came. */
enum err secure_end(struct secure *s) MUST_CHECK;
void secure_free(struct secure *s); /* wipes; also after an error; accepts NULL */

/* A verified sum, which all members receive. x (count): this party's term, then the sum over the
 * node's members, in wide fixed point: the same bits at all of them. The words carry a tag
 * (crypto/tag.h); needs the group key (work_group_key). ERR_PEER if the coordinator sends another
 * sum: x then has nothing of it. The bound on terms excludes wrap-around (crypto/fixed.h). */
enum err secure_sum_verified(struct work *work, const struct tree_node *node, double *x,
			     size_t count) MUST_CHECK;
/* The same of numbers of any size, by their parts (common/privacy/parts.h), of all parties.
 * ERR_INPUT besides: a number is too large for those. */
enum err secure_sum_verified_parts(struct work *work, const struct tree_node *node, double *x,
				   size_t n) MUST_CHECK;

/* A whole sum at once: count numbers. */
enum err secure_send(struct work *work, const struct tree_node *node, const double *x,
		     size_t count) MUST_CHECK;
enum err secure_send_wide(struct work *work, const struct tree_node *node, const double *x,
			  size_t count) MUST_CHECK;

/* A sum modulo 2^64 of words that are no numbers in fixed point. */
enum err secure_send_words(struct work *work, const struct tree_node *node, const uint64_t *x,
			   size_t count) MUST_CHECK;

#endif
