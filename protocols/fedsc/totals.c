/* First phase: sums the number of rows, and computes the means and units of the columns. */
#include "common/base/alloc.h"
#include "protocols/fedsc/own.h"
#include "common/privacy/parts.h"

#include <math.h>
#include <stdlib.h>

/* A deviation below this share of the column's mean is a rounding error, and the column is
 * constant. */
static const double ALIKE = 1e-10;

struct totals {
	struct parties *parties;
	size_t m;
	const struct fedsc_params *p;
	struct fedsc_report *report;
};

static enum err fedsc_totals_check_total(const struct totals *t, double n)
{
	size_t parties = t->parties->count;

	if (!(n >= 2 * (double)parties && n <= PARTIES_VECTOR_MAX) || n != nearbyint(n))
		return err_set(ERR_PEER,
			       "the parties say that they have %.17g rows, expected %zu to %d of "
			       "%zu parties (during %s)",
			       n, 2 * parties, PARTIES_VECTOR_MAX, parties, t->parties->phase);
	if (t->p->k > n)
		return err_set(ERR_INPUT, "job.clusters is %u, of %g rows of all parties", t->p->k,
			       n);
	if ((double)t->p->dims > n)
		return err_set(ERR_INPUT, "job.dims is %u, of %g rows of all parties", t->p->dims,
			       n);
	return ERR_OK;
}

static enum err check_spread(double n, double spread)
{
	if (spread > 0)
		return ERR_OK;
	return err_set(ERR_INPUT,
		       "all %g rows are equal (spread %g, of sums that resolve %.0g): there is "
		       "nothing to cluster",
		       n, spread, ldexp(1, -PARTS_FRACTION));
}

/* Computes one deviation for all columns. The variance about the mean of all entries is the sum of
 * the variances within and between columns. */
static enum err one_unit(struct totals *t)
{
	const struct fedsc_question q = { .kind = FEDSC_SPREAD, .mean = t->report->mean };
	double m = (double)t->m, spread = 0, all = 0, between = 0;

	TRY(parties_sum_opened_parts(t->parties, &q, &spread, 1));
	TRY(check_spread(t->report->n, spread));
	for (size_t j = 0; j < t->m; j++)
		all += t->report->mean[j] / m;
	for (size_t j = 0; j < t->m; j++)
		between += (t->report->mean[j] - all) * (t->report->mean[j] - all) / m;
	t->report->scale = sqrt(spread / (t->report->n * m) + between);
	for (size_t j = 0; j < t->m; j++)
		t->report->unit[j] = t->report->scale;
	return ERR_OK;
}

/* Checks that either all parties leave column j unscaled, or none does. */
static enum err check_unscaled(const struct totals *t, size_t j, double unscaled)
{
	double L = (double)t->parties->count;

	if (unscaled == 0 || unscaled == L)
		return ERR_OK;
	if (!(unscaled > 0 && unscaled < L) || unscaled != nearbyint(unscaled))
		return err_set(ERR_PEER,
			       "%g of %g parties leave column %zu as it is, expected a number from "
			       "0 to %g (during %s)",
			       unscaled, L, j, L, t->parties->phase);
	return err_set(ERR_INPUT,
		       "job.standardize: column %zu (from 0) is a category or sparse at %g of %g "
		       "parties: give all the same columns.json, and features of one form",
		       j, unscaled, L);
}

/* Sets the unit of column j to its deviation, or to 1 if the column is `unscaled` (not scaled) or
 * constant. Returns its variance after the division. */
static double settle_column(const struct totals *t, size_t j, double spread, bool unscaled)
{
	double variance = spread > 0 ? spread / t->report->n : 0;
	double deviation = sqrt(variance);
	bool alike = deviation <= ALIKE * fabs(t->report->mean[j]);

	t->report->unit[j] = unscaled || alike ? 1 : deviation;
	if (alike)
		parties_note(t->parties, "column %zu (from 0) is the same in all rows", j);
	return alike ? 0 : unscaled ? variance : 1;
}

static enum err own_units(struct totals *t)
{
	const struct fedsc_question q = { .kind = FEDSC_SPREAD,
					  .mean = t->report->mean,
					  .columns = true };
	double *x = alloc(2 * t->m, sizeof(*x)), left = 0;
	size_t m = t->m;
	enum err e = parties_sum_opened_parts(t->parties, &q, x, 2 * m);

	for (size_t j = 0; j < m && !e; j++) {
		e = check_unscaled(t, j, x[m + j]);
		if (!e)
			left += settle_column(t, j, x[j], x[m + j] > 0);
	}
	if (!e)
		e = check_spread(t->report->n, left);
	t->report->scale = sqrt(left / (double)m);
	for (size_t j = 0; j < m; j++)
		t->report->unit[j] *= t->report->scale;
	free(x);
	return e;
}

static enum err fedsc_totals_scale(struct totals *t, bool width)
{
	struct fedsc_question q = { .kind = FEDSC_SCALE,
				    .scale = t->report->scale,
				    .beta = t->p->beta,
				    .clip = t->p->clip,
				    .width = width };
	double distance = 0;

	if (t->p->standardize == STANDARDIZE_JOINT)
		q.unit = t->report->unit;
	TRY(parties_sum_opened(t->parties, &q, &distance, width));
	if (!width)
		return ERR_OK;
	t->report->r = t->p->width_factor * distance / (double)t->parties->count;
	if (!(t->report->r > 0))
		return err_set(ERR_INPUT, "each party's rows are all equal: there is no r to be "
					  "had; give one");
	return ERR_OK;
}

enum err fedsc_count(struct parties *parties, const struct fedsc_params *p,
		     struct fedsc_report *report)
{
	const struct fedsc_question q = { .kind = FEDSC_COUNT };
	const struct totals t = { .parties = parties, .p = p };

	parties_phase(parties, "totals");
	TRY(parties_sum_opened(parties, &q, &report->n, 1));
	return fedsc_totals_check_total(&t, report->n);
}

enum err fedsc_totals(struct parties *parties, size_t m, const struct fedsc_params *p, bool width,
		      struct fedsc_report *report)
{
	struct fedsc_question q = { .kind = FEDSC_TOTALS };
	struct totals t = { parties, m, p, report };
	double *total = alloc(1 + m, sizeof(*total));
	enum err e;

	ALLOC(report->mean, m);
	ALLOC(report->unit, m);
	parties_phase(parties, "totals");
	e = parties_sum_opened_parts(parties, &q, total, 1 + m);
	if (!e)
		e = fedsc_totals_check_total(&t, total[0]);
	if (!e)
		report->n = total[0];
	for (size_t j = 0; !e && j < m; j++)
		report->mean[j] = total[1 + j] / report->n;
	free(total);
	TRY(e);
	TRY(p->standardize == STANDARDIZE_JOINT ? own_units(&t) : one_unit(&t));
	return fedsc_totals_scale(&t, width);
}
