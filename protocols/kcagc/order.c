#include "protocols/kcagc/order.h"

#include <assert.h>
#include <math.h>

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

bool psi_past(const double *fit, size_t known)
{
	size_t best = 0;

	for (size_t t = 1; t < known; t++)
		if (fit[t] > fit[best])
			best = t;
	return known > best + ORDER_BLOCK && fit[known - 1] < fit[best] - ORDER_PAST;
}

/* Returns the first order at which psi_past() ends the search; 0 if no known order does. */
static unsigned order_past(const double *fit, size_t known)
{
	for (size_t t = ORDER_BLOCK + 1; t <= known; t++)
		if (psi_past(fit, t))
			return (unsigned)t;
	return 0;
}

enum err order_decide(const double *intra, const double *fit, size_t known, unsigned *rule,
		      unsigned *order)
{
	unsigned past = fit ? order_past(fit, known) : 0, last;

	*rule = psi_agc(intra, known);
	if (past && past < *rule)
		*rule = 0;
	last = *rule ? *rule : past;
	if (!last && known >= ORDER_CAP)
		last = (unsigned)known;
	*order = last && fit ? psi_fit(fit, last) : *rule;
	if (!*rule && known >= ORDER_CAP && (!fit || *order == ORDER_CAP))
		return err_set(ERR_JOB,
			       "filter.order \"auto\": the intra-cluster distance falls up to "
			       "order %d, where the search ends; give job.filter.order as a number",
			       ORDER_CAP);
	return ERR_OK;
}
