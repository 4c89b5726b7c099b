#include "common/learn/sgns.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/linalg/parallel.h"
#include "common/linalg/simd.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	WINDOW_MAX = 64,
	SGNS_OUT = 1 + SGNS_NEGATIVES, /* targets of a centre: itself and the negatives */
	SGNS_PAD = 8,                  /* padded number of targets, to align rows of products */
	ROUND_TOKENS = 4, /* tokens of a round for each vertex, if no walk ends early */
	LEAST_WALKS = 64,
	TOLD = 100,    /* the number of calls of progress() is about this */
	MEASURED = 64, /* the loss is measured on one walk of every MEASURED */
	MERGE_ROWS = 512,
	SHUFFLE_STREAM = 0, /* a random stream; walks use the streams from WALK_STREAM on */
	START_STREAM = 1,
	WALK_STREAM = 2,
};

/* Returns the sum of sixteen lanes, by adding halves. */
static inline float fold4(const float4 *a)
{
	float4 x = (a[0] + a[2]) + (a[1] + a[3]);

	return (x[0] + x[2]) + (x[1] + x[3]);
}

#define TARGET
#define VEC   float4
#define IVEC  int4
#define FOLD  fold4
#define DOTS  dots
#define CURVE curve
#define LEARN learn
#include "common/learn/sgns_step.inc"
#ifdef SIMD_AVX2
#define TARGET __attribute__((target("avx2")))
TARGET static inline float sum8(float8 x)
{
	float4 y =
	    __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);

	return (y[0] + y[2]) + (y[1] + y[3]);
}
TARGET static inline float fold8(const float8 *a)
{
	return sum8(a[0] + a[1]);
}
#define VEC   float8
#define IVEC  int8
#define FOLD  fold8
#define DOTS  dots_avx2
#define CURVE curve_avx2
#define LEARN learn_avx2
#include "common/learn/sgns_step.inc"
#define TARGET __attribute__((target("avx512f")))
TARGET static inline float fold16(const float16 *a)
{
	return sum8(__builtin_shufflevector(*a, *a, 0, 1, 2, 3, 4, 5, 6, 7) +
		    __builtin_shufflevector(*a, *a, 8, 9, 10, 11, 12, 13, 14, 15));
}
#define VEC   float16
#define IVEC  int16
#define FOLD  fold16
#define DOTS  dots_avx512
#define CURVE curve_avx512
#define LEARN learn_avx512
#include "common/learn/sgns_step.inc"
#endif

struct step {
	void (*dots)(float *const *x, size_t window, float *const *y, float (*dot)[SGNS_PAD]);
	void (*curve)(float *g, size_t n, const float *label, float rate);
	void (*learn)(float *const *x, size_t window, float *const *y, float (*g)[SGNS_PAD]);
};

static const struct step step = { dots, curve, learn };
#ifdef SIMD_AVX2
static const struct step step_avx2 = { dots_avx2, curve_avx2, learn_avx2 };
static const struct step step_avx512 = { dots_avx512, curve_avx512, learn_avx512 };
#endif

/* An alias table, which draws a number with probability proportional to its weight (Vose 1991). */
struct alias {
	uint32_t n;
	uint32_t *other;
	uint32_t *own; /* own[i]: in how many of 2^32 draws slot i stands for itself */
};

static void alias_init(struct alias *a, const double *weight, uint32_t n)
{
	uint32_t *small, *large, smalls = 0, larges = 0;
	double sum = 0, *p;

	a->n = n;
	ALLOC(a->other, n);
	ALLOC(a->own, n);
	ALLOC(small, n);
	ALLOC(large, n);
	ALLOC(p, n);
	for (uint32_t i = 0; i < n; i++)
		sum += weight[i];
	for (uint32_t i = 0; i < n; i++) {
		p[i] = sum > 0 ? weight[i] / sum * n : 1;
		a->other[i] = i;
		a->own[i] = UINT32_MAX;
		if (p[i] < 1)
			small[smalls++] = i;
		else
			large[larges++] = i;
	}
	while (smalls && larges) {
		uint32_t s = small[--smalls], l = large[larges - 1];

		a->own[s] = (uint32_t)(p[s] * UINT32_MAX);
		a->other[s] = l;
		p[l] -= 1 - p[s];
		if (p[l] < 1) {
			larges--;
			small[smalls++] = l;
		}
	}
	free(small);
	free(large);
	free(p);
}

