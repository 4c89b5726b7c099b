/* All that leaves a party is in its ledger, within its budgets, and waits for a person where
 * wanted.
 *
 *     p0 (work, config, ledger) ---- channel ---- hub, which takes what comes
 */
#include "party/consent/leaving.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/job/kinds.h"
#include "common/job/offer.h"
#include "common/privacy/account.h"
#include "party/daemon/data.h"
#include "party/daemon/kinds.h"
#include "party/consent/policy.h"
#include "tests/unit/crypto/lab.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

#define PIN "sha256:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define ID  "a1000000000000000000000000000000"

struct desk {
	char dir[64], path[96];
	struct party_config config;
	struct work work;
	struct record record;
	struct channel *hub;
	struct post *hub_post;
	uint8_t data[SHA256_LEN];
};

static struct desk *d;

/* An offer to p0 of a kcagc job of p0, p1, p2. */
static void open_desk(const char *policy, const char *job)
{
	FILE *f;

	ALLOC(d, 1);
	log_init("p0", LOG_ERROR);
	lab_dir(d->dir);
	snprintf(d->path, sizeof(d->path), "%s/party.json", d->dir);
	f = fopen(d->path, "w");
	fprintf(f,
		"{\"name\":\"p0\",\"coordinator\":\"localhost:7431\",\"identity\":{"
		"\"certificate\":\"c\",\"key\":\"k\",\"ca\":\"a\"},\"peers\":{\"hub\":\"" PIN
		"\",\"p1\":\"" PIN "\",\"p2\":\"" PIN "\"},\"data\":{\"features\":\"f.npy\"},"
		"\"output\":\"%s\",\"policy\":{%s}}",
		d->dir, policy);
	fclose(f);
	assert_ok(party_config_read(&d->config, d->path, NULL));
	assert_ok(job_parse(&d->work.job, (struct bytes){ (const uint8_t *)job, strlen(job) },
			    "test", NULL));
	d->work.half = party_kind_of(d->work.job.kind);
	d->hub_post = post_new(20);
	d->work.post = post_new(20);
	d->hub = channel_new(d->hub_post, COORD, "p0");
	d->work.channel = channel_new(d->work.post, PARTY, "hub");
	channel_pair(d->hub, d->work.channel);
	d->work.L = 3;
	d->work.attempt = 1;
	d->work.job_id[0] = 0xa1;
	for (size_t l = 0; l < 3; l++)
		snprintf(d->work.name[l], sizeof(d->work.name[l]), "p%zu", l);
	record_init(&d->record, "party", "p0");
	d->work.record = &d->record;
	work_phase(&d->work, "level-1");
	d->data[0] = 9;
}

static void close_desk(void)
{
	leaving_close(d->work.leaving);
	channel_free(d->work.channel);
	channel_free(d->hub);
	post_free(d->work.post);
	post_free(d->hub_post);
	record_release(&d->record);
	party_config_release(&d->config);
	lab_remove(d->dir);
	free(d);
}

#define KCAGC "{\"kind\":\"kcagc\",\"clusters\":3,\"filter\":{\"order\":2}}"

static void begin_job(void)
{
	assert_ok(leaving_open(&d->work.leaving, &d->config, &d->work, true, d->data));
}

/* A masked vector of so many words, in chunks of `chunk`; the first error. */
static enum err send_sum(size_t words, size_t chunk)
{
	uint8_t *w = alloc(words, 8);
	enum err e = ERR_OK;

	d->work.sum = (struct work_sum){ 1, 3, 8 };
	for (size_t at = 0; at < words && e == ERR_OK; at += chunk) {
		size_t n = words - at < chunk ? words - at : chunk;
		struct msg m = { .type = MSG_MASKED,
				 .masked = {
				     .count = words, .offset = at, .words = { w, 8 * n } } };

		e = channel_send(d->work.channel, &m);
	}
	free(w);
	return e;
}

/* ---- rows ---- */

struct seen {
	size_t rows;
	struct ledger_row row[16];
	char purpose[16][128];
};

static enum err see(void *arg, const struct ledger_line *line)
{
	struct seen *s = arg;

