#include "common/ranks/embed.h"
#include "common/base/alloc.h"
#include "common/graph/filtered.h"
#include "common/kcagc/words.h"
#include "common/linalg/la.h"
#include "common/linalg/svd.h"
#include "common/ranks/filter.h"
#include "common/ranks/slice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SVD_ZERO = 1e-8; /* svd.c's */

static struct mat block_of(const struct mat *F, size_t b)
{
	return (struct mat){ rowsum_rows(F->rows, b), F->cols, ROW(F, b * ROWSUM_ROWS) };
}

static void begin(const struct ranks *R, struct rowsum *s, size_t width, rowsum_join *join,
		  void *ctx)
{
	rowsum_init(s, width, join, ctx);
	rowsum_begin_at(s, R->cut[R->own] / ROWSUM_ROWS);
}

static void gram(const struct ranks *R, const struct mat *F, struct mat *G)
{
	size_t m = F->cols;
	struct rowsum s;

	begin(R, &s, m * m, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(F->rows); b++) {
		struct mat block = block_of(F, b), part;

		la_gram_columns(&block, 1, &part);
		memcpy(rowsum_open(&s), part.a, m * m * sizeof(double));
		rowsum_close(&s);
		mat_release(&part);
	}
	mat_init(G, m, m);
	ranks_sum(R, &s, G->a);
	rowsum_release(&s);
}

/* W = singular vectors of the rows of Y (d x this rank's), over ranks. */
static enum err singular(const struct ranks *R, const struct mat *Y, double *sigma, struct mat *W)
{
	size_t d = Y->rows;
	struct la_triangles t;
	struct mat factor;
	struct rowsum s;
	enum err err;

	la_triangles_init(&t, d);
	begin(R, &s, d * d, la_triangle_join, &t);
	for (size_t b = 0; b < rowsum_blocks(Y->cols); b++) {
		la_triangle_block(&t, Y, b * ROWSUM_ROWS, rowsum_rows(Y->cols, b), rowsum_open(&s));
		rowsum_close(&s);
	}
	mat_init(&factor, d, d);
	ranks_sum(R, &s, factor.a);
	rowsum_release(&s);
	err = la_triangle_singular(&t, factor.a, R->n, sigma, W);
	la_triangles_release(&t);
	mat_release(&factor);
	return err;
}

/* The entry of largest size of each column of U, of all ranks, the first where there are several,
 * becomes positive. */
static void fix_signs(const struct ranks *R, struct mat *U, struct mat *scaled)
{
	size_t d = U->cols;
	double *largest = alloc(d, sizeof(*largest)), *each;

	for (size_t i = 0; i < U->rows; i++)
		for (size_t j = 0; j < d; j++)
			if (fabs(MAT(U, i, j)) > fabs(largest[j]))
				largest[j] = MAT(U, i, j);
	each = ranks_all(R, d * sizeof(*largest), largest);
	for (size_t j = 0; j < d; j++) {
		double most = 0;

		for (size_t q = 0; q < R->count; q++)
			if (fabs(each[q * d + j]) > fabs(most))
				most = each[q * d + j];
		for (size_t i = 0; most < 0 && i < U->rows; i++)
			MAT(U, i, j) = -MAT(U, i, j);
		for (size_t i = 0; most < 0 && i < d; i++)
			MAT(scaled, i, j) = -MAT(scaled, i, j);
	}
	free(each);
	free(largest);
}

/* svd.c's left_within(), over ranks. */
static enum err left(const struct ranks *R, const struct mat *F, const struct mat *P, double *sigma,
		     struct mat *U, struct mat *map)
{
	size_t d = P->rows;
	struct mat Y, W, scaled;
	enum err err;

	la_mul_nt(P, F, 1, &Y);
	err = singular(R, &Y, sigma, &W);
	if (err) {
		mat_release(&Y);
		return err;
	}
	mat_init(&scaled, d, d);
	for (size_t j = 0; j < d; j++) {
		sigma[j] = sigma[j] > SVD_ZERO * sigma[0] ? sigma[j] : 0;
		for (size_t i = 0; sigma[j] > 0 && i < d; i++)
			MAT(&scaled, i, j) = MAT(&W, i, j) / sigma[j];
	}
	la_mul_tn(&Y, &scaled, 1, U);
	fix_signs(R, U, &scaled);
	la_mul_tn(P, &scaled, 1, map);
	mat_release(&scaled);
	mat_release(&W);
	mat_release(&Y);
	return ERR_OK;
}

