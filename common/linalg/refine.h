/* refine.h -- the leading singular vectors of a matrix of whose Gram matrix much is known. */
#ifndef COMMON_LINALG_REFINE_H
#define COMMON_LINALG_REFINE_H

#include "common/linalg/krylov.h"

/* P (d x cols, initialised here): orthonormal rows, by falling singular value, which span the d
 * leading right singular directions of A, as krylov_right() finds them, from G (cols x cols,
 * symmetric) that is near A'A. In turns: P <- the first eigenvectors of G; W <- P A'A, by the map;
 * and G <- the symmetric matrix that is nearest to G among those that agree with W on P:
 * G + E'P + P'E - P' (E P') P for E = W - P G (Powell 1970). What P misses falls in each turn by
 * the share in which G was wrong, so that one turn makes 1e-10 of 1e-5. The rows of E are the
 * residuals of P's vectors; it ends when those, or what the next ones can be, are as small as
 * krylov_right() wants them.
 * *settled is false, and P is empty, if REFINE_TURNS do not do. G is used up. Same bits for any
 * threads. Each turn costs a product on krylov_width(d, cols) vectors and an eigenproblem of G.
 * ERR_INPUT if G or products overflow. */
enum { REFINE_TURNS = 6 };
enum err refine_right(const struct linear_map *A, struct mat *G, size_t d, unsigned threads,
		      struct mat *P, bool *settled) MUST_CHECK;

#endif
