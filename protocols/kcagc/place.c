#include "protocols/kcagc/place.h"
#include "common/base/alloc.h"
#include "common/linalg/la.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void placing_release(struct placing *p)
{
	free(p->shift);
	free(p->weight);
	free(p->word);
	free(p->offset);
	mat_release(&p->map);
	*p = (struct placing){ 0 };
}

/* Computes parts of |x - c|^2 = |x|^2 - 2 x.c + |c|^2. |x|^2 counts as 1, of which each party adds
 * 1 / L. Since rows have length at most 1, no sum is negative. */
void placing_by(const struct slice *s, const struct mat *M, size_t parties, struct placing *p)
{
	size_t m = s->columns, k = M->rows;

	*p = (struct placing){ .order = s->order };
	ALLOC(p->shift, m);
	ALLOC(p->weight, m);
	ALLOC(p->word, m);
	ALLOC(p->offset, k);
	memcpy(p->shift, s->shift, m * sizeof(*p->shift));
	memcpy(p->weight, s->weight, m * sizeof(*p->weight));
	memcpy(p->word, s->word, m);
	mat_init(&p->map, m, k);
	for (size_t r = 0; r < k; r++) {
		p->offset[r] = 1 / (double)parties;
		for (size_t j = 0; j < m; j++) {
			double c = MAT(M, r, j);

			p->offset[r] += c * c;
			MAT(&p->map, j, r) = -2 * c;
		}
	}
}

void placing_of(const struct slice *s, const uint32_t *label, size_t k, size_t parties,
		struct placing *p)
{
	struct mat M;

	slice_means(s, label, k, &M);
	placing_by(s, &M, parties, p);
	mat_release(&M);
}

struct weighing {
	const struct placing *p;
	size_t *count; /* m: number of values present in a column */
	double *square;
	bool words; /* columns of words have had only 0 and 1 so far */
};

static void weigh(void *ctx, size_t row, size_t column, double *value)
{
	struct weighing *w = ctx;

	w->count[column]++;
	if (w->p->word[column] == WORD_PRESENT && *value != 0)
		*value = 1;
	w->words &= !w->p->word[column] || *value == 0 || *value == 1;
	*value = (*value - w->p->shift[column]) * w->p->weight[column];
	w->square[row] += *value * *value;
}

enum err placing_weigh(const struct placing *p, struct features *X, double *length)
{
	size_t n = features_rows(X), m = p->map.rows;
	struct weighing w = { .p = p, .square = length, .words = true };
	enum err err = ERR_OK;

	ALLOC(w.count, m);
	memset(length, 0, n * sizeof(*length));
	features_each(X, weigh, &w);
	if (!w.words)
		err = err_set(ERR_INPUT,
			      "features hold other values than 0 and 1, all that there was in "
			      "their columns when the model was made; are these the same columns?");
	for (size_t j = 0; j < m && !err; j++)
		if (p->shift[j] != 0 && w.count[j] < n)
			err = err_set(ERR_INPUT,
				      "column %zu (from 0) has %zu values for %zu rows; when the "
				      "model was made it had one in each row",
				      j, w.count[j], n);
	for (size_t i = 0; i < n; i++)
		length[i] = sqrt(length[i]);
	free(w.count);
	return err;
}

static void placing_shorten_value(void *ctx, size_t row, size_t column, double *value)
{
	const double *norm = ctx;

	(void)column;
	if (norm[row] > 0)
		*value /= norm[row];
}

static void placing_project(const struct placing *p, struct features *X, const double *norm,
			    unsigned threads, struct mat *D)
{
	features_each(X, placing_shorten_value, (void *)(uintptr_t)norm);
	if (X->is_sparse)
		csr_times(&X->sparse, &p->map, threads, D);
	else
		la_mul_nn(&X->dense, &p->map, threads, D);
	features_release(X);
}

static void placing_offset(const struct placing *p, struct mat *D)
{
	for (size_t i = 0; i < D->rows; i++)
		for (size_t r = 0; r < D->cols; r++)
			MAT(D, i, r) += p->offset[r];
}

enum err placing_distances(const struct placing *p, struct features *X, const struct graph *g,
			   const double *norm, unsigned threads, struct mat *D)
{
	enum err err;

	placing_project(p, X, norm, threads, D);
	err = graph_filter(g, FILTER_MEAN, p->order, threads, D);
	if (err)
		mat_release(D);
	else
		placing_offset(p, D);
	return err;
}
