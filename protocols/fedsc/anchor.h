/* anchor.h -- FedSC's default second stage: a similarity graph of rows, computed from their nearest
 * landmarks.
 *
 * Row i is tied to its s nearest landmarks. Let D_j be its squared distance to the j-th nearest
 * landmark. The weights are proportional to D_(s+1) - D_j and add up to 1, so there is no bandwidth
 * to choose. B (n x d) holds the weights. The similarity of rows is B diag(1/lam) B', lam = B'1.
 * Its eigenvectors come from the d x d matrix M = B'B (Liu, He, Chang 2010). */
#ifndef PROTOCOLS_FEDSC_ANCHOR_H
#define PROTOCOLS_FEDSC_ANCHOR_H

#include "common/base/err.h"
#include "common/linalg/mat.h"
#include "common/linalg/ranks.h"

#include <stdint.h>

enum { FEDSC_NEAR_MAX = 64 };

/* The matrix B, with s entries per row. A zero-initialised object is empty. */
struct fedsc_anchor {
	size_t n, d;
	unsigned s;
	uint32_t *landmark; /* n x s, nearest first */
	/* n x s; 1 / s if a row has the same distance from its s + 1 nearest landmarks. */
	double *weight;
};

/* Computes the ties of the rows of X to the landmarks Z: d x m, 1 <= s <= min(d - 1,
 * FEDSC_NEAR_MAX). O(n d m). */
void fedsc_anchor_init(struct fedsc_anchor *b, const struct mat *X, const struct mat *Z, unsigned s,
		       unsigned threads);
void fedsc_anchor_release(struct fedsc_anchor *b);

/* Fills x (d (d + 1) / 2) with the lower triangle of B'B, row by row, summed in the blocks of
 * rowsum.h. ranks: NULL if b has all rows. Otherwise each rank gets the sum over the rows of all
 * ranks. Time O(n s^2 + n / 4096 d^2); memory of log2(n / 4096) triangles. */
void fedsc_anchor_gram(const struct fedsc_anchor *b, const struct ranks *ranks, double *x);

/* Initialises E (n x R.cols) = B R. */
void fedsc_anchor_embed(const struct fedsc_anchor *b, const struct mat *R, unsigned threads,
			struct mat *E);

/* Sets lam (d entries of the caller) = M 1, and initialises N (d x d) = lam^-1/2 M lam^-1/2. Rows
 * and columns of landmarks without rows are 0. */
void fedsc_anchor_normal(const struct mat *M, double *lam, struct mat *N);
/* Initialises R (d x k) = diag(lam^-1/2) U Lam^-1/2 from the k <= d leading eigenvalues (value) and
 * eigenvectors (U: k x d) of N. ERR_JOB if fewer than k eigenvalues are positive. */
enum err fedsc_anchor_basis(const double *lam, const struct mat *U, const double *value,
			    struct mat *R) MUST_CHECK;

#endif
