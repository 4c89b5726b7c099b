#include "common/job/job.h"
#include "common/base/file.h"
#include "common/job/kinds.h"
#include "common/job/removed.h"
#include "common/kind/own.h"

#include <stdio.h>
#include <string.h>

enum { ROWS_MAX = 96 };
#define SEED_MAX 9007199254740991.0 /* 2^53 - 1 */

static const char *const group_names[] = { "ffdhe2048", "ffdhe3072", "ffdhe4096", "x25519", NULL };
static const unsigned group_bits[] = { 2048, 3072, 4096, 255 };
static const char *const loss_names[] = { "end", "attempt", NULL };
static const char *const auto_word[] = { "auto", NULL };

#define AT(field) offsetof(struct job_head, field)

/* ---- the table of a kind: rows that every job has, and the kind's own rows in between ---- */

struct table {
	struct config_row row[ROWS_MAX];
	struct config_table config; /* the table whose rows are `row` */
};

/* clang-format off */
static const struct config_row schema_row =
	{ "schema", CONFIG_UNSIGNED, AT(schema), 1, 65535,
	  .help = "version of the defaults that an offer omits" };
static const struct config_row first_row =
	{ "kind", CONFIG_ENUM, AT(number),
	  .help = "protocol of the job" };
static const struct config_row clusters_row =
	{ "clusters", CONFIG_UNSIGNED, AT(clusters), 2, JOB_CLUSTERS_MAX, .names = auto_word,
	  .help = "number of clusters, k; \"auto\": the eigengap chooses k" };
static const struct config_row range_row =
	{ "clusters", CONFIG_RANGE, AT(clusters), 2, JOB_CLUSTERS_MAX,
	  .help = "number of clusters, k; or a range of k: the silhouette chooses one" };
static const struct config_row head_rows[] = {
	{ "seed", CONFIG_U64, AT(seed), 0, SEED_MAX, "1",
	  .help = "seed of random numbers: the same seed and data give the same labels; "
		  "fedspectral and fedwalk also need the same numbering_key" },
	{ "allow_single", CONFIG_BOOL, AT(allow_single), .standard = "false",
	  .help = "allow a job of one party: its values are not masked" },
	{ "on_loss", CONFIG_ENUM, AT(on_loss), .standard = "end", .names = loss_names,
	  .help = "after a dropout longer than rejoin_s: \"end\" fails the job, \"attempt\" "
		  "starts the next attempt without that party if all policies allow it" },
};
static const struct config_row sum_rows[] = {
	{ "secure_sum.group", CONFIG_CHOICE, AT(group_bits), .standard = "ffdhe3072",
	  .names = group_names, .values = group_bits,
	  .help = "Diffie-Hellman group: one of RFC 7919, or X25519 (RFC 7748), ten times as "
		  "fast with many parties" },
	{ "secure_sum.modulus_bits", CONFIG_UNSIGNED, AT(modulus_bits), 32, 64, "64",
	  .help = "32 or 64: sums are modulo 2^32 or 2^64; if not set, kcagc takes 32 for jobs "
		  "that sum only unit rows" },
};
static const struct config_row fraction_row =
	{ "secure_sum.fraction_bits", CONFIG_UNSIGNED, AT(fraction_bits), 1, 48, "auto",
	  .names = auto_word,
	  .help = "fraction bits of fixed-point numbers, f; \"auto\": as many as the largest "
		  "row norm allows" };
/* clang-format on */

static void job_table_add(struct table *t, const struct config_row *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		t->row[t->config.count++] = row[i];
}

