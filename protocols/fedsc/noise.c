#include "protocols/fedsc/noise.h"
#include "common/base/log.h"
#include "common/privacy/noise.h"

#include <math.h>
#include <stdio.h>

/* share of mu^2 (common/privacy/account.h) that the noise on B'B uses */
static const double GRAM = 0.5;

static bool uploads_factors(const struct fedsc_job *job)
{
	return job->how.variant == FEDSC_BY_PAPER;
}

enum err fedsc_noise_of(const struct fedsc_job *job, struct fedsc_noise *out)
{
	bool upload = uploads_factors(job);
	/* Without noise.ball, Z has no bound, because the length of a gradient step is not known
	 * beforehand. The noise then assumes that rows of Z are no longer than the data's rows, and
	 * no privacy can be claimed. */
	double ball = job->noise_ball > 0 ? job->noise_ball : job->noise_clip;
	/* Share of eps and delta: if there are two uploads, each upload gets half. */
	double share = upload ? 0.5 : 1;
	struct noise_factors p = { .eps_z = share * job->noise_eps,
				   .delta_z = share * job->noise_delta,
				   .eps_c = share * job->noise_eps,
				   .delta_c = share * job->noise_delta,
				   .tau_x = job->noise_clip,
				   .tau_z = sqrt(job->how.dims) * ball,
				   .tau_c = 1 / (2 * sqrt(job->how.lambda)),
				   .reach = job->noise_clip + ball,
				   .r = job->how.width,
				   .lambda = job->how.lambda,
				   .step = INFINITY,
				   .ball = ball,
				   .d = job->how.dims,
				   .compositions = job->how.rounds };
	bool anchor = job->how.variant == FEDSC_BY_ANCHORS;
	struct noise_factors_sigma s;
	double s1;

	*out = (struct fedsc_noise){ 0 };
	if (job->noise == NOISE_FACTORS)
		out->ball = job->noise_ball;
	if (job->noise == NOISE_DATA && job->noise_eps > 0) {
		/* Section 3.1: the replacement of one row changes the data by at most 2 tau_X. */
		out->clip = job->noise_clip;
		out->sensitivity = 2 * job->noise_clip;
		TRY(noise_analytic(job->noise_eps, job->noise_delta, out->sensitivity,
				   &out->sigma));
		out->mu = out->sensitivity / out->sigma;
		out->mechanism = "analytic gaussian";
		out->eps = job->noise_eps;
		out->delta = job->noise_delta;
	} else if (job->noise == NOISE_SUMS) {
		/* T rounds with noise of deviation s sqrt(T) together have the privacy of one round
		 * with deviation s (Dong, Roth, Su 2022). B'B and the rounds split mu^2. */
		TRY(noise_analytic(job->noise_eps, job->noise_delta, 1, &s1));
		out->mu = 1 / s1;
		out->gram = anchor ? s1 / sqrt(GRAM) : 0;
		out->multiplier = s1 * sqrt(job->how.lloyd / (anchor ? 1 - GRAM : 1));
		out->clip = job->noise_clip;
		out->mechanism = "discrete gaussian";
		out->eps = job->noise_eps;
		out->delta = job->noise_delta;
	} else if (job->noise == NOISE_DATA) {
		out->beta = job->noise_beta;
	} else if (job->noise == NOISE_FACTORS && job->noise_eps > 0) { /* Section 3.2 */
		TRY(noise_factors(&p, &s));
		out->scaled_clip = job->noise_clip;
		out->sensitivity_z = s.sensitivity_z;
		out->sigma_z = s.sigma_z;
		out->sensitivity_c = upload ? s.sensitivity_c : 0;
		out->sigma_c = upload ? s.sigma_c : 0;
	} else if (job->noise == NOISE_FACTORS) {
		out->noise_z = job->noise_beta;
		if (upload)
			out->noise_c = job->noise_beta_c >= 0 ? job->noise_beta_c : job->noise_beta;
	}
	return ERR_OK;
}

static const char unmasked[] =
    "the number of rows, their mean and spread and the first centres are exact sums";

