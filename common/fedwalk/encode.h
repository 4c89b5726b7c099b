/* encode.h -- FedWalk, the sequence encoder (equations 10 to 12): what is written into a walk
 * in place of a vertex.
 *
 *   P(v | u) ~ exp(-eps D_uv |leaves(LCA(u, v))|)
 *
 * Made by the coordinator, given to all parties (a list each vertex, not n x n), used by whoever
 * appends a token. In practice it is the identity: see fedwalk_encoder_report.
 */
#ifndef COMMON_FEDWALK_ENCODE_H
#define COMMON_FEDWALK_ENCODE_H

#include "common/privacy/noise.h"
#include "common/fedwalk/distance.h"
#include "common/fedwalk/tree.h"

#include <stddef.h>
#include <stdint.h>

/* Weights below exp(-FEDWALK_CUT) of the vertex's own are left out, and more than
 * FEDWALK_CANDIDATES_MAX of them; the most likely stay. */
enum { FEDWALK_CUT = 40, FEDWALK_CANDIDATES_MAX = 1024 };

/* Candidates of u: v[start[u]] .. v[start[u+1] - 1], the most likely first, then the lower number;
 * upto[j] / 2^32 is the probability of those up to j, at most 2^32 - 1: the last is UINT32_MAX, which
 * stands for 1. Four bytes each, so that list and probabilities can be sent as they are. */
struct fedwalk_encoder {
	size_t n;
	size_t *start;        /* n + 1 */
	uint32_t *v, *upto;   /* start[n] */
};

struct fedwalk_encoder_report {
	double eps0;       /* of one token, as computed: max over u, u', r of
			      ln P(r|u) / P(r|u'), of equation 12 without the lists' end */
	double kept;       /* mean over vertices of P(u | u) */
	double kept_least;
	double dropped;    /* the largest probability that any vertex's list leaves out */
	size_t longest;    /* list */
};

/* O(n^2), without the half matrix O(n^2 k). Same bits for any threads. */
void fedwalk_encoder_init(struct fedwalk_encoder *e, const struct fedwalk_tree *t,
			  const struct fedwalk_dissimilarity *d, double eps, unsigned threads,
			  struct fedwalk_encoder_report *report);
void fedwalk_encoder_release(struct fedwalk_encoder *e);

/* Lists from a message (copied): count (n) candidates each, v and upto of all. ERR_PEER: an empty
 * list, a vertex that does not exist, upto that falls or does not end in UINT32_MAX. O(total). */
enum err fedwalk_encoder_from(struct fedwalk_encoder *e, size_t n, const uint32_t *count,
			      const uint32_t *v, const uint32_t *upto, size_t total) MUST_CHECK;

/* Draws the token that is written for u. O(log candidates). */
uint32_t fedwalk_encode(const struct fedwalk_encoder *e, uint32_t u, struct draw *d);

#endif