	s->row[s->rows] = line->row;
	snprintf(s->purpose[s->rows++], 128, "%s", line->row.purpose);
	assert_string_equal(line->row.step, "level-1");
	assert_string_equal(line->job.coordinator, "hub");
	assert_string_equal(line->job.parties, "p0 p1 p2");
	assert_int_equal(line->job.key[1], 0x11);
	assert_int_equal(line->job.data[0], 9);
	return ERR_OK;
}

static struct seen look(void)
{
	struct seen s = { 0 };

	assert_ok(ledger_read(d->work.leaving->ledger, "", 0, see, &s));
	return s;
}

static void test_rows(void **state)
{
	struct msg key = { .type = MSG_KEY,
			   .key = { .public_key = { (const uint8_t *)"k", 1 },
				    .spki = { (const uint8_t *)"k", 1 },
				    .signature = { (const uint8_t *)"k", 1 } } };
	struct seen s;

	(void)state;
	open_desk("", KCAGC);
	begin_job();
	assert_ok(channel_send(d->work.channel, &key));
	assert_ok(send_sum(10, 4));
	assert_int_equal(look().rows, 0); /* nothing left yet */
	assert_ok(channel_release(d->work.channel));
	s = look();
	assert_int_equal(s.rows, 4);
	assert_string_equal(s.purpose[0], "this party's public key for the job, signed");
	assert_int_equal(s.row[0].words, 0);
	assert_false(s.row[0].masked);
	assert_string_equal(s.purpose[1], "masked term of a sum over p1, p2");
	assert_true(s.row[1].masked);
	assert_int_equal(s.row[1].rounds, 1);
	assert_int_equal(s.row[1].words, 4);
	assert_int_equal(s.row[2].rounds, 0);
	assert_int_equal(s.row[3].words, 2);
	assert_int_equal(d->work.leaving->spent.rounds, 1);
	assert_int_equal(d->work.leaving->spent.words, 10);
	close_desk();
}

static void purpose_is(const struct msg *m, const char *text, uint64_t words)
{
	char purpose[PURPOSE_MAX];

	purpose_of(&d->work, m, purpose);
	assert_string_equal(purpose, text);
	assert_int_equal(purpose_words(&d->work, m), words);
}

static void test_purposes(void **state)
{
	static const uint8_t bytes[64];

	(void)state;
	open_desk("", KCAGC);
	purpose_is(&(struct msg){ .type = MSG_LOCAL_CLUSTERS,
				  .labels = { .values = 3, .count = 30, .packed = { bytes, 8 } } },
		   "local cluster of each node, in clear", 30);
	purpose_is(&(struct msg){ .type = MSG_UPLOAD, .reals = { .values = { bytes, 64 } } },
		   "coefficients of each row, in clear", 8);
	purpose_is(&(struct msg){ .type = MSG_IDS, .ids = { .count = 4, .packed = { bytes, 64 } } },
		   "hashed id of each node", 4);
	purpose_is(&(struct msg){ .type = MSG_SEALED, .sealed = { .what = 1, .to = 2 } },
		   "sealed for p2, which alone can open it: key of the hashed ids", 0);
	/* Batches count: who opens them has their numbers. */
	purpose_is(
	    &(struct msg){ .type = MSG_SEALED,
			   .sealed = { .what = SEALED_TIES, .to = 2, .box = { bytes, 64 } } },
	    "sealed for p2, which alone can open it: ties to its vertices", 8);
	purpose_is(
	    &(struct msg){ .type = MSG_SEALED,
			   .sealed = { .what = SEALED_COIN, .to = 2, .box = { bytes, 48 } } },
	    "sealed for p2, which alone can open it: a coin for what is drawn by lot", 0);
	purpose_is(&(struct msg){ .type = MSG_PROBE, .probe = { { bytes, 64 } } },
		   "zeros by which the link is measured", 0);
	purpose_is(&(struct msg){ .type = MSG_DONE },
		   "that results are written; how far this ledger reaches", 0);
	d->work.sum = (struct work_sum){ 0, 3, 4 };
	purpose_is(&(struct msg){ .type = MSG_MASKED, .masked = { .words = { bytes, 64 } } },
		   "masked term of a sum over p0, p1, p2", 16);
	close_desk();
}

