#include "common/cluster/stability.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/cluster/kmeans.h"
#include "common/cluster/metrics.h"

#include <stdlib.h>
#include <string.h>

enum { RESTARTS = 5, ROUNDS = 50 };

/* random stream of this module */
static const uint64_t STREAM = 0x68616c766573;

struct half {
	struct mat Z;
	double *weight;
	uint32_t *label;
};

static void half_open(struct half *h, const struct mat *Z, const double *weight,
		      const uint32_t *row, size_t n)
{
	mat_init(&h->Z, n, Z->cols);
	ALLOC(h->weight, n);
	ALLOC(h->label, n);
	for (size_t i = 0; i < n; i++) {
		memcpy(ROW(&h->Z, i), ROW(Z, row[i]), Z->cols * sizeof(double));
		h->weight[i] = weight ? weight[row[i]] : 1;
	}
}

static void half_close(struct half *h)
{
	mat_release(&h->Z);
	free(h->weight);
	free(h->label);
}

/* Returns the share of the weight on which a and b differ, after the best matching of their
 * clusters. */
static double differ(const uint32_t *a, const uint32_t *b, const double *weight, size_t n,
		     unsigned k)
{
	double *cost = alloc((size_t)k * k, sizeof(*cost)), all = 0, same = 0;
	size_t *match = alloc(k, sizeof(*match));

	for (size_t i = 0; i < n; i++) {
		cost[a[i] * k + b[i]] -= weight[i];
		all += weight[i];
	}
	hungarian(cost, k, match);
	for (size_t r = 0; r < k; r++)
		same -= cost[r * k + match[r]];
	free(match);
	free(cost);
	return all > 0 ? 1 - same / all : 0;
}

/* Returns differ() of two random labellings. */
static double differ_by_chance(const struct half *h, unsigned k, struct rng *rng)
{
	size_t n = h->Z.rows;
	uint32_t *a = alloc(2 * n, sizeof(*a));
	double d;

	for (size_t i = 0; i < 2 * n; i++)
		a[i] = (uint32_t)rng_below(rng, k);
	d = differ(a, a + n, h->weight, n, k);
	free(a);
	return d;
}

static void stability_shuffle(uint32_t *row, size_t n, size_t take, struct rng *rng)
{
	for (size_t i = 0; i < n; i++)
		row[i] = (uint32_t)i;
	for (size_t i = 0; i < take; i++) {
		size_t j = i + rng_below(rng, n - i);
		uint32_t swap = row[i];

		row[i] = row[j];
		row[j] = swap;
	}
}

double stability_of(const struct mat *Z, const double *weight, unsigned k, uint64_t seed,
		    unsigned threads)
{
	size_t half = Z->rows / 2 < STABILITY_HALF ? Z->rows / 2 : STABILITY_HALF;
	struct kmeans_params how = {
		.k = k, .restarts = RESTARTS, .iterations = ROUNDS, .seed = seed, .threads = threads
	};
	double found = 0, chance = 0;
	uint32_t *row, *told;
	struct rng rng;

	if (half < k)
		return 0;
	rng_seed(&rng, seed, STREAM + k);
	ALLOC(row, Z->rows);
	ALLOC(told, half);
	for (int s = 0; s < STABILITY_SPLITS; s++) {
		struct half first, second;
		struct mat centres;

		stability_shuffle(row, Z->rows, 2 * half, &rng);
		half_open(&first, Z, weight, row, half);
		half_open(&second, Z, weight, row + half, half);
		kmeans(&first.Z, first.weight, &how, first.label, &centres, NULL);
		kmeans(&second.Z, second.weight, &how, second.label, NULL, NULL);
		kmeans_nearest(&second.Z, &centres, told);
		found += differ(second.label, told, second.weight, half, k);
		chance += differ_by_chance(&second, k, &rng);
		mat_release(&centres);
		half_close(&second);
		half_close(&first);
		progress_tick();
	}
	free(told);
	free(row);
	return chance > 0 ? 1 - found / chance : 0;
}
