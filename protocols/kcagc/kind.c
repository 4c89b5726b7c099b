#include "protocols/kcagc/job.h"
#include "common/kind/own.h"

/* Returns whether the job may give fraction_bits: always, except with "landmark" and "gcc" and
 * 32-bit integers, since those methods scale their numbers to fill them. */
static bool has_fraction(const void *p)
{
	const struct kcagc_job *job = p;

	return !kcagc_is_bounded(job) || job->modulus_bits != 32;
}

static const char *kcagc_needs_all(const void *p)
{
	const struct kcagc_job *job = p;

	return job->method == METHOD_TREE
		   ? "method \"tree\" sums over pairs, which change without a party"
		   : NULL;
}

static const char *model_needs_all(const void *job)
{
	(void)job;
	return "a model is of all parties' columns";
}

const struct kind kind_kcagc = {
	.name = "kcagc",
	.split = SPLIT_COLUMNS,
	.needs = NEEDS_FEATURES | NEEDS_EDGES,
	.thing = "row",
	.things = "rows",
	.pictured = true,
	.results = kind_label_files,
	.schema = 1,
	.rows = kcagc_rows,
	.way = "method",
	.clusters = CLUSTERS_OR_RANGE,
	.words = WORDS_BY_JOB,
	.presets = kcagc_presets,
	.settle = kcagc_settle,
	.check = kcagc_check,
	.one_k = kcagc_one_k,
	.needs_all = kcagc_needs_all,
	.unread = kcagc_unread,
	.standard = kcagc_standard,
	.has_fraction = has_fraction,
	.disclosures = kcagc_disclosures,
	.needs_noise = kind_has_no_noise,
	.is_flat = kcagc_is_flat,
	.burst = kcagc_burst,
	.memory = kcagc_memory,
};

const struct kind kind_kcagc_predict = {
	.name = "kcagc.predict",
	.places = true,
	.split = SPLIT_COLUMNS,
	.needs = NEEDS_FEATURES | NEEDS_EDGES,
	.thing = "row",
	.things = "rows",
	.results = kind_label_files,
	.schema = 1,
	.rows = kcagc_predict_rows,
	.clusters = CLUSTERS_GIVEN,
	.words = WORDS_BY_JOB,
	.check = kcagc_predict_check,
	.needs_all = model_needs_all,
	.disclosures = kcagc_predict_disclosures,
	.memory = kcagc_predict_memory,
};

const struct kind kind_kmeans_columns = {
	.name = "kmeans.columns",
	.split = SPLIT_COLUMNS,
	.needs = NEEDS_FEATURES,
	.thing = "row",
	.things = "rows",
	.pictured = true,
	.results = kind_label_files,
	.schema = 1,
	.rows = kmeans_columns_rows,
	.way = "method",
	.clusters = CLUSTERS_OR_RANGE,
	.words = WORDS_BY_JOB,
	.presets = kmeans_columns_presets,
	.settle = kmeans_columns_settle,
	.check = kcagc_check,
	.one_k = kmeans_columns_one_k,
	.needs_all = kcagc_needs_all,
	.standard = kcagc_standard,
	.disclosures = kmeans_columns_disclosures,
	.needs_noise = kind_has_no_noise,
	.is_flat = kcagc_is_flat,
	.burst = kcagc_burst,
	.memory = kmeans_columns_memory,
};

const struct kind kind_kmeans_columns_predict = {
	.name = "kmeans.columns.predict",
	.places = true,
	.split = SPLIT_COLUMNS,
	.needs = NEEDS_FEATURES,
	.thing = "row",
	.things = "rows",
	.results = kind_label_files,
	.schema = 1,
	.rows = kmeans_columns_predict_rows,
	.clusters = CLUSTERS_GIVEN,
	.words = WORDS_BY_JOB,
	.settle = kmeans_columns_settle,
	.check = kcagc_predict_check,
	.needs_all = model_needs_all,
	.disclosures = kmeans_columns_predict_disclosures,
	.memory = kmeans_columns_predict_memory,
};
