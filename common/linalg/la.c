#include "common/linalg/la.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/linalg/own.h"
#include "common/linalg/parallel.h"

#include <assert.h>
#include <cblas.h>
#include <errno.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RESERVE_S = 5 };

__attribute__((constructor)) static void pin_blas(void)
{
	openblas_set_num_threads(1);
}

/* Exported by OpenBLAS without a declaration in its headers. */
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
	static unsigned n; /* static, because the thread reads it and may outlive this function */
	static const struct timespec pause = { .tv_nsec = 1000000 };
	double until_s = clock_now_s() + RESERVE_S;
	pthread_t thread;
	int bad;

	if (!blas_memory_alloc || !blas_memory_free)
		return ERR_OK;
	n = threads < 1 ? 1 : threads > PARALLEL_MAX ? PARALLEL_MAX : threads;
	bad = pthread_create(&thread, NULL, take_buffers, &n);
	if (bad)
		return err_set(ERR_INTERNAL, "a thread cannot be started: %s", strerror(bad));
	/* pthread_clockjoin_np() could wait by the clock of clock_now_s(), but ThreadSanitizer does
	 * not support it. */
	while ((bad = pthread_tryjoin_np(thread, NULL)) == EBUSY && clock_now_s() < until_s)
		nanosleep(&pause, NULL);
	if (bad)
		return err_set(ERR_INTERNAL,
			       "OpenBLAS cannot have its buffers for %u threads: the address space "
			       "(ulimit -v, LimitAS=) is too small, or threads too many",
			       n);
	return ERR_OK;
}

int la_int(size_t n)
{
	assert(n <= INT_MAX); /* the readers of files refuse so many rows or columns */
	return (int)n;
}

void la_block_nt(size_t m, size_t n, size_t k, const double *A, const double *B, double *C,
		 size_t ldc)
{
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, la_int(m), la_int(n), la_int(k), 1, A,
		    la_int(k), B, la_int(k), 0, C, la_int(ldc));
}

/* Checks that A is finite, since LAPACK may not terminate on infinities. */
static enum err la_check_finite(const struct mat *A, const char *who)
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
			    s.b_transposed ? CblasTrans : CblasNoTrans, la_int(s.m), la_int(s.n),
			    la_int(s.k), 1, A, la_int(s.a_transposed ? s.m : s.k), B,
			    la_int(s.b_transposed ? s.k : s.n), s.add ? 1 : 0, C, la_int(s.n));
}

void la_product_f64(struct la_shape s, const double *A, const double *B, double *C)
{
	if (s.m && s.n)
		cblas_dgemm(CblasRowMajor, s.a_transposed ? CblasTrans : CblasNoTrans,
			    s.b_transposed ? CblasTrans : CblasNoTrans, la_int(s.m), la_int(s.n),
			    la_int(s.k), 1, A, la_int(s.a_transposed ? s.m : s.k), B,
			    la_int(s.b_transposed ? s.k : s.n), s.add ? 1 : 0, C, la_int(s.n));
}

enum err la_eigen_top(struct mat *G, size_t d, double *value, struct mat *V)
{
	size_t n = G->rows;
	lapack_int found, info, *support;
	double *rising;

	assert(n == G->cols && 1 <= d && d <= n);
	TRY(la_check_finite(G, "dsyevr"));
	ALLOC(rising, n);
	ALLOC(support, 2 * n);
	mat_init(V, d, n);
	/* Column-major with n rows is row-major with n columns: the eigenvectors are V's rows. */
	info = LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'L', la_int(n), G->a, la_int(n), 0, 0,
			      la_int(n - d + 1), la_int(n), 0, &found, rising, V->a, la_int(n),
			      support);
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

/* Counts the eigenvalues of G above `from`: the positive pivots of G - from I (Sylvester). */
static enum err eigen_above(const struct mat *G, double from, size_t *above)
{
	size_t n = G->rows;
	lapack_int *pivot, info;
	struct mat F;

	mat_copy(&F, G);
	for (size_t i = 0; i < n; i++)
		MAT(&F, i, i) -= from;
	ALLOC(pivot, n);
	info = LAPACKE_dsytrf(LAPACK_COL_MAJOR, 'L', la_int(n), F.a, la_int(n), pivot);
	*above = 0;
	for (size_t i = 0; i < n; i++) {
		double a = MAT(&F, i, i), b, c;

		if (pivot[i] > 0 || i + 1 == n) {
			*above += a > 0;
			continue;
		}
		/* A 2 x 2 pivot: b is the entry below the diagonal, in column-major order. */
		b = MAT(&F, i, i + 1);
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
	TRY(la_check_finite(G, "dpotrf"));
	info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', la_int(d), G->a, la_int(d));
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
	/* Row-major rows of d values are columns for LAPACK, which is column-major. */
	return check_info(LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'U', la_int(d), la_int(count), factor->a,
					 la_int(d), x, la_int(d)),
			  "dpotrs", d, count);
}

