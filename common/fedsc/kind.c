#include "common/fedsc/job.h"
#include "common/fedsc/noise.h"
#include "common/kind/own.h"

static const char *const permissions[] = { "fedsc", "fedsc.paper", NULL }, *const of_kmeans[] = {
	"kmeans", NULL
};

/* Rows can be read from what variant "paper" uploads. */
static const char *permission(const void *job)
{
	return ((const struct fedsc_job *)job)->how.variant == FEDSC_BY_PAPER ? "fedsc.paper"
									      : "fedsc";
}

static struct kind_claim claim(const void *job)
{
	struct fedsc_noise noise;

	if (fedsc_noise_of(job, &noise) != ERR_OK)
		return (struct kind_claim){ 0 };
	return (struct kind_claim){ noise.eps, noise.delta, noise.sigma > 0 };
}

const struct kind kind_fedsc = {
	.name = "fedsc",
	.split = SPLIT_ROWS,
	.needs = NEEDS_FEATURES,
	.thing = "row",
	.things = "rows",
	.pictured = true,
	.results = kind_label_files,
	.rows = fedsc_rows,
	.clusters = CLUSTERS_GIVEN,
	.words = WORDS_WIDE,
	.presets = kind_no_presets,
	.settle = kind_settled,
	.check = fedsc_check,
	.unread = fedsc_unread,
	.standard = kind_standard_clusters,
	.has_fraction = kind_no,
	.permission = permission,
	.permissions = permissions,
	.leaks = fedsc_leaks,
	.claim = claim,
	.is_flat = kind_yes,
	.is_plan_only = kind_no,
	.burst = kind_no_burst,
	.memory = fedsc_memory,
};

const struct kind kind_kmeans = {
	.name = "kmeans",
	.split = SPLIT_ROWS,
	.needs = NEEDS_FEATURES,
	.thing = "row",
	.things = "rows",
	.pictured = true,
	.results = kind_label_files,
	.rows = kmeans_rows,
	.clusters = CLUSTERS_GIVEN,
	.words = WORDS_WIDE,
	.presets = kmeans_presets,
	.settle = kmeans_settle,
	.check = fedsc_check,
	.unread = kind_reads_all,
	.standard = kind_standard_clusters,
	.has_fraction = kind_no,
	.permission = kind_own_permission,
	.permissions = of_kmeans,
	.leaks = fedsc_leaks,
	.claim = claim,
	.is_flat = kind_yes,
	.is_plan_only = kind_no,
	.burst = kind_no_burst,
	.memory = fedsc_memory,
};
