/* settle.h -- filter.order "auto" of landmark projection and GCC: chooses between two orders, if
 * degrees dominate the rows at the order that the sums give. In a dense graph with hubs, the
 * features may then be more informative than the graph. No sum over the parties shows this
 * (docs/results/tried.md lists the attempts). So the method first clusters with one step of the
 * filter, then with the higher order. The higher order must fit the edges better by a margin,
 * because its clusters have used more of the edges. */
#ifndef PROTOCOLS_KCAGC_SETTLE_H
#define PROTOCOLS_KCAGC_SETTLE_H

#include "protocols/kcagc/sums.h"

/* The higher order wins if its modularity is higher by more than this. Equal to GUARD_MARGIN of
 * guard.h, by which scaled rows must win. */
static const double SETTLE_MARGIN = 0.02;

struct settle {
	struct parties *parties;
	size_t n;
	/* if this is not 0, only the order that sums give is tried, because each order would choose
	 * its own k */
	unsigned k_from;
	/* Its `order` and `square` belong to the current clustering, and at the end to the
	 * clustering that was taken. */
	struct sums_basis *basis;
	void *method;
	/* Clusters with basis->order. t: 0, or 1 for the second run, which has the higher order.
	 * label (n), below *k; confidence (n; may be NULL). */
	enum err (*cluster)(void *method, unsigned t, uint32_t *label, double *confidence,
			    unsigned *k);
};

/* Runs the clustering. Fills label and confidence by the order that is taken; *taken: the t of this
 * order. If the job gives the order, runs one clustering only. Otherwise broadcasts each order
 * before its clustering, and at the end the order taken. If two orders are tried, compares them by
 * a broadcast of 2 n labels and a sum of 2 numbers. The cost is then twice that of the method.
 * Returns errors of the sums and of `cluster`.
 */
enum err settle_order(const struct settle *s, uint32_t *label, double *confidence,
		      unsigned *taken) MUST_CHECK;

#endif
