#include "server/kcagc/starts.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"

#include <assert.h>
#include <stdlib.h>

void starts_uniform(uint32_t *label, size_t m, unsigned K, unsigned R, uint64_t seed,
		    uint32_t stream)
{
	assert(m > K);
	for (unsigned r = 0; r < R; r++) {
		uint32_t *start = label + r * m;
		struct rng rng;

		rng_seed(&rng, seed, (uint64_t)stream << 32 | r);
		for (uint32_t c = 0; c < K;) {
			size_t i = rng_below(&rng, m);

			if (start[i] == K)
				start[i] = c++;
		}
	}
}

/* An index with probability mass[i] / total. */
static size_t draw(struct rng *rng, const double *mass, size_t m)
{
	double total = 0, x;
	size_t last = 0;

	for (size_t i = 0; i < m; i++)
		total += mass[i];
	x = rng_unit(rng) * total;
	for (size_t i = 0; i < m; i++) {
		if (mass[i] <= 0)
			continue;
		last = i;
		x -= mass[i];
		if (x < 0)
			break;
	}
	return last; /* rounding may leave x at 0 after the last */
}

static uint32_t hamming(const uint32_t *a, const uint32_t *b, size_t n)
{
	uint32_t differ = 0;

	for (size_t i = 0; i < n; i++)
		differ += a[i] != b[i];
	return differ;
}

void starts_spread(uint32_t *label, size_t m, unsigned K, unsigned R, const double *weight,
		   const uint32_t *tuple, size_t children, uint64_t seed, uint32_t stream)
{
	double *mass = alloc(m, sizeof(*mass));
	uint32_t *h = alloc(m, sizeof(*h));

	assert(m > K);
	for (unsigned r = 0; r < R; r++) {
		struct rng rng;

		rng_seed(&rng, seed, (uint64_t)stream << 32 | r);
		for (size_t i = 0; i < m; i++) {
			mass[i] = weight[i];
			h[i] = (uint32_t)children + 1;
		}
		for (uint32_t c = 0; c < K; c++) {
			size_t chosen = draw(&rng, mass, m);

			label[r * m + chosen] = c;
			for (size_t i = 0; i < m; i++) {
				uint32_t differ = hamming(tuple + i * children,
							  tuple + chosen * children, children);

				h[i] = differ < h[i] ? differ : h[i];
				mass[i] = weight[i] * h[i] * h[i]; /* the chosen have h = 0 */
			}
		}
		progress_tick();
	}
	free(mass);
	free(h);
}
