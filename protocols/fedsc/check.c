/* fedsc and kmeans: checks that concern several parameters. */
#include "protocols/fedsc/job.h"
#include "common/kind/own.h"
#include "protocols/fedsc/noise.h"
#include "protocols/fedsc/pairwise.h"

#include <string.h>

const char *fedsc_unread(const void *p, const struct config_row *row)
{
	const struct fedsc_job *job = p;

	if (fedsc_learns(job->how.variant) && job->how.width > 0 &&
	    !strcmp(row->path, "kernel.factor"))
		return "where job.kernel.width is 0";
	return NULL;
}

const char *kmeans_unread(const void *p, const struct config_row *row)
{
	const struct fedsc_job *job = p;

	if (job->noise == NOISE_SUMS && !strcmp(row->path, "tolerance"))
		return "where job.noise.on is not \"sums\"";
	return NULL;
}

const char *fedsc_one_k(const void *p)
{
	const struct fedsc_job *job = p;

	if (job->noise == NOISE_SUMS)
		return "with noise in sums each k would take its part of eps";
	return fedsc_learns(job->how.variant) ? "only variant \"anchor\" chooses k from a range"
					      : NULL;
}

/* ---- noise ---- */

/* Checks noise.beta_c, the noise on C. It is allowed only if C is uploaded, and if noise is given
 * by noise.beta, not by noise.eps. */
static enum err check_beta_c(const struct fedsc_job *job)
{
	if (job->how.variant == FEDSC_BY_KMEANS || job->noise_beta_c == -1)
		return ERR_OK;
	if (job->noise_beta_c < 0)
		return err_set(
		    ERR_INPUT,
		    "job.noise.beta_c is %g, expected 0 or more, or -1 for that of job.noise.beta",
		    job->noise_beta_c);
	if (job->noise != NOISE_FACTORS || job->how.variant != FEDSC_BY_PAPER)
		return err_set(ERR_INPUT,
			       "job.noise.beta_c is %g, but only variant \"paper\" with "
			       "job.noise.on \"factors\" uploads C",
			       job->noise_beta_c);
	if (job->noise_eps > 0)
		return err_set(ERR_INPUT,
			       "job.noise.eps is %g and job.noise.beta_c is %g, expected one of "
			       "them: sigma follows from eps, or it is given",
			       job->noise_eps, job->noise_beta_c);
	return ERR_OK;
}

/* Checks that the amount of noise is given either by eps or by beta. */
static enum err check_amount(const struct fedsc_job *job)
{
	if (job->noise_eps > 0 && job->noise_beta > 0)
		return err_set(ERR_INPUT,
			       "job.noise.eps is %g and job.noise.beta is %g, expected one of "
			       "them: sigma follows from eps, or it is given",
			       job->noise_eps, job->noise_beta);
	if (job->noise_eps > 0 && !(job->noise_delta > 0))
		return err_set(ERR_INPUT,
			       "job.noise.eps is %g without job.noise.delta, expected a number "
			       "above 0, as 1e-5",
			       job->noise_eps);
	if (job->noise_eps > 0 && !(job->noise_clip > 0))
		return err_set(
		    ERR_INPUT,
		    "job.noise.eps is %g without job.noise.clip, expected the length to which rows "
		    "are clipped: without it one row's influence is unbounded",
		    job->noise_eps);
	if (job->noise_eps > 0)
		return ERR_OK;
	if (job->noise_delta > 0 || job->noise_clip > 0)
		return err_set(ERR_INPUT, "job.noise.%s is %g without job.noise.eps, expected both",
			       job->noise_delta > 0 ? "delta" : "clip",
			       job->noise_delta > 0 ? job->noise_delta : job->noise_clip);
	if (!(job->noise_beta > 0 || job->noise_beta_c > 0))
		return err_set(ERR_INPUT,
			       "job.noise.on is \"%s\", but job.noise.eps is not given and "
			       "job.noise.beta is 0, expected one of them above 0",
			       fedsc_noise_names[job->noise]);
	return ERR_OK;
}

