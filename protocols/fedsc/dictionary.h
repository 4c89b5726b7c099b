/* dictionary.h -- Stage I of FedSC (NeurIPS 2023, Section 2) at one party: coefficients C and
 * gradient steps on the dictionary Z, with rows in blocks.
 *
 * Rows are points: X is n x m, Z is d x m, and row i of C (n x d) is c_i. Let W = C o K(X, Z), w =
 * W' 1, Q = (C' C) o Kzz / 2 and q = Q 1, where o is the elementwise product. The gradient of
 * equation 13 (the paper's equation 15) is
 *
 *     grad = (1 / r^2) [diag(w - 2 q) Z - W' X + 2 Q Z]
 */
#ifndef PROTOCOLS_FEDSC_DICTIONARY_H
#define PROTOCOLS_FEDSC_DICTIONARY_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

enum { FEDSC_ROWS = 1024 }; /* number of rows in a block */

/* Factored kernel matrix of a dictionary. A zero-initialised object is empty. */
struct fedsc_basis {
	const struct mat *Z; /* borrowed: d x m */
	double r, lambda;
	double *square;    /* d: ||z_j||^2 */
	struct mat Kzz;    /* d x d */
	struct mat factor; /* Cholesky of Kzz + lambda I */
	struct mat root;   /* symmetric Kzz^1/2; set by fedsc_basis_root() */
};

/* Factors the kernel matrix of Z. ERR_JOB, naming lambda and r: Kzz + lambda I is not positive
 * definite, or Z is not finite. */
enum err fedsc_basis_init(struct fedsc_basis *b, const struct mat *Z, double r, double lambda,
			  unsigned threads) MUST_CHECK;
enum err fedsc_basis_root(struct fedsc_basis *b, unsigned threads) MUST_CHECK;
void fedsc_basis_release(struct fedsc_basis *b);

/* Computes C (count x d, the caller's memory) for rows x (count x m): (Kzz + lambda I)^-1 k(Z, x),
 * equation 14. Runs on the calling thread. O(count d (m + d)). */
enum err fedsc_coefficients(const struct fedsc_basis *b, const double *x, size_t count,
			    double *C) MUST_CHECK;

/* Initialises F (rows x d) = C Kzz^1/2, for at most FEDSC_ROWS rows of X from row `first` on. */
enum err fedsc_factor_block(const struct fedsc_basis *b, const struct mat *X, size_t first,
			    unsigned threads, struct mat *F) MUST_CHECK;

/* Runs a party's part of a round: computes C from Z, then takes `inner` steps on a copy of Z with C
 * fixed. Initialises out (d x m) with that copy. If n d <= max(n m, 2^23), holds C whole; otherwise
 * recomputes it by blocks. */
enum err fedsc_round(const struct mat *X, const struct mat *Z, double r, double lambda,
		     unsigned inner, unsigned threads, struct mat *out) MUST_CHECK;

#endif
