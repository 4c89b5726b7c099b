/* candidates.h -- the clusterings among which landmark projection chooses, by how well each fits the
 * graph: the same joint embedding, seen in three ways, and no further sum over the features. */
#ifndef COMMON_KCAGC_CANDIDATES_H
#define COMMON_KCAGC_CANDIDATES_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

/* PLAIN: rows as they are. SCALED: rows over the square root of their length; with few sparse features
 * long rows dominate. CUT: what spectral clustering makes of K as a graph. */
enum candidate { CANDIDATE_PLAIN, CANDIDATE_SCALED, CANDIDATE_CUT, CANDIDATES };

/* V (as Z, initialised here): halfway to unit rows; rows that are 0 to rounding become 0. */
void candidate_scaled(const struct mat *Z, struct mat *V);

/* V (n x at most k, initialised here): with K = Phi Phi' and W the diagonal of K 1, left singular vectors
 * 2 .. k + 1 of W^-1/2 Phi, as in S2CAG (arXiv 2411.11074); rows that K gives no weight are 0. Where Phi has
 * one column only, V is that. O(n r^2) for r columns. */
enum err candidate_cut(const struct mat *Phi, size_t k, struct mat *V) MUST_CHECK;

/* The first stays unless the modularity of another is better by more than its margin; of two that
 * are, the later one has to be better than the earlier by that. */
enum candidate candidate_best(const double modularity[static CANDIDATES],
			      const double margin[static CANDIDATES]);

#endif
