/* la.h -- the one door to BLAS and LAPACK. BLAS is pinned to one thread when the program starts, as its
 * own threads change the last bits of a product. Large products are cut into tiles of a fixed size,
 * each a call to dgemm, which go over our threads: results never depend on their number. The inner dimension
 * of every product is summed as rowsum.h says, so that products over rows are the same wherever the rows are. */
#ifndef COMMON_LINALG_LA_H
#define COMMON_LINALG_LA_H

#include "common/base/err.h"
#include "common/linalg/mat.h"
#include "common/linalg/ranks.h"

#include <stdbool.h>
#include <stddef.h>

/* Rows and columns of a tile: rows of a product from a multiple of it on have the same bits alone as beside all others. Large enough
 * for dgemm's full speed, small enough that a 700 x 700 Gram matrix keeps a few threads busy; never tuned to the machine. */
enum { LA_TILE = 256 };

/* To be called first in main. When it is loaded OpenBLAS looks for the processor in a list, and takes one that is newer
 * than itself for one of 2004 (0.3.21 does so with Xeons of 2023: a landmark job takes half as long again). If it did,
 * and the processor has AVX2 and FMA, the program begins anew, with the same arguments and OPENBLAS_CORETYPE=Haswell in
 * its environment; a user's own OPENBLAS_CORETYPE stands. Where that cannot be done the program goes on as it is: slower. */
void la_begin(char **argv);

/* OpenBLAS maps a buffer for each of its calls that run at a time, keeps it, and where memory for one cannot be had
 * asks for it again for ever. So a process has the buffers of all its threads before it begins: ERR_INTERNAL if
 * they are not there within 5 s, and then this process must end, for a thread of it still asks. */
enum err la_reserve(unsigned threads) MUST_CHECK;

/* C = A' B, A B, A B', initialised here. O(rows inner cols). */
void la_mul_tn(const struct mat *A, const struct mat *B, unsigned threads, struct mat *C);
void la_mul_nn(const struct mat *A, const struct mat *B, unsigned threads, struct mat *C);
void la_mul_nt(const struct mat *A, const struct mat *B, unsigned threads, struct mat *C);

/* G = A'A (by columns) or AA' (by rows), whole and exactly symmetric; initialised here. */
void la_gram_columns(const struct mat *A, unsigned threads, struct mat *G);
void la_gram_rows(const struct mat *A, unsigned threads, struct mat *G);

/* A'B and A'A where ranks share the rows of A and B; C and G are the same at each. */
void la_mul_tn_of(const struct ranks *R, const struct mat *A, const struct mat *B, unsigned threads,
		  struct mat *C);
void la_gram_columns_of(const struct ranks *R, const struct mat *A, unsigned threads,
			struct mat *G);

/* C (m x n, rows ldc apart) = A (m x k) B' (n x k), in one call on this thread. */
void la_block_nt(size_t m, size_t n, size_t k, const double *A, const double *B, double *C,
		 size_t ldc);

/* C (m x n) = op(A) op(B), op(A) m x k and op(B) k x n, or C += if `add`; rows contiguous; in one call on
 * this thread. For the many small products of a network. */
struct la_shape {
	size_t m, n, k;
	bool a_transposed, b_transposed, add;
};
void la_product_f32(struct la_shape s, const float *A, const float *B, float *C);
void la_product_f64(struct la_shape s, const double *A, const double *B, double *C);

/* The d largest eigenvalues of the symmetric G, falling, and their unit eigenvectors as the rows
 * of V (d x n, initialised here). G is destroyed. dsyevr, O(n^3). ERR_INPUT if G is not finite. */
enum err la_eigen_top(struct mat *G, size_t d, double *value, struct mat *V) MUST_CHECK;

/* Are these the leading eigenvalues and eigenvectors of G, as la_eigen_top() gives them, whoever found
 * them? ||G v - value v|| and V V' - I within 1e-8 (of value[0]), values falling, and no larger one of G
 * left out. ERR_PEER, saying which. O(n^2 d + n^3 / 3), a tenth of what finding them takes. */
enum err la_eigen_check(const struct mat *G, const double *value, const struct mat *V,
			unsigned threads) MUST_CHECK;

/* G (d x d, symmetric) becomes its Cholesky factor, for la_cholesky_solve() alone. ERR_INPUT if G is
 * not finite or, by rounding or in truth, not positive definite. O(d^3). */
enum err la_cholesky(struct mat *G) MUST_CHECK;
/* Each of the `count` rows x (d values) becomes G^-1 x. On this thread. O(count d^2). */
enum err la_cholesky_solve(const struct mat *factor, double *x, size_t count) MUST_CHECK;

/* Replaces the rows of A (rows <= cols) by an orthonormal basis of a space that contains them.
 * Householder, O(cols rows^2). */
enum err la_orthonormal_rows(struct mat *A) MUST_CHECK;

/* For A (r x c, r <= c) = P diag(sigma) Q': P (r x r, initialised here; vectors are its columns)
 * and sigma (r, falling). By the triangular factor of A', joined of those of its blocks of rows as rowsum.h
 * joins sums: O(c r^2). */
enum err la_singular_rows(const struct mat *A, double *sigma, struct mat *P) MUST_CHECK;
/* The same where ranks share the columns of A; sigma and P are the same at each. */
enum err la_singular_rows_of(const struct ranks *R, const struct mat *A, double *sigma,
			     struct mat *P) MUST_CHECK;

/* The largest eigenvalue of the symmetric tridiagonal matrix with diagonal a[0..n) and
 * off-diagonal b[0..n-1), and the magnitude of the last entry of its unit eigenvector. O(n). */
enum err la_tridiagonal_top(const double *a, const double *b, size_t n, double *value,
			    double *last) MUST_CHECK;

#endif
