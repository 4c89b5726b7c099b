#include "protocols/kcagc/seen.h"
#include "common/base/alloc.h"
#include "common/base/warnings.h"
#include "protocols/kcagc/linked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* EVEN_ROWS: number of rows that are tested at once. A small number lets the test end soon after a
 * row with two different non-zeros. */
enum { EVEN_ROWS = 64 };
enum { COLUMN_WIDTH = sizeof(struct column) / sizeof(double) };

static void see_value(void *ctx, size_t row, size_t column, double *value)
{
	struct column *c = (struct column *)ctx + column;
	double x = *value, off = x - c->mean;

	(void)row;
	if (x == 0)
		return;
	if (c->count == 0 || x < c->low)
		c->low = x;
	if (c->count == 0 || x > c->high)
		c->high = x;
	c->count++;
	c->measured = c->measured != 0 || x != 1;
	c->broken = c->broken != 0 || x != floor(x);
	/* Welford 1962: with this formula, large units or offsets lose no digits. */
	c->mean += off / c->count;
	c->apart += off * (x - c->mean);
}

/* Merges the statistics of two sets of rows, column by column (Chan, Golub, LeVeque 1983). */
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
		a->broken = fmax(a->broken, b->broken);
		a->mean += gap * (b->count / count);
		a->apart += b->apart + gap * gap * (a->count * (b->count / count));
		a->count = count;
	}
}

/* Returns the `rows` rows of X from `first` on. X still owns their memory. */
static struct features seen_rows(struct features *X, size_t first, size_t rows)
{
	struct features some = { .is_sparse = X->is_sparse };

	if (X->is_sparse) {
		csr_write_ones(&X->sparse);
		some.sparse = X->sparse;
		some.sparse.rows = rows;
		some.sparse.start += first;
	} else {
		some.dense = (struct mat){ rows, X->dense.cols, ROW(&X->dense, first) };
	}
	return some;
}

void seen_block(struct slice *s, size_t b, features_value *f, void *ctx)
{
	struct features block =
	    seen_rows(&s->X, b * ROWSUM_ROWS, rowsum_rows(features_rows(&s->X), b));

	features_each(&block, f, ctx);
}

void seen_sum(struct slice *s, size_t width, rowsum_join *join, features_value *f, double *total)
{
	size_t n = features_rows(&s->X), m = features_cols(&s->X);
	struct rowsum sum;

	ranks_sum_begin(s->g->ranks, &sum, width, join, &m);
	for (size_t b = 0; b < rowsum_blocks(n); b++) {
		seen_block(s, b, f, rowsum_open(&sum));
		rowsum_close(&sum);
	}
	ranks_sum_end(s->g->ranks, &sum, total);
}

static bool is_full(const struct seen *seen, size_t j)
{
	return seen->column[j].measured != 0 && seen->column[j].count >= (double)seen->n;
}

bool seen_is_foreign(const struct seen *seen, size_t column)
{
	return seen->foreign && is_full(seen, column);
}

double seen_to_unit(const struct seen *seen, size_t column)
{
	double apart = seen->column[column].apart;
	bool counts = !seen->unlinked || !seen->unlinked[column];

	return counts && apart > 0 ? 1 / sqrt(apart / (double)seen->n) : 0;
}

/* Records the first non-zero of each row, and whether there is a second. */
struct rows {
	/* Foreign columns of `seen` are skipped; NULL: no column is foreign. */
	const struct seen *seen;
	double *first;
	uint8_t *two;
	bool differ;
};

static void see_row(void *ctx, size_t row, size_t column, double *value)
{
	struct rows *r = ctx;

	if (*value == 0 || (r->seen && seen_is_foreign(r->seen, column)))
		return;
	if (r->first[row] == 0) {
		r->first[row] = *value;
		return;
	}
	r->two[row] = 1;
	r->differ |= *value != r->first[row];
}

bool seen_rows_are_even(const struct ranks *R, struct features *X, const struct seen *seen)
{
	size_t n = features_rows(X), one = 0, two = 0;
	struct rows r = { .seen = seen, .first = alloc(n, sizeof(double)), .two = alloc(n, 1) };

	for (size_t first = 0; first < n && !r.differ; first += EVEN_ROWS) {
		struct features some = seen_rows(X, first, min_size(EVEN_ROWS, n - first));
		struct rows from = r;

		from.first += first;
		from.two += first;
		features_each(&some, see_row, &from);
		r.differ = from.differ;
	}
	for (size_t i = 0; i < n; i++) {
		one += r.first[i] != 0;
		two += r.two[i];
	}
	free(r.first);
	free(r.two);
	one = ranks_total(R, one);
	two = ranks_total(R, two);
	return !ranks_total(R, r.differ) && one && 2 * two >= one;
}

struct beside {
	/* numbers of columns: words (0 and 1), sparse (mostly 0), full (a number in every row) */
	size_t words, sparse, full;
	bool other;       /* a column has values other than 0 and 1, and is not full */
	double low, high; /* least and largest non-zero number of columns that are not full */
};

static struct beside count_columns(struct seen *seen, size_t m)
{
	struct beside b = { .low = INFINITY, .high = -INFINITY };

	for (size_t j = 0; j < m; j++) {
		const struct column *c = &seen->column[j];

		seen->varied += c->count > 0 && (c->count < (double)seen->n || c->low < c->high);
		b.words += c->measured == 0 && c->count > 0;
		b.sparse += c->count > 0 && 2 * c->count <= (double)seen->n;
		b.full += is_full(seen, j);
		if (is_full(seen, j) || c->count == 0)
			continue;
		b.other |= c->measured != 0;
		b.low = fmin(b.low, c->low);
		b.high = fmax(b.high, c->high);
	}
	seen->varied = fmax(seen->varied, 1);
	return b;
}

/* Returns the mean square of the non-zeros of columns that are not foreign. */
static double mean_square(const struct seen *seen, size_t m)
{
	double count = 0, square = 0;

	for (size_t j = 0; j < m; j++) {
		const struct column *c = &seen->column[j];

		if (seen_is_foreign(seen, j))
			continue;
		count += c->count;
		square += c->apart + c->count * c->mean * c->mean;
	}
	return count > 0 ? square / count : 0;
}

void seen_of(struct slice *s, struct seen *seen)
{
	size_t m = features_cols(&s->X);
	struct beside b;

	*seen = (struct seen){ .n = ranks_n(s->g->ranks, features_rows(&s->X)) };
	ALLOC(seen->column, m);
	seen_sum(s, m * COLUMN_WIDTH, join_columns, see_value, (double *)seen->column);
	b = count_columns(seen, m);
	if (b.low == b.high || (b.other ? b.sparse >= b.full : b.words > 0))
		seen->foreign = b.full;
	seen->measured = b.other || b.full > seen->foreign;
	if (seen->measured && (b.full == 0 || seen->foreign))
		seen->present = b.low == b.high || seen_rows_are_even(s->g->ranks, &s->X, seen);
	if (seen->present)
		seen->measured = false;
	seen->square = mean_square(seen, m);
	linked_see(s, seen);
}

void seen_warn(const struct seen *seen, size_t columns)
{
	size_t count = 0;

	for (size_t j = 0; seen->unlinked && j < columns; j++)
		count += seen->unlinked[j];
	if (count)
		warnings_add(WARNING_COLUMNS_UNLINKED, (double)count,
			     "in %zu of %zu columns linked rows are no more alike than others, so "
			     "these columns count for nothing",
			     count, columns);
}

void seen_release(struct seen *seen)
{
	free(seen->column);
	free(seen->unlinked);
	*seen = (struct seen){ 0 };
}
