#include "common/math/kmeans.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/math/distance.h"
#include "common/math/parallel.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double weight_of(const double *weight, size_t i)
{
	return weight ? weight[i] : 1;
}

static size_t block_rows(size_t n, size_t first)
{
	return n - first < DISTANCE_ROWS ? n - first : DISTANCE_ROWS;
}

/* -- the steps ----------------------------------------------------------------------------- */

void kmeans_centres(const struct mat *Z, const double *weight, const uint32_t *label, struct mat *c)
{
	size_t d = Z->cols;
	struct mat sum;
	double *total;

	assert(c->cols == d);
	mat_init(&sum, c->rows, d);
	ALLOC(total, c->rows);
	for (size_t i = 0; i < Z->rows; i++) {
		double w = weight_of(weight, i), *to;

		if (label[i] >= c->rows)
			continue;
		to = ROW(&sum, label[i]);
		total[label[i]] += w;
		for (size_t j = 0; j < d; j++)
			to[j] += w * MAT(Z, i, j);
	}
	for (size_t r = 0; r < c->rows; r++)
		for (size_t j = 0; total[r] > 0 && j < d; j++)
			MAT(c, r, j) = MAT(&sum, r, j) / total[r];
	free(total);
	mat_release(&sum);
}

void kmeans_distances(const struct mat *Z, const struct mat *c, double *D)
{
	struct distance s;

	assert(c->cols == Z->cols);
	distance_init(&s, c->rows, c->cols);
	distance_set(&s, c->a);
	for (size_t i = 0; i < Z->rows; i += DISTANCE_ROWS)
		distance_block(&s, ROW(Z, i), block_rows(Z->rows, i), D + i * c->rows);
	distance_release(&s);
}

/* The first of the least of k values. Where there are many, several minima at a time do not wait
 * for each other. */
static uint32_t first_least(const double *row, size_t k)
{
	enum { LANES = 8 };
	double lane[LANES], least = row[0];
	uint32_t best = 0;
	size_t r = 1;

	if (k >= 2 * LANES) {
		memcpy(lane, row, sizeof(lane));
		for (r = LANES; r + LANES <= k; r += LANES)
			for (size_t v = 0; v < LANES; v++)
				lane[v] = row[r + v] < lane[v] ? row[r + v] : lane[v];
		for (size_t v = 0; v < LANES; v++)
			least = lane[v] < least ? lane[v] : least;
		while (best < r && row[best] > least)
			best++;
	}
	for (; r < k; r++)
		if (row[r] < least) {
			least = row[r];
			best = (uint32_t)r;
		}
	return best;
}

size_t kmeans_assign(const double *D, const double *weight, size_t n, size_t k, uint32_t *label,
		     double *inertia)
{
	size_t moved = 0;
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t best = first_least(D + i * k, k);

		moved += label[i] != best;
		label[i] = best;
		sum += weight_of(weight, i) * D[i * k + best];
	}
	if (inertia)
		*inertia += sum;
	return moved;
}

void kmeans_assign_ninth(const double *D, size_t n, size_t k, uint32_t *label)
{
	for (size_t i = 0; i < n; i++) {
		const double *row = D + i * k;
		double least = row[0], second = INFINITY;
		uint32_t best = 0;

		for (size_t r = 1; r < k; r++)
			if (row[r] < least) {
				second = least;
				least = row[r];
				best = (uint32_t)r;
			} else if (row[r] < second) {
				second = row[r];
			}
		label[i] = least <= second / 9 ? best : (uint32_t)k;
	}
}

/* -- greedy k-means++ ---------------------------------------------------------------------- */

/* Arthur, Vassilvitskii 2007 with several trials per centre, of which the one that leaves the
 * lowest potential stays. */
struct seeding {
	const struct mat *Z;
	const double *weight;
	size_t trials;
	double *near;         /* n: squared distance to the nearest centre so far */
	double *potential;    /* trials: the sum that each candidate would leave */
	double *gap;          /* n x trials: squared distances to the candidates */
	struct mat candidate; /* trials x d */
	struct distance to;
	struct rng rng;
};