static void scale_columns(struct mat *Z, const double *sigma)
{
	for (size_t i = 0; i < Z->rows; i++)
		for (size_t j = 0; j < Z->cols; j++)
			MAT(Z, i, j) *= sigma[j];
}

/* mean: of the norms; 0: to be taken from the rows of all. Returns it. */
static double scale_rows(const struct ranks *R, struct mat *Z, double mean, double power)
{
	double *norm = alloc(Z->rows, sizeof(*norm)), sum = 0;
	struct rowsum s;

	embed_norms(Z, norm);
	begin(R, &s, 1, NULL, NULL);
	for (size_t b = 0; mean == 0 && b < rowsum_blocks(Z->rows); b++) {
		double *to = rowsum_open(&s);

		for (size_t i = 0; i < rowsum_rows(Z->rows, b); i++)
			*to += norm[b * ROWSUM_ROWS + i];
		rowsum_close(&s);
	}
	if (mean == 0) {
		ranks_sum(R, &s, &sum);
		mean = sum / (double)R->n;
	}
	rowsum_release(&s);
	embed_scale(Z, norm, mean, power);
	free(norm);
	return mean;
}

static enum err project(const struct ranks *R, const struct mat *F, const struct embed_params *p,
			struct mat *Z, struct mat *map)
{
	size_t d = p->dims < F->cols ? p->dims : F->cols;
	struct mat G, P;
	double *sigma;
	enum err err;

	gram(R, F, &G);
	ALLOC(sigma, d);
	err = la_eigen_top(&G, d, sigma, &P);
	mat_release(&G);
	if (!err) {
		err = left(R, F, &P, sigma, Z, map);
		mat_release(&P);
	}
	if (!err && !p->unit_basis) {
		scale_columns(Z, sigma);
		scale_columns(map, sigma);
	}
	free(sigma);
	return err;
}

/* ---- idf ---- */

/* Are all non-zeros, at all ranks, one value? seen: what this rank's are; becomes that of all. */
static void agree_words(const struct ranks *R, struct words *seen, size_t m)
{
	struct {
		double value;
		bool differ;
	} own = { seen->value, seen->differ }, *each = ranks_all(R, sizeof(own), &own);
	size_t *counts = ranks_all(R, m * sizeof(*counts), seen->count);

	memset(seen->count, 0, m * sizeof(*counts));
	for (size_t q = 0; q < R->count; q++) {
		if (seen->value == 0)
			seen->value = each[q].value;
		seen->differ |=
		    each[q].differ || (each[q].value != 0 && each[q].value != seen->value);
		for (size_t j = 0; j < m; j++)
			seen->count[j] += counts[q * m + j];
	}
	free(counts);
	free(each);
}

static void weigh(const struct ranks *R, struct features *X, struct embedding *kept)
{
	size_t m = features_cols(X);
	struct words w = { 0 };

	words_see(&w, X);
	agree_words(R, &w, m);
	kept->idf = words_weights(&w, m, R->n);
	if (kept->idf) {
		kept->word = w.value;
		words_weigh(X, kept->idf);
	}
	free(w.count);
}

/* That of embed.c. */
static double *weigh_beside(const struct ranks *R, struct features *X)
{
	struct ranks_slice slice;
	double *weight;

	ranks_slice_begin(&slice, R, X);
	weight = slice_weights_beside(&slice.slice, X);
	ranks_slice_release(&slice);
	return weight;
}

/* ---- the whole ---- */

static enum err check_filter(enum filter_kind kind)
{
	return kind == FILTER_HALF
		   ? ERR_OK
		   : err_set(ERR_INPUT, "ranks filter by filter.kind \"half\" alone");
}

/* What project() is for. */
static enum err check_shape(const struct ranks *R, size_t m, size_t dims)
{
	if (dims == 0)
		return err_set(ERR_INPUT, "projection on 0 dimensions: at least 1 is needed");
	if (m > R->n || m > SVD_EXACT_MAX)
		return err_set(ERR_INPUT,
			       "ranks project features of at most %d columns and no more than "
			       "rows, these are %zu x %zu",
			       SVD_EXACT_MAX, R->n, m);
	return ERR_OK;
}

