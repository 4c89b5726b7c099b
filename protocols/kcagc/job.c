#include "protocols/kcagc/job.h"
#include "common/kind/own.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { BURST_UNKNOWN = 64 << 10 };
/* Bits of the methods that read a parameter; 0: all methods do. */
enum {
	TREE = 1 << METHOD_TREE,
	FLAT = 1 << METHOD_FLAT,
	BASIC = 1 << METHOD_BASIC,
	LANDMARK = 1 << METHOD_LANDMARK,
	GCC = 1 << METHOD_GCC,
	CELLS = TREE | FLAT,
	JOINT = CELLS | BASIC
};

static const char *const preset_names[] = { "default", "paper", NULL };
const char *const kcagc_method_names[] = { "tree", "flat", "basic", "landmark", "gcc", NULL };
static const char *const columns_method_names[] = { "tree", "flat", "basic", NULL };
static const char *const graphs_names[] = { "shared", "own", NULL };
static const char *const filter_names[] = { "half", "spectral", NULL };
static const char *const features_names[] = { "raw", "idf", NULL };
static const char *const basis_names[] = { "scaled", "unit", NULL };
static const char *const virtual_names[] = { "mean", "centre", NULL };
const char *const kcagc_exchange_names[] = { "distances", "gram", NULL };
static const char *const auto_word[] = { "auto", NULL };
static const char *const degrees_names[] = { "off", "beside", "alone", "auto", NULL };
static const char *const dims_word[] = { "local", NULL };

#define AT(field) offsetof(struct kcagc_job, field)

/* clang-format off */
/* Parameters of the joint k-means, for kcagc and kmeans.columns; the latter lacks landmark. */
#define JOINT_ROWS(polished, polish_standard) \
	{ "local_restarts", CONFIG_UNSIGNED, AT(local_restarts), 1, JOB_RESTARTS_MAX, "5", \
	  .help = "random starts of each party's local k-means", .readers = CELLS }, \
	{ "starts", CONFIG_UNSIGNED, AT(starts), 1, JOB_RESTARTS_MAX, "200", \
	  .help = "most starts of the joint k-means; if a round would sum over 4194304 " \
		  "words, fewer starts, but at least `restarts`", \
	  .readers = JOINT }, \
	{ "screen", CONFIG_UNSIGNED, AT(screen), 1, JOB_ITERATIONS_MAX, "2", \
	  .help = "number of Lloyd steps of all starts; then only the best `restarts` " \
		  "starts continue", \
	  .readers = JOINT }, \
	{ "restarts", CONFIG_UNSIGNED, AT(restarts), 1, JOB_RESTARTS_MAX, "20", \
	  .help = "starts that run to the end, R; the start with the least inertia wins", \
	  .readers = JOINT }, \
	{ "inner_restarts", CONFIG_UNSIGNED, AT(inner_restarts), 0, JOB_RESTARTS_MAX, "0", \
	  .help = "starts at inner nodes of the tree; 0: 10 (k/k^)^2, between 2 and 10", \
	  .readers = TREE }, \
	{ "inner_iterations", CONFIG_UNSIGNED, AT(inner_iterations), 1, JOB_ITERATIONS_MAX, "5", \
	  .help = "most Lloyd steps at inner nodes of the tree", \
	  .readers = TREE }, \
	{ "iterations", CONFIG_UNSIGNED, AT(iterations), 1, JOB_ITERATIONS_MAX, "10", \
	  .help = "most Lloyd steps, Q", \
	  .readers = JOINT }, \
	{ "polish", CONFIG_UNSIGNED, AT(polish), 0, JOB_ITERATIONS_MAX, "3", \
	  .help = "number of Lloyd steps on all rows at the end, P" polish_standard, \
	  .readers = (polished) }, \
	{ "exchange", CONFIG_ENUM, AT(exchange), .standard = "distances", \
	  .names = kcagc_exchange_names, \
	  .help = "the joint k-means sums the squared distances to centres in each round " \
		  "(distances), or once the inner products of all virtual nodes (gram)", \
	  .readers = CELLS },