static enum err check_factors(const struct fedsc_job *job)
{
	if (job->how.variant == FEDSC_BY_KMEANS || job->how.variant == FEDSC_BY_ANCHORS)
		return err_set(ERR_INPUT,
			       "job.noise.on is \"factors\", expected \"none\" or \"data\" with "
			       "%s: only variants \"dense\" and \"paper\" of fedsc have factors",
			       job->how.variant != FEDSC_BY_KMEANS ? "variant \"anchor\""
								   : "kind \"kmeans\"");
	if (job->how.variant == FEDSC_BY_PAIRWISE)
		return err_set(ERR_INPUT,
			       "job.noise.on is \"factors\", expected \"none\" or \"data\" with "
			       "variant \"pairwise\": nobody is shown C");
	if (job->how.rounds == 0)
		return err_set(ERR_INPUT, "job.rounds is 0, expected 1 or more where job.noise.on "
					  "is \"factors\": a party's Z is made in them");
	if (!(job->noise_eps > 0))
		return ERR_OK;
	/* sigma is computed from eps, by a formula that needs the parameters checked below */
	if (job->how.dims == JOB_AUTO)
		return err_set(ERR_INPUT,
			       "job.dims is \"auto\", expected a number where job.noise.eps is of "
			       "factors: d found from the data would disclose parts of it");
	if (!(job->how.width > 0))
		return err_set(ERR_INPUT,
			       "job.kernel.width is 0, expected a number where job.noise.eps is of "
			       "factors: r found from the data would disclose parts of it");
	if (!(job->how.lambda > 0))
		return err_set(ERR_INPUT,
			       "job.kernel.lambda is %g, expected above 0 where job.noise.eps is "
			       "of factors: nothing else bounds C",
			       job->how.lambda);
	return ERR_OK;
}

/* Checks a job with noise in sums. Refuses, among others, standardize: it would disclose means and
 * deviations without noise. */
static enum err check_sums(const struct fedsc_job *job)
{
	if (fedsc_learns(job->how.variant))
		return err_set(
		    ERR_INPUT,
		    "job.noise.on is \"sums\", expected \"none\"%s with variant \"%s\": only "
		    "\"anchor\" and kind \"kmeans\" have noise in their sums",
		    job->how.variant == FEDSC_BY_PAIRWISE ? " or \"data\""
							  : ", \"data\" or \"factors\"",
		    fedsc_variant_names[job->how.variant]);
	if (job->how.standardize != STANDARDIZE_NONE)
		return err_set(ERR_INPUT,
			       "job.standardize is \"%s\", expected \"none\" where job.noise.on is "
			       "\"sums\": means and deviations would disclose parts of the rows",
			       kind_standardize_names[job->how.standardize]);
	if (job->noise_beta > 0)
		return err_set(ERR_INPUT,
			       "job.noise.beta is %g, expected job.noise.eps, delta and clip where "
			       "job.noise.on is \"sums\"",
			       job->noise_beta);
	if (!(job->noise_eps > 0))
		return err_set(ERR_INPUT,
			       "job.noise.on is \"sums\", but job.noise.eps is not given");
	if (job->how.lloyd < 5)
		return err_set(ERR_INPUT,
			       "job.iterations is %u, expected 5 or more where job.noise.on is "
			       "\"sums\": centres are split from round to round",
			       job->how.lloyd);
	if (job->clusters > 64)
		return err_set(ERR_INPUT,
			       "job.clusters is %u, expected 64 at most where job.noise.on is "
			       "\"sums\": more are lost in the noise of so few rounds",
			       job->clusters);
	return ERR_OK;
}

static enum err fedsc_check_sizes(const struct fedsc_job *job)
{
	unsigned d = job->how.dims;
	bool anchors = job->how.variant == FEDSC_BY_ANCHORS;

	if (anchors && d != JOB_AUTO && d < job->clusters)
		return err_set(ERR_INPUT,
			       "job.dims is %u, expected at least job.clusters, %u, with variant "
			       "\"anchor\"",
			       d, job->clusters);
	if (anchors && d != JOB_AUTO && d <= FEDSC_NEAR)
		return err_set(ERR_INPUT,
			       "job.dims is %u, expected more than %d with variant \"anchor\"", d,
			       FEDSC_NEAR);
	if (!anchors && d == JOB_AUTO && job->clusters > FEDSC_DIMS_MOST)
		return err_set(ERR_INPUT,
			       "job.dims is \"auto\", expected a number with job.clusters %u: the "
			       "search for d begins at %d",
			       job->clusters, FEDSC_DIMS_MOST);
	return ERR_OK;
}

