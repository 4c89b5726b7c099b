/* order.h -- filter.order "auto" for AGC and kCAGC. It computes a party's terms of AGC's rule
 * (Zhang et al., IJCAI 2019, Section 3.3). There are two terms per psi. The first is the mean
 * intra-cluster distance after psi steps of the filter, with features projected and clustered as
 * the job specifies. The second is the modularity of these clusters on the graph, which only kCAGC
 * uses. */
#ifndef PROTOCOLS_KCAGC_ORDER_H
#define PROTOCOLS_KCAGC_ORDER_H

#include "protocols/kcagc/embed.h"
#include "common/cluster/kmeans.h"

/* A secure sum has the terms of a block of orders. The search ends after the last block. */
enum { ORDER_BLOCK = 10, ORDER_BLOCKS = 10, ORDER_CAP = ORDER_BLOCK * ORDER_BLOCKS };
/* Words of a block: the distances, then the modularities. */
enum { ORDER_WORDS = 2 * ORDER_BLOCK };
/* A sketched search for psi_fit() computes each order up to this one, then even orders. */
enum { ORDER_EACH = 4 };

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
	bool sketches;     /* `Y`, the sketch of the last order, replaces `F` */
	struct mat Y;
	uint32_t *label; /* clusters of Y; NULL before the first order */
	double last[2];  /* terms of Y: distance, modularity */
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
 * sketch (sketch.h) instead, whose terms are near the terms of X. Unless s->alone is set, k-means
 * begins from the last order's clusters, without restarts. An odd order after ORDER_EACH then has
 * the terms of the order before, which is no rise. X stays unchanged; X and g must outlive the
 * search. With distributed rows (g->ranks), terms are the same at each rank. With how->idf, numbers
 * among words are standardised and the words weighted, as in slice_weigh_beside(); embed() applies
 * the same weights but does not centre. how->order is ignored. ERR_INPUT as embed(). */
enum err order_begin(struct order_search *s, const struct features *X, const struct graph *g,
		     const struct embed_params *how,
		     const struct kmeans_params *clusters) MUST_CHECK;
/* Fills term (ORDER_WORDS) for the next ORDER_BLOCK orders: mean intra-cluster distances, then
 * modularities of the clusters on the party's graph (0 if s->degrees). */
enum err order_next(struct order_search *s, double *term) MUST_CHECK;
void order_end(struct order_search *s);

/* Decides from the first `known` sums of terms over all parties. *rule: order by AGC's rule; 0 if
 * the distance has not risen before psi_past() ended the search. *order: order by psi_fit(), or
 * *rule if fit is NULL; 0 if more terms are needed. Without a rise, the search ends at the first
 * order of psi_past(), or at ORDER_CAP. psi_fit() then uses this last order in place of AGC's
 * order. ERR_JOB: the search ends at ORDER_CAP without a rise, and psi_fit() returns ORDER_CAP or
 * fit is NULL. */
enum err order_decide(const double *intra, const double *fit, size_t known, unsigned *rule,
		      unsigned *order) MUST_CHECK;

/* -- the same filter order at all parties, from sums over the parties ---------------------- */

/* Returns the order by GCC's rule (Fettal, Labiod, Nadif, WSDM 2022, Section 4.4; their T =
 * rownorm(S + I)): the smallest p >= 1 with c_p - c_{p+1} < m/n, but at most cap. spread2[t] =
 * c_t^2 for t = 0 .. cap+1: the squared distance of T^t X from its column means; square = ||X||^2,
 * m columns, n rows. c is scaled by sqrt(n / ||X||^2), which is 1 for unit rows and corrects for
 * zero rows. */
unsigned psi_gcc(const double *spread2, double square, size_t n, size_t m, unsigned cap);

/* Limits the order so that degrees do not dominate. q is the unit vector along sqrt(degree), S as
 * in slice.h. Each step moves S^t X towards q, and the rules above do not bound this. Returns the
 * highest p from 1 to `most` for which the share of ||S^p X||^2 along q is at most ORDER_SHARE; 1
 * if there is none. sums[0] = ||q' X||^2, which equals ||q' S^t X||^2; sums[t] = ||S^t X||^2, t = 1
 * .. most. */
static const double ORDER_SHARE = 0.93;
unsigned psi_share(const double *sums, unsigned most);
/* Order 1 is also tried (settle.h) if psi_share() has lowered the order of psi_gcc() and degrees
 * still dominate the filtered rows, that is, if their share exceeds ORDER_DOUBT. The sums then do
 * not show whether the graph is as informative as the features. If psi_share() has not lowered the
 * order, graph and features agree up to that order. A higher modularity is then no reason for
 * another order: clusters of fewer steps can fit the edges better and still be worse (coauthor-phy:
 * ACC .58 at order 1, .90 at 15). */
static const double ORDER_DOUBT = 0.5;
bool psi_doubt(unsigned order, unsigned rule, double share);

/* Returns the order by AGC's rule (Zhang et al., IJCAI 2019, Section 3.3): raises psi from 1 until
 * the mean intra-cluster distance first rises, and takes the psi before. intra[t] belongs to psi =
 * t + 1. Returns 0 if it never rises within count. */
unsigned psi_agc(const double *intra, size_t count);

/* Limits AGC's rule, which uses features alone and may continue until only degrees remain. Compares
 * the modularity at `rule` with the highest one up to it. Returns `rule` if its modularity is at
 * least ORDER_KEPT times the highest. If no modularity is positive, returns `rule` if its
 * modularity is at most ORDER_FIT below the highest. Otherwise returns the lowest order whose
 * modularity is at most ORDER_FIT below the highest. fit[t], t < rule: the parties' mean modularity
 * at order t + 1. */
static const double ORDER_KEPT = 0.85, ORDER_FIT = 0.02;
unsigned psi_fit(const double *fit, unsigned rule);

/* Returns true if the search should end, because AGC's distance falls only as the features approach
 * the degrees. This is so if the highest modularity was at least ORDER_BLOCK orders ago, and the
 * last modularity is more than ORDER_PAST below it. */
static const double ORDER_PAST = 0.01;
bool psi_past(const double *fit, size_t known);

/* Returns one party's term of AGC's distance, a mean over the k clusters. The number of a cluster
 * is the mean squared distance between two (not necessarily distinct) of its rows of X, which is
 * twice the cluster's variance. Terms over disjoint columns with the same labels add up to the
 * distance over all columns. O(n m). */
double psi_intra(const struct ranks *R, const struct mat *X, const uint32_t *label, size_t k);

#endif