const struct config_row kcagc_rows[] = {
	KIND_ALIGN_ROW(struct kcagc_job, "same"),
	KIND_ALIGN_BOUNDS(struct kcagc_job),
	{ "graphs", CONFIG_ENUM, AT(graphs), .standard = "shared", .names = graphs_names,
	  .help = "\"shared\": all parties have the same edges; \"own\": edges may differ" },
	{ "preset", CONFIG_ENUM, AT(preset), .standard = "default", .names = preset_names,
	  .help = "values of parameters that are not set: our defaults (\"default\"), or values "
		  "as published (\"paper\")",
	  .readers = JOINT },
	{ "method", CONFIG_ENUM, AT(method), .standard = "tree", .names = kcagc_method_names,
	  .help = "Protocol 3 as a tree of pairs (tree) or over all parties at once (flat), "
		  "Protocol 2 (basic), landmark projection (landmark), or federated GCC (gcc). "
		  "With preset \"paper\" the default is tree" },
	{ "local_clusters", CONFIG_COUNT, AT(local_clusters), 2, JOB_CLUSTERS_MAX, "2k",
	  .help = "local clusters of each party and of each inner node of the tree, k^",
	  .readers = CELLS | BASIC | LANDMARK },
	{ "filter.kind", CONFIG_ENUM, AT(filter_kind), .standard = "half", .names = filter_names,
	  .help = "graph filter: half is (1 - l/2)^psi, spectral is (1 - l/||Ls||)^psi",
	  .readers = JOINT },
	{ "filter.order", CONFIG_UNSIGNED, AT(filter_order), 0, KCAGC_ORDER_MAX,
	  .names = auto_word,
	  .help = "order of the graph filter, psi: how far features spread over the graph. "
		  "\"auto\" derives it from sums. landmark and gcc accept 1 to 15. With other "
		  "methods it is required. The paper takes 9 for cora, 15 for citeseer, 60 for "
		  "pubmed, 2 for wiki" },
	{ "degrees", CONFIG_ENUM, AT(degrees), .standard = "off", .names = degrees_names,
	  .help = "the logarithm of each node's degree as a feature, for classes that depend on "
		  "a node's role. \"beside\": added to the features, with an eighth of their "
		  "variance. \"alone\": replaces the features. \"auto\": alone if degrees "
		  "explain most of the features",
	  .readers = LANDMARK | GCC },
	{ "features", CONFIG_BOOL, AT(idf), .standard = "idf", .names = features_names,
	  .help = "\"idf\": if all features of a party are binary, it weights columns by "
		  "ln((1+n)/(1+df)) + 1, df being the ones in the column",
	  .readers = JOINT },
	{ "standardize", CONFIG_ENUM, AT(standardize), .standard = "none",
	  .names = kind_standardize_names,
	  .help = "\"local\": each party first scales its columns to mean 0 and deviation 1, "
		  "except categories and sparse features. \"joint\" does the same. The run then "
		  "leaves no model" },
	{ "projection.basis", CONFIG_BOOL, AT(unit_basis), .standard = "scaled",
	  .names = basis_names,
	  .help = "singular vectors multiplied by singular values (scaled), or not (unit)",
	  .readers = JOINT },
	{ "projection.dims", CONFIG_COUNT, AT(dims), 1, JOB_CLUSTERS_MAX, "k", .names = dims_word,
	  .help = "dimensions of projected rows, d, at most the number of columns; \"local\": "
		  "k^",
	  .readers = JOINT },
	{ "projection.unit_rows", CONFIG_BOOL, AT(unit_rows), .standard = "true",
	  .help = "scale each row by its norm; a party with fewer than d columns counts less",
	  .readers = JOINT },
	{ "projection.row_power", CONFIG_DOUBLE, AT(row_power), 0, 4, "0.8",
	  .help = "exponent p: unit_rows divides each row by its norm to the power p; 1: all "
		  "rows have equal norm", .readers = JOINT },
	{ "virtual_nodes", CONFIG_ENUM, AT(virtual_nodes), .standard = "mean",
	  .names = virtual_names,
	  .help = "virtual node of a cell at a party: the mean of its rows, or the local centre "
		  "(line 13 of Protocol 3)",
	  .readers = CELLS },
	JOINT_ROWS(CELLS | LANDMARK, "; by tree and flat 3 if not set")
	{ "joint_norm", CONFIG_BOOL, AT(joint_norm), .standard = "false",
	  .help = "scale rows by their joint norm over all parties, not by their norm at each "
		  "party; takes one more sum. A prediction needs the same value as the model's "
		  "run",
	  .readers = JOINT },
	{ "min_cell", CONFIG_UNSIGNED, AT(min_cell), 1, JOB_LEAST_MAX, "1",
	  .help = "fewest nodes behind any value of a sum; above 1 excludes basic, polish and "
		  "prediction", .readers = CELLS | LANDMARK },
	{ "landmark.power", CONFIG_BOOL, AT(landmark_power), .standard = "true",
	  .help = "run one power iteration; false: parties never receive a joint vector",
	  .readers = LANDMARK },
	{ 0 },
};

