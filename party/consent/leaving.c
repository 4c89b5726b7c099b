#include "party/consent/leaving.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/privacy/account.h"
#include "party/consent/policy.h"
#include "party/work/kind.h"
#include "party/work/secret.h"
#include "proto/labels.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds between commits that wait for the disk. Commits in between do not wait, so that rounds
 * are fast; their rows survive the death of the process. A power failure can lose the rows of one
 * such interval. */
#define DURABLE_EVERY_S 1.0

/* ---- descriptions of messages, and their numbers ---- */

enum { NAMES_MAX = 8 }; /* maximum number of parties that a description names */

static const struct purpose {
	enum msg_type type;
	const char *text;
} purposes[] = {
	{ MSG_DECLINE, "that this party does not take part, and why" },
	{ MSG_ASKING, "that a user decides whether this party takes part" },
	{ MSG_KEY, "this party's public key for the job, signed" },
	{ MSG_TOLD, "keyed hashes of the coordinator's broadcasts, one for each other member" },
	{ MSG_LOCAL_CLUSTERS, "local cluster of each node, unmasked" },
	{ MSG_UPLOAD, "coefficients of each row, unmasked" },
	{ MSG_DEGREES, "noisy degree vectors of own vertices, unmasked" },
	{ MSG_TIES, "ties by which others may know own vertices, unmasked" },
	{ MSG_WALKS, "tokens of finished walks, unmasked" },
	{ MSG_PROTOTYPES, "prototypes of own graphs, unmasked" },
	{ MSG_DONE, "that results are written; how far this ledger reaches" },
	{ MSG_ABORT, "that the job ends, and why" },
};

static const char *const sealed[] = {
	[SEALED_ID_KEY] = ": key of the hashed ids",
	[SEALED_DIRECTORY] = ": which vertices are here, by salted hash",
	[SEALED_TIES] = ": ties to its vertices",
	[SEALED_WALKS] = ": walks that go on there",
	[SEALED_GROUP_KEY] = ": the key of all parties",
	[SEALED_ROWS] = ": rows of some own nodes, by keyed hash",
	[SEALED_GRAPH] = ": keyed hash of the edges between common nodes",
	[SEALED_COLUMNS] = ": keyed hashes of names, types and units of its columns",
};
enum { SEALED_KNOWN = sizeof(sealed) / sizeof(*sealed) };

static void leaving_append_text(char *text, const char *format, ...) PRINTF(2, 3);
static void leaving_append_text(char *text, const char *format, ...)
{
	size_t n = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + n, PURPOSE_MAX - n, format, ap);
	va_end(ap);
}

void purpose_of(const struct work *work, const struct msg *m, char text[static PURPOSE_MAX])
{
	const struct work_sum *sum = &work->sum;
	unsigned what;

	*text = 0;
	switch (m->type) {
	case MSG_ACCEPT:
		leaving_append_text(text, "that this party takes part");
		for (size_t i = 0; i < work->lefts && i < NAMES_MAX; i++)
			leaving_append_text(text, ", without %s", work->left[i].name);
		leaving_append_text(text, ": hash of the job%s",
				    work->job.align == ALIGN_SAME ? work->side->accept : "");
		return;
	case MSG_MASKED:
		leaving_append_text(text, "masked term of a sum over ");
		if (sum->count > NAMES_MAX && sum->count == work->L) {
			leaving_append_text(text, "all %zu parties", work->L);
			return;
		}
		for (size_t i = 0; i < sum->count && i < NAMES_MAX; i++)
			leaving_append_text(text, "%s%s", i ? ", " : "",
					    work->name[sum->members[i]]);
		if (sum->count > NAMES_MAX)
			leaving_append_text(text, " and %zu more", sum->count - NAMES_MAX);
		return;
	case MSG_SEALED:
		what = m->sealed.what;
		leaving_append_text(text, "sealed for %s, which alone can open it%s",
				    m->sealed.to < work->L ? work->name[m->sealed.to] : "nobody",
				    what < SEALED_KNOWN && sealed[what] ? sealed[what] : "");
		return;
	case MSG_IDS:
		leaving_append_text(text, work->job.ids == IDS_PLAIN ? "id of each node, plaintext"
								     : "hashed id of each node");
		return;
	default:
		for (size_t i = 0; i < sizeof(purposes) / sizeof(*purposes); i++)
			if (purposes[i].type == m->type)
				leaving_append_text(text, "%s", purposes[i].text);
		if (!*text)
			leaving_append_text(text, "%s", msg_name(m->type));
	}
}

