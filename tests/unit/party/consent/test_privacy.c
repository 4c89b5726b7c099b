/* The ledger books each claim of differential privacy once, and policy.max_eps_total bounds the
 * claims of all jobs. */
#include "tests/unit/party/consent/desk.h"
#include "common/privacy/account.h"

#include <math.h>

static double spent_mu(void)
{
	struct ledger_account a;

	assert_ok(ledger_account(d->work.leaving->ledger, &d->work.leaving->job, &a));
	return sqrt(ledger_square(&a, "row"));
}

/* The ledger books a job's claim of differential privacy once, with the first number that
 * leaves. */
TEST(test_privacy_is_booked_once)
{
	struct seen s;
	double mu;

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
	/* Another attempt sends the same noise on the same rows, so it costs nothing. */
	leaving_close(d->work.leaving);
	d->work.attempt = 2;
	begin_job();
	assert_ok(send_sum(4, 2));
	assert_ok(channel_release(d->work.channel));
	assert_true(d->work.leaving->spent.eps_of_job == 2);
	assert_true(fabs(spent_mu() - mu) <= 1e-12);
	/* Another job costs its eps again. */
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

/* policy.max_eps_total counts jobs over other data with the same data set name. Two jobs of eps 1
 * together cost eps 1.465 (tests/vectors/account.inc). */
TEST(test_total_privacy)
{
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
	d->work.leaving->job.set = NULL; /* without the name only jobs over the same data count */
	assert_ok(may_claim());
	d->work.leaving->claims.eps = 0;
	assert_err(may_claim(), ERR_PEER,
		   "kind kmeans claims no differential privacy, policy.max_eps_total of p0 is 1");
	close_desk();
}

/* Another process books its own claim between this process's offer and its first sum. */
TEST(test_two_processes_and_one_total)
{
	struct msg over = { .type = MSG_ABORT, .abort = { ERR_PEER, ENDING_POLICY, { 0 } } };
	struct ledger *other;
	struct ledger_job job;
	char path[256];
	double mu;

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
	assert_ok(channel_send(d->work.channel, &over)); /* the ABORT withdraws the sum */
	assert_true(d->work.leaving->spent.eps_of_job == 0);
	assert_int_equal(d->work.leaving->spent.claims_of_job, 0);
	assert_false(d->work.leaving->booked_claim);
	assert_true(fabs(spent_mu() - mu) <= 1e-12);
	ledger_close(other);
	close_desk();
}

static enum err ask(uint32_t release, uint8_t question)
{
	const uint8_t hash[SHA256_LEN] = { question };

	TRY(d->work.question(&d->work, release, hash));
	TRY(send_sum(4, 4));
	return channel_release(d->work.channel);
}

static void next_attempt(void)
{
	leaving_close(d->work.leaving);
	d->work.leaving = NULL;
	d->work.attempt++;
	begin_job();
}

/* A release is one answer with noise. Over all attempts of a job, the ledger books as many claims
 * as the largest number of different questions that were asked for one release. */
TEST(test_each_question_is_booked)
{
	double mu;

	assert_ok(account_mu(1, 1e-5, &mu));
	open_desk("\"max_eps_total\":1.84", PRIVATE); /* three claims of eps 1 cost 1.835 */
	begin_job();
	for (uint8_t release = 0; release < 3; release++)
		assert_ok(ask(release, release));
	assert_true(fabs(spent_mu() - mu) <= 1e-12);
	/* asks the same questions, and one for a release that attempt 1 did not have */
	next_attempt();
	for (uint8_t release = 0; release < 4; release++)
		assert_ok(ask(release, release));
	assert_true(fabs(spent_mu() - mu) <= 1e-12);
	assert_true(d->work.leaving->spent.eps_of_job == 1);
	/* asks other questions of releases 1 to 3: one more claim covers them all */
	next_attempt();
	assert_ok(ask(0, 0));
	assert_true(fabs(spent_mu() - mu) <= 1e-12);
	for (uint8_t release = 1; release < 4; release++)
		assert_ok(ask(release, 10 + release));
	assert_true(fabs(spent_mu() - sqrt(2) * mu) <= 1e-12);
	assert_true(d->work.leaving->spent.eps_of_job == 2);
	/* release 0 has had one question, so a booked claim covers its second one */
	next_attempt();
	assert_ok(ask(0, 20));
	assert_true(fabs(spent_mu() - sqrt(2) * mu) <= 1e-12);
	assert_ok(ask(1, 21)); /* the third different question of release 1 */
	assert_true(fabs(spent_mu() - sqrt(3) * mu) <= 1e-12);
	assert_ok(ask(2, 22));
	next_attempt();
	assert_ok(ask(1, 1)); /* release 1 has answered this question before */
	assert_ok(ask(2, 12));
	assert_ok(ask(3, 3));
	assert_err(ask(1, 31), ERR_PEER, "policy.max_eps_total of p0 is 1.84");
	assert_int_equal(d->work.ending, ENDING_POLICY);
	assert_true(fabs(spent_mu() - sqrt(3) * mu) <= 1e-12);
	/* Another job is another claim, even with the same question. */
	d->work.job_id[0]++;
	d->config.policy.max_eps_total = 3;
	next_attempt();
	assert_ok(ask(0, 0));
	assert_true(fabs(spent_mu() - 2 * mu) <= 1e-12);
	close_desk();
}

/* A message between a question and its answer does not book the question. An attempt that ends
 * before the answer has not paid; the next attempt pays. */
TEST(test_question_without_an_answer)
{
	const uint8_t hash[SHA256_LEN] = { 1 };
	struct msg key = { .type = MSG_KEY,
			   .key = { .public_key = { (const uint8_t *)"k", 1 },
				    .spki = { (const uint8_t *)"k", 1 },
				    .signature = { (const uint8_t *)"k", 1 } } };
	double mu;

	assert_ok(account_mu(1, 1e-5, &mu));
	open_desk("", PRIVATE);
	begin_job();
	assert_ok(ask(0, 0));
	next_attempt();
	assert_ok(d->work.question(&d->work, 0, hash));
	assert_ok(channel_send(d->work.channel, &key));
	assert_ok(channel_release(d->work.channel));
	next_attempt();
	assert_ok(ask(0, 1));
	assert_true(fabs(spent_mu() - sqrt(2) * mu) <= 1e-12);
	next_attempt();
	assert_ok(d->work.question(&d->work, 0, (const uint8_t[SHA256_LEN]){ 2 }));
	assert_ok(channel_send(d->work.channel, &key));
	assert_ok(channel_release(d->work.channel));
	assert_ok(send_sum(4, 4)); /* a sum sent later answers the question */
	assert_ok(channel_release(d->work.channel));
	assert_true(fabs(spent_mu() - sqrt(3) * mu) <= 1e-12);
	next_attempt();
	assert_ok(ask(0, 2));
	assert_true(fabs(spent_mu() - sqrt(3) * mu) <= 1e-12);
	close_desk();
}

/* policy.max_eps bounds all questions of the job together. */
TEST(test_questions_within_max_eps)
{
	open_desk("\"max_eps\":1.4,\"max_delta\":1e-5", PRIVATE);
	begin_job();
	assert_ok(ask(0, 0));
	next_attempt();
	assert_ok(ask(0, 0));
	assert_ok(ask(1, 1));
	next_attempt();
	assert_err(ask(0, 1), ERR_PEER,
		   "with which the job would come to eps 1.465 at delta 1e-05, policy.max_eps of "
		   "p0 is 1.4");
	d->config.policy.max_eps = 1.5;
	assert_ok(ask(0, 1));
	close_desk();
}

/* In a job of a kind that makes no claim, but hides ties by noise, a party answers only one
 * question. */
TEST(test_one_question)
{
	open_desk("\"jobs\":[\"fedwalk\"]",
		  "{\"kind\":\"fedwalk\",\"mode\":\"randomized-response\",\"eps\":1}");
	begin_job();
	assert_ok(ask(0, 0));
	next_attempt();
	assert_ok(ask(0, 0));
	next_attempt();
	assert_err(ask(0, 1), ERR_PEER, "asks another question than an earlier attempt");
	d->work.job_id[0]++;
	next_attempt();
	assert_ok(ask(0, 1));
	close_desk();
}

static void copy_ledger(const char *from, const char *to)
{
	char command[256];

	snprintf(command, sizeof(command), "cd '%s' && cp %s %s", d->config.state, from, to);
	assert_int_equal(system(command), 0);
}

/* The party finds that a copy of its ledger from before a claim has replaced the ledger. It accepts
 * the newest copy. */
TEST(test_older_ledger)
{
	open_desk("", PRIVATE);
	begin_job();
	leaving_close(d->work.leaving);
	copy_ledger("ledger.db", "empty.db");
	begin_job();
	assert_ok(ask(0, 0));
	leaving_close(d->work.leaving);
	copy_ledger("ledger.db", "newest.db");
	copy_ledger("empty.db", "ledger.db");
	assert_err(leaving_open(&d->work.leaving, &d->config, &d->work, true, d->data), ERR_INPUT,
		   "is older than noise.key, or another ledger");
	d->work.leaving = NULL;
	copy_ledger("newest.db", "ledger.db");
	begin_job();
	assert_ok(ask(0, 0));
	close_desk();
}

/* All attempts at a job must use the same data set. */
TEST(test_attempts_over_other_data)
{
	struct leaving *l;

	open_desk("", PRIVATE);
	begin_job();
	assert_ok(ask(0, 0));
	d->data[0]++;
	next_attempt();
	l = d->work.leaving;
	assert_err(policy_check_past(&d->config, l->ledger, &l->job, &l->spent), ERR_PEER,
		   "attempt 2 is offered over other data than attempt 1 of this job");
	d->data[0]--;
	next_attempt();
	l = d->work.leaving;
	assert_ok(policy_check_past(&d->config, l->ledger, &l->job, &l->spent));
	close_desk();
}
