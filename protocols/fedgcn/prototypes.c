#include "common/base/alloc.h"
#include "common/base/sort.h"
#include "protocols/fedgcn/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* x becomes exp(x), scaled to the sum 1; -INFINITY becomes 0. */
static void to_shares(double *x, size_t k)
{
	double top = -INFINITY, sum = 0;

	for (size_t r = 0; r < k; r++)
		top = fmax(top, x[r]);
	for (size_t r = 0; r < k; r++)
		sum += x[r] = top > -INFINITY ? exp(x[r] - top) : 1;
	for (size_t r = 0; r < k; r++)
		x[r] /= sum;
}

static const double BETA = 1, LEAST_VARIANCE = 0.05; /* relative to the median variance */
enum { KDE_STEPS = 30 };

struct kde {
	size_t k, n;
	struct mat u;                    /* n prototypes */
	struct mat D;                    /* n x n squared distances between them */
	struct mat gamma;                /* n x k */
	double *share, *variance, *mass; /* k: pi, s^2 per dimension, sum of gamma */
};

/* gamma from the previous C: Gaussians with the mean squared distance to the nearest centre. */
static void kde_begin(struct kde *e, const struct mat *C)
{
	double spread = 0;

	for (size_t i = 0; i < e->n; i++) {
		double near = INFINITY;

		for (size_t r = 0; r < e->k; r++) {
			MAT(&e->gamma, i, r) =
			    mat_square_between(ROW(&e->u, i), ROW(C, r), FEDGCN_Z);
			near = fmin(near, MAT(&e->gamma, i, r));
		}
		spread += near / (double)(e->n * FEDGCN_Z);
	}
	for (size_t i = 0; i < e->n; i++) {
		for (size_t r = 0; r < e->k; r++)
			MAT(&e->gamma, i, r) *=
			    spread > 0 ? -FEDGCN_DIMENSIONS / FEDGCN_Z / 2 / spread : -1;
		to_shares(ROW(&e->gamma, i), e->k);
	}
}

/* Equations 12-14. Returns the largest squared move of a row of C. */
static double kde_maximise(struct kde *e, struct mat *C)
{
	double moved = 0, all = 0, least, *sorted;

	for (size_t r = 0; r < e->k; r++) {
		double mass = 0, alpha_sum = 0, mu[FEDGCN_Z] = { 0 };

		e->mass[r] = e->variance[r] = 0;
		for (size_t i = 0; i < e->n; i++) {
			double gamma = MAT(&e->gamma, i, r), alpha = exp(BETA * gamma);

			e->mass[r] += gamma;
			alpha_sum += alpha;
			mass += alpha * gamma;
			for (size_t j = 0; j < FEDGCN_Z; j++)
				mu[j] += alpha * gamma * MAT(&e->u, i, j);
		}
		e->share[r] = mass / alpha_sum;
		all += e->share[r];
		if (mass < 1e-9)
			continue;
		for (size_t j = 0; j < FEDGCN_Z; j++)
			mu[j] /= mass;
		for (size_t i = 0; i < e->n; i++) {
			double gamma = MAT(&e->gamma, i, r);

			e->variance[r] += exp(BETA * gamma) * gamma / mass / FEDGCN_Z *
					  mat_square_between(ROW(&e->u, i), mu, FEDGCN_Z);
		}
		moved = fmax(moved, mat_square_between(mu, ROW(C, r), FEDGCN_Z));
		memcpy(ROW(C, r), mu, sizeof(mu));
	}
	for (size_t r = 0; r < e->k; r++)
		e->share[r] /= all;
	ALLOC(sorted, e->k);
	memcpy(sorted, e->variance, e->k * sizeof(*sorted));
	sort_reals(sorted, e->k);
	least = fmax(LEAST_VARIANCE * sorted[e->k / 2], 1e-12);
	for (size_t r = 0; r < e->k; r++)
		e->variance[r] = fmax(e->variance[r], least);
	free(sorted);
	return moved;
}

/* Equations 10 and 11. */
static void kde_expect(struct kde *e)
{
	struct mat next;

	mat_init(&next, e->n, e->k);
	for (size_t i = 0; i < e->n; i++) {
		for (size_t r = 0; r < e->k; r++) {
			double f = 0, s = e->variance[r];

			for (size_t j = 0; j < e->n; j++)
				f += MAT(&e->gamma, j, r) *
				     exp(-FEDGCN_DIMENSIONS / FEDGCN_Z / 2 * MAT(&e->D, i, j) / s);
			MAT(&next, i, r) =
			    e->mass[r] > 1e-9 && f > 0
				? log(e->share[r] * f / e->mass[r]) - FEDGCN_DIMENSIONS / 2 * log(s)
				: -INFINITY;
		}
		to_shares(ROW(&next, i), e->k);
	}
	mat_release(&e->gamma);
	e->gamma = next;
}

void fedgcn_kde(const struct fedgcn_params *p, size_t parties, const double *x, struct mat *C)
{
	size_t words = fedgcn_upload_words(p);
	struct kde e = { .k = p->k };

	mat_init(&e.u, parties * p->k, FEDGCN_Z);
	for (size_t l = 0; l < parties; l++)
		for (size_t r = 0; r < p->k; r++)
			if (x[l * words + p->k * FEDGCN_Z + r] > 0)
				memcpy(ROW(&e.u, e.n++), x + l * words + r * FEDGCN_Z,
				       FEDGCN_Z * sizeof(*x));
	mat_init(&e.D, e.n, e.n);
	for (size_t i = 0; i < e.n; i++)
		for (size_t j = 0; j < e.n; j++)
			MAT(&e.D, i, j) = mat_square_between(ROW(&e.u, i), ROW(&e.u, j), FEDGCN_Z);
	mat_init(&e.gamma, e.n, e.k);
	ALLOC(e.share, e.k);
	ALLOC(e.variance, e.k);
	ALLOC(e.mass, e.k);
	if (e.n) {
		kde_begin(&e, C);
		for (int t = 0; t < KDE_STEPS && kde_maximise(&e, C) > 1e-12; t++)
			kde_expect(&e);
	}
	mat_release(&e.u);
	mat_release(&e.D);
	mat_release(&e.gamma);
	free(e.share);
	free(e.variance);
	free(e.mass);
}
