/* answers.h -- a party's half of federated GCC (protocols/kcagc/gcc.h) and of landmark projection
 * (protocols/kcagc/landmark.h): it receives what the coordinator says, and only what is due, and sends
 * its term of the sum. The other half is protocols/kcagc/sums.h. For gcc.c and landmark.c.
 *
 * Errors of all: those of the channel and of the secure sum; ERR_PEER, what the coordinator said is not what can come here.
 */
#ifndef PROTOCOLS_KCAGC_PARTY_ANSWERS_H
#define PROTOCOLS_KCAGC_PARTY_ANSWERS_H

#include "protocols/kcagc/place.h"
#include "protocols/kcagc/slice.h"
#include "common/kind/tree.h"
#include "party/work/kind.h"

struct answers {
	struct work *work;
	struct tree tree;
	const struct tree_node *root;  /* all parties */
	struct slice slice;            /* without rows where these are on ranks */
	struct features_source source; /* of slice */
	double *own; /* 2 + n: this party's facts and squared norms, multiplied by unit once that is agreed */
	double unit;
	unsigned order;                /* p: the job's; 0 until it is told, if the data decide */
	uint32_t *means; /* n, the clusters whose means were asked for last; NULL: none were */
	struct placing place[2]; /* landmark: of each order that was tried */
};

/* Takes over work's features, where they are here. close: also after an error. */
enum err answers_open(struct answers *a, struct work *work) MUST_CHECK;
void answers_close(struct answers *a);

/* -- what is agreed first -- */

/* Computes what answers_send_facts() sends; needs no keys, so it runs before they are agreed. */
enum err answers_find_facts(struct answers *a) MUST_CHECK;
/* Facts and squared norms up. */
enum err answers_send_facts(struct answers *a) MUST_CHECK;
/* Joint norms down, spreads up. */
enum err answers_send_spreads(struct answers *a) MUST_CHECK;

/* -- by a->order -- */

/* B (n x width) down, orthogonal columns of length sqrt(n) or ERR_PEER; X_l (X_l' B) up. The filter
 * takes room: the block comes when that is free again. */
enum err answers_send_products(struct answers *a, size_t width) MUST_CHECK;
/* X_l M' up, for the k means M of the party's rows over sets that have been received. */
enum err answers_send_means(struct answers *a, const uint32_t *label, size_t k) MUST_CHECK;
/* Sums over the clusters of ASSIGNMENT, at most so many, as long as the coordinator wants more. */
enum err answers_follow_steps(struct answers *a, unsigned most) MUST_CHECK;
/* Two clusterings down, how well each fits the graph up, with the means of the first if they are
 * wanted. */
enum err answers_weigh_two(struct answers *a, bool means) MUST_CHECK;

/* -- the order (protocols/kcagc/settle.h) -- */

/* A clustering by a->order, t 0, and 1 for a second one. */
typedef enum err answers_cluster(struct answers *a, unsigned t);
/* The order down, unless the job gives it, and the clustering; again, if the coordinator wants to see a higher one, too, and then how
 * well the clusters of both fit the graph up, and the order that is taken down: *taken, its t. */
enum err answers_settle(struct answers *a, answers_cluster *cluster, unsigned *taken) MUST_CHECK;

/* label (n): the result. */
enum err answers_take_result(struct answers *a, uint32_t *label) MUST_CHECK;

#endif
