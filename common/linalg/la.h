/* la.h -- the only interface to BLAS and LAPACK. BLAS is pinned to one thread at program start,
 * since its own threads change the last bits of a product. Large products are cut into tiles of a
 * fixed size, each a call to dgemm. Our threads share the tiles, so results never depend on the
 * number of threads. The inner dimension of every product is summed as in rowsum.h, so that
 * products over rows are bitwise identical for any distribution of rows. */
#ifndef COMMON_LINALG_LA_H
#define COMMON_LINALG_LA_H

#include "common/base/err.h"
#include "common/linalg/mat.h"
#include "common/linalg/ranks.h"

#include <stdbool.h>
#include <stddef.h>

/* Rows and columns of a tile. If a part of a product begins at a row that is a multiple of LA_TILE,
 * it is bitwise identical when computed alone. A tile is large enough for dgemm's full speed, and
 * small enough that a 700 x 700 Gram matrix keeps a few threads busy. It must not depend on the
 * machine. */
enum { LA_TILE = 256 };

/* Call first in main(). OpenBLAS picks its kernels from a list of processors at load time. If the
 * processor is newer than the list, it uses kernels for a processor of 2004: 0.3.21 does so with
 * Xeons of 2023, and a landmark job takes 1.5 times as long. In that case, if the processor has
 * AVX2 and FMA, the program executes itself again with the same arguments and
 * OPENBLAS_CORETYPE=Haswell. If the user has set OPENBLAS_CORETYPE, that value is used instead. If
 * executing itself fails, the program continues with the slow kernels. */
void la_begin(char **argv);

/* Makes OpenBLAS allocate the buffers of all threads at start. OpenBLAS allocates and keeps one
 * buffer per concurrent call, and retries for ever if memory is exhausted. ERR_INTERNAL: no thread
 * can be started, or the buffers are still missing after 5 s. The process must then exit, since one
 * of its threads still retries. */
enum err la_reserve(unsigned threads) MUST_CHECK;

/* la_mul_tn(), la_mul_nn() and la_mul_nt() compute C = A' B, A B and A B'. C is initialised here.
 * O(rows inner cols). */
void la_mul_tn(const struct mat *A, const struct mat *B, unsigned threads, struct mat *C);
void la_mul_nn(const struct mat *A, const struct mat *B, unsigned threads, struct mat *C);
void la_mul_nt(const struct mat *A, const struct mat *B, unsigned threads, struct mat *C);

/* G = A'A (by columns) or AA' (by rows), full and exactly symmetric; initialised here. */
void la_gram_columns(const struct mat *A, unsigned threads, struct mat *G);
void la_gram_rows(const struct mat *A, unsigned threads, struct mat *G);

/* Compute A'B and A'A if the rows of A and B are distributed over ranks. C and G are the same at
 * each rank. */
void la_mul_tn_of(const struct ranks *R, const struct mat *A, const struct mat *B, unsigned threads,
		  struct mat *C);
void la_gram_columns_of(const struct ranks *R, const struct mat *A, unsigned threads,
			struct mat *G);

/* C (m x n, row stride ldc) = A (m x k) B' (n x k), in one call on this thread. */
void la_block_nt(size_t m, size_t n, size_t k, const double *A, const double *B, double *C,
		 size_t ldc);

/* Computes C (m x n) = op(A) op(B), or adds the product to C if `add`. op(A) is m x k, op(B) is k x
 * n, rows are contiguous. Makes one call on this thread, for the many small products of a neural
 * network. */
struct la_shape {
	size_t m, n, k;
	bool a_transposed, b_transposed, add;
};
void la_product_f32(struct la_shape s, const float *A, const float *B, float *C);
void la_product_f64(struct la_shape s, const double *A, const double *B, double *C);

/* Computes the d largest eigenvalues of the symmetric G, descending, and their unit eigenvectors,
 * which become the rows of V (d x n, initialised here). Destroys G. dsyevr, O(n^3). ERR_INPUT if G
 * is not finite. */
enum err la_eigen_top(struct mat *G, size_t d, double *value, struct mat *V) MUST_CHECK;

/* Verifies leading eigenvalues and eigenvectors of G that another process computed, in the form of
 * la_eigen_top(). Checks that no entry of G v - value v exceeds 1e-8 |value[0]| and no entry of V
 * V' - I exceeds 1e-8, that values descend, and that no larger eigenvalue is missing. ERR_PEER
 * names the failed condition. O(n^2 d + n^3 / 3), a tenth of the cost of computing them. */
enum err la_eigen_check(const struct mat *G, const double *value, const struct mat *V,
			unsigned threads) MUST_CHECK;

/* Replaces G (d x d, symmetric) by its Cholesky factor, in a form for la_cholesky_solve() only.
 * ERR_INPUT if G is not finite or not positive definite (to rounding). O(d^3). */
enum err la_cholesky(struct mat *G) MUST_CHECK;
/* Replaces each of the `count` rows x (d values) by G^-1 x. Runs on this thread. O(count d^2). */
enum err la_cholesky_solve(const struct mat *factor, double *x, size_t count) MUST_CHECK;

/* Replaces the rows of A (rows <= cols) by an orthonormal basis of a space that contains them.
 * Householder, O(cols rows^2). ERR_INPUT if A is not finite. */
enum err la_orthonormal_rows(struct mat *A) MUST_CHECK;

/* Computes P (r x r, initialised here; vectors are its columns) and sigma (r, descending) of A (r x
 * c, r <= c) = P diag(sigma) Q'. Uses the triangular factor of A', joined from blocks of rows as in
 * rowsum.h: O(c r^2). The columns of A may be distributed over ranks R; sigma and P are the same at
 * each. ERR_INPUT if the factor is not finite. */
enum err la_singular_rows(const struct ranks *R, const struct mat *A, double *sigma,
			  struct mat *P) MUST_CHECK;
/* Like la_singular_rows(), for an A that is computed block by block. block() writes columns of A,
 * from column `first` on, to `to` (r x at most ROWSUM_ROWS). */
struct la_blocks {
	size_t r, c;
	void (*block)(void *ctx, size_t first, struct mat *to);
	void *ctx;
};
enum err la_singular_blocks(const struct ranks *R, const struct la_blocks *A, double *sigma,
			    struct mat *P) MUST_CHECK;

/* Computes the largest eigenvalue of the symmetric tridiagonal matrix with diagonal a[0..n) and
 * off-diagonal b[0..n-1), and the magnitude of the last entry of its unit eigenvector. O(n). */
enum err la_tridiagonal_top(const double *a, const double *b, size_t n, double *value,
			    double *last) MUST_CHECK;

#endif
