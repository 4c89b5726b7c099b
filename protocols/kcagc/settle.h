/* settle.h -- filter.order "auto" of landmark projection and GCC, where the order that sums give leaves little in the rows but
 * degrees: a dense graph with hubs may say less of the clusters than the features do, and no sum over the parties tells
 * (docs/FIDELITY.md has what was tried). The method then clusters with one step of the filter first, and the higher order is taken
 * if its clusters fit the edges better: it has seen more of them, so that as good is not good enough.
 */
#ifndef PROTOCOLS_KCAGC_SETTLE_H
#define PROTOCOLS_KCAGC_SETTLE_H

#include "protocols/kcagc/sums.h"

/* Modularity that the higher order must win by: the guard's. */
static const double SETTLE_MARGIN = 0.02;

struct settle {
	struct parties *parties;
	size_t n;
	unsigned k_from;          /* of a range each order would take a k of its own: the sums settle it */
	struct sums_basis *basis; /* its order and square are those of what is clustered, at last of what was taken */
	void *method;
	/* One clustering by basis->order, t 0, and 1 for a second one, whose order is higher: label (n), below *k, and
	 * confidence (n; may be NULL). */
	enum err (*cluster)(void *method, unsigned t, uint32_t *label, double *confidence, unsigned *k);
};

/* label, confidence: of the order taken; *taken: the t that it had. Where the job gives the order, one clustering and nothing else. Else
 * parties are told each order before its clustering, and the one taken at the end; of two, 2 n labels and a sum of 2 numbers
 * come before that. Twice the cost of the method, where two are tried. Errors of the sums and of `cluster`. */
enum err settle_order(const struct settle *s, uint32_t *label, double *confidence, unsigned *taken) MUST_CHECK;

#endif
