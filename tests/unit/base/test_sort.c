/* Compares the k-th smallest of n numbers with the sorted array. */
#include "tests/test.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 40 };

static void check(const double *from, size_t n)
{
	double sorted[MOST], x[MOST];

	memcpy(sorted, from, n * sizeof(*x));
	sort_reals(sorted, n);
	for (size_t k = 0; k < n; k++) {
		memcpy(x, from, n * sizeof(*x));
		assert_true(sort_reals_until(x, n, k) == sorted[k] && x[k] == sorted[k]);
		for (size_t i = 0; i < n; i++)
			assert_true(i < k ? x[i] <= x[k] : x[i] >= x[k]);
		sort_reals(x, n); /* no number was lost */
		assert_memory_equal(x, sorted, n * sizeof(*x));
	}
}

TEST(as_sorted)
{
	double x[MOST];
	struct rng rng;

	rng_seed(&rng, 1, 0);
	for (size_t n = 1; n <= MOST; n++)
		/* With values = 1 all numbers are equal. */
		for (unsigned values = 1; values <= 2 * MOST; values *= 3) {
			for (size_t i = 0; i < n; i++)
				x[i] = (double)rng_below(&rng, values) - 2;
			check(x, n);
			sort_reals(x, n);
			check(x, n);
			for (size_t i = 0; i < n / 2; i++) {
				double swap = x[i];

				x[i] = x[n - 1 - i];
				x[n - 1 - i] = swap;
			}
			check(x, n);
		}
}
