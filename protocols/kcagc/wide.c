#include "protocols/kcagc/wide.h"
#include "common/base/alloc.h"

#include <assert.h>
#include <stdlib.h>

/* X counts as sparse if fewer than one value in SPARSE is non-zero. */
enum { SPARSE = 64 };
static const size_t FORMED = 1 << 26; /* T^p X is formed if it has at most this many values */

bool wide_pays_for(size_t rows, size_t cols, size_t entries)
{
	return cols && rows > FORMED / cols && entries / rows < cols / SPARSE;
}

bool wide_pays(const struct csr *X)
{
	return wide_pays_for(X->rows, X->cols, X->start[X->rows]);
}

/* Computes Y (n x b) = F C, for C of map.cols x b; F is `map`. */
static void forth(const struct wide *w, const struct mat *C, struct mat *Y)
{
	struct mat own = { w->X->cols, C->cols, C->a };
	enum err err;

	csr_times(w->X, &own, w->threads, Y);
	err = graph_filter(w->g, FILTER_MEAN, w->order, w->threads, Y);
	assert(!err); /* FILTER_MEAN fails only if rows and graph differ */
	(void)err;
	if (!w->beside)
		return;
	for (size_t i = 0; i < Y->rows; i++)
		for (size_t j = 0; j < Y->cols; j++)
			MAT(Y, i, j) =
			    w->scale * MAT(Y, i, j) + w->beside[i] * MAT(C, w->X->cols, j);
}

/* Computes the last row of C: beside' Y. */
static void back_beside(const struct wide *w, const struct mat *Y, struct mat *C)
{
	for (size_t i = 0; i < Y->rows; i++)
		for (size_t j = 0; j < Y->cols; j++)
			MAT(C, w->X->cols, j) += w->beside[i] * MAT(Y, i, j);
}

/* Computes C (map.cols x b) = F' Y, where F is `map`. Uses up Y. */
static void back(const struct wide *w, struct mat *Y, struct mat *C)
{
	const struct csr *X = w->X;
	size_t b = Y->cols;
	enum err err;

	mat_init(C, w->map.cols, b);
	if (w->beside)
		back_beside(w, Y, C);
	for (size_t i = 0; i < Y->rows; i++)
		for (size_t j = 0; j < b; j++)
			MAT(Y, i, j) *= w->scale / w->sum[i];
	err = graph_filter(w->g, FILTER_MEAN, w->order, w->threads, Y);
	assert(!err);
	(void)err;
	for (size_t i = 0; i < X->rows; i++) {
		double *y = ROW(Y, i);

		for (size_t j = 0; j < b; j++)
			y[j] *= w->sum[i];
		for (size_t e = X->start[i]; e < X->start[i + 1]; e++) {
			double x = X->value ? X->value[e] : 1, *c = ROW(C, X->index[e]);

			for (size_t j = 0; j < b; j++)
				c[j] += x * y[j];
		}
	}
	mat_release(Y);
}

static void wide_multiply(void *ctx, const struct mat *in, struct mat *out)
{
	struct mat C, Y;

	mat_transpose(in, &C);
	forth(ctx, &C, &Y);
	mat_release(&C);
	mat_transpose(&Y, out);
	mat_release(&Y);
}

static void wide_square(void *ctx, const struct mat *in, struct mat *out)
{
	struct mat C, Y;

	mat_transpose(in, &C);
	forth(ctx, &C, &Y);
	mat_release(&C);
	back(ctx, &Y, &C);
	mat_transpose(&C, out);
	mat_release(&C);
}

void wide_init(struct wide *w, const struct csr *X, const struct graph *g, unsigned order,
	       unsigned threads)
{
	const struct csr *a = &g->adjacency;
	const double *root = g->inv_sqrt_deg;

	assert(X->rows == a->rows);
	*w = (struct wide){ .X = X, .g = g, .order = order, .threads = threads, .scale = 1 };
	w->map = (struct linear_map){ .rows = X->rows,
				      .cols = X->cols,
				      .ctx = w,
				      .multiply = wide_multiply,
				      .square = wide_square };
	ALLOC(w->sum, a->rows);
	for (size_t i = 0; i < a->rows; i++) {
		double sum = root[i];

		for (size_t e = a->start[i]; e < a->start[i + 1]; e++)
			sum += (a->value ? a->value[e] : 1) * root[a->index[e]];
		w->sum[i] = 1 + root[i] * sum;
	}
}

void wide_put(struct wide *w, double scale, double *beside)
{
	w->scale = scale;
	w->beside = beside;
	w->map.cols = w->X->cols + 1;
}

void wide_release(struct wide *w)
{
	free(w->sum);
	free(w->beside);
	*w = (struct wide){ 0 };
}

void wide_products(const struct wide *w, const struct mat *B, struct mat *Y)
{
	struct mat copy, C;

	mat_copy(&copy, B);
	back(w, &copy, &C);
	forth(w, &C, Y);
	mat_release(&C);
}

void wide_means(const struct wide *w, const struct mat *B, struct mat *M)
{
	struct mat copy, C;

	mat_copy(&copy, B);
	back(w, &copy, &C);
	mat_transpose(&C, M);
	mat_release(&C);
}