/* entries: as embed() has it. */
struct ranks_embed_sizes ranks_embed_sizes(const struct ranks *R, const struct csr *rows,
					   const struct features *X)
{
	struct ranks_embed_sizes s = { .cols = features_cols(X),
				       .neighbours = ranks_total(R, rows->start[rows->rows]) };

	if (X->is_sparse)
		s.entries = X->sparse.start[X->sparse.rows];
	for (size_t i = 0; !X->is_sparse && i < X->dense.rows * s.cols; i++)
		s.entries += X->dense.a[i] != 0;
	s.entries = ranks_total(R, s.entries);
	if (s.entries > R->n * s.cols / 4)
		s.entries = R->n * s.cols;
	return s;
}

enum err ranks_embed_check(const struct ranks *R, const struct ranks_embed_sizes *s,
			   const struct embed_params *p)
{
	size_t d = p->dims < s->cols ? p->dims : s->cols;

	TRY(check_filter(p->filter));
	TRY(check_shape(R, s->cols, p->dims));
	if (filtered_pays(R->n, s->cols, s->entries, s->neighbours, p->filter, p->order, d))
		return err_set(
		    ERR_INPUT,
		    "features of %zu x %zu with %zu non-zeros are projected on %zu "
		    "dimensions without being filtered as a whole, which ranks do not do: "
		    "run without ranks",
		    R->n, s->cols, s->entries, d);
	return ERR_OK;
}

void ranks_weighed(const struct ranks *R, const struct features *X, const struct embed_params *p,
		   struct mat *F)
{
	struct embedding passing = { 0 };
	struct features all = { 0 };

	if (X->is_sparse)
		csr_to_dense(&X->sparse, &all.dense);
	else
		mat_copy(&all.dense, &X->dense);
	if (p->idf)
		weigh(R, &all, &passing);
	*F = all.dense;
	embedding_release(&passing);
}

enum err ranks_embed(const struct ranks *R, struct csr *rows, const struct embed_params *p,
		     struct features *X, struct mat *Z, struct embedding *kept)
{
	struct ranks_embed_sizes sizes = ranks_embed_sizes(R, rows, X);
	enum err err = ranks_embed_check(R, &sizes, p);
	double *beside = NULL;

	*kept = (struct embedding){ .filter = p->filter,
				    .order = p->order,
				    .unit_rows = p->unit_rows,
				    .row_power = p->row_power };
	*Z = (struct mat){ 0 };
	if (!err && p->idf)
		weigh(R, X, kept);
	if (!err && p->idf && !kept->idf) {
		features_form(X);
		beside = weigh_beside(R, X);
	}
	if (!err) {
		features_form(X);
		ranks_filter(R, rows, false, p->filter, p->order, &X->dense);
		err = project(R, &X->dense, p, Z, &kept->map);
	}
	if (!err && beside)
		embed_fold(&kept->map, beside);
	free(beside);
	features_release(X);
	csr_release(rows);
	if (!err && p->unit_rows)
		kept->mean_norm = scale_rows(R, Z, 0, p->row_power);
	if (err)
		embedding_release(kept);
	return err;
}

enum err ranks_project(const struct ranks *R, const struct mat *X, const struct embed_params *p,
		       struct mat *Z)
{
	struct mat map = { 0 };

	*Z = (struct mat){ 0 };
	TRY(check_shape(R, X->cols, p->dims));
	TRY(project(R, X, p, Z, &map));
	mat_release(&map);
	if (p->unit_rows)
		scale_rows(R, Z, 0, p->row_power);
	return ERR_OK;
}

static enum err check_again(const struct ranks *R, const struct embedding *e,
			    const struct features *X)
{
	struct words w = { .value = e->word };
	bool *each, differ = false;

	TRY(check_filter(e->filter));
	if (!e->idf)
		return ERR_OK;
	words_see(&w, X);
	each = ranks_all(R, sizeof(w.differ), &w.differ);
	for (size_t q = 0; q < R->count; q++)
		differ |= each[q];
	free(each);
	free(w.count);
	return differ ? embed_other_words() : ERR_OK;
}

enum err ranks_embed_again(const struct ranks *R, struct csr *rows, const struct embedding *e,
			   struct features *X, struct mat *Z)
{
	enum err err = check_again(R, e, X);

	*Z = (struct mat){ 0 };
	if (!err) {
		if (e->idf)
			words_weigh(X, e->idf);
		if (X->is_sparse)
			csr_times(&X->sparse, &e->map, 1, Z);
		else
			la_mul_nn(&X->dense, &e->map, 1, Z);
		ranks_filter(R, rows, false, e->filter, e->order, Z);
		if (e->unit_rows)
			scale_rows(R, Z, e->mean_norm, e->row_power);
	}
	features_release(X);
	csr_release(rows);
	return err;
}
