#include "common/cluster/metrics.h"
#include "common/base/alloc.h"
#include "common/linalg/mat.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* -- the best one-to-one match -------------------------------------------------------------- */

/* Shortest augmenting paths with potentials (Jonker, Volgenant 1987 without its initialisation):
 * for each row, a Dijkstra search over reduced costs. Index 0 of columns means "none"; rows and
 * columns count from 1. */
struct match {
	const double *cost;
	size_t n;
	double *row_price, *col_price, *reach; /* reach: least reduced cost to a column so far */
	/* row_of: the row of each column. from: the column before each column on its path */
	size_t *row_of, *from;
	bool *done;
};

/* Extends the paths that lead to column `at`, whose row is row_of[at]. Returns the next column to
 * settle. */
static size_t match_grow(struct match *m, size_t at)
{
	size_t row = m->row_of[at], best = 0;
	double step = DBL_MAX;

	m->done[at] = true;
	for (size_t j = 1; j <= m->n; j++) {
		double reduced;

		if (m->done[j])
			continue;
		reduced = m->cost[(row - 1) * m->n + j - 1] - m->row_price[row] - m->col_price[j];
		if (reduced < m->reach[j]) {
			m->reach[j] = reduced;
			m->from[j] = at;
		}
		if (best == 0 || m->reach[j] < step) {
			step = m->reach[j];
			best = j;
		}
	}
	for (size_t j = 0; j <= m->n; j++) {
		if (m->done[j]) {
			m->row_price[m->row_of[j]] += step;
			m->col_price[j] -= step;
		} else {
			m->reach[j] -= step;
		}
	}
	return best;
}

void hungarian(const double *cost, size_t n, size_t *column)
{
	struct match m = { .cost = cost, .n = n };

	ALLOC(m.row_price, 3 * (n + 1));
	m.col_price = m.row_price + n + 1;
	m.reach = m.col_price + n + 1;
	ALLOC(m.row_of, 2 * (n + 1));
	m.from = m.row_of + n + 1;
	ALLOC(m.done, n + 1);
	for (size_t row = 1; row <= n; row++) {
		size_t at = 0;

		for (size_t j = 0; j <= n; j++) {
			m.reach[j] = DBL_MAX;
			m.done[j] = false;
		}
		m.row_of[0] = row;
		do
			at = match_grow(&m, at);
		while (m.row_of[at]);
		for (; at; at = m.from[at])
			m.row_of[at] = m.row_of[m.from[at]];
	}
	for (size_t j = 1; j <= n; j++)
		column[m.row_of[j] - 1] = j - 1;
	free(m.done);
	free(m.row_of);
	free(m.row_price);
}

/* -- the contingency table ------------------------------------------------------------------ */

/* A square contingency table. count[t * size + u] is the number of nodes of class t in cluster u.
 * Classes and clusters are numbered from 0 in the order of their labels. Empty classes or clusters
 * fill up the square. */
struct table {
	size_t classes, clusters, size, n;
	double *count, *class_sum, *cluster_sum;
};

/* Sets *number, which the caller frees: number[label] = 1 + rank among the labels that occur;
 * number[label] = 0 for labels that do not occur. Returns the number of labels that occur. */
static size_t number_labels(const uint32_t *label, size_t n, uint32_t **number)
{
	uint32_t used = 0, most = 0;

	for (size_t i = 0; i < n; i++)
		most = label[i] > most ? label[i] : most;
	ALLOC(*number, (size_t)most + 1);
	for (size_t i = 0; i < n; i++)
		(*number)[label[i]] = 1;
	for (size_t v = 0; v <= most; v++)
		if ((*number)[v])
			(*number)[v] = ++used;
	return used;
}

static enum err metrics_check_labels(const uint32_t *label, size_t n, const char *what)
{
	for (size_t i = 0; i < n; i++)
		if (label[i] >= METRICS_LABEL_END)
			return err_set(ERR_INPUT, "%s of node %zu is %u: labels are below %d", what,
				       i, label[i], METRICS_LABEL_END);
	return ERR_OK;
}