static uint32_t alias_draw(const struct alias *a, struct rng *rng)
{
	uint64_t word = rng_u64(rng);
	uint32_t slot = (uint32_t)((word >> 32) * a->n >> 32);

	return (uint32_t)word <= a->own[slot] ? slot : a->other[slot];
}

struct shard {
	float *in, *out; /* n x SGNS_DIMS; the shard's copy */
	double loss;
	size_t measured;
};

struct plan {
	const struct walks *w;
	const struct sgns_params *p;
	const uint32_t *walk; /* numbers of the walks in shuffled order */
	struct alias alias;
	float *in, *out; /* the merged vectors */
	struct shard shard[SGNS_SHARDS];
	size_t first, count; /* walks of this round */
	struct step step;
};

static void sgns_prefetch(const float *row)
{
	for (int i = 0; i < SGNS_DIMS; i += 16)
		__builtin_prefetch(row + i, 1);
}

/* in: rows of the window; out: rows of the centre and its negatives. */
static void learn_centre(const struct plan *f, struct shard *s, float *const *in, size_t window,
			 float *const *out, float rate, bool measured)
{
	static const float label[SIMD_SUMS] = { [0] = 1, [SGNS_PAD] = 1 };
	float g[2 * WINDOW_MAX + 1][SGNS_PAD];

	/* Also zeroes the padding of each row, and one more row, which the last vector of
	 * step.curve() may reach. */
	memset(g, 0, (window + 1) * sizeof(*g));
	f->step.dots(in, window, out, g);
	for (size_t r = 0; measured && r < window; r++)
		for (size_t t = 0; t < SGNS_OUT; t++)
			s->loss += log1p(exp(t ? (double)g[r][t] : -(double)g[r][t]));
	s->measured += measured ? window : 0;
	f->step.curve(g[0], window * SGNS_PAD, label, rate);
	for (size_t t = 1; t < SGNS_OUT; t++)
		if (out[t] == out[0]) /* a negative sample that equals the centre does not count */
			for (size_t r = 0; r < window; r++)
				g[r][t] = 0;
	f->step.learn(in, window, out, g);
}

static void learn_walk(const struct plan *f, struct shard *s, size_t number, float rate)
{
	const uint32_t *token = f->w->token + (size_t)f->walk[number] * f->w->length;
	float *out[2][SGNS_OUT], *in[2 * WINDOW_MAX];
	size_t length = 0;
	struct rng rng;

	rng_seed(&rng, f->p->seed, WALK_STREAM + number);
	while (length < f->w->length && token[length] != WALK_END)
		sgns_prefetch(s->in + (size_t)token[length++] * SGNS_DIMS);
	for (size_t i = 0; i <= length; i++) {
		size_t reach, low, high, window = 0;

		/* Chooses the targets of the next centre, and prefetches their vectors. */
		for (int t = 0; t < SGNS_OUT && i < length; t++) {
			uint32_t v = t ? alias_draw(&f->alias, &rng) : token[i];

			sgns_prefetch(out[i % 2][t] = s->out + (size_t)v * SGNS_DIMS);
		}
		if (i == 0)
			continue;
		reach = 1 + rng_below(&rng, f->p->window);
		low = i - 1 > reach ? i - 1 - reach : 0;
		high = i + reach < length ? i + reach : length;
		for (size_t j = low; j < high; j++) {
			if (j != i - 1)
				in[window++] = s->in + (size_t)token[j] * SGNS_DIMS;
		}
		if (window)
			learn_centre(f, s, in, window, out[(i - 1) % 2], rate,
				     number % MEASURED == 0);
	}
}

static void learn_shard(void *ctx, unsigned worker, size_t block)
{
	struct plan *f = ctx;
	size_t from = f->first + f->count * block / SGNS_SHARDS;
	size_t to = f->first + f->count * (block + 1) / SGNS_SHARDS;

	(void)worker;
	for (size_t i = from; i < to; i++) {
		double done = (double)i / (double)f->w->count;

		learn_walk(f, &f->shard[block], i,
			   (float)(SGNS_RATE + (SGNS_RATE_LAST - SGNS_RATE) * done));
	}
}

/* Adds all shards' changes to the merged vectors, and copies the result to all shards. */
static void merge_rows(float *all, float *const *own, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		float sum = all[i];

		for (int s = 0; s < SGNS_SHARDS; s++)
			sum += own[s][i] - all[i];
		all[i] = sum;
		for (int s = 0; s < SGNS_SHARDS; s++)
			own[s][i] = sum;
	}
}

