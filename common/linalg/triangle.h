/* triangle.h -- the upper half of a symmetric n x n matrix with a zero diagonal, in float, for
 * pairwise dissimilarities of a graph's vertices. 213 MB at n = 10312. */
#ifndef COMMON_LINALG_TRIANGLE_H
#define COMMON_LINALG_TRIANGLE_H

#include <stddef.h>

struct triangle {
	size_t n;
	float *a; /* owned; rows 0 .. n-2, row i holds entries (i, i+1) .. (i, n-1) */
};

void triangle_init(struct triangle *h, size_t n); /* zeroed */
void triangle_copy(struct triangle *h, const struct triangle *from);
void triangle_release(struct triangle *h);
double triangle_bytes(size_t n);

/* Returns the offset for row i: entry (i, j), i < j, is a[triangle_row(n, i) + j]. For i = 0 the
 * unsigned result wraps below 0; adding j wraps it back. */
static inline size_t triangle_row(size_t n, size_t i)
{
	return i * n - i * (i + 1) / 2 - i - 1;
}

static inline float *triangle_at(const struct triangle *h, size_t i, size_t j) /* i != j */
{
	return h->a + (i < j ? triangle_row(h->n, i) + j : triangle_row(h->n, j) + i);
}

/* row (n): row i of the full matrix, with row[i] = 0. O(n). */
void triangle_get_row(const struct triangle *h, size_t i, float *row);

#endif
