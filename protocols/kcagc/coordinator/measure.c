#include "protocols/kcagc/coordinator/measure.h"
#include "common/base/alloc.h"
#include "common/cluster/kmeans.h"
#include "common/linalg/la.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the spread of the items about their weighted mean: sum w_i <y_i, y_i> - |sum w_i y_i|^2 /
 * sum w_i. */
static double measure_spread(const struct joint *j, const struct mat *G, double *weight)
{
	double own = 0, mean = 0;

	*weight = 0;
	for (size_t i = 0; i < j->m; i++) {
		double product = 0;

		for (size_t l = 0; l < j->m; l++)
			product += j->weight[l] * MAT(G, i, l);
		own += j->weight[i] * MAT(G, i, i);
		mean += j->weight[i] * product;
		*weight += j->weight[i];
	}
	return own - mean / *weight;
}

/* Computes D (m x K): for each item, the mean squared distances of its nodes to the centres of an
 * assignment. */
static void measure_distances(const struct joint *j, const struct mat *G, const double *within,
			      const uint32_t *label, double *D)
{
	size_t K = j->K;
	double *W = alloc(K, sizeof(*W)), *square = alloc(K, sizeof(*square));

	for (size_t i = 0; i < j->m; i++)
		W[label[i]] += j->weight[i];
	for (size_t i = 0; i < j->m; i++)
		for (size_t l = 0; l < j->m; l++)
			D[i * K + label[l]] += j->weight[l] * MAT(G, i, l) / W[label[l]];
	for (size_t i = 0; i < j->m; i++)
		square[label[i]] += j->weight[i] * D[i * K + label[i]] / W[label[i]];
	for (size_t i = 0; i < j->m; i++)
		for (size_t c = 0; c < K; c++) {
			double *d = &D[i * K + c];

			*d = W[c] > 0
				 ? fmax(MAT(G, i, i) - 2 * *d + square[c], 0) + fmax(within[i], 0)
				 : INFINITY;
		}
	free(W);
	free(square);
}

struct selection_point measure_joint(const struct joint *j, const struct mat *G,
				     const double *within)
{
	uint32_t *label = alloc(j->m, sizeof(*label));
	double *D = alloc(j->m * j->K, sizeof(*D)), weight, all, between;
	struct selection_point p = { 0 };

	memcpy(label, j->label + joint_winner(j) * j->m, j->m * sizeof(*label));
	measure_distances(j, G, within, label, D);
	kmeans_assign(D, j->weight, j->m, j->K, label, &p.inertia);
	p.silhouette = kmeans_silhouette(D, j->weight, j->m, j->K, label);
	all = measure_spread(j, G, &weight);
	for (size_t i = 0; i < j->m; i++)
		all += j->weight[i] * fmax(within[i], 0);
	between = fmax(all - p.inertia, 0);
	if (p.inertia > 0 && weight > j->K && j->K > 1)
		p.ratio = between / (j->K - 1.0) / (p.inertia / (weight - j->K));
	free(label);
	free(D);
	return p;
}

enum err measure_points(const struct mat *G, struct mat *Z)
{
	size_t m = G->rows, d = m < MEASURE_DIMS ? m : MEASURE_DIMS;
	struct mat copy, V = { 0 };
	double *value;
	enum err e;

	*Z = (struct mat){ 0 };
	if (m > MEASURE_ITEMS)
		return ERR_OK;
	value = alloc(d, sizeof(*value));
	mat_copy(&copy, G);
	e = la_eigen_top(&copy, d, value, &V);
	if (e == ERR_OK) {
		mat_init(Z, m, d);
		for (size_t i = 0; i < m; i++)
			for (size_t c = 0; c < d; c++)
				MAT(Z, i, c) = MAT(&V, c, i) * sqrt(fmax(value[c], 0));
	}
	mat_release(&V);
	mat_release(&copy);
	free(value);
	return e;
}
