#include "common/linalg/la.h"
#include "common/base/alloc.h"
#include "common/linalg/parallel.h"

#include <assert.h>
#include <cblas.h>
#include <errno.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Large enough for dgemm's full speed, small enough that a 700 x 700 Gram matrix keeps a few
 * threads busy. Part of the result's last bits, so never tuned to the machine. */
enum { TILE = 256 };
enum { RESERVE_S = 5 };

__attribute__((constructor)) static void pin_blas(void)
{
	openblas_set_num_threads(1);
}

/* Exported by OpenBLAS, but in no header of it. */
void *blas_memory_alloc(int unused) __attribute__((weak));
void blas_memory_free(void *buffer) __attribute__((weak));

static void *take_buffers(void *arg)
{
	void *buffer[PARALLEL_MAX];
	unsigned n = *(unsigned *)arg;

	for (unsigned i = 0; i < n; i++)
		buffer[i] = blas_memory_alloc(0);
	for (unsigned i = 0; i < n; i++)
		blas_memory_free(buffer[i]);
	return NULL;
}

enum err la_reserve(unsigned threads)
{
	static unsigned n; /* read by a thread that may never end */
	struct timespec until;
	pthread_t thread;

	if (!blas_memory_alloc || !blas_memory_free)
		return ERR_OK;
	n = threads < 1 ? 1 : threads > PARALLEL_MAX ? PARALLEL_MAX : threads;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += RESERVE_S;
	if (pthread_create(&thread, NULL, take_buffers, &n) != 0)
		return err_set(ERR_INTERNAL, "a thread cannot be started: %s", strerror(errno));
	if (pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until) != 0)
		return err_set(ERR_INTERNAL,
			       "OpenBLAS cannot have its buffers for %u threads: the address space "
			       "(ulimit -v, LimitAS=) is too small, or threads too many",
			       n);
	return ERR_OK;
}

static int blas_int(size_t n)
{
	assert(n <= INT_MAX); /* readers bound rows and columns far below */
	return (int)n;
}

/* C = op(A) op(B), or of a Gram matrix the tiles on and above the diagonal. */
struct product {
	bool a_transposed, b_transposed, symmetric;
	const struct mat *A, *B;
	struct mat *C;
	size_t inner, tiles_across;
};

static void product_tile(void *ctx, unsigned worker, size_t tile)
{
	const struct product *p = ctx;
	size_t i = tile / p->tiles_across * TILE, j = tile % p->tiles_across * TILE;
	const double *a = p->a_transposed ? p->A->a + i : ROW(p->A, i);
	const double *b = p->b_transposed ? ROW(p->B, j) : p->B->a + j;

	(void)worker;
	if (p->symmetric && j < i)
		return;
	if (p->symmetric && j == i) {
		cblas_dsyrk(CblasRowMajor, CblasUpper, p->a_transposed ? CblasTrans : CblasNoTrans,
			    blas_int(min_size(TILE, p->C->rows - i)), blas_int(p->inner), 1, a,
			    blas_int(p->A->cols), 0, &MAT(p->C, i, i), blas_int(p->C->cols));
		return;
	}
	cblas_dgemm(CblasRowMajor, p->a_transposed ? CblasTrans : CblasNoTrans,
		    p->b_transposed ? CblasTrans : CblasNoTrans,
		    blas_int(min_size(TILE, p->C->rows - i)),
		    blas_int(min_size(TILE, p->C->cols - j)), blas_int(p->inner), 1, a,
		    blas_int(p->A->cols), b, blas_int(p->B->cols), 0, &MAT(p->C, i, j),
		    blas_int(p->C->cols));
}

static void product(struct product p, unsigned threads)
{
	struct mat *C = p.C;

	p.inner = p.a_transposed ? p.A->rows : p.A->cols;
	assert(p.inner == (p.b_transposed ? p.B->cols : p.B->rows));
	mat_init(C, p.a_transposed ? p.A->cols : p.A->rows, p.b_transposed ? p.B->rows : p.B->cols);
	if (C->rows == 0 || C->cols == 0 || p.inner == 0)
		return;
	p.tiles_across = (C->cols + TILE - 1) / TILE;
	parallel(threads, (C->rows + TILE - 1) / TILE * p.tiles_across, product_tile, &p);
	for (size_t i = 0; p.symmetric && i < C->rows; i++)
		for (size_t j = 0; j < i; j++)
			MAT(C, i, j) = MAT(C, j, i);
}

void la_mul_tn(const struct mat *A, const struct mat *B, unsigned threads, struct mat *C)
{
	product((struct product){ .A = A, .B = B, .C = C, .a_transposed = true }, threads);
}

void la_mul_nn(const struct mat *A, const struct mat *B, unsigned threads, struct mat *C)
{
	product((struct product){ .A = A, .B = B, .C = C }, threads);
}