const struct config_row kcagc_predict_rows[] = {
	KIND_ALIGN_ROW(struct kcagc_job, "same"),
	KIND_ALIGN_BOUNDS(struct kcagc_job),
	{ "graphs", CONFIG_ENUM, AT(graphs), .standard = "shared", .names = graphs_names,
	  .help = "\"shared\": all parties have the same edges; \"own\": edges may differ" },
	{ "joint_norm", CONFIG_BOOL, AT(joint_norm), .standard = "false",
	  .help = "scale rows by their joint norm over all parties, not by their norm at each "
		  "party; takes one more sum. A prediction needs the same value as the model's "
		  "run" },
	{ "model", CONFIG_ID, AT(model), .help = "job_id of the run that made the model" },
	{ 0 },
};

const struct config_row kmeans_columns_rows[] = {
	KIND_ALIGN_ROW(struct kcagc_job, "same"),
	KIND_ALIGN_BOUNDS(struct kcagc_job),
	{ "method", CONFIG_ENUM, AT(method), .standard = "tree", .names = columns_method_names,
	  .help = "k-means on cells of the parties' local clusters, by a tree of pairs (tree) "
		  "or over all parties at once (flat); or k-means on all rows (basic)" },
	{ "local_clusters", CONFIG_COUNT, AT(local_clusters), 2, JOB_CLUSTERS_MAX, "2k",
	  .help = "local clusters of each party and of each inner node of the tree, k^",
	  .readers = CELLS },
	{ "standardize", CONFIG_ENUM, AT(standardize), .standard = "local",
	  .names = kind_standardize_names,
	  .help = "\"local\" and \"joint\": each party scales its columns to mean 0 and "
		  "deviation 1, and drops constant columns; \"none\": columns as they are" },
	JOINT_ROWS(CELLS, "")
	{ "min_cell", CONFIG_UNSIGNED, AT(min_cell), 1, JOB_LEAST_MAX, "1",
	  .help = "fewest rows behind any value of a sum; above 1 excludes basic and polish" },
	{ 0 },
};
#undef JOINT_ROWS

const struct config_row kmeans_columns_predict_rows[] = {
	KIND_ALIGN_ROW(struct kcagc_job, "same"),
	KIND_ALIGN_BOUNDS(struct kcagc_job),
	{ "model", CONFIG_ID, AT(model), .help = "job_id of the run that made the model" },
	{ 0 },
};
/* clang-format on */

/* The method as published. The paper starts from "any 10-approximation". Here it starts from the
 * best of ten runs of greedy k-means++, both at a party and jointly. */
static const struct config_preset paper[] = {
	{ "features", "raw" },
	{ "projection.basis", "unit" },
	{ "projection.dims", "local" },
	{ "projection.unit_rows", "false" },
	{ "projection.row_power", "1" },
	{ "virtual_nodes", "centre" },
	{ "local_restarts", "10" },
	{ "starts", "10" },
	{ "restarts", "10" },
	{ "inner_restarts", "10" },
	{ "inner_iterations", "10" },
	{ "polish", "0" },
	{ NULL, NULL },
};

/* Protocol 2 works on all nodes from the start, so polish steps are not needed. Each start sums n k
 * numbers, where methods with m cells sum m k numbers, so there are fewer starts. */
static const struct config_preset of_basic[] = { { "polish", "0" },
						 { "starts", "40" },
						 { "restarts", "10" },
						 { "screen", "3" },
						 { NULL, NULL } };

