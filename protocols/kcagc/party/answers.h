/* answers.h -- The party's side of federated GCC (protocols/kcagc/gcc.h) and of landmark projection
 * (protocols/kcagc/landmark.h), for gcc.c and landmark.c. It accepts from the coordinator only
 * messages that are due, and sends its term of each sum. The coordinator's side is
 * protocols/kcagc/sums.h.
 *
 * Errors of all functions: those of the channel and of the secure sum; ERR_PEER: the coordinator
 * sends an invalid message. */
#ifndef PROTOCOLS_KCAGC_PARTY_ANSWERS_H
#define PROTOCOLS_KCAGC_PARTY_ANSWERS_H

#include "protocols/kcagc/place.h"
#include "protocols/kcagc/slice.h"
#include "common/kind/tree.h"
#include "party/work/kind.h"

struct answers {
	struct work *work;
	struct tree tree;
	const struct tree_node *root;
	struct slice slice; /* has no rows if ranks have them */
	struct features_source source;
	/* 2 + n numbers: this party's facts and squared norms. They are multiplied by `unit` once
	 * the parties have agreed on it. */
	double *own;
	double unit;
	/* p: the job's order. If the data determine it, p is 0 until the coordinator sends it. */
	unsigned order;
	/* n: the clusters of the last request for means; NULL: no request yet */
	uint32_t *means;
	struct placing place[2]; /* landmark: the placing for each order that was tried */
};

/* Takes over work's features, if this process has them. Call answers_close() also after errors. */
enum err answers_open(struct answers *a, struct work *work) MUST_CHECK;
void answers_close(struct answers *a);

/* ---- values agreed first ---- */

/* Computes the values that answers_send_facts() sends. It needs no keys, so it runs before keys are
 * agreed. */
enum err answers_find_facts(struct answers *a) MUST_CHECK;
/* Sends facts and squared norms. */
enum err answers_send_facts(struct answers *a) MUST_CHECK;
/* Receives joint norms, and sends spreads. */
enum err answers_send_spreads(struct answers *a) MUST_CHECK;

/* ---- terms that depend on a->order ---- */

/* Receives B (n x width), and sends X_l (X_l' B), where X_l is the filtered slice. ERR_PEER unless
 * the columns of B are orthogonal and of length sqrt(n). Filters before it receives B, so that the
 * filter's memory and B are not needed at the same time. */
enum err answers_send_products(struct answers *a, size_t width) MUST_CHECK;
/* Sends X_l M'. M has the means of the party's rows over the k received sets. */
enum err answers_send_means(struct answers *a, const uint32_t *label, size_t k) MUST_CHECK;
/* For each ASSIGNMENT that the coordinator sends, sends terms for its clusters; at most `most`
 * times. */
enum err answers_follow_steps(struct answers *a, unsigned most) MUST_CHECK;
/* Receives two clusterings, and sends the modularity of each. With `means`, also sends X_l M' for
 * the clusters of the first clustering. */
enum err answers_weigh_two(struct answers *a, bool means) MUST_CHECK;

/* ---- the order (protocols/kcagc/settle.h) ---- */

/* Computes a clustering with a->order. t: 0, or 1 for the second clustering. */
typedef enum err answers_cluster(struct answers *a, unsigned t);
/* Receives the order, unless the job gives it, and runs the clustering. If the coordinator also
 * tries a higher order, repeats both steps, sends the modularity of both clusterings, and receives
 * the chosen order. *taken: the t of the chosen clustering. */
enum err answers_settle(struct answers *a, answers_cluster *cluster, unsigned *taken) MUST_CHECK;

/* Receives the result into label (n). */
enum err answers_take_result(struct answers *a, uint32_t *label) MUST_CHECK;

#endif