static uint64_t leaving_least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t purpose_words(const struct work *work, const struct msg *m)
{
	switch (m->type) {
	case MSG_MASKED:
		return work->sum.word ? m->masked.words.n / work->sum.word : 0;
	case MSG_LOCAL_CLUSTERS:
	case MSG_TIES:
	case MSG_WALKS:
		return leaving_least_of(m->labels.count - m->labels.offset,
					m->labels.packed.n * 8 / labels_bits(m->labels.values));
	case MSG_UPLOAD:
	case MSG_DEGREES:
	case MSG_PROTOTYPES:
		return m->reals.values.n / sizeof(double);
	/* A batch counts with its padding, because the recipient gets all these numbers. */
	case MSG_SEALED:
		return m->sealed.what == SEALED_ROWS || m->sealed.what >= SEALED_DIRECTORY
			   ? m->sealed.box.n / sizeof(uint64_t)
			   : 0;
	case MSG_IDS: /* hashed ids; if ids are plain, a chunk has at most one id per byte */
		return work->job.ids == IDS_PLAIN
			   ? leaving_least_of(m->ids.count - m->ids.offset, m->ids.packed.n)
			   : m->ids.packed.n / MSG_ID_HASH_LEN;
	default:
		return 0;
	}
}

/* ---- the recorder ---- */

/* If e is ERR_PEER, a budget does not suffice: marks the end of the job as a refusal by policy.
 * Other parties receive this reason. Returns e. */
static enum err explain_policy(struct leaving *l, enum err e)
{
	if (e == ERR_PEER)
		l->work->ending = ENDING_POLICY;
	return e;
}

static enum err leaving_note(void *arg, const struct msg *m, struct bytes body)
{
	struct leaving *l = arg;
	char purpose[PURPOSE_MAX];
	struct record *r = l->work->record;
	bool masked = m->type == MSG_MASKED;
	struct ledger_row row = { .step = r->phases ? record_now(r)->name : "offer",
				  .purpose = purpose,
				  .type = msg_name(m->type),
				  .masked = masked,
				  .rounds = masked && m->masked.offset == 0,
				  .words = purpose_words(l->work, m) };
	/* A sum that would exceed a budget must not begin, so its whole vector counts with its
	 * first chunk. */
	uint64_t words = !masked ? row.words : m->masked.offset ? 0 : m->masked.count;

	if (words)
		TRY(explain_policy(
		    l, policy_may_spend(l->config, l->job.coordinator, &l->spent, words)));
	l->spent.rounds += row.rounds;
	l->spent.words += words;
	purpose_of(l->work, m, purpose);
	if (row.words && l->claims.eps > 0 && !l->booked_claim) { /* books the claim once */
		row.eps = l->claims.eps;
		row.delta = l->claims.delta;
		row.mu = l->claims.mu;
		row.unit = l->claims.unit;
		l->spent.eps_of_job += row.eps;
		l->spent.claims_of_job++;
		l->booked_claim = true;
	}
	l->last_word |= m->type == MSG_DONE || m->type == MSG_DECLINE || m->type == MSG_ABORT;
	ledger_note(l->ledger, &row, body);
	l->noted.rounds += row.rounds;
	l->noted.words += row.words;
	return ERR_OK;
}

/* Reads from the ledger what all processes have spent. Adds what this job has spent and not yet
 * booked. */
