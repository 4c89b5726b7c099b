/* distance.h -- squared distances between rows and a few centres (the inner loop of k-means), and
 * the Gaussian kernel of distances between rows.
 *
 * The method depends only on the shape. For few dimensions, few centres or a small product of both
 * it sums squared differences, which are exactly zero for equal rows. Otherwise it computes ||z||^2
 * - 2 z.c + ||c||^2 by dgemm over fixed blocks of rows. It first shifts both sides by the mean
 * centre, so that data far from the origin lose no digits. */
#ifndef COMMON_LINALG_DISTANCE_H
#define COMMON_LINALG_DISTANCE_H

#include "common/linalg/mat.h"

#include <stdbool.h>

/* DISTANCE_ROWS: rows of a block. DISTANCE_STRIDE: doubles from one column of a block to the next.
 * A power of two would make columns evict each other from the cache. */
enum { DISTANCE_ROWS = 256, DISTANCE_STRIDE = DISTANCE_ROWS + 8 };

struct distance {
	size_t k, d, padded;     /* padded: k rounded up to a multiple of 4 */
	double *across;          /* d x padded, centres as columns; NULL: dgemm is used */
	double *shift;           /* d: the mean centre */
	double *centre, *square; /* k x d shifted centres and their squared lengths */
	double *rows;            /* DISTANCE_ROWS x d shifted rows: scratch */
	double *D;               /* DISTANCE_ROWS x k: scratch, allocated on first use */
};

void distance_init(struct distance *s, size_t k, size_t d);
void distance_set(struct distance *s, const double *c); /* k x d; may be called repeatedly */
void distance_release(struct distance *s);

/* D[i * k + r] = ||z_i - c_r||^2 >= 0 for count <= DISTANCE_ROWS rows of z (count x d). A row's
 * distances are bitwise identical only at the same position of a block, so cut blocks from row 0
 * on. O(count k d). */
void distance_block(struct distance *s, const double *z, size_t count, double *D);

/* Rows whose distances are computed repeatedly. Up to 64 dimensions, rows are copied as columns
 * (blocks of d x DISTANCE_STRIDE, zero-padded), which uses all vector lanes even with few centres.
 * Z must outlive this struct. Threads may share it. */
struct distance_rows {
	const struct mat *Z;
	double *column; /* NULL above 64 dimensions */
};

void distance_rows_init(struct distance_rows *r, const struct mat *Z);
void distance_rows_release(struct distance_rows *r);

static inline size_t distance_count(size_t n, size_t first)
{
	return n - first < DISTANCE_ROWS ? n - first : DISTANCE_ROWS;
}

/* D[r * DISTANCE_STRIDE + i] = ||z_(first + i) - c_r||^2 for the block that begins at row `first`,
 * bitwise identical to distance_block(). D is k x DISTANCE_STRIDE; entries beyond the rows are
 * undefined. O(DISTANCE_ROWS k d). */
void distance_by_centre(struct distance *s, const struct distance_rows *z, size_t first, double *D);

/* True if the distances of a row do not depend on its block. Only then call distance_columns(): it
 * takes count <= DISTANCE_ROWS rows as columns, column[j * DISTANCE_STRIDE + i], and may also read
 * entries with i from count to DISTANCE_ROWS - 1. D has the layout of distance_by_centre(), and is
 * bitwise identical to its result. */
bool distance_has_columns(const struct distance *s, const struct distance_rows *z);
void distance_columns(struct distance *s, const double *column, size_t count, double *D);

/* -- the Gaussian kernel k(a, b) = exp(-||a - b||^2 / (2 r^2)), and its width --------------- */

/* FedSC (Qiao, Ding, Fan, NeurIPS 2023), footnote 2 and Appendix D.3. Bitwise identical for any
 * number of threads. */
enum { KERNEL_ROWS = 256, KERNEL_SAMPLE = 4096 };

void kernel_squares(const struct mat *A, double *square);

/* D (count x B.rows) becomes the squared distances >= 0 of the rows of a (count x B.cols) to the
 * rows of B. sa, sb: squared lengths of these rows. Computes one product on this thread. */
void kernel_distances(const double *a, const double *sa, size_t count, const struct mat *B,
		      const double *sb, double *D);

/* D <- exp(-D / (2 r^2)), n values. */
void kernel_of_distances(double *D, size_t n, double r);

/* Computes K (A.rows x B.rows, initialised here). If A == B, K is exactly symmetric and has ones on
 * its diagonal. O(A.rows B.rows A.cols). */
void kernel_gaussian(const struct mat *A, const struct mat *B, double r, unsigned threads,
		     struct mat *K);

/* Returns the mean of ||x_i - x_j|| over all i, j, i = j included, or over KERNEL_SAMPLE evenly
 * spaced rows if X has more. With n rows, O(n^2 X.cols). */
double kernel_mean_distance(const struct mat *X, unsigned threads);

#endif
