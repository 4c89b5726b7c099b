#include "common/math/slice.h"
#include "common/base/alloc.h"
#include "common/math/la.h"
#include "common/math/modularity.h"
#include "common/math/psi.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The turns of the questions that are asked once are their kinds; this is that of all others. */
enum { FILTERED = (int)ASK_SPREADS + 1 };

static const char *const names[] = {
	[ASK_FACTS] = "facts",       [ASK_NORMS] = "norms", [ASK_SPREADS] = "spreads",
	[ASK_PRODUCTS] = "products", [ASK_MEANS] = "means", [ASK_QUALITY] = "quality",
};

const char *question_name(enum question_kind kind)
{
	return names[kind];
}

size_t question_words(const struct question *q, size_t n)
{
	switch (q->kind) {
	case ASK_FACTS:
		return 2 + n;
	case ASK_NORMS:
		return n;
	case ASK_SPREADS:
		return (size_t)2 * SLICE_POWERS;
	case ASK_PRODUCTS:
		return n * q->B->cols;
	case ASK_MEANS:
		return n * q->k;
	case ASK_QUALITY:
		return q->labellings + (q->means ? n * q->k : 0);
	}
	return 0;
}

double question_most(const struct question *q, size_t n)
{
	switch (q->kind) {
	case ASK_PRODUCTS:
		return (double)n;
	case ASK_MEANS:
	case ASK_QUALITY:
		return 1;
	default:
		return 0;
	}
}

enum err slice_init(struct slice *s, struct features *X, const struct graph *g, unsigned threads)
{
	size_t n = features_rows(X), m = features_cols(X);

	*s = (struct slice){ .X = *X, .g = g, .asked = -1, .threads = threads };
	*X = (struct features){ 0 };
	if (n == 0 || m == 0)
		return err_set(ERR_INPUT, "features are %zu x %zu: nothing to cluster", n, m);
	if (n != g->adjacency.rows)
		return err_set(ERR_INPUT, "%zu rows of features for a graph of %zu nodes", n,
			       g->adjacency.rows);
	return ERR_OK;
}

void slice_release(struct slice *s)
{
	features_release(&s->X);
	mat_release(&s->filtered);
	*s = (struct slice){ .asked = -1 };
}

/* -- raw features, sparse or dense ----------------------------------------------------------- */

/* Calls f for each stored value with its row and column; f may change it. */
typedef void each_value(void *ctx, size_t row, size_t column, double *value);

static void for_each(struct features *X, each_value *f, void *ctx)
{
	struct csr *s = &X->sparse;

	if (X->is_sparse && !s->value) {
		ALLOC(s->value, s->start[s->rows]);
		for (size_t e = 0; e < s->start[s->rows]; e++)
			s->value[e] = 1;
	}
	for (size_t i = 0; X->is_sparse && i < s->rows; i++)
		for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
			f(ctx, i, s->index[e], &s->value[e]);
	for (size_t i = 0; !X->is_sparse && i < X->dense.rows; i++)
		for (size_t j = 0; j < X->dense.cols; j++)
			f(ctx, i, j, &MAT(&X->dense, i, j));
}

static void see_value(void *ctx, size_t row, size_t column, double *value)
{
	(void)row;
	(void)column;
	*(bool *)ctx |= *value != 0 && *value != 1;
}

static void count_value(void *ctx, size_t row, size_t column, double *value)
{
	(void)row;
	((double *)ctx)[column] += *value != 0;
}

static void scale_column(void *ctx, size_t row, size_t column, double *value)
{
	(void)row;
	*value *= ((const double *)ctx)[column];
}

static void scale_row(void *ctx, size_t row, size_t column, double *value)
{
	(void)column;
	*value *= ((const double *)ctx)[row];
}

/* idf_j = ln((1+n)/(1+df_j)) + 1 */
static double *column_weights(struct slice *s)
{
	double n = (double)features_rows(&s->X), *factor;

	ALLOC(factor, features_cols(&s->X));
	for_each(&s->X, count_value, factor);
	for (size_t j = 0; j < features_cols(&s->X); j++)
		factor[j] = log((1 + n) / (1 + factor[j])) + 1;
	return factor;
}

struct squares {
	const double *weight; /* of columns, or NULL */
	double *sum;          /* of each row */
};

static void add_square(void *ctx, size_t row, size_t column, double *value)
{
	const struct squares *s = ctx;
	double x = s->weight ? *value * s->weight[column] : *value;

	s->sum[row] += x * x;
}

static void tell_norms(struct slice *s, bool idf, double *x)
{
	double *weight = idf ? column_weights(s) : NULL;
	struct squares squares = { weight, x };

	memset(x, 0, features_rows(&s->X) * sizeof(*x));
	for_each(&s->X, add_square, &squares);
	free(weight);
}

static void tell_facts(struct slice *s, double *x)
{
	bool measured = false;

	for_each(&s->X, see_value, &measured);
	x[0] = measured;
	x[1] = (double)features_cols(&s->X);
	tell_norms(s, !measured, x + 2);
}

static enum err tell_spreads(struct slice *s, const struct question *q, double *x)
{
	size_t n = features_rows(&s->X), m = features_cols(&s->X) * q->parties;
	double *factor;

