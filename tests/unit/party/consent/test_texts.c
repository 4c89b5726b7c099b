/* Texts that users read of jobs, word for word: effective jobs, what they show, why they are
 * refused by themselves or by a policy, and what messages are for. All of it is in
 * tests/vectors/job-texts.txt.
 */
#include "common/job/job.h"
#include "common/job/kinds.h"
#include "party/daemon/kinds.h"
#include "common/fedsc/noise.h"
#include "crypto/hash.h"
#include "crypto/ledger.h"
#include "party/consent/policy.h"
#include "party/consent/leaving.h"
#include "tests/unit/crypto/lab.h"
#include "message_texts.h"
#include "variants.h"

#include <glob.h>
#include <inttypes.h>

#define GOLDEN "tests/vectors/job-texts.txt"
#define PIN    "sha256:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

enum { SETS_MAX = 32, LEAKS_MAX = 64 };

static struct texts t;

static void section(const char *name)
{
	buf_printf(&t.lines, "[%s]\n", name);
}

/* Label of the sentence of a call that failed. */
static const char *refusal(enum err e)
{
	char text[ERR_DETAIL_MAX + 32];

	snprintf(text, sizeof(text), "%s: %s", err_name(e), err_detail());
	return text_label(&t, text);
}

/* ---- jobs ---- */

static struct bytes bytes_of(const char *text)
{
	return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

/* sets: "path=value path=value ..." */
static enum err parse(struct job *job, const char *text, const char *sets)
{
	char *copy = alloc_copy(sets), *set[SETS_MAX + 1] = { NULL }, *rest = copy;
	enum err e;

	for (size_t n = 0; n < SETS_MAX && (set[n] = strtok_r(rest, " ", &rest)); n++)
		;
	e = job_parse(job, bytes_of(text), "job.json", set);
	free(copy);
	return e;
}

static struct job job_of(const struct base *b)
{
	struct job job;

	assert_ok(parse(&job, b->text, ""));
	return job;
}

/* In the order of the job, parameter by parameter, what the other does not have. */
static void add_new(struct buf *out, char *job, const char *other)
{
	char *rest = job, *part;

	while ((part = strtok_r(rest, ",", &rest)))
		if (!strstr(other, part))
			buf_printf(out, " %s", part);
}

static const char *label_of_job(const struct job *job, const struct job *base)
{
	struct buf text = { 0 }, other = { 0 }, out = { 0 };
	uint8_t hash[SHA256_LEN];

	job_write(job, &text);
	if (!base)
		return buf_label(&t, &text);
	job_write(base, &other);
	sha256_of(text.p, text.n, hash);
	buf_add(&text, "", 1);
	buf_add(&other, "", 1);
	for (int i = 0; i < 6; i++)
		buf_printf(&out, "%02x", hash[i]);
	add_new(&out, (char *)text.p, (const char *)other.p);
	buf_release(&text);
	buf_release(&other);
	return buf_label(&t, &out);
}

static const char *label_of_leaks(const struct job *job, size_t parties)
{
	const char *leaks[LEAKS_MAX];
	size_t n = job_leaks(job, parties, leaks, LEAKS_MAX);
	struct buf out = { 0 };

	assert_in_range(n, 1, LEAKS_MAX - 1);
	buf_printf(&out, "shows");
	for (size_t i = 0; i < n; i++)
		buf_printf(&out, " %s", text_label(&t, leaks[i]));
	return buf_label(&t, &out);
}

static const char *label_of_bursts(const struct job *job)
{
	static const size_t n[] = { 0, 100, 2708, 1000000 };
	struct buf out = { 0 };

	buf_printf(&out, "bursts");
	for (size_t i = 0; i < 4; i++)
		buf_printf(&out, " %zu/%zu", job_burst(job, n[i], false),
			   job_burst(job, n[i], true));
	return buf_label(&t, &out);
}

static const char *label_of_difference(const struct job *here, const struct job *offered)
{
	char text[512];

	return job_difference(here, offered, text, sizeof(text)) ? text_label(&t, text) : "-";
}

static const char *label_of_noise(const struct job *job)
{
	struct fedsc_noise noise;
	char text[FEDSC_NOISE_TEXT];

	if (job->kind->split == SPLIT_ROWS) {
		assert_ok(fedsc_noise_of(&job->fedsc, &noise));
		fedsc_noise_say(&job->fedsc, &noise, text);
	} else {
		struct fedsc_job none = { .noise = NOISE_NONE };

		assert_ok(fedsc_noise_of(&none, &noise));
		fedsc_noise_say(&none, &noise, text);
	}
	return text_label(&t, text);
}

/* ---- policies ---- */

static char dir[64], path[96];
static struct party_config config[POLICIES];
static struct work *work;

static enum err read_policy(struct party_config *c, const char *sets)
{
	char *copy = alloc_copy(sets), *set[SETS_MAX + 1] = { NULL }, *rest = copy;
	enum err e;

