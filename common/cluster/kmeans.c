#include "common/cluster/kmeans.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/cluster/kmeans_own.h"
#include "common/linalg/distance.h"
#include "common/linalg/parallel.h"
#include "common/linalg/ranks.h"
#include "common/linalg/simd.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* For up to FEW centres, the sums of COLUMNS columns at a time stay in registers. So no addition
 * waits until the previous sum is stored. This is faster in up to FEW_DIMS dimensions. */
enum { FEW = 4, COLUMNS = 3, FEW_DIMS = 2 * COLUMNS };

/* Mask for each label: all bits are set in the label's lane. The mask of a row without a cluster is
 * zero. */
static const long long own_lane[FEW + 1][FEW] = {
	{ -1, 0, 0, 0 }, { 0, -1, 0, 0 }, { 0, 0, -1, 0 }, { 0, 0, 0, -1 }, { 0 }
};

typedef long long ivec2 __attribute__((vector_size(16), aligned(8), may_alias));
#define SUM_COLUMNS sum_columns
#define SUM         sum_few
#define VEC         vec2
#define IVEC        ivec2
#define TARGET
#include "common/cluster/kmeans_block.inc"
#ifdef SIMD_AVX2
typedef long long ivec4 __attribute__((vector_size(32), aligned(8), may_alias));
#define SUM_COLUMNS sum_columns_avx2
#define SUM         sum_few_avx2
#define VEC         vec4
#define IVEC        ivec4
#define TARGET      __attribute__((target("avx2")))
#include "common/cluster/kmeans_block.inc"
#endif

/* -- steps ---------------------------------------------------------------------------------- */

/* Adds each row i, times its weight, to sum[label[i] * d ..], and its weight to total[label[i]].
 * The totals are stored behind the sums of all k clusters. */
static void sum_many(const double *z, size_t rows, size_t d, size_t k, const double *weight,
		     const uint32_t *label, double *sum)
{
	double *total = sum + k * d;

	for (size_t i = 0; i < rows; i++, z += d) {
		double w = kmeans_weight_of(weight, i), *to;

		if (label[i] >= k)
			continue;
		to = sum + label[i] * d;
		total[label[i]] += w;
		for (size_t j = 0; j < d; j++)
			to[j] += w * z[j];
	}
}

static bool is_few(size_t k, size_t d)
{
	return k <= FEW && d <= FEW_DIMS;
}

size_t kmeans_sum_width(size_t k, size_t d)
{
	return (is_few(k, d) ? FEW : k) * (d + 1);
}

void kmeans_sum_block(const double *z, size_t rows, size_t d, size_t k, const double *weight,
		      const uint32_t *label, double *sum)
{
	if (is_few(k, d))
		SIMD_PICK(sum_few)(z, rows, d, weight, label, sum, sum + FEW * d);
	else
		sum_many(z, rows, d, k, weight, label, sum);
}

void kmeans_means_of(const double *sum, struct mat *c)
{
	size_t k = c->rows, d = c->cols;
	bool few = is_few(k, d);
	const double *total = sum + (few ? FEW : k) * d;

	for (size_t r = 0; r < k; r++)
		for (size_t j = 0; total[r] > 0 && j < d; j++)
			MAT(c, r, j) = sum[few ? j * FEW + r : r * d + j] / total[r];
}

void kmeans_centres_of(const struct ranks *R, const struct mat *Z, const double *weight,
		       const uint32_t *label, struct mat *c)
{
	size_t d = Z->cols, n = Z->rows, width = kmeans_sum_width(c->rows, d);
	double *total = alloc(width, sizeof(*total));
	struct rowsum s;

	assert(c->cols == d);
	ranks_sum_begin(R, &s, width, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(n); b++) {
		size_t first = b * ROWSUM_ROWS;

		kmeans_sum_block(ROW(Z, first), rowsum_rows(n, b), d, c->rows,
				 weight ? weight + first : NULL, label + first, rowsum_open(&s));
		rowsum_close(&s);
	}
	ranks_sum_end(R, &s, total);
	kmeans_means_of(total, c);
	free(total);
}

void kmeans_centres(const struct mat *Z, const double *weight, const uint32_t *label, struct mat *c)
{
	kmeans_centres_of(NULL, Z, weight, label, c);
}

