/* sample.h -- which nodes all polish steps but the last are over (job.polish_rows). */
#ifndef PROTOCOLS_KCAGC_SAMPLE_H
#define PROTOCOLS_KCAGC_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* Of each cluster that has fewer, all its nodes; of any other at least so many: a mean of few is a poor centre. */
enum { POLISH_LEAST = 64 };

/* node (n; filled from the front, rising): of each of k clusters as large a share as `rows` is of n, rounded up, and no
 * fewer than POLISH_LEAST. Returns how many, at most rows + k (POLISH_LEAST + 1) and n; all n if rows is 0.
 * label: n, below k. Who has the same labels and seed has the same sample. O(n + k). */
size_t polish_sample(const uint32_t *label, size_t n, unsigned k, size_t rows, uint64_t seed, uint32_t *node);

#endif
