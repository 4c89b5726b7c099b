#include "common/data/profile.h"
#include "common/base/sort.h"
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/file.h"
#include "common/data/csv.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* MEDIAN_ROWS: maximum number of rows for a median. BESIDE: number of columns that are read
 * together, which is the number of values in a cache line. */
enum { MEDIAN_ROWS = 100000, BESIDE = 8 };

/* standard deviation of normally distributed numbers, divided by their median distance from the
 * median */
static const double NORMAL = 1.4826;

/* ---- sums ---- */

struct sums {
	size_t n, m, k;        /* numbers of rows, columns and clusters */
	double *rows;          /* number of rows in each of the k clusters */
	double *sum, *present; /* k x m: sums of values, numbers of values that are not 0 */
	double *mean, *deviation, *middle, *robust; /* m each, over all rows; middle: medians */
};

static void profile_add(struct sums *s, uint32_t c, size_t j, double x)
{
	s->sum[c * s->m + j] += x;
	s->present[c * s->m + j] += x != 0;
}

/* Adds the squared deviation of x from its column's mean. For sparse columns the caller adds the
 * squares of all zeros at once. */
static void profile_add_square(struct sums *s, size_t j, double x)
{
	s->deviation[j] += (x - s->mean[j]) * (x - s->mean[j]);
}

static void profile_add_all(struct sums *s, const struct features *X, const uint32_t *label)
{
	for (size_t i = 0; i < s->n; i++) {
		assert(label[i] < s->k);
		s->rows[label[i]]++;
	}
	for (size_t i = 0; i < s->n && !X->is_sparse; i++)
		for (size_t j = 0; j < s->m; j++)
			profile_add(s, label[i], j, MAT(&X->dense, i, j));
	for (size_t i = 0; i < s->n && X->is_sparse; i++)
		for (size_t e = X->sparse.start[i]; e < X->sparse.start[i + 1]; e++)
			profile_add(s, label[i], X->sparse.index[e],
				    X->sparse.value ? X->sparse.value[e] : 1);
	for (size_t c = 0; c < s->k; c++)
		for (size_t j = 0; j < s->m; j++)
			s->mean[j] += s->sum[c * s->m + j] / (double)s->n;
}

static void deviations(struct sums *s, const struct features *X)
{
	double *zeros = alloc(s->m, sizeof(*zeros));

	for (size_t i = 0; i < s->n && !X->is_sparse; i++)
		for (size_t j = 0; j < s->m; j++)
			profile_add_square(s, j, MAT(&X->dense, i, j));
	for (size_t j = 0; j < s->m && X->is_sparse; j++)
		zeros[j] = (double)s->n;
	for (size_t e = 0; X->is_sparse && e < X->sparse.start[s->n]; e++) {
		profile_add_square(s, X->sparse.index[e], X->sparse.value ? X->sparse.value[e] : 1);
		zeros[X->sparse.index[e]]--;
	}
	for (size_t j = 0; j < s->m; j++)
		s->deviation[j] =
		    sqrt((s->deviation[j] + zeros[j] * s->mean[j] * s->mean[j]) / (double)s->n);
	free(zeros);
}

static double profile_median(double *x, size_t n)
{
	double high = sort_reals_until(x, n, n / 2), low = -INFINITY;

	if (n % 2)
		return high;
	for (size_t i = 0; i < n / 2; i++)
		low = fmax(low, x[i]);
	return low / 2 + high / 2;
}

static void column_medians(struct sums *s, size_t j, double *x, size_t count)
{
	s->middle[j] = profile_median(x, count);
	for (size_t i = 0; i < count; i++)
		x[i] = fabs(x[i] - s->middle[j]);
	s->robust[j] = NORMAL * profile_median(x, count);
}

/* Computes medians and robust deviations (profile.h). Sparse columns have no robust deviation,
 * since they are 0 in most rows. */
