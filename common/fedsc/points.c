#include "common/fedsc/points.h"
#include "common/base/alloc.h"
#include "common/base/warnings.h"
#include "common/fedsc/party.h"
#include "common/linalg/distance.h"
#include "common/cluster/kmeans.h"
#include "common/graph/knn.h"
#include "common/cluster/spectral.h"
#include "common/fedsc/dictionary.h"
#include "common/linalg/la.h"

#include <math.h>
#include <stdlib.h>

/* Squared lengths of rows of F, and how far, as 1 - cosine, the one that points elsewhere most is
 * from all. In three clouds 8 apart labels are right from 0.05 to 100 times a cloud's deviation, by
 * these bounds as well. */
#define SPANNED 1e-6
#define APART   1e-6

void points_defaults(struct points_params *p, unsigned k, uint64_t seed, unsigned threads)
{
	*p = (struct points_params){
		.k = k, .width_factor = 1, .restarts = 20, .seed = seed, .threads = threads
	};
}

enum err points_spectral(const struct mat *X, const struct points_params *p, uint32_t *label)
{
	struct spectral_params how;
	size_t alone = 0;
	struct csr S;
	enum err err = ERR_OK;
	double r;

	if (p->k < 1 || p->k > X->rows)
		return err_set(ERR_INPUT, "%u clusters of %zu rows", p->k, X->rows);
	r = p->width_factor * kernel_mean_distance(X, p->threads);
	if (!(r > 0))
		return err_set(ERR_INPUT, "r is %g: all %zu rows are equal", r, X->rows);
	knn_gaussian(X, r, p->neighbours ? p->neighbours : knn_rule(X->rows), p->threads, &S);
	/* A width far below the distances makes every kernel value 0: spectral clustering of no
	 * edges would be labels by chance. */
	for (size_t i = 0; i < S.rows; i++) {
		double degree = 0;

		for (size_t e = S.start[i]; e < S.start[i + 1]; e++)
			degree += S.value[e];
		alone += !(degree > 0);
	}
	if (alone)
		err = err_set(ERR_INPUT,
			      "with a kernel of width %.3g, %zu of %zu rows are like no other row: "
			      "a larger width is needed",
			      r, alone, S.rows);
	if (!err) {
		spectral_defaults(&how, X->rows, p->k, p->seed, p->threads);
		err = spectral_cluster(&S, &how, p->restarts, label, NULL);
	}
	csr_release(&S);
	return err;
}

struct dsc {
	const struct mat *X;
	const uint32_t *part;
	const struct points_params *p;
	uint32_t *label;
	struct mat mean; /* parties x k clusters, by m */
	double *size;    /* parties x k rows */
};

/* The labels, means and sizes of party l's own clusters. */
static enum err cluster_party(struct dsc *d, uint32_t l)
{
	struct mat own, mean;
	size_t at = 0, k = d->p->k;
	uint32_t *label;
	enum err err = ERR_OK;

	fedsc_deal(d->X, d->part, l, &own);
	ALLOC(label, own.rows);
	if (own.rows > k)
		err = points_spectral(&own, d->p, label);
	else
		for (size_t i = 0; i < own.rows; i++)
			label[i] = (uint32_t)i;
	mean = (struct mat){ k, own.cols, ROW(&d->mean, l * k) };
	if (!err)
		kmeans_centres(&own, NULL, label, &mean);
	for (size_t i = 0; !err && i < d->X->rows; i++)
		if (d->part[i] == l) {
			d->label[i] = label[at++];
			d->size[l * k + d->label[i]]++;
		}
	free(label);
	mat_release(&own);
	return err ? err_prefix(err, "party %u", (unsigned)l) : ERR_OK;
}

enum err points_dsc(const struct mat *X, const uint32_t *part, size_t parties, bool matched,
		    const struct points_params *p, uint32_t *label)
{
	struct dsc d = { .X = X, .part = part, .p = p, .label = label };
	struct kmeans_params how = { .k = p->k,
				     .restarts = p->restarts,
				     .iterations = 100,
				     .seed = p->seed,
				     .threads = p->threads };
	enum err err = ERR_OK;
	uint32_t *number;

	if (p->k < 1 || p->k > X->rows)
		return err_set(ERR_INPUT, "%u clusters of %zu rows", p->k, X->rows);
	mat_init(&d.mean, parties * p->k, X->cols);
	ALLOC(d.size, parties * p->k);
	ALLOC(number, d.mean.rows);
	for (uint32_t l = 0; !err && l < parties; l++)
		err = cluster_party(&d, l);
	if (!err && matched) {
		kmeans(&d.mean, d.size, &how, number, NULL, NULL);
		for (size_t i = 0; i < X->rows; i++)
			label[i] = number[part[i] * p->k + label[i]];
	}
	free(number);
	free(d.size);
	mat_release(&d.mean);
	return err;
}

/* Rows that are like none of the dictionary, or all like each other, would get labels by chance. A
 * row of F has length 1 if the dictionary spans it, and the sum of all rows says which way most
 * point. */
static enum err rows_are_told_apart(const struct mat *F, double r)
{
	double *sum = alloc(F->cols, sizeof(*sum)), square = 0, least = 1;
	size_t none = 0;

	for (size_t i = 0; i < F->rows; i++)
		for (size_t j = 0; j < F->cols; j++)
			sum[j] += MAT(F, i, j);
	for (size_t j = 0; j < F->cols; j++)
		square += sum[j] * sum[j];
	for (size_t i = 0; i < F->rows; i++) {
		double own = 0, along = 0;

		for (size_t j = 0; j < F->cols; j++) {
			own += MAT(F, i, j) * MAT(F, i, j);
			along += MAT(F, i, j) * sum[j];
		}
		none += !(own > SPANNED);
		least = fmin(least, along / sqrt(own * square));
	}
	free(sum);
	if (2 * none > F->rows)
		return err_set(ERR_JOB,
			       "r %g: %zu of %zu rows are like none of the dictionary; a larger "
			       "r or more of it is needed",
			       r, none, F->rows);
	if (1 - least < APART)
		return err_set(ERR_JOB, "r %g: all %zu rows are alike; a smaller r is needed", r,
			       F->rows);
	if (none)
		warnings_add(WARNING_UNLIKE_ROWS, (double)none,
			     "r %g: %zu of %zu rows are like none of the dictionary, and their "
			     "labels are by chance",
			     r, none, F->rows);
	return ERR_OK;
}

enum err points_paper(const struct mat *Z, const struct mat *C, double r, double lambda,
		      const struct points_params *p, uint32_t *label)
{
	struct spectral_params how;
	struct fedsc_basis basis;
	struct mat F = { 0 };
	struct csr S;
	enum err err;

	if (p->k > C->rows)
		return err_set(ERR_INPUT, "%u clusters of %zu rows", p->k, C->rows);
	err = fedsc_basis_init(&basis, Z, r, lambda, p->threads);
	if (!err)
		err = fedsc_basis_root(&basis, p->threads);
	if (!err)
		la_mul_nn(C, &basis.root, p->threads, &F);
	fedsc_basis_release(&basis);
	if (!err)
		err = rows_are_told_apart(&F, r);
	if (err) {
		mat_release(&F);
		return err;
	}
	knn_products(&F, p->neighbours ? p->neighbours : knn_rule(C->rows), p->threads, &S);
	mat_release(&F);
	spectral_defaults(&how, C->rows, p->k, p->seed, p->threads);
	err = spectral_cluster(&S, &how, p->restarts, label, NULL);
	csr_release(&S);
	return err;
}