/* A row with probability proportional to weight * near (near NULL: to weight). The sums are
 * taken in row order; rows of zero mass are never drawn unless there are no others. */
static size_t draw(struct seeding *s, const double *near)
{
	size_t n = s->Z->rows, last = n;
	double total = 0, target, sum = 0;

	for (size_t i = 0; i < n; i++)
		total += weight_of(s->weight, i) * (near ? near[i] : 1);
	target = rng_unit(&s->rng) * total;
	for (size_t i = 0; i < n; i++) {
		double mass = weight_of(s->weight, i) * (near ? near[i] : 1);

		if (mass <= 0)
			continue;
		last = i;
		sum += mass;
		if (sum > target)
			return i;
	}
	/* Fewer distinct rows than centres: any row will do. */
	return last < n ? last : rng_below(&s->rng, n);
}

static void measure_candidates(struct seeding *s)
{
	size_t n = s->Z->rows;

	distance_set(&s->to, s->candidate.a);
	for (size_t i = 0; i < n; i += DISTANCE_ROWS)
		distance_block(&s->to, ROW(s->Z, i), block_rows(n, i), s->gap + i * s->trials);
}

static double lesser(double a, double b)
{
	return a < b ? a : b;
}

/* The candidate that leaves the lowest potential, the first on ties. */
static size_t best_candidate(const struct seeding *s)
{
	size_t best = 0;

	memset(s->potential, 0, s->trials * sizeof(*s->potential));
	for (size_t i = 0; i < s->Z->rows; i++) {
		const double *gap = s->gap + i * s->trials;
		double w = weight_of(s->weight, i), near = s->near[i];

		for (size_t t = 0; t < s->trials; t++)
			s->potential[t] += w * lesser(near, gap[t]);
	}
	for (size_t t = 1; t < s->trials; t++)
		if (s->potential[t] < s->potential[best])
			best = t;
	return best;
}

static void seed_centres(struct seeding *s, struct mat *c)
{
	size_t n = s->Z->rows, row_bytes = s->Z->cols * sizeof(double);

	for (size_t i = 0; i < n; i++)
		s->near[i] = INFINITY;
	for (size_t r = 0; r < c->rows; r++) {
		size_t best = 0;

		for (size_t t = 0; t < s->trials; t++) {
			/* The first centre has nothing to compare with: one draw. */
			size_t row = r == 0 && t > 0 ? SIZE_MAX : draw(s, r ? s->near : NULL);

			memcpy(ROW(&s->candidate, t),
			       row == SIZE_MAX ? ROW(&s->candidate, 0) : ROW(s->Z, row), row_bytes);
		}
		measure_candidates(s);
		if (r)
			best = best_candidate(s);
		memcpy(ROW(c, r), ROW(&s->candidate, best), row_bytes);
		for (size_t i = 0; i < n; i++)
			s->near[i] = lesser(s->near[i], s->gap[i * s->trials + best]);
		progress_tick();
	}
}

static void seed(const struct mat *Z, const double *weight, uint64_t seed_value, uint64_t stream,
		 struct mat *c)
{
	struct seeding s = { .Z = Z, .weight = weight };

	s.trials = 2 + (size_t)log((double)c->rows);
	rng_seed(&s.rng, seed_value, stream);
	ALLOC(s.near, Z->rows);
	ALLOC(s.potential, s.trials);
	ALLOC(s.gap, Z->rows * s.trials);
	mat_init(&s.candidate, s.trials, Z->cols);
	distance_init(&s.to, s.trials, Z->cols);
	seed_centres(&s, c);
	distance_release(&s.to);
	mat_release(&s.candidate);
	free(s.gap);
	free(s.potential);
	free(s.near);
}

/* -- Lloyd --------------------------------------------------------------------------------- */

