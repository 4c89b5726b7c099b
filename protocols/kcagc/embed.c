#include "protocols/kcagc/embed.h"
#include "common/base/alloc.h"
#include "common/graph/filter_plan.h"
#include "common/graph/filtered.h"
#include "protocols/kcagc/own.h"
#include "protocols/kcagc/slice.h"
#include "protocols/kcagc/words.h"
#include "common/linalg/la.h"
#include "common/linalg/svd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- scaling -------------------------------------------------------------------------------- */

static void scale_columns(struct mat *Z, const double *sigma)
{
	for (size_t i = 0; i < Z->rows; i++)
		for (size_t j = 0; j < Z->cols; j++)
			MAT(Z, i, j) *= sigma[j];
}

void embed_norms(const struct mat *Z, double *norm)
{
	for (size_t i = 0; i < Z->rows; i++)
		norm[i] = mat_norm(ROW(Z, i), Z->cols);
}

void embed_scale(struct mat *Z, const double *norm, double mean, double power)
{
	for (size_t i = 0; i < Z->rows; i++) {
		double *restrict z = ROW(Z, i), ratio = norm[i] / mean;
		double divisor = mean * (power == 1 ? ratio : pow(ratio, power));

		if (norm[i] <= EMBED_ZERO * mean)
			memset(z, 0, Z->cols * sizeof(*z));
		else
			for (size_t j = 0; j < Z->cols; j++)
				z[j] /= divisor;
	}
}

static double embed_sum_of(const struct ranks *R, const double *x, size_t n)
{
	struct rowsum s;
	double sum;

	ranks_sum_begin(R, &s, 1, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(n); b++) {
		const double *from = x + b * ROWSUM_ROWS;
		double *to = rowsum_open(&s);

		for (size_t i = 0; i < rowsum_rows(n, b); i++)
			*to += from[i];
		rowsum_close(&s);
	}
	ranks_sum_end(R, &s, &sum);
	return sum;
}

/* Scales rows, then multiplies them by share if it is not 0. mean: the mean of the norms; if it is
 * 0, computes it from these rows. Returns the mean used. */
static double scale_rows(const struct ranks *R, struct mat *Z, double mean, double power,
			 double share)
{
	double *norm = alloc(Z->rows, sizeof(*norm));

	embed_norms(Z, norm);
	if (mean == 0)
		mean = embed_sum_of(R, norm, Z->rows) / (double)ranks_n(R, Z->rows);
	embed_scale(Z, norm, mean, power);
	for (size_t i = 0; share > 0 && share < 1 && i < Z->rows * Z->cols; i++)
		Z->a[i] *= share;
	free(norm);
	return mean;
}

/* -- embedding ------------------------------------------------------------------------------ */

static enum err embed_check(const struct ranks *R, const struct features *X,
			    const struct embed_params *p)
{
	size_t n = ranks_n(R, features_rows(X)), m = features_cols(X);

	if (n == 0 || m == 0)
		return err_set(ERR_INPUT, "features are %zu x %zu: nothing to cluster", n, m);
	if (p->dims == 0)
		return err_set(ERR_INPUT, "projection on 0 dimensions: at least 1 is needed");
	return ERR_OK;
}

enum err embed_weighed(const struct features *X, const struct graph *g,
		       const struct embed_params *p, struct mat *F)
{
	struct features own = { 0 };
	struct embedding passing = { 0 };

	TRY(embed_check(g->ranks, X, p));
	if (X->is_sparse)
		csr_to_dense(&X->sparse, &own.dense);
	else
		mat_copy(&own.dense, &X->dense);
	if (p->idf)
		embed_weigh_words(&own, g, p->threads, false, &passing);
	*F = own.dense;
	embedding_release(&passing);
	return ERR_OK;
}

static size_t dims(size_t rows, size_t cols, const struct embed_params *p)
{
	size_t d = rows < cols ? rows : cols;

	return p->dims < d ? p->dims : d;
}

