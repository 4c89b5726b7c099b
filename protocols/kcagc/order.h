/* order.h -- the rules for filter.order "auto". AGC's rule (Zhang et al., IJCAI 2019, Section 3.3)
 * decides from two terms per psi, summed over the parties (order_search.h). The first is the mean
 * intra-cluster distance after psi steps of the filter, with features projected and clustered as
 * the job specifies. The second is the modularity of these clusters on the graph, which only kCAGC
 * uses. GCC's rule decides from sums of squares. */
#ifndef PROTOCOLS_KCAGC_ORDER_H
#define PROTOCOLS_KCAGC_ORDER_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* A secure sum has the terms of a block of orders. The search ends after the last block. */
enum { ORDER_BLOCK = 10, ORDER_BLOCKS = 10, ORDER_CAP = ORDER_BLOCK * ORDER_BLOCKS };
/* Words of a block: the distances, then the modularities. */
enum { ORDER_WORDS = 2 * ORDER_BLOCK };

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

#endif