static double spent_mu(void)
{
	struct ledger_account a;

	assert_ok(ledger_account(d->work.leaving->ledger, &d->work.leaving->job, &a));
	return sqrt(ledger_square(&a, "row"));
}

/* A job's claim of differential privacy is booked once, with the first number that leaves. */
static void test_privacy_is_booked_once(void **state)
{
	struct seen s;
	double mu;

	(void)state;
	assert_ok(account_mu(2, 1e-5, &mu));
	open_desk("", "{\"kind\":\"kmeans\",\"clusters\":3,\"noise\":{\"on\":\"data\",\"eps\":2,"
		      "\"delta\":1e-5,\"clip\":1}}");
	begin_job();
	assert_ok(send_sum(4, 2));
	assert_ok(channel_release(d->work.channel));
	s = look();
	assert_int_equal(s.rows, 2);
	assert_true(s.row[0].eps == 2 && s.row[0].delta == 1e-5);
	assert_true(s.row[1].eps == 0 && s.row[1].delta == 0);
	assert_true(d->work.leaving->spent.eps_of_job == 2);
	assert_true(fabs(spent_mu() - mu) <= 1e-12);
	/* Another attempt shows the same noise on the same rows. */
	leaving_close(d->work.leaving);
	d->work.attempt = 2;
	begin_job();
	assert_ok(send_sum(4, 2));
	assert_ok(channel_release(d->work.channel));
	assert_true(d->work.leaving->spent.eps_of_job == 2);
	assert_true(fabs(spent_mu() - mu) <= 1e-12);
	/* Another job does not. */
	leaving_close(d->work.leaving);
	d->work.job_id[0]++;
	begin_job();
	assert_ok(send_sum(4, 2));
	assert_ok(channel_release(d->work.channel));
	assert_true(d->work.leaving->spent.eps_of_job == 2);
	assert_true(fabs(spent_mu() - sqrt(2) * mu) <= 1e-12);
	close_desk();
}

#define PRIVATE                                                                                    \
	"{\"kind\":\"kmeans\",\"clusters\":3,\"noise\":{\"on\":\"sums\",\"eps\":1,\"delta\":1e-5," \
	"\"clip\":1}}"

static enum err may_claim(void)
{
	return policy_check_privacy(&d->config, d->work.leaving->ledger, &d->work.leaving->job,
				    &d->work.leaving->claims, d->work.leaving->booked_claim);
}

/* Over other data each time, and of another coordinator: the name is the same. Two jobs of eps 1
 * are eps 1.465 together (tests/vectors/account.inc). */
static void test_total_privacy(void **state)
{
	(void)state;
	open_desk("\"max_eps_total\":1.5", PRIVATE);
	d->config.data.name = alloc_copy("customers");
	for (int job = 0; job < 2; job++) {
		begin_job();
		assert_ok(may_claim());
		assert_ok(send_sum(4, 4));
		assert_ok(channel_release(d->work.channel));
		leaving_close(d->work.leaving);
		d->work.job_id[0]++;
		d->data[0]++;
		d->work.leaving = NULL;
	}
	begin_job();
	assert_err(
	    may_claim(), ERR_PEER,
	    "with the offered job's eps 1 at delta 1e-05, jobs of the data set \"customers\" would "
	    "come to eps 1.835 at delta 1e-05 of each row, policy.max_eps_total of p0 is 1.5: a "
	    "job with this delta may claim eps 0.263 more");
	d->config.policy.max_eps_total = 1;
	assert_err(may_claim(), ERR_PEER, "may claim eps 0 more");
	d->config.policy.max_eps_total = 2;
	assert_ok(may_claim());
	d->config.policy.max_eps_total = 1;
	d->work.leaving->job.set = NULL; /* by the data alone nothing was spent */
	assert_ok(may_claim());
	d->work.leaving->claims.eps = 0;
	assert_err(may_claim(), ERR_PEER,
		   "kind kmeans claims no differential privacy, policy.max_eps_total of p0 is 1");
	close_desk();
}

