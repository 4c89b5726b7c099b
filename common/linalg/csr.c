#include "common/linalg/csr.h"
#include "common/base/alloc.h"
#include "common/linalg/parallel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Orders by row, column and value, so that duplicates are added in the same order for any order of
 * input. */
static int triple_order(const void *a, const void *b)
{
	const struct triple *s = a, *t = b;

	if (s->row != t->row)
		return s->row < t->row ? -1 : 1;
	if (s->col != t->col)
		return s->col < t->col ? -1 : 1;
	return (s->value > t->value) - (s->value < t->value);
}

void csr_init(struct csr *s, size_t rows, size_t cols, size_t entries, bool weighted)
{
	*s = (struct csr){ .rows = rows, .cols = cols };
	ALLOC(s->start, rows + 1);
	ALLOC(s->index, entries);
	if (weighted)
		ALLOC(s->value, entries);
}

size_t triples_sort(struct triple *t, size_t count)
{
	size_t i = 1;

	while (i < count && triple_order(&t[i - 1], &t[i]) <= 0)
		i++;
	if (i < count)
		qsort(t, count, sizeof(*t), triple_order);
	for (i = 1; i < count; i++)
		if (t[i - 1].row == t[i].row && t[i - 1].col == t[i].col)
			return i;
	return count;
}

void csr_from_triples(struct csr *s, size_t rows, size_t cols, struct triple *t, size_t count)
{
	size_t kept = 0;

	triples_sort(t, count);
	for (size_t i = 0; i < count; i++) {
		assert(t[i].row < rows && t[i].col < cols);
		if (kept && t[kept - 1].row == t[i].row && t[kept - 1].col == t[i].col)
			t[kept - 1].value += t[i].value;
		else
			t[kept++] = t[i];
	}
	csr_init(s, rows, cols, kept, true);
	for (size_t i = 0; i < kept; i++) {
		s->start[t[i].row + 1]++;
		s->index[i] = t[i].col;
		s->value[i] = t[i].value;
	}
	for (size_t r = 0; r < rows; r++)
		s->start[r + 1] += s->start[r];
}

void csr_to_dense(const struct csr *s, struct mat *m)
{
	mat_init(m, s->rows, s->cols);
	for (size_t i = 0; i < s->rows; i++)
		for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
			MAT(m, i, s->index[e]) = s->value ? s->value[e] : 1;
}

void csr_copy(struct csr *s, const struct csr *from)
{
	size_t entries = from->start[from->rows];

	csr_init(s, from->rows, from->cols, entries, from->value);
	memcpy(s->start, from->start, (from->rows + 1) * sizeof(*s->start));
	memcpy(s->index, from->index, entries * sizeof(*s->index));
	if (from->value)
		memcpy(s->value, from->value, entries * sizeof(*s->value));
}

void csr_write_ones(struct csr *s)
{
	size_t entries = s->start[s->rows];

	if (s->value)
		return;
	ALLOC(s->value, entries);
	for (size_t e = 0; e < entries; e++)
		s->value[e] = 1;
}

enum { PRODUCT_ROWS = 256 };

struct product {
	const struct csr *S;
	const struct mat *W;
	struct mat *Y;
};

static void csr_product_rows(void *ctx, unsigned worker, size_t block)
{
	const struct product *p = ctx;
	const struct csr *S = p->S;
	size_t first = block * PRODUCT_ROWS, last = min_size(first + PRODUCT_ROWS, S->rows);

	(void)worker;
	for (size_t i = first; i < last; i++) {
		double *y = ROW(p->Y, i);

		for (size_t e = S->start[i]; e < S->start[i + 1]; e++) {
			const double *w = ROW(p->W, S->index[e]);
			double x = S->value ? S->value[e] : 1;

			for (size_t j = 0; j < p->W->cols; j++)
				y[j] += x * w[j];
		}
	}
}

void csr_times(const struct csr *S, const struct mat *W, unsigned threads, struct mat *Y)
{
	struct product p = { S, W, Y };

	mat_init(Y, S->rows, W->cols);
	parallel(threads, (S->rows + PRODUCT_ROWS - 1) / PRODUCT_ROWS, csr_product_rows, &p);
}

void csr_release(struct csr *s)
{
	free(s->start);
	free(s->index);
	free(s->value);
	*s = (struct csr){ 0 };
}

void features_copy(struct features *X, const struct features *from)
{
	*X = (struct features){ .is_sparse = from->is_sparse };
	if (from->is_sparse)
		csr_copy(&X->sparse, &from->sparse);
	else
		mat_copy(&X->dense, &from->dense);
}

void features_release(struct features *X)
{
	csr_release(&X->sparse);
	mat_release(&X->dense);
	*X = (struct features){ 0 };
}

void features_form(struct features *X)
{
	if (!X->is_sparse)
		return;
	csr_to_dense(&X->sparse, &X->dense);
	csr_release(&X->sparse);
	X->is_sparse = false;
}

size_t features_rows(const struct features *X)
{
	return X->is_sparse ? X->sparse.rows : X->dense.rows;
}

size_t features_cols(const struct features *X)
{
	return X->is_sparse ? X->sparse.cols : X->dense.cols;
}

void features_each(struct features *X, features_value *f, void *ctx)
{
	struct csr *s = &X->sparse;

	if (X->is_sparse)
		csr_write_ones(s);
	for (size_t i = 0; X->is_sparse && i < s->rows; i++)
		for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
			f(ctx, i, s->index[e], &s->value[e]);
	for (size_t i = 0; !X->is_sparse && i < X->dense.rows; i++)
		for (size_t j = 0; j < X->dense.cols; j++)
			f(ctx, i, j, &MAT(&X->dense, i, j));
}
