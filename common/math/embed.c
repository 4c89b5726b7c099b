#include "common/math/embed.h"
#include "common/base/alloc.h"
#include "common/math/svd.h"

#include <math.h>
#include <stdlib.h>

void features_release(struct features *X)
{
	csr_release(&X->sparse);
	mat_release(&X->dense);
	*X = (struct features){ 0 };
}

size_t features_rows(const struct features *X)
{
	return X->is_sparse ? X->sparse.rows : X->dense.rows;
}

size_t features_cols(const struct features *X)
{
	return X->is_sparse ? X->sparse.cols : X->dense.cols;
}

/* -- idf ----------------------------------------------------------------------------------- */

/* Words are told from measurements by the slice as a whole: all its non-zeros are one value. A
 * single column of ones in a slice of measurements says nothing (wiki has nine of 4973, and
 * weighing them up costs it two points of accuracy). */
struct words {
	double value; /* of the non-zeros so far; 0: none yet */
	bool differ;
	size_t *count; /* non-zeros of each column */
};

static void words_see(struct words *w, size_t column, double value)
{
	if (value == 0)
		return;
	if (w->value == 0)
		w->value = value;
	w->differ = w->differ || value != w->value;
	w->count[column]++;
}

static double words_idf(const struct words *w, size_t column, size_t n)
{
	return log((1 + (double)n) / (1 + (double)w->count[column])) + 1;
}

static void idf_sparse(struct csr *s)
{
	size_t entries = s->start[s->rows];
	struct words w = { .count = alloc(s->cols, sizeof(*w.count)) };

	for (size_t e = 0; e < entries; e++)
		words_see(&w, s->index[e], s->value ? s->value[e] : 1);
	if (!s->value && !w.differ) {
		ALLOC(s->value, entries);
		for (size_t e = 0; e < entries; e++)
			s->value[e] = 1;
	}
	for (size_t e = 0; e < entries && !w.differ; e++)
		s->value[e] *= words_idf(&w, s->index[e], s->rows);
	free(w.count);
}

static void idf_dense(struct mat *X)
{
	struct words w = { .count = alloc(X->cols, sizeof(*w.count)) };
	double *idf = alloc(X->cols, sizeof(*idf));

	for (size_t i = 0; i < X->rows && !w.differ; i++)
		for (size_t j = 0; j < X->cols; j++)
			words_see(&w, j, MAT(X, i, j));
	for (size_t j = 0; j < X->cols; j++)
		idf[j] = words_idf(&w, j, X->rows);
	for (size_t i = 0; i < X->rows && !w.differ; i++)
		for (size_t j = 0; j < X->cols; j++)
			MAT(X, i, j) *= idf[j];
	free(idf);
	free(w.count);
}

/* -- scaling ------------------------------------------------------------------------------- */

static void scale_columns(struct mat *Z, const double *sigma)
{
	for (size_t i = 0; i < Z->rows; i++)
		for (size_t j = 0; j < Z->cols; j++)
			MAT(Z, i, j) *= sigma[j];
}

/* A row this much shorter than the mean is what rounding left of a row outside the projection;
 * making it as long as the others would cluster noise. */
static const double ROW_ZERO = 1e-12;

static void scale_rows(struct mat *Z, double power)
{
	double *norm, mean = 0;

	ALLOC(norm, Z->rows);
	for (size_t i = 0; i < Z->rows; i++) {
		double sum = 0;

		for (size_t j = 0; j < Z->cols; j++)
			sum += MAT(Z, i, j) * MAT(Z, i, j);
		norm[i] = sqrt(sum);
		mean += norm[i];
	}
	mean /= (double)Z->rows;
	for (size_t i = 0; i < Z->rows; i++) {
		bool zero = norm[i] <= ROW_ZERO * mean;
		double divisor = zero ? 1 : mean * pow(norm[i] / mean, power);

		for (size_t j = 0; j < Z->cols; j++)
			MAT(Z, i, j) = zero ? 0 : MAT(Z, i, j) / divisor;
	}
	free(norm);
}

/* -- the whole ----------------------------------------------------------------------------- */

static enum err check(const struct features *X, const struct embed_params *p)
{
	size_t n = features_rows(X), m = features_cols(X);

	if (n == 0 || m == 0)
		return err_set(ERR_INPUT, "features are %zu x %zu: nothing to cluster", n, m);
	if (p->dims == 0)
		return err_set(ERR_INPUT, "projection on 0 dimensions: at least 1 is needed");
	return ERR_OK;
}

/* Filters X into a dense matrix; X is empty afterwards. */
static enum err filter_features(struct features *X, const struct graph *g,
				const struct embed_params *p, struct mat *F)
{
	enum err err;

	if (p->idf && X->is_sparse)
		idf_sparse(&X->sparse);
	else if (p->idf)
		idf_dense(&X->dense);
	if (X->is_sparse) {
		err = graph_filter_sparse(g, p->filter, p->order, p->threads, &X->sparse, F);
	} else {
		*F = X->dense;
		X->dense = (struct mat){ 0 };
		err = graph_filter(g, p->filter, p->order, p->threads, F);
	}
	features_release(X);
	return err;
}

enum err embed_project(const struct mat *F, const struct embed_params *p, struct mat *Z)
{
	size_t d = F->rows < F->cols ? F->rows : F->cols;
	double *sigma;
	enum err err;

	if (p->dims < d)
		d = p->dims;
	ALLOC(sigma, d);
	err = svd_left(F, d, p->threads, Z, sigma);
	if (!err && !p->unit_basis)
		scale_columns(Z, sigma);
	if (!err && p->unit_rows)
		scale_rows(Z, p->row_power);
	free(sigma);
	return err;
}

enum err embed(struct features *X, const struct graph *g, const struct embed_params *p,
	       struct mat *Z)
{
	struct mat F = { 0 };
	enum err err;

	err = check(X, p);
	if (!err)
		err = filter_features(X, g, p, &F);
	if (!err)
		err = embed_project(&F, p, Z);
	mat_release(&F);
	features_release(X);
	return err;
}
