#include "common/job/job.h"
#include "common/base/file.h"
#include "common/base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CLUSTERS_MAX = 1 << 16, ITERATIONS_MAX = 10000, RESTARTS_MAX = 100, ORDER_MAX = 10000 };
#define SEED_MAX 9007199254740991.0 /* 2^53 - 1 */

const char *const job_kind_names[] = { "kcagc", NULL };
static const char *const preset_names[] = { "default", "paper", NULL };
const char *const job_method_names[] = { "tree", "flat", "basic", NULL };
static const char *const graphs_names[] = { "shared", "own", NULL };
static const char *const filter_names[] = { "half", "spectral", NULL };
static const char *const features_names[] = { "raw", "idf", NULL };
static const char *const basis_names[] = { "scaled", "unit", NULL };
static const char *const virtual_names[] = { "mean", "centre", NULL };
static const char *const exchange_names[] = { "distances", NULL };
static const char *const group_names[] = { "ffdhe2048", "ffdhe3072", "ffdhe4096", NULL };
static const unsigned group_bits[] = { 2048, 3072, 4096 };
static const char *const dims_word[] = { "local", NULL };

#define AT(field) offsetof(struct job, field)

/* clang-format off */
static const struct config_row rows[] = {
	{ "kind", CONFIG_ENUM, AT(kind), .names = job_kind_names,
	  .help = "the protocol" },
	{ "clusters", CONFIG_UNSIGNED, AT(clusters), 2, CLUSTERS_MAX,
	  .help = "k, how many clusters to find" },
	{ "seed", CONFIG_U64, AT(seed), 0, SEED_MAX, "1",
	  .help = "same seed and data, same labels" },
	{ "allow_single", CONFIG_BOOL, AT(allow_single), .standard = "false",
	  .help = "permit a single party, whose terms nothing masks" },
	{ "graphs", CONFIG_ENUM, AT(graphs), .standard = "shared", .names = graphs_names,
	  .help = "\"own\": the parties' edges may differ" },
	{ "preset", CONFIG_ENUM, AT(preset), .standard = "default", .names = preset_names,
	  .help = "what stands in for parameters that are not given; \"paper\" keeps to its letter" },
	{ "method", CONFIG_ENUM, AT(method), .standard = "tree", .names = job_method_names,
	  .help = "Protocol 3 as a tree of pairs, Protocol 3 flat, or Protocol 2 (basic)" },
	{ "local_clusters", CONFIG_COUNT, AT(local_clusters), 2, CLUSTERS_MAX, "2k",
	  .help = "k^, clusters of each party and of each inner node of the tree" },
	{ "filter.kind", CONFIG_ENUM, AT(filter_kind), .standard = "half", .names = filter_names,
	  .help = "p(l) = (1 - l/2)^psi, or (1 - l/||Ls||)^psi" },
	{ "filter.order", CONFIG_UNSIGNED, AT(filter_order), 0, ORDER_MAX,
	  .help = "psi, how far features are smoothed over the graph; it depends on the data: the paper "
		  "takes 9 for cora, 15 for citeseer, 60 for pubmed, 2 for wiki" },
	{ "features", CONFIG_BOOL, AT(idf), .standard = "idf", .names = features_names,
	  .help = "\"idf\" weighs the columns of an all-binary slice by ln((1+n)/(1+df)) + 1" },
	{ "projection.basis", CONFIG_BOOL, AT(unit_basis), .standard = "scaled", .names = basis_names,
	  .help = "singular vectors times singular values, or alone" },
	{ "projection.dims", CONFIG_COUNT, AT(dims), 1, CLUSTERS_MAX, "k", .names = dims_word,
	  .help = "d, dimensions kept, at most the slice's width; \"local\" is k^" },
	{ "projection.unit_rows", CONFIG_BOOL, AT(unit_rows), .standard = "true",
	  .help = "scale rows by their length" },
	{ "projection.row_power", CONFIG_DOUBLE, AT(row_power), 0, 4, "1",
	  .help = "p, how far: 1 makes all rows equally long" },
	{ "virtual_nodes", CONFIG_ENUM, AT(virtual_nodes), .standard = "mean", .names = virtual_names,
	  .help = "what stands for a cell at a party: the mean of its rows, or the local centre (line 13)" },
	{ "local_restarts", CONFIG_UNSIGNED, AT(local_restarts), 1, RESTARTS_MAX, "5",
	  .help = "starts of each party's own k-means" },
	{ "starts", CONFIG_UNSIGNED, AT(starts), 1, RESTARTS_MAX, "40",
	  .help = "starts of the joint k-means that makes the k clusters" },
	{ "screen", CONFIG_UNSIGNED, AT(screen), 1, ITERATIONS_MAX, "3",
	  .help = "after so many of its Lloyd steps only the best `restarts` of the starts go on" },
	{ "restarts", CONFIG_UNSIGNED, AT(restarts), 1, RESTARTS_MAX, "10",
	  .help = "R, starts that go on to the end; the one of least inertia wins" },
	{ "inner_restarts", CONFIG_UNSIGNED, AT(inner_restarts), 0, RESTARTS_MAX, "0",
	  .help = "starts at the tree's inner nodes; 0: 10 (k/k^)^2, from 2 to 10" },
	{ "inner_iterations", CONFIG_UNSIGNED, AT(inner_iterations), 1, ITERATIONS_MAX, "5",
	  .help = "Lloyd steps at most at inner nodes, whose clusters are cut up further" },
	{ "iterations", CONFIG_UNSIGNED, AT(iterations), 1, ITERATIONS_MAX, "10",
	  .help = "Q, Lloyd steps at most" },
	{ "ninth", CONFIG_BOOL, AT(ninth), .standard = "true",
	  .help = "the 1/9 step before Lloyd's (Protocol 1, line 9)" },
	{ "polish", CONFIG_UNSIGNED, AT(polish), 0, ITERATIONS_MAX, "3",
	  .help = "P, Lloyd steps on all nodes at the end" },
	{ "exchange", CONFIG_ENUM, AT(exchange), .standard = "distances", .names = exchange_names,
	  .help = "what the joint k-means sums" },
	{ "secure_sum.group", CONFIG_CHOICE, AT(group_bits), .standard = "ffdhe3072",
	  .names = group_names, .values = group_bits,
	  .help = "the Diffie-Hellman group of RFC 7919" },
	{ "secure_sum.modulus_bits", CONFIG_UNSIGNED, AT(modulus_bits), 32, 64, "64",
	  .help = "32 or 64: sums are taken modulo 2^32 or 2^64" },
	{ "secure_sum.fraction_bits", CONFIG_UNSIGNED, AT(fraction_bits), 1, 48, "16",
	  .help = "f, bits behind the point" },
};
/* clang-format on */

