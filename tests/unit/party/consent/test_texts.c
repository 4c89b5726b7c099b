/* Collects the texts about jobs that users read: effective jobs, disclosures, refusals of a job by
 * itself or by a policy, and the purposes of messages. tests/vectors/job-texts.txt has each text
 * once, with the first job that has it and the number of such jobs. */
#include "protocols/fedsc/job.h"
#include "common/job/job.h"
#include "common/job/kinds.h"
#include "party/daemon/kinds.h"
#include "protocols/fedsc/noise.h"
#include "crypto/ledger.h"
#include "party/consent/policy.h"
#include "party/consent/leaving.h"
#include "tests/unit/crypto/lab.h"
#include "literals.h"
#include "message_texts.h"
#include "variants.h"

#include <glob.h>
#include <inttypes.h>

#define GOLDEN "tests/vectors/job-texts.txt"
#define PIN    "sha256:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

#define DERIVED    "parameters that change with another"
#define SHOWN      "what jobs show"
#define REFUSED    "why a job is refused"
#define POLICY     "why a policy refuses a job"
#define SPENT      "why a policy refuses a job after others"
#define NOISE      "noise"
#define DIFFERENCE "differences of jobs"

enum { SETS_MAX = 32, DISCLOSURES_MAX = 64, SUBJECT = 640 };

static struct texts t;

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

static void add_refused(const char *section, const char *subject, enum err e)
{
	char text[ERR_DETAIL_MAX + 32];

	snprintf(text, sizeof(text), "%s: %s", err_name(e), err_detail());
	texts_add_refusal(&t, section, "", subject, text);
}

static void add_shown(const struct job *job, size_t parties, const char *name)
{
	const char *disclosures[DISCLOSURES_MAX];
	size_t n = job_disclosures(job, parties, disclosures, DISCLOSURES_MAX);
	char subject[SUBJECT];

	assert_in_range(n, 1, DISCLOSURES_MAX - 1);
	snprintf(subject, sizeof(subject), "%s, %zu part%s", name, parties,
		 parties == 1 ? "y" : "ies");
	for (size_t i = 0; i < n; i++)
		texts_add(&t, SHOWN, job->kind->name, subject, disclosures[i], NULL);
}

static void add_noise(const struct job *job, const char *name)
{
	struct fedsc_noise noise;
	char text[FEDSC_NOISE_TEXT];

	if (job->kind->split == SPLIT_ROWS) {
		assert_ok(fedsc_noise_of(fedsc_job(job), &noise));
		fedsc_noise_describe(fedsc_job(job), &noise, text);
	} else {
		struct fedsc_job none = { .noise = NOISE_NONE };

		assert_ok(fedsc_noise_of(&none, &noise));
		fedsc_noise_describe(&none, &noise, text);
	}
	texts_add_refusal(&t, NOISE, "", name, text);
}

static void add_difference(const struct job *here, const struct job *offered, const char *name)
{
	char text[512];

	if (job_difference(here, offered, text, sizeof(text)))
		texts_add_refusal(&t, DIFFERENCE, "", name, text);
}

/* Requires that the effective text of a job is complete: parsing and writing it again gives the
 * same text. */
static void check_text(const struct job *job)
{
	struct buf text = { 0 }, again = { 0 };
	struct job same;

	job_write(job, &text);
	assert_ok(job_parse(&same, (struct bytes){ text.p, text.n }, "effective", NULL));
	job_write(&same, &again);
	assert_int_equal(text.n, again.n);
	assert_memory_equal(text.p, again.p, text.n);
	buf_release(&text);
	buf_release(&again);
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
	texts_free(&t);
	lab_remove(dir);
	return 0;
}

static void offer(const struct job *job, size_t parties)
{
	work->job = *job;
	work->side = party_kind_of(job->kind);
	work->L = parties;
	work->own = 0;
	work->attempt = 1;
	for (size_t l = 0; l < parties; l++)
		snprintf(work->name[l], sizeof(work->name[l]), "p%zu", l);
}

static void add_policies(const struct job *job, size_t parties, const char *name)
{
	offer(job, parties);
	for (size_t i = 0; i < POLICIES; i++) {
		enum err e = policy_check(&config[i], NULL, work);
		char subject[SUBJECT];

		if (e == ERR_OK)
			continue;
		snprintf(subject, sizeof(subject), "%s, %zu part%s, %s", name, parties,
			 parties == 1 ? "y" : "ies", *policies[i] ? policies[i] : "no policy");
		add_refused(POLICY, subject, e);
	}
}

/* ---- all texts of one job ---- */

static void add_job(const struct job *job, const struct job *base, const char *name)
{
	static const size_t parties[] = { 1, 2, 3, 4, 8 };

	check_text(job);
	if (base)
		add_difference(base, job, name);
	add_noise(job, name);
	for (size_t i = 0; i < 5; i++) {
		if (parties[i] != 3 && parties[i] != 8)
			add_shown(job, parties[i], name);
		add_policies(job, parties[i], name);
	}
}