void la_mul_nt(const struct mat *A, const struct mat *B, unsigned threads, struct mat *C)
{
	product((struct product){ .A = A, .B = B, .C = C, .b_transposed = true }, threads);
}

void la_gram_columns(const struct mat *A, unsigned threads, struct mat *G)
{
	product((struct product){ .A = A, .B = A, .C = G, .a_transposed = true, .symmetric = true },
		threads);
}

void la_gram_rows(const struct mat *A, unsigned threads, struct mat *G)
{
	product((struct product){ .A = A, .B = A, .C = G, .b_transposed = true, .symmetric = true },
		threads);
}

struct pieces {
	const struct mat *A, *B;
	double *part; /* C's size each */
};

static void product_piece(void *ctx, unsigned worker, size_t piece)
{
	const struct pieces *p = ctx;
	size_t inner = p->A->cols, first = piece * LA_PIECE, cols = p->B->rows;

	(void)worker;
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, blas_int(p->A->rows), blas_int(cols),
		    blas_int(min_size(LA_PIECE, inner - first)), 1, p->A->a + first,
		    blas_int(inner), p->B->a + first, blas_int(inner), 0,
		    p->part + piece * p->A->rows * cols, blas_int(cols));
}

void la_mul_nt_long(const struct mat *A, const struct mat *B, unsigned threads, struct mat *C)
{
	size_t count = (A->cols + LA_PIECE - 1) / LA_PIECE, size = A->rows * B->rows;
	struct pieces p = { A, B, alloc(count, size * sizeof(double)) };

	assert(A->cols == B->cols);
	mat_init(C, A->rows, B->rows);
	if (size)
		parallel(threads, count, product_piece, &p);
	for (size_t piece = 0; piece < count; piece++)
		for (size_t i = 0; i < size; i++)
			C->a[i] += p.part[piece * size + i];
	free(p.part);
}

void la_block_nt(size_t m, size_t n, size_t k, const double *A, const double *B, double *C,
		 size_t ldc)
{
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, blas_int(m), blas_int(n), blas_int(k),
		    1, A, blas_int(k), B, blas_int(k), 0, C, blas_int(ldc));
}

/* LAPACK does not promise to end on infinities. */
static enum err check_finite(const struct mat *A, const char *who)
{
	for (size_t i = 0; i < A->rows * A->cols; i++)
		if (!isfinite(A->a[i]))
			return err_set(ERR_INPUT,
				       "%s: entry (%zu, %zu) of a %zu x %zu product is %g: the "
				       "features are too large, scale them down",
				       who, i / A->cols, i % A->cols, A->rows, A->cols, A->a[i]);
	return ERR_OK;
}

static enum err check_info(lapack_int info, const char *who, size_t rows, size_t cols)
{
	if (info != 0)
		return err_set(ERR_INTERNAL, "%s: info %d for %zu x %zu", who, (int)info, rows,
			       cols);
	return ERR_OK;
}

void la_product_f32(struct la_shape s, const float *A, const float *B, float *C)
{
	if (s.m && s.n)
		cblas_sgemm(CblasRowMajor, s.a_transposed ? CblasTrans : CblasNoTrans,
			    s.b_transposed ? CblasTrans : CblasNoTrans, blas_int(s.m),
			    blas_int(s.n), blas_int(s.k), 1, A,
			    blas_int(s.a_transposed ? s.m : s.k), B,
			    blas_int(s.b_transposed ? s.k : s.n), s.add ? 1 : 0, C, blas_int(s.n));
}

void la_product_f64(struct la_shape s, const double *A, const double *B, double *C)
{
	if (s.m && s.n)
		cblas_dgemm(CblasRowMajor, s.a_transposed ? CblasTrans : CblasNoTrans,
			    s.b_transposed ? CblasTrans : CblasNoTrans, blas_int(s.m),
			    blas_int(s.n), blas_int(s.k), 1, A,
			    blas_int(s.a_transposed ? s.m : s.k), B,
			    blas_int(s.b_transposed ? s.k : s.n), s.add ? 1 : 0, C, blas_int(s.n));
}

enum err la_eigen_top(struct mat *G, size_t d, double *value, struct mat *V)
{
	size_t n = G->rows;
	lapack_int found, info, *support;
	double *rising;

