/* shares.h -- what the graph's degrees alone, and chance alone, would make of a slice that is filtered:
 * a party's terms of the rules by which landmark projection and GCC stop (order.h). */
#ifndef COMMON_KCAGC_SHARES_H
#define COMMON_KCAGC_SHARES_H

#include "common/base/err.h"
#include "common/graph/graph.h"
#include "common/linalg/csr.h"

/* x (SLICE_ORDER_MAX + 2): ||q' X||^2, q along sqrt(degree); ||S^t X||^2 for t = 1 .. SLICE_ORDER_MAX, of
 * which as much lies along q, since S q = q. Last what ||S X||^2 is expected to be if nothing ties rows
 * to nodes, but for what is along q: S has tr(S^2) - 1 for the n - 1 other directions. X stays as it is.
 * Costs SLICE_ORDER_MAX steps of S; errors of filter.h. */
enum err shares(struct features *X, const struct graph *g, unsigned threads, double *x) MUST_CHECK;

#endif