	for (size_t n = 0; n < SETS_MAX && (set[n] = strtok_r(rest, " ", &rest)); n++)
		;
	e = party_config_read(c, path, set);
	free(copy);
	return e;
}

static int open_policies(void **state)
{
	FILE *f;

	(void)state;
	lab_dir(dir);
	snprintf(path, sizeof(path), "%s/party.json", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f,
		"{\"name\":\"p0\",\"coordinator\":\"localhost:7431\",\"identity\":{"
		"\"certificate\":\"c\",\"key\":\"k\",\"ca\":\"a\"},\"peers\":{\"hub\":\"" PIN "\"");
	for (int l = 1; l <= 6; l++)
		fprintf(f, ",\"p%d\":\"" PIN "\"", l);
	fprintf(f, "},\"data\":{\"features\":\"f.npy\",\"edges\":\"e.tsv\"},\"output\":\"out\","
		   "\"policy\":{\"jobs\":[");
	for (size_t i = 0; kind_permissions()[i]; i++)
		fprintf(f, "%s\"%s\"", i ? "," : "", kind_permissions()[i]);
	fprintf(f, "]}}");
	fclose(f);
	for (size_t i = 0; i < POLICIES; i++)
		assert_ok(read_policy(&config[i], policies[i]));
	ALLOC(work, 1);
	return 0;
}

static int close_policies(void **state)
{
	(void)state;
	for (size_t i = 0; i < POLICIES; i++)
		party_config_release(&config[i]);
	free(work);
	lab_remove(dir);
	return 0;
}

static void offer(const struct job *job, size_t parties)
{
	work->job = *job;
	work->half = party_kind_of(job->kind);
	work->L = parties;
	work->own = 0;
	work->attempt = 1;
	for (size_t l = 0; l < parties; l++)
		snprintf(work->name[l], sizeof(work->name[l]), "p%zu", l);
}

static const char *label_of_policies(const struct job *job, size_t parties)
{
	struct buf out = { 0 };

	offer(job, parties);
	buf_printf(&out, "policies");
	for (size_t i = 0; i < POLICIES; i++) {
		enum err e = policy_check(&config[i], NULL, work);

		buf_printf(&out, " %s", e ? refusal(e) : "-");
	}
	return buf_label(&t, &out);
}

/* ---- everything of one job ---- */

static const char *report(const struct job *job, const struct job *base)
{
	static const size_t parties[] = { 1, 2, 3, 4, 8 };
	struct buf out = { 0 };

	buf_printf(&out, "job %s%s%s, job %s", job_permission(job),
		   job_is_flat(job) ? ", flat" : "", job_is_plan_only(job) ? ", plan only" : "",
		   label_of_job(job, base));
	if (base)
		buf_printf(&out, ", difference %s", label_of_difference(base, job));
	buf_printf(&out, ", noise %s, %s, leaks", label_of_noise(job), label_of_bursts(job));
	for (size_t i = 0; i < 5; i++)
		if (parties[i] != 3 && parties[i] != 8)
			buf_printf(&out, " %zu:%s", parties[i], label_of_leaks(job, parties[i]));
	buf_printf(&out, ", policies");
	for (size_t i = 0; i < 5; i++)
		buf_printf(&out, " %zu:%s", parties[i], label_of_policies(job, parties[i]));
	return buf_label(&t, &out);
}

static const char *report_of(const char *text, const char *sets, const struct job *base)
{
	struct job job;
	enum err e = parse(&job, text, sets);

	return e ? refusal(e) : report(&job, base);
}

/* ---- variants ---- */

static const struct base *base_named(const char *name)
{
	for (size_t i = 0; i < BASES; i++)
		if (!strcmp(bases[i].name, name))
			return &bases[i];
	fail_msg("no base %s", name);
	return NULL;
}

/* The next combination; false after the last. */
static bool next(const struct family *f, size_t at[static AXES_MAX])
{
	for (size_t a = AXES_MAX; a-- > 0;) {
		if (!f->axis[a][0])
			continue;
		if (f->axis[a][++at[a]])
			return true;
		at[a] = 0;
	}
	return false;
}

static void say_family(const struct family *f)
{
	const struct base *b = base_named(f->base);
	struct job base = job_of(b);
	size_t at[AXES_MAX] = { 0 };

	do {
		char sets[512] = "";

		for (size_t a = 0; f->axis[a][0]; a++) {
			strcat(sets, *f->axis[a][at[a]] && *sets ? " " : "");
			strcat(sets, f->axis[a][at[a]]);
		}
		buf_printf(&t.lines, "%s%s%s: %s\n", b->name, *sets ? " " : "", sets,
			   report_of(b->text, sets, &base));
	} while (next(f, at));
}

/* ---- every parameter of every kind ---- */

/* Every path of job_describe(), each once. */
static size_t read_paths(char paths[][64], size_t max)
{
	struct buf text = { 0 };
	char *rest, *line;
	size_t n = 0;

	job_describe(&text);
	buf_add(&text, "", 1);
	rest = (char *)text.p;
	while ((line = strtok_r(rest, "\n", &rest))) {
		char found[64];
		bool known = false;

		if (sscanf(line, "job.%63[^:]:", found) != 1)
			continue;
		for (size_t i = 0; i < n; i++)
			known = known || !strcmp(paths[i], found);
		if (known)
			continue;
		assert_true(n < max);
		strcpy(paths[n++], found);
	}
	buf_release(&text);
	return n;
}

static void say_parameters(const struct base *b)
{
	static const char *const values[] = { "",    "-2",   "0", "1",    "3",    "0.7", "40",
					      "9e9", "true", "?", "auto", "null", "[]",  "{}" };
	char paths[128][64];
	size_t n = read_paths(paths, 128);
	struct job base = job_of(b);

	for (size_t i = 0; i < n; i++) {
		buf_printf(&t.lines, "%s %s:", b->name, paths[i]);
		for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++) {
			char set[128];

			snprintf(set, sizeof(set), "%s=%s", paths[i], values[v]);
			buf_printf(&t.lines, " %s", report_of(b->text, set, &base));
			if (strstr(err_detail(), " is unknown"))
				break; /* whatever the value */
		}
		buf_printf(&t.lines, "\n");
	}
}

