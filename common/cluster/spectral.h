/* spectral.h -- the leading eigenvectors of a large symmetric matrix that is known by its products,
 * and spectral clustering of a sparse graph by them (Ng, Jordan, Weiss 2001).
 *
 * Block Lanczos with full reorthogonalisation. The product may be a secure sum over parties.
 */
#ifndef COMMON_CLUSTER_SPECTRAL_H
#define COMMON_CLUSTER_SPECTRAL_H

#include "common/base/err.h"
#include "common/linalg/csr.h"
#include "common/linalg/ortho.h"

#include <stdint.h>

struct spectral_params {
	size_t n, k;      /* 1 <= k <= n eigenpairs of an n x n matrix */
	size_t block;     /* columns of a product; 0: max(16, k + 6). Capped by n */
	unsigned rounds;  /* products at most */
	double tolerance; /* stop when ||A v - theta v|| <= tolerance |theta_1| for all k */
	size_t values;    /* wanted, k or more; 0: k. Those after the k-th are lower bounds */
	size_t space;     /* columns that are kept, k + 4 blocks or more; 0: all. Of so many the best
	                     half goes on (Wu, Simon 2000, "thick restart") */
	const double *weight; /* n: how large entries of the vectors are thought to be, for the first
	                         block's random entries; NULL: all alike */
	uint64_t seed;
	unsigned threads; /* the result does not depend on it */
};

struct spectral_report {
	unsigned rounds; /* products that were made */
	double residual; /* the largest of the k at the end, relative to |theta_1| */
	size_t values;   /* that were found: p->values, or fewer if the space had no more */
};

/* tolerance 1e-6, 100 rounds. */
void spectral_defaults(struct spectral_params *p, size_t n, size_t k, uint64_t seed,
		       unsigned threads);

/* Columns of the first product, and at most of any: p->block with its default. */
size_t spectral_block(const struct spectral_params *p);

/* The k algebraically largest eigenvalues (p->values of them), falling, and unit eigenvectors as
 * columns of V (n x k, initialised here; largest entry positive). The space grows until it is n
 * wide, then they are exact. ERR_JOB if the rounds did not reach the tolerance. Memory n block
 * rounds doubles, or n space; and four blocks. `report` may be NULL. */
enum err spectral_top(const struct ortho_operator *A, const struct spectral_params *p,
		      double *value, struct mat *V, struct spectral_report *report) MUST_CHECK;

/* The operator D^-1/2 S D^-1/2 for a symmetric S with weights >= 0. Rows without weight give 0. */
struct spectral_graph {
	const struct csr *S;
	double *root; /* d_i^-1/2, or 0 */
	unsigned threads;
};
void spectral_graph_init(struct spectral_graph *g, const struct csr *S, unsigned threads);
void spectral_graph_release(struct spectral_graph *g);
enum err spectral_graph_times(void *g, const struct mat *B, struct mat *Y) MUST_CHECK;
/* Rows [first, first + count) of the product alone, into y (count x B->cols). */
void spectral_graph_rows(const struct spectral_graph *g, const struct mat *B, size_t first,
			 size_t count, double *y);

/* Each row over its length; zero rows stay. */
void spectral_unit_rows(struct mat *E);

/* label (n): k-means with `restarts` on the unit rows of the k leading eigenvectors of the normalised
 * S (n x n). */
enum err spectral_cluster(const struct csr *S, const struct spectral_params *p, unsigned restarts,
			  uint32_t *label, struct spectral_report *report) MUST_CHECK;

#endif