	assert(n == G->cols && 1 <= d && d <= n);
	TRY(check_finite(G, "dsyevr"));
	ALLOC(rising, n);
	ALLOC(support, 2 * n);
	mat_init(V, d, n);
	/* Column-major with n rows is row-major with n columns: vectors come as rows. */
	info = LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'U', blas_int(n), G->a, blas_int(n), 0, 0,
			      blas_int(n - d + 1), blas_int(n), 0, &found, rising, V->a,
			      blas_int(n), support);
	for (size_t i = 0; i < d; i++)
		value[i] = rising[d - 1 - i];
	for (size_t i = 0; i < d / 2; i++)
		for (size_t j = 0; j < n; j++) {
			double low = MAT(V, i, j);

			MAT(V, i, j) = MAT(V, d - 1 - i, j);
			MAT(V, d - 1 - i, j) = low;
		}
	free(support);
	free(rising);
	if (info != 0)
		mat_release(V);
	return check_info(info, "dsyevr", n, n);
}

/* How many eigenvalues of G are above `from`: as many as pivots of G - from I are positive
 * (Sylvester). */
static enum err eigen_above(const struct mat *G, double from, size_t *above)
{
	size_t n = G->rows;
	lapack_int *pivot, info;
	struct mat F;

	mat_copy(&F, G);
	for (size_t i = 0; i < n; i++)
		MAT(&F, i, i) -= from;
	ALLOC(pivot, n);
	info = LAPACKE_dsytrf(LAPACK_COL_MAJOR, 'L', blas_int(n), F.a, blas_int(n), pivot);
	*above = 0;
	for (size_t i = 0; i < n; i++) {
		double a = MAT(&F, i, i), b, c;

		if (pivot[i] > 0 || i + 1 == n) {
			*above += a > 0;
			continue;
		}
		b = MAT(&F, i, i + 1); /* a block of two: column-major, below the diagonal */
		c = MAT(&F, i + 1, i + 1);
		*above += a * c - b * b < 0 ? 1 : a + c > 0 ? 2 : 0;
		i++;
	}
	free(pivot);
	mat_release(&F);
	return info < 0 ? check_info(info, "dsytrf", n, n) : ERR_OK;
}

enum err la_eigen_check(const struct mat *G, const double *value, const struct mat *V,
			unsigned threads)
{
	const double near = 1e-8;
	size_t d = V->rows, n = V->cols, above;
	double largest = fabs(value[0]), worst = 0;
	struct mat W, O;

	assert(G->rows == n && G->cols == n && d >= 1);
	for (size_t i = 0; i < d; i++)
		if (!isfinite(value[i]) || (i && value[i] > value[i - 1]))
			return err_set(ERR_PEER, "eigenvalue %zu of %zu is %g after %g", i, d,
				       value[i], value[i ? i - 1 : 0]);
	for (size_t e = 0; e < d * n; e++)
		if (!isfinite(V->a[e]))
			return err_set(ERR_PEER, "an eigenvector with %g", V->a[e]);
	la_mul_nn(V, G, threads, &W);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < n; j++)
			worst = fmax(worst, fabs(MAT(&W, i, j) - value[i] * MAT(V, i, j)));
	mat_release(&W);
	if (!(worst <= near * largest))
		return err_set(
		    ERR_PEER,
		    "vectors that are not eigenvectors: off by %.3g, of eigenvalues up to %.3g",
		    worst, largest);
	la_mul_nt(V, V, threads, &O);
	worst = 0;
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < d; j++)
			worst = fmax(worst, fabs(MAT(&O, i, j) - (i == j)));
	mat_release(&O);
	if (!(worst <= near))
		return err_set(ERR_PEER, "eigenvectors that are not orthonormal: off by %.3g",
			       worst);
	TRY(eigen_above(G, value[d - 1] + near * largest, &above));
	if (above >= d)
		return err_set(ERR_PEER,
			       "%zu eigenvectors that are not those of the largest eigenvalues: "
			       "%zu are above the last",
			       d, above);
	return ERR_OK;
}

enum err la_cholesky(struct mat *G)
{
	size_t d = G->rows;
	lapack_int info;

	assert(d == G->cols && d > 0);
	TRY(check_finite(G, "dpotrf"));
	info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', blas_int(d), G->a, blas_int(d));
	if (info > 0)
		return err_set(ERR_INPUT, "dpotrf: minor %d of a %zu x %zu matrix is not positive",
			       (int)info, d, d);
	return check_info(info, "dpotrf", d, d);
}

enum err la_cholesky_solve(const struct mat *factor, double *x, size_t count)
{
	size_t d = factor->rows;

	if (count == 0)
		return ERR_OK;
	/* Rows of d values are columns to LAPACK. */
	return check_info(LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'U', blas_int(d), blas_int(count),
					 factor->a, blas_int(d), x, blas_int(d)),
			  "dpotrs", d, count);
}

/* Columns of one panel, which with a few rows lie in the cache; and from where on panels pay. */
enum { PANEL = 1 << 12, LONG = 1 << 17 };

/* Rows of millions of numbers: dgeqrf goes over all of them for each row anew, out of the cache. So
 * each panel of columns has a factorisation of its own, their triangles, one below the other, have
 * another, and the two orthogonal factors are multiplied (Demmel, Grigori, Hoemmen, Langou 2012,
 * "TSQR"). */
