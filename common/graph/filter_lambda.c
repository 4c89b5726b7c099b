/* Computes the largest eigenvalue of a graph's Laplacian, for the spectral filter. */
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/graph/filter.h"
#include "common/linalg/la.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Lanczos: steps between checks, and maximum number of steps. If a graph needs more, its largest
 * eigenvalues lie so close together that even dense solvers would not agree on eight digits. */
enum { LANCZOS_CHECK = 10, LANCZOS_MAX = 20000 };
static const double LANCZOS_TOLERANCE = 1e-8;

struct lanczos {
	const struct graph *g;
	size_t n, steps;
	double *v, *before, *next, *scratch; /* n each */
	double *alpha, *beta;                /* LANCZOS_MAX each */
};

/* Takes one step of the three-term recurrence; returns false if the Krylov space is exhausted. Lost
 * orthogonality only adds copies of converged values, which do not change the largest. */
static bool lanczos_step(struct lanczos *z)
{
	const struct csr *a = &z->g->adjacency;
	const double *root = z->g->inv_sqrt_deg;
	double *oldest = z->before, along = 0, norm;
	size_t t = z->steps++;

	/* next = (I - S) v */
	for (size_t i = 0; i < z->n; i++)
		z->scratch[i] = root[i] * z->v[i];
	for (size_t i = 0; i < z->n; i++) {
		double sum = z->scratch[i];

		for (size_t e = a->start[i]; e < a->start[i + 1]; e++)
			sum += (a->value ? a->value[e] : 1) * z->scratch[a->index[e]];
		z->next[i] = z->v[i] - root[i] * sum;
	}
	for (size_t i = 0; i < z->n; i++)
		along += z->v[i] * z->next[i];
	z->alpha[t] = along;
	for (size_t i = 0; i < z->n; i++)
		z->next[i] -= along * z->v[i] + (t ? z->beta[t - 1] * z->before[i] : 0);
	norm = mat_norm(z->next, z->n);
	z->beta[t] = norm;
	if (norm < 1e-14) /* the spectrum lies in [0, 2], so a norm this small is rounding error */
		return false;
	for (size_t i = 0; i < z->n; i++)
		z->next[i] /= norm;
	z->before = z->v;
	z->v = z->next;
	z->next = oldest;
	return true;
}

/* Iterates until the largest eigenvalue has converged. A small residual only proves that some
 * eigenvalue is near, and many may be close to the largest. So the value must also stay within the
 * tolerance while the number of steps doubles. */
static enum err lanczos_run(struct lanczos *z, double *lambda)
{
	/* value at step `since`, the first check at which it had a small residual */
	double settled = 0;
	size_t since = 0;
	bool more = true;

	while (more && z->steps < LANCZOS_MAX) {
		double last, tolerance;

		more = lanczos_step(z);
		if (more && z->steps % LANCZOS_CHECK)
			continue;
		progress_tick();
		TRY(progress_check());
		TRY(la_tridiagonal_top(z->alpha, z->beta, z->steps, lambda, &last));
		tolerance = LANCZOS_TOLERANCE * *lambda;
		/* Some eigenvalue is within ||(I - S) y - *lambda y|| = beta * last of *lambda,
		 * where y is the Ritz vector, and last the magnitude of its last coefficient. */
		if (z->beta[z->steps - 1] * last > tolerance)
			continue;
		if (fabs(*lambda - settled) > tolerance) {
			settled = *lambda;
			since = z->steps;
		} else if (z->steps >= 2 * since) {
			return ERR_OK;
		}
	}
	if (!more)
		return ERR_OK;
	return err_set(
	    ERR_JOB,
	    "lambda_max of a graph of %zu nodes: no convergence in %d steps, use the half filter",
	    z->n, LANCZOS_MAX);
}

enum err graph_lambda_max(const struct graph *g, double *lambda)
{
	size_t n = g->adjacency.rows;
	struct lanczos z = { .g = g, .n = n };
	struct mat room;
	struct rng rng;
	double norm;
	enum err err;

	*lambda = 0;
	if (n == 0 || g->adjacency.start[n] == 0)
		return ERR_OK; /* without an edge, S = I */
	mat_init(&room, 4, n);
	z.v = ROW(&room, 0);
	z.before = ROW(&room, 1);
	z.next = ROW(&room, 2);
	z.scratch = ROW(&room, 3);
	ALLOC(z.alpha, LANCZOS_MAX);
	ALLOC(z.beta, LANCZOS_MAX);
	rng_seed(&rng, 1, 0);
	for (size_t i = 0; i < n; i++)
		z.v[i] = rng_normal(&rng);
	norm = mat_norm(z.v, n);
	for (size_t i = 0; i < n; i++)
		z.v[i] /= norm;
	err = lanczos_run(&z, lambda);
	free(z.beta);
	free(z.alpha);
	mat_release(&room);
	return err;
}
