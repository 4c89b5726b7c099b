#include "protocols/kcagc/counts.h"
#include "common/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Presence replaces counts if its d' (counts.h) is more than CLEARER times that of counts, and more
 * than ERRORS standard errors. The measured ratio of the two d' is 0.99 to 1.06 if counts are as
 * good as presence (coauthor-cs, coauthor-phy, 2 and 8 parties). It is 1.2 to 2.3 on planted data
 * whose repetitions are noise. */
static const double CLEARER = 1.15, ERRORS = 2;

/* A non-zero of a sampled row. Rows are scaled to length 1. */
struct item {
	uint32_t sampled, column;
	double counted, present;
};

/* Similarities of pairs of rows: their number, sum, and sum of squares. */
struct group {
	double pairs, sum, square;
};
enum { COUNTED, PRESENT, CODINGS };
struct pairs {
	struct group linked[CODINGS], random[CODINGS];
};
enum { PAIRS_WIDTH = sizeof(struct pairs) / sizeof(double) };

struct sample {
	const struct seen *seen;
	size_t rows, columns;
	/* n: 1 + the row's place in the sample, or 0 if it is not in the sample. */
	uint16_t *of;
	struct item *item;       /* sorted by column */
	size_t *start;           /* columns + 1: where the items of each column start */
	double (*like)[CODINGS]; /* one entry per row: its similarities to a sampled row */
};

static double value_at(const struct features *X, size_t row, size_t e)
{
	const struct csr *s = &X->sparse;

	return X->is_sparse ? (s->value ? s->value[s->start[row] + e] : 1) : MAT(&X->dense, row, e);
}

static size_t column_at(const struct features *X, size_t row, size_t e)
{
	return X->is_sparse ? X->sparse.index[X->sparse.start[row] + e] : e;
}

static size_t entries_of(const struct features *X, size_t row)
{
	return X->is_sparse ? X->sparse.start[row + 1] - X->sparse.start[row] : X->dense.cols;
}

/* Writes the row's non-zeros of columns that are not foreign (seen.h), scaled to length 1: as
 * counts, and as presence. Returns their number. */
static size_t items_of(const struct features *X, const struct seen *seen, size_t row,
		       uint32_t sampled, struct item *item)
{
	size_t count = 0, entries = entries_of(X, row);
	double square = 0;

	for (size_t e = 0; e < entries; e++) {
		double x = value_at(X, row, e);
		size_t j = column_at(X, row, e);

		if (x == 0 || seen_is_foreign(seen, j))
			continue;
		item[count++] = (struct item){ sampled, (uint32_t)j, x, 1 };
		square += x * x;
	}
	for (size_t i = 0; i < count; i++) {
		item[i].counted /= sqrt(square);
		item[i].present = 1 / sqrt((double)count);
	}
	return count;
}

static int by_column(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return x->sampled < y->sampled ? -1 : x->sampled > y->sampled;
}

/* Samples every (n / rows)-th row over all ranks, and gives each rank the items of all sampled
 * rows. */
static void sample_draw(struct slice *s, struct sample *a)
{
	size_t n = a->seen->n, own = features_rows(&s->X), first = ranks_first(s->g->ranks);
	size_t most = 0, count = 0, all;
	struct item *item;

	a->rows = n < COUNTS_SAMPLE ? n : COUNTS_SAMPLE;
	ALLOC(a->of, n);
	for (size_t i = 0; i < a->rows; i++)
		a->of[i * n / a->rows] = (uint16_t)(i + 1);
	for (size_t i = 0; i < own; i++)
		most += a->of[first + i] ? entries_of(&s->X, i) : 0;
	ALLOC(item, most);
	for (size_t i = 0; i < own; i++)
		if (a->of[first + i])
			count += items_of(&s->X, a->seen, i, a->of[first + i] - 1U, item + count);
	a->item = ranks_gather(s->g->ranks, sizeof(*item), item, count, &all);
	free(item);
	qsort(a->item, all, sizeof(*a->item), by_column);
	ALLOC(a->start, a->columns + 1);
	for (size_t i = 0; i < all; i++)
		a->start[a->item[i].column + 1]++;
	for (size_t j = 0; j < a->columns; j++)
		a->start[j + 1] += a->start[j];
	a->like = alloc(a->rows, sizeof(*a->like));
}

static void sample_release(struct sample *a)
{
	free(a->of);
	free(a->item);
	free(a->start);
	free(a->like);
}

