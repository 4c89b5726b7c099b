/* Computed from parameters alone: the members of a round, sizes. */
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/fedsc/own.h"

#include <assert.h>
#include <stdlib.h>

enum { ANCHORS_MOST = 600 };

void fedsc_members(uint64_t draw, unsigned s, size_t parties, size_t take, bool *member)
{
	uint32_t *order;
	struct rng rng;

	assert(take >= 1 && take <= parties);
	rng_seed(&rng, draw, s);
	ALLOC(order, parties);
	for (size_t l = 0; l < parties; l++) {
		order[l] = (uint32_t)l;
		member[l] = false;
	}
	rng_shuffle(&rng, order, parties);
	for (size_t l = 0; l < take; l++)
		member[order[l]] = true;
	free(order);
}

size_t fedsc_landmarks_most(const struct fedsc_params *p, double n)
{
	size_t most = p->variant == FEDSC_BY_ANCHORS ? ANCHORS_MOST : p->dims_most;
	size_t fifth = (size_t)(n / 5);

	if (p->dims)
		return p->dims;
	most = fifth < most ? fifth : most;
	return most > p->k ? most : p->k;
}

struct fedkmeans_landmarks fedsc_search(const struct fedsc_params *p, size_t d)
{
	return (struct fedkmeans_landmarks){
		.most = d, .least = p->least, .rounds = 4, .last = 10, .seed = p->seed
	};
}

struct fedkmeans_params fedsc_kmeans(const struct fedsc_params *p)
{
	struct fedkmeans_params how;

	fedkmeans_defaults(&how, p->k, p->least, p->seed, p->threads);
	how.k_from = p->k_from;
	how.restarts = p->restarts;
	how.lloyd = p->lloyd;
	if (p->variant == FEDSC_BY_KMEANS) {
		how.landmarks.most = p->dims;
		how.tolerance = p->tolerance;
	}
	return how;
}
