/* distance.h -- squared distances between rows and a few centres: the inner loop of k-means; and the
 * Gaussian kernel of distances between rows.
 *
 * Two ways, chosen by the shape alone: with few dimensions or few centres the differences themselves
 * (exact zeros for equal rows); otherwise ||z||^2 - 2 z.c + ||c||^2 by dgemm over fixed blocks of
 * rows, both sides moved by the mean centre first, so that data far from the origin loses no digits.
 */
#ifndef COMMON_LINALG_DISTANCE_H
#define COMMON_LINALG_DISTANCE_H

#include "common/linalg/mat.h"

/* Rows of a block, and from one of its columns to the next: were that a power of two, columns would
 * evict each other from the cache. */
enum { DISTANCE_ROWS = 256, DISTANCE_STRIDE = DISTANCE_ROWS + 8 };

/* Centres made ready for many blocks. */
struct distance {
	size_t k, d, padded;     /* padded: k rounded up to a multiple of 4 */
	double *across;          /* d x padded, centres as columns; or NULL: by products */
	double *shift;           /* d: the mean centre */
	double *centre, *square; /* k x d moved centres and their squared lengths */
	double *rows;            /* DISTANCE_ROWS x d moved rows: scratch */
	double *D;               /* DISTANCE_ROWS x k: scratch, made when it is needed */
};

void distance_init(struct distance *s, size_t k, size_t d);
void distance_set(struct distance *s, const double *c); /* k x d; may be set again and again */
void distance_release(struct distance *s);

/* D[i * k + r] = ||z_i - c_r||^2 >= 0 for count <= DISTANCE_ROWS rows of z (count x d). For the
 * same bits a row must come at the same place of its block: cut blocks from row 0. O(count k d). */
void distance_block(struct distance *s, const double *z, size_t count, double *D);

/* Rows that are measured over and over. Up to 64 dimensions they are copied as columns (blocks of
 * d x DISTANCE_STRIDE, zeros where no rows are): side by side they waste no lanes, however few the
 * centres are. Z must outlive it. Threads may share it. */
struct distance_rows {
	const struct mat *Z;
	double *column; /* NULL with more dimensions */
};

void distance_rows_init(struct distance_rows *r, const struct mat *Z);
void distance_rows_release(struct distance_rows *r);

/* Rows in the block that begins with row `first` of n. */
static inline size_t distance_count(size_t n, size_t first)
{
	return n - first < DISTANCE_ROWS ? n - first : DISTANCE_ROWS;
}

/* D[r * DISTANCE_STRIDE + i] = ||z_(first + i) - c_r||^2 for the block that begins with row `first`,
 * the same bits as distance_block() makes. D is k x DISTANCE_STRIDE; where no rows are it may hold
 * anything. O(DISTANCE_ROWS k d). */
void distance_by_centre(struct distance *s, const struct distance_rows *z, size_t first, double *D);

/* -- the Gaussian kernel k(a, b) = exp(-||a - b||^2 / (2 r^2)), and its width --------------------- */

/* FedSC (Qiao, Ding, Fan, NeurIPS 2023), footnote 2 and Appendix D.3. Same bits for any threads. */
enum { KERNEL_ROWS = 256, KERNEL_SAMPLE = 4096 };

/* ||a_i||^2 of each row. */
void kernel_squares(const struct mat *A, double *square);

/* D (count x B.rows) = squared distances >= 0 from `count` rows a (count x B.cols, squares sa) to
 * those of B (squares sb). By one product; on this thread. */
void kernel_distances(const double *a, const double *sa, size_t count, const struct mat *B,
		      const double *sb, double *D);

/* D <- exp(-D / (2 r^2)), n values. */
void kernel_of_distances(double *D, size_t n, double r);

/* K (A.rows x B.rows, initialised here); exactly symmetric with ones on its diagonal if A == B.
 * O(A.rows B.rows m). */
void kernel_gaussian(const struct mat *A, const struct mat *B, double r, unsigned threads,
		     struct mat *K);

/* The mean of ||x_i - x_j|| over all i, j, i = j included; of KERNEL_SAMPLE rows evenly apart if
 * there are more. O(n^2 m). */
double kernel_mean_distance(const struct mat *X, unsigned threads);

#endif
