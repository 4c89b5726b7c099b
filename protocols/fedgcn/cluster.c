#include "common/base/alloc.h"
#include "protocols/fedgcn/own.h"
#include "common/cluster/gmm.h"
#include "common/cluster/kmeans.h"
#include "common/linalg/la.h"
#include "common/cluster/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LLOYD = 100, RESTARTS = 10 };
enum { AXES = 3, MIXTURE_RESTARTS = 5, MIXTURE_STEPS = 100 };
enum { MIXTURE_MOST = 8 }; /* more clusters do not separate in AXES dimensions */
/* EM ends when a step adds less than this to the mean log density. With a larger value, EM would
 * also end where it is only slow. With overlapping clusters, EM is slow even far from the optimum.
 * The baseline on log n uses the same value. */
static const double MIXTURE_SETTLED = 1e-6;

void fedgcn_lloyd(const struct mat *Z, struct mat *C, uint32_t *label)
{
	size_t n = Z->rows, k = C->rows;
	double *D = alloc(n * k, sizeof(*D));

	kmeans_nearest(Z, C, label);
	for (unsigned t = 0; t < LLOYD; t++) {
		kmeans_centres(Z, NULL, label, C);
		kmeans_distances(Z, C, D);
		if (!kmeans_assign(D, NULL, n, k, label, NULL))
			break;
	}
	free(D);
}

/* Matches rows of D to rows of C by the least sum of squared distances: to[r] is the row of C for
 * row r of D. */
static void fedgcn_cluster_match_centres(const struct mat *D, const struct mat *C, size_t *to)
{
	double *cost = alloc(D->rows * C->rows, sizeof(*cost));

	kmeans_distances(D, C, cost);
	hungarian(cost, D->rows, to);
	free(cost);
}

static void fedgcn_cluster_by_kmeans(const struct fedgcn_params *p, const struct mat *Z,
				     struct fedgcn_model *m, uint32_t *label)
{
	struct kmeans_params how = { .k = p->k,
				     .restarts = RESTARTS,
				     .iterations = LLOYD,
				     .seed = p->seed,
				     .threads = p->threads };
	uint32_t *other;
	struct mat D;
	size_t *to;
	/* Inertia of the result of k-means from random starts, and from the given centres. */
	double inertia, given = 0;

	ALLOC(other, Z->rows);
	ALLOC(to, p->k);
	kmeans(Z, NULL, &how, other, &D, &inertia);
	fedgcn_cluster_match_centres(&D, &m->C, to);
	fedgcn_lloyd(Z, &m->C, label);
	for (size_t i = 0; i < Z->rows; i++)
		for (size_t j = 0; j < Z->cols; j++) {
			double d = MAT(Z, i, j) - MAT(&m->C, label[i], j);

			given += d * d;
		}
	if (inertia < given) {
		for (size_t i = 0; i < Z->rows; i++)
			label[i] = (uint32_t)to[other[i]];
		for (size_t r = 0; r < p->k; r++)
			memcpy(ROW(&m->C, to[r]), ROW(&D, r), FEDGCN_Z * sizeof(double));
	}
	mat_release(&D);
	free(other);
	free(to);
}

static enum err find_axes(const struct mat *Z, struct fedgcn_model *m)
{
	struct mat centred, G, V;
	double value[AXES];
	enum err err;

	ALLOC(m->mean, FEDGCN_Z);
	for (size_t j = 0; j < FEDGCN_Z; j++)
		for (size_t i = 0; i < Z->rows; i++)
			m->mean[j] += MAT(Z, i, j) / (double)Z->rows;
	mat_copy(&centred, Z);
	for (size_t i = 0; i < Z->rows; i++)
		for (size_t j = 0; j < FEDGCN_Z; j++)
			MAT(&centred, i, j) -= m->mean[j];
	la_gram_columns(&centred, 1, &G);
	mat_release(&centred);
	err = la_eigen_top(&G, m->q, value, &V);
	mat_release(&G);
	if (err)
		return err;
	ALLOC(m->axis, m->q * FEDGCN_Z);
	memcpy(m->axis, V.a, m->q * FEDGCN_Z * sizeof(double));
	mat_release(&V);
	return ERR_OK;
}

/* Initialises X (rows x q) with Z, minus the mean, projected on the axes of m. */
static void fedgcn_cluster_project(const struct fedgcn_model *m, const struct mat *Z, struct mat *X)
{
	mat_init(X, Z->rows, m->q);
	for (size_t i = 0; i < Z->rows; i++)
		for (size_t a = 0; a < m->q; a++)
			for (size_t j = 0; j < FEDGCN_Z; j++)
				MAT(X, i, a) +=
				    (MAT(Z, i, j) - m->mean[j]) * m->axis[a * FEDGCN_Z + j];
}

/* Matches each mixture component, by the mean Z of its graphs, to a row of C. The component gets
 * the number of this row, and the row becomes that mean. */
