#include "common/linalg/triangle.h"
#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>

static size_t entries(size_t n)
{
	return n / 2 * (n - 1 + n % 2);
}

void triangle_init(struct triangle *h, size_t n)
{
	h->n = n;
	h->a = alloc(entries(n), sizeof(*h->a));
}

void triangle_copy(struct triangle *h, const struct triangle *from)
{
	triangle_init(h, from->n);
	memcpy(h->a, from->a, entries(h->n) * sizeof(*h->a));
}

void triangle_release(struct triangle *h)
{
	free(h->a);
	*h = (struct triangle){ 0 };
}

double triangle_bytes(size_t n)
{
	return (double)n * ((double)n - 1) / 2 * sizeof(float);
}

void triangle_get_row(const struct triangle *h, size_t i, float *row)
{
	/* Column i: each stored row is one entry shorter than the previous row. */
	for (size_t j = 0, at = i - 1; j < i; j++) {
		row[j] = h->a[at];
		at += h->n - j - 2;
	}
	row[i] = 0;
	if (i + 1 < h->n)
		memcpy(row + i + 1, h->a + triangle_row(h->n, i) + i + 1,
		       (h->n - i - 1) * sizeof(*row));
}
