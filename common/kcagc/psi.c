#include "common/kcagc/psi.h"
#include "common/base/alloc.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

unsigned psi_gcc(const double *spread2, double square, size_t n, size_t m, unsigned cap)
{
	double scale = sqrt((double)n / square), least = (double)m / (double)n;
	unsigned p = 1;

	assert(square > 0 && n > 0 && cap >= 1);
	while (p < cap && scale * (sqrt(spread2[p]) - sqrt(spread2[p + 1])) >= least)
		p++;
	return p;
}

unsigned psi_agc(const double *intra, size_t count)
{
	for (size_t t = 1; t < count; t++)
		if (intra[t] > intra[t - 1])
			return (unsigned)t;
	return 0;
}

double psi_intra(const struct mat *X, const uint32_t *label, size_t k)
{
	size_t m = X->cols;
	double *size, *apart, sum = 0;
	struct mat mean;

	mat_init(&mean, k, m);
	ALLOC(size, k);
	ALLOC(apart, k);
	for (size_t i = 0; i < X->rows; i++) {
		assert(label[i] < k);
		size[label[i]]++;
		for (size_t j = 0; j < m; j++)
			MAT(&mean, label[i], j) += MAT(X, i, j);
	}
	for (size_t c = 0; c < k; c++)
		for (size_t j = 0; size[c] > 0 && j < m; j++)
			MAT(&mean, c, j) /= size[c];
	for (size_t i = 0; i < X->rows; i++)
		for (size_t j = 0; j < m; j++) {
			double gap = MAT(X, i, j) - MAT(&mean, label[i], j);

			apart[label[i]] += gap * gap;
		}
	for (size_t c = 0; c < k; c++)
		sum += size[c] > 0 ? 2 * apart[c] / size[c] : 0;
	free(apart);
	free(size);
	mat_release(&mean);
	return sum / (double)k;
}