static enum err recount(struct leaving *l)
{
	struct ledger_spent more = { .rounds = l->spent.rounds - l->booked.rounds,
				     .words = l->spent.words - l->booked.words,
				     .eps_of_job = l->spent.eps_of_job - l->booked.eps_of_job,
				     .claims_of_job =
					 l->spent.claims_of_job - l->booked.claims_of_job };

	TRY(ledger_spent(l->ledger, &l->job, &l->booked));
	l->spent = l->booked;
	l->spent.rounds += more.rounds;
	l->spent.words += more.words;
	l->spent.eps_of_job += more.eps_of_job;
	l->spent.claims_of_job += more.claims_of_job;
	return ERR_OK;
}

static bool noted_claim(const struct leaving *l)
{
	return l->spent.claims_of_job > l->booked.claims_of_job;
}

static enum err check_privacy(struct leaving *l)
{
	return policy_check_privacy(l->config, l->ledger, &l->job, &l->claims,
				    l->booked_claim && !noted_claim(l));
}

enum err leaving_check_past(struct leaving *l)
{
	TRY(recount(l));
	TRY(policy_check_past(l->config, l->ledger, &l->job, &l->spent));
	return check_privacy(l);
}

/* Checks all budgets. This happens within the transaction that books the job's first numbers, a
 * further claim, or the first numbers after another process has written to the ledger. If two jobs
 * began at the same time, the one that books its first numbers first gets the budget. */
static enum err check_budgets(void *arg, bool others)
{
	struct leaving *l = arg;

	if (others) {
		l->checked = false;
		TRY(recount(l));
	}
	if ((l->checked && !noted_claim(l)) || !l->noted.words)
		return ERR_OK;
	TRY(explain_policy(l, policy_check_spent(l->config, l->ledger, &l->job, &l->spent)));
	return explain_policy(l, check_privacy(l));
}

/* Stores a second copy of the ledger's head, by which check_head() detects that an older ledger has
 * replaced this one. make: creates the copy's file if it does not exist. */
static enum err keep_head(struct leaving *l, bool make)
{
	struct ledger_head head;

	TRY(ledger_head(l->ledger, &head));
	return secret_keep_head(l->config->state, &head, make);
}

static enum err leaving_commit(void *arg)
{
	struct leaving *l = arg;
	double now = clock_now_s();
	bool claim = noted_claim(l), durable = claim || l->last_word || !l->durable_s ||
					       now - l->durable_s >= DURABLE_EVERY_S;

	TRY(ledger_durable(l->ledger, durable));
	TRY(ledger_commit(l->ledger));
	if (durable)
		TRY(keep_head(l, claim));
	l->booked.rounds += l->noted.rounds;
	l->booked.words += l->noted.words;
	l->booked.eps_of_job = l->spent.eps_of_job;
	l->booked.claims_of_job = l->spent.claims_of_job;
	l->checked |= l->noted.words > 0;
	l->noted = (struct ledger_spent){ 0 };
	if (durable)
		l->durable_s = now;
	l->last_word = false;
	return ERR_OK;
}

static void leaving_forget(void *arg)
{
	struct leaving *l = arg;

	l->noted = (struct ledger_spent){ 0 };
	if (noted_claim(l)) {
		l->spent.eps_of_job = l->booked.eps_of_job;
		l->spent.claims_of_job = l->booked.claims_of_job;
		l->booked_claim = false;
	}
	ledger_forget(l->ledger);
}

/* ---- questions under noise ---- */

/* Decides whether the party answers a question with noise. A claim covers one question for each
 * `release`, the number of an answer with noise in its attempt. If earlier attempts have asked as
 * many other questions at this number as the job has claims, books a further claim with the next
 * row. ERR_PEER: the budgets do not permit that, or jobs of this kind may ask only one question
 * (claims.one_question). */
