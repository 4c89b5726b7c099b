#include "common/job/job.h"
#include "common/base/file.h"
#include "common/base/json.h"
#include "common/job/check.h"
#include "common/job/params.h"
#include "common/kcagc/slice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PRESETS_MAX = 64, BURST_UNKNOWN = 64 << 10 };

/* What jobs of this kind may say. */
static struct config_table table_of(enum job_kind kind)
{
	return (struct config_table){ "job", job_rows, job_row_count, sizeof(struct job),
				      1U << kind };
}

bool job_is_plan_only(const struct job *job)
{
	return job->kind == JOB_KCAGC && job->plan == PLAN_ONLY;
}

bool job_is_flat(const struct job *job)
{
	return job->kind != JOB_KCAGC || job->method != METHOD_TREE;
}

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

unsigned job_starts(const struct job *job, size_t m)
{
	double fit = floor(job->start_words / ((double)m * job->clusters));

	if (fit >= job->starts)
		return job->starts;
	return fit > job->restarts ? (unsigned)fit : job->restarts;
}

unsigned job_screen(const struct job *job, unsigned starts)
{
	return job->restarts < starts ? job->screen : 0;
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

const char *job_permission(const struct job *job)
{
	if (job->kind == JOB_FEDSC && job->fedsc_variant == JOB_FEDSC_PAPER)
		return "fedsc.paper";
	if (job->kind == JOB_FEDSPECTRAL && job->fedspectral_variant == FEDSPECTRAL_EXACT)
		return "fedspectral.exact";
	if (job->kind == JOB_FEDWALK && job->fedwalk_mode == FEDWALK_WALKS &&
	    job->dissimilarity == DISSIMILARITY_DTW)
		return "fedwalk.dtw";
	if (job->kind == JOB_FEDGCN && job->prototypes == PROTOTYPES_KDE)
		return "fedgcn.kde";
	if (job->kind == JOB_FEDGCN && job->prototypes == PROTOTYPES_BEST)
		return "fedgcn.best";
	return job_kind_name(job);
}

const char *job_kind_name(const struct job *job)
{
	return job_kind_names[job->kind];
}

/* What the bounds of single parameters cannot say. */
static enum err check_numbers(const struct job *job)
{
	unsigned local;

	TRY(job_check_clusters(job));
	local = job_local_clusters(job);

	if (local < job->clusters || local > JOB_CLUSTERS_MAX)
		return err_set(
		    ERR_INPUT,
		    "job.local_clusters is %u, expected at least job.clusters, %u, and at most %d",
		    local, job->clusters, JOB_CLUSTERS_MAX);
	if (job_dims(job) > JOB_CLUSTERS_MAX)
		return err_set(ERR_INPUT, "job.projection.dims is %u, expected at most %d",
			       job_dims(job), JOB_CLUSTERS_MAX);
	if (job->restarts > job->starts)
		return err_set(ERR_INPUT, "job.restarts is %u, expected at most job.starts, %u",
			       job->restarts, job->starts);
	return ERR_OK;
}

/* Methods whose numbers have bounds that follow from n alone: in 32-bit words they are scaled to
 * fill them, and fraction_bits counts in 64-bit words only. */
static bool is_bounded(const struct job *job)
{
	return job->kind == JOB_KCAGC &&
	       (job->method == METHOD_LANDMARK || job->method == METHOD_GCC);
}

static enum err check_bounded(const struct job *job)
{
	if (job->filter_order != JOB_ORDER_AUTO &&
	    (job->filter_order < 1 || job->filter_order > SLICE_ORDER_MAX))
		return err_set(ERR_INPUT,
			       "job.filter.order is %u, expected 1 to %d or \"auto\" with method "
			       "\"%s\", whose filter is not that of the others",
			       job->filter_order, SLICE_ORDER_MAX, job_method_names[job->method]);
	return ERR_OK;
}

static enum err check_kcagc(const struct job *job)
{
	bool nodes = job->method == METHOD_BASIC || job->method == METHOD_GCC;

	TRY(check_numbers(job));
	if (nodes && job->polish)
		return err_set(ERR_INPUT,
			       "job.polish is %u, expected 0 with method \"%s\", which is on "
			       "all nodes anyway",
			       job->polish, job_method_names[job->method]);
	if (job->exchange == EXCHANGE_GRAM && job->method != METHOD_TREE &&
	    job->method != METHOD_FLAT)
		return err_set(ERR_INPUT,
			       "job.exchange is \"gram\", expected \"distances\" with method "
			       "\"%s\": gram is of the virtual nodes of tree and flat",
			       job_method_names[job->method]);
	if (job->plan != PLAN_OFF && job->method != METHOD_TREE && job->method != METHOD_FLAT)
		return err_set(
		    ERR_INPUT,
		    "job.plan is \"%s\", expected \"off\" with method \"%s\": a plan is made "
		    "for tree and flat, from their cells",
		    job->plan == PLAN_AUTO ? "auto" : "only", job_method_names[job->method]);
	if (job->joint_norm && !job->unit_rows)
		return err_set(ERR_INPUT,
			       "job.joint_norm is true, expected false where "
			       "job.projection.unit_rows is: it says how rows are scaled");
	if (job->min_cell > 1 && (nodes || job->polish))
		return err_set(
		    ERR_INPUT,
		    "job.min_cell is %u, expected 1 with %s%s%s: it sums over single nodes",
		    job->min_cell, nodes ? "method \"" : "polish",
		    nodes ? job_method_names[job->method] : "", nodes ? "\"" : "");
	if (job->min_cell > 1 && job->joint_norm)
		return err_set(
		    ERR_INPUT,
		    "job.min_cell is %u, expected 1 with joint_norm, which sums a norm for "
		    "each node",
		    job->min_cell);
	return is_bounded(job) ? check_bounded(job) : ERR_OK;
}

static enum err check_secure_sum(const struct job *job)
{
	if (job->modulus_bits != 32 && job->modulus_bits != 64)
		return err_set(ERR_INPUT, "job.secure_sum.modulus_bits is %u, expected 32 or 64",
			       job->modulus_bits);
	if (job->kind >= JOB_FEDSC && job->modulus_bits == 32)
		return err_set(
		    ERR_INPUT,
		    "job.secure_sum.modulus_bits is 32, expected 64 with kind \"%s\": 32 "
		    "leave too little range for its sums",
		    job_kind_name(job));
	if (job->kind >= JOB_FEDSC || (is_bounded(job) && job->modulus_bits == 32))
		return ERR_OK;
	if (job->fraction_bits > job->modulus_bits - 16) /* 16 bits for the sum before the point */
		return err_set(
		    ERR_INPUT,
		    "job.secure_sum.fraction_bits is %u, expected at most %u with %u modulus bits",
		    job->fraction_bits, job->modulus_bits - 16, job->modulus_bits);
	return ERR_OK;
}

static const char *named(const struct json *root, const char *key)
{
	const struct json *v = json_type(root) == JSON_OBJECT ? json_get(root, key) : NULL;

	return v && json_type(v) == JSON_STRING ? json_string(v) : "";
}

/* What a job of the kind that root names may say. If it names none, everything: then its kind is
 * what is refused. */
static struct config_table table_for(const struct json *root)
{
	struct config_table table = table_of(JOB_KCAGC);

	for (unsigned i = 0; job_kind_names[i]; i++)
		if (!strcmp(named(root, "kind"), job_kind_names[i]))
			return table_of((enum job_kind)i);
	table.reader = 0;
	return table;
}

static void add_presets(struct config_preset *to, size_t *n, const struct config_preset *from)
{
	while (from->path && *n < PRESETS_MAX - 1)
		to[(*n)++] = *from++;
}

/* What the method and the preset put in place of defaults; the first that names a path counts. */
static void presets_of(const struct json *root, struct config_preset presets[static PRESETS_MAX])
{
	static const struct {
		const char *method;
		const struct config_preset *presets;
	} methods[] = { { "basic", job_preset_basic },
			{ "landmark", job_preset_landmark },
			{ "gcc", job_preset_gcc } };
	static const struct {
		enum job_kind kind;
		const struct config_preset *presets;
	} kinds[] = { { JOB_KMEANS, job_preset_kmeans },
		      { JOB_FEDSPECTRAL, job_preset_fedspectral } };
	const struct json *cell =
	    json_type(root) == JSON_OBJECT ? json_get(root, "min_cell") : NULL;
	size_t n = 0;

	if (cell && json_type(cell) == JSON_NUMBER && json_number(cell) > 1)
		add_presets(presets, &n, job_preset_min_cell);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(named(root, "kind"), job_kind_names[kinds[i].kind]))
			add_presets(presets, &n, kinds[i].presets);
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (!strcmp(named(root, "method"), methods[i].method))
			add_presets(presets, &n, methods[i].presets);
	if (!strcmp(named(root, "mode"), "randomized-response"))
		add_presets(presets, &n, job_preset_response);
	if (!strcmp(named(root, "preset"), "paper"))
		add_presets(presets, &n, job_preset_paper);
	presets[n] = (struct config_preset){ 0 };
}

