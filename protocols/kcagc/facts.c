#include "protocols/kcagc/own.h"
#include "protocols/kcagc/explained.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/graph/filter.h"
#include "protocols/kcagc/counts.h"
#include "protocols/kcagc/seen.h"
#include "protocols/kcagc/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t all_rows(const struct slice *s)
{
	return ranks_n(s->g->ranks, features_rows(&s->X));
}

struct bringing {
	const double *shift, *weight;
};

static void bring_value(void *ctx, size_t row, size_t column, double *value)
{
	const struct bringing *b = ctx;

	(void)row;
	*value = (*value - b->shift[column]) * b->weight[column];
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

static void count_value(void *ctx, size_t row, size_t column, double *value)
{
	(void)row;
	((double *)ctx)[column] += *value != 0;
}

struct scaling {
	const double *row, *column; /* factors of rows and columns; column may be NULL */
	/* enum word_kind of each of the slice's columns; in a WORD_PRESENT column, non-zeros become
	 * 1 before scaling */
	const uint8_t *word;
};

static double present(const uint8_t *word, size_t column, double x)
{
	return word[column] == WORD_PRESENT && x != 0 ? 1 : x;
}

static void slice_facts_scale_value(void *ctx, size_t row, size_t column, double *value)
{
	const struct scaling *s = ctx;

	if (s->column)
		*value = present(s->word, column, *value) * s->column[column];
	*value *= s->row[row];
}

/* Returns the weights idf_j = ln((1+n)/(1+df_j)) + 1. */
static double *column_weights(struct slice *s)
{
	double n = (double)all_rows(s), *factor;
	size_t m = features_cols(&s->X);

	ALLOC(factor, m);
	seen_sum(s, m, NULL, count_value, factor);
	for (size_t j = 0; j < m; j++)
		factor[j] = log((1 + n) / (1 + factor[j])) + 1;
	return factor;
}

struct squares {
	const double *weight;
	const uint8_t *word;
	double *sum;
};

static void slice_facts_add_square(void *ctx, size_t row, size_t column, double *value)
{
	const struct squares *s = ctx;
	double x = s->weight ? present(s->word, column, *value) * s->weight[column] : *value;

	s->sum[row] += x * x;
}

void slice_norms(struct slice *s, bool idf, double *x)
{
	double *weight = idf ? column_weights(s) : NULL;
	struct squares squares = { weight, s->word, x };

	memset(x, 0, features_rows(&s->X) * sizeof(*x));
	features_each(&s->X, slice_facts_add_square, &squares);
	free(weight);
}

/* Sets shift and weight of each column. A foreign column (seen.h) gets mean 0. Beside words it gets
 * deviation 1, since a column of years would outweigh all words. Beside other numbers it gets the
 * root mean square of their non-zeros. All columns but foreign ones beside words are then divided
 * by the power of two nearest to that root mean square, so that it is from 0.7 to 1.42 and a
 * party's unit has no effect. Parties with numbers of similar size divide by the same power, which
 * keeps the proportion of these numbers. */
static void slice_facts_bring(struct slice *s, const struct seen *seen)
{
	struct bringing by = { s->shift, s->weight };
	double size = sqrt(seen->square), unit = size > 0 ? exp2(-round(log2(size))) : 1;

	for (size_t j = 0; j < s->columns; j++) {
		const struct column *c = &seen->column[j];
		bool foreign = seen_is_foreign(seen, j);

		s->word[j] = seen->measured || foreign       ? 0
			     : seen->present && c->count > 0 ? WORD_PRESENT
							     : WORD_ONE;
		s->shift[j] = foreign ? c->mean : 0;
		s->weight[j] = !foreign         ? unit
			       : seen->measured ? seen_to_unit(seen, j) * size * unit
						: seen_to_unit(seen, j);
	}
	if (unit != 1 || seen->foreign)
		features_each(&s->X, bring_value, &by);
}

static void mark_word(void *ctx, size_t row, size_t column, double *value)
{
	(void)row;
	if (!seen_is_foreign(ctx, column))
		*value = *value != 0;
}

static void tell_counts(const struct slice *s)
{
	if (slice_facts_is_first(s))
		log_info("counts predict edges worse than presence does: each count becomes 1");
}

/* Replaces counts by presence if presence distinguishes linked rows from others more clearly. */
static void slice_facts_see(struct slice *s, struct seen *seen)
{
	seen_of(s, seen);
	if (!counts_are_words(s, seen))
		return;
	tell_counts(s);
	features_each(&s->X, mark_word, seen);
	seen_release(seen);
	seen_of(s, seen);
	s->marked = seen->present = true;
}

void slice_facts(struct slice *s, double *x)
{
	struct seen seen;

	slice_facts_see(s, &seen);
	slice_facts_bring(s, &seen);
	x[0] = seen.measured;
	x[1] = seen.varied;
	if (seen.foreign && slice_facts_is_first(s))
		log_info(
		    "%zu of %zu columns have few zeros, and the others are mostly 0: the former "
		    "are scaled to mean 0 and to the size of the others",
		    seen.foreign, features_cols(&s->X));
	if (slice_facts_is_first(s))
		seen_warn(&seen, s->columns);
	seen_release(&seen);
	slice_norms(s, x[0] == 0, x + 2);
}

/* Multiplies columns by weight, unless weight is NULL, and moves the features to X. */
static void weigh_and_give(struct slice *s, const double *weight, struct features *X)
{
	if (weight)
		words_weigh(&s->X, weight);
	*X = s->X;
	s->X = (struct features){ 0 };
}

/* Returns column_weights(), or 1 for each column if columns that are not foreign (seen.h) hold no
 * words. */
static double *weights_of_kinds(struct slice *s, const struct seen *seen)
{
	double *weight = column_weights(s);

	for (size_t j = 0; j < s->columns && seen->measured; j++)
		weight[j] = 1;
	return weight;
}

bool slice_has_counts(struct slice *s, bool tells, struct features *X)
{
	struct seen seen;
	bool counts;

	seen_of(s, &seen);
	counts = !seen.foreign && counts_are_words(s, &seen);
	if (counts && tells)
		tell_counts(s);
	seen_release(&seen);
	weigh_and_give(s, NULL, X);
	return counts;
}

bool slice_weigh_beside(struct slice *s, struct features *X)
{
	double *weight = NULL;
	struct seen seen;
	bool beside;

	seen_of(s, &seen);
	beside = seen.foreign > 0;
	if (beside) {
		slice_facts_bring(s, &seen);
		weight = weights_of_kinds(s, &seen);
	}
	seen_release(&seen);
	weigh_and_give(s, weight, X);
	free(weight);
	return beside;
}

double *slice_weights_beside(struct slice *s, struct features *X)
{
	double *weight = NULL;
	struct seen seen;

	seen_of(s, &seen);
	if (seen.foreign)
		weight = weights_of_kinds(s, &seen);
	for (size_t j = 0; j < s->columns && weight; j++)
		weight[j] *=
		    seen_is_foreign(&seen, j) ? seen_to_unit(&seen, j) : 1 / sqrt(seen.square);
	if (weight && slice_facts_is_first(s)) {
		log_info(
		    "%zu of %zu columns have few zeros, and the others are mostly 0: the former "
		    "are scaled to the size of the others",
		    seen.foreign, s->columns);
		seen_warn(&seen, s->columns);
	}
	seen_release(&seen);
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

/* Computes along (m) = sqrt(degree)' X_l, and total, the squared length of sqrt(degree). */
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

		seen_block(s, b, add_along, &a);
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

/* Computes x: ||q' X_l||^2, then ||S^t X_l||^2 for t = 1 .. 15, with S as in slice.h and q along
 * sqrt(degree). Since S q = q, ||q' X_l||^2 equals ||q' S^t X_l||^2 for any t. */
static enum err answer_shares(struct slice *s, double *x)
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
	struct scaling by = { row, column, s->word };
	double unit = q->unit > 0 ? q->unit : 1;

	for (size_t i = 0; i < n; i++)
		row[i] = q->square[i] > 0 ? 1 / sqrt(q->square[i] / unit) : 1;
	features_each(&s->X, slice_facts_scale_value, &by);
	for (size_t j = 0; column && j < s->columns; j++)
		s->weight[j] = (s->word[j] == WORD_PRESENT ? 1 : s->weight[j]) * column[j];
	for (size_t j = 0; !column && !s->marked && j < s->columns; j++)
		/* Some party has measurements, so a prediction must accept any number in this
		 * column. */
		s->word[j] = 0;
	free(column);
	free(row);
	if (q->shares)
		TRY(answer_shares(s, x + (size_t)2 * SLICE_POWERS));
	TRY(slice_facts_spread(s, FILTER_MEAN, SLICE_POWERS - 1, x, x + SLICE_POWERS));
	memcpy(s->spread, x + SLICE_POWERS, sizeof(s->spread));
	if (q->explained)
		explained_by_degrees(&s->X, s->g,
				     x + question_whole(q) - q->degrees - SLICE_EXPLAINED);
	if (q->degrees) {
		double scale;

		TRY(slice_degrees_scale(s, &scale));
		x[question_whole(q) - 1] = scale * scale / (double)q->parties;
	}
	return ERR_OK;
}