/* Another process books its own claim between this one's offer and its first sum. */
static void test_two_processes_and_one_total(void **state)
{
	struct ledger *other;
	struct ledger_job job;
	char path[256];
	double mu;

	(void)state;
	open_desk("\"max_eps_total\":1.4", PRIVATE);
	begin_job();
	assert_ok(may_claim());
	assert_ok(account_mu(1, 1e-5, &mu));
	snprintf(path, sizeof(path), "%s/ledger.db", d->config.state);
	assert_ok(ledger_open(&other, path, "p0"));
	job = d->work.leaving->job;
	job.id[0] = 0xb2;
	ledger_begin(other, &job);
	ledger_note(other,
		    &(struct ledger_row){ .step = "s",
					  .purpose = "p",
					  .type = "MASKED",
					  .words = 4,
					  .eps = 1,
					  .delta = 1e-5,
					  .mu = mu,
					  .unit = "row" },
		    (struct bytes){ (const uint8_t *)"", 0 });
	assert_ok(ledger_commit(other));
	assert_ok(send_sum(4, 4));
	assert_err(channel_release(d->work.channel), ERR_PEER, "policy.max_eps_total of p0 is 1.4");
	ledger_close(other);
	close_desk();
}

/* ---- budgets ---- */

static void test_max_rounds(void **state)
{
	(void)state;
	open_desk("\"max_rounds\":2", KCAGC);
	begin_job();
	assert_ok(send_sum(4, 2));
	assert_ok(send_sum(4, 2));
	assert_err(send_sum(4, 2), ERR_PEER,
		   "secure sum 3 that hub has of this data, policy.max_rounds of p0 is 2");
	assert_ok(channel_release(d->work.channel));
	assert_int_equal(look().rows, 4);
	close_desk();
}

/* Two processes on one state, each with its own view of what was spent: together they keep to the
 * bound. */
static void test_two_processes_and_one_budget(void **state)
{
	struct ledger *other;
	char path[256];

	(void)state;
	open_desk("\"max_rounds\":3", KCAGC);
	begin_job();
	assert_ok(send_sum(4, 2));
	assert_ok(channel_release(d->work.channel));
	/* The other has two sums of the same coordinator and data. */
	snprintf(path, sizeof(path), "%s/ledger.db", d->config.state);
	assert_ok(ledger_open(&other, path, "p0"));
	for (int i = 0; i < 2; i++) {
		struct ledger_job job = d->work.leaving->job;

		job.id[0] = 0xb2;
		ledger_begin(other, &job);
		ledger_note(other,
			    &(struct ledger_row){ .step = "level-1",
						  .purpose = "p",
						  .type = "MASKED",
						  .masked = true,
						  .rounds = 1,
						  .words = 4 },
			    (struct bytes){ (const uint8_t *)"", 0 });
		assert_ok(ledger_commit(other));
	}
	assert_ok(send_sum(4, 4)); /* held, until it is in the ledger */
	assert_err(channel_release(d->work.channel), ERR_PEER, "policy.max_rounds of p0 is 3");
	ledger_close(other);
	close_desk();
}

/* The whole vector counts before its first chunk leaves. */
static void test_max_words(void **state)
{
	(void)state;
	open_desk("\"max_words\":10", KCAGC);
	begin_job();
	assert_ok(send_sum(6, 2));
	assert_err(send_sum(5, 2), ERR_PEER,
		   "hub would have 11 numbers of this data, policy.max_words of p0 is 10");
	assert_ok(send_sum(4, 4));
	assert_ok(channel_release(d->work.channel));
	assert_int_equal(look().rows, 4);
	close_desk();
}

/* Earlier attempts count: another attempt is a job more, its sums too, and so is another job.
 */
static void test_earlier_counts(void **state)
{
	(void)state;
	open_desk("\"max_rounds\":3,\"max_jobs\":2", KCAGC);
	begin_job();
	assert_ok(send_sum(4, 4));
	assert_ok(send_sum(4, 4));
	assert_ok(channel_release(d->work.channel));
	leaving_close(d->work.leaving);
	d->work.attempt = 2;
	begin_job();
	assert_int_equal(d->work.leaving->spent.rounds, 2);
	assert_int_equal(d->work.leaving->spent.jobs, 1);
	assert_ok(policy_check_past(&d->config, d->work.leaving->ledger, &d->work.leaving->job,
				    &d->work.leaving->spent));
	assert_ok(send_sum(4, 4));
	assert_err(send_sum(4, 4), ERR_PEER, "policy.max_rounds of p0 is 3");
	assert_ok(channel_release(d->work.channel));
	leaving_close(d->work.leaving);
	d->work.job_id[0] = 0xb1;
	begin_job();
	assert_err(policy_check_past(&d->config, d->work.leaving->ledger, &d->work.leaving->job,
				     &d->work.leaving->spent),
		   ERR_PEER,
		   "it would be job 3 of hub over this data, attempts counted, policy.max_jobs of "
		   "p0 is 2");
	leaving_close(d->work.leaving);
	d->data[0] = 10; /* other data */
	begin_job();
	assert_ok(policy_check_past(&d->config, d->work.leaving->ledger, &d->work.leaving->job,
				    &d->work.leaving->spent));
	close_desk();
}