static void liken(const struct sample *a, const struct item *row, size_t count)
{
	memset(a->like, 0, a->rows * sizeof(*a->like));
	for (size_t e = 0; e < count; e++)
		for (size_t i = a->start[row[e].column]; i < a->start[row[e].column + 1]; i++) {
			double *like = a->like[a->item[i].sampled];

			like[COUNTED] += row[e].counted * a->item[i].counted;
			like[PRESENT] += row[e].present * a->item[i].present;
		}
}

static void group_add(struct group *g, const double *like)
{
	for (size_t c = 0; c < CODINGS; c++) {
		g[c].pairs++;
		g[c].sum += like[c];
		g[c].square += like[c] * like[c];
	}
}

/* Adds the pairs of an own row with its sampled neighbours and, if it is sampled itself, with the
 * other sampled rows. */
static void pairs_add(struct slice *s, const struct sample *a, size_t row, struct item *item,
		      struct pairs *to)
{
	const struct csr *near = &s->g->adjacency;
	uint16_t own = a->of[ranks_first(s->g->ranks) + row];
	bool any = own;

	for (size_t e = near->start[row]; e < near->start[row + 1]; e++)
		any |= a->of[near->index[e]] != 0;
	if (!any)
		return;
	liken(a, item, items_of(&s->X, a->seen, row, 0, item));
	for (size_t e = near->start[row]; e < near->start[row + 1]; e++)
		if (a->of[near->index[e]])
			group_add(to->linked, a->like[a->of[near->index[e]] - 1]);
	for (size_t u = 0; own && u < a->rows; u++)
		if (u + 1 != own)
			group_add(to->random, a->like[u]);
}

static void pairs_sum(struct slice *s, const struct sample *a, struct pairs *total)
{
	size_t n = features_rows(&s->X);
	struct item *item = alloc(a->columns, sizeof(*item));
	struct rowsum sum;

	ranks_sum_begin(s->g->ranks, &sum, PAIRS_WIDTH, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(n); b++) {
		size_t first = b * ROWSUM_ROWS;
		struct pairs *to = (struct pairs *)rowsum_open(&sum);

		for (size_t i = first; i < first + rowsum_rows(n, b); i++)
			pairs_add(s, a, i, item, to);
		rowsum_close(&sum);
	}
	ranks_sum_end(s->g->ranks, &sum, (double *)total);
	free(item);
}

static double variance(const struct group *g)
{
	double mean = g->sum / g->pairs;

	return fmax(g->square / g->pairs - mean * mean, 0);
}

/* Returns d' (counts.h) of counts or of presence, or 0 if all pairs are equally similar. */
static double clearness(const struct pairs *p, size_t coding)
{
	const struct group *linked = &p->linked[coding], *random = &p->random[coding];
	double deviation = sqrt((variance(linked) + variance(random)) / 2);

	return deviation > 0
		   ? (linked->sum / linked->pairs - random->sum / random->pairs) / deviation
		   : 0;
}

/* Returns true if the values of columns that are not foreign (seen.h) are whole numbers, mostly 0,
 * and some are above 1. */
static bool are_counts(const struct seen *seen, size_t columns)
{
	size_t sparse = 0, held = 0;
	double high = 0;

	for (size_t j = 0; j < columns; j++) {
		const struct column *c = &seen->column[j];

		if (c->count == 0 || seen_is_foreign(seen, j))
			continue;
		if (c->broken != 0 || c->low < 1)
			return false;
		held++;
		sparse += 2 * c->count <= (double)seen->n;
		high = fmax(high, c->high);
	}
	return held && 2 * sparse >= held && high > 1;
}

bool counts_are_words(struct slice *s, const struct seen *seen)
{
	struct sample a = { .seen = seen, .columns = features_cols(&s->X) };
	struct pairs total;
	double counted, present, error;

	if (!seen->measured || !are_counts(seen, a.columns) || !graph_neighbours(s->g))
		return false;
	sample_draw(s, &a);
	pairs_sum(s, &a, &total);
	sample_release(&a);
	if (total.linked->pairs < 1 || total.random->pairs < 1)
		return false;
	counted = clearness(&total, COUNTED);
	present = clearness(&total, PRESENT);
	error = 1 / sqrt(fmin(total.linked->pairs, total.random->pairs));
	return present > CLEARER * counted && present > ERRORS * error;
}