static void merge_block(void *ctx, unsigned worker, size_t block)
{
	struct plan *f = ctx;
	size_t from = block * MERGE_ROWS;
	size_t to = min_size(from + MERGE_ROWS, f->p->n);
	float *in[SGNS_SHARDS], *out[SGNS_SHARDS];

	(void)worker;
	for (int s = 0; s < SGNS_SHARDS; s++) {
		in[s] = f->shard[s].in;
		out[s] = f->shard[s].out;
	}
	merge_rows(f->in, in, from * SGNS_DIMS, to * SGNS_DIMS);
	merge_rows(f->out, out, from * SGNS_DIMS, to * SGNS_DIMS);
}

/* Draws entries uniformly from -1 / (2 SGNS_DIMS) to 1 / (2 SGNS_DIMS), as in word2vec; vectors of
 * tokens that never occur stay at 0. */
static void sgns_start_vectors(struct plan *f, const double *count)
{
	struct rng rng;

	rng_seed(&rng, f->p->seed, START_STREAM);
	for (size_t v = 0; v < f->p->n; v++)
		for (size_t i = 0; i < SGNS_DIMS; i++) {
			double x = (rng_unit(&rng) - 0.5) / SGNS_DIMS;

			f->in[v * SGNS_DIMS + i] = count[v] > 0 ? (float)x : 0;
		}
	for (int s = 0; s < SGNS_SHARDS; s++) {
		size_t words = f->p->n * SGNS_DIMS;

		ALLOC(f->shard[s].in, words);
		ALLOC(f->shard[s].out, words);
		memcpy(f->shard[s].in, f->in, words * sizeof(float));
	}
}

static void learn_all(struct plan *f)
{
	size_t round = ROUND_TOKENS * f->p->n / f->w->length, told = 0;

	round = round < LEAST_WALKS ? LEAST_WALKS : round;
	for (f->first = 0; f->first < f->w->count && !progress_stopped(); f->first += f->count) {
		size_t left = f->w->count - f->first;
		double loss = 0, measured = 0;

		f->count = min_size(left, round);
		parallel(f->p->threads, SGNS_SHARDS, learn_shard, f);
		parallel(f->p->threads, (f->p->n + MERGE_ROWS - 1) / MERGE_ROWS, merge_block, f);
		if (left != f->count && f->first + f->count - told < f->w->count / TOLD)
			continue;
		told = f->first + f->count;
		for (int s = 0; s < SGNS_SHARDS; s++) {
			loss += f->shard[s].loss;
			measured += (double)f->shard[s].measured;
			f->shard[s].loss = 0;
			f->shard[s].measured = 0;
		}
		if (f->p->progress)
			f->p->progress(f->p->ctx, (double)told / (double)f->w->count,
				       measured > 0 ? loss / measured : 0);
	}
}

void sgns(const struct walks *w, const struct sgns_params *p, float *X)
{
	struct plan f = { .w = w, .p = p, .in = X };
	uint32_t *walk;
	double *count;
	struct rng rng;

	assert(p->window >= 1 && p->window <= WINDOW_MAX);
	assert(w->count <= UINT32_MAX && p->n < UINT32_MAX);
	ALLOC(walk, w->count);
	for (size_t i = 0; i < w->count; i++)
		walk[i] = (uint32_t)i;
	rng_seed(&rng, p->seed, SHUFFLE_STREAM);
	rng_shuffle(&rng, walk, w->count);
	f.walk = walk;
	f.step = SIMD_PICK_512(step);
	ALLOC(f.out, p->n * SGNS_DIMS);
	ALLOC(count, p->n);
	for (size_t i = 0; i < w->count; i++) {
		const uint32_t *token = w->token + i * w->length;

		for (size_t j = 0; j < w->length && token[j] != WALK_END; j++) {
			assert(token[j] < p->n);
			count[token[j]]++;
		}
	}
	sgns_start_vectors(&f, count);
	for (size_t v = 0; v < p->n; v++)
		count[v] = pow(count[v], 0.75);
	alias_init(&f.alias, count, (uint32_t)p->n);
	learn_all(&f);
	free(f.alias.other);
	free(f.alias.own);
	for (int s = 0; s < SGNS_SHARDS; s++) {
		free(f.shard[s].in);
		free(f.shard[s].out);
	}
	free(f.out);
	free(count);
	free(walk);
}