/* ---- single ones ---- */

static void say_singles(void)
{
	struct job job;
	char *long_text;

	for (size_t i = 0; i < sizeof(singles) / sizeof(*singles); i++) {
		const struct base *b = base_named(singles[i].base);
		struct job base = job_of(b);

		buf_printf(&t.lines, "%s %s: %s\n", b->name, singles[i].sets,
			   report_of(b->text, singles[i].sets, &base));
	}
	for (size_t i = 0; i < sizeof(raw) / sizeof(*raw); i++)
		buf_printf(&t.lines, "\"%s\": %s\n", raw[i], report_of(raw[i], "", NULL));
	ALLOC(long_text, JOB_TEXT_MAX + 2);
	memset(long_text, ' ', JOB_TEXT_MAX + 1);
	buf_printf(&t.lines, "too long: %s\n", refusal(parse(&job, long_text, "")));
	free(long_text);
	for (size_t a = 0; a < KINDS; a++)
		for (size_t b = 0; b < KINDS; b++) {
			struct job here = job_of(&bases[a]), offered = job_of(&bases[b]);

			buf_printf(&t.lines, "%s, not %s: %s\n", bases[a].name, bases[b].name,
				   label_of_difference(&here, &offered));
		}
}

static void say_examples(void)
{
	glob_t found;

	assert_int_equal(glob("configs/jobs/*.json", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct job job;
		enum err e = job_read(&job, found.gl_pathv[i], NULL);

		buf_printf(&t.lines, "%s: %s\n", found.gl_pathv[i],
			   e ? refusal(e) : report(&job, NULL));
	}
	globfree(&found);
}

/* ---- what a policy makes of the rest ---- */

/* policy_check() of a job that was agreed to beforehand. */
static void say_agreed(void)
{
	for (size_t i = 0; i < BASES; i++) {
		struct job offered = job_of(&bases[i]), agreed = offered;

		agreed.seed++;
		offer(&offered, 2);
		buf_printf(&t.lines, "agreed to another %s: %s\n", bases[i].name,
			   refusal(policy_check(&config[0], &agreed, work)));
	}
}

static void say_past(struct ledger *ledger, const char *sets, const struct ledger_job *job,
		     const struct ledger_spent *spent)
{
	struct party_config c;
	enum err e;

	assert_ok(read_policy(&c, sets));
	e = policy_check_past(&c, ledger, job, spent);
	buf_printf(&t.lines, "%s, %s: %s", sets, job->parties, e ? refusal(e) : "-");
	e = policy_may_spend(&c, "hub", spent, 3, 40);
	buf_printf(&t.lines, ", 3 sums more %s\n", e ? refusal(e) : "-");
	party_config_release(&c);
}

static void say_budgets(void)
{
	static const char *const sets[] = { "",
					    "policy.coordinators=[\"p1\"]",
					    "policy.max_jobs=2",
					    "policy.max_jobs=3",
					    "policy.max_rounds=10",
					    "policy.max_rounds=12",
					    "policy.max_words=99",
					    "policy.max_words=120",
					    "policy.allow_subsets=true" };
	static const struct ledger_spent spent = { .jobs = 2, .rounds = 10, .words = 99 };
	struct ledger_job job = { .kind = "kcagc", .coordinator = "hub", .parties = "p0 p1" };
	struct ledger_row row = { .step = "s", .purpose = "p", .type = "MASKED", .words = 1 };
	struct ledger *ledger;
	char file[96];

	snprintf(file, sizeof(file), "%s/ledger.db", dir);
	assert_ok(ledger_open(&ledger, file, "p0"));
	ledger_begin(ledger, &job);
	ledger_note(ledger, &row, bytes_of("body"));
	assert_ok(ledger_commit(ledger));
	for (int other = 0; other < 2; other++) {
		job.parties = other ? "p0 p1 p2" : "p0 p1";
		for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
			say_past(ledger, sets[i], &job, &spent);
	}
	ledger_close(ledger);
}

/* The words that a policy may name; the sentence begins with the file's name, which varies. */
static void say_wrong_policies(void)
{
	static const char *const sets[] = { "policy.jobs=[\"what\"]",
					    "policy.jobs=[\"fedsc.dense\"]",
					    "policy.methods=[\"what\"]",
					    "policy.exchanges=[\"what\"]" };

	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		struct party_config c;
		const char *text;

		assert_int_equal(read_policy(&c, sets[i]), ERR_INPUT);
		text = strstr(err_detail(), "party.policy");
		assert_non_null(text);
		buf_printf(&t.lines, "%s: %s\n", sets[i], text_label(&t, text));
	}
}

