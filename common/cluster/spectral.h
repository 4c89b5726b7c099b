/* spectral.h -- the leading eigenvectors of a large symmetric matrix given as products, and
 * spectral clustering of a sparse graph by them (Ng, Jordan, Weiss 2001).
 *
 * Block Lanczos with full reorthogonalisation. The product may be a secure sum over parties. */
#ifndef COMMON_CLUSTER_SPECTRAL_H
#define COMMON_CLUSTER_SPECTRAL_H

#include "common/base/err.h"
#include "common/linalg/csr.h"
#include "common/linalg/ortho.h"

#include <stdint.h>

struct spectral_params {
	size_t n, k;      /* 1 <= k <= n eigenpairs of an n x n matrix */
	size_t block;     /* columns of a product; 0: max(16, k + 6). Capped by n */
	unsigned rounds;  /* maximum number of products */
	double tolerance; /* stop when `residual` of struct spectral_report is at most this */
	/* number of eigenvalues wanted, at least k; 0: k. Eigenvalues after the k-th are lower
	 * bounds */
	size_t values;
	/* maximum number of columns kept, at least k + 4 blocks; 0: no limit. If it is reached, the
	 * best half stays (Wu, Simon 2000, "thick restart") */
	size_t space;
	/* n expected magnitudes of the vectors' entries, which scale the random entries of the
	 * first block; NULL: all equal */
	const double *weight;
	uint64_t seed;
	unsigned threads; /* the result does not depend on it */
};

struct spectral_report {
	unsigned rounds;
	/* largest ||A v - theta v|| of the k eigenpairs (theta, v) at the end, relative to
	 * |theta_1|, with theta_1 the largest eigenvalue */
	double residual;
	size_t values; /* number found: p->values, or fewer if the space is smaller */
};

/* Sets the defaults: tolerance 1e-6, and 100 rounds. */
void spectral_defaults(struct spectral_params *p, size_t n, size_t k, uint64_t seed,
		       unsigned threads);

/* Returns the number of columns of the first product, p->block or its default. No later product has
 * more. */
size_t spectral_block(const struct spectral_params *p);

/* Computes the p->values (if 0: k) algebraically largest eigenvalues, descending, and the unit
 * eigenvectors of the first k as columns of V (n x k, initialised here; largest entry positive).
 * The space grows to at most n columns; with n columns the results are exact. ERR_JOB if the rounds
 * did not reach the tolerance, ERR_CANCELLED if the job is stopped, ERR_INPUT if numbers are not
 * finite; errors of A. Memory: n block rounds doubles, or n space doubles if p->space limits the
 * space; plus four blocks. `report` may be NULL. */
enum err spectral_top(const struct ortho_operator *A, const struct spectral_params *p,
		      double *value, struct mat *V, struct spectral_report *report) MUST_CHECK;

/* The operator D^-1/2 S D^-1/2 for a symmetric S with weights >= 0. Rows without weight give 0. */
struct spectral_graph {
	const struct csr *S;
	double *root; /* (row sum of S)^-1/2, or 0 */
	unsigned threads;
};
void spectral_graph_init(struct spectral_graph *g, const struct csr *S, unsigned threads);
void spectral_graph_release(struct spectral_graph *g);
enum err spectral_graph_times(void *g, const struct mat *B, struct mat *Y) MUST_CHECK;
/* Computes only rows [first, first + count) of the product, into y (count x B->cols). */
void spectral_graph_rows(const struct spectral_graph *g, const struct mat *B, size_t first,
			 size_t count, double *y);

/* Divides each row by its length; zero rows stay. */
void spectral_unit_rows(struct mat *E);

/* Computes label (n): runs k-means with `restarts` restarts on the unit rows of the k leading
 * eigenvectors of the normalised S (n x n). Errors as spectral_top(). */
enum err spectral_cluster(const struct csr *S, const struct spectral_params *p, unsigned restarts,
			  uint32_t *label, struct spectral_report *report) MUST_CHECK;

#endif
