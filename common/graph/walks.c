#include "common/graph/walks.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/linalg/parallel.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256 };

void walks_init(struct walks *w, size_t count, unsigned length)
{
	w->count = count;
	w->length = length;
	w->token = alloc(count * length, sizeof(*w->token));
	/* Fills the walks with WALK_END. */
	memset(w->token, 0xff, count * length * sizeof(*w->token));
}

void walks_release(struct walks *w)
{
	free(w->token);
	*w = (struct walks){ 0 };
}

struct plan {
	struct walks *w;
	const struct csr *g;
	const double *upto; /* cumulative weights along each row; NULL: all weights are equal */
	unsigned gamma;
	uint64_t seed;
};

static uint32_t walks_next_node(const struct plan *p, uint32_t at, struct rng *rng)
{
	size_t low = p->g->start[at], high = p->g->start[at + 1] - 1;
	double x;

	if (!p->upto)
		return p->g->index[low + rng_below(rng, high - low + 1)];
	for (x = rng_unit(rng) * p->upto[high]; low < high;) {
		size_t mid = low + (high - low) / 2;

		if (p->upto[mid] > x)
			high = mid;
		else
			low = mid + 1;
	}
	return p->g->index[low];
}

static void walks_walk_block(void *ctx, unsigned worker, size_t block)
{
	const struct plan *p = ctx;
	size_t n = p->g->rows, end = min_size((block + 1) * BLOCK, n);

	(void)worker;
	for (size_t v = block * BLOCK; v < end; v++) {
		struct rng rng;

		rng_seed(&rng, p->seed, v);
		for (unsigned pass = 0; pass < p->gamma; pass++) {
			uint32_t *token = p->w->token + (pass * n + v) * p->w->length;
			uint32_t at = (uint32_t)v;

			token[0] = at;
			for (unsigned i = 1; i < p->w->length; i++) {
				if (p->g->start[at] == p->g->start[at + 1])
					break;
				token[i] = at = walks_next_node(p, at, &rng);
			}
		}
	}
}

void walks_random(struct walks *w, const struct csr *g, unsigned gamma, unsigned length,
		  uint64_t seed, unsigned threads)
{
	struct plan p = { .w = w, .g = g, .gamma = gamma, .seed = seed };
	double *upto = NULL;

	walks_init(w, g->rows * gamma, length);
	if (g->value) {
		ALLOC(upto, g->start[g->rows]);
		for (size_t v = 0; v < g->rows; v++) {
			double sum = 0;

			for (size_t e = g->start[v]; e < g->start[v + 1]; e++)
				upto[e] = sum += g->value[e];
		}
		p.upto = upto;
	}
	parallel(threads, (g->rows + BLOCK - 1) / BLOCK, walks_walk_block, &p);
	free(upto);
}