/* With variant "pairwise", refuses a lambda or dims for which an entry could exceed the fixed point
 * (pairwise.h). */
static enum err check_pairwise(const struct fedsc_job *job)
{
	if (job->how.variant != FEDSC_BY_PAIRWISE)
		return ERR_OK;
	if (job->how.lambda < FEDSC_PAIRWISE_LAMBDA)
		return err_set(ERR_INPUT,
			       "job.kernel.lambda is %g, expected at least %g with variant "
			       "\"pairwise\": nothing else bounds C",
			       job->how.lambda, FEDSC_PAIRWISE_LAMBDA);
	if (job->how.dims != JOB_AUTO && job->how.dims > FEDSC_PAIRWISE_DIMS)
		return err_set(ERR_INPUT,
			       "job.dims is %u, expected at most %d with variant \"pairwise\"",
			       job->how.dims, FEDSC_PAIRWISE_DIMS);
	return ERR_OK;
}

static enum err check_profile(const struct fedsc_job *job)
{
	if (!job->how.profile)
		return ERR_OK;
	if (job->how.standardize == STANDARDIZE_LOCAL)
		return err_set(
		    ERR_INPUT,
		    "job.profile is true, but job.standardize is \"local\": each party's columns "
		    "are in a unit of its own, expected \"none\" or \"joint\"");
	if (job->noise == NOISE_SUMS)
		return err_set(ERR_INPUT,
			       "job.profile is true, but job.noise.on is \"sums\": its sums would "
			       "take a part of eps, expected \"none\" or \"data\"");
	return ERR_OK;
}

enum err fedsc_check(const void *p)
{
	const struct fedsc_job *job = p;
	bool kmeans = job->how.variant == FEDSC_BY_KMEANS;
	const struct {
		const char *name;
		double value;
	} given[] = {
		{ "beta", job->noise_beta }, { "beta_c", job->noise_beta_c },
		{ "eps", job->noise_eps },   { "delta", job->noise_delta },
		{ "clip", job->noise_clip }, { "ball", job->noise_ball },
	};
	struct fedsc_noise numbers;
	enum err err;

	if (!kmeans)
		TRY(fedsc_check_sizes(job));
	TRY(check_pairwise(job));
	TRY(check_profile(job));
	TRY(check_beta_c(job));
	for (size_t i = 0; i < sizeof(given) / sizeof(*given) && job->noise == NOISE_NONE; i++)
		if (given[i].value > 0)
			return err_set(
			    ERR_INPUT,
			    "job.noise.%s is %g, but job.noise.on is \"none\", expected \"data\"%s",
			    given[i].name, given[i].value, kmeans ? "" : " or \"factors\"");
	if (job->noise != NOISE_SUMS && job->noise_colluders != JOB_AUTO)
		return err_set(ERR_INPUT,
			       "job.noise.colluders is %u, but job.noise.on is \"%s\": only "
			       "\"sums\" have noise in shares",
			       job->noise_colluders, fedsc_noise_names[job->noise]);
	if (job->noise == NOISE_NONE)
		return ERR_OK;
	if (job->noise == NOISE_DATA && job->noise_eps > 0 &&
	    job->how.standardize == STANDARDIZE_LOCAL)
		return err_set(ERR_INPUT, "job.standardize is \"local\", expected \"none\" or "
					  "\"joint\" where job.noise.eps is of data: rows would be "
					  "made of each other before they get their noise");
	if (job->noise == NOISE_FACTORS)
		TRY(check_factors(job));
	else if (job->noise == NOISE_SUMS)
		TRY(check_sums(job));
	if (job->noise != NOISE_FACTORS && job->noise_ball > 0)
		return err_set(ERR_INPUT,
			       "job.noise.ball is %g, but job.noise.on is \"%s\": only \"factors\" "
			       "have a dictionary to shorten",
			       job->noise_ball, fedsc_noise_names[job->noise]);
	TRY(check_amount(job));
	err = fedsc_noise_of(job, &numbers);
	return err ? err_prefix(err, "job.noise") : ERR_OK;
}
