/* settle.h -- filter.order "auto" of landmark projection and GCC, if degrees dominate the rows at
 * the order that the sums give. In a dense graph with hubs the features may then be more
 * informative than the graph, which no sum over the parties shows (docs/results/tried.md lists the
 * attempts). The method clusters with one step of the filter first. The higher order must fit the
 * edges strictly better, because its clusters have used more of them. */
#ifndef PROTOCOLS_KCAGC_SETTLE_H
#define PROTOCOLS_KCAGC_SETTLE_H

#include "protocols/kcagc/sums.h"

/* The higher order wins if its modularity is higher by more than this; same as the guard's. */
static const double SETTLE_MARGIN = 0.02;

struct settle {
	struct parties *parties;
	size_t n;
	/* if set, each order would choose its own k, so that the order of the sums is taken */
	unsigned k_from;
	/* order and square of the current clustering, at the end of the one taken */
	struct sums_basis *basis;
	void *method;
	/* Clusters with basis->order. t: 0, or 1 for the second run, of higher order. label (n),
	 * below *k; confidence (n; may be NULL). */
	enum err (*cluster)(void *method, unsigned t, uint32_t *label, double *confidence,
			    unsigned *k);
};

/* label, confidence: those of the order taken; *taken: its t. If the job gives the order, runs one
 * clustering only. Else broadcasts each order before its clustering, and the one taken at the end;
 * if two are tried, compares them by 2 n labels and a sum of 2 numbers. Two orders cost twice the
 * method. Errors of the sums and of `cluster`. */
enum err settle_order(const struct settle *s, uint32_t *label, double *confidence,
		      unsigned *taken) MUST_CHECK;

#endif
