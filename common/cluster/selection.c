#include "common/cluster/selection.h"
#include "common/base/alloc.h"
#include "common/cluster/kmeans.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

double selection_ratio(const struct mat *centres, const double *count, double inertia)
{
	size_t k = centres->rows, m = centres->cols;
	double n = 0, between = 0;

	for (size_t i = 0; i < k; i++)
		n += count[i];
	for (size_t j = 0; j < m; j++) {
		double mean = 0;

		for (size_t i = 0; i < k; i++)
			mean += count[i] * MAT(centres, i, j) / n;
		for (size_t i = 0; i < k; i++)
			between +=
			    count[i] * (MAT(centres, i, j) - mean) * (MAT(centres, i, j) - mean);
	}
	if (!(inertia > 0) || n <= (double)k || k < 2)
		return 0;
	return between / ((double)k - 1) / (inertia / (n - (double)k));
}

struct selection_point selection_measure(const struct mat *Z, const struct mat *centres)
{
	size_t n = Z->rows, k = centres->rows;
	double *D = alloc(n * k, sizeof(*D)), *count = alloc(k, sizeof(*count));
	uint32_t *label = alloc(n, sizeof(*label));
	struct selection_point p = { 0 };

	kmeans_distances(Z, centres, D);
	kmeans_assign(D, NULL, n, k, label, &p.inertia);
	for (size_t i = 0; i < n; i++)
		count[label[i]]++;
	p.silhouette = kmeans_silhouette(D, NULL, n, k, label);
	p.ratio = selection_ratio(centres, count, p.inertia);
	free(label);
	free(count);
	free(D);
	return p;
}

static bool selection_is_stable(const struct selection *s, size_t i)
{
	double most = -INFINITY;

	for (size_t j = 0; j < s->count; j++)
		most = fmax(most, s->stability[j]);
	return !s->has_stability || most <= 0 || s->stability[i] >= SELECTION_STABLE * most;
}

/* Returns the index (k - s->from) of the k with the largest silhouette that is not in `taken`; if
 * `stable`, only among stable k. Returns s->count if there is none. */
static size_t selection_next(const struct selection *s, bool stable, const bool *taken)
{
	size_t best = s->count;

	for (size_t i = 0; i < s->count; i++)
		if (!taken[i] && (!stable || selection_is_stable(s, i)) &&
		    (best == s->count || s->silhouette[i] > s->silhouette[best]))
			best = i;
	return best;
}

void selection_add(struct selection *s, struct selection_point p)
{
	size_t i = s->count++;

	assert(i < SELECTION_MAX);
	s->inertia[i] = p.inertia;
	s->silhouette[i] = p.silhouette;
	s->ratio[i] = p.ratio;
}

void selection_stability(struct selection *s, double stability)
{
	s->stability[s->count - 1] = stability;
	s->has_stability = true;
}

void selection_gaps(struct selection *s, const double *value, size_t values)
{
	s->has_gap = values > 0 && value[0] > 0;
	for (size_t i = 0; s->has_gap && i < s->count; i++) {
		size_t k = s->from + i;

		s->gap[i] = k < values ? (value[k - 1] - value[k]) / value[0] : 0;
	}
}

unsigned selection_k(const struct selection *s)
{
	bool taken[SELECTION_MAX] = { false };

	return s->from + (unsigned)selection_next(s, true, taken);
}

double selection_margin(const struct selection *s)
{
	bool taken[SELECTION_MAX] = { false };
	size_t best = selection_k(s) - s->from, next;

	taken[best] = true;
	next = selection_next(s, true, taken);
	return s->silhouette[best] - (next < s->count ? s->silhouette[next] : 0);
}

void selection_text(const struct selection *s, struct buf *to)
{
	enum { OTHERS = 4 };
	bool taken[SELECTION_MAX] = { false };
	size_t i = selection_k(s) - s->from;

	buf_printf(to, "%zu clusters of %u to %zu: silhouette %.3f", s->from + i, s->from,
		   s->from + s->count - 1, s->silhouette[i]);
	if (s->has_stability)
		buf_printf(to, ", stability %.2f", s->stability[i]);
	for (size_t o = 0; o < OTHERS && o + 1 < s->count; o++) {
		taken[i] = true;
		i = selection_next(s, false, taken);
		buf_printf(to, "; %zu: %.3f", s->from + i, s->silhouette[i]);
		if (s->has_stability)
			buf_printf(to, ", %.2f%s", s->stability[i],
				   selection_is_stable(s, i) ? "" : " (unstable)");
	}
}
