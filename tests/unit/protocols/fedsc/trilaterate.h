/* trilaterate.h -- Attack on FedSC's variant `paper`: recovers rows from a party's plaintext
 * upload.
 *
 * The dictionary Z, the width r, lambda and the coefficients c of a row x give the similarities k =
 * (Kzz + lambda I) c of x and each row z_j of Z, and so the distances d_j:
 *
 *     d_j^2 = ||z_j - x||^2 = -2 r^2 ln k_j
 *
 * With z_0 the row nearest to x, the differences to d_0^2 are linear in x:
 *
 *     2 (z_j - z_0)' x = ||z_j||^2 - ||z_0||^2 - d_j^2 + d_0^2
 *
 * Least squares solves for x. With fewer dictionary rows than columns it finds the least x, which
 * is the projection on the span of the differences. Values k_j <= 0 (noise) are left out. */
#ifndef TESTS_UNIT_FEDSC_TRILATERATE_H
#define TESTS_UNIT_FEDSC_TRILATERATE_H

#include "tests/unit/linalg/sample.h"
#include "common/linalg/distance.h"
#include "common/linalg/la.h"

/* Computes x (m) from c (d). Returns whether there were enough distances. */
static inline bool trilaterate_row(const struct mat *Z, const struct mat *K, double r,
				   const double *c, double *x)
{
	size_t d = Z->rows, m = Z->cols, used = 0, first = 0;
	double *k = alloc(d, sizeof(*k)), *right = alloc(d, sizeof(*right));
	double *value = alloc(m, sizeof(*value));
	struct mat A, G, V;
	bool found = false;

	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < d; j++)
			k[i] += MAT(K, i, j) * c[j];
	for (size_t i = 1; i < d; i++) /* the nearest point has the most exact distance */
		first = k[i] > k[first] ? i : first;
	memset(x, 0, m * sizeof(*x));
	mat_init(&A, d, m);
	for (size_t i = 0; i < d && k[first] > 0; i++) {
		double b = -2 * r * r * (log(k[first]) - log(k[i]));

		if (i == first || !(k[i] > 0))
			continue;
		for (size_t j = 0; j < m; j++) {
			double z = MAT(Z, i, j), z0 = MAT(Z, first, j);

			MAT(&A, used, j) = 2 * (z - z0);
			b += z * z - z0 * z0;
		}
		right[used++] = b;
	}
	A.rows = used;
	if (used > 0) {
		la_gram_columns(&A, 1, &G);
		assert_ok(la_eigen_top(&G, m, value, &V));
		for (size_t e = 0; e < m && value[e] > 1e-12 * value[0]; e++) {
			double along = 0;

			found = true;
			for (size_t i = 0; i < used; i++)
				for (size_t j = 0; j < m; j++)
					along += MAT(&V, e, j) * MAT(&A, i, j) * right[i];
			for (size_t j = 0; j < m; j++)
				x[j] += along / value[e] * MAT(&V, e, j);
		}
		mat_release(&V);
		mat_release(&G);
	}
	mat_release(&A);
	free(value);
	free(right);
	free(k);
	return found;
}

static inline int trilaterate_rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns the median over rows of ||found - x|| / ||x||, where X has the true rows. */
static inline double trilaterate(const struct mat *Z, const struct mat *C, double r, double lambda,
				 const struct mat *X)
{
	double *error = alloc(C->rows, sizeof(*error)), *x = alloc(Z->cols, sizeof(*x)), median;
	struct mat K;

	kernel_gaussian(Z, Z, r, 1, &K);
	for (size_t i = 0; i < Z->rows; i++)
		MAT(&K, i, i) += lambda;
	for (size_t i = 0; i < C->rows; i++) {
		double off = 0, size = 0;

		if (!trilaterate_row(Z, &K, r, ROW(C, i), x))
			off = INFINITY;
		for (size_t j = 0; j < Z->cols; j++) {
			off += (x[j] - MAT(X, i, j)) * (x[j] - MAT(X, i, j));
			size += MAT(X, i, j) * MAT(X, i, j);
		}
		error[i] = sqrt(off / size);
	}
	qsort(error, C->rows, sizeof(*error), trilaterate_rising);
	median = error[C->rows / 2];
	mat_release(&K);
	free(x);
	free(error);
	return median;
}

#endif
