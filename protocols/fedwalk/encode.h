/* encode.h -- FedWalk, the sequence encoder (equations 10 to 12): replaces each vertex of a walk by
 * a random token.
 *
 *   P(v | u) ~ exp(-eps D_uv |leaves(LCA(u, v))|)
 *
 * D_uv is the dissimilarity of u and v (distance.h), LCA(u, v) their lowest common ancestor in the
 * tree (tree.h). The coordinator computes the encoder. It sends one list per vertex to all parties,
 * instead of n x n values. The party that appends a token to a walk draws it from the list. In
 * practice nearly every token is the vertex itself (fedwalk_encoder_report). */
#ifndef PROTOCOLS_FEDWALK_ENCODE_H
#define PROTOCOLS_FEDWALK_ENCODE_H

#include "common/privacy/noise.h"
#include "protocols/fedwalk/distance.h"
#include "protocols/fedwalk/tree.h"

#include <stddef.h>
#include <stdint.h>

/* Limits of the lists. A list omits weights below exp(-FEDWALK_CUT) of the vertex's own weight, and
 * all but the FEDWALK_CANDIDATES_MAX most likely candidates. */
enum { FEDWALK_CUT = 40, FEDWALK_CANDIDATES_MAX = 1024 };

/* Candidates of u: v[start[u]] .. v[start[u+1] - 1], in order of falling probability; of equal
 * ones, the lower number first. upto[j] / 2^32 is the probability of the candidates up to j. The
 * last upto of a list is UINT32_MAX, which stands for 1. Entries have four bytes each and are sent
 * as they are. */
struct fedwalk_encoder {
	size_t n;
	size_t *start;      /* n + 1 */
	uint32_t *v, *upto; /* start[n] entries */
};

struct fedwalk_encoder_report {
	/* eps of one token: the largest ln P(r|u) / P(r|u') over u, u' and r (equation 12). It is
	 * computed before lists are shortened. */
	double eps0;
	/* Mean over vertices of P(u | u), the probability that the token is the vertex. */
	double kept;
	double kept_least;
	/* largest total probability that a vertex's list omits */
	double dropped;
	size_t longest; /* number of candidates of the longest list */
};

/* Computes the encoder. O(n^2), without the half matrix O(n^2 k). Bitwise identical for any number
 * of threads. */
void fedwalk_encoder_init(struct fedwalk_encoder *e, const struct fedwalk_tree *t,
			  const struct fedwalk_dissimilarity *d, double eps, unsigned threads,
			  struct fedwalk_encoder_report *report);
void fedwalk_encoder_release(struct fedwalk_encoder *e);

/* Copies the lists of all n vertices from a message. count (n entries) has the number of candidates
 * of each vertex. v and upto (total entries) have the lists, one after another. ERR_PEER: a list is
 * empty, has an unknown vertex, or has an upto that falls or does not end in UINT32_MAX; or the
 * counts do not add up to total. O(total). */
enum err fedwalk_encoder_from(struct fedwalk_encoder *e, size_t n, const uint32_t *count,
			      const uint32_t *v, const uint32_t *upto, size_t total) MUST_CHECK;

/* Draws the token that replaces vertex u. O(log candidates). */
uint32_t fedwalk_encode(const struct fedwalk_encoder *e, uint32_t u, struct draw *d);

#endif
