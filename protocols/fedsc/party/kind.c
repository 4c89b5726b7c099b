#include "protocols/fedsc/party/fedsc.h"
#include "protocols/fedsc/party/keep.h"
#include "protocols/fedsc/job.h"
#include "protocols/fedsc/noise.h"

#include <stdio.h>

/* Checks the job's parameters against the policy. Sums and noise depend on these parameters alone;
 * the coordinator cannot change them later. */
static enum err party_fedsc_allow(const struct party_config *config, const struct work *work)
{
	const struct job *job = &work->job;
	char things[48];

	if (fedsc_job(job)->how.profile && !config->policy.profile)
		return err_set(ERR_PEER,
			       "the offered job asks for a profile of clusters over all parties "
			       "(job.profile), which policy.profile of %s does not allow",
			       config->common.name);
	snprintf(things, sizeof(things), "sums of %u rows", fedsc_job(job)->how.least);
	return party_allow_clusters(config, fedsc_job(job)->how.least, things);
}

static enum err party_fedsc_allow_eps(const struct party_config *config, const struct work *work)
{
	struct fedsc_noise noise;

	TRY(fedsc_noise_of(fedsc_job(&work->job), &noise));
	if (!(noise.eps > 0))
		return err_set(
		    ERR_PEER,
		    "the offered job of kind %s claims no differential privacy, policy.max_eps of "
		    "%s is %g: it takes job.noise.on \"data\"%s with job.noise.eps, delta and clip",
		    work->job.kind->name, config->common.name, config->policy.max_eps,
		    !fedsc_learns(fedsc_job(&work->job)->how.variant) ? " or \"sums\"" : "");
	return party_allow_claim(config, work);
}

/* Returns why ranks cannot run the job. Ranks answer the questions of kmeans and landmarks about
 * rows. They do not answer questions with noise, or about rows before scaling. */
static const char *party_fedsc_off_ranks(const struct work *work)
{
	const struct fedsc_job *job = fedsc_job(&work->job);

	if (fedsc_learns(job->how.variant))
		return "its variant is not \"anchor\" (variant)";
	if (job->noise != NOISE_NONE)
		return "it adds noise (noise.on)";
	if (job->how.profile)
		return "it asks for a profile of clusters (profile)";
	return job->how.standardize == STANDARDIZE_NONE ? NULL
							: "it standardizes columns (standardize)";
}

#define KIND(which)                                                                                \
	{                                                                                          \
		.allow = party_fedsc_allow, .allow_eps = party_fedsc_allow_eps,                    \
		.accept = ", number of columns", .check_data = party_check_rows,                   \
		.off_ranks = party_fedsc_off_ranks, .describe = party_describe_columns,            \
		.run = party_fedsc, .keep = party_keep_rows, .release = party_release_rows,        \
	}

const struct party_kind party_kind_fedsc = KIND(fedsc);
const struct party_kind party_kind_kmeans = KIND(kmeans);
