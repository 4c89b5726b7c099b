#include "protocols/kcagc/order.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/graph/filter_plan.h"
#include "common/graph/filtered.h"
#include "protocols/kcagc/slice.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

unsigned psi_gcc(const double *spread2, double square, size_t n, size_t m, unsigned cap)
{
	double scale = sqrt((double)n / square), least = (double)m / (double)n;
	unsigned p = 1;

	assert(square > 0 && n > 0 && cap >= 1);
	while (p < cap && scale * (sqrt(spread2[p]) - sqrt(spread2[p + 1])) >= least)
		p++;
	return p;
}

unsigned psi_share(const double *sums, unsigned most)
{
	unsigned p = most;

	assert(most >= 1);
	while (p > 1 && sums[0] > ORDER_SHARE * sums[p])
		p--;
	return p;
}

bool psi_doubt(unsigned order, unsigned rule, double share)
{
	return order > 1 && order < rule && share > ORDER_DOUBT;
}

unsigned psi_agc(const double *intra, size_t count)
{
	for (size_t t = 1; t < count; t++)
		if (intra[t] > intra[t - 1])
			return (unsigned)t;
	return 0;
}

unsigned psi_fit(const double *fit, unsigned rule)
{
	double highest = fit[0];
	unsigned p = 1;

	assert(rule >= 1);
	for (unsigned t = 1; t < rule; t++)
		highest = fmax(highest, fit[t]);
	if (fit[rule - 1] >= (highest > 0 ? ORDER_KEPT * highest : highest - ORDER_FIT))
		return rule;
	while (fit[p - 1] < highest - ORDER_FIT)
		p++;
	return p;
}

/* Adds to apart (2 k), for each cluster, the squared distances of its rows from its mean, then
 * their count. */
static void add_spread(const struct mat *X, const uint32_t *label, const struct mat *mean,
		       double *apart)
{
	size_t k = mean->rows;

	for (size_t i = 0; i < X->rows; i++) {
		assert(label[i] < k);
		apart[k + label[i]]++;
		for (size_t j = 0; j < X->cols; j++) {
			double gap = MAT(X, i, j) - MAT(mean, label[i], j);

			apart[label[i]] += gap * gap;
		}
	}
}

static double intra_of(const double *apart, size_t k)
{
	double sum = 0;

	for (size_t c = 0; c < k; c++)
		sum += apart[k + c] > 0 ? 2 * apart[c] / apart[k + c] : 0;
	return sum / (double)k;
}

double psi_intra(const struct ranks *R, const struct mat *X, const uint32_t *label, size_t k)
{
	double *apart = alloc(2 * k, sizeof(*apart)), intra;
	struct rowsum s;
	struct mat mean;

	mat_init(&mean, k, X->cols);
	kmeans_centres_of(R, X, NULL, label, &mean);
	ranks_sum_begin(R, &s, 2 * k, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(X->rows); b++) {
		size_t first = b * ROWSUM_ROWS;
		struct mat block = { rowsum_rows(X->rows, b), X->cols, ROW(X, first) };

		add_spread(&block, label + first, &mean, rowsum_open(&s));
		rowsum_close(&s);
	}
	ranks_sum_end(R, &s, apart);
	intra = intra_of(apart, k);
	free(apart);
	mat_release(&mean);
	return intra;
}

/* -- a party's terms of AGC's rule ---------------------------------------------------------- */

/* Standardises numbers that stand beside words, and weighs the words. A number such as a year is
 * longer than all words together, so rows would be nearest to each other without filtering. */
static void order_weigh_beside(struct order_search *s)
{
	struct features own = { .dense = s->F };
	struct slice slice;

	slice_begin(&slice, &own, s->g, s->how.threads);
	s->beside = slice_weigh_beside(&slice, &own);
	s->F = own.dense;
	slice_release(&slice);
}

enum err order_begin(struct order_search *s, const struct features *X, const struct graph *g,
		     const struct embed_params *how, const struct kmeans_params *clusters)
{
	enum err e;

	*s = (struct order_search){ .X = X, .g = g, .how = *how, .clusters = *clusters };
	s->how.order = 0;
	s->clusters.ranks = g->ranks;
	TRY(embed_weighed(g->ranks, X, how, &s->F));
	if (how->idf)
		order_weigh_beside(s);
	s->entries = embed_entries(g->ranks, &(struct features){ .dense = s->F });
	e = graph_check_rows(g, s->F.rows);
	if (e == ERR_OK)
		e = filter_run_begin(g, how->filter, &s->run);
	if (e != ERR_OK)
		mat_release(&s->F);
	return e;
}

void order_end(struct order_search *s)
{
	mat_release(&s->F);
	filter_run_end(s->run);
	s->run = NULL;
}

enum err order_decide(const double *intra, const double *fit, size_t known, unsigned *rule,
		      unsigned *order)
{
	unsigned last = *rule = psi_agc(intra, known);

	if (!last && known >= ORDER_CAP)
		last = ORDER_CAP;
	*order = last && fit ? psi_fit(fit, last) : *rule;
	if (!*rule && known >= ORDER_CAP && (!fit || *order == ORDER_CAP))
		return err_set(ERR_JOB,
			       "filter.order \"auto\": the intra-cluster distance falls up to "
			       "order %d, where the search ends; give job.filter.order as a number",
			       ORDER_CAP);
	return ERR_OK;
}

enum err order_next(struct order_search *s, double *term)
{
	uint32_t *label = alloc(s->F.rows, sizeof(*label));
	const struct ranks *R = s->g->ranks;
	size_t n = ranks_n(R, s->F.rows), m = s->F.cols, d = n < m ? n : m;
	enum err e = ERR_OK;

	d = s->how.dims < d ? s->how.dims : d;
	for (int t = 0; t < ORDER_BLOCK && e == ERR_OK; t++) {
		struct features copy;
		struct mat Z;

		s->how.order++;
		filter_run_step(s->run, s->how.threads, &s->F);
		if (!s->beside)
			e = embed_check_ranks(s->g, m, s->entries, &s->how);
		if (e != ERR_OK)
			break;
		/* F is formed already, but if products pay, the singular vectors still come from
		 * products with X. */
		if (!s->beside && filtered_pays(n, m, s->entries, graph_neighbours(s->g),
						s->how.filter, s->how.order, d)) {
			features_copy(&copy, s->X);
			e = embed(&copy, s->g, &s->how, &Z);
		} else {
			e = embed_project(R, &s->F, &s->how, &Z);
		}
		if (e != ERR_OK)
			break;
		kmeans(&Z, NULL, &s->clusters, label, NULL, NULL);
		term[t] = psi_intra(R, &s->F, label, s->clusters.k);
		term[ORDER_BLOCK + t] = modularity(s->g, label, s->clusters.k);
		mat_release(&Z);
		progress_tick();
	}
	free(label);
	return e;
}