	if (q->idf) {
		factor = column_weights(s);
		for_each(&s->X, scale_column, factor);
		free(factor);
	}
	ALLOC(factor, n);
	for (size_t i = 0; i < n; i++)
		factor[i] = q->square[i] > 0 ? 1 / sqrt(q->square[i]) : 1;
	for_each(&s->X, scale_row, factor);
	free(factor);
	TRY(graph_filter_spread(s->g, FILTER_MEAN, SLICE_POWERS - 1, s->threads,
				s->X.is_sparse ? &s->X.sparse : NULL,
				s->X.is_sparse ? NULL : &s->X.dense, x, x + SLICE_POWERS));
	s->own_order = x[0] > 0 ? psi_gcc(x + SLICE_POWERS, x[0], n, m, SLICE_ORDER_MAX) : 1;
	return ERR_OK;
}

/* -- filtered features ----------------------------------------------------------------------- */

/* filtered <- T^order X; X stays. */
static enum err filter_by(struct slice *s, unsigned order)
{
	if (s->filtered.a && s->order == order)
		return ERR_OK;
	mat_release(&s->filtered);
	s->order = order;
	if (s->X.is_sparse)
		return graph_filter_sparse(s->g, FILTER_MEAN, order, s->threads, &s->X.sparse,
					   &s->filtered);
	mat_copy(&s->filtered, &s->X.dense);
	return graph_filter(s->g, FILTER_MEAN, order, s->threads, &s->filtered);
}

/* The joint order is one for all questions. */
static enum err settle(struct slice *s, unsigned order)
{
	if (s->settled && order != s->order)
		return err_set(ERR_PEER, "asked for filter order %u after %u", order, s->order);
	if (s->settled)
		return ERR_OK;
	if (order > SLICE_ORDER_MAX)
		return err_set(ERR_PEER, "asked for filter order %u, expected at most %d", order,
			       SLICE_ORDER_MAX);
	TRY(filter_by(s, order));
	features_release(&s->X);
	s->settled = true;
	return ERR_OK;
}

static void take(struct mat *from, double *x)
{
	memcpy(x, from->a, from->rows * from->cols * sizeof(*x));
	mat_release(from);
}

static void tell_products(const struct slice *s, const struct mat *B, double *x)
{
	struct mat C, Y;

	assert(B->rows == s->filtered.rows);
	la_mul_tn(B, &s->filtered, s->threads, &C); /* (X_l' B)': long rows are faster */
	la_mul_nt(&s->filtered, &C, s->threads, &Y);
	mat_release(&C);
	take(&Y, x);
}

static void tell_means(const struct slice *s, const struct question *q, double *x)
{
	struct mat M, Y;

	mat_init(&M, q->k, s->filtered.cols);
	kmeans_centres(&s->filtered, NULL, q->label, &M);
	la_mul_nt(&s->filtered, &M, s->threads, &Y);
	mat_release(&M);
	take(&Y, x);
}

static void tell_quality(const struct slice *s, const struct question *q, double *x)
{
	for (size_t t = 0; t < q->labellings; t++)
		x[t] = modularity(&s->g->adjacency, q->label + t * s->g->adjacency.rows, q->k) /
		       (double)q->parties;
	if (q->means)
		tell_means(s, q, x + q->labellings);
}

/* -- questions in order ---------------------------------------------------------------------- */

static enum err check_turn(const struct slice *s, int turn, const char *name)
{
	int due = s->asked + 1 < FILTERED ? s->asked + 1 : FILTERED;

	if (turn == due || (due == (int)ASK_NORMS && turn == (int)ASK_SPREADS))
		return ERR_OK;
	return err_set(ERR_PEER, "asked for %s when %s is due", name,
		       due < FILTERED ? names[due] : "a question on filtered rows");
}

enum err slice_answer(struct slice *s, const struct question *q, double *x)
{
	int turn = (int)q->kind < FILTERED ? (int)q->kind : FILTERED;

	TRY(check_turn(s, turn, names[q->kind]));
	if (q->kind == ASK_PRODUCTS || q->kind == ASK_MEANS || q->means)
		TRY(settle(s, q->order));
	s->asked = turn;
	switch (q->kind) {
	case ASK_FACTS:
		tell_facts(s, x);
		break;
	case ASK_NORMS:
		tell_norms(s, false, x);
		break;
	case ASK_SPREADS:
		return tell_spreads(s, q, x);
	case ASK_PRODUCTS:
		tell_products(s, q->B, x);
		break;
	case ASK_MEANS:
		tell_means(s, q, x);
		break;
	case ASK_QUALITY:
		tell_quality(s, q, x);
		break;
	}
	return ERR_OK;
}

enum err slice_cluster(struct slice *s, unsigned order, size_t dims,
		       const struct kmeans_params *how, uint32_t *label)
{
	struct embed_params project = {
		.dims = dims, .unit_rows = true, .row_power = 1, .threads = s->threads
	};
	struct mat Z;

	TRY(check_turn(s, FILTERED, "local clusters"));
	TRY(s->settled ? settle(s, order) : filter_by(s, order ? order : s->own_order));
	s->asked = FILTERED;
	TRY(embed_project(&s->filtered, &project, &Z));
	kmeans(&Z, NULL, how, label, NULL, NULL);
	mat_release(&Z);
	return ERR_OK;
}
