/* filtered.h -- filtered features F = p(S) X (p, S and D: filter.h) as a linear map, for svd.h.
 * Does not form F. It computes a few columns of F B and F'F B by products with X and its transpose
 * and by the filter's steps, which costs far less. */
#ifndef COMMON_GRAPH_FILTERED_H
#define COMMON_GRAPH_FILTERED_H

#include "common/base/err.h"
#include "common/linalg/csr.h"
#include "common/graph/filter.h"
#include "common/graph/filter_plan.h"
#include "common/graph/filter_steps.h"
#include "common/linalg/svd.h"
#include "common/linalg/mat.h"

#include <stdbool.h>
#include <stddef.h>

/* Columns that go through all steps together: a row of them is one cache line. */
enum { FILTERED_COLUMNS = 8 };

struct filtered {
	struct linear_map map; /* F, n x m; ctx is this struct, which must not be moved */
	struct filter_plan nodes;
	struct filter_steps once, twice; /* p(S) and p(S)^2 */
	unsigned threads;
	/* X, borrowed; NULL if X is sparse: `in` and `across` then hold X */
	const struct mat *dense;
	struct csr in, across; /* D^-1/2 X, rows in the plan's order (n x m); X' D^1/2 (m x n) */
	double *owned, *y;     /* a block of n rows, scratch for steps */
	size_t room;           /* capacity of `tall` and `narrow`, in blocks */
	/* tall: blocks of n rows. narrow: blocks of m rows */
	double *tall_owned, *tall, *narrow_owned, *narrow;
};

/* Exactly one of sparse and dense is given, as X; the other is NULL. X has as many rows as g has
 * nodes. The caller may release a sparse X afterwards, but keeps a dense one and g. Not for
 * FILTER_MEAN, which is not symmetric. Takes 24 bytes per non-zero of a sparse X. Errors are those
 * of graph_filter(). */
enum err filtered_init(struct filtered *f, const struct csr *sparse, const struct mat *dense,
		       const struct graph *g, enum filter_kind kind, unsigned psi,
		       unsigned threads) MUST_CHECK;
/* Changes the map to a filter of psi steps. */
void filtered_set_order(struct filtered *f, unsigned psi);
void filtered_release(struct filtered *f);

/* True if computing d singular vectors by the map costs less than forming F and its Gram matrix.
 * Counts products and sums; dense products are assumed three times as fast (dgemm). Depends only on
 * n, m, d, psi and the two numbers of non-zeros, so that results depend neither on the machine nor
 * on threads. entries: non-zeros of X, or n m if it is used as a dense matrix; neighbours:
 * non-zeros of the adjacency. */
bool filtered_pays(size_t n, size_t m, size_t entries, size_t neighbours, enum filter_kind kind,
		   unsigned psi, size_t d);

#endif
