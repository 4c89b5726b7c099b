#include "common/cluster/gmm.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/cluster/kmeans.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { Q = GMM_DIMENSIONS_MAX, SEED_ITERATIONS = 50 };

/* Computes the lower factor L of the symmetric positive definite A = L L', q x q. False if A is not
 * positive definite. */
static bool cholesky(const double *A, size_t q, double *L)
{
	for (size_t i = 0; i < q; i++) {
		for (size_t j = 0; j <= i; j++) {
			double sum = A[i * q + j];

			for (size_t l = 0; l < j; l++)
				sum -= L[i * q + l] * L[j * q + l];
			if (i == j && !(sum > 0))
				return false;
			L[i * q + j] = i == j ? sqrt(sum) : sum / L[j * q + j];
		}
	}
	return true;
}

/* Computes B = A^-1 from the factor L of A: first the columns of L^-1, then their products. */
static void invert(const double *L, size_t q, double *B)
{
	double inverse[Q * Q] = { 0 };

	for (size_t c = 0; c < q; c++) {
		for (size_t i = c; i < q; i++) {
			double sum = i == c;

			for (size_t l = c; l < i; l++)
				sum -= L[i * q + l] * inverse[l * q + c];
			inverse[i * q + c] = sum / L[i * q + i];
		}
	}
	for (size_t i = 0; i < q; i++) {
		for (size_t j = 0; j < q; j++) {
			B[i * q + j] = 0;
			for (size_t l = 0; l < q; l++)
				B[i * q + j] += inverse[l * q + i] * inverse[l * q + j];
		}
	}
}

/* Computes D[i][r] = log (share_r x density_r(x_i)) from |L' (x - mu)|^2, where L is the factor of
 * the precision. False if a precision is not positive definite. */
static bool densities(const struct gmm *m, const struct mat *X, struct mat *D)
{
	size_t q = m->q;
	double *L;
	bool good = true;

	ALLOC(L, q * q);
	for (size_t r = 0; r < m->k && good; r++) {
		const double *mu = m->mu + r * q;
		double log_det = 0;

		good = cholesky(m->precision + r * q * q, q, L);
		for (size_t i = 0; good && i < q; i++)
			log_det += log(L[i * q + i]);
		for (size_t row = 0; good && row < X->rows; row++) {
			double square = 0;

			for (size_t j = 0; j < q; j++) {
				double sum = 0;

				for (size_t i = j; i < q; i++)
					sum += L[i * q + j] * (MAT(X, row, i) - mu[i]);
				square += sum * sum;
			}
			MAT(D, row, r) = log(m->share[r]) + log_det - square / 2 -
					 (double)q / 2 * log(2 * acos(-1.0));
		}
	}
	free(L);
	return good;
}

static double expect(struct mat *D)
{
	double total = 0;

	assert(D->cols > 0);
	for (size_t i = 0; i < D->rows; i++) {
		/* d holds log densities; their exponentials are scaled so that the largest is 1 */
		double *d = ROW(D, i), top = d[0], sum = DBL_MIN;

		for (size_t r = 1; r < D->cols; r++)
			top = fmax(top, d[r]);
		for (size_t r = 0; r < D->cols; r++)
			sum += d[r] = exp(d[r] - top);
		for (size_t r = 0; r < D->cols; r++)
			d[r] /= sum;
		total += top + log(sum);
	}
	return total / (double)D->rows;
}

static void fit_component(const struct mat *X, const struct mat *D, size_t r, double ridge,
			  struct gmm *m)
{
	double S[Q * Q] = { 0 }, L[Q * Q] = { 0 }, mass = 0, *mu = m->mu + r * m->q;
	size_t q = m->q;

