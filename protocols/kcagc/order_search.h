/* order_search.h -- computes a party's terms of the rules for filter.order "auto" of AGC and kCAGC
 * (order.h), order by order. */
#ifndef PROTOCOLS_KCAGC_ORDER_SEARCH_H
#define PROTOCOLS_KCAGC_ORDER_SEARCH_H

#include "protocols/kcagc/embed.h"
#include "protocols/kcagc/order.h"
#include "common/cluster/kmeans.h"

/* A sketched search for psi_fit() computes each order up to this one, then even orders. */
enum { ORDER_EACH = 4 };

/* If the distance of a sketched search falls by less than this share per order, it counts as risen,
 * except with `alone`. From one order to the next such a search hardly moves its clusters, so its
 * distance would fall on, while the rows already lose the clusters that the run's own k-means would
 * find. If some parties have no sketch, the sum counts as risen at a smaller share. */
static const double ORDER_FLAT = 0.01;

static const double ORDER_COMMUNITIES = 0.2;

struct order_search {
	struct mat F;
	struct filter_run *run;
	const struct features *X;
	const struct graph *g;
	size_t entries; /* non-zeros of X, or the number of all values if many are non-zero */
	bool beside; /* numbers among words are standardised, so F is not just X weighted by idf */
	/* `W` filtered, as a linear map; products with it give singular vectors; NULL before first
	 * use */
	struct filtered *map;
	struct features W; /* X, weighted */
	bool sketches;     /* `run` holds the sketch of the last order, which replaces `F` */
	struct mat part;   /* sketch_leading() of the sketch */
	uint32_t *label;   /* clusters of the sketch; NULL before the first order */
	double last[2];    /* terms of the last order with clusters: distance, modularity */
	/* AGC's rule decides alone, without psi_fit(); set by the caller after order_begin(). The
	 * order at which the distance first rises depends on the restarts at each order, so a
	 * sketched search then has restarts, too. */
	bool alone;
	/* Degrees explain the features (explained.h), and no clusters of the first block had a
	 * modularity above ORDER_COMMUNITIES. Classes are then degrees rather than communities. All
	 * modularities of this party are 0, which are no reason to leave AGC's order. */
	bool degrees;
	struct embed_params how;
	struct kmeans_params clusters;
};

/* Begins the search. It takes one dense copy of X. On a large graph with sparse words it takes a
 * sketch (sketch.h) instead, whose terms are near the terms of X. Unless s->alone is set, distances
 * are multiplied by (1 + ORDER_FLAT)^order, and k-means begins from the last order's clusters,
 * without restarts. An odd order after ORDER_EACH then has the mean of its neighbours' distances,
 * so that a rise follows an even order, and the modularity of the order before. X stays unchanged;
 * X and g must outlive the search. With distributed rows (g->ranks), terms are the same at each
 * rank. With how->idf, numbers among words are standardised and the words weighted, as in
 * slice_weigh_beside(); embed() applies the same weights but does not centre. how->order is
 * ignored. ERR_INPUT as embed(). */
enum err order_begin(struct order_search *s, const struct features *X, const struct graph *g,
		     const struct embed_params *how,
		     const struct kmeans_params *clusters) MUST_CHECK;
/* Fills term (ORDER_WORDS) for the next ORDER_BLOCK orders: mean intra-cluster distances, then
 * modularities of the clusters on the party's graph (0 if s->degrees). */
enum err order_next(struct order_search *s, double *term) MUST_CHECK;
void order_end(struct order_search *s);

/* Returns one party's term of AGC's distance, a mean over the k clusters. The number of a cluster
 * is the mean squared distance between two (not necessarily distinct) of its rows of X, which is
 * twice the cluster's variance. Terms over disjoint columns with the same labels add up to the
 * distance over all columns. O(n m). */
double psi_intra(const struct ranks *R, const struct mat *X, const uint32_t *label, size_t k);

#endif
