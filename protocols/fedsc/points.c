#include "protocols/fedsc/points.h"
#include "common/base/alloc.h"
#include "common/base/warnings.h"
#include "common/graph/knn.h"
#include "common/cluster/spectral.h"
#include "protocols/fedsc/dictionary.h"
#include "common/linalg/la.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If the squared length of a row's features is at most SPANNED, the row resembles no row of the
 * dictionary. If 1 - cosine to the mean direction is below APART for all rows, they are alike. With
 * these bounds, labels of three clouds at distance 8 are right for r from 0.05 to 100 times a
 * cloud's deviation. */
#define SPANNED 1e-6
#define APART   1e-6

/* Checks that labels are not arbitrary. Labels would be arbitrary if rows resembled no row of the
 * dictionary, or if all rows were alike. own (n): squared lengths of the rows' features, 1 if the
 * dictionary spans them. along (n): products of the features with the main direction, which is the
 * sum of all features and has squared length `square`. line: all features have one direction, so
 * their lengths distinguish rows. */
static enum err rows_are_distinct(const double *own, const double *along, size_t n, double square,
				  bool line, double r)
{
	double least = 1, shortest = INFINITY, longest = 0;
	size_t none = 0;

	for (size_t i = 0; i < n; i++) {
		none += !(own[i] > SPANNED);
		least = fmin(least, along[i] / sqrt(own[i] * square));
		shortest = fmin(shortest, sqrt(own[i]));
		longest = fmax(longest, sqrt(own[i]));
	}
	if (2 * none > n)
		return err_set(ERR_JOB,
			       "r %g: %zu of %zu rows are like none of the dictionary; a larger "
			       "r or more of it is needed",
			       r, none, n);
	if (line)
		least = shortest / longest;
	if (1 - least < APART)
		return err_set(ERR_JOB, "r %g: all %zu rows are alike; a smaller r is needed", r,
			       n);
	if (none)
		warnings_add(WARNING_UNLIKE_ROWS, (double)none,
			     "r %g: %zu of %zu rows are like none of the dictionary, and their "
			     "labels are by chance",
			     r, none, n);
	return ERR_OK;
}

static enum err check_features(const struct mat *F, double r)
{
	double *sum = alloc(F->cols, sizeof(*sum)), square = 0;
	double *own = alloc(F->rows, sizeof(*own)), *along = alloc(F->rows, sizeof(*along));
	enum err err;

	for (size_t i = 0; i < F->rows; i++)
		for (size_t j = 0; j < F->cols; j++)
			sum[j] += MAT(F, i, j);
	for (size_t j = 0; j < F->cols; j++)
		square += sum[j] * sum[j];
	for (size_t i = 0; i < F->rows; i++)
		for (size_t j = 0; j < F->cols; j++) {
			own[i] += MAT(F, i, j) * MAT(F, i, j);
			along[i] += MAT(F, i, j) * sum[j];
		}
	err = rows_are_distinct(own, along, F->rows, square, F->cols == 1, r);
	free(along);
	free(own);
	free(sum);
	return err;
}

static enum err check_similarities(const struct mat *K, size_t d, double r)
{
	double *own = alloc(K->rows, sizeof(*own)), *along = alloc(K->rows, sizeof(*along));
	double square = 0;
	enum err err;

	for (size_t i = 0; i < K->rows; i++) {
		own[i] = MAT(K, i, i);
		for (size_t j = 0; j < K->rows; j++)
			along[i] += MAT(K, i, j);
		square += along[i];
	}
	err = rows_are_distinct(own, along, K->rows, square, d == 1, r);
	free(along);
	free(own);
	return err;
}

/* Runs spectral clustering of the nearest neighbours S, and releases S. */
static enum err cluster_points(struct csr *S, size_t n, const struct points_params *p,
			       uint32_t *label)
{
	struct spectral_params how;
	enum err err;

	spectral_defaults(&how, n, p->k, p->seed, p->threads);
	err = spectral_cluster(S, &how, p->restarts, label, NULL);
	csr_release(S);
	return err;
}

static enum err check_clusters(unsigned k, size_t n)
{
	return k <= n ? ERR_OK : err_set(ERR_INPUT, "%u clusters of %zu rows", k, n);
}

enum err points_paper(const struct mat *Z, const struct mat *C, double r, double lambda,
		      const struct points_params *p, uint32_t *label)
{
	struct fedsc_basis basis;
	struct mat F = { 0 };
	struct csr S;
	enum err err;

	TRY(check_clusters(p->k, C->rows));
	err = fedsc_basis_init(&basis, Z, r, lambda, p->threads);
	if (!err)
		err = fedsc_basis_root(&basis, p->threads);
	if (!err)
		la_mul_nn(C, &basis.root, p->threads, &F);
	fedsc_basis_release(&basis);
	if (!err)
		err = check_features(&F, r);
	if (!err)
		knn_products(&F, knn_rule(C->rows), p->threads, &S);
	mat_release(&F);
	return err ? err : cluster_points(&S, C->rows, p, label);
}

static void copy_similarities(void *ctx, size_t first, size_t count, double *S)
{
	const struct mat *K = ctx;

	memcpy(S, ROW(K, first), count * K->cols * sizeof(*S));
}

enum err points_similarities(struct mat *K, size_t d, double r, const struct points_params *p,
			     uint32_t *label)
{
	struct knn_source source = { K->rows, K, copy_similarities };
	struct csr S;

	TRY(check_clusters(p->k, K->rows));
	TRY(check_similarities(K, d, r));
	knn_graph(&source, knn_rule(K->rows), p->threads, &S);
	return cluster_points(&S, K->rows, p, label);
}