static void medians(struct sums *s, const struct mat *X)
{
	size_t step = (s->n + MEDIAN_ROWS - 1) / MEDIAN_ROWS, count = (s->n + step - 1) / step;
	double *all = alloc(BESIDE * count, sizeof(*all));

	for (size_t first = 0; first < s->m; first += BESIDE) {
		size_t beside = s->m - first < BESIDE ? s->m - first : BESIDE;

		for (size_t i = 0; i < count; i++)
			for (size_t u = 0; u < beside; u++)
				all[u * count + i] = MAT(X, i * step, first + u);
		for (size_t u = 0; u < beside; u++)
			column_medians(s, first + u, all + u * count, count);
	}
	free(all);
}

/* ---- lines ---- */

static struct profile_line profile_line_of(const struct sums *s, uint32_t c, size_t j)
{
	double all = 0, z = 0;
	struct profile_line l = { .cluster = c, .rows = (size_t)s->rows[c], .column = j };

	for (size_t other = 0; other < s->k; other++)
		all += s->present[other * s->m + j] / (double)s->n;
	l.mean = s->sum[c * s->m + j] / s->rows[c];
	l.mean_of_all = s->mean[j];
	l.share = s->present[c * s->m + j] / s->rows[c];
	l.lift = all > 0 ? l.share / all : 0;
	if (s->robust[j] > 0)
		z = (l.mean - s->middle[j]) / s->robust[j];
	else if (s->deviation[j] > 0)
		z = (l.mean - s->mean[j]) / s->deviation[j];
	l.z = isfinite(z) ? z : 0;
	return l;
}

void profile_init(struct profile *p, size_t k)
{
	*p = (struct profile){ 0 };
	ALLOC(p->line, k * PROFILE_MOST);
}

void profile_offer(struct profile *p, size_t first, const struct profile_line *l)
{
	struct profile_line *best = p->line + first;
	size_t at = p->n - first;

	if (l->z == 0 || (at == PROFILE_MOST && fabs(l->z) <= fabs(best[at - 1].z)))
		return;
	if (at < PROFILE_MOST)
		p->n++;
	else
		at--;
	for (; at > 0 && fabs(best[at - 1].z) < fabs(l->z); at--)
		best[at] = best[at - 1];
	best[at] = *l;
}

static void write_cluster(const struct sums *s, uint32_t c, struct profile *p)
{
	size_t first = p->n;

	for (size_t j = 0; j < s->m; j++) {
		struct profile_line l = profile_line_of(s, c, j);

		profile_offer(p, first, &l);
	}
}

void profile_of(const struct features *X, const uint32_t *label, size_t k, struct profile *p)
{
	size_t m = features_cols(X);
	struct sums s = { .n = features_rows(X), .m = m, .k = k };

	profile_init(p, k);
	ALLOC(s.rows, k);
	ALLOC(s.sum, k * m);
	ALLOC(s.present, k * m);
	ALLOC(s.mean, m);
	ALLOC(s.deviation, m);
	ALLOC(s.middle, m);
	ALLOC(s.robust, m);
	profile_add_all(&s, X, label);
	deviations(&s, X);
	if (!X->is_sparse && s.n)
		medians(&s, &X->dense);
	for (uint32_t c = 0; c < k; c++)
		if (s.rows[c] > 0)
			write_cluster(&s, c, p);
	free(s.rows);
	free(s.sum);
	free(s.present);
	free(s.mean);
	free(s.deviation);
	free(s.middle);
	free(s.robust);
}

void profile_release(struct profile *p)
{
	free(p->line);
	*p = (struct profile){ 0 };
}

enum err profile_write(const char *path, const struct profile *p, const struct columns *names)
{
	struct buf out = { 0 };
	enum err e;

	buf_printf(&out, "cluster,rows,column,mean,mean_of_all,share,lift,z\n");
	for (const struct profile_line *l = p->line; l < p->line + p->n; l++) {
		buf_printf(&out, "%u,%zu,", l->cluster, l->rows);
		if (names && l->column < names->n)
			csv_print_field(names->column[l->column].name, &out);
		else
			buf_printf(&out, "%zu", l->column);
		buf_printf(&out, ",%.9g,%.9g,%.6g,%.6g,%.6g\n", l->mean, l->mean_of_all, l->share,
			   l->lift, l->z);
	}
	e = file_write(path, (struct bytes){ out.p, out.n }, 0644);
	buf_release(&out);
	return e;
}