/* For min_cell above 1: small cells are merged, and no step may sum over single nodes. */
static const struct config_preset min_cell[] = { { "polish", "0" }, { NULL, NULL } };

/* Presets of landmark, the method of a job that names none. The default in kcagc_rows stays "tree",
 * since offers of 0.2.0 and later omit it. Landmark and gcc choose their filter order by GCC's
 * rule. */
static const struct config_preset of_landmark[] = {
	{ "method", "landmark" }, { "filter.order", "auto" },
	{ "degrees", "auto" },    { "polish", "1" },
	{ NULL, NULL },
};

static const struct config_preset of_gcc[] = {
	{ "filter.order", "auto" },
	{ "degrees", "auto" },
	{ "polish", "0" },
	{ NULL, NULL },
};

/* Adds presets of a method, and those that all methods share. */
static void presets_of_method(const char *method, const struct json *root, struct kind_presets *to)
{
	const struct {
		const char *method;
		const struct config_preset *presets;
	} methods[] = { { "basic", of_basic }, { "landmark", of_landmark }, { "gcc", of_gcc } };

	if (json_number_of(root, "min_cell", 1) > 1)
		presets_add(to, min_cell);
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (!strcmp(method, methods[i].method))
			presets_add(to, methods[i].presets);
}

void kcagc_presets(const struct json *root, struct kind_presets *to)
{
	bool published = !strcmp(json_text(root, "preset"), "paper");
	const char *method = json_text(root, "method");

	presets_of_method(*method || published ? method : "landmark", root, to);
	if (published)
		presets_add(to, paper);
}

/* kmeans.columns has more polish steps than kcagc, because its result should be a k-means of all
 * rows and not of cells. They end when no row moves. Few columns give clearly separated cells,
 * which need fewer starts. */
static const struct config_preset of_columns[] = {
	{ "starts", "40" }, { "restarts", "10" }, { "polish", "20" }, { NULL, NULL }
};
static const struct config_preset of_columns_basic[] = { { "iterations", "20" }, { NULL, NULL } };

void kmeans_columns_presets(const struct json *root, struct kind_presets *to)
{
	const char *method = json_text(root, "method");

	if (!strcmp(method, "basic"))
		presets_add(to, of_columns_basic);
	presets_of_method(method, root, to);
	presets_add(to, of_columns);
}

/* ---- derived values ---- */

void kcagc_settle(void *p, bool modulus_given)
{
	struct kcagc_job *job = p;
	/* Unit rows have squared distances of at most 4 and inner products of at most 1. Rows that
	 * are divided by at least the square root of their length have only slightly larger squared
	 * distances and products. (Powers above 1 would lengthen short rows.) So with 16 fraction
	 * bits, sums over all parties fit into 32 bits, which halves traffic and masks. Other sums
	 * need 64 bits. */
	bool fits =
	    job->method == METHOD_LANDMARK ||
	    (job->method <= METHOD_BASIC && job->unit_rows && job->row_power >= 0.5 &&
	     job->row_power <= 1 && (job->fraction_bits == JOB_AUTO || job->fraction_bits <= 16));

	if (!modulus_given && fits)
		job->modulus_bits = 32;
}

void kmeans_columns_settle(void *p, bool modulus_given)
{
	(void)modulus_given;
	/* The kind uses no graph. GRAPHS_OWN: parties do not compare edges. */
	((struct kcagc_job *)p)->graphs = GRAPHS_OWN;
}

void kcagc_standard(const void *p, struct json *root)
{
	const struct kcagc_job *job = p;
	struct json *filter;

	json_put_number(root, "clusters", job->clusters);
	if (job->kind != &kind_kcagc)
		return;
	/* Landmark and gcc do not use the preset. */
	if (!kcagc_is_bounded(job))
		json_put_string(root, "preset", preset_names[job->preset]);
	filter = json_put_object(root, "filter");
	if (job->filter_order == KCAGC_ORDER_AUTO)
		json_put_string(filter, "order", auto_word[0]);
	else
		json_put_number(filter, "order", job->filter_order);
}

bool kcagc_compares_later(const struct kcagc_job *job)
{
	return job->align != ALIGN_SAME && job->graphs == GRAPHS_SHARED;
}

bool kcagc_is_bounded(const struct kcagc_job *job)
{
	return job->method == METHOD_LANDMARK || job->method == METHOD_GCC;
}

