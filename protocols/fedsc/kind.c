#include "protocols/fedsc/job.h"
#include "protocols/fedsc/noise.h"
#include "common/kind/own.h"

static const char *const permissions[] = { "fedsc", "fedsc.paper", "fedsc.pairwise", NULL };

/* Returns the permission that a variant needs. "paper" discloses the rows to the coordinator,
 * "pairwise" to the other parties. */
static const char *fedsc_permission(const void *job)
{
	enum fedsc_variant variant = ((const struct fedsc_job *)job)->how.variant;

	return variant == FEDSC_BY_PAPER      ? "fedsc.paper"
	       : variant == FEDSC_BY_PAIRWISE ? "fedsc.pairwise"
					      : "fedsc";
}

static struct kind_claim fedsc_claim(const void *job)
{
	const struct fedsc_job *of = job;
	struct fedsc_noise noise;

	if (fedsc_noise_of(job, &noise) != ERR_OK || !(noise.eps > 0))
		return (struct kind_claim){ 0 };
	return (struct kind_claim){ .eps = noise.eps,
				    .delta = noise.delta,
				    .mu = noise.mu,
				    .unit = "row",
				    .in_sums = of->noise == NOISE_SUMS,
				    .colluders = of->noise_colluders };
}

/* Returns why the job's noise does not satisfy a policy that demands noise. Noise on rows suffices,
 * because each party adds it itself. Noise in aggregates suffices if the level does not count on
 * the shares of colluders. */
static const char *fedsc_needs_noise(const void *p)
{
	const struct fedsc_job *job = p;

	if (job->noise_eps > 0 &&
	    (job->noise == NOISE_DATA || (job->noise == NOISE_SUMS && job->noise_colluders >= 1)))
		return NULL;
	return fedsc_learns(job->how.variant)
		   ? "it takes job.noise.on \"data\" with job.noise.eps, delta and clip"
		   : "it takes job.noise.on \"sums\" with job.noise.eps, delta and clip and "
		     "job.noise.colluders of 1 or more, or job.noise.on \"data\"";
}

/* Members that both kinds share. Their parameters and permissions differ. */
#define OF_ROWS                                                                                    \
	.split = SPLIT_ROWS, .needs = NEEDS_FEATURES, .thing = "row", .things = "rows",            \
	.pictured = true, .results = kind_label_files, .clusters = CLUSTERS_OR_RANGE,              \
	.words = WORDS_WIDE, .check = fedsc_check, .one_k = fedsc_one_k,                           \
	.disclosures = fedsc_disclosures, .needs_noise = fedsc_needs_noise, .claim = fedsc_claim,  \
	.memory = fedsc_memory

const struct kind kind_fedsc = {
	OF_ROWS,
	.name = "fedsc",
	.schema = 1,
	.rows = fedsc_rows,
	.way = "variant",
	.presets = fedsc_presets,
	.unread = fedsc_unread,
	.permission = fedsc_permission,
	.permissions = permissions,
};

const struct kind kind_kmeans = {
	OF_ROWS,
	.name = "kmeans",
	.schema = 1,
	.rows = kmeans_rows,
	.presets = kmeans_presets,
	.settle = kmeans_settle,
	.unread = kmeans_unread,
};