static void scale_basis(struct mat *U, const double *sigma, const struct embed_params *p,
			struct mat *map)
{
	if (p->unit_basis)
		return;
	scale_columns(U, sigma);
	if (map)
		scale_columns(map, sigma);
}

/* Returns s of embed_params. sigma: d singular values, descending; those of rounding are 0. */
static double embed_share(const double *sigma, size_t d, const struct embed_params *p)
{
	size_t rank = 0;

	while (rank < d && sigma[rank] > 0)
		rank++;
	return sqrt((double)rank / (double)p->dims);
}

static enum err embed_project_rows(const struct ranks *R, const struct mat *F,
				   const struct embed_params *p, struct mat *Z, struct mat *map,
				   double *share)
{
	size_t d = dims(ranks_n(R, F->rows), F->cols, p);
	double *sigma;
	enum err err;

	ALLOC(sigma, d);
	err = svd_left_of(R, F, d, p->threads, Z, sigma, map);
	if (!err) {
		scale_basis(Z, sigma, p, map);
		*share = embed_share(sigma, d, p);
	}
	free(sigma);
	return err;
}

size_t embed_entries(const struct ranks *R, const struct features *X)
{
	size_t rows = features_rows(X), all = ranks_n(R, rows) * features_cols(X);
	size_t entries = X->is_sparse ? X->sparse.start[rows] : 0;

	for (size_t i = 0; !X->is_sparse && i < rows * X->dense.cols; i++)
		entries += X->dense.a[i] != 0;
	entries = ranks_total(R, entries);
	return entries > all / 4 ? all : entries;
}

enum err embed_check_ranks(const struct graph *g, size_t columns, size_t entries,
			   const struct embed_params *p)
{
	size_t n = ranks_n(g->ranks, g->adjacency.rows), d = dims(n, columns, p);

	if (!g->ranks)
		return ERR_OK;
	if (p->filter != FILTER_HALF)
		return err_set(ERR_INPUT, "ranks filter by filter.kind \"half\" alone");
	TRY(svd_check_ranks(g->ranks, n, columns));
	if (!filtered_pays(n, columns, entries, graph_neighbours(g), p->filter, p->order, d))
		return ERR_OK;
	return err_set(ERR_INPUT,
		       "features of %zu x %zu with %zu non-zeros are projected on %zu "
		       "dimensions without being filtered as a whole, which ranks do not do: "
		       "run without ranks",
		       n, columns, entries, d);
}

static void make_sparse(struct features *X, size_t entries)
{
	struct csr *s = &X->sparse;
	struct mat *m = &X->dense;
	size_t to = 0;

	csr_init(s, m->rows, m->cols, entries + 1, true);
	for (size_t i = 0; i < m->rows; i++) {
		/* Zeros are written, too, and overwritten later. This avoids an unpredictable
		 * branch. */
		for (size_t j = 0; j < m->cols; j++) {
			s->index[to] = (uint32_t)j;
			s->value[to] = MAT(m, i, j);
			to += MAT(m, i, j) != 0;
		}
		s->start[i + 1] = to;
	}
	mat_release(m);
	X->is_sparse = true;
}

/* Makes *f, the map of the filtered features F. `entries`, embed_entries() of X, decides whether
 * the map uses X as a sparse or a dense matrix. */
static enum err map_unformed(struct features *X, const struct graph *g,
			     const struct embed_params *p, size_t entries, struct filtered *f)
{
	size_t all = features_rows(X) * features_cols(X);

	if (!X->is_sparse && entries < all)
		make_sparse(X, entries);
	if (X->is_sparse && entries == all) {
		csr_to_dense(&X->sparse, &X->dense);
		csr_release(&X->sparse);
		X->is_sparse = false;
	}
	return filtered_init(f, X->is_sparse ? &X->sparse : NULL, X->is_sparse ? NULL : &X->dense,
			     g, p->filter, p->order, p->threads);
}

