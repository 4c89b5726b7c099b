#include "common/base/alloc.h"
#include "common/base/sort.h"
#include "common/linalg/la.h"
#include "protocols/fedgcn/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Replaces x by exp(x), scaled to the sum 1. -INFINITY becomes 0; if all are -INFINITY, each
 * becomes 1 / k. */
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

/* A prototype enters the means and variances of a component with the weight exp(BETA gamma) gamma,
 * where gamma is its probability to belong to the component. Each variance is raised to at least
 * LEAST_VARIANCE times the median variance; full covariances have so much added to their
 * diagonals. */
static const double BETA = 1, LEAST_VARIANCE = 0.05;
enum { KDE_STEPS = 30 };

struct kde {
	size_t k, n;
	struct mat u;     /* n prototypes */
	struct mat gamma; /* n x k: probability that a prototype belongs to a component */
	double *share, *variance, *mass; /* k entries each: pi; s^2 per dimension; sum of gamma */
	/* With prototypes "printed": the covariance matrix of each component, k x FEDGCN_Z^2.
	 * Otherwise it has no rows, and s^2 I is the covariance matrix. */
	struct mat Sigma;
};

/* Computes gamma from the previous C, by Gaussians whose variance is the mean squared distance to
 * the nearest centre. */
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

/* Sigma += weight (u - mu)(u - mu)' */
static void add_outer(double *Sigma, double weight, const double *u, const double *mu)
{
	for (size_t a = 0; a < FEDGCN_Z; a++)
		for (size_t b = 0; b < FEDGCN_Z; b++)
			Sigma[a * FEDGCN_Z + b] += weight * (u[a] - mu[a]) * (u[b] - mu[b]);
}

/* Computes equations 12-14. Returns the largest squared distance by which a row of C moved. */
static double kde_maximise(struct kde *e, struct mat *C)
{
	double moved = 0, all = 0, least, *sorted;
	bool full = e->Sigma.rows > 0;

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
		if (full)
			memset(ROW(&e->Sigma, r), 0, e->Sigma.cols * sizeof(double));
		for (size_t i = 0; i < e->n; i++) {
			double gamma = MAT(&e->gamma, i, r);

			e->variance[r] += exp(BETA * gamma) * gamma / mass / FEDGCN_Z *
					  mat_square_between(ROW(&e->u, i), mu, FEDGCN_Z);
			if (full)
				add_outer(ROW(&e->Sigma, r), exp(BETA * gamma) * gamma / mass,
					  ROW(&e->u, i), mu);
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
	for (size_t r = 0; r < e->k; r++) {
		e->variance[r] = fmax(e->variance[r], least);
		for (size_t j = 0; full && j < FEDGCN_Z; j++)
			MAT(&e->Sigma, r, j * FEDGCN_Z + j) += least;
	}
	free(sorted);
	return moved;
}

/* Row i of Y (n x FEDGCN_Z) becomes Sigma_r^-1 u_i; *log_det becomes the logarithm of det Sigma_r.
 */
static enum err kde_invert(const struct kde *e, size_t r, struct mat *Y, double *log_det)
{
	struct mat factor;
	enum err err;

	mat_init(&factor, FEDGCN_Z, FEDGCN_Z);
	memcpy(factor.a, ROW(&e->Sigma, r), e->Sigma.cols * sizeof(double));
	memcpy(Y->a, e->u.a, e->n * FEDGCN_Z * sizeof(double));
	err = la_cholesky(&factor);
	if (err == ERR_OK)
		err = la_cholesky_solve(&factor, Y->a, e->n);
	*log_det = 0;
	for (size_t j = 0; j < FEDGCN_Z; j++)
		*log_det += 2 * log(MAT(&factor, j, j));
	mat_release(&factor);
	return err;
}

/* Returns (u_i - u_j)' Sigma_r^-1 (u_i - u_j). */
static double kde_square(const struct kde *e, size_t r, const struct mat *Y, size_t i, size_t j)
{
	double square = 0;

	if (!e->Sigma.rows)
		return mat_square_between(ROW(&e->u, i), ROW(&e->u, j), FEDGCN_Z) / e->variance[r];
	for (size_t c = 0; c < FEDGCN_Z; c++)
		square += (MAT(&e->u, i, c) - MAT(&e->u, j, c)) * (MAT(Y, i, c) - MAT(Y, j, c));
	return square;
}

/* Equation 10: computes the logarithm of pi_r f_r(u_i) for each i, as column r of `next`. */
static enum err kde_density(const struct kde *e, size_t r, struct mat *Y, struct mat *next)
{
	static const double part = FEDGCN_DIMENSIONS / FEDGCN_Z / 2;
	double log_det = FEDGCN_Z * log(e->variance[r]);

	if (e->Sigma.rows)
		TRY(kde_invert(e, r, Y, &log_det));
	for (size_t i = 0; i < e->n; i++) {
		double f = 0;

		for (size_t j = 0; j < e->n; j++)
			f += MAT(&e->gamma, j, r) * exp(-part * kde_square(e, r, Y, i, j));
		MAT(next, i, r) = e->mass[r] > 1e-9 && f > 0
				      ? log(e->share[r] * f / e->mass[r]) - part * log_det
				      : -INFINITY;
	}
	return ERR_OK;
}

/* Computes equations 10 and 11. */
static enum err kde_expect(struct kde *e)
{
	struct mat next, Y;
	enum err err = ERR_OK;

	mat_init(&next, e->n, e->k);
	mat_init(&Y, e->Sigma.rows ? e->n : 0, FEDGCN_Z);
	for (size_t r = 0; r < e->k && !err; r++)
		err = kde_density(e, r, &Y, &next);
	for (size_t i = 0; i < e->n; i++)
		to_shares(ROW(&next, i), e->k);
	mat_release(&e->gamma);
	mat_release(&Y);
	e->gamma = next;
	return err;
}

enum err fedgcn_kde(const struct fedgcn_params *p, size_t parties, const double *x, struct mat *C)
{
	size_t words = fedgcn_upload_words(p), rows = fedgcn_upload_rows(p);
	struct kde e = { .k = p->k };
	enum err err = ERR_OK;

	mat_init(&e.u, parties * rows, FEDGCN_Z);
	for (size_t l = 0; l < parties; l++)
		for (size_t r = 0; r < rows; r++)
			if (x[l * words + rows * FEDGCN_Z + r] > 0)
				memcpy(ROW(&e.u, e.n++), x + l * words + r * FEDGCN_Z,
				       FEDGCN_Z * sizeof(*x));
	if (p->prototypes == FEDGCN_PRINTED)
		mat_init(&e.Sigma, e.k, (size_t)FEDGCN_Z * FEDGCN_Z);
	mat_init(&e.gamma, e.n, e.k);
	ALLOC(e.share, e.k);
	ALLOC(e.variance, e.k);
	ALLOC(e.mass, e.k);
	if (e.n) {
		kde_begin(&e, C);
		for (int t = 0; t < KDE_STEPS && !err && kde_maximise(&e, C) > 1e-12; t++)
			err = kde_expect(&e);
	}
	mat_release(&e.u);
	mat_release(&e.gamma);
	mat_release(&e.Sigma);
	free(e.share);
	free(e.variance);
	free(e.mass);
	return err;
}
