#include "common/ranks/slice.h"
#include "common/base/alloc.h"
#include "common/ranks/embed.h"
#include "common/ranks/filter.h"
#include "common/ranks/modularity.h"

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

	kmeans_centres_of(k->R, X, NULL, label, c);
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
	struct kmeans_params clusters = *how;
	struct mat Z;

	TRY(ranks_project(k->R, X, project, &Z));
	clusters.ranks = k->R;
	kmeans(&Z, NULL, &clusters, label, NULL, NULL);
	mat_release(&Z);
	return ERR_OK;
}

/* graph.h's modularity(). */
static double modularity_over(void *ctx, const uint32_t *label, size_t k)
{
	const struct ranks_slice *s = ctx;

	return ranks_modularity(s->R, &s->rows, label, k);
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
