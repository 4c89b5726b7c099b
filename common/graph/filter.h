/* filter.h -- the graph filters of kCAGC, arXiv 2411.12329 Section 3.2.
 *
 * S = D^-1/2 (A + I) D^-1/2 with D the degrees of A + I; Ls = I - S. p(l) is the factor for an
 * eigenvector of Ls with eigenvalue l. Each kind repeats its step psi times:
 * - half: p(l) = (1 - l/2)^psi; X <- (X + S X) / 2
 * - spectral: p(l) = (1 - l/g)^psi; X <- (1 - 1/g) X + S X / g, g = lambda_max(Ls)
 * - mean: X <- T X, T = rownorm(S + I): loops count twice, rows of T sum to 1 (GCC: Fettal, Labiod,
 *   Nadif, WSDM 2022)
 * - plain: X <- S X, for graph_filter_spread() only
 *
 * No eigendecomposition of Ls, which is n x n. */
#ifndef COMMON_GRAPH_FILTER_H
#define COMMON_GRAPH_FILTER_H

#include "common/base/err.h"
#include "common/linalg/csr.h"
#include "common/graph/graph.h"
#include "common/linalg/mat.h"

enum filter_kind { FILTER_HALF, FILTER_SPECTRAL, FILTER_MEAN, FILTER_PLAIN };

/* Number of columns that go through all steps together (a panel) in graphs of 2^17 nodes or more.
 * Panels are wider in smaller graphs, and narrower if nodes are distributed. */
enum { FILTER_PANEL = 16 };

/* Filters X (n x m) in place, in panels of columns that stay in cache through all psi steps. The
 * result is bitwise identical for any panel width and number of threads. O(psi (nnz + n) m).
 * Memory: X and two panels. With 2^17 nodes or more, these are n x 2 FILTER_PANEL doubles for all
 * threads together. With fewer nodes, they are twice as wide, and each thread has its own.
 *
 * With distributed nodes (g->ranks), X has this rank's rows. Each rank uses one thread and panels
 * of 8 columns. A panel also has a row for each adjacent node of another rank. FILTER_SPECTRAL does
 * not work with ranks.
 *
 * ERR_INPUT if X has not one row for each node of g. With FILTER_SPECTRAL also the errors of
 * graph_lambda_max(). */
enum err graph_filter(const struct graph *g, enum filter_kind kind, unsigned psi, unsigned threads,
		      struct mat *X) MUST_CHECK;

/* A filter whose graph is prepared once for many calls. filter_run_step() takes one step, with the
 * result of graph_filter() for psi 1. */
struct filter_run;
/* A view of columns column .. column + width - 1 of X. Row order[i] of X is leave[i] times row i of
 * y. A row of y has `stride` values, which are zero beyond width. */
struct filter_view {
	size_t n, column, width, stride;
	const double *y, *leave;
	const uint32_t *order;
};
/* Called with each panel after each step, from 0 to steps - 1. Several threads may call it at once,
 * with different panels. */
typedef void filter_see(void *ctx, size_t step, const struct filter_view *view);
enum err filter_run_begin(const struct graph *g, enum filter_kind kind,
			  struct filter_run **r) MUST_CHECK;
void filter_run_step(struct filter_run *r, unsigned threads, struct mat *X);
/* Takes several steps, but reads and writes X once. steps: at most 25, since filter_steps.h
 * replaces more by a polynomial. The result equals that of single steps up to rounding. Does not
 * support distributed nodes. */
void filter_run_steps(struct filter_run *r, unsigned steps, unsigned threads, struct mat *X,
		      filter_see *see, void *ctx);
size_t filter_run_panel(const struct filter_run *r); /* columns of a panel: the stride */

/* Filters few columns, and never stores them as a matrix. filter_run_hold() copies X, of at most 2
 * FILTER_PANEL columns, to n x 4 FILTER_PANEL doubles. filter_run_step_held() takes a step.
 * filter_run_held() returns a view of all columns after the steps so far, valid until the next step
 * or hold. filter_run_step() and filter_run_steps() end the hold. Does not support distributed
 * nodes. */
void filter_run_hold(struct filter_run *r, unsigned threads, const struct mat *X);
void filter_run_step_held(struct filter_run *r, unsigned threads);
struct filter_view filter_run_held(const struct filter_run *r);
void filter_run_end(struct filter_run *r); /* accepts NULL */

/* graph_filter() of sparse features: out (n x m) is initialised here, bitwise identical to
 * filtering the dense copy of X. Panels are built directly from the sparse rows. */
enum err graph_filter_sparse(const struct graph *g, enum filter_kind kind, unsigned psi,
			     unsigned threads, const struct csr *X, struct mat *out) MUST_CHECK;

/* Computes norms of the powers F^t X for t = 0 .. steps: square[t] = ||F^t X||^2 and spread[t] =
 * ||F^t X - 1 mu'||^2, where F is one step of the filter, and mu the column means of F^t X. X is
 * either sparse or dense; the other argument is NULL. Never stores a whole power of X. Bitwise
 * identical for any number of threads. Errors as graph_filter(). */
enum err graph_filter_spread(const struct graph *g, enum filter_kind kind, unsigned steps,
			     unsigned threads, const struct csr *sparse, const struct mat *dense,
			     double *square, double *spread) MUST_CHECK;

/* Computes lambda_max(I - S) by Lanczos with a fixed start, with a relative error of at most 1e-8.
 * 0 if g has no edge. ERR_JOB if it does not converge, ERR_CANCELLED if the job is stopped. */
enum err graph_lambda_max(const struct graph *g, double *lambda) MUST_CHECK;

#endif