struct restart {
	uint32_t *label;
	struct mat centres;
	double inertia;
};

struct search {
	const struct mat *Z;
	const double *weight;
	const struct kmeans_params *p;
	struct restart *restart; /* one each */
};

/* Distances are made and used block by block: n x k of them never exist at once. */
struct lloyd {
	const struct search *s;
	struct restart *r;
	struct distance to;
	double *D; /* DISTANCE_ROWS x k */
};

static void lloyd_ninth(struct lloyd *l)
{
	const struct mat *Z = l->s->Z;

	distance_set(&l->to, l->r->centres.a);
	for (size_t i = 0; i < Z->rows; i += DISTANCE_ROWS) {
		size_t rows = block_rows(Z->rows, i);

		distance_block(&l->to, ROW(Z, i), rows, l->D);
		kmeans_assign_ninth(l->D, rows, l->to.k, l->r->label + i);
	}
	kmeans_centres(Z, l->s->weight, l->r->label, &l->r->centres);
}

static size_t lloyd_assign(struct lloyd *l)
{
	const struct mat *Z = l->s->Z;
	const double *weight = l->s->weight;
	size_t moved = 0;

	l->r->inertia = 0;
	distance_set(&l->to, l->r->centres.a);
	for (size_t i = 0; i < Z->rows; i += DISTANCE_ROWS) {
		size_t rows = block_rows(Z->rows, i);

		distance_block(&l->to, ROW(Z, i), rows, l->D);
		moved += kmeans_assign(l->D, weight ? weight + i : NULL, rows, l->to.k,
				       l->r->label + i, &l->r->inertia);
	}
	return moved;
}

static void run_restart(void *ctx, unsigned worker, size_t number)
{
	const struct search *s = ctx;
	struct restart *r = &s->restart[number];
	struct lloyd l = { .s = s, .r = r };
	size_t n = s->Z->rows, k = s->p->k;

	(void)worker;
	ALLOC(r->label, n);
	mat_init(&r->centres, k, s->Z->cols);
	distance_init(&l.to, k, s->Z->cols);
	ALLOC(l.D, DISTANCE_ROWS * k);
	seed(s->Z, s->weight, s->p->seed, number, &r->centres);
	if (s->p->ninth)
		lloyd_ninth(&l);
	for (size_t i = 0; i < n; i++)
		r->label[i] = UINT32_MAX; /* the first assignment moves every row */
	for (unsigned t = 0; t < s->p->iterations; t++) {
		if (lloyd_assign(&l) == 0)
			break;
		kmeans_centres(s->Z, s->weight, r->label, &r->centres);
		progress_tick();
	}
	if (s->p->iterations == 0)
		lloyd_assign(&l);
	free(l.D);
	distance_release(&l.to);
}

void kmeans(const struct mat *Z, const double *weight, const struct kmeans_params *p,
	    uint32_t *label, struct mat *centres, double *inertia)
{
	struct search s = { .Z = Z, .weight = weight, .p = p };
	size_t best = 0;

	assert(p->k >= 1 && p->k < UINT32_MAX && p->restarts >= 1);
	if (inertia)
		*inertia = 0;
	if (centres)
		mat_init(centres, p->k, Z->cols);
	if (Z->rows == 0)
		return;
	ALLOC(s.restart, p->restarts);
	parallel(p->threads, p->restarts, run_restart, &s);
	for (size_t i = 1; i < p->restarts; i++)
		if (s.restart[i].inertia < s.restart[best].inertia)
			best = i;
	memcpy(label, s.restart[best].label, Z->rows * sizeof(*label));
	if (centres)
		memcpy(centres->a, s.restart[best].centres.a, p->k * Z->cols * sizeof(double));
	if (inertia)
		*inertia = s.restart[best].inertia;
	for (size_t i = 0; i < p->restarts; i++) {
		free(s.restart[i].label);
		mat_release(&s.restart[i].centres);
	}
	free(s.restart);
}
