#include "protocols/kcagc/own.h"
#include "protocols/kcagc/explained.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/graph/filter.h"
#include "protocols/kcagc/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t all_rows(const struct slice *s)
{
	return ranks_n(s->g->ranks, features_rows(&s->X));
}

static bool slice_facts_is_first(const struct slice *s)
{
	return !s->g->ranks || s->g->ranks->own == 0;
}

static enum err slice_facts_spread(const struct slice *s, enum filter_kind kind, unsigned steps,
				   double *square, double *apart)
{
	return graph_filter_spread(s->g, kind, steps, s->threads,
				   s->X.is_sparse ? &s->X.sparse : NULL,
				   s->X.is_sparse ? NULL : &s->X.dense, square, apart);
}

/* -- raw features, sparse or dense ---------------------------------------------------------- */

/* Statistics of a column's non-zeros: count, least, most, mean, sum of squared distances from
 * it. */
struct column {
	double count, low, high, mean, apart;
	double measured; /* 0, or 1 if a non-zero is not 1 */
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
	c->mean += off / c->count; /* Welford 1962: large units or offsets lose no digits */
	c->apart += off * (x - c->mean);
}

/* Merges statistics; Chan, Golub, LeVeque 1983. */
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

/* Calls f for the values of block b of rowsum.h, with rows counted from the start of the block. */
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

/* total (width): calls f over all rows; each block of rowsum.h has its own sums. */
static void sum_values(struct slice *s, size_t width, rowsum_join *join, features_value *f,
		       double *total)
{
	size_t n = features_rows(&s->X), m = features_cols(&s->X);
	struct rowsum sum;

	ranks_sum_begin(s->g->ranks, &sum, width, join, &m);
	for (size_t b = 0; b < rowsum_blocks(n); b++) {
		each_of_block(s, b, f, rowsum_open(&sum));
		rowsum_close(&sum);
	}
	ranks_sum_end(s->g->ranks, &sum, total);
}

static void count_value(void *ctx, size_t row, size_t column, double *value)
{
	(void)row;
	((double *)ctx)[column] += *value != 0;
}

struct scaling {
	const double *row, *column; /* factors; column may be NULL */
};

static void slice_facts_scale_value(void *ctx, size_t row, size_t column, double *value)
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
	const double *weight;
	double *sum;
};

static void slice_facts_add_square(void *ctx, size_t row, size_t column, double *value)
{
	const struct squares *s = ctx;
	double x = s->weight ? *value * s->weight[column] : *value;

	s->sum[row] += x * x;
}

void slice_norms(struct slice *s, bool idf, double *x)
{
	double *weight = idf ? column_weights(s) : NULL;
	struct squares squares = { weight, x };

	memset(x, 0, features_rows(&s->X) * sizeof(*x));
	features_each(&s->X, slice_facts_add_square, &squares);
	free(weight);
}

/* A column with a number in every row beside words of 0 and 1 is of another kind. */
static bool is_foreign(const struct column *c, size_t n)
{
	return c->measured != 0 && c->count >= (double)n;
}

struct standard {
	const struct column *column;
	size_t n;
};

static void bring_to_unit(void *ctx, size_t row, size_t column, double *value)
{
	const struct standard *s = ctx;
	const struct column *c = &s->column[column];

	(void)row;
	if (is_foreign(c, s->n))
		*value = c->apart > 0 ? (*value - c->mean) / sqrt(c->apart / (double)s->n) : 0;
}

struct kinds {
	bool measured;  /* a value is neither 0 nor 1, except in foreign columns beside words */
	double varied;  /* columns that vary, at least 1 */
	size_t foreign; /* columns beside words; else 0 */
};

static struct kinds slice_facts_count_kinds(struct slice *s, struct column *column)
{
	size_t n = all_rows(s), m = features_cols(&s->X), words = 0;
	struct kinds k = { 0 };

	sum_values(s, m * COLUMN_WIDTH, join_columns, see_value, (double *)column);
	for (size_t j = 0; j < m; j++) {
		const struct column *c = &column[j];

		k.varied += c->count > 0 && (c->count < (double)n || c->low < c->high);
		k.foreign += is_foreign(c, n);
		words += c->measured == 0 && c->count > 0;
		k.measured |= c->measured != 0 && !is_foreign(c, n);
	}
	k.varied = fmax(k.varied, 1);
	k.measured |= k.foreign && !words;
	if (k.measured)
		k.foreign = 0;
	return k;
}

static double to_unit(const struct column *c, size_t n)
{
	return c->apart > 0 ? 1 / sqrt(c->apart / (double)n) : 0;
}

/* Scales foreign columns beside words to the size of a word that occurs everywhere. Unscaled, a
 * year is longer than all words together and would dominate them. */
static struct kinds see_kinds(struct slice *s)
{
	size_t n = all_rows(s), m = features_cols(&s->X);
	struct column *column;
	struct standard by = { .n = n };
	struct kinds k;

