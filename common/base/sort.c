#include "common/base/sort.h"

#include <stdlib.h>
#include <string.h>

static int sort_by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void sort_texts(const char **text, size_t n)
{
	qsort(text, n, sizeof(*text), sort_by_text);
}

#define SORT(name, type)                                                                           \
	static int name##_order(const void *a, const void *b)                                      \
	{                                                                                          \
		type x = *(const type *)a, y = *(const type *)b;                                   \
                                                                                                   \
		return (x > y) - (x < y);                                                          \
	}                                                                                          \
	void name(type *x, size_t n)                                                               \
	{                                                                                          \
		qsort(x, n, sizeof(*x), name##_order);                                             \
	}

/* The algorithm is "Find" (Hoare 1961). */
double sort_reals_until(double *x, size_t n, size_t k)
{
	ptrdiff_t first = 0, last = (ptrdiff_t)n - 1, at = (ptrdiff_t)k;

	while (first < last) {
		ptrdiff_t i = first, j = last;
		double pivot = x[at];

		while (i <= j) {
			double swap;

			while (x[i] < pivot)
				i++;
			while (pivot < x[j])
				j--;
			if (i > j)
				break;
			swap = x[i];
			x[i++] = x[j];
			x[j--] = swap;
		}
		if (j < at)
			first = i;
		if (at < i)
			last = j;
	}
	return x[k];
}

static int sort_keyed_order(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

void sort_keyed(struct keyed *x, size_t n)
{
	qsort(x, n, sizeof(*x), sort_keyed_order);
}

SORT(sort_reals, double)
SORT(sort_u32, uint32_t)
SORT(sort_u64, uint64_t)
#undef SORT