/* PANEL: number of columns of a panel; a panel of few rows fits in the cache. LONG: number of
 * columns from which panels are faster. */
enum { PANEL = 1 << 12, LONG = 1 << 17 };

/* Orthonormalises rows of millions of numbers. dgeqrf would read all of A from memory once per row.
 * So this factorises each panel of columns, then the stacked triangles, and multiplies the two
 * orthogonal factors (Demmel, Grigori, Hoemmen, Langou 2012, "TSQR"). */
static lapack_int orthonormal_long_rows(struct mat *A)
{
	size_t r = A->rows, c = A->cols, panels = c / PANEL, high = panels * r;
	double *tau = alloc(r, sizeof(*tau)), *S = alloc(high * r, sizeof(*S));
	double *Q = alloc(2 * (size_t)PANEL * r, sizeof(*Q));
	lapack_int info = 0;

	for (size_t p = 0; p < panels && info == 0; p++) {
		double *a = A->a + p * PANEL;
		size_t n = p + 1 < panels ? PANEL : c - p * PANEL;

		info = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, la_int(n), la_int(r), a, la_int(c), tau);
		for (size_t j = 0; j < r; j++)
			memcpy(S + j * high + p * r, a + j * c, (j + 1) * sizeof(double));
		if (info == 0)
			info = LAPACKE_dorgqr(LAPACK_COL_MAJOR, la_int(n), la_int(r), la_int(r), a,
					      la_int(c), tau);
	}
	if (info == 0)
		info =
		    LAPACKE_dgeqrf(LAPACK_COL_MAJOR, la_int(high), la_int(r), S, la_int(high), tau);
	if (info == 0)
		info = LAPACKE_dorgqr(LAPACK_COL_MAJOR, la_int(high), la_int(r), la_int(r), S,
				      la_int(high), tau);
	for (size_t p = 0; p < panels && info == 0; p++) {
		double *a = A->a + p * PANEL;
		size_t n = p + 1 < panels ? PANEL : c - p * PANEL;

		cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, la_int(n), la_int(r),
			    la_int(r), 1, a, la_int(c), S + p * r, la_int(high), 0, Q, la_int(n));
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
	TRY(la_check_finite(A, "dgeqrf"));
	if (c >= LONG && r <= PANEL)
		return check_info(orthonormal_long_rows(A), "dgeqrf and dorgqr", c, r);
	ALLOC(tau, r);
	info = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, la_int(c), la_int(r), A->a, la_int(c), tau);
	if (info == 0)
		info = LAPACKE_dorgqr(LAPACK_COL_MAJOR, la_int(c), la_int(r), la_int(r), A->a,
				      la_int(c), tau);
	free(tau);
	return check_info(info, "dgeqrf and dorgqr", c, r);
}

/* LAPACK's own block size: columns that dgeqrf applies at once. */
enum { GEQRF_BLOCK = 32 };

/* State of the computation of the triangular factor (r x r, row-major) of A' from blocks of A's
 * columns. */
struct triangles {
	size_t r;
	double *tau, *work; /* tau: r values. work: r x GEQRF_BLOCK values, for dgeqrf */
	double *room;       /* scratch for a block, column-major */
	int info;           /* LAPACK's result of the first failure; 0: none */
};

static void triangles_init(struct triangles *t, size_t r)
{
	*t = (struct triangles){ .r = r };
	ALLOC(t->tau, r);
	ALLOC(t->work, r * GEQRF_BLOCK);
	t->room = alloc(r, (2 * r > ROWSUM_ROWS ? 2 * r : ROWSUM_ROWS) * sizeof(double));
}

static void triangles_release(struct triangles *t)
{
	free(t->tau);
	free(t->work);
	free(t->room);
}

/* Computes R (r x r, row-major, upper; zeros below and beyond `rows`), the triangular factor of
 * room (rows x r, column-major). */
