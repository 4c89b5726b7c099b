#include "protocols/kcagc/words.h"
#include "common/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void see(struct words *w, size_t column, double value)
{
	if (value == 0)
		return;
	if (w->value == 0)
		w->value = value;
	w->differ = w->differ || value != w->value;
	w->count[column]++;
}

static void words_agree(struct words *w, const struct ranks *R, size_t m)
{
	struct {
		double value;
		bool differ;
	} own = { w->value, w->differ }, *each = ranks_all(R, sizeof(own), &own);
	size_t *counts = ranks_all(R, m * sizeof(*counts), w->count);

	memset(w->count, 0, m * sizeof(*counts));
	for (size_t q = 0; q < R->count; q++) {
		if (w->value == 0)
			w->value = each[q].value;
		w->differ |= each[q].differ || (each[q].value != 0 && each[q].value != w->value);
		for (size_t j = 0; j < m; j++)
			w->count[j] += counts[q * m + j];
	}
	free(counts);
	free(each);
}

void words_see(struct words *w, const struct ranks *R, const struct features *X)
{
	const struct csr *s = &X->sparse;
	const struct mat *m = &X->dense;
	size_t entries = X->is_sparse ? s->start[s->rows] : 0;

	if (!w->count)
		ALLOC(w->count, features_cols(X));
	for (size_t e = 0; e < entries; e++)
		see(w, s->index[e], s->value ? s->value[e] : 1);
	for (size_t i = 0; !X->is_sparse && i < m->rows && !w->differ; i++)
		for (size_t j = 0; j < m->cols; j++)
			see(w, j, MAT(m, i, j));
	if (R)
		words_agree(w, R, features_cols(X));
}

double *words_weights(const struct words *w, size_t m, size_t n)
{
	double *weight;

	if (w->differ || w->value == 0)
		return NULL;
	ALLOC(weight, m);
	for (size_t j = 0; j < m; j++)
		weight[j] = log((1 + (double)n) / (1 + (double)w->count[j])) + 1;
	return weight;
}

static void mark(void *ctx, size_t row, size_t column, double *value)
{
	(void)ctx;
	(void)row;
	(void)column;
	*value = *value != 0;
}

void words_mark(struct features *X)
{
	features_each(X, mark, NULL);
}

void words_weigh(struct features *X, const double *weight)
{
	struct csr *s = &X->sparse;
	struct mat *m = &X->dense;
	size_t entries = X->is_sparse ? s->start[s->rows] : 0;

	if (X->is_sparse)
		csr_write_ones(s);
	for (size_t e = 0; e < entries; e++)
		s->value[e] *= weight[s->index[e]];
	for (size_t i = 0; !X->is_sparse && i < m->rows; i++)
		for (size_t j = 0; j < m->cols; j++)
			MAT(m, i, j) *= weight[j];
}