	ALLOC(column, m);
	k = slice_facts_count_kinds(s, column);
	by.column = column;
	if (k.foreign)
		features_each(&s->X, bring_to_unit, &by);
	for (size_t j = 0; j < m && s->word; j++) {
		const struct column *c = &column[j];

		s->word[j] = !k.measured && c->measured == 0;
		if (k.measured || !is_foreign(c, n))
			continue;
		s->shift[j] = c->mean;
		s->weight[j] = to_unit(c, n);
	}
	free(column);
	return k;
}

void slice_facts(struct slice *s, double *x)
{
	struct kinds k = see_kinds(s);

	x[0] = k.measured;
	x[1] = k.varied;
	if (k.foreign && slice_facts_is_first(s))
		log_info("%zu of %zu columns are numbers beside columns of 0 and 1: they are "
			 "brought to mean 0 and variance 1",
			 k.foreign, features_cols(&s->X));
	slice_norms(s, x[0] == 0, x + 2);
}

/* Weights columns (NULL: does not) and moves the features to X. */
static void weigh_and_give(struct slice *s, const double *weight, struct features *X)
{
	if (weight)
		words_weigh(&s->X, weight);
	*X = s->X;
	s->X = (struct features){ 0 };
}

bool slice_weigh_beside(struct slice *s, struct features *X)
{
	double *weight = see_kinds(s).foreign ? column_weights(s) : NULL;
	bool beside = weight != NULL;

	weigh_and_give(s, weight, X);
	free(weight);
	return beside;
}

double *slice_weights_beside(struct slice *s, struct features *X)
{
	size_t n = all_rows(s), m = features_cols(&s->X), foreign;
	double *weight = NULL;
	struct column *column;

	ALLOC(column, m);
	foreign = slice_facts_count_kinds(s, column).foreign;
	if (foreign)
		weight = column_weights(s);
	for (size_t j = 0; j < m && weight; j++)
		if (is_foreign(&column[j], n))
			weight[j] = to_unit(&column[j], n);
	if (foreign && slice_facts_is_first(s))
		log_info("%zu of %zu columns are numbers beside columns of 0 and 1: they are "
			 "brought to variance 1",
			 foreign, m);
	free(column);
	weigh_and_give(s, weight, X);
	return weight;
}

struct along {
	const double *root; /* sqrt(degree) of each row */
	double *sum;
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
	ranks_sum_begin(s->g->ranks, &sum, m + 1, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(n); b++) {
		size_t first = b * ROWSUM_ROWS, rows = rowsum_rows(n, b);
		struct along a = { root + first, rowsum_open(&sum) };

		each_of_block(s, b, add_along, &a);
		for (size_t i = first; i < first + rows; i++)
			a.sum[m] += root[i] * root[i];
		rowsum_close(&sum);
	}
	ranks_sum_end(s->g->ranks, &sum, all);
	memcpy(along, all, m * sizeof(*along));
	*total = all[m];
	free(all);
	free(root);
}

/* x: ||q' X_l||^2, then ||S^t X_l||^2. S q = q, so that the first equals ||q' S^t X_l||^2 for any
 * t. */
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
	TRY(slice_facts_spread(s, FILTER_PLAIN, SLICE_ORDER_MAX, square, apart));
	memcpy(x + 1, square + 1, SLICE_ORDER_MAX * sizeof(*x));
	return ERR_OK;
}

enum err slice_spreads(struct slice *s, const struct question *q, double *x)
{
	size_t n = features_rows(&s->X);
	double *row = alloc(n, sizeof(*row)), *column = q->idf ? column_weights(s) : NULL;
	struct scaling by = { row, column };
	double unit = q->unit > 0 ? q->unit : 1;

	for (size_t i = 0; i < n; i++)
		row[i] = q->square[i] > 0 ? 1 / sqrt(q->square[i] / unit) : 1;
	features_each(&s->X, slice_facts_scale_value, &by);
	for (size_t j = 0; column && s->weight && j < s->columns; j++)
		s->weight[j] *= column[j];
	for (size_t j = 0; !column && s->word && j < s->columns; j++)
		s->word[j] = 0; /* other parties have measurements: placing accepts any number */
	free(column);
	free(row);
	if (q->shares)
		TRY(tell_shares(s, x + (size_t)2 * SLICE_POWERS));
	TRY(slice_facts_spread(s, FILTER_MEAN, SLICE_POWERS - 1, x, x + SLICE_POWERS));
	memcpy(s->spread, x + SLICE_POWERS, sizeof(s->spread));
	if (q->explained)
		explained_by_degrees(s, x + question_whole(q) - q->degrees - SLICE_EXPLAINED);
	if (q->degrees) {
		double scale;

		TRY(slice_degrees_scale(s, &scale));
		x[question_whole(q) - 1] = scale * scale / (double)q->parties;
	}
	return ERR_OK;
}
