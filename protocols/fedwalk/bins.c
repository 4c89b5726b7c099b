#include "protocols/fedwalk/bins.h"
#include "common/base/alloc.h"
#include "common/base/sort.h"
#include "common/base/rng.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 256 };     /* number of noise steps per unit of count */
enum { BIN_STREAM = 1 }; /* stream of the job's seed */
#define LARGEST 65535.0  /* bound of a degree vector's entries */

unsigned fedwalk_bins_default(size_t n)
{
	double k = n > 1 ? floor(log((double)n)) : 1;

	return k < 1 ? 1 : (unsigned)k;
}

void fedwalk_bins(size_t n, unsigned k, uint64_t seed, uint8_t *bin)
{
	uint32_t *perm;
	struct rng rng;

	assert(k >= 1 && k <= FEDWALK_BINS_MAX && k <= n);
	ALLOC(perm, n);
	for (size_t i = 0; i < n; i++)
		perm[i] = (uint32_t)i;
	rng_seed(&rng, seed, BIN_STREAM);
	rng_shuffle(&rng, perm, n);
	for (size_t i = 0; i < n; i++)
		bin[perm[i]] = (uint8_t)(i % k);
	free(perm);
}

enum err fedwalk_counts(const struct noise_source *source, double eps, const uint8_t *bin,
			unsigned k, const uint32_t *neighbour, size_t degree, float *c)
{
	double count[FEDWALK_BINS_MAX] = { 0 };
	struct draw draw;

	if (!(eps >= FEDWALK_EPS_MIN && eps <= FEDWALK_EPS_MAX))
		return err_set(ERR_INPUT, "eps is %g, expected %g .. %g", eps, FEDWALK_EPS_MIN,
			       FEDWALK_EPS_MAX);
	assert(k >= 1 && k <= FEDWALK_BINS_MAX);
	for (size_t i = 0; i < degree; i++)
		count[bin[neighbour[i]]]++;
	draw_init(&draw, source);
	for (unsigned j = 0; j < k; j++) {
		double up = floor(-log(draw_unit_above(&draw)) / (eps / GRID));
		double down = floor(-log(draw_unit_above(&draw)) / (eps / GRID));
		double noisy = count[j] + (up - down) / GRID;

		c[j] = (float)fmax(-LARGEST, fmin(LARGEST, noisy));
	}
	return draw_end(&draw);
}

float fedwalk_degree(const float *c, unsigned k)
{
	float sum = 0;

	for (unsigned j = 0; j < k; j++)
		sum += c[j];
	return sum;
}

void fedwalk_matrix(const float *c, unsigned k, const uint32_t *neighbour, size_t degree, float *M)
{
	struct keyed *r;

	ALLOC(r, degree);
	for (size_t i = 0; i < degree; i++) {
		r[i].item = neighbour[i];
		r[i].key = fedwalk_degree(c + (size_t)neighbour[i] * k, k);
	}
	sort_keyed(r, degree);
	for (size_t i = 0; i < degree; i++)
		memcpy(M + i * k, c + (size_t)r[i].item * k, k * sizeof(*M));
	free(r);
}