static void rename_components(const struct mat *Z, struct fedgcn_model *m, struct gmm *g,
			      uint32_t *label)
{
	size_t k = m->k, q = m->q, *to;
	struct mat D;

	mat_copy(&D, &m->C);
	/* For a component without graphs, uses the component's own mean, mapped back to Z. */
	for (size_t r = 0; r < k; r++)
		for (size_t j = 0; j < FEDGCN_Z; j++) {
			MAT(&D, r, j) = m->mean[j];
			for (size_t a = 0; a < q; a++)
				MAT(&D, r, j) += g->mu[r * q + a] * m->axis[a * FEDGCN_Z + j];
		}
	kmeans_centres(Z, NULL, label, &D);
	ALLOC(to, k);
	fedgcn_cluster_match_centres(&D, &m->C, to);
	ALLOC(m->share, k);
	ALLOC(m->mu, k * q);
	ALLOC(m->precision, k * q * q);
	for (size_t r = 0; r < k; r++) {
		m->share[to[r]] = g->share[r];
		memcpy(m->mu + to[r] * q, g->mu + r * q, q * sizeof(double));
		memcpy(m->precision + to[r] * q * q, g->precision + r * q * q,
		       q * q * sizeof(double));
		memcpy(ROW(&m->C, to[r]), ROW(&D, r), FEDGCN_Z * sizeof(double));
	}
	for (size_t i = 0; i < Z->rows; i++)
		label[i] = (uint32_t)to[label[i]];
	free(to);
	mat_release(&D);
}

enum err fedgcn_cluster(const struct fedgcn_params *p, const struct mat *Z, struct fedgcn_model *m,
			uint32_t *label)
{
	struct gmm_params how = { .k = p->k,
				  .restarts = MIXTURE_RESTARTS,
				  .iterations = MIXTURE_STEPS,
				  .tolerance = MIXTURE_SETTLED,
				  /* without a ridge, a few equal graphs would become a component */
				  .ridge = 1e-2,
				  .seed = p->seed };
	struct gmm g;
	struct mat X;
	enum err err;

	if (p->final != FEDGCN_MIXTURE || p->k > MIXTURE_MOST) {
		fedgcn_cluster_by_kmeans(p, Z, m, label);
		return ERR_OK;
	}
	m->q = AXES;
	TRY(find_axes(Z, m));
	fedgcn_cluster_project(m, Z, &X);
	gmm_fit(&X, &how, &g);
	err = gmm_label(&g, &X, label);
	if (!err)
		rename_components(Z, m, &g, label);
	gmm_release(&g);
	mat_release(&X);
	return err;
}

void fedgcn_model_release(struct fedgcn_model *m)
{
	free(m->W);
	free(m->mean);
	free(m->axis);
	free(m->share);
	free(m->mu);
	free(m->precision);
	mat_release(&m->C);
	*m = (struct fedgcn_model){ 0 };
}

static bool all_within(const double *x, size_t n, double bound)
{
	for (size_t i = 0; i < n; i++)
		if (!(fabs(x[i]) <= bound))
			return false;
	return true;
}

enum err fedgcn_model_check(const struct fedgcn_model *m)
{
	size_t k = m->k, q = m->q;
	struct gin net;
	bool good;

	if (m->features < GRAPHS_STRUCTURE || m->features > GRAPHS_COORDINATES)
		return err_set(ERR_INPUT, "a model of features of kind %d", (int)m->features);
	gin_init(&net, m->features);
	if (m->weights != net.weights || k < 1 || m->C.rows != k || m->C.cols != FEDGCN_Z ||
	    q > GMM_DIMENSIONS_MAX)
		return err_set(ERR_INPUT,
			       "a model of %zu weights, %zu x %zu prototypes, %zu axes; %zu "
			       "weights and %u x %d prototypes are expected",
			       m->weights, m->C.rows, m->C.cols, q, net.weights, m->k, FEDGCN_Z);
	good = all_within(m->W, m->weights, FEDGCN_WEIGHT_MAX) &&
	       all_within(m->C.a, k * FEDGCN_Z, 1e30);
	if (good && q)
		good = all_within(m->mean, FEDGCN_Z, 1e30) &&
		       all_within(m->axis, q * FEDGCN_Z, 1e30) && all_within(m->share, k, 1) &&
		       all_within(m->mu, k * q, 1e30) && all_within(m->precision, k * q * q, 1e30);
	for (size_t r = 0; good && q && r < k; r++)
		good = m->share[r] >= 0;
	return good ? ERR_OK
		    : err_set(ERR_INPUT, "a model whose numbers are not finite or beyond bounds");
}

enum err fedgcn_embed(const struct fedgcn_model *m, const struct graphs *g, unsigned threads,
		      struct mat *Z)
{
	struct gin net;
	float *F, *W;

	TRY(graphs_features(g, m->features, threads, &F));
	gin_init(&net, m->features);
	ALLOC(W, net.weights);
	for (size_t i = 0; i < net.weights; i++)
		W[i] = (float)m->W[i];
	gin_embed(&net, g, F, W, threads, Z);
	free(F);
	free(W);
	return ERR_OK;
}

enum err fedgcn_assign(const struct fedgcn_model *m, const struct graphs *g, unsigned threads,
		       uint32_t *label)
{
	struct gmm mixture = { .k = m->k, .q = m->q, m->share, m->mu, m->precision, 0 };
	struct mat Z, X;
	enum err err = ERR_OK;

	TRY(fedgcn_model_check(m));
	TRY(fedgcn_embed(m, g, threads, &Z));
	if (m->q) {
		fedgcn_cluster_project(m, &Z, &X);
		err = gmm_label(&mixture, &X, label);
		mat_release(&X);
	} else {
		kmeans_nearest(&Z, &m->C, label);
	}
	mat_release(&Z);
	return err;
}
