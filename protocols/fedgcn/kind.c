#include "protocols/fedgcn/job.h"
#include "common/kind/own.h"

static const char *const permissions[] = { "fedgcn", "fedgcn.kde", NULL };

/* Prototypes in plaintext need a permission of their own, because the coordinator then sees the
 * unmasked prototypes of each party. */
static const char *fedgcn_permission(const void *p)
{
	const struct fedgcn_job *job = p;

	return fedgcn_in_plaintext(&job->how) ? "fedgcn.kde" : "fedgcn";
}

static const char *const result_files[] = { "labels.csv", "labels.npy", "model.fedgcn",
					    "baseline-*.csv", NULL };

const struct kind kind_fedgcn = {
	.name = "fedgcn",
	.split = SPLIT_GRAPHS,
	.needs = NEEDS_GRAPHS,
	.thing = "graph",
	.things = "graphs",
	.pictured = true,
	.results = result_files,
	.schema = 1,
	.rows = fedgcn_rows,
	.way = "aggregation",
	.clusters = CLUSTERS_GIVEN,
	.words = WORDS_WIDE,
	.check = fedgcn_check,
	.permission = fedgcn_permission,
	.permissions = permissions,
	.disclosures = fedgcn_disclosures,
	.needs_noise = kind_has_no_noise,
	.memory = fedgcn_memory,
};
