/* chi.h -- Pearson's chi-square, for tests of distributions. */
#ifndef TESTS_UNIT_SERVER_RUN_CHI_H
#define TESTS_UNIT_SERVER_RUN_CHI_H

#include <math.h>
#include <stddef.h>

/* Returns sum (seen - expected)^2 / expected. Where expected is 0, seen must be 0, too. */
static inline double chi_square(const size_t *seen, const double *expected, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		double gap = (double)seen[i] - expected[i];

		if (expected[i] > 0)
			sum += gap * gap / expected[i];
		else if (seen[i])
			return INFINITY;
	}
	return sum;
}

/* Returns the value that chi-square exceeds with probability 1e-9; 5.998 is the normal
 * distribution's quantile. After Wilson and Hilferty, PNAS 17 (1931): the cube root of chi-square
 * is nearly normal. */
static inline double chi_limit(size_t degrees)
{
	double v = 2 / (9 * (double)degrees), root = 1 - v + 5.998 * sqrt(v);

	return (double)degrees * root * root * root;
}

#endif
