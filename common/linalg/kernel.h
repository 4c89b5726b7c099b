/* kernel.h -- the Gaussian kernel k(a, b) = exp(-||a - b||^2 / (2 r^2)) between rows, and its width:
 * FedSC (Qiao, Ding, Fan, NeurIPS 2023), footnote 2 and Appendix D.3. Same bits for any threads. */
#ifndef COMMON_LINALG_KERNEL_H
#define COMMON_LINALG_KERNEL_H

#include "common/linalg/mat.h"

#include <stddef.h>

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