static void table_of(const struct kind *kind, struct table *t)
{
	*t = (struct table){ .config = { "job", t->row, 0, sizeof(struct job), removed_keys,
					 kind->name } };
	job_table_add(t, &first_row, 1);
	t->row[0].names = kind_names();
	if (kind->clusters) {
		job_table_add(t, kind->clusters == CLUSTERS_OR_RANGE ? &range_row : &clusters_row,
			      1);
		if (kind->clusters == CLUSTERS_GIVEN) {
			t->row[t->config.count - 1].names = NULL;
			t->row[t->config.count - 1].help = "number of clusters, k";
		}
	}
	job_table_add(t, head_rows, sizeof(head_rows) / sizeof(*head_rows));
	for (const struct config_row *row = kind->rows; row->path; row++)
		job_table_add(t, row, 1);
	job_table_add(t, sum_rows, sizeof(sum_rows) / sizeof(*sum_rows));
	if (kind->words == WORDS_BY_JOB)
		job_table_add(t, &fraction_row, 1);
}

/* ---- checks ---- */

static bool job_has_fraction(const struct job *job)
{
	const struct kind *kind = job->kind;

	return kind->has_fraction ? kind->has_fraction(job) : kind->words == WORDS_BY_JOB;
}

static enum err check_secure_sum(const struct job *job)
{
	if (job->modulus_bits != 32 && job->modulus_bits != 64)
		return err_set(ERR_INPUT, "job.secure_sum.modulus_bits is %u, expected 32 or 64",
			       job->modulus_bits);
	if (job->kind->words == WORDS_WIDE && job->modulus_bits == 32)
		return err_set(ERR_INPUT,
			       "job.secure_sum.modulus_bits is 32, expected 64 with kind \"%s\": "
			       "32 leave too little range for its sums",
			       job->kind->name);
	/* leaves 16 bits for the integer part of a sum */
	if (job_has_fraction(job) && job->fraction_bits != JOB_AUTO &&
	    job->fraction_bits > job->modulus_bits - 16)
		return err_set(
		    ERR_INPUT,
		    "job.secure_sum.fraction_bits is %u, expected at most %u with %u modulus bits",
		    job->fraction_bits, job->modulus_bits - 16, job->modulus_bits);
	return ERR_OK;
}

/* Refuses a range of k for methods that run for a single k. Otherwise such a method would choose
 * one k without the user's knowledge. */
static enum err check_range(const struct job *job)
{
	const char *why = job->clusters_from ? job->kind->one_k(job) : NULL;

	if (!why)
		return ERR_OK;
	return err_set(ERR_INPUT,
		       "job.clusters is {\"from\": %u, \"to\": %u}, expected one number: %s",
		       job->clusters_from, job->clusters, why);
}

/* Refuses a job that is to continue after a dropout but cannot. So the user learns this at
 * submission, not when a party drops out. */
static enum err job_check_loss(const struct job *job)
{
	const char *why = job->kind->needs_all ? job->kind->needs_all(job) : NULL;

	if (!why && job->align != ALIGN_SAME)
		why = "rows that all have are others without a party, and those that came show "
		      "which it did not have";
	if (job->on_loss == LOSS_END || !why)
		return ERR_OK;
	return err_set(ERR_INPUT, "job.on_loss is \"%s\", expected \"end\" here: %s",
		       loss_names[job->on_loss], why);
}

/* ---- reading ---- */

/* Reads the kind that root names. ERR_INPUT if it names none; this error precedes all others. */
static enum err read_kind(const struct json *root, const char *where, const struct kind **kind)
{
	struct config_row row = first_row;
	struct config_table table = { "job", &row, 1, sizeof(struct job), removed_keys, NULL };
	const struct json *given = json_type(root) == JSON_OBJECT ? json_get(root, "kind") : NULL;
	struct buf text = { 0 };
	struct json *alone;
	struct job job;
	enum err e;

	row.names = kind_names();
	if (json_type(root) != JSON_OBJECT)
		return config_read(&table, root, where, NULL, NULL, &job);
	buf_printf(&text, "{%s", given ? "\"kind\":" : "");
	if (given)
		json_write(given, &text);
	buf_printf(&text, "}");
	e = json_parse((struct bytes){ text.p, text.n }, where, &alone);
	buf_release(&text);
	TRY(e);
	e = config_read(&table, alone, where, NULL, NULL, &job);
	json_free(alone);
	if (e == ERR_OK)
		*kind = kinds[job.number];
	return e;
}

