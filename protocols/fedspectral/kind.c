#include "protocols/fedspectral/job.h"
#include "common/kind/own.h"

static const char *const permissions[] = { "fedspectral", "fedspectral.exact", NULL };

/* Returns the permission that a job needs. "exact" without noise needs a permission of its own,
 * because the pooled graph can be computed from its disclosures. */
static const char *fedspectral_permission(const void *p)
{
	const struct fedspectral_job *job = p;

	return job->variant == FEDSPECTRAL_EXACT && job->noise == FEDSPECTRAL_NO_NOISE
		   ? "fedspectral.exact"
		   : "fedspectral";
}

/* Returns why the job needs all parties. Two runs, one with a party and one without it, together
 * disclose that party's edges by their sums of products with the joint graph. */
static const char *fedspectral_needs_all(const void *p)
{
	const struct fedspectral_job *job = p;

	return job->variant == FEDSPECTRAL_EXACT
		   ? "variant \"exact\" is of the joint graph, which is another without a party: "
		     "both together show that party's edges or, with noise, spend its eps twice"
		   : NULL;
}

/* Returns why the job does not satisfy a policy that demands noise, or NULL. "exact" discloses
 * degrees and products, and "fedspectral+" discloses blocks. "fedspectral" discloses only clusters
 * (each party's local ones to the coordinator), so it needs no noise. */
static const char *fedspectral_needs_noise(const void *p)
{
	const struct fedspectral_job *job = p;

	if (job->variant == FEDSPECTRAL_PLAIN)
		return NULL;
	if (job->variant == FEDSPECTRAL_PLUS)
		return "variant \"fedspectral+\" has no such noise";
	if (job->noise == FEDSPECTRAL_IN_SUMS && job->noise_eps > 0 && job->how.colluders >= 1)
		return NULL;
	return "it takes job.noise.on \"sums\" with job.noise.eps and delta, and "
	       "job.noise.colluders of 1 or more";
}

const struct kind kind_fedspectral = {
	.name = "fedspectral",
	.split = SPLIT_EDGES,
	.needs = NEEDS_EDGES,
	.thing = "node",
	.things = "nodes",
	.results = kind_label_files,
	.schema = 1,
	.rows = fedspectral_rows,
	.way = "variant",
	.clusters = CLUSTERS_OR_AUTO,
	.words = WORDS_WIDE,
	.presets = fedspectral_presets,
	.standard = fedspectral_standard,
	.check = fedspectral_check,
	.needs_all = fedspectral_needs_all,
	.unread = fedspectral_unread,
	.permission = fedspectral_permission,
	.permissions = permissions,
	.disclosures = fedspectral_disclosures,
	.needs_noise = fedspectral_needs_noise,
	.claim = fedspectral_claim,
	.memory = fedspectral_memory,
};