static void past(const char *policy, const struct ledger_spent *spent, const char *coordinator,
		 const char *message)
{
	struct ledger_job job = { .coordinator = coordinator, .parties = "p0 p1 p2" };
	enum err e;

	open_desk(policy, KCAGC);
	begin_job();
	e = policy_check_past(&d->config, d->work.leaving->ledger, &job, spent);
	if (*message)
		assert_err(e, ERR_PEER, message);
	else
		assert_ok(e);
	close_desk();
}

static void test_past(void **state)
{
	struct ledger_spent none = { 0 }, some = { .jobs = 3, .rounds = 40, .words = 1000 };

	(void)state;
	past("", &some, "hub", "");
	past("\"coordinators\":[\"hub\"]", &none, "hub", "");
	past("\"coordinators\":[\"hub\"]", &none, "p1",
	     "offered by p1, which policy.coordinators of p0 does not name");
	past("\"max_jobs\":4", &some, "hub", "");
	past("\"max_jobs\":3", &some, "hub", "it would be job 4 of hub");
	past("\"max_rounds\":41", &some, "hub", "");
	past("\"max_rounds\":40", &some, "hub", "policy.max_rounds of p0 is 40");
	past("\"max_words\":1001", &some, "hub", "");
	past("\"max_words\":1000", &some, "hub", "policy.max_words of p0 is 1000");
}

static void other_parties(const char *policy, const char *message)
{
	struct ledger_job job;
	enum err e;

	open_desk(policy, KCAGC);
	begin_job();
	assert_ok(send_sum(4, 4));
	assert_ok(channel_release(d->work.channel));
	job = d->work.leaving->job;
	job.parties = "p0 p1";
	e = policy_check_past(&d->config, d->work.leaving->ledger, &job, &d->work.leaving->spent);
	if (*message)
		assert_err(e, ERR_PEER, message);
	else
		assert_ok(e);
	close_desk();
}

static void test_other_parties(void **state)
{
	(void)state;
	other_parties("", "the offered job is of p0 p1, but an earlier one over the same data was "
			  "of p0 p1 p2: policy.allow_subsets of p0 is false");
	other_parties("\"allow_subsets\":true", "");
}

/* ---- heads ---- */

static void test_heads(void **state)
{
	struct msg_done *done;

	(void)state;
	ALLOC(done, 1);
	open_desk("", KCAGC);
	begin_job();
	assert_ok(send_sum(4, 2));
	assert_ok(leaving_say_head(d->work.leaving, done));
	assert_int_equal(done->heads, 1);
	assert_int_equal(done->head[0].count, 2); /* what was held counts */
	assert_err(leaving_keep_heads(d->work.leaving, done), ERR_PEER,
		   "hub sent DONE with 1 heads of ledgers for 3 parties");
	done->heads = 3;
	done->head[1].count = 7;
	done->head[2].count = 8;
	assert_ok(leaving_keep_heads(d->work.leaving, done));
	assert_int_equal(d->record.heads, 2);
	assert_string_equal(d->record.head[1].name, "p2");
	assert_int_equal(d->record.head[1].count, 8);
	done->head[0].hash[31] ^= 1;
	assert_err(leaving_keep_heads(d->work.leaving, done), ERR_PEER,
		   "hub sent DONE with another head of p0's ledger than it was told");
	leaving_record(d->work.leaving);
	assert_int_equal(d->record.ledger.count, 2);
	close_desk();
	free(done);
}

/* ---- the data ---- */

