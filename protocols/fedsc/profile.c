/* Cluster profile over all parties: sums of rows by cluster, with noise, for clusters of enough
 * rows. */
#include "common/base/alloc.h"
#include "protocols/fedsc/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void fedsc_party_mark(struct fedsc_party *p)
{
	size_t values = p->X.rows * p->X.cols;

	free(p->present);
	ALLOC(p->present, values / 8 + 1);
	for (size_t e = 0; e < values; e++)
		if (p->X.a[e] != 0)
			p->present[e / 8] |= (uint8_t)(1 << e % 8);
}

static bool is_present(const struct fedsc_party *p, size_t e)
{
	return p->present[e / 8] >> e % 8 & 1;
}

static enum err fedsc_profile_check_labels(const struct fedsc_party *p, size_t k)
{
	if (!p->clusters.label)
		return err_set(ERR_PEER, "asked for a profile of clusters before there are any");
	for (size_t i = 0; i < p->X.rows; i++)
		if (p->clusters.label[i] >= k)
			return err_set(ERR_PEER,
				       "asked for a profile of %zu clusters, row %zu is of %u", k,
				       i, p->clusters.label[i]);
	return ERR_OK;
}

enum err fedsc_answer_sizes(const struct fedsc_party *p, const struct fedsc_question *q, double *x)
{
	TRY(fedsc_profile_check_labels(p, q->k));
	memset(x, 0, q->k * sizeof(*x));
	for (size_t i = 0; i < p->X.rows; i++)
		x[p->clusters.label[i]]++;
	return ERR_OK;
}

size_t fedsc_profile_words(const struct fedsc_question *q, size_t m)
{
	size_t blocks = 1;

	for (size_t c = 0; c < q->k; c++)
		blocks += q->shown[c];
	return 2 * m * blocks;
}

enum err fedsc_answer_profile(const struct fedsc_party *p, const struct fedsc_question *q,
			      double *x)
{
	size_t m = p->X.cols, words = fedsc_profile_words(q, m), shown = 0;
	double **at; /* one per cluster; NULL: the cluster is not shown */

	TRY(fedsc_profile_check_labels(p, q->k));
	if (!p->present)
		return err_set(ERR_PEER, "asked for a profile when none was agreed");
	if (!(q->sigma >= 0) || !isfinite(q->sigma))
		return err_set(ERR_PEER, "asked for noise of %g on a profile", q->sigma);
	memset(x, 0, words * sizeof(*x));
	ALLOC(at, q->k);
	for (size_t c = 0; c < q->k; c++)
		at[c] = q->shown[c] ? x + 2 * m * ++shown : NULL;
	for (size_t i = 0; i < p->X.rows; i++) {
		double *own = at[p->clusters.label[i]];

		for (size_t j = 0; j < m; j++) {
			double y = MAT(&p->X, i, j), there = is_present(p, i * m + j);

			x[j] += y * y;
			x[m + j] += there;
			if (own) {
				own[j] += y;
				own[m + j] += there;
			}
		}
	}
	free(at);
	if (q->sigma == 0)
		return ERR_OK;
	if (!p->noise)
		return err_set(ERR_PEER, "asked for noise of %g when none was agreed", q->sigma);
	return noise_add(p->noise, q->sigma, x, words);
}

/* Chooses the clusters to show: those of `least` rows or more. The total minus the shown sums
 * discloses the sum of the hidden clusters. So the hidden clusters must together have `least` rows,
 * or none. If they have fewer, the smallest shown cluster is hidden, too. */
static void fedsc_profile_choose_shown(const double *size, size_t k, double least, bool *shown)
{
	double hidden = 0;
	size_t smallest = k;

	for (size_t c = 0; c < k; c++) {
		shown[c] = size[c] >= least;
		if (!shown[c])
			hidden += size[c];
		else if (smallest == k || size[c] < size[smallest])
			smallest = c;
	}
	if (hidden > 0 && hidden < least && smallest < k)
		shown[smallest] = false;
}

static enum err count_rows(const struct fedsc_run *run, double *size, size_t k)
{
	const struct fedsc_question q = { .kind = FEDSC_SIZES, .k = k };
	double all = 0;

	TRY(parties_sum_opened(run->parties, &q, size, k));
	TRY(parties_check_counts(run->parties->phase, "rows of cluster", size, k, run->report->n,
				 &all));
	if (all != run->report->n)
		return err_set(ERR_PEER, "clusters have %.17g rows, of %.17g (during %s)", all,
			       run->report->n, run->parties->phase);
	return ERR_OK;
}

static double between(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

/* Computes the profile's line for column j. all: each column's sum of squares and number of
 * non-zeros over all rows. of: each column's sum and number of non-zeros over the cluster's
 * rows. */
static struct profile_line fedsc_profile_line_of(const struct fedsc_run *run, const double *all,
						 const double *of, double size, size_t j)
{
	const struct fedsc_report *r = run->report;
	double y = of[j] / size, deviation = sqrt(all[j] / r->n);
	double everywhere = between(all[run->m + j] / r->n, 0, 1);
	struct profile_line l = { .rows = (size_t)size, .column = j };

	l.mean = r->mean[j] + r->unit[j] * y;
	l.mean_of_all = r->mean[j];
	l.share = between(of[run->m + j] / size, 0, 1);
	l.lift = everywhere > 0 ? l.share / everywhere : 0;
	l.z = deviation > 0 && isfinite(y / deviation) ? y / deviation : 0;
	return l;
}

static void write_lines(const struct fedsc_run *run, const double *x, const double *size,
			const bool *shown, size_t k)
{
	struct profile *p = &run->report->profile;
	const double *of = x;

	profile_init(p, k);
	for (uint32_t c = 0; c < k; c++) {
		size_t first = p->n;

		if (!shown[c])
			continue;
		of += 2 * run->m;
		for (size_t j = 0; j < run->m; j++) {
			struct profile_line l = fedsc_profile_line_of(run, x, of, size[c], j);

			l.cluster = c;
			profile_offer(p, first, &l);
		}
	}
}

enum err fedsc_profile(struct fedsc_run *run)
{
	size_t k = run->p->k_from ? run->report->k : run->p->k, words;
	struct fedsc_question q = { .kind = FEDSC_PROFILE, .k = k };
	double *size, *x;
	bool *shown;
	enum err err;

	parties_phase(run->parties, "profile");
	ALLOC(size, k);
	ALLOC(shown, k);
	err = count_rows(run, size, k);
	if (!err)
		fedsc_profile_choose_shown(size, k, run->p->least, shown);
	q.shown = shown;
	q.sigma = run->p->profile_noise / sqrt((double)run->parties->count);
	words = fedsc_profile_words(&q, run->m);
	ALLOC(x, words);
	if (!err && words > 2 * run->m) /* at least one cluster is shown */
		err = parties_sum_opened(run->parties, &q, x, words);
	if (!err)
		write_lines(run, x, size, shown, k);
	free(x);
	free(shown);
	free(size);
	return err;
}
