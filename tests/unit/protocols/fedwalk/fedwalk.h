/* fedwalk.h -- Sources of random bytes, and dictionaries and trees for tests of FedWalk. */
#ifndef TESTS_UNIT_FEDWALK_FEDWALK_H
#define TESTS_UNIT_FEDWALK_FEDWALK_H

#include "tests/unit/linalg/sample.h"

#include "common/privacy/noise.h"
#include "protocols/fedwalk/bins.h"
#include "protocols/fedwalk/tree.h"
#include "lab/pooled/seeded.h"

static inline enum err no_entropy(void *ctx, void *p, size_t n)
{
	(void)ctx;
	(void)p;
	(void)n;
	return err_set(ERR_INTERNAL, "no entropy");
}

/* Returns a dictionary (n x k): for each of n vertices, noisy counts of its neighbours in k bins,
 * from 1 to 40 neighbours in random bins. The caller frees it. */
static inline float *sample_dictionary(size_t n, unsigned k, uint64_t seed)
{
	struct rng rng;
	struct noise_source source = seeded_source(&rng);
	uint32_t neighbour[64];
	uint8_t bin[64];
	float *c;

	rng_seed(&rng, seed, 0);
	ALLOC(c, n * k);
	for (size_t v = 0; v < n; v++) {
		size_t degree = 1 + rng_below(&rng, 40);

		for (size_t i = 0; i < degree; i++) {
			neighbour[i] = (uint32_t)i;
			bin[i] = (uint8_t)rng_below(&rng, k);
		}
		assert_ok(fedwalk_counts(&source, 2, bin, k, neighbour, degree, c + v * k));
	}
	return c;
}

/* Returns the number of leaves below the lowest common ancestor of u and v; 1 if u = v. */
static inline size_t tree_leaves(const struct fedwalk_tree *t, size_t u, size_t v)
{
	uint32_t x = (uint32_t)u;

	while (t->place[v] - t->first[x] >= t->count[x])
		x = t->parent[x];
	return t->count[x];
}

#endif