/* ---- all of it ---- */

static const char head[] =
    "# What users read of jobs, made by tests/unit/party/consent/test_texts.c and compared by it: "
    "a line "
    "for\n"
    "# each job and message, which refers to texts by labels. After a change that is meant:\n"
    "#     COTERIE_WRITE_TEXTS=" GOLDEN " build/plain/tests/unit/party/consent/test_texts\n";

static void test_what_users_read(void **state)
{
	struct job first;

	(void)state;
	for (size_t i = 0; i < KINDS; i++) /* each kind is there, those to come too */
		assert_int_equal(job_of(&bases[i]).number, i);
	assert_null(kinds[KINDS]);
	section("job_describe");
	job_describe(&t.lines);
	section("configs/jobs");
	say_examples();
	section("bases");
	for (size_t i = 0; i < BASES; i++)
		buf_printf(&t.lines, "%s: %s\n", bases[i].name, report_of(bases[i].text, "", NULL));
	section("variants");
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		say_family(&families[i]);
	section("parameters");
	for (size_t i = 0; i < BASES; i++)
		say_parameters(&bases[i]);
	section("singles");
	say_singles();
	section("policies");
	say_agreed();
	say_budgets();
	say_wrong_policies();
	section("messages");
	for (size_t i = 0; i < BASES; i++) {
		struct job job = job_of(&bases[i]);

		offer(&job, 3);
		message_texts(&t, work, bases[i].name);
	}
	first = job_of(&bases[0]);
	message_texts_of_members(&t, work, bases[0].name, &first, offer);
	texts_end(&t, GOLDEN, head);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_what_users_read, open_policies,
						close_policies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
