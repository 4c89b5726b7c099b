/* order.h -- filter.order "auto" for AGC and kCAGC: a party's terms of AGC's rule (Zhang et al.,
 * IJCAI 2019, Section 3.3), one for each psi: the mean intra-cluster distance after so many steps of the
 * filter, features being projected and clustered as the job says; and how well these clusters fit the graph,
 * which kCAGC looks at too. */
#ifndef PROTOCOLS_KCAGC_ORDER_H
#define PROTOCOLS_KCAGC_ORDER_H

#include "protocols/kcagc/embed.h"
#include "common/cluster/kmeans.h"

/* Terms come in blocks, so that a block is one secure sum; after the last the rule gives up. */
enum { ORDER_BLOCK = 10, ORDER_BLOCKS = 10, ORDER_CAP = ORDER_BLOCK * ORDER_BLOCKS };
/* Of a block first the distances, then the modularities. */
enum { ORDER_WORDS = 2 * ORDER_BLOCK };

struct order_search {
	struct mat F; /* the features, filtered so far */
	struct filter_run *run; /* of F */
	const struct features *X;
	const struct graph *g;
	size_t entries; /* of X that are not 0, or all if they are many */
	bool beside;    /* F is not X's by idf alone */
	struct embed_params how;
	struct kmeans_params clusters;
};

/* X stays as it is, and it and g outlive the search, which takes one dense copy of X. Where ranks
 * share the rows (g->ranks), terms are the same at each. With how->idf numbers
 * beside words are of mean 0 and variance 1 there, and the words weighed, as slice_weigh_beside() has it; embed()
 * weighs alike, but takes no mean away. how->order is not looked at. ERR_INPUT as embed(). */
enum err order_begin(struct order_search *s, const struct features *X, const struct graph *g,
		     const struct embed_params *how,
		     const struct kmeans_params *clusters) MUST_CHECK;
/* term (ORDER_WORDS): for the next ORDER_BLOCK orders the mean intra-cluster distance, then the modularity of the
 * clusters on the party's graph. */
enum err order_next(struct order_search *s, double *term) MUST_CHECK;
void order_end(struct order_search *s);

/* On the first `known` sums of terms over all parties: *rule by AGC's, and *order by psi_fit() from there, or *rule where fit is NULL; 0
 * if more are needed. Where there is no rise up to ORDER_CAP, *rule stays 0, and clusters may tell that the distance falls too long;
 * if they do not, ERR_JOB. */
enum err order_decide(const double *intra, const double *fit, size_t known, unsigned *rule,
		      unsigned *order) MUST_CHECK;

/* -- how far to filter, told from sums over the parties, so that all filter alike ------------------ */

/* GCC's rule (Fettal, Labiod, Nadif, WSDM 2022, Section 4.4; their T = rownorm(S + I)): the
 * smallest p >= 1 with c_p - c_{p+1} < m/n, at most cap. spread2[t] = c_t^2 for t = 0 .. cap+1: the
 * squared distance of T^t X from its column means; square = ||X||^2, m columns, n rows. c is
 * scaled by sqrt(n / ||X||^2), which is 1 for unit rows and takes out the zero ones. */
unsigned psi_gcc(const double *spread2, double square, size_t n, size_t m, unsigned cap);

/* Not further than features say more than degrees do. S^t X comes nearer to q, along sqrt(degree),
 * with each step, wherever the rules above stop. The highest p from 1 to `most` at which the part
 * of ||S^p X||^2 that lies along q is not above ORDER_SHARE, or 1. sums[0] = ||q' X||^2, which is
 * ||q' S^t X||^2 too; sums[t] = ||S^t X||^2, t = 1 .. most. */
static const double ORDER_SHARE = 0.93;
unsigned psi_share(const double *sums, unsigned most);
/* Above this part at an order taken so, degrees are most of what filtered rows say, and sums do not tell whether the graph
 * is worth as much as the features are: one step is tried, too (settle.h). */
static const double ORDER_DOUBT = 0.5;

/* AGC's rule (Zhang et al., IJCAI 2019, Section 3.3): raise psi from 1 until the mean
 * intra-cluster distance first rises, and take the psi before. intra[t] is that of psi = t + 1. Returns 0 if it
 * never rises within count. */
unsigned psi_agc(const double *intra, size_t count);

/* AGC's rule looks at features alone, and where rows are soon alike it goes on until degrees are all that is left of them.
 * Not to where clusters fit the graph worse than before: `rule`, or, if its modularity is below that of a lower order by
 * more than ORDER_FIT, the lowest order that is not below the highest by more. fit[t], t < rule: the parties' mean
 * modularity at order t + 1. */
static const double ORDER_FIT = 0.02;
unsigned psi_fit(const double *fit, unsigned rule);

/* One party's term of AGC's distance: the mean over the k clusters of the mean squared distance
 * between two (not necessarily distinct) of a cluster's rows of X, which is twice the cluster's
 * variance. Over disjoint columns and the same labels, terms add up to the distance over all. O(n m). */
double psi_intra(const struct ranks *R, const struct mat *X, const uint32_t *label, size_t k);

#endif
