/* The ledger records each message that leaves a party, and the policy's budgets bound the
 * messages. */
#include "tests/unit/party/consent/desk.h"
#include "party/daemon/data.h"

/* ---- rows ---- */

TEST(test_rows)
{
	struct msg key = { .type = MSG_KEY,
			   .key = { .public_key = { (const uint8_t *)"k", 1 },
				    .spki = { (const uint8_t *)"k", 1 },
				    .signature = { (const uint8_t *)"k", 1 } } };
	struct seen s;

	open_desk("", KCAGC);
	begin_job();
	assert_ok(channel_send(d->work.channel, &key));
	assert_ok(send_sum(10, 4));
	assert_int_equal(look().rows, 0); /* nothing has left yet */
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

TEST(test_purposes)
{
	static const uint8_t bytes[64];

	open_desk("", KCAGC);
	purpose_is(&(struct msg){ .type = MSG_LOCAL_CLUSTERS,
				  .labels = { .values = 3, .count = 30, .packed = { bytes, 8 } } },
		   "local cluster of each node, unmasked", 30);
	purpose_is(&(struct msg){ .type = MSG_UPLOAD, .reals = { .values = { bytes, 64 } } },
		   "coefficients of each row, unmasked", 8);
	purpose_is(&(struct msg){ .type = MSG_IDS, .ids = { .count = 4, .packed = { bytes, 64 } } },
		   "hashed id of each node", 4);
	purpose_is(&(struct msg){ .type = MSG_SEALED, .sealed = { .what = 1, .to = 2 } },
		   "sealed for p2, which alone can open it: key of the hashed ids", 0);
	/* The sealed batch holds 8 numbers. The ledger counts them, because the party that opens
	 * the batch has these numbers. */
	purpose_is(
	    &(struct msg){ .type = MSG_SEALED,
			   .sealed = { .what = SEALED_TIES, .to = 2, .box = { bytes, 64 } } },
	    "sealed for p2, which alone can open it: ties to its vertices", 8);
	purpose_is(&(struct msg){ .type = MSG_DONE },
		   "that results are written; how far this ledger reaches", 0);
	d->work.sum = (struct work_sum){ { 0, 1, 2 }, 3, 4 };
	purpose_is(&(struct msg){ .type = MSG_MASKED, .masked = { .words = { bytes, 64 } } },
		   "masked term of a sum over p0, p1, p2", 16);
	close_desk();
}

/* ---- budgets ---- */

/* Two processes share one state folder. Each has its own count of the words that it has sent;
 * together they may not exceed policy.max_words. */
TEST(test_two_processes_and_one_budget)
{
	struct ledger *other;
	char path[256];

	open_desk("\"max_words\":12", KCAGC);
	begin_job();
	assert_ok(send_sum(4, 2));
	assert_ok(channel_release(d->work.channel));
	/* The other process has sent two sums of the same data to the same coordinator. */
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
	assert_ok(send_sum(4, 4)); /* the sum is held until the ledger has recorded it */
	assert_err(channel_release(d->work.channel), ERR_PEER, "policy.max_words of p0 is 12");
	ledger_close(other);
	close_desk();
}

/* policy.max_words counts a whole vector before its first chunk leaves. */
TEST(test_max_words)
{
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

/* The budgets include earlier attempts: each attempt counts as a job, and its sums count. */
TEST(test_earlier_counts)
{
	open_desk("\"max_words\":12,\"max_jobs\":2", KCAGC);
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
	assert_err(send_sum(4, 4), ERR_PEER, "policy.max_words of p0 is 12");
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

TEST(test_past)
{
	struct ledger_spent none = { 0 }, some = { .jobs = 3, .rounds = 40, .words = 1000 };

	past("", &some, "hub", "");
	past("\"coordinators\":[\"hub\"]", &none, "hub", "");
	past("\"coordinators\":[\"hub\"]", &none, "p1",
	     "offered by p1, which policy.coordinators of p0 does not name");
	past("\"max_jobs\":4", &some, "hub", "");
	past("\"max_jobs\":3", &some, "hub", "it would be job 4 of hub");
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

TEST(test_other_parties)
{
	other_parties("", "the offered job is of p0 p1, but an earlier one over the same data was "
			  "of p0 p1 p2: policy.allow_subsets of p0 is false");
	other_parties("\"allow_subsets\":true", "");
}

/* ---- heads ---- */

TEST(test_heads)
{
	struct msg_done *done;

	ALLOC(done, 1);
	open_desk("", KCAGC);
	begin_job();
	assert_ok(send_sum(4, 2));
	assert_ok(leaving_fill_head(d->work.leaving, done));
	assert_int_equal(done->heads, 1);
	assert_int_equal(done->head[0].count, 2); /* the count includes held messages */
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
		   "hub sent DONE with another head of p0's ledger than it received");
	leaving_record(d->work.leaving);
	assert_int_equal(d->record.ledger.count, 2);
	close_desk();
	free(done);
}

/* ---- the data ---- */

TEST(test_fingerprint)
{
	struct dataset a = { .n = 2 };
	uint8_t before[SHA256_LEN], after[SHA256_LEN];

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