static enum err metrics_table_init(struct table *t, const uint32_t *truth, const uint32_t *label,
				   size_t n)
{
	uint32_t *class_number, *cluster_number;
	enum err err = ERR_OK;

	*t = (struct table){ .n = n };
	t->classes = number_labels(truth, n, &class_number);
	t->clusters = number_labels(label, n, &cluster_number);
	t->size = t->classes > t->clusters ? t->classes : t->clusters;
	if (t->size > METRICS_CLASSES_MAX) {
		err = err_set(ERR_INPUT, "%zu classes and %zu clusters: at most %d can be matched",
			      t->classes, t->clusters, METRICS_CLASSES_MAX);
		goto out;
	}
	ALLOC(t->count, t->size * t->size);
	ALLOC(t->class_sum, t->size);
	ALLOC(t->cluster_sum, t->size);
	for (size_t i = 0; i < n; i++) {
		size_t c = class_number[truth[i]] - 1, u = cluster_number[label[i]] - 1;

		t->count[c * t->size + u]++;
		t->class_sum[c]++;
		t->cluster_sum[u]++;
	}
out:
	free(class_number);
	free(cluster_number);
	return err;
}

/* -- the measures --------------------------------------------------------------------------- */

static double entropy(const double *sum, size_t size, double n)
{
	double h = 0;

	for (size_t i = 0; i < size; i++)
		if (sum[i] > 0)
			h -= sum[i] / n * log(sum[i] / n);
	return h;
}

static double nmi_of(const struct table *t)
{
	double n = (double)t->n, information = 0;
	double h = entropy(t->class_sum, t->size, n) + entropy(t->cluster_sum, t->size, n);

	if (t->classes == 1 && t->clusters == 1)
		return 1;
	for (size_t c = 0; c < t->size; c++)
		for (size_t u = 0; u < t->size; u++) {
			double both = t->count[c * t->size + u];

			if (both > 0)
				information +=
				    both / n *
				    log(both * n / (t->class_sum[c] * t->cluster_sum[u]));
		}
	return fmin(1, fmax(0, 2 * information / h));
}

static void match_measures(const struct table *t, struct metrics *m)
{
	size_t *cluster_of;
	double *cost, hit = 0, f1 = 0;

	ALLOC(cluster_of, t->size);
	ALLOC(cost, t->size * t->size);
	for (size_t i = 0; i < t->size * t->size; i++)
		cost[i] = -t->count[i];
	hungarian(cost, t->size, cluster_of);
	for (size_t c = 0; c < t->classes; c++) {
		double both = t->count[c * t->size + cluster_of[c]];

		hit += both;
		f1 += 2 * both / (t->class_sum[c] + t->cluster_sum[cluster_of[c]]);
	}
	m->acc = hit / (double)t->n;
	m->f1 = f1 / (double)t->classes;
	free(cost);
	free(cluster_of);
}

enum err metrics_of(const uint32_t *truth, const uint32_t *label, size_t n, struct metrics *m)
{
	struct table t;
	double all, both, a, b, expected, most;

	if (n == 0)
		return err_set(ERR_INPUT, "metrics: no labels to compare");
	TRY(metrics_check_labels(truth, n, "class"));
	TRY(metrics_check_labels(label, n, "cluster"));
	TRY(metrics_table_init(&t, truth, label, n));
	match_measures(&t, m);
	m->nmi = nmi_of(&t);

	/* Counts ordered pairs of nodes within cells of the table, within classes and within
	 * clusters, including each node with itself. Sums of squares of whole numbers are exact. */
	both = mat_square(t.count, t.size * t.size);
	a = mat_square(t.class_sum, t.size);
	b = mat_square(t.cluster_sum, t.size);
	m->similarity = 1 - (a - both) / ((double)n * (double)n);
	/* The Rand index counts each pair once, without a node with itself. */
	both = (both - (double)n) / 2;
	a = (a - (double)n) / 2;
	b = (b - (double)n) / 2;
	all = (double)n * ((double)n - 1) / 2;
	expected = all > 0 ? a * b / all : 0;
	most = (a + b) / 2;
	/* The expectation equals the maximum if both clusterings have one cluster, or if both have
	 * only single nodes. They then agree. */
	m->ari = most == expected ? 1 : (both - expected) / (most - expected);
	free(t.count);
	free(t.class_sum);
	free(t.cluster_sum);
	return ERR_OK;
}