static enum err add_text(const char *text, const char *sets, const struct job *base,
			 const char *name)
{
	char subject[SUBJECT];
	struct job job;
	enum err e = parse(&job, text, sets);

	snprintf(subject, sizeof(subject), "%s%s%s", name, *sets ? " " : "", sets);
	if (e != ERR_OK)
		add_refused(REFUSED, subject, e);
	else
		add_job(&job, base, subject);
	return e;
}

/* ---- variants ---- */

/* Goes to the next combination; returns false after the last. */
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

static void add_family(const struct family *f)
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
		(void)add_text(b->text, sets, &base, b->name);
	} while (next(f, at));
}

/* ---- every parameter of every kind ---- */

/* Reads the path of each parameter that job_describe() describes, each path once. */
static size_t read_paths(char paths[][64], size_t max)
{
	struct buf text = { 0 };
	char *rest, *line;
	size_t n = 0;

	job_describe(&text, false);
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

static void add_parameters(const struct base *b)
{
	static const char *const values[] = { "",    "-2",   "0", "1",    "3",    "0.7", "40",
					      "9e9", "true", "?", "auto", "null", "[]",  "{}" };
	char paths[128][64];
	size_t n = read_paths(paths, 128);
	struct job base = job_of(b);

	for (size_t i = 0; i < n; i++)
		for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++) {
			char set[128];

			snprintf(set, sizeof(set), "%s=%s", paths[i], values[v]);
			if (add_text(b->text, set, &base, b->name) != ERR_OK &&
			    strstr(err_detail(), " is unknown"))
				break; /* unknown, so every value fails */
		}
}

/* ---- single jobs ---- */

static void add_singles(void)
{
	struct job job;
	char *long_text;

	for (size_t i = 0; i < sizeof(singles) / sizeof(*singles); i++) {
		const struct base *b = base_named(singles[i].base);
		struct job base = job_of(b);

		(void)add_text(b->text, singles[i].sets, &base, b->name);
	}
	for (size_t i = 0; i < sizeof(raw) / sizeof(*raw); i++)
		(void)add_text(raw[i], "", NULL, raw[i]);
	ALLOC(long_text, JOB_TEXT_MAX + 2);
	memset(long_text, ' ', JOB_TEXT_MAX + 1);
	add_refused(REFUSED, "too long", parse(&job, long_text, ""));
	free(long_text);
	for (size_t a = 0; a < KINDS; a++)
		for (size_t b = 0; b < KINDS; b++) {
			struct job here = job_of(&bases[a]), offered = job_of(&bases[b]);

			add_difference(&here, &offered, bases[a].name);
		}
}

static void add_examples(void)
{
	glob_t found;

	assert_int_equal(glob("configs/jobs/*.json", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *name = found.gl_pathv[i];
		struct job job;

		if (job_read(&job, name, NULL) == ERR_OK)
			add_job(&job, NULL, name);
		else if (!strstr(name, "predict")) /* a predict job's model does not exist here */
			fail_msg("%s: %s", name, err_detail());
	}
	globfree(&found);
}

/* ---- further refusals by a policy ---- */

/* Adds the errors of policy_check() for jobs that differ from the agreed job. */
static void add_agreed(void)
{
	for (size_t i = 0; i < BASES; i++) {
		struct job offered = job_of(&bases[i]), agreed = offered;

		agreed.seed++;
		offer(&offered, 2);
		add_refused(POLICY, bases[i].name, policy_check(&config[0], &agreed, work));
	}
}

static void add_past(struct ledger *ledger, const char *sets, const struct ledger_job *job,
		     const struct ledger_spent *spent)
{
	struct party_config c;
	char subject[SUBJECT];
	enum err e;

	assert_ok(read_policy(&c, sets));
	snprintf(subject, sizeof(subject), "%s, %s", *sets ? sets : "no policy", job->parties);
	e = policy_check_past(&c, ledger, job, spent);
	if (e != ERR_OK)
		add_refused(SPENT, subject, e);
	e = policy_may_spend(&c, "hub", spent, 40);
	if (e != ERR_OK)
		add_refused(SPENT, subject, e);
	party_config_release(&c);
}

static void add_budgets(void)
{
	static const char *const sets[] = { "",
					    "policy.coordinators=[\"p1\"]",
					    "policy.max_jobs=2",
					    "policy.max_jobs=3",
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
			add_past(ledger, sets[i], &job, &spent);
	}
	ledger_close(ledger);
}

/* Adds the errors for invalid policies, which list the permitted words. Omits the start of each
 * error, because it has a file name that varies. */
static void add_wrong_policies(void)
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
		texts_add(&t, SPENT, "", sets[i], text, NULL);
	}
}