static const struct config_table table = { "job", rows, sizeof(rows) / sizeof(*rows),
					   sizeof(struct job) };

/* The letter of the paper. It asks for "any 10-approximation" as a start: ten runs of greedy
 * k-means++, the best of them, both at a party and jointly. */
static const struct config_preset paper[] = {
	{ "features", "raw" },
	{ "projection.basis", "unit" },
	{ "projection.dims", "local" },
	{ "projection.unit_rows", "false" },
	{ "virtual_nodes", "centre" },
	{ "local_restarts", "10" },
	{ "starts", "10" },
	{ "restarts", "10" },
	{ "inner_restarts", "10" },
	{ "inner_iterations", "10" },
	{ "polish", "0" },
	{ "secure_sum.fraction_bits", "32" }, /* unit singular vectors have entries near n^-1/2 */
	{ NULL, NULL },
};

unsigned job_local_clusters(const struct job *job)
{
	const struct config_count *c = &job->local_clusters;

	return c->times_k ? c->times_k * job->clusters : c->fixed;
}

unsigned job_dims(const struct job *job)
{
	const struct config_count *c = &job->dims;

	if (!c->times_k && !c->fixed)
		return job_local_clusters(job);
	return c->times_k ? c->times_k * job->clusters : c->fixed;
}

unsigned job_screen(const struct job *job)
{
	return job->restarts < job->starts ? job->screen : 0;
}

/* What a few more clusters than needed forgive, fewer need not ask of many starts. */
unsigned job_inner_restarts(const struct job *job)
{
	double ratio = (double)job->clusters / job_local_clusters(job),
	       restarts = ceil(10 * ratio * ratio);

	if (job->inner_restarts)
		return job->inner_restarts;
	return restarts < 2 ? 2 : restarts > 10 ? 10 : (unsigned)restarts;
}

const char *job_kind_name(const struct job *job)
{
	return job_kind_names[job->kind];
}

/* Protocol 2 works on all nodes from the start: there is nothing to polish. */
static const struct config_preset basic[] = { { "polish", "0" } };

static bool says(const struct json *root, const char *key, const char *text)
{
	const struct json *v = json_type(root) == JSON_OBJECT ? json_get(root, key) : NULL;

	return v && json_type(v) == JSON_STRING && !strcmp(json_string(v), text);
}

/* What the bounds of single parameters cannot say. */
static enum err check(const struct job *job)
{
	unsigned local = job_local_clusters(job);

	if (local < job->clusters || local > CLUSTERS_MAX)
		return err_set(
		    ERR_INPUT,
		    "job.local_clusters is %u, expected at least job.clusters, %u, and at most %d",
		    local, job->clusters, CLUSTERS_MAX);
	if (job_dims(job) > CLUSTERS_MAX)
		return err_set(ERR_INPUT, "job.projection.dims is %u, expected at most %d",
			       job_dims(job), CLUSTERS_MAX);
	if (job->method == METHOD_BASIC && job->polish)
		return err_set(ERR_INPUT,
			       "job.polish is %u, expected 0 with method \"basic\", which is on "
			       "all nodes anyway",
			       job->polish);
	if (job->restarts > job->starts)
		return err_set(ERR_INPUT, "job.restarts is %u, expected at most job.starts, %u",
			       job->restarts, job->starts);
	if (job->modulus_bits != 32 && job->modulus_bits != 64)
		return err_set(ERR_INPUT, "job.secure_sum.modulus_bits is %u, expected 32 or 64",
			       job->modulus_bits);
	if (job->fraction_bits > job->modulus_bits - 16) /* 16 bits for the sum before the point */
		return err_set(
		    ERR_INPUT,
		    "job.secure_sum.fraction_bits is %u, expected at most %u with %u modulus bits",
		    job->fraction_bits, job->modulus_bits - 16, job->modulus_bits);
	return ERR_OK;
}