	for (size_t i = 0; i < X->rows; i++)
		mass += MAT(D, i, r);
	m->share[r] = mass / (double)X->rows;
	if (mass < 1e-3) {
		m->share[r] = 0;
		return;
	}
	for (size_t j = 0; j < q; j++) {
		mu[j] = 0;
		for (size_t i = 0; i < X->rows; i++)
			mu[j] += MAT(D, i, r) * MAT(X, i, j) / mass;
	}
	for (size_t i = 0; i < X->rows; i++)
		for (size_t a = 0; a < q; a++)
			for (size_t b = 0; b <= a; b++)
				S[a * q + b] += MAT(D, i, r) / mass * (MAT(X, i, a) - mu[a]) *
						(MAT(X, i, b) - mu[b]);
	for (size_t a = 0; a < q; a++) {
		S[a * q + a] += ridge;
		for (size_t b = 0; b < a; b++)
			S[b * q + a] = S[a * q + b];
	}
	if (cholesky(S, q, L))
		invert(L, q, m->precision + r * q * q);
}

static void fit_once(const struct mat *X, const struct gmm_params *p, double ridge, uint64_t seed,
		     struct gmm *m)
{
	struct kmeans_params how = {
		.k = p->k, .restarts = 1, .iterations = SEED_ITERATIONS, .seed = seed, .threads = 1
	};
	size_t k = p->k, q = X->cols;
	double before = -INFINITY;
	uint32_t *label;
	struct mat D;

	*m = (struct gmm){ .k = k, .q = q };
	ALLOC(m->share, k);
	ALLOC(m->mu, k * q);
	ALLOC(m->precision, k * q * q);
	for (size_t r = 0; r < k; r++)
		for (size_t j = 0; j < q; j++)
			m->precision[(r * q + j) * q + j] = 1;
	ALLOC(label, X->rows);
	kmeans(X, NULL, &how, label, NULL, NULL);
	mat_init(&D, X->rows, k);
	for (size_t i = 0; i < X->rows; i++)
		MAT(&D, i, label[i]) = 1;
	for (unsigned t = 0;; t++) {
		for (size_t r = 0; r < k; r++)
			fit_component(X, &D, r, ridge, m);
		if (t == p->iterations || progress_stopped() || !densities(m, X, &D))
			break;
		m->likelihood = expect(&D);
		if (m->likelihood - before < p->tolerance)
			break;
		before = m->likelihood;
	}
	mat_release(&D);
	free(label);
}

void gmm_fit(const struct mat *X, const struct gmm_params *p, struct gmm *m)
{
	double total = 0, ridge;

	assert(X->rows > 0 && X->cols > 0 && X->cols <= Q && p->restarts > 0);
	for (size_t j = 0; j < X->cols; j++) {
		double mean = 0;

		for (size_t i = 0; i < X->rows; i++)
			mean += MAT(X, i, j) / (double)X->rows;
		for (size_t i = 0; i < X->rows; i++)
			total += (MAT(X, i, j) - mean) * (MAT(X, i, j) - mean);
	}
	ridge = p->ridge * (total / (double)(X->rows * X->cols));
	if (!(ridge > 0)) /* all points coincide */
		ridge = 1;
	fit_once(X, p, ridge, p->seed, m);
	for (unsigned i = 1; i < p->restarts; i++) {
		struct gmm other;

		fit_once(X, p, ridge, p->seed + i, &other);
		if (other.likelihood > m->likelihood) {
			struct gmm swap = *m;

			*m = other;
			other = swap;
		}
		gmm_release(&other);
	}
}

enum err gmm_label(const struct gmm *m, const struct mat *X, uint32_t *label)
{
	struct mat D;

	mat_init(&D, X->rows, m->k);
	if (!densities(m, X, &D)) {
		mat_release(&D);
		return err_set(ERR_INPUT, "a mixture's precision is not positive definite");
	}
	for (size_t i = 0; i < X->rows; i++) {
		label[i] = 0;
		for (size_t r = 1; r < m->k; r++)
			if (MAT(&D, i, r) > MAT(&D, i, label[i]))
				label[i] = (uint32_t)r;
	}
	mat_release(&D);
	return ERR_OK;
}

void gmm_release(struct gmm *m)
{
	free(m->share);
	free(m->mu);
	free(m->precision);
	*m = (struct gmm){ 0 };
}
