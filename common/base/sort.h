/* sort.h -- sorts arrays of texts and numbers in place, in ascending order. */
#ifndef COMMON_BASE_SORT_H
#define COMMON_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

void sort_texts(const char **text, size_t n); /* by strcmp() */
void sort_reals(double *x, size_t n);         /* no NaN */
/* Moves the k-th smallest of n numbers (k = 0: the smallest) to x[k] and returns it. Afterwards no
 * number before it is greater, and no number after it is smaller. O(n) on average. */
double sort_reals_until(double *x, size_t n, size_t k); /* no NaN */
void sort_u32(uint32_t *x, size_t n);
void sort_u64(uint64_t *x, size_t n);

struct keyed {
	double key; /* no NaN */
	uint32_t item;
};
void sort_keyed(struct keyed *x, size_t n); /* sorts by key, then by item */

#endif
