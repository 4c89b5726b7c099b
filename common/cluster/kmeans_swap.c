#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/cluster/kmeans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	LLOYD = 3,           /* number of Lloyd steps after a swap */
	PASSES = 100,        /* maximum number of passes over all rows */
	STREAM = 0x73776170, /* random stream of this module */
};
static const double GAIN = 1e-12; /* smaller relative decreases of a cost are rounding errors */

struct clusters {
	const struct mat *Z;
	uint32_t *label;
	struct mat centre;
	double *size;
};

static void clusters_init(struct clusters *c, const struct mat *Z, size_t k)
{
	*c = (struct clusters){ .Z = Z };
	ALLOC(c->label, Z->rows);
	ALLOC(c->size, k);
	mat_init(&c->centre, k, Z->cols);
}

static void clusters_release(struct clusters *c)
{
	mat_release(&c->centre);
	free(c->size);
	free(c->label);
}

static double inertia(const struct clusters *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->Z->rows; i++)
		sum += mat_square_between(ROW(c->Z, i), ROW(&c->centre, c->label[i]), c->Z->cols);
	return sum;
}

/* Returns the cluster in which row i costs least. Moving the row saves `own` in its present
 * cluster, and adds a cost to the cluster that receives the row. */
static uint32_t best_place(const struct clusters *c, size_t i)
{
	const double *z = ROW(c->Z, i);
	uint32_t from = c->label[i], to = from;
	double own = 0, best = INFINITY;

	if (c->size[from] < 2)
		return from;
	for (uint32_t r = 0; r < c->centre.rows; r++) {
		double cost = mat_square_between(z, ROW(&c->centre, r), c->Z->cols);

		if (r == from) {
			own = cost * c->size[r] / (c->size[r] - 1);
		} else if (cost * c->size[r] / (c->size[r] + 1) < best) {
			best = cost * c->size[r] / (c->size[r] + 1);
			to = r;
		}
	}
	return best < own * (1 - GAIN) ? to : from;
}

static void hartigan(struct clusters *c)
{
	size_t n = c->Z->rows, still = 0;

	kmeans_centres(c->Z, NULL, c->label, &c->centre);
	memset(c->size, 0, c->centre.rows * sizeof(*c->size));
	for (size_t i = 0; i < n; i++)
		c->size[c->label[i]]++;
	for (size_t t = 0; t < PASSES * n && still < n; t++) {
		size_t i = t % n;
		uint32_t from = c->label[i], to = best_place(c, i);
		const double *z = ROW(c->Z, i);
		double *a = ROW(&c->centre, from), *b = ROW(&c->centre, to);

		still++;
		if (to == from)
			continue;
		still = 0;
		c->size[from]--;
		c->size[to]++;
		for (size_t j = 0; j < c->Z->cols; j++) {
			a[j] += (a[j] - z[j]) / c->size[from];
			b[j] += (z[j] - b[j]) / c->size[to];
		}
		c->label[i] = to;
	}
}

void kmeans_swap(const struct mat *Z, size_t k, unsigned swaps, uint64_t seed, uint32_t *label)
{
	size_t n = Z->rows, d = Z->cols;
	struct clusters best, other;
	struct rng rng;
	double least, *D;

	if (n == 0)
		return;
	D = alloc(n, k * sizeof(*D));
	rng_seed(&rng, seed, STREAM);
	clusters_init(&best, Z, k);
	clusters_init(&other, Z, k);
	memcpy(best.label, label, n * sizeof(*label));
	hartigan(&best);
	least = inertia(&best);
	for (unsigned t = 0; t < swaps; t++) {
		size_t r = rng_below(&rng, k), i = rng_below(&rng, n);
		double now;

		memcpy(other.centre.a, best.centre.a, k * d * sizeof(double));
		memcpy(other.label, best.label, n * sizeof(*label));
		memcpy(ROW(&other.centre, r), ROW(Z, i), d * sizeof(double));
		for (unsigned step = 0; step < LLOYD; step++) {
			kmeans_distances(Z, &other.centre, D);
			kmeans_assign(D, NULL, n, k, other.label, NULL);
			kmeans_centres(Z, NULL, other.label, &other.centre);
		}
		hartigan(&other);
		now = inertia(&other);
		if (now < least * (1 - GAIN)) {
			struct clusters kept = best;

			best = other;
			other = kept;
			least = now;
		}
		progress_tick();
		if (progress_stopped())
			break;
	}
	memcpy(label, best.label, n * sizeof(*label));
	free(D);
	clusters_release(&other);
	clusters_release(&best);
}