void kmeans_distances(const struct mat *Z, const struct mat *c, double *D)
{
	struct distance s;

	assert(c->cols == Z->cols);
	distance_init(&s, c->rows, c->cols);
	distance_set(&s, c->a);
	for (size_t i = 0; i < Z->rows; i += DISTANCE_ROWS)
		distance_block(&s, ROW(Z, i), distance_count(Z->rows, i), D + i * c->rows);
	distance_release(&s);
}

/* Returns the index of the least of k values, the first on ties. For large k, several independent
 * minima hide latency. */
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
		sum += kmeans_weight_of(weight, i) * D[i * k + best];
	}
	if (inertia)
		*inertia += sum;
	return moved;
}

/* Computes the margin (kmeans_margins()) of one row. row: squared distances to k centres. Distances
 * that are sums over parties may be negative by rounding. */
static double margin_of(const double *row, size_t k, uint32_t label)
{
	double own = fmax(row[label], 0), next = INFINITY;

	for (size_t r = 0; r < k; r++)
		if (r != label && row[r] < next)
			next = row[r];
	return next > own && next < INFINITY ? 1 - sqrt(own / next) : 0;
}

double kmeans_silhouette(const double *D, const double *weight, size_t n, size_t k,
			 const uint32_t *label)
{
	double sum = 0, total = 0;

	for (size_t i = 0; i < n; i++) {
		double w = kmeans_weight_of(weight, i);

		total += w;
		sum += w * margin_of(D + i * k, k, label[i]);
	}
	return total > 0 ? sum / total : 0;
}

void kmeans_margins(const double *D, size_t n, size_t k, const uint32_t *label, double *margin)
{
	for (size_t i = 0; i < n; i++)
		margin[i] = margin_of(D + i * k, k, label[i]);
}

void kmeans_nearest(const struct mat *Z, const struct mat *c, uint32_t *label)
{
	double *D = alloc(Z->rows * c->rows, sizeof(*D));

	memset(label, 0, Z->rows * sizeof(*label));
	kmeans_distances(Z, c, D);
	kmeans_assign(D, NULL, Z->rows, c->rows, label, NULL);
	free(D);
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

/* -- restarts ------------------------------------------------------------------------------- */

/* The first FIRST_RESTARTS restarts run to their end. Each later restart gives up if it seems
 * unable to reach the best of these first restarts (lloyd_run()). Which restarts give up does not
 * depend on the number of threads. */
enum { FIRST_RESTARTS = 4 };

struct search {
	struct restart *restart;
	struct lloyd **lloyd;
	size_t first;
	double goal;
};

static void run_restart(void *ctx, unsigned worker, size_t number)
{
	const struct search *s = ctx;

	number += s->first;
	lloyd_run(s->lloyd[worker], number, s->goal, &s->restart[number]);
}

static size_t best_of(const struct restart *restart, size_t count)
{
	size_t best = 0;

	for (size_t i = 1; i < count; i++)
		if (restart[i].inertia < restart[best].inertia)
			best = i;
	return best;
}

static void run_restarts(struct search *s, unsigned threads, size_t restarts)
{
	size_t first = min_size(restarts, FIRST_RESTARTS);

	s->first = 0;
	s->goal = INFINITY;
	parallel(threads, first, run_restart, s);
	s->first = first;
	s->goal = s->restart[best_of(s->restart, first)].inertia;
	if (restarts > first)
		parallel(threads, restarts - first, run_restart, s);
}

void kmeans(const struct mat *Z, const double *weight, const struct kmeans_params *p,
	    uint32_t *label, struct mat *centres, double *inertia)
{
	struct distance_rows rows;
	struct search s;
	/* Ranks exchange the sums of one restart after the other, so with ranks the search uses one
	 * thread. */
	unsigned threads = p->ranks ? 1 : p->threads;
	unsigned workers = parallel_workers(threads, p->restarts);
	size_t best;

	assert(p->k >= 1 && p->k < UINT32_MAX && p->restarts >= 1);
	if (inertia)
		*inertia = 0;
	if (centres)
		mat_init(centres, p->k, Z->cols);
	if (ranks_n(p->ranks, Z->rows) == 0)
		return;
	distance_rows_init(&rows, Z);
	ALLOC(s.restart, p->restarts);
	ALLOC(s.lloyd, workers);
	for (unsigned w = 0; w < workers; w++)
		s.lloyd[w] = lloyd_new(&rows, weight, p);
	run_restarts(&s, threads, p->restarts);
	for (unsigned w = 0; w < workers; w++)
		lloyd_free(s.lloyd[w]);
	free(s.lloyd);
	best = best_of(s.restart, p->restarts);
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
	distance_rows_release(&rows);
}
