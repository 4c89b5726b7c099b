#include "common/ranks/slice.h"
#include "common/base/alloc.h"
#include "common/graph/modularity.h"
#include "common/ranks/embed.h"
#include "common/ranks/filter.h"
#include "common/ranks/kmeans.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void sum(void *ctx, struct rowsum *s, double *total)
{
	const struct ranks_slice *k = ctx;

	ranks_sum(k->R, s, total);
}

static void centres(void *ctx, const struct mat *X, const uint32_t *label, struct mat *c)
{
	const struct ranks_slice *k = ctx;

	ranks_centres(k->R, X, label, c);
}

static void filter(void *ctx, unsigned order, struct mat *X)
{
	struct ranks_slice *k = ctx;

	ranks_filter(k->R, &k->rows, true, FILTER_MEAN, order, X);
}

static void spread(void *ctx, enum filter_kind kind, unsigned steps, const struct features *X,
		   double *square, double *apart)
{
	const struct ranks_slice *k = ctx;

	ranks_filter_spread(k->R, &k->rows, kind, steps, X, square, apart);
}

static enum err cluster(void *ctx, const struct mat *X, const struct embed_params *project,
			const struct kmeans_params *how, uint32_t *label)
{
	const struct ranks_slice *k = ctx;
	struct mat Z, c;

	TRY(ranks_project(k->R, X, project, &Z));
	ranks_kmeans(k->R, &Z, how, label, &c);
	mat_release(&c);
	mat_release(&Z);
	return ERR_OK;
}

/* ---- modularity ---- */

static bool is_own(const struct ranks *R, uint32_t row)
{
	return row >= R->cut[R->own] && row < R->cut[R->own + 1];
}

/* Rows of others that these are joined to, rising, each once; owned by the caller. */
static uint32_t *joined(const struct ranks_slice *k, size_t *count)
{
	size_t entries = k->rows.start[k->rows.rows], all = 0;
	uint32_t *row = alloc(entries, sizeof(*row));

	for (size_t e = 0; e < entries; e++)
		if (!is_own(k->R, k->rows.index[e]))
			row[all++] = k->rows.index[e];
	if (all)
		qsort(row, all, sizeof(*row), ranks_by_number);
	*count = 0;
	for (size_t i = 0; i < all; i++)
		if (i == 0 || row[i] != row[i - 1])
			row[(*count)++] = row[i];
	return row;
}

/* Their labels, by their owners; owned by the caller. */
static uint32_t *labels_of(const struct ranks *R, const uint32_t *row, size_t count,
			   const uint32_t *label)
{
	size_t *want, *asked, all = 0, first = R->cut[R->own];
	uint32_t *out, *in = alloc(count, sizeof(*in));

	ALLOC(want, R->count);
	ALLOC(asked, R->count);
	for (size_t i = 0; i < count; i++)
		want[ranks_owner(R, row[i])]++;
	out = ranks_exchange(R, sizeof(*row), row, want, asked);
	for (size_t q = 0; q < R->count; q++)
		all += asked[q];
	for (size_t i = 0; i < all; i++)
		out[i] = label[out[i] - first];
	R->exchange(R->ctx, sizeof(*out), out, asked, in, want);
	free(out);
	free(asked);
	free(want);
	return in;
}

/* Labels of all rows that an edge of this rank leads to. */
struct labels {
	const struct ranks *R;
	const uint32_t *own;
	uint32_t *row, *theirs; /* of others, rising, each once; and theirs */
	size_t count;
};

static uint32_t label_at(const void *labels, uint32_t j)
{
	const struct labels *l = labels;

	if (is_own(l->R, j))
		return l->own[j - l->R->cut[l->R->own]];
	return l->theirs[(uint32_t *)bsearch(&j, l->row, l->count, sizeof(j), ranks_by_number) -
			 l->row];
}

/* graph.h's modularity(). */
static double modularity_over(void *ctx, const uint32_t *label, size_t k)
{
	const struct ranks_slice *s = ctx;
	struct labels l = { .R = s->R, .own = label };
	double *ends = alloc(k + 1, sizeof(*ends)), result;
	struct rowsum sum;

	l.row = joined(s, &l.count);
	l.theirs = labels_of(s->R, l.row, l.count, label);
	rowsum_init(&sum, k + 1, NULL, NULL);
	rowsum_begin_at(&sum, s->R->cut[s->R->own] / ROWSUM_ROWS);
	modularity_add(&s->rows, label, label_at, &l, k, &sum);
	ranks_sum(s->R, &sum, ends);
	result = modularity_of_ends(ends, k, ends[k]);
	rowsum_release(&sum);
	free(ends);
	free(l.theirs);
	free(l.row);
	return result;
}

/* ---- the slice ---- */

/* What of a sparse slice is formed here, one process would not form where that pays, with other
 * bits. */
static enum err check_wide(const struct ranks *R, const struct features *X)
{
	size_t m = features_cols(X), entries;

	if (!X->is_sparse)
		return ERR_OK;
	entries = ranks_total(R, X->sparse.start[X->sparse.rows]);
	if (!wide_pays_for(R->n, m, entries))
		return ERR_OK;
	return err_set(ERR_INPUT,
		       "features of %zu x %zu with %zu entries are filtered by landmark and gcc as "
		       "products alone, which ranks do not do: run without ranks",
		       R->n, m, entries);
}

enum err ranks_slice_init(struct ranks_slice *s, const struct ranks *R, struct csr *rows,
			  struct features *X)
{
	TRY(check_wide(R, X));
	*s = (struct ranks_slice){ .R = R, .rows = *rows };
	s->g.adjacency.rows = rows->rows;
	ALLOC(s->g.inv_sqrt_deg, rows->rows);
	for (size_t i = 0; i < rows->rows; i++)
		s->g.inv_sqrt_deg[i] = graph_inv_sqrt_deg(rows, i);
	s->rest = (struct slice_rest){ .first = R->cut[R->own],
				       .n = R->n,
				       .ctx = s,
				       .sum = sum,
				       .centres = centres,
				       .filter = filter,
				       .spread = spread,
				       .modularity = modularity_over,
				       .cluster = cluster };
	slice_begin(&s->slice, X, &s->g, 1);
	s->slice.rest = &s->rest;
	*rows = (struct csr){ 0 };
	return ERR_OK;
}

void ranks_slice_begin(struct ranks_slice *s, const struct ranks *R, struct features *X)
{
	struct csr none;
	enum err err;

	csr_init(&none, features_rows(X), 0, 0, false);
	err = ranks_slice_init(s, R, &none, X);
	assert(!err); /* only of columns that stay sparse */
	(void)err;
}

void ranks_slice_release(struct ranks_slice *s)
{
	slice_release(&s->slice);
	csr_release(&s->rows);
	graph_release(&s->g);
	*s = (struct ranks_slice){ 0 };
}

/* ---- new rows ---- */

enum err ranks_place_weigh(const struct ranks *R, const struct placing *p, struct features *X,
			   double *length)
{
	return ranks_agree(R, placing_weigh(p, X, length));
}

void ranks_place_distances(const struct ranks *R, struct csr *rows, const struct placing *p,
			   struct features *X, const double *norm, struct mat *D)
{
	placing_project(p, X, norm, 1, D);
	ranks_filter(R, rows, false, FILTER_MEAN, p->order, D);
	placing_offset(p, D);
}