static void la_triangle_of(struct triangles *t, size_t rows, double *R)
{
	size_t r = t->r;
	/* calls the variant that does not check for NaN, since triangle_singular() detects NaN in
	 * the factor */
	lapack_int info =
	    LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, la_int(rows), la_int(r), t->room, la_int(rows),
				t->tau, t->work, la_int(r * GEQRF_BLOCK));

	if (t->info == 0)
		t->info = info;
	memset(R, 0, r * r * sizeof(*R));
	for (size_t j = 0; j < r; j++)
		for (size_t i = 0; i <= j && i < rows; i++)
			R[i * r + j] = t->room[j * rows + i];
}

static void triangle_join(void *triangles, double *into, double *from)
{
	struct triangles *t = triangles;
	size_t r = t->r;

	for (size_t j = 0; j < r; j++)
		for (size_t i = 0; i < r; i++) {
			t->room[j * 2 * r + i] = into[i * r + j];
			t->room[j * 2 * r + r + i] = from[i * r + j];
		}
	la_triangle_of(t, 2 * r, into);
}

/* Computes sigma and P of la_singular_rows() from the factor of all blocks. c: columns, for
 * errors. */
static enum err triangle_singular(const struct triangles *t, const double *R, size_t c,
				  double *sigma, struct mat *P)
{
	size_t r = t->r;
	lapack_int info = t->info;
	struct mat copy;
	double *unused;

	for (size_t i = 0; i < r * r; i++)
		if (!isfinite(R[i]))
			return err_set(ERR_INPUT,
				       "dgeqrf: a factor of %zu x %zu is not finite: the features "
				       "are too large, scale them down",
				       c, r);
	/* A' = Q R; R = U S W' gives A = W S (Q U)', so P = W. */
	ALLOC(unused, r);
	mat_init(P, r, r);
	mat_init(&copy, r, r);
	for (size_t i = 0; i < r; i++)
		for (size_t j = i; j < r; j++)
			MAT(&copy, j, i) = R[i * r + j];
	/* W' column by column is W row by row. */
	if (info == 0)
		info = LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'A', la_int(r), la_int(r), copy.a,
				      la_int(r), sigma, NULL, 1, P->a, la_int(r), unused);
	mat_release(&copy);
	free(unused);
	if (info != 0)
		mat_release(P);
	return check_info(info, "dgeqrf and dgesvd", c, r);
}

enum err la_singular_blocks(const struct ranks *R, const struct la_blocks *A, double *sigma,
			    struct mat *P)
{
	struct triangles t;
	double *factor;
	struct rowsum s;
	enum err err;

	assert(A->r <= A->c || R);
	triangles_init(&t, A->r);
	ALLOC(factor, A->r * A->r);
	ranks_sum_begin(R, &s, A->r * A->r, triangle_join, &t);
	for (size_t b = 0; b < rowsum_blocks(A->c); b++) {
		struct mat part = { A->r, rowsum_rows(A->c, b), t.room };
		double *to = rowsum_open(&s);

		A->block(A->ctx, b * ROWSUM_ROWS, &part);
		la_triangle_of(&t, part.cols, to);
		rowsum_close(&s);
	}
	ranks_sum_end(R, &s, factor);
	err = triangle_singular(&t, factor, ranks_n(R, A->c), sigma, P);
	free(factor);
	triangles_release(&t);
	return err;
}

static void la_columns(void *ctx, size_t first, struct mat *to)
{
	const struct mat *A = ctx;

	for (size_t j = 0; j < to->rows; j++)
		memcpy(ROW(to, j), ROW(A, j) + first, to->cols * sizeof(*to->a));
}

enum err la_singular_rows(const struct ranks *R, const struct mat *A, double *sigma, struct mat *P)
{
	struct la_blocks blocks = { A->rows, A->cols, la_columns, (void *)(uintptr_t)A };

	return la_singular_blocks(R, &blocks, sigma, P);
}

enum err la_tridiagonal_top(const double *a, const double *b, size_t n, double *value, double *last)
{
	double *room = alloc(n, 4 * sizeof(*room));
	double *diagonal = room, *beside = room + n, *vector = beside + n, *all = vector + n;
	lapack_int found, info, support[2];

	memcpy(diagonal, a, n * sizeof(double));
	memcpy(beside, b, (n - 1) * sizeof(double));
	info = LAPACKE_dstevr(LAPACK_COL_MAJOR, 'V', 'I', la_int(n), diagonal, beside, 0, 0,
			      la_int(n), la_int(n), 0, &found, all, vector, la_int(n), support);
	*value = all[0];
	*last = fabs(vector[n - 1]);
	free(room);
	return check_info(info, "dstevr", n, n);
}
