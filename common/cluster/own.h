/* own.h -- k-means' inner loops on blocks of rows, for kmeans.c and for ranks (common/ranks/kmeans.c). */
#ifndef COMMON_CLUSTER_OWN_H
#define COMMON_CLUSTER_OWN_H

#include "common/linalg/mat.h"

#include <stdint.h>

/* What the sums behind k centres in d dimensions take as the width of a rowsum; the sums of one block of it, zeroed
 * before; and the means, where there are any, of the whole. */
size_t kmeans_sum_width(size_t k, size_t d);
void kmeans_sum_block(const double *z, size_t rows, size_t d, size_t k, const double *weight, const uint32_t *label,
		      double *sum);
void kmeans_means(const double *sum, struct mat *c);

/* Of D as distance_by_centre() makes it: label (and least) of `rows` rows, written up to whole vectors. */
void kmeans_block_nearest(const double *D, size_t rows, size_t k, uint32_t *label, double *least);
void kmeans_block_ninth(const double *D, size_t rows, size_t k, uint32_t *label);

#endif