static enum err question(struct work *work, uint32_t release, const uint8_t hash[static SHA256_LEN])
{
	struct leaving *l = work->leaving;
	const uint64_t claims = l->spent.claims_of_job + !l->booked_claim;
	struct ledger_question q = { .release = release };
	struct ledger_asked asked;

	memcpy(q.hash, hash, SHA256_LEN);
	work->ending = ENDING_LEDGER;
	TRY(ledger_asked(l->ledger, &l->job, &q, &asked));
	work->ending = ENDING_POLICY;
	if (!asked.same && asked.others && l->claims.one_question)
		return err_set(ERR_PEER,
			       "attempt %u asks another question than an earlier attempt at this "
			       "job, with another numbering or other values: the noise of two "
			       "answers averages, and jobs of kind %s claim nothing that would "
			       "be spent",
			       l->job.attempt, l->job.kind);
	if (!asked.same && asked.others >= claims && l->claims.eps > 0) {
		TRY(policy_check_again(l->config, l->ledger, &l->job, &l->claims, claims));
		log_warn("attempt %u asks another question than an earlier attempt at this job: "
			 "it gets new noise, and spends eps %g again",
			 l->job.attempt, l->claims.eps);
		l->booked_claim = false;
	}
	work->ending = 0;
	ledger_ask(l->ledger, &q);
	return ERR_OK;
}

static void no_finding(void *arg, const char *sentence)
{
	(void)arg;
	log_debug("%s", sentence);
}

/* Checks that the ledger is not older than its stored head. An older ledger lacks claims, so they
 * could be spent again. */
static enum err check_head(struct leaving *l)
{
	struct ledger_head head;
	size_t faults;

	TRY(secret_head(l->config->state, &head));
	TRY(ledger_check(l->ledger, "noise.key", &head, no_finding, NULL, &faults));
	if (!faults)
		return ERR_OK;
	return err_set(
	    ERR_INPUT,
	    "%s/ledger.db is older than noise.key, or another ledger: it lacks row %" PRIu64
	    ", which was written, so claims of differential privacy may be missing. Restore the "
	    "newest copy of ledger.db; if there is none, remove both files, and count what was "
	    "claimed as spent (policy.max_eps_total)",
	    l->config->state, head.count);
}

/* ---- a job ---- */

static enum err leaving_open_ledger(const struct party_config *config, struct ledger **l)
{
	char *path = file_join(config->state, "ledger.db");
	enum err e = file_make_dirs(config->state);

	*l = NULL;
	if (e == ERR_OK)
		e = ledger_open(l, path, config->common.name);
	free(path);
	return e;
}

void leaving_prepare(const struct party_config *config)
{
	struct ledger *l;

	if (leaving_open_ledger(config, &l) != ERR_OK)
		log_warn("%s", err_detail());
	ledger_close(l);
}

enum err leaving_open(struct leaving **out, const struct party_config *config, struct work *work,
		      bool readable, const uint8_t data[static SHA256_LEN])
{
	struct leaving *l = alloc(1, sizeof(*l));
	struct channel_recorder recorder = { leaving_note, leaving_commit, leaving_forget, l };
	struct buf parties = { 0 };
	enum err e;

	l->config = config;
	l->work = work;
	l->job.attempt = work->attempt;
	l->job.coordinator = channel_peer(work->channel);
	l->job.kind = readable ? job_permission(&work->job) : "unreadable";
	for (size_t p = 0; readable && p < work->L; p++)
		buf_printf(&parties, "%s%s", p ? " " : "", work->name[p]);
	buf_add(&parties, "", 1);
	l->job.parties = (char *)parties.p;
	l->job.submitter = work->submitter;
	l->job.left = work->lefts > 0;
	l->job.set = config->data.name;
	memcpy(l->job.id, work->job_id, sizeof(l->job.id));
	memcpy(l->job.data, data, sizeof(l->job.data));
	e = policy_pin(config, l->job.coordinator, l->job.key);
	if (e == ERR_OK)
		e = leaving_open_ledger(config, &l->ledger);
	if (e == ERR_OK)
		e = check_head(l);
	if (e == ERR_OK)
		e = ledger_watch(l->ledger, check_budgets, l);
	if (e == ERR_OK)
		e = ledger_spent(l->ledger, &l->job, &l->spent);
	l->booked = l->spent;
	if (e != ERR_OK) {
		leaving_close(l);
		return e;
	}
	if (readable)
		l->claims = job_claim(&work->job);
	/* An earlier attempt may have booked the claim. A repeated question needs no further
	 * claim. */
	l->booked_claim = l->spent.claims_of_job > 0;
	work->question = question;
	ledger_begin(l->ledger, &l->job);
	channel_record(work->channel, &recorder);
	*out = l;
	return ERR_OK;
}

