/* answers.h -- a party's half of what federated GCC and landmark projection sum: it receives what
 * the coordinator says, and only what is due, and sends its term of the sum.
 *
 * The other half is common/kcagc/sums.h. The party's method knows which question comes next.
 */
#ifndef PARTY_KCAGC_ANSWERS_H
#define PARTY_KCAGC_ANSWERS_H

#include "common/kind/tree.h"
#include "common/kcagc/slice.h"
#include "party/work/work.h"

struct answers {
	struct work *work;
	struct tree tree;
	const struct tree_node *root; /* all parties */
	struct slice slice;
	double *own;    /* 2 + n: this party's facts and squared norms */
	unsigned order; /* p: the job's; 0 until answers_order(), if the data decide */
};

/* Takes over work's features. */
enum err answers_open(struct answers *a, struct work *work) MUST_CHECK;
void answers_close(struct answers *a); /* also after an error */
void answers_free(struct answers *a);  /* closes and frees; accepts NULL */

/* Computes beforehand what answers_facts() sends: this needs no keys. */
enum err answers_own_facts(struct answers *a) MUST_CHECK;

/* Facts and squared norms up. */
enum err answers_facts(struct answers *a) MUST_CHECK;
/* Joint norms down, spreads up. */
enum err answers_spreads(struct answers *a) MUST_CHECK;
/* The order down, unless the job gives it; needed from the first product or means on. */
enum err answers_order(struct answers *a) MUST_CHECK;
/* B (n x width) down, orthogonal columns of length sqrt(n) or ERR_PEER; X_l (X_l' B) up. */
enum err answers_products(struct answers *a, size_t width) MUST_CHECK;
/* X_l M' up, for the k means M of the party's rows over sets that have been received. */
enum err answers_means(struct answers *a, const uint32_t *label, size_t k) MUST_CHECK;
/* How well each of `labellings` fits the party's graph up, with `means` what the first one's
 * answers_means() is. */
enum err answers_quality(struct answers *a, const uint32_t *label, size_t k, size_t labellings,
			 bool means) MUST_CHECK;

/* Sums over the clusters of ASSIGNMENT, at most so many, as long as the coordinator wants more. */
enum err answers_steps(struct answers *a, unsigned most) MUST_CHECK;
enum err answers_result(struct answers *a, uint32_t *label) MUST_CHECK;

#endif
