/* krylov.h -- the leading singular vectors of a matrix that is known by its products alone. */
#ifndef COMMON_LINALG_KRYLOV_H
#define COMMON_LINALG_KRYLOV_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

#include <stdbool.h>
#include <stddef.h>

/* A linear map A (rows x cols). Vectors are the rows of in and out; out is initialised by the
 * function. The same in gives the same bits. */
struct linear_map {
	size_t rows, cols;
	void *ctx;
	void (*multiply)(void *ctx, const struct mat *in, struct mat *out); /* b x cols -> b x rows:
									       in A' */
	void (*square)(void *ctx, const struct mat *in, struct mat *out);   /* b x cols -> b x cols:
									       in A'A */
};

/* Vectors per step: d, and up to a multiple of 8. As many equal singular values are told apart. */
size_t krylov_width(size_t d, size_t cols);

/* The choice of a method assumes the cost of KRYLOV_STEPS_USUAL steps. */
enum { KRYLOV_STEPS_USUAL = 16, KRYLOV_STEPS_MAX = 48 };

/* P (d x cols, initialised here): orthonormal rows, by falling singular value, which span the d
 * leading right singular directions of A, d <= min(rows, cols). Block Lanczos on A'A from a fixed
 * random block, with full orthogonalisation and Rayleigh-Ritz (Golub, Underwood 1977; the block
 * Krylov space of Musco, Musco 2015), step by step until each direction is as near as 1e-8 (its
 * residual over its distance to the next value that is not wanted), or until rounding is all that
 * is left. *settled is false if KRYLOV_STEPS_MAX did not do; P is then the best found.
 * Same bits for any threads. About (steps width)^2 cols x 8 flops beyond the products; memory
 * steps width cols doubles. ERR_INPUT if products overflow. */
enum err krylov_right(const struct linear_map *A, size_t d, unsigned threads, struct mat *P,
		      bool *settled) MUST_CHECK;

#endif
