#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/cluster/kmeans_own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Candidates whose sums are taken side by side: a sum by itself waits for each addition. */
enum { SIDE = 4 };

/* Arthur, Vassilvitskii 2007 with several trials per centre, of which the one that leaves the
 * lowest potential stays: the sum over rows of weight * near. It is also what the next centre's
 * candidates are drawn from, and so is kept at the end of each block of rows. */
struct seeding {
	const struct distance_rows *rows;
	const double *weight;
	size_t n, blocks, trials;
	double *near;         /* n: squared distance to the nearest centre so far */
	double *sum;          /* blocks: of weight * near from row 0 to the block's last */
	double **left;        /* trials x n: what near would be with each candidate */
	double **left_sum;    /* trials x blocks */
	double *gap;          /* trials x DISTANCE_STRIDE */
	struct mat candidate; /* trials x d */
	struct distance to;
	struct rng rng;
};

/* -- potentials ------------------------------------------------------------------------------ */

/* sum[t][b] = the sum of weight * near[t] over the rows up to the end of block b, in their order,
 * for the first `count` planes t, SIDE at most: the first is summed once more for each that lacks.
 */
static void sum_planes(const struct seeding *s, double *const *near, size_t count,
		       double *const *sum)
{
	double so_far[SIDE] = { 0 };
	const double *plane[SIDE];

	for (size_t t = 0; t < SIDE; t++)
		plane[t] = near[t < count ? t : 0];
	for (size_t b = 0; b < s->blocks; b++) {
		size_t first = b * DISTANCE_ROWS, end = first + distance_count(s->n, first);

		for (size_t i = first; i < end; i++) {
			double w = weight_of(s->weight, i);

			for (size_t t = 0; t < SIDE; t++)
				so_far[t] += w * plane[t][i];
		}
		for (size_t t = 0; t < SIDE && t < count; t++)
			sum[t][b] = so_far[t];
	}
}

/* The potential that would remain with each of the first `count` candidates. */
static void measure_candidates(struct seeding *s, size_t count)
{
	distance_set(&s->to, s->candidate.a);
	for (size_t first = 0; first < s->n; first += DISTANCE_ROWS) {
		size_t rows = distance_count(s->n, first);

		distance_by_centre(&s->to, s->rows, first, s->gap);
		for (size_t t = 0; t < count; t++) {
			const double *near = s->near + first, *gap = s->gap + t * DISTANCE_STRIDE;
			double *left = s->left[t] + first;

			for (size_t i = 0; i < rows; i++)
				left[i] = near[i] < gap[i] ? near[i] : gap[i];
		}
	}
	for (size_t t = 0; t < count; t += SIDE)
		sum_planes(s, s->left + t, count - t, s->left_sum + t);
}

static void swap(double **a, double **b)
{
	double *held = *a;

	*a = *b;
	*b = held;
}

/* -- drawing --------------------------------------------------------------------------------- */

/* A row with probability proportional to weight * near: the first at which the sum in row order
 * exceeds the target. Its block is looked for first. Rows of zero mass are never drawn unless there
 * are no others. */
static size_t draw(struct seeding *s)
{
	size_t b = 0, i;
	double target = rng_unit(&s->rng) * s->sum[s->blocks - 1], sum;

	while (b < s->blocks && !(s->sum[b] > target))
		b++;
	sum = b > 0 ? s->sum[b - 1] : 0;
	for (i = b * DISTANCE_ROWS; i < s->n; i++) {
		sum += weight_of(s->weight, i) * s->near[i];
		if (sum > target)
			return i;
	}
	/* By rounding, the last that has a mass. */
	for (i = s->n; i-- > 0;)
		if (!(weight_of(s->weight, i) * s->near[i] <= 0))
			return i;
	/* Fewer distinct rows than centres: any row will do. */
	return rng_below(&s->rng, s->n);
}

void kmeans_seed(struct seeding *s, uint64_t seed, uint64_t stream, struct mat *c)
{
	size_t row_bytes = c->cols * sizeof(double), last = s->blocks - 1;

	rng_seed(&s->rng, seed, stream);
	/* The first centre has nothing to compare with: one draw, by weight alone. */
	for (size_t i = 0; i < s->n; i++)
		s->near[i] = 1;
	sum_planes(s, &s->near, 1, &s->sum);
	for (size_t r = 0; r < c->rows; r++) {
		size_t count = r ? s->trials : 1, best = 0;

		for (size_t t = 0; t < count; t++)
			memcpy(ROW(&s->candidate, t), ROW(s->rows->Z, draw(s)), row_bytes);
		for (size_t i = 0; r == 0 && i < s->n; i++)
			s->near[i] = INFINITY;
		measure_candidates(s, count);
		for (size_t t = 1; t < count; t++)
			if (s->left_sum[t][last] < s->left_sum[best][last])
				best = t;
		memcpy(ROW(c, r), ROW(&s->candidate, best), row_bytes);
		swap(&s->near, &s->left[best]);
		swap(&s->sum, &s->left_sum[best]);
		progress_tick();
	}
}

struct seeding *kmeans_seeding(const struct distance_rows *rows, const double *weight, size_t k)
{
	size_t n = rows->Z->rows, d = rows->Z->cols;
	struct seeding *s = alloc(1, sizeof(*s));

	*s = (struct seeding){ .rows = rows, .weight = weight, .n = n };
	s->blocks = (n + DISTANCE_ROWS - 1) / DISTANCE_ROWS;
	s->trials = 2 + (size_t)log((double)k);
	ALLOC(s->near, n);
	ALLOC(s->sum, s->blocks);
	ALLOC(s->left, s->trials);
	ALLOC(s->left_sum, s->trials);
	for (size_t t = 0; t < s->trials; t++) {
		ALLOC(s->left[t], n);
		ALLOC(s->left_sum[t], s->blocks);
	}
	ALLOC(s->gap, s->trials * DISTANCE_STRIDE);
	mat_init(&s->candidate, s->trials, d);
	distance_init(&s->to, s->trials, d);
	return s;
}

void kmeans_seeding_free(struct seeding *s)
{
	distance_release(&s->to);
	mat_release(&s->candidate);
	free(s->gap);
	for (size_t t = 0; t < s->trials; t++) {
		free(s->left[t]);
		free(s->left_sum[t]);
	}
	free(s->left_sum);
	free(s->left);
	free(s->sum);
	free(s->near);
	free(s);
}
