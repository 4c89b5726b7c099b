#include "common/kcagc/slice.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/linalg/la.h"
#include "common/linalg/rowsum.h"
#include "common/graph/graph.h"
#include "common/kcagc/order.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t question_whole(const struct question *q)
{
	switch (q->kind) {
	case ASK_FACTS:
		return 2;
	case ASK_SPREADS:
		return q->shares ? SLICE_SPREADS : (size_t)2 * SLICE_POWERS;
	case ASK_QUALITY:
		return q->labellings;
	default:
		return 0;
	}
}

size_t question_width(const struct question *q)
{
	switch (q->kind) {
	case ASK_FACTS:
	case ASK_CELLS:
	case ASK_NORMS:
		return 1;
	case ASK_PRODUCTS:
		return q->B->cols;
	case ASK_MEANS:
		return q->k;
	case ASK_QUALITY:
		return q->means ? q->k : 0;
	case ASK_SPREADS:
		return 0;
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

void slice_begin(struct slice *s, struct features *X, const struct graph *g, unsigned threads)
{
	size_t m = features_cols(X);

	*s = (struct slice){ .X = *X, .g = g, .threads = threads, .columns = m };
	*X = (struct features){ 0 };
	ALLOC(s->shift, m);
	ALLOC(s->weight, m);
	ALLOC(s->word, m);
	for (size_t j = 0; j < m; j++)
		s->weight[j] = 1;
}

enum err slice_init(struct slice *s, struct features *X, const struct graph *g, unsigned threads)
{
	size_t n = features_rows(X), m = features_cols(X);

	slice_begin(s, X, g, threads);
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
	if (s->wide)
		wide_release(s->wide);
	free(s->wide);
	free(s->shift);
	free(s->weight);
	free(s->word);
	*s = (struct slice){ 0 };
}

/* -- rows of all ------------------------------------------------------------------------------ */

static size_t all_rows(const struct slice *s)
{
	return s->rest ? s->rest->n : features_rows(&s->X);
}

static void sum_begin(const struct slice *s, struct rowsum *sum, size_t width, rowsum_join *join,
		      void *ctx)
{
	rowsum_init(sum, width, join, ctx);
	if (s->rest)
		rowsum_begin_at(sum, s->rest->first / ROWSUM_ROWS);
}

/* total: sum->width. */
static void sum_end(const struct slice *s, struct rowsum *sum, double *total)
{
	if (s->rest)
		s->rest->sum(s->rest->ctx, sum, total);
	else
		memcpy(total, rowsum_end(sum), sum->width * sizeof(*total));
	rowsum_release(sum);
}

static enum err spread(const struct slice *s, enum filter_kind kind, unsigned steps, double *square,
		       double *apart)
{
	if (s->rest) {
		s->rest->spread(s->rest->ctx, kind, steps, &s->X.dense, square, apart);
		return ERR_OK;
	}
	return graph_filter_spread(s->g, kind, steps, s->threads,
				   s->X.is_sparse ? &s->X.sparse : NULL,
				   s->X.is_sparse ? NULL : &s->X.dense, square, apart);
}

/* -- raw features, sparse or dense ----------------------------------------------------------- */

/* What is in a column but zeros: how many, whether one is not 1, least and most, mean and squared
 * distance from it. */
struct column {
	double count, low, high, mean, apart;
	double measured; /* 0 or 1 */
};
enum { COLUMN_WIDTH = sizeof(struct column) / sizeof(double) };

static void see_value(void *ctx, size_t row, size_t column, double *value)
{
	struct column *c = (struct column *)ctx + column;
	double x = *value, off = x - c->mean;

	(void)row;
	if (x == 0)
		return;
	c->low = c->count ? fmin(c->low, x) : x;
	c->high = c->count ? fmax(c->high, x) : x;
	c->count++;
	c->measured = c->measured != 0 || x != 1;
	c->mean += off / c->count; /* Welford 1962: a unit and an origin cost no digits */
	c->apart += off * (x - c->mean);
}

/* Of more rows; Chan, Golub, LeVeque 1983. */
static void join_columns(void *ctx, double *into, double *from)
{
	struct column *a = (struct column *)into;
	const struct column *b = (const struct column *)from;

	for (size_t j = 0; j < *(const size_t *)ctx; j++, a++, b++) {
		double count = a->count + b->count, gap = b->mean - a->mean;

		if (b->count == 0)
			continue;
		if (a->count == 0) {
			*a = *b;
			continue;
		}
		a->low = fmin(a->low, b->low);
		a->high = fmax(a->high, b->high);
		a->measured = fmax(a->measured, b->measured);
		a->mean += gap * (b->count / count);
		a->apart += b->apart + gap * gap * (a->count * (b->count / count));
		a->count = count;
	}
}

/* Rows of a block of rowsum.h, which f then counts from 0. */
static void each_of_block(struct slice *s, size_t b, features_value *f, void *ctx)
{
	size_t first = b * ROWSUM_ROWS, rows = rowsum_rows(features_rows(&s->X), b);
	struct features block = { .is_sparse = s->X.is_sparse };

	if (s->X.is_sparse) {
		csr_write_ones(&s->X.sparse);
		block.sparse = s->X.sparse;
		block.sparse.rows = rows;
		block.sparse.start += first;
	} else {
		block.dense = (struct mat){ rows, s->X.dense.cols, ROW(&s->X.dense, first) };
	}
	features_each(&block, f, ctx);
}

/* total (width): f over all rows, each block of rowsum.h with sums of its own. */
static void sum_values(struct slice *s, size_t width, rowsum_join *join, features_value *f,
		       double *total)
{
	size_t n = features_rows(&s->X), m = features_cols(&s->X);
	struct rowsum sum;

	sum_begin(s, &sum, width, join, &m);
	for (size_t b = 0; b < rowsum_blocks(n); b++) {
		each_of_block(s, b, f, rowsum_open(&sum));
		rowsum_close(&sum);
	}
	sum_end(s, &sum, total);
}

static void count_value(void *ctx, size_t row, size_t column, double *value)
{
	(void)row;
	((double *)ctx)[column] += *value != 0;
}

struct scaling {
	const double *row, *column; /* factors; column may be NULL */
};

static void scale(void *ctx, size_t row, size_t column, double *value)
{
	const struct scaling *s = ctx;

	if (s->column)
		*value *= s->column[column];
	*value *= s->row[row];
}

/* idf_j = ln((1+n)/(1+df_j)) + 1 */
static double *column_weights(struct slice *s)
{
	double n = (double)all_rows(s), *factor;
	size_t m = features_cols(&s->X);

	ALLOC(factor, m);
	sum_values(s, m, NULL, count_value, factor);
	for (size_t j = 0; j < m; j++)
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
	features_each(&s->X, add_square, &squares);
	free(weight);
}

/* A column that has a number in every row, beside words of 0 and 1: not of their kind. */
static bool is_foreign(const struct column *c, size_t n)
{
	return c->measured != 0 && c->count >= (double)n;
}

struct standard {
	const struct column *column;
	size_t n;
};

/* Mean 0 and variance 1; what does not vary is 0. */
static void bring_to_unit(void *ctx, size_t row, size_t column, double *value)
{
	const struct standard *s = ctx;
	const struct column *c = &s->column[column];

	(void)row;
	if (is_foreign(c, s->n))
		*value = c->apart > 0 ? (*value - c->mean) / sqrt(c->apart / (double)s->n) : 0;
}

/* Whether a value is neither 0 nor 1. Foreign columns do not count beside words: they are brought
 * to the size of a word that is everywhere, for a year is else longer than all words together, and
 * takes their weights from them. *varied: columns that say anything, 1 at least. */
static bool is_measured(struct slice *s, double *varied)
{
	size_t n = all_rows(s), m = features_cols(&s->X), words = 0, foreign = 0;
	struct column *column;
	struct standard by = { .n = n };
	bool measured = false;

	ALLOC(column, m);
	sum_values(s, m * COLUMN_WIDTH, join_columns, see_value, (double *)column);
	*varied = 0;
	for (size_t j = 0; j < m; j++) {
		const struct column *c = &column[j];

		*varied += c->count > 0 && (c->count < (double)n || c->low < c->high);
		foreign += is_foreign(c, n);
		words += c->measured == 0 && c->count > 0;
		measured |= c->measured != 0 && !is_foreign(c, n);
	}
	*varied = fmax(*varied, 1);
	measured |= foreign && !words;
	by.column = column;
	if (foreign && !measured) {
		if (!s->rest || s->rest->first == 0)
			log_info("%zu of %zu columns are numbers beside columns of 0 and 1: they "
				 "are brought to "
				 "mean 0 and variance 1",
				 foreign, m);
		features_each(&s->X, bring_to_unit, &by);
	}
	for (size_t j = 0; j < m && s->word; j++) {
		const struct column *c = &column[j];

		s->word[j] = !measured && c->measured == 0;
		if (measured || !is_foreign(c, n))
			continue;
		s->shift[j] = c->mean;
		s->weight[j] = c->apart > 0 ? 1 / sqrt(c->apart / (double)n) : 0;
	}
	free(column);
	return measured;
}

static void tell_facts(struct slice *s, double *x)
{
	x[0] = is_measured(s, &x[1]);
	tell_norms(s, x[0] == 0, x + 2);
}

struct along {
	const double *root; /* sqrt(degree) of each row */
	double *sum;        /* of each column */
};

static void add_along(void *ctx, size_t row, size_t column, double *value)
{
	struct along *a = ctx;

	a->sum[column] += *value * a->root[row];
}

/* along (m): sqrt(degree)' X_l; total: the squared length of sqrt(degree). */
static void sum_along(struct slice *s, double *along, double *total)
{
	size_t n = features_rows(&s->X), m = features_cols(&s->X);
	double *root = alloc(n, sizeof(*root)), *all = alloc(m + 1, sizeof(*all));
	struct rowsum sum;

	for (size_t i = 0; i < n; i++)
		root[i] = 1 / s->g->inv_sqrt_deg[i];
	sum_begin(s, &sum, m + 1, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(n); b++) {
		size_t first = b * ROWSUM_ROWS, rows = rowsum_rows(n, b);
		struct along a = { root + first, rowsum_open(&sum) };

		each_of_block(s, b, add_along, &a);
		for (size_t i = first; i < first + rows; i++)
			a.sum[m] += root[i] * root[i];
		rowsum_close(&sum);
	}
	sum_end(s, &sum, all);
	memcpy(along, all, m * sizeof(*along));
	*total = all[m];
	free(all);
	free(root);
}

/* x: ||q' X_l||^2, then ||S^t X_l||^2. S q = q, so that the first is q' S^t X_l for any t. */
static enum err tell_shares(struct slice *s, double *x)
{
	double square[SLICE_ORDER_MAX + 1], apart[SLICE_ORDER_MAX + 1], total;
	size_t m = features_cols(&s->X);
	double *along = alloc(m, sizeof(*along));

	sum_along(s, along, &total);
	x[0] = 0;
	for (size_t j = 0; j < m; j++)
		x[0] += along[j] * along[j] / total;
	free(along);
	TRY(spread(s, FILTER_PLAIN, SLICE_ORDER_MAX, square, apart));
	memcpy(x + 1, square + 1, SLICE_ORDER_MAX * sizeof(*x));
	return ERR_OK;
}

static enum err tell_spreads(struct slice *s, const struct question *q, double *x)
{
	size_t n = features_rows(&s->X);
	double *row = alloc(n, sizeof(*row)), *column = q->idf ? column_weights(s) : NULL;
	struct scaling by = { row, column };

	for (size_t i = 0; i < n; i++)
		row[i] = q->square[i] > 0 ? 1 / sqrt(q->square[i]) : 1;
	features_each(&s->X, scale, &by);
	for (size_t j = 0; column && s->weight && j < s->columns; j++)
		s->weight[j] *= column[j];
	for (size_t j = 0; !column && s->word && j < s->columns; j++)
		s->word[j] = 0; /* any number will do, since others have measurements */
	free(column);
	free(row);
	if (q->shares)
		TRY(tell_shares(s, x + (size_t)2 * SLICE_POWERS));
	return spread(s, FILTER_MEAN, SLICE_POWERS - 1, x, x + SLICE_POWERS);
}

/* -- filtered features ----------------------------------------------------------------------- */

static enum err filter_once(struct slice *s, unsigned order)
{
	enum err err = ERR_OK;

	if (s->is_filtered && order != s->order)
		return err_set(ERR_PEER, "asked for filter order %u after %u", order, s->order);
	if (s->is_filtered)
		return ERR_OK;
	if (order > SLICE_ORDER_MAX)
		return err_set(ERR_PEER, "asked for filter order %u, expected at most %d", order,
			       SLICE_ORDER_MAX);
	s->order = order;
	s->is_filtered = true;
	if (s->X.is_sparse && wide_pays(&s->X.sparse)) {
		ALLOC(s->wide, 1);
		wide_init(s->wide, &s->X.sparse, s->g, order, s->threads);
		return ERR_OK;
	}
	if (s->X.is_sparse) {
		err = graph_filter_sparse(s->g, FILTER_MEAN, order, s->threads, &s->X.sparse,
					  &s->filtered);
	} else {
		if (s->rest)
			s->rest->filter(s->rest->ctx, order, &s->X.dense);
		else
			err = graph_filter(s->g, FILTER_MEAN, order, s->threads, &s->X.dense);
		s->filtered = s->X.dense;
		s->X.dense = (struct mat){ 0 };
	}
	features_release(&s->X);
	return err;
}

static void take(struct mat *from, double *x)
{
	memcpy(x, from->a, from->rows * from->cols * sizeof(*x));
	mat_release(from);
}

/* B' X_l (d x m_l, initialised here), of all rows; in blocks as la.h has them. */
static void times_filtered(const struct slice *s, const struct mat *B, struct mat *C)
{
	const struct mat *F = &s->filtered;
	struct rowsum sum;

	assert(B->rows == F->rows);
	if (!s->rest) {
		la_mul_tn(B, F, s->threads, C); /* (X_l' B)': long rows are faster */
		return;
	}
	mat_init(C, B->cols, F->cols);
	sum_begin(s, &sum, C->rows * C->cols, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(F->rows); b++) {
		size_t first = b * ROWSUM_ROWS, rows = rowsum_rows(F->rows, b);
		struct mat b_block = { rows, B->cols, ROW(B, first) };
		struct mat f_block = { rows, F->cols, ROW(F, first) }, part;

		la_mul_tn(&b_block, &f_block, 1, &part);
		memcpy(rowsum_open(&sum), part.a, sum.width * sizeof(*part.a));
		rowsum_close(&sum);
		mat_release(&part);
	}
	sum_end(s, &sum, C->a);
}

static void tell_products(const struct slice *s, const struct mat *B, double *x)
{
	struct mat C, Y;

	if (s->wide) {
		wide_products(s->wide, B, &Y);
	} else {
		times_filtered(s, B, &C);
		la_mul_nt(&s->filtered, &C, s->threads, &Y);
		mat_release(&C);
	}
	take(&Y, x);
}

/* G D^-1 (n x k): M = D^-1 G' X_l, so that X_l M' is a product as the others are. */
static void indicator(const uint32_t *label, size_t k, size_t n, struct mat *B)
{
	double *size;

	ALLOC(size, k);
	for (size_t i = 0; i < n; i++)
		size[label[i]]++;
	mat_init(B, n, k);
	for (size_t i = 0; i < n; i++)
		MAT(B, i, label[i]) = 1 / size[label[i]];
	free(size);
}

void slice_means(const struct slice *s, const uint32_t *label, size_t k, struct mat *M)
{
	struct mat B;

	if (s->wide) {
		indicator(label, k, s->X.sparse.rows, &B);
		wide_means(s->wide, &B, M);
		mat_release(&B);
		return;
	}
	mat_init(M, k, s->filtered.cols);
	if (s->rest)
		s->rest->centres(s->rest->ctx, &s->filtered, label, M);
	else
		kmeans_centres(&s->filtered, NULL, label, M);
}

static void tell_means(const struct slice *s, const struct question *q, double *x)
{
	struct mat M, Y;

	if (s->wide) {
		indicator(q->label, q->k, s->X.sparse.rows, &M);
		tell_products(s, &M, x);
		mat_release(&M);
		return;
	}
	slice_means(s, q->label, q->k, &M);
	la_mul_nt(&s->filtered, &M, s->threads, &Y);
	mat_release(&M);
	take(&Y, x);
}

static double modularity_of(const struct slice *s, const uint32_t *label, size_t k)
{
	return s->rest ? s->rest->modularity(s->rest->ctx, label, k)
		       : modularity(&s->g->adjacency, label, k);
}

enum err slice_answer(struct slice *s, const struct question *q, double *x)
{
	size_t n = s->g->adjacency.rows;

	if (q->kind == ASK_PRODUCTS || q->kind == ASK_MEANS || q->means)
		TRY(filter_once(s, q->order));
	switch (q->kind) {
	case ASK_FACTS:
		tell_facts(s, x);
		break;
	case ASK_CELLS:
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
		for (size_t t = 0; t < q->labellings; t++)
			x[t] = modularity_of(s, q->label + t * n, q->k) / (double)q->parties;
		if (q->means)
			tell_means(s, q, x + q->labellings);
		break;
	}
	return ERR_OK;
}

unsigned slice_order(const double *spreads, size_t n, size_t m)
{
	unsigned p = psi_gcc(spreads + SLICE_POWERS, spreads[0], n, m, SLICE_ORDER_MAX);

	return psi_share(spreads + (size_t)2 * SLICE_POWERS, p);
}

enum err slice_cluster(const struct slice *s, unsigned order, size_t parties, size_t dims,
		       const struct kmeans_params *how, uint32_t *label)
{
	struct embed_params project = {
		.dims = dims, .unit_rows = true, .row_power = 1, .threads = s->threads
	};
	struct slice alone = { .g = s->g, .rest = s->rest, .threads = s->threads };
	size_t n = features_rows(&s->X), m;
	double spreads[SLICE_SPREADS], *facts = alloc(2 + n, sizeof(*facts));
	struct question ask = { .kind = ASK_SPREADS, .square = facts + 2, .shares = !order };
	struct mat Z;
	enum err err;

	/* T^p of the own rows, as if there were no others but like them. */
	features_copy(&alone.X, &s->X);
	tell_facts(&alone, facts);
	ask.idf = facts[0] == 0;
	m = (size_t)facts[1] * parties;
	err = tell_spreads(&alone, &ask, spreads);
	free(facts);
	if (!err && !order) /* a slice of zeros is the same at any */
		order = spreads[0] > 0 ? slice_order(spreads, all_rows(s), m) : 1;
	if (!err)
		err = filter_once(&alone, order);
	if (!err && s->rest) {
		err = s->rest->cluster(s->rest->ctx, &alone.filtered, &project, how, label);
		slice_release(&alone);
		return err;
	}
	if (!err)
		err = alone.wide ? embed_project_map(&alone.wide->map, &project, &Z)
				 : embed_project(&alone.filtered, &project, &Z);
	if (!err) {
		kmeans(&Z, NULL, how, label, NULL, NULL);
		mat_release(&Z);
	}
	slice_release(&alone);
	return err;
}

static enum err answer_in_memory(void *slice, size_t l, const void *question, double *x)
{
	(void)l;
	return slice_answer(slice, question, x);
}

static enum err cluster_in_memory(void *slice, const void *question, uint32_t *label)
{
	const struct question *q = question;

	return slice_cluster(slice, q->order, q->parties, q->dims, q->how, label);
}

const struct memory_kind slices_in_memory = { .size = sizeof(struct slice),
					      .answer = answer_in_memory,
					      .labels = cluster_in_memory };
