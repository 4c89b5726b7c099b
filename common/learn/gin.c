#include "common/learn/gin.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/linalg/la.h"
#include "common/linalg/parallel.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Minimum number of nodes of a block, if the batch has that many. The layers of a block then take
 * about 1 MB. The block size affects the last bits of sums, so it must not depend on the
 * machine. */
enum { BLOCK_NODES = 512 };
/* Number of graphs that gin_embed() holds in memory at once. */
enum { EMBED_GRAPHS = 128 };

_Static_assert((int)GRAPHS_LINES == (int)GIN_Z, "Z has a column for each of a drawing's lines");

/* Weight of a drawing relative to the network's output. Training changes the output by a similar
 * amount every round, for any loss, so the weight is large enough to keep the drawing significant.
 * On the Letter sets, the drawings alone give an accuracy of 64 %; with ten rounds of training
 * (parameter "bounded" false), accuracy is 39 %. */
static const double LINES = 64;

struct gin_block {
	size_t first, count;
	size_t nodes, at; /* at: number of nodes in earlier blocks */
	double square;
};

void gin_init(struct gin *net, enum graphs_features features)
{
	static const size_t out_of[GIN_PARTS] = {
		GIN_HIDDEN, GIN_HIDDEN, GIN_HIDDEN, GIN_HIDDEN, GIN_HIDDEN,
		GIN_HIDDEN, GIN_HIDDEN, GIN_HIDDEN, 0,          GIN_Z,
	};
	size_t at = 0, width = graphs_width(features);

	net->width = width;
	net->lines = features == GRAPHS_DRAWING;
	for (int i = 0; i < GIN_PARTS; i++) {
		struct gin_part *p = &net->part[i];

		p->in = i == GIN_1A ? width : i == GIN_READ_A ? (size_t)GIN_POOLED : GIN_HIDDEN;
		p->out = i == GIN_BUILD_B ? width : out_of[i];
		p->at = at;
		at += (p->in + 1) * p->out;
	}
	net->weights = at;
	net->shared = net->part[GIN_BUILD_B].at;
}

void gin_draw(const struct gin *net, uint64_t seed, double *W)
{
	struct rng rng;

	rng_seed(&rng, seed, 0x67696e);
	for (int i = 0; i < GIN_PARTS; i++) {
		const struct gin_part *p = &net->part[i];
		double bound = 1 / sqrt((double)p->in);

		for (size_t j = 0; j < (p->in + 1) * p->out; j++)
			W[p->at + j] = (float)((2 * rng_unit(&rng) - 1) * bound);
	}
}

static size_t graph_of(const uint32_t *graph, size_t i)
{
	return graph ? graph[i] : i;
}

/* Returns p, or a larger block in its place if p has no room for `count` items. The contents of p
 * are then lost. */
static void *room_for(void *p, size_t *room, size_t count, size_t size)
{
	if (count <= *room)
		return p;
	free(p);
	*room = count;
	return alloc(count, size);
}

#define REAL    float
#define NAME(x) x
#define PRODUCT la_product_f32
#include "common/learn/gin_real.inc"
#undef REAL
#undef NAME
#undef PRODUCT

#define REAL    double
#define NAME(x) x##_f64
#define PRODUCT la_product_f64
#include "common/learn/gin_real.inc"

void gin_embed(const struct gin *net, const struct graphs *g, const float *F, const float *W,
	       unsigned threads, struct mat *Z)
{
	struct gin_batch b = { 0 };
	uint32_t graph[EMBED_GRAPHS];

	mat_init(Z, g->count, GIN_Z);
	for (size_t first = 0; first < g->count; first += EMBED_GRAPHS) {
		size_t count = g->count - first < EMBED_GRAPHS ? g->count - first : EMBED_GRAPHS;

		for (size_t i = 0; i < count; i++)
			graph[i] = (uint32_t)(first + i);
		gin_open(&b, net, g, F, graph, count, threads);
		gin_forward(&b, W, false);
		for (size_t i = 0; i < count * GIN_Z; i++)
			Z->a[first * GIN_Z + i] = b.Z[i];
	}
	gin_release(&b);
}

void gin_drawn(const struct gin *net, const struct graphs *g, const float *F, struct mat *Z)
{
	mat_init(Z, g->count, GIN_Z);
	for (size_t i = 0; net->lines && i < g->count; i++)
		for (size_t v = g->first[i]; v < g->first[i + 1]; v++)
			for (size_t j = 0; j < GIN_Z; j++)
				MAT(Z, i, j) += LINES * (double)F[(v + 1) * net->width - GIN_Z + j];
}

static const float MEAN_KEPT = 0.9F, SQUARE_KEPT = 0.999F, LEAST = 1e-8F;

void adam_init(struct adam *a, size_t n)
{
	*a = (struct adam){ .n = n };
	ALLOC(a->mean, n);
	ALLOC(a->square, n);
}

void adam_release(struct adam *a)
{
	free(a->mean);
	free(a->square);
	*a = (struct adam){ 0 };
}

void adam_step(struct adam *a, double rate, const float *gradient, float *x)
{
	float unbias, length;

	a->step++;
	unbias = (float)(1 / sqrt(1 - pow((double)SQUARE_KEPT, a->step)));
	length = (float)(rate / (1 - pow((double)MEAN_KEPT, a->step)));
	for (size_t i = 0; i < a->n; i++) {
		float g = gradient[i];

		a->mean[i] = MEAN_KEPT * a->mean[i] + (1 - MEAN_KEPT) * g;
		a->square[i] = SQUARE_KEPT * a->square[i] + (1 - SQUARE_KEPT) * (g * g);
		x[i] -= length * a->mean[i] / (sqrtf(a->square[i]) * unbias + LEAST);
	}
}
