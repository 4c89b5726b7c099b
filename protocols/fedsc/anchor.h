/* anchor.h -- FedSC's default second stage: a graph between rows by way of landmarks.
 *
 * Row i is tied to its s nearest landmarks with weights ~ d^2_(s+1) - d^2_j that add to 1 (no
 * bandwidth to choose); B (n x d) holds them. Similarity is B diag(1/lam) B', lam = B'1, and its
 * eigenvectors come from the d x d matrix M = B'B (Liu, He, Chang 2010). */
#ifndef PROTOCOLS_FEDSC_ANCHOR_H
#define PROTOCOLS_FEDSC_ANCHOR_H

#include "common/base/err.h"
#include "common/linalg/mat.h"
#include "common/linalg/ranks.h"

#include <stdint.h>

enum { FEDSC_NEAR_MAX = 64 };

/* B, s entries a row. Zero-initialised is empty. */
struct fedsc_anchor {
	size_t n, d;
	unsigned s;
	uint32_t *landmark; /* n x s, nearest first */
	double *weight;     /* n x s; of a row that is as far from all: 1 / s */
};

/* Z is d x m, 1 <= s <= min(d - 1, FEDSC_NEAR_MAX). O(n d m). */
void fedsc_anchor_init(struct fedsc_anchor *b, const struct mat *X, const struct mat *Z, unsigned s,
		       unsigned threads);
void fedsc_anchor_release(struct fedsc_anchor *b);

/* x (d (d + 1) / 2) = the lower triangle of B'B, row by row: blocks of rows, joined as rowsum.h
 * says. ranks: NULL if b has all rows; else x is over the rows of all ranks, the same at each.
 * O(n s^2 + n / 4096 d^2), and log2(n / 4096) triangles. */
void fedsc_anchor_gram(const struct fedsc_anchor *b, const struct ranks *ranks, double *x);

/* E (n x R.cols, initialised here) = B R. */
void fedsc_anchor_embed(const struct fedsc_anchor *b, const struct mat *R, unsigned threads,
			struct mat *E);

/* lam (d, given) = M 1 and N (d x d, initialised here) = lam^-1/2 M lam^-1/2; 0 of nobody's landmarks. */
void fedsc_anchor_normal(const struct mat *M, double *lam, struct mat *N);
/* R (d x k, initialised here) = diag(lam^-1/2) U Lam^-1/2 by the k <= d leading eigenvalues (value) and
 * eigenvectors (U: k x d) of N. ERR_JOB if fewer than k eigenvalues are positive. */
enum err fedsc_anchor_basis(const double *lam, const struct mat *U, const double *value,
			    struct mat *R) MUST_CHECK;

#endif