/* Distances and inner products of unit rows are at most 4 and 1, of rows scaled by at least the
 * root of their length hardly more (beyond the length itself short rows grow): with 16 bits behind
 * the point sums over all parties fit into 32 bits, which halves what travels and what is masked.
 * Sums of anything else need 64. */
static bool fits_32_bits(const struct job *job)
{
	if (job->kind == JOB_KCAGC && job->method == METHOD_LANDMARK)
		return true;
	return job->kind == JOB_KCAGC && job->method <= METHOD_BASIC && job->unit_rows &&
	       job->row_power >= 0.5 && job->row_power <= 1 && job->fraction_bits <= 16;
}

static bool gives_modulus(const struct json *root)
{
	const struct json *sum = json_get(root, "secure_sum");

	return sum && json_type(sum) == JSON_OBJECT && json_get(sum, "modulus_bits");
}

/* Given values, and what stands in for others. */
static enum err read_values(struct job *job, struct json *root, const char *where)
{
	struct config_preset presets[PRESETS_MAX];
	struct config_table table = table_for(root);

	presets_of(root, presets);
	TRY(config_read(&table, root, where, NULL, presets, job));
	if (!gives_modulus(root) && fits_32_bits(job))
		job->modulus_bits = 32;
	return ERR_OK;
}