/* Makes the table of an offer: the row of the schema, then those of the kind. */
static void offer_table_of(const struct kind *kind, struct table *t)
{
	struct table table;

	table_of(kind, &table);
	*t = (struct table){ .config = { "job", t->row, 0, sizeof(struct job), removed_keys,
					 kind->name } };
	job_table_add(t, &schema_row, 1);
	job_table_add(t, table.row, table.config.count);
}

/* Reads the parameters of an offer. fault: as `key` of job_offer_parse(). */
static enum err read_offered(struct job *job, const struct json *root, const char *where,
			     char *fault)
{
	const struct kind *kind = NULL;
	struct table table;

	snprintf(fault, CONFIG_PATH_LEN, "kind");
	TRY(read_kind(root, where, &kind));
	snprintf(fault, CONFIG_PATH_LEN, "schema");
	if (json_number_of(root, "schema", -1) != kind->schema)
		return err_set(ERR_INPUT,
			       "%s: job.schema is not %u, as here with kind \"%s\": the "
			       "coordinator's release has other defaults: bring both to the same",
			       where, kind->schema, kind->name);
	offer_table_of(kind, &table);
	TRY(config_read_fault(&table.config, root, where, job, fault));
	job->kind = kind;
	if (kind->settle)
		kind->settle(job, true);
	return ERR_OK;
}

/* Reads the given values; presets and defaults replace missing ones. */
static enum err read_values(struct job *job, const struct json *root, const char *where)
{
	struct kind_presets presets = { .n = 0 };
	const struct kind *kind = NULL;
	const struct json *sum;
	struct table table;

	TRY(read_kind(root, where, &kind));
	table_of(kind, &table);
	if (kind->presets)
		kind->presets(root, &presets);
	TRY(config_read(&table.config, root, where, NULL, presets.item, job));
	job->kind = kind;
	job->schema = kind->schema;
	sum = json_get(root, "secure_sum");
	if (kind->settle)
		kind->settle(job, sum && json_get(sum, "modulus_bits"));
	return ERR_OK;
}

/* Returns the row of the parameter that kind->way names. Its value decides which other parameters a
 * job reads (common/kind/kind.h). NULL: all jobs of the kind read the same ones. */
static const struct config_row *way_of(const struct kind *kind)
{
	for (const struct config_row *row = kind->rows; row->path && kind->way; row++)
		if (!strcmp(row->path, kind->way))
			return row;
	return NULL;
}

/* Appends a text that names the jobs that read a row, such as: by method "tree" or "flat". */
static void put_readers(const struct config_row *way, unsigned readers, struct buf *to)
{
	const char *before = "";
	unsigned left = readers;

	buf_printf(to, "by %s", way->path);
	for (unsigned i = 0; left; i++) {
		if (!(left >> i & 1))
			continue;
		left &= ~(1U << i);
		buf_printf(to, "%s \"%s\"", before, way->names[i]);
		before = left & (left - 1) ? "," : " or";
	}
}

/* True if some jobs of the kind do not read the row. */
static bool is_read_by_some(const struct config_row *way, const struct config_row *row)
{
	unsigned all = 0;

	for (unsigned i = 0; way && way->names[i]; i++)
		all |= 1U << i;
	return way && row->readers && (row->readers & all) != all;
}

/* True if the job does not read the row. Then appends to `when` a text that names the jobs that
 * read it, and the remedy. */
