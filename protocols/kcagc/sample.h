/* sample.h -- samples the nodes of all polish steps but the last (job.polish_rows). */
#ifndef PROTOCOLS_KCAGC_SAMPLE_H
#define PROTOCOLS_KCAGC_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* Least nodes per cluster (all nodes of a smaller cluster): a mean of few nodes is a poor
 * centre. */
enum { POLISH_LEAST = 64 };

/* node (n; filled from the front, ascending): of each of k clusters the share that `rows` is of n,
 * rounded up, and no fewer than POLISH_LEAST. Returns the count, at most rows + k (POLISH_LEAST +
 * 1) and n; all n if rows is 0. label: n, below k. The same labels and seed give the same sample.
 * O(n + k). */
size_t polish_sample(const uint32_t *label, size_t n, unsigned k, size_t rows, uint64_t seed,
		     uint32_t *node);

#endif
