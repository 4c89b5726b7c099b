#include "protocols/kcagc/degrees.h"

#include <math.h>

/* Logarithms that differ by less than this are equal except for rounding. */
static const double SAME = 1e-12;

double degrees_logarithm(const struct graph *g, size_t i)
{
	return -2 * log(g->inv_sqrt_deg[i]); /* logarithm of the degree in A + I */
}

void degrees_divide(double *z, size_t rows, double square)
{
	for (size_t i = 0; i < rows; i++)
		z[i] = square > SAME * SAME ? z[i] / sqrt(square) : 0;
}

double degrees_scale(double most)
{
	return 1 / sqrt(1 + most);
}