/* Why nothing reads a parameter that this kind has: a clause; "": it is read. */
static void why_unread(const struct job *job, const struct config_row *row, char *why, size_t len)
{
	unsigned reader = job->method == METHOD_GCC ? JOB_READER_GCC : JOB_READER_LANDMARK;
	const char *clause = NULL;

	*why = 0;
	if (job->kind == JOB_FEDSC && row->readers & 1U << JOB_FEDSC)
		clause = job_fedsc_unread(job, row->path);
	if (job->kind == JOB_FEDWALK && row->readers & 1U << JOB_FEDWALK)
		clause = job_fedwalk_unread(job, row->path);
	if (job->kind == JOB_FEDGCN && row->readers & 1U << JOB_FEDGCN)
		clause = job_fedgcn_unread(job, row->path);
	if (clause)
		snprintf(why, len, "%s", clause);
	else if (is_bounded(job) && row->readers && !(row->readers & reader))
		snprintf(why, len, "method \"%s\" does not read it", job_method_names[job->method]);
}

/* What is not read must not be given: it would seem to matter. */
static enum err check_unread(const struct job *job)
{
	struct job standard = { 0 };
	struct json *root = json_object();
	char difference[256], why[96];
	enum err err;

	json_put_string(root, "kind", job_kind_names[job->kind]);
	if (job->kind == JOB_KCAGC)
		json_put_string(root, "method", job_method_names[job->method]);
	if (job->kind == JOB_FEDWALK)
		json_put_string(root, "mode", job_fedwalk_names[job->fedwalk_mode]);
	else
		json_put_number(root, "clusters", job->clusters);
	err = read_values(&standard, root, "standard");
	json_free(root);
	TRY(err);
	for (size_t i = 0; i < job_row_count; i++) {
		struct config_table row = { "job", &job_rows[i], 1, sizeof(struct job), 0 };

		why_unread(job, &job_rows[i], why, sizeof(why));
		if (*why && config_difference(&row, job, "given", &standard, "taken", difference,
					      sizeof(difference)))
			return err_set(ERR_INPUT, "%s; %s", difference, why);
	}
	return ERR_OK;
}

static enum err read_root(struct job *job, struct json *root, const char *where, char *const *set)
{
	enum err err;

	TRY(config_set(root, set));
	TRY(read_values(job, root, where));
	err = job->kind == JOB_KCAGC ? check_kcagc(job) : job_check_kind(job);
	if (err == ERR_OK && (is_bounded(job) || job->kind == JOB_FEDSC ||
			      job->kind == JOB_FEDWALK || job->kind == JOB_FEDGCN))
		err = check_unread(job);
	if (err == ERR_OK)
		err = check_secure_sum(job);
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
	struct config_table table = table_of(job->kind);
	struct json *root = config_write(&table, job);

	json_write(root, json);
	json_free(root);
}

void job_describe(struct buf *text)
{
	struct config_table table = table_of(JOB_KCAGC);

	table.reader = 0;
	config_describe(&table, text);
}

bool job_difference(const struct job *here, const struct job *offered, char *text, size_t len)
{
	struct config_table table = table_of(here->kind); /* whose first row is the kind */

	return config_difference(&table, here, "here", offered, "offered", text, len);
}

struct embed_params job_embed_params(const struct job *job, unsigned threads)
{
	return (struct embed_params){ .idf = job->idf,
				      .filter = job->filter_kind,
				      .order = job->filter_order,
				      .unit_basis = job->unit_basis,
				      .dims = job_dims(job),
				      .unit_rows = job->unit_rows && !job->joint_norm,
				      .row_power = job->row_power,
				      .threads = threads };
}

/* The joint k-means' first round. Its items are counted by what two parties' clusters can make,
 * which more parties exceed: it is the order of magnitude that matters. */
static size_t burst_of_starts(const struct job *job, size_t n, bool down)
{
	double local = job_local_clusters(job), fit;
	size_t m = (size_t)(local * local), numbers;

	if (job->exchange == EXCHANGE_GRAM)
		return 0;
	if (job->method == METHOD_BASIC || m > n)
		m = n;
	numbers = m * job_starts(job, m);
	fit = down ? (double)numbers / 2 : (double)numbers * job->clusters * job->modulus_bits / 8;
	return (size_t)fit;
}

size_t job_burst(const struct job *job, size_t n, bool down)
{
	size_t k = job->clusters, word = down ? sizeof(float) : job->modulus_bits / 8;
	bool landmark = job->method == METHOD_LANDMARK;

	if (job->kind != JOB_KCAGC || (down && landmark && !job->landmark_power))
		return 0;
	if (!n)
		return BURST_UNKNOWN;
	if (!is_bounded(job))
		return burst_of_starts(job, n, down);
	return n * word * (landmark && !down ? 2 * k + 10 : k + 10);
}
