#include "common/kcagc/degrees.h"

#include <math.h>

/* Logarithms that are all the same differ in their last digits at most. */
static const double SAME = 1e-12;

void degrees_column(const struct graph *g, double *z)
{
	size_t n = g->adjacency.rows;
	double mean = 0, square = 0;

	for (size_t i = 0; i < n; i++) {
		z[i] = -2 * log(g->inv_sqrt_deg[i]); /* of A + I */
		mean += z[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		z[i] -= mean;
		square += z[i] * z[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++)
		z[i] = square > SAME * SAME ? z[i] / sqrt(square) : 0;
}

double degrees_scale(const double *z, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, z[i] * z[i]);
	return 1 / sqrt(1 + most);
}