static enum err read_root(struct job *job, struct json *root, const char *where, char *const *set)
{
	struct config_preset presets[1 + sizeof(paper) / sizeof(*paper)];
	size_t n = 0;
	enum err err;

	err = config_set(root, set);
	if (err)
		return err;
	if (says(root, "method", "basic"))
		presets[n++] = basic[0];
	if (says(root, "preset", "paper"))
		memcpy(presets + n, paper, sizeof(paper));
	else
		presets[n] = (struct config_preset){ 0 };
	TRY(config_read(&table, root, where, NULL, presets, job));
	err = check(job);
	return err ? err_prefix(err, "%s", where) : ERR_OK;
}

enum err job_parse(struct job *job, struct bytes text, const char *where, char *const *set)
{
	char source[512];
	struct json *root;
	enum err err;

	*job = (struct job){ 0 };
	snprintf(source, sizeof(source), "%s%s", where, set && *set ? " with --set" : "");
	if (text.n > JOB_TEXT_MAX)
		return err_set(ERR_INPUT, "%s: a job of %zu bytes, expected at most %d", source,
			       text.n, JOB_TEXT_MAX);
	TRY(json_parse(text, where, &root));
	err = read_root(job, root, source, set);
	json_free(root);
	if (err)
		*job = (struct job){ 0 };
	return err;
}

enum err job_read(struct job *job, const char *path, char *const *set)
{
	struct buf text = { 0 };
	enum err err;

	TRY(file_read(path, JOB_TEXT_MAX, &text));
	err = job_parse(job, (struct bytes){ text.p, text.n }, path, set);
	buf_release(&text);
	return err;
}

void job_write(const struct job *job, struct buf *json)
{
	struct json *root = config_write(&table, job);

	json_write(root, json);
	json_free(root);
}

void job_describe(struct buf *text)
{
	config_describe(&table, text);
}

bool job_difference(const struct job *here, const struct job *offered, char *text, size_t len)
{
	return config_difference(&table, here, "here", offered, "offered", text, len);
}

struct embed_params job_embed_params(const struct job *job, unsigned threads)
{
	return (struct embed_params){ .idf = job->idf,
				      .filter = job->filter_kind,
				      .order = job->filter_order,
				      .unit_basis = job->unit_basis,
				      .dims = job_dims(job),
				      .unit_rows = job->unit_rows,
				      .row_power = job->row_power,
				      .threads = threads };
}

size_t job_leaks(const struct job *job, size_t parties, const char *leaks[], size_t max)
{
	bool cells = job->method != METHOD_BASIC, all_nodes = !cells || job->polish;
	const struct {
		bool applies;
		const char *text;
	} all[] = {
		{ true, "coordinator and parties see the names of all parties, the number of "
			"nodes, and the "
			"final cluster of each node" },
		{ parties == 1,
		  "with a single party nothing is masked: the coordinator sees its terms" },
		{ cells, "the coordinator sees the local clusters of each party: which nodes are "
			 "together, and "
			 "where (Protocol 3, line 2)" },
		{ cells, "the parties of a sum learn each other's clusters from the cells" },
		{ cells, "the coordinator sees, for each start and iteration, the squared "
			 "distances of virtual "
			 "nodes to centres, summed over the parties of the sum" },
		{ cells && job->virtual_nodes == VIRTUAL_CENTRE,
		  "with local centres as virtual nodes a summed distance splits as alpha(a, r) + "
		  "beta(b, r): "
		  "differences show each side up to a constant" },
		{ cells && job->virtual_nodes == VIRTUAL_MEAN,
		  "a cell of one node makes the virtual node that node's own row" },
		{ all_nodes,
		  "the coordinator sees the summed squared distances of all nodes to the centres: "
		  "the joint geometry of all nodes up to rotation" },
		{ true, "the parties see the cluster of each node or cell after each iteration" },
		{ parties > 1 && (job->method == METHOD_TREE || parties == 2),
		  "in a sum of two parties, the coordinator together with one of them learns the "
		  "other's terms" },
		{ parties > 2 && job->method != METHOD_TREE,
		  "the coordinator together with all parties but one learns that one's terms" },
		{ true, "a sum is not differential privacy" },
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all) && n < max; i++) {
		if (all[i].applies)
			leaks[n++] = all[i].text;
	}
	return n;
}