static void describe_theorem(const struct fedsc_job *job, const struct fedsc_noise *noise,
			     char *text)
{
	bool paper = uploads_factors(job);
	int n;

	n = snprintf(text, FEDSC_NOISE_TEXT,
		     "no differential privacy of the job: %s%s. Z_p has noise of sigma_Z %.6g in "
		     "each of %u rounds (sensitivity %.6g)",
		     unmasked, paper ? "" : ", and so are sums made of C", noise->sigma_z,
		     job->how.rounds, noise->sensitivity_z);
	if (paper)
		n +=
		    snprintf(text + n, FEDSC_NOISE_TEXT - (size_t)n,
			     ", C_p of sigma_C %.6g (sensitivity %.6g), where no column of C is "
			     "longer than %.3g",
			     noise->sigma_c, noise->sensitivity_c, 1 / (2 * sqrt(job->how.lambda)));
	if (noise->ball > 0)
		snprintf(text + n, FEDSC_NOISE_TEXT - (size_t)n,
			 ": given these sums the uploads of Z%s are (eps %g, delta %g)-private by "
			 "Theorem 3.9",
			 paper ? " and C" : "", job->noise_eps, job->noise_delta);
	else
		snprintf(text + n, FEDSC_NOISE_TEXT - (size_t)n,
			 "; without noise.ball nothing bounds Z, and Theorem 3.9 claims nothing");
}

static const char *colluders(const struct fedsc_job *job, char *text, size_t size)
{
	if (job->noise_colluders == JOB_AUTO)
		return "half of them";
	snprintf(text, size, "%u of them", job->noise_colluders);
	return text;
}

static void describe_sums(const struct fedsc_job *job, const struct fedsc_noise *noise, char *text)
{
	char of_gram[64] = "", of_shares[64];

	if (noise->gram > 0)
		snprintf(of_gram, sizeof(of_gram), ", and the ties of landmarks of %.6g times",
			 noise->gram);
	snprintf(
	    text, FEDSC_NOISE_TEXT,
	    "(eps %g, delta %g)-differential privacy of each row, by the %s mechanism in sums: "
	    "rows are shortened to length %g, and each of %u rounds has noise of %.6g times%s what "
	    "one row in place of another can change, in shares of all parties, so that %s may tell "
	    "the coordinator theirs. The number of rows is not hidden, and every further job on "
	    "the same rows, and an attempt that asks something else, spends its own eps",
	    noise->eps, noise->delta, noise->mechanism, noise->clip, job->how.lloyd,
	    noise->multiplier, of_gram, colluders(job, of_shares, sizeof(of_shares)));
}

void fedsc_noise_describe(const struct fedsc_job *job, const struct fedsc_noise *noise,
			  char text[static FEDSC_NOISE_TEXT])
{
	char of_c[64] = "";

	if (uploads_factors(job))
		snprintf(of_c, sizeof(of_c), ", C_p of sigma %g", noise->noise_c);
	if (job->noise == NOISE_NONE)
		snprintf(text, FEDSC_NOISE_TEXT, "no differential privacy: no noise is added");
	else if (job->noise == NOISE_DATA && noise->eps > 0)
		snprintf(text, FEDSC_NOISE_TEXT,
			 "(eps %g, delta %g)-differential privacy of each row, by the %s "
			 "mechanism: rows are shortened to length %g, one in place of another "
			 "moves the data by at most %g, and every value has noise of sigma %.10g; "
			 "all that leaves a party is made of these rows. The number of rows is not "
			 "hidden, and every further job on the same rows spends its own eps",
			 noise->eps, noise->delta, noise->mechanism, noise->clip,
			 noise->sensitivity, noise->sigma);
	else if (job->noise == NOISE_SUMS)
		describe_sums(job, noise, text);
	else if (job->noise == NOISE_DATA)
		snprintf(text, FEDSC_NOISE_TEXT,
			 "no differential privacy: rows have noise of sigma %g standard "
			 "deviations, which was given and follows from no eps",
			 job->noise_beta);
	else if (job->noise_eps > 0)
		describe_theorem(job, noise, text);
	else
		snprintf(text, FEDSC_NOISE_TEXT,
			 "no differential privacy: Z_p has noise of sigma %g standard "
			 "deviations%s, which was given and follows from no eps; %s",
			 noise->noise_z, of_c, unmasked);
}

static void record_above_0(struct facts *r, const char *name, double value)
{
	if (value > 0)
		facts_number(r, name, value);
}

void fedsc_noise_record(const struct fedsc_job *job, const struct fedsc_noise *noise,
			struct facts *r)
{
	char text[FEDSC_NOISE_TEXT];

	if (job->noise == NOISE_NONE)
		return;
	fedsc_noise_describe(job, noise, text);
	facts_format(r, "privacy", "%s", text);
	log_info("privacy: %s", text);
	record_above_0(r, "privacy_eps", noise->eps);
	record_above_0(r, "privacy_delta", noise->delta);
	record_above_0(r, "noise_sensitivity", noise->sensitivity);
	record_above_0(r, "noise_sigma", noise->sigma);
	record_above_0(r, "noise_sigma_z", noise->sigma_z);
	record_above_0(r, "noise_sigma_c", noise->sigma_c);
	record_above_0(r, "noise_multiplier", noise->multiplier);
	record_above_0(r, "noise_multiplier_anchor", noise->gram);
}