double kcagc_most(const struct kcagc_job *job, size_t parties, size_t n)
{
	double p = job->row_power;

	if (!(job->unit_rows || job->joint_norm) || p < 0.5 || p > 1)
		return 0;
	return 4 * (double)parties * pow((double)n, 2 * (1 - p));
}

bool kcagc_may_settle(const struct kcagc_job *job)
{
	return kcagc_is_bounded(job) && job->filter_order == KCAGC_ORDER_AUTO &&
	       !job->clusters_from && (job->degrees == DEGREES_OFF || job->degrees == DEGREES_AUTO);
}

enum degrees kcagc_degrees(const struct kcagc_job *job)
{
	return job->degrees == DEGREES_AUTO && job->graphs == GRAPHS_OWN ? DEGREES_OFF
									 : job->degrees;
}

bool kcagc_communities(const struct kcagc_job *job)
{
	enum degrees degrees = kcagc_degrees(job);

	return degrees == DEGREES_OFF || degrees == DEGREES_AUTO;
}

bool kcagc_is_flat(const void *job)
{
	return ((const struct kcagc_job *)job)->method != METHOD_TREE;
}

bool kcagc_weighs_fit(const struct kcagc_job *job)
{
	return job->preset != PRESET_PAPER;
}

unsigned kcagc_local_clusters(const struct kcagc_job *job)
{
	const struct config_count *c = &job->local_clusters;

	return c->times_k ? c->times_k * job->clusters : c->fixed;
}

unsigned kcagc_dims(const struct kcagc_job *job)
{
	const struct config_count *c = &job->dims;

	if (!c->times_k && !c->fixed)
		return kcagc_local_clusters(job);
	return c->times_k ? c->times_k * job->clusters : c->fixed;
}

unsigned kcagc_starts(const struct kcagc_job *job, size_t m)
{
	double fit = floor(KCAGC_START_WORDS / ((double)m * job->clusters));

	if (fit >= job->starts)
		return job->starts;
	return fit > job->restarts ? (unsigned)fit : job->restarts;
}

unsigned kcagc_screen(const struct kcagc_job *job, unsigned starts)
{
	return job->restarts < starts ? job->screen : 0;
}

/* Returns the number of restarts of the joint k-means at inner nodes of the tree. If k^ > k, a poor
 * start matters less, so fewer restarts suffice. */
unsigned kcagc_inner_restarts(const struct kcagc_job *job)
{
	double ratio = (double)job->clusters / kcagc_local_clusters(job),
	       restarts = ceil(10 * ratio * ratio);

	if (job->inner_restarts)
		return job->inner_restarts;
	return restarts < 2 ? 2 : restarts > 10 ? 10 : (unsigned)restarts;
}

struct embed_params kcagc_embed_params(const struct kcagc_job *job, unsigned threads)
{
	return (struct embed_params){ .idf = job->idf,
				      .filter = job->filter_kind,
				      .order = job->filter_order,
				      .unit_basis = job->unit_basis,
				      .dims = kcagc_dims(job),
				      .unit_rows = job->unit_rows && !job->joint_norm,
				      .row_power = job->row_power,
				      .threads = threads };
}

size_t kcagc_burst(const void *p, size_t n, bool down)
{
	const struct kcagc_job *job = p;
	size_t k = job->clusters, word = down ? sizeof(float) : job->modulus_bits / 8;
	size_t local = kcagc_local_clusters(job), m, numbers;
	bool landmark = job->method == METHOD_LANDMARK;

	if (down && landmark && !job->landmark_power)
		return 0;
	if (!n)
		return BURST_UNKNOWN;
	if (kcagc_is_bounded(job))
		return n * word * (landmark && !down ? 2 * k + 10 : k + 10);
	if (job->exchange == EXCHANGE_GRAM)
		return 0;
	/* Estimate for the first round of the joint k-means. The number of items is that of two
	 * parties. More parties have more items, but only the order of magnitude matters. */
	m = job->method == METHOD_BASIC || local * local > n ? n : local * local;
	numbers = m * kcagc_starts(job, m);
	return (size_t)(down ? (double)numbers / 2 : (double)numbers * (double)k * (double)word);
}