static void test_fingerprint(void **state)
{
	struct dataset a = { .n = 2 };
	uint8_t before[SHA256_LEN], after[SHA256_LEN];

	(void)state;
	mat_init(&a.X.dense, 2, 3);
	data_fingerprint(&a, NULL, before);
	data_fingerprint(&a, NULL, after);
	assert_memory_equal(before, after, SHA256_LEN);
	MAT(&a.X.dense, 1, 2) = 1e-300;
	data_fingerprint(&a, NULL, after);
	assert_memory_not_equal(before, after, SHA256_LEN);
	MAT(&a.X.dense, 1, 2) = 0;
	a.X.dense.rows = 3;
	a.X.dense.cols = 2;
	data_fingerprint(&a, NULL, after);
	assert_memory_not_equal(before, after, SHA256_LEN);
	mat_release(&a.X.dense);
}

/* ---- a person ---- */

struct person {
	double after_s;
	bool yes;
	const char *why;
};

static void *answer(void *arg)
{
	struct person *p = arg;
	struct buf text = { 0 };
	char id[OFFER_ID_TEXT];
	double until = clock_now_s() + 20;

	while (offer_read(d->config.state, "a1", id, &text) != ERR_OK && clock_now_s() < until)
		usleep(10000);
	buf_release(&text);
	usleep((useconds_t)(1e6 * p->after_s));
	assert_ok(offer_answer_write(d->config.state, id, p->yes, p->why, 1));
	return NULL;
}

static enum err ask(struct person *p)
{
	pthread_t thread;
	enum err e;

	if (p)
		pthread_create(&thread, NULL, answer, p);
	e = policy_confirm(&d->config, &d->work, &d->work.leaving->job, &d->work.leaving->spent);
	if (p)
		pthread_join(thread, NULL);
	return e;
}

static void test_nobody_is_asked(void **state)
{
	(void)state;
	open_desk("", KCAGC);
	begin_job();
	assert_ok(ask(NULL));
	assert_int_equal(look().rows, 0);
	close_desk();
}

static void test_agreed(void **state)
{
	struct person p = { 0.2, true, "" };
	struct msg m;

	(void)state;
	open_desk("\"confirm\":true", KCAGC);
	begin_job();
	assert_ok(ask(&p));
	assert_ok(channel_recv(d->hub, MSG_ASKING, &m));
	assert_int_equal(m.asking.within_s, 3600);
	assert_int_equal(look().rows, 1);
	d->work.attempt = 2; /* no second question */
	assert_ok(ask(NULL));
	d->work.params_hash[3] = 1; /* but for another job under the same id */
	d->config.confirm_s = 0;
	assert_err(ask(NULL), ERR_DEADLINE, "nobody at p0 answered within confirm_s, 0 s");
	close_desk();
}

static void test_refused(void **state)
{
	struct person p = { 0, false, "not before Friday" };

	(void)state;
	open_desk("\"confirm\":true", KCAGC);
	begin_job();
	assert_err(ask(&p), ERR_PEER, "a person at p0 refused the job: not before Friday");
	d->work.attempt = 2;
	assert_err(ask(NULL), ERR_PEER, "not before Friday");
	close_desk();
}

static void test_stopped_meanwhile(void **state)
{
	struct json *waiting;

	(void)state;
	open_desk("\"confirm\":true", KCAGC);
	begin_job();
	post_cancel(d->work.post, ERR_CANCELLED, "p0 was stopped");
	assert_err(ask(NULL), ERR_CANCELLED, "p0 was stopped");
	assert_ok(offer_list(d->config.state, &waiting));
	assert_int_equal(json_count(waiting), 0);
	json_free(waiting);
	close_desk();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_purposes),
		cmocka_unit_test(test_privacy_is_booked_once),
		cmocka_unit_test(test_total_privacy),
		cmocka_unit_test(test_two_processes_and_one_total),
		cmocka_unit_test(test_max_rounds),
		cmocka_unit_test(test_two_processes_and_one_budget),
		cmocka_unit_test(test_max_words),
		cmocka_unit_test(test_earlier_counts),
		cmocka_unit_test(test_past),
		cmocka_unit_test(test_other_parties),
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_fingerprint),
		cmocka_unit_test(test_nobody_is_asked),
		cmocka_unit_test(test_agreed),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_stopped_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