static bool is_unread(const struct job *job, const struct config_row *row, struct buf *when)
{
	const struct config_row *way = way_of(job->kind);
	const char *why = job->kind->unread ? job->kind->unread(job, row) : NULL;
	unsigned now = 0;

	if (why)
		buf_printf(when, "%s only; remove it", why);
	if (why || !way || !row->readers)
		return why;
	memcpy(&now, (const char *)job + way->offset, sizeof(now));
	if (row->readers >> now & 1)
		return false;
	put_readers(way, row->readers, when);
	buf_printf(when, " only; remove it, or change job.%s, which is \"%s\"", way->path,
		   way->names[now]);
	return true;
}

static enum err standard_of(const struct job *job, struct job *standard)
{
	const struct config_row *way = way_of(job->kind);
	struct json *root = json_object();
	unsigned value = 0;
	enum err err;

	json_put_string(root, "kind", job->kind->name);
	if (way) {
		memcpy(&value, (const char *)job + way->offset, sizeof(value));
		json_put_string(root, way->path, way->names[value]);
	}
	(job->kind->standard ? job->kind->standard : kind_standard_clusters)(job, root);
	err = read_values(standard, root, "standard");
	json_free(root);
	return err;
}

/* True if the job's value of the one row in `one` is the row's default, so that an offer omits it.
 * Presets do not count as defaults here. */
static bool is_omitted(const struct job *job, const struct config_table *one)
{
	struct json *none = json_object();
	struct job bare = { 0 };
	char difference[256];
	bool omitted = config_read(one, none, "offer", NULL, NULL, &bare) == ERR_OK &&
		       !config_difference(one, job, "", &bare, "", difference, sizeof(difference));

	json_free(none);
	return omitted;
}

/* Refuses a parameter that this method, variant or mode does not read. It counts as given if its
 * value differs from that of a job of the same method without other parameters; in an offer, only
 * if it also differs from its row's default. */
static enum err check_unread(const struct job *job, bool offered)
{
	struct job standard = { 0 };
	char difference[256];

	for (const struct config_row *row = job->kind->rows; row->path; row++) {
		struct config_table one = { "job", row, 1, sizeof(struct job), NULL, NULL };
		struct buf when = { 0 };
		enum err err = ERR_OK;

		if (!is_unread(job, row, &when))
			continue;
		if (!standard.kind)
			err = standard_of(job, &standard);
		if (!err &&
		    config_difference(&one, job, "", &standard, "", difference,
				      sizeof(difference)) &&
		    !(offered && is_omitted(job, &one)))
			err = err_set(ERR_INPUT, "job.%s is read %.*s", row->path, (int)when.n,
				      (const char *)when.p);
		buf_release(&when);
		TRY(err);
	}
	return ERR_OK;
}

/* Checks that concern several parameters. */
static enum err check_job(const struct job *job, bool offered)
{
	TRY(check_range(job));
	TRY(job->kind->check(job));
	TRY(job_check_loss(job));
	TRY(check_unread(job, offered));
	return check_secure_sum(job);
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
	err = config_set(root, set);
	if (!err)
		err = read_values(job, root, source);
	json_free(root);
	if (!err) {
		err = check_job(job, false);
		if (err)
			err_prefix(err, "%s", source);
	}
	if (err)
		*job = (struct job){ 0 };
	return err;
}

enum err job_offer_parse(struct job *job, struct bytes text, char key[static JOB_KEY_MAX + 1])
{
	char fault[CONFIG_PATH_LEN] = "";
	struct json *root;
	enum err err;

	*job = (struct job){ 0 };
	*key = 0;
	TRY(json_parse(text, "offer", &root));
	err = read_offered(job, root, "offer", fault);
	json_free(root);
	if (err && strlen(fault) <= JOB_KEY_MAX && !config_check_name(fault))
		memcpy(key, fault, strlen(fault) + 1);
	if (!err) {
		err = check_job(job, true);
		if (err)
			err_prefix(err, "offer");
	}
	if (err)
		*job = (struct job){ 0 };
	return err;
}

enum err job_read(struct job *job, const char *path, char *const *set)
{
	struct buf text = { 0 };
	enum err err;

