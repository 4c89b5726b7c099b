#include "cli/report/explore.h"
#include "common/base/alloc.h"
#include "common/data/standard.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
	const struct explored *e;
	size_t m;
	/* Sums per cluster and column (clusters x m), and sums of squares per column (m). */
	double *sum, *square;
};

static void tally_value(void *ctx, size_t row, size_t column, double *value)
{
	struct tally *t = ctx;

	t->sum[t->e->label[row] * t->m + column] += *value;
	t->square[column] += *value * *value;
}

struct one_column {
	size_t column;
	double *x; /* values of each row */
};

static void explore_take(void *ctx, size_t row, size_t column, double *value)
{
	struct one_column *o = ctx;

	if (column == o->column)
		o->x[row] = *value;
}

/* Returns the column's values, owned by the caller. */
static double *take_column(const struct explored *e, size_t column)
{
	struct one_column o = { column, alloc(features_rows(e->X), sizeof(double)) };

	features_each(e->X, explore_take, &o);
	return o.x;
}

/* Returns eta squared of each column: m values, owned by the caller. */
static double *between_clusters(const struct explored *e)
{
	struct tally t = { .e = e, .m = features_cols(e->X) };
	double n = (double)features_rows(e->X), *eta = alloc(t.m, sizeof(*eta));
	double *rows = alloc(e->clusters, sizeof(*rows));

	ALLOC(t.sum, e->clusters * t.m);
	ALLOC(t.square, t.m);
	for (size_t i = 0; i < features_rows(e->X); i++)
		rows[e->label[i]]++;
	features_each(e->X, tally_value, &t);
	for (size_t j = 0; j < t.m; j++) {
		double all = 0, parts = 0, spread;

		for (size_t c = 0; c < e->clusters; c++) {
			double sum = t.sum[c * t.m + j];

			all += sum;
			parts += sum * sum / fmax(1, rows[c]);
		}
		spread = t.square[j] - all * all / n;
		/* A column that is constant, except for rounding, does not separate clusters. */
		if (spread > 1e-12 * t.square[j])
			eta[j] = fmin(1, fmax(0, (parts - all * all / n) / spread));
	}
	free(rows);
	free(t.sum);
	free(t.square);
	return eta;
}

/* Returns the column's name, such as "income". Without names, returns its number, from 0. */
static struct column_text explore_name(const struct explored *e, size_t j)
{
	struct column_text t;

	if (e->names->n)
		snprintf(t.s, sizeof(t.s), "%s", e->names->column[j].name);
	else
		snprintf(t.s, sizeof(t.s), "%zu", j);
	return t;
}

static void put_shown(const struct explored *e, size_t column, struct json *o)
{
	struct json *list = json_put_array(o, "values");
	double *x = take_column(e, column);

	for (size_t i = 0; i < e->n; i++)
		json_append_number(list, x[e->shown[i]]);
	free(x);
}

void explore_columns(const struct explored *e, struct json *to)
{
	size_t m = features_cols(e->X);
	double *eta = between_clusters(e);
	struct json *list = json_put_array(to, "columns"), *o;

	for (size_t shown = 0; shown < EXPLORE_COLUMNS && shown < m; shown++) {
		size_t best = 0;

		for (size_t j = 1; j < m; j++)
			best = eta[j] > eta[best] ? j : best;
		if (!(eta[best] > 0))
			break;
		o = json_append_object(list);
		json_put_string(o, "name", explore_name(e, best).s);
		json_put_string(o, "unit", e->names->n ? e->names->column[best].unit : "");
		json_put_number(o, "between", eta[best]);
		put_shown(e, best, o);
		eta[best] = 0;
	}
	free(eta);
}

enum err explore_by(const struct explored *e, const char *column, struct json *to)
{
	const char **text = alloc(e->n, sizeof(*text));
	struct json *o = json_put_object(to, "by"), *list;
	bool found = false;

	json_put_string(o, "column", column);
	for (size_t j = 0; j < features_cols(e->X); j++) {
		const struct column *c = e->names->n ? &e->names->column[j] : NULL;
		double *x;

		if (!strcmp(explore_name(e, j).s, column)) {
			put_shown(e, j, o);
			free(text);
			return ERR_OK;
		}
		/* A category has one column of 0 and 1 for each of its values, such as
		 * "region=north". */
		if (!c || c->type != COLUMN_CATEGORY || strcmp(c->from, column) != 0 ||
		    strncmp(c->name, column, strlen(column)) != 0)
			continue;
		found = true;
		x = take_column(e, j);
		for (size_t i = 0; i < e->n; i++)
			text[i] = x[e->shown[i]] != 0 ? c->name + strlen(column) + 1 : text[i];
		free(x);
	}
	list = json_put_array(o, "values");
	for (size_t i = 0; i < e->n; i++)
		json_append_string(list, text[i] ? text[i] : "");
	free(text);
	return found ? ERR_OK
		     : err_set(ERR_INPUT, "--by %s: the party's features have no such column",
			       column);
}

/* ---- the silhouette ---- */

static double explore_distance(const struct mat *X, size_t a, size_t b)
{
	double sum = 0;

	for (size_t j = 0; j < X->cols; j++)
		sum += (MAT(X, a, j) - MAT(X, b, j)) * (MAT(X, a, j) - MAT(X, b, j));
	return sqrt(sum);
}

/* Returns the silhouette of a point. sum, count: sum and number of the distances to the other
 * points of each cluster. A point alone in its cluster gets 0, as defined by Rousseeuw. */
static double silhouette_of(uint32_t own, const double *sum, const double *count, size_t clusters)
{
	double a = sum[own] / fmax(1, count[own]), b = INFINITY;

	for (size_t c = 0; c < clusters; c++)
		if (c != own && count[c] > 0)
			b = fmin(b, sum[c] / count[c]);
	if (!(count[own] > 0) || isinf(b))
		return 0;
	return a < b ? 1 - a / b : a > b ? b / a - 1 : 0;
}

void explore_silhouette(const struct mat *X, const uint32_t *row, const uint32_t *label, size_t n,
			size_t clusters, struct json *to)
{
	size_t most = n < EXPLORE_SAMPLE ? n : EXPLORE_SAMPLE;
	struct json *o = json_put_object(to, "silhouette");
	struct json *point = json_put_array(o, "point"), *value = json_put_array(o, "value");
	double *sum = alloc(clusters, sizeof(*sum)), *count = alloc(clusters, sizeof(*count));

	for (size_t i = 0; i < most; i++) {
		size_t at = i * n / most;

		memset(sum, 0, clusters * sizeof(*sum));
		memset(count, 0, clusters * sizeof(*count));
		for (size_t j = 0; j < most; j++) {
			size_t other = j * n / most;

			if (other == at)
				continue;
			sum[label[other]] += explore_distance(X, row[at], row[other]);
			count[label[other]]++;
		}
		json_append_number(point, (double)at);
		json_append_number(
		    value, round(1e4 * silhouette_of(label[at], sum, count, clusters)) / 1e4);
	}
	free(sum);
	free(count);
}
