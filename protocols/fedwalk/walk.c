#include "protocols/fedwalk/walk.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "protocols/fedwalk/bins.h"
#include "common/linalg/parallel.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the predictor: lines 21 to 25 ---- */

enum { ROWS = 64 };

struct plan {
	const struct fedwalk_tree *t;
	const float *c;
	unsigned k;
	/* rank[j (n + 1) + i]: number of vertices of bin j at the tree's places below i, except
	 * vertices that are left out */
	const uint32_t *rank;
	/* the vertices of each bin that are not left out, by ascending place; those of bin j start
	 * at leaf + j n */
	const uint32_t *leaf;
	uint64_t seed;
	uint32_t **pool;
	size_t *count;
};

struct filling {
	uint32_t *member;
	size_t n, room;
	uint32_t missing[FEDWALK_BINS_MAX];
	unsigned open; /* number of bins that still lack members */
};

static void fedwalk_pools_put(struct filling *f, uint32_t v)
{
	ALLOC_ROOM(f->member, f->n, f->room);
	f->member[f->n++] = v;
}

/* Adds `some` random entries of leaf[0 .. all-1]. If they are few, uses Floyd's algorithm: takes a
 * random index up to `top`; if that index is already taken, takes `top` itself. */
static void put_some(struct filling *f, const uint32_t *leaf, uint32_t all, uint32_t some,
		     struct rng *rng)
{
	size_t first = f->n;

	/* for so many entries, a pass over all costs little more than `some` draws */
	if (some * 4 > all) {
		for (uint32_t i = 0; i < all && some; i++)
			if (rng_below(rng, all - i) < some) {
				fedwalk_pools_put(f, leaf[i]);
				some--;
			}
		return;
	}
	for (uint32_t top = all - some; top < all; top++) {
		uint32_t v = leaf[rng_below(rng, top + 1)];

		for (size_t i = first; i < f->n; i++)
			if (f->member[i] == v) {
				v = leaf[top];
				break;
			}
		fedwalk_pools_put(f, v);
	}
}

/* Returns the number of vertices of a bin that an entry of a degree vector stands for. NaN counts
 * as 0. */
static uint32_t wished(float c, size_t n)
{
	float wish = roundf(fmaxf(0, c));

	return wish < (float)n ? (uint32_t)wish : (uint32_t)n;
}

double fedwalk_pools_members(const float *c, size_t n, unsigned k)
{
	double sum = 0;

	for (size_t i = 0; i < n * k; i++)
		sum += wished(c[i], n);
	return sum;
}

static void fedwalk_pools_fill(const struct plan *p, uint32_t u)
{
	const struct fedwalk_tree *t = p->t;
	struct filling f = { 0 };
	struct rng rng;

	rng_seed(&rng, p->seed, u);
	for (unsigned j = 0; j < p->k; j++) { /* line 21 */
		f.missing[j] = wished(p->c[(size_t)u * p->k + j], t->n);
		f.open += f.missing[j] > 0;
	}
	/* Lines 23 to 25: the leaves of a sibling are nearer than all leaves that a higher sibling
	 * has. */
	for (uint32_t x = u; f.open && t->parent[x] != UINT32_MAX; x = t->parent[x]) {
		const uint32_t *child = t->child + 2 * (t->parent[x] - t->n);
		uint32_t sibling = child[0] == x ? child[1] : child[0];
		size_t first = t->first[sibling], end = first + t->count[sibling];

		for (unsigned j = 0; j < p->k; j++) {
			const uint32_t *rank = p->rank + j * (t->n + 1);
			uint32_t all = rank[end] - rank[first], some;

			if (!f.missing[j])
				continue;
			some = all < f.missing[j] ? all : f.missing[j];
			put_some(&f, p->leaf + j * t->n + rank[first], all, some, &rng);
			f.missing[j] -= some;
			f.open -= !f.missing[j];
		}
	}
	p->pool[u] = f.member;
	p->count[u] = f.n;
}

static void fedwalk_pools_fill_block(void *ctx, unsigned worker, size_t block)
{
	const struct plan *p = ctx;
	size_t end = (block + 1) * ROWS < p->t->n ? (block + 1) * ROWS : p->t->n;

	(void)worker;
	for (size_t u = block * ROWS; u < end; u++)
		fedwalk_pools_fill(p, (uint32_t)u);
}

void fedwalk_pools_init(struct fedwalk_pools *pools, const struct fedwalk_tree *t, const float *c,
			const uint8_t *bin, unsigned k, const bool *left_out, uint64_t seed,
			unsigned threads)
{
	struct plan p = { .t = t, .c = c, .k = k, .seed = seed };
	uint32_t *rank, *leaf;

	assert(k <= FEDWALK_BINS_MAX);
	ALLOC(rank, k * (t->n + 1));
	ALLOC(leaf, k * t->n);
	ALLOC(p.pool, t->n);
	ALLOC(p.count, t->n);
	for (unsigned j = 0; j < k; j++) {
		uint32_t *before = rank + j * (t->n + 1), *of = leaf + j * t->n;

		for (size_t i = 0; i < t->n; i++) {
			uint32_t v = t->order[i];
			bool counts = bin[v] == j && !(left_out && left_out[v]);

			if (counts)
				of[before[i]] = v;
			before[i + 1] = before[i] + counts;
		}
	}
	p.rank = rank;
	p.leaf = leaf;
	parallel(threads, (t->n + ROWS - 1) / ROWS, fedwalk_pools_fill_block, &p);
	pools->n = t->n;
	ALLOC(pools->start, t->n + 1);
	for (size_t u = 0; u < t->n; u++)
		pools->start[u + 1] = pools->start[u] + p.count[u];
	ALLOC(pools->member, pools->start[t->n]);
	for (size_t u = 0; u < t->n; u++) {
		if (p.count[u])
			memcpy(pools->member + pools->start[u], p.pool[u],
			       p.count[u] * sizeof(*pools->member));
		free(p.pool[u]);
	}
	free(p.count);
	free(p.pool);
	free(leaf);
	free(rank);
}

void fedwalk_pools_release(struct fedwalk_pools *p)
{
	free(p->start);
	free(p->member);
	*p = (struct fedwalk_pools){ 0 };
}

void fedwalk_take_turn(const uint32_t *neighbour, size_t degree, const struct fedwalk_pools *pools,
		       double p, unsigned left, struct draw *d, struct fedwalk_turn *turn)
{
	uint32_t u;

	assert(degree > 0 && left > 0);
	u = neighbour[draw_below(d, (uint32_t)degree)]; /* line 13 */
	*turn = (struct fedwalk_turn){ 1, { u, 0 }, left - 1, u };
	if (left > 2 && p > 0 && draw_unit(d) < p) { /* lines 18 to 20 */
		size_t size = pools->start[u + 1] - pools->start[u];

		if (!size)
			return;
		u = pools->member[pools->start[u] + draw_below(d, (uint32_t)size)];
		turn->token[turn->tokens++] = u;
		turn->left = left - 2;
		turn->next = u;
	}
}

double fedwalk_messages(unsigned l, double p)
{
	return (l - 1) / (1 + p) + p * (1 - pow(-p, l - 1)) / ((1 + p) * (1 + p));
}