static lapack_int orthonormal_long_rows(struct mat *A)
{
	size_t r = A->rows, c = A->cols, panels = c / PANEL, high = panels * r;
	double *tau = alloc(r, sizeof(*tau)), *S = alloc(high * r, sizeof(*S));
	double *Q = alloc(2 * (size_t)PANEL * r, sizeof(*Q));
	lapack_int info = 0;

	for (size_t p = 0; p < panels && info == 0; p++) {
		double *a = A->a + p * PANEL;
		size_t n = p + 1 < panels ? PANEL : c - p * PANEL;

		info =
		    LAPACKE_dgeqrf(LAPACK_COL_MAJOR, blas_int(n), blas_int(r), a, blas_int(c), tau);
		for (size_t j = 0; j < r; j++)
			memcpy(S + j * high + p * r, a + j * c, (j + 1) * sizeof(double));
		if (info == 0)
			info = LAPACKE_dorgqr(LAPACK_COL_MAJOR, blas_int(n), blas_int(r),
					      blas_int(r), a, blas_int(c), tau);
	}
	if (info == 0)
		info = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, blas_int(high), blas_int(r), S,
				      blas_int(high), tau);
	if (info == 0)
		info = LAPACKE_dorgqr(LAPACK_COL_MAJOR, blas_int(high), blas_int(r), blas_int(r), S,
				      blas_int(high), tau);
	for (size_t p = 0; p < panels && info == 0; p++) {
		double *a = A->a + p * PANEL;
		size_t n = p + 1 < panels ? PANEL : c - p * PANEL;

		cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, blas_int(n), blas_int(r),
			    blas_int(r), 1, a, blas_int(c), S + p * r, blas_int(high), 0, Q,
			    blas_int(n));
		for (size_t j = 0; j < r; j++)
			memcpy(a + j * c, Q + j * n, n * sizeof(double));
	}
	free(Q);
	free(S);
	free(tau);
	return info;
}

enum err la_orthonormal_rows(struct mat *A)
{
	size_t r = A->rows, c = A->cols;
	lapack_int info;
	double *tau;

	assert(r <= c);
	TRY(check_finite(A, "dgeqrf"));
	if (c >= LONG && r <= PANEL)
		return check_info(orthonormal_long_rows(A), "dgeqrf and dorgqr", c, r);
	ALLOC(tau, r);
	info = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, blas_int(c), blas_int(r), A->a, blas_int(c), tau);
	if (info == 0)
		info = LAPACKE_dorgqr(LAPACK_COL_MAJOR, blas_int(c), blas_int(r), blas_int(r), A->a,
				      blas_int(c), tau);
	free(tau);
	return check_info(info, "dgeqrf and dorgqr", c, r);
}

enum err la_singular_rows(struct mat *A, double *sigma, struct mat *P)
{
	size_t r = A->rows, c = A->cols;
	double *tau, *unused;
	struct mat R;
	lapack_int info;

	assert(r <= c);
	TRY(check_finite(A, "dgeqrf"));
	ALLOC(tau, r);
	ALLOC(unused, r);
	mat_init(&R, r, r);
	mat_init(P, r, r);
	/* A' = Q R; R = U S W' gives A = W S (Q U)', so P = W. */
	info = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, blas_int(c), blas_int(r), A->a, blas_int(c), tau);
	for (size_t j = 0; j < r; j++)
		memcpy(ROW(&R, j), ROW(A, j), (j + 1) * sizeof(double));
	/* W' column by column is W row by row. */
	if (info == 0)
		info = LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'A', blas_int(r), blas_int(r), R.a,
				      blas_int(r), sigma, NULL, 1, P->a, blas_int(r), unused);
	mat_release(&R);
	free(unused);
	free(tau);
	if (info != 0)
		mat_release(P);
	return check_info(info, "dgeqrf and dgesvd", c, r);
}

enum err la_tridiagonal_top(const double *a, const double *b, size_t n, double *value, double *last)
{
	double *room = alloc(n, 4 * sizeof(*room));
	double *diagonal = room, *beside = room + n, *vector = beside + n, *all = vector + n;
	lapack_int found, info, support[2];

	memcpy(diagonal, a, n * sizeof(double));
	memcpy(beside, b, (n - 1) * sizeof(double));
	info =
	    LAPACKE_dstevr(LAPACK_COL_MAJOR, 'V', 'I', blas_int(n), diagonal, beside, 0, 0,
			   blas_int(n), blas_int(n), 0, &found, all, vector, blas_int(n), support);
	*value = all[0];
	*last = fabs(vector[n - 1]);
	free(room);
	return check_info(info, "dstevr", n, n);
}
