/* sort.h -- sorts arrays of texts and numbers in place, rising. */
#ifndef COMMON_BASE_SORT_H
#define COMMON_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

void sort_texts(const char **text, size_t n); /* by strcmp() */
void sort_reals(double *x, size_t n);         /* no NaN */
/* Puts the k-th of n numbers (0: the least) in its place, no greater ones before it, no smaller
 * ones after it, and returns it. O(n) in the mean. */
double sort_reals_until(double *x, size_t n, size_t k); /* no NaN */
void sort_u32(uint32_t *x, size_t n);
void sort_u64(uint64_t *x, size_t n);

struct keyed {
	double key; /* no NaN */
	uint32_t item;
};
void sort_keyed(struct keyed *x, size_t n); /* sorts by key, then by item */

#endif