	TRY(file_read_text(path, JOB_TEXT_MAX, &text));
	err = job_parse(job, (struct bytes){ text.p, text.n }, path, set);
	buf_release(&text);
	return err;
}

void job_write(const struct job *job, struct buf *json)
{
	struct table table;
	struct json *root;

	table_of(job->kind, &table);
	root = config_write(&table.config, job);
	json_write(root, json);
	json_free(root);
}

void job_offer_write(const struct job *job, struct buf *json)
{
	struct table table;
	struct json *root;

	offer_table_of(job->kind, &table);
	root = config_write_given(&table.config, job);
	json_write(root, json);
	json_free(root);
}

void job_describe(struct buf *text, bool offered)
{
	for (size_t i = 0; kinds[i]; i++) {
		const struct config_row *way = way_of(kinds[i]);
		struct kind_presets presets = { .n = 0 };
		struct json *none = json_object();
		struct table table;

		table_of(kinds[i], &table);
		if (kinds[i]->presets && !offered)
			kinds[i]->presets(none, &presets);
		json_free(none);
		buf_printf(text, "%skind \"%s\", schema %u\n", i ? "\n" : "", kinds[i]->name,
			   kinds[i]->schema);
		for (size_t r = 0; r < table.config.count; r++) {
			config_describe_row(&table.config, &table.row[r], presets.item, text);
			if (is_read_by_some(way, &table.row[r])) {
				buf_printf(text, "\n        read ");
				put_readers(way, table.row[r].readers, text);
			}
			buf_printf(text, "\n");
		}
	}
}

bool job_difference(const struct job *here, const struct job *offered, char *text, size_t len)
{
	struct table table; /* its first row is the kind */

	table_of(here->kind, &table);
	if (here->kind != offered->kind)
		table.config.count = 1;
	return config_difference(&table.config, here, "here", offered, "offered", text, len);
}

/* ---- members of the kind ---- */

const char *job_permission(const struct job *job)
{
	return job->kind->permission ? job->kind->permission(job) : job->kind->name;
}

bool job_is_flat(const struct job *job)
{
	return !job->kind->is_flat || job->kind->is_flat(job);
}

struct kind_claim job_claim(const struct job *job)
{
	return job->kind->claim ? job->kind->claim(job) : (struct kind_claim){ 0 };
}

const char *job_needs_noise(const struct job *job)
{
	return job->kind->needs_noise ? job->kind->needs_noise(job) : NULL;
}

size_t job_burst(const struct job *job, size_t n, bool down)
{
	return job->kind->burst ? job->kind->burst(job, n, down) : 0;
}

/* Adds what a job discloses if it continues after a dropout. Noise in sums is fresh in each
 * attempt; noise on data is not. */
static void disclose_loss(struct disclosures *s, const struct job *job)
{
	struct kind_claim claim = job_claim(job);
	bool noisy = claim.in_sums, lossy = job->on_loss != LOSS_END;

	disclosures_add(
	    s, lossy && !noisy,
	    "the next attempt may leave out a party that dropped out (on_loss), as far as "
	    "policy.allow_loss of the others permits. The coordinator then has sums with and "
	    "without that party. The first sums of two attempts, and the last sums, differ by "
	    "that party's numbers alone");
	disclosures_add(
	    s, lossy && noisy,
	    "the next attempt may leave out a party that dropped out (on_loss), as far as "
	    "policy.allow_loss of the others permits. The sums with and without that party have "
	    "independent noise");
}

size_t job_disclosures(const struct job *job, size_t parties, const char *disclosures[], size_t max)
{
	struct disclosures s = { disclosures, 0, max };

	job->kind->disclosures(&s, job, parties);
	disclosures_add(
	    &s, parties > 1 && job_needs_noise(job),
	    "a party that sends false numbers can read single rows (edges, graphs) of the "
	    "others; only noise in the sums (noise.colluders >= 1) or on rows limits this");
	disclose_loss(&s, job);
	return s.n;
}