enum err embed_map(struct features *X, const struct graph *g, const struct embed_params *p,
		   struct filtered *f)
{
	struct embedding passing = { 0 };

	if (p->idf)
		embed_weigh_words(X, g, p->threads, false, &passing);
	embedding_release(&passing);
	return map_unformed(X, g, p, embed_entries(NULL, X), f);
}

bool embed_takes(const struct linear_map *F, bool settled)
{
	return settled || min_size(F->rows, F->cols) > SVD_EXACT_MAX;
}

/* Projects the filtered features F by products with F, without forming F, and sets *done; does
 * nothing unless this is cheaper. May convert X between dense and sparse. */
static enum err project_unformed(struct features *X, const struct graph *g,
				 const struct embed_params *p, struct mat *Z, struct mat *map,
				 double *share, bool *done)
{
	size_t n = features_rows(X), m = features_cols(X), d = dims(n, m, p);
	/* `entries` is n m if X has so many non-zeros that X is used as a dense matrix */
	size_t entries = embed_entries(g->ranks, X);
	struct filtered f;
	double *sigma;
	bool settled;
	enum err err;

	*done = false;
	if (g->ranks)
		return embed_check_ranks(g, m, entries, p);
	if (!filtered_pays(n, m, entries, graph_neighbours(g), p->filter, p->order, d))
		return ERR_OK;
	TRY(map_unformed(X, g, p, entries, &f));
	ALLOC(sigma, d);
	err = svd_left_of_map(&f.map, d, p->threads, Z, sigma, map, &settled);
	*done = !err && embed_takes(&f.map, settled);
	if (*done) {
		scale_basis(Z, sigma, p, map);
		*share = embed_share(sigma, d, p);
	} else if (!err) {
		mat_release(Z);
		if (map)
			mat_release(map);
	}
	free(sigma);
	filtered_release(&f);
	return err;
}

enum err embed_project(const struct ranks *R, const struct mat *F, const struct embed_params *p,
		       struct mat *Z)
{
	double share;
	enum err err = embed_project_rows(R, F, p, Z, NULL, &share);

	if (!err && p->unit_rows)
		scale_rows(R, Z, 0, p->row_power, share);
	return err;
}

enum err embed_project_map(const struct linear_map *F, const struct embed_params *p, struct mat *Z,
			   bool *settled)
{
	size_t d = dims(F->rows, F->cols, p);
	double *sigma;
	enum err err;

	ALLOC(sigma, d);
	err = svd_left_of_map(F, d, p->threads, Z, sigma, NULL, settled);
	if (!err)
		scale_basis(Z, sigma, p, NULL);
	if (!err && p->unit_rows)
		scale_rows(NULL, Z, 0, p->row_power, embed_share(sigma, d, p));
	free(sigma);
	return err;
}

/* Computes weights for a slice that has numbers among words. Without weights, a number such as a
 * year would be longer than all words together and would dominate them. Returns NULL if the slice
 * has no such numbers. */
static double *embed_weigh_beside(struct features *X, const struct graph *g, unsigned threads)
{
	struct slice slice;
	double *weight;

	slice_begin(&slice, X, g, threads);
	weight = slice_weights_beside(&slice, X);
	slice_release(&slice);
	return weight;
}

static void embed_fold(struct mat *map, const double *weight)
{
	for (size_t j = 0; j < map->rows; j++)
		for (size_t r = 0; r < map->cols; r++)
			MAT(map, j, r) *= weight[j];
}

/* Makes X sparse if X will be used as a sparse matrix in the end. Earlier passes then read only the
 * non-zeros. */
static void sparse_if_it_pays(struct features *X, const struct graph *g,
			      const struct embed_params *p)
{
	size_t n = features_rows(X), m = features_cols(X), entries;

	if (X->is_sparse || g->ranks)
		return;
	entries = embed_entries(NULL, X);
	if (entries < n * m &&
	    filtered_pays(n, m, entries, graph_neighbours(g), p->filter, p->order, dims(n, m, p)))
		make_sparse(X, entries);
}