/* ---- the whole table ---- */

static const char head[] =
    "# Sentences that users read of jobs, made and compared by "
    "tests/unit/party/consent/test_texts.c,\n"
    "# each once: how many of its jobs lead to the sentence, the first that does, and the "
    "sentence.\n"
    "# Refusals that differ in values and names alone are one. After a change that is meant:\n"
    "#     COTERIE_WRITE_TEXTS=" GOLDEN " build/plain/tests/unit/party/consent/test_texts\n";

/* Writes the parameters in the effective text of job a that job b's does not have, or has with
 * another value. Omits the parameters that `sets` gives. */
static void write_derived(const struct job *a, const struct job *b, const char *sets,
			  struct buf *to)
{
	struct buf text = { 0 }, other = { 0 };
	char *rest, *part;

	job_write(a, &text);
	job_write(b, &other);
	buf_add(&text, "", 1);
	buf_add(&other, "", 1);
	rest = (char *)text.p;
	while ((part = strtok_r(rest, ",", &rest))) {
		const char *name = strrchr(part, '{') ? strrchr(part, '{') + 1 : part;
		char set[64];

		if (sscanf(name, "\"%60[^\"]", set) == 1)
			strcat(set, "=");
		if (!strstr((char *)other.p, part) && !strstr(sets, set))
			buf_printf(to, "%s%s", to->n ? " " : "", name);
	}
	buf_release(&text);
	buf_release(&other);
}

/* Adds the parameters of base b's job that change if `sets` is applied, but not those in `sets`. */
static void add_derived(const struct base *b, const char *sets)
{
	struct job base = job_of(b), job;
	struct buf derived = { 0 };
	char subject[SUBJECT];

	if (parse(&job, b->text, sets) == ERR_OK)
		write_derived(&job, &base, sets, &derived);
	buf_add(&derived, "", 1);
	snprintf(subject, sizeof(subject), "%s %s", b->name, sets);
	if (derived.n > 1)
		texts_add(&t, DERIVED, "", subject, (char *)derived.p, subject);
	buf_release(&derived);
}

static void add_all_derived(void)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		for (size_t a = 0; families[i].axis[a][0]; a++)
			for (size_t v = 0; families[i].axis[a][v]; v++)
				add_derived(base_named(families[i].base), families[i].axis[a][v]);
}

/* Adds all texts of all jobs of variants.h. */
static void add_all(void)
{
	struct job first = job_of(&bases[0]);

	for (size_t i = 0; i < BASES; i++)
		assert_ok(add_text(bases[i].text, "", NULL, bases[i].name));
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		add_family(&families[i]);
	for (size_t i = 0; i < BASES; i++)
		add_parameters(&bases[i]);
	add_singles();
	add_examples();
	add_agreed();
	add_budgets();
	add_wrong_policies();
	for (size_t i = 0; i < BASES; i++) {
		struct job job = job_of(&bases[i]);

		offer(&job, 3);
		add_purposes(&t, work, bases[i].name);
	}
	add_purposes_of_members(&t, work, bases[0].name, &first, offer);
}

TEST(test_what_users_read)
{
	static const char *const sections[] = { DERIVED, SHOWN,      REFUSED,  POLICY, SPENT,
						NOISE,   DIFFERENCE, PURPOSES, NULL };
	struct buf now = { 0 };

	/* bases[] begins with one job of every kind; kinds[] has no other kind */
	for (size_t i = 0; i < KINDS; i++)
		assert_int_equal(job_of(&bases[i]).number, i);
	assert_null(kinds[KINDS]);
	buf_printf(&now, "%s\n[effective jobs]\n", head);
	for (size_t i = 0; i < BASES; i++) {
		struct job job = job_of(&bases[i]);

		buf_printf(&now, "%s: ", bases[i].name);
		job_write(&job, &now);
		buf_printf(&now, "\n");
	}
	add_all_derived();
	add_all();
	texts_write(&t, sections, &now);
	texts_compare(&now, GOLDEN);
	buf_release(&now);
}

/* Requires that some job of variants.h leads to this sentence of the code. */
static void check_literal(const char *file, const char *literal)
{
	const char *wanted = literals_longest_part(literal);

	if (!strstr((const char *)t.seen.p, wanted))
		fail_msg("%s: no job of variants.h leads to \"%s\"", file, literal);
}

/* The table has each sentence of the code, so that reviewers see all of them. */
TEST(test_each_sentence_is_there)
{
	static const char *const files[] = { "protocols/*/disclosures.c", "protocols/*/check.c",
					     "common/kind/kind.c" };

	assert_true(t.n > 0);
	buf_add(&t.seen, "", 1);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		literals_each(files[i], check_literal);
}

TESTS_BETWEEN(open_policies, close_policies)