void leaving_close(struct leaving *l)
{
	if (!l)
		return;
	if (l->ledger)
		channel_record(l->work->channel, NULL);
	l->work->question = NULL;
	ledger_close(l->ledger);
	free((char *)l->job.parties);
	free(l);
}

/* ---- heads ---- */

enum err leaving_fill_head(struct leaving *l, struct msg_done *done)
{
	TRY(channel_release(l->work->channel)); /* release held messages, which the head covers */
	TRY(ledger_head(l->ledger, &l->reported));
	done->heads = 1;
	done->head[0].count = l->reported.count;
	memcpy(done->head[0].hash, l->reported.hash, HASH_LEN);
	return ERR_OK;
}

enum err leaving_keep_heads(struct leaving *l, const struct msg_done *done)
{
	const struct work *work = l->work;
	struct ledger_head head[PARTIES_MAX];
	const char *name[PARTIES_MAX];
	const struct msg_head *own = &done->head[work->own];
	size_t n = 0;

	if (done->heads != work->L)
		return err_set(ERR_PEER, "%s sent DONE with %u heads of ledgers for %zu parties",
			       l->job.coordinator, done->heads, work->L);
	if (own->count != l->reported.count || memcmp(own->hash, l->reported.hash, HASH_LEN) != 0)
		return err_set(ERR_PEER,
			       "%s sent DONE with another head of %s's ledger than it received",
			       l->job.coordinator, work->name[work->own]);
	for (size_t p = 0; p < work->L; p++) {
		if (p == work->own)
			continue;
		name[n] = work->name[p];
		head[n].count = done->head[p].count;
		memcpy(head[n].hash, done->head[p].hash, SHA256_LEN);
		record_peer_ledger(work->record, name[n], head[n].count, head[n].hash);
		n++;
	}
	if (ledger_keep_heads(l->ledger, name, head, n) != ERR_OK)
		/* The job is done, so this is only a warning; run.json has the heads. */
		log_warn("%s", err_detail());
	return ERR_OK;
}

/* Records the privacy that the jobs of all coordinators have spent of the data set. */
static void record_privacy(struct leaving *l, struct facts *facts)
{
	double delta = l->config->policy.max_delta_total, mu;
	struct ledger_account a;

	facts_number(facts, "eps_spent", l->spent.eps_of_job);
	if (ledger_account(l->ledger, &l->job, &a) != ERR_OK) {
		log_warn("%s", err_detail());
		return;
	}
	mu = sqrt(ledger_square(&a, l->claims.unit));
	facts_number(facts, "mu_spent_all_jobs", mu);
	facts_number(facts, "eps_spent_all_jobs", account_eps(mu, delta));
	facts_number(facts, "delta_of_all_jobs", delta);
}

void leaving_record(struct leaving *l)
{
	struct facts *facts = &l->work->record->facts;
	struct ledger_head head;

	if (l->spent.eps_of_job > 0)
		record_privacy(l, facts);
	if (ledger_head(l->ledger, &head) != ERR_OK)
		log_warn("%s", err_detail());
	else
		record_ledger(l->work->record, head.count, head.hash);
}