static enum err embed_both(struct features *X, const struct graph *g, const struct embed_params *p,
			   struct mat *Z, struct embedding *kept, struct mat *map)
{
	struct mat F = { 0 };
	double *beside = NULL;
	bool done = false;
	enum err err = embed_check(g->ranks, X, p);

	if (!err)
		sparse_if_it_pays(X, g, p);
	if (!err)
		err = graph_check_rows(g, features_rows(X));
	if (!err && p->idf)
		embed_weigh_words(X, g, p->threads, true, kept);
	if (!err && p->idf && !kept->idf)
		beside = embed_weigh_beside(X, g, p->threads);
	if (!err)
		err = project_unformed(X, g, p, Z, map, &kept->share, &done);
	if (!err && g->ranks) /* ranks can filter only dense rows */
		features_form(X);
	if (!err && !done && X->is_sparse) {
		err = graph_filter_sparse(g, p->filter, p->order, p->threads, &X->sparse, &F);
	} else if (!err && !done) {
		F = X->dense;
		X->dense = (struct mat){ 0 };
		err = graph_filter(g, p->filter, p->order, p->threads, &F);
	}
	if (!err && !done)
		err = embed_project_rows(g->ranks, &F, p, Z, map, &kept->share);
	if (!err && beside && map)
		embed_fold(map, beside);
	free(beside);
	mat_release(&F);
	features_release(X);
	if (!err && p->unit_rows)
		kept->mean_norm = scale_rows(g->ranks, Z, 0, p->row_power, kept->share);
	else if (!err)
		kept->share = 1;
	return err;
}

enum err embed_keep(struct features *X, const struct graph *g, const struct embed_params *p,
		    struct mat *Z, struct embedding *kept)
{
	enum err err;

	*kept = (struct embedding){ .filter = p->filter,
				    .order = p->order,
				    .unit_rows = p->unit_rows,
				    .row_power = p->row_power };
	err = embed_both(X, g, p, Z, kept, &kept->map);
	if (err)
		embedding_release(kept);
	return err;
}

enum err embed(struct features *X, const struct graph *g, const struct embed_params *p,
	       struct mat *Z)
{
	struct embedding passing = { 0 };
	enum err err = embed_both(X, g, p, Z, &passing, NULL);

	embedding_release(&passing);
	return err;
}

void embedding_release(struct embedding *e)
{
	free(e->idf);
	mat_release(&e->map);
	*e = (struct embedding){ 0 };
}

enum err embed_again(struct features *X, const struct graph *g, const struct embedding *e,
		     unsigned threads, struct mat *Z)
{
	size_t cols = features_cols(X);
	struct words w = { .value = e->word };
	enum err err = ERR_OK;

	if (cols != e->map.rows)
		err = err_set(ERR_INPUT,
			      "the features have %zu columns, the model was made of %zu: it needs "
			      "the same columns in the same order",
			      cols, e->map.rows);
	if (!err && e->idf && e->word == WORD_OF_ROWS)
		words_mark(X);
	else if (!err && e->idf)
		words_see(&w, g->ranks, X);
	free(w.count);
	if (w.differ)
		err = err_set(ERR_INPUT,
			      "the features hold values besides 0 and the model's single word "
			      "value, which its idf weights need; are these the same columns?");
	if (err) {
		features_release(X);
		return err;
	}
	if (e->idf)
		words_weigh(X, e->idf);
	if (X->is_sparse)
		csr_times(&X->sparse, &e->map, threads, Z);
	else
		la_mul_nn(&X->dense, &e->map, threads, Z);
	features_release(X);
	err = graph_filter(g, e->filter, e->order, threads, Z);
	if (err)
		mat_release(Z);
	else if (e->unit_rows)
		scale_rows(g->ranks, Z, e->mean_norm, e->row_power, e->share);
	return err;
}
