/* Tests run.json: it has all recorded values, and a failed job has a run.json, too. */
#include "tests/test.h"

#include "common/base/file.h"
#include "common/base/json.h"
#include "common/job/record.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct record r;

static void start_again(uint32_t attempt)
{
	static const char text[] = "{\"kind\": \"kcagc\", \"method\": \"tree\", \"clusters\": 2, "
				   "\"filter\": {\"order\": 3}}";
	static const char *const names[] = { "a", "b" };
	uint8_t id[16] = { 0xab, 1 };
	struct job job;

	assert_ok(job_parse(&job, (struct bytes){ (const uint8_t *)text, sizeof(text) - 1 }, "job",
			    NULL));
	record_start(&r, &job, id, attempt, names, 2);
}

static void start(void)
{
	record_init(&r, "coordinator", "hub");
	start_again(3);
}

/* Returns the record as JSON; the caller frees it. */
static struct json *written(void)
{
	struct buf text = { 0 };
	struct json *v;

	record_json(&r, &text);
	assert_ok(json_parse((struct bytes){ text.p, text.n }, "run.json", &v));
	buf_release(&text);
	return v;
}

static const struct json *at(const struct json *v, const char *key, size_t i)
{
	const struct json *m = json_first(json_get(v, key));

	while (i--)
		m = json_next(m);
	return m;
}

static double number(const struct json *v, const char *key)
{
	return json_number(json_get(v, key));
}

static const char *string(const struct json *v, const char *key)
{
	return json_string(json_get(v, key));
}

TEST(test_record_of_a_job_that_ended_well)
{
	static const uint32_t label[] = { 0, 1, 1, 1, 0 };
	struct json *v;

	start();
	record_step(&r, &(struct link_times){ 7, 7, 7 }); /* no phase yet, so not counted */
	record_phase(&r, "local");
	record_step(&r, &(struct link_times){ 0, 0, 1 });
	record_phase(&r, "level-1");
	record_now(&r)->rounds = 6;
	record_now(&r)->iterations = 5;
	record_step(&r, &(struct link_times){ 600, 500, 2 }); /* times exceed the phase's length */
	record_step(&r, &(struct link_times){ 400, 0, 3 });
	record_phase(&r, "polish");
	record_now(&r)->rounds = 3;
	record_now(&r)->iterations = 3;
	record_sum(&r, &(struct record_sum){ .group = 4,
					     .items = 9,
					     .iterations = 2,
					     .inertia = 5,
					     .objective = (double[]){ 6, 5 },
					     .objectives = 2 });
	record_step(&r, &(struct link_times){ 0 });
	record_data(&r, "/", NULL, NULL, NULL);
	record_link(&r, &(struct link_state){ .peer = "a",
					      .rtt_s = 1.5e-3,
					      .congestion = "cubic",
					      .reconnects = 3,
					      .resent = 4000,
					      .types = 1,
					      .type = { { 30, "MASKED", 1, 2, 30, 40 } } });
	record_result(&r, label, 5, 2);
	record_end(&r, ERR_OK, "");
	assert_int_equal(record_rounds(&r), 9);
	v = written();
	assert_true(number(v, "schema_version") == 1 && number(v, "attempt") == 3 &&
		    number(v, "rounds") == 9);
	assert_int_equal(json_count(json_get(v, "attempts")), 0);
	assert_true(number(v, "round_trips") == 6);
	assert_true(number(v, "round_trips_bound") == 3.5 + 6 + 1 + 3);
	assert_string_equal(string(v, "status"), "done");
	assert_int_equal(json_type(json_get(v, "error")), JSON_NULL);
	assert_string_equal(string(v, "job_id"), "ab010000000000000000000000000000");
	assert_true(number(json_get(v, "job"), "clusters") == 2);
	assert_string_equal(string(json_get(v, "job"), "method"),
			    /* The file has the full effective job. */
			    "tree");
	assert_string_equal(json_string(at(v, "parties", 1)), "b");
	assert_string_equal(string(at(v, "phases", 1), "name"), "level-1");
	assert_true(number(at(v, "phases", 1), "wait_s") == 1000 &&
		    number(at(v, "phases", 1), "wire_s") == 500);
	assert_true(number(at(v, "phases", 1), "compute_s") == 0); /* the time is never negative */
	assert_true(number(at(v, "phases", 1), "rounds") == 6 &&
		    number(at(v, "phases", 1), "iterations") == 5);
	assert_int_equal(json_count(json_get(v, "phases")), 3);
	assert_int_equal(json_count(json_get(v, "steps")), 4);
	assert_true(number(at(v, "steps", 2), "phase") == 1 &&
		    number(at(v, "steps", 2), "wait_s") == 400 &&
		    number(at(v, "steps", 2), "round_trips") == 3);
	assert_true(number(at(v, "steps", 2), "start_s") >= number(at(v, "steps", 1), "start_s"));
	assert_true(number(at(json_get(v, "result"), "sums", 0), "phase") == 2);
	assert_true(json_number(at(at(json_get(v, "result"), "sums", 0), "objective", 1)) == 5);
	assert_string_equal(string(json_get(v, "data"), "features"), "/");
	assert_true(number(at(v, "traffic", 0), "bytes_received") == 40);
	assert_true(number(at(v, "peers", 0), "reconnects") == 3);
	assert_true(number(at(v, "peers", 0), "bytes_resent") == 4000);
	assert_true(json_number(at(json_get(v, "result"), "cluster_sizes", 0)) == 2);
	assert_true(json_number(at(json_get(v, "result"), "cluster_sizes", 1)) == 3);
	assert_true(json_count(json_get(v, "leaks")) > 3);
	json_free(v);
	record_release(&r);
}

TEST(test_record_of_a_failed_job)
{
	struct json *v;

	start();
	record_phase(&r, "local");
	record_end(&r, ERR_PEER, "party a left");
	v = written();
	assert_string_equal(string(v, "status"), "failed");
	assert_string_equal(string(v, "error"), "party a left");
	assert_true(number(v, "exit_status") == ERR_PEER);
	assert_int_equal(json_type(json_get(v, "result")), JSON_NULL);
	json_free(v);
	record_release(&r);
}

TEST(test_written)
{
	char dir[] = "/tmp/coterie-test-XXXXXX", path[64];
	struct json *v;

	assert_non_null(mkdtemp(dir));
	start();
	record_end(&r, ERR_OK, "");
	assert_ok(record_write(&r, dir));
	snprintf(path, sizeof(path), "%s/run.json", dir);
	assert_ok(json_read(path, 1 << 20, &v));
	assert_string_equal(string(v, "name"), "hub");
	json_free(v);
	unlink(path);
	rmdir(dir);
	assert_err(record_write(&r, dir), ERR_JOB, "run.json");
	record_release(&r);
}

/* The record names a ledger only if there is one; a coordinator's record names only ledgers of
 * peers. */
TEST(test_ledger)
{
	static const uint8_t hash[32] = { 0xab, [31] = 0x01 };
	const struct json *ledger;
	struct json *v;

	start();
	v = written();
	assert_null(json_get(v, "ledger"));
	json_free(v);
	record_peer_ledger(&r, "b", 7, hash);
	v = written();
	ledger = json_get(v, "ledger");
	assert_null(json_get(ledger, "count"));
	assert_true(number(json_get(json_get(ledger, "peers"), "b"), "count") == 7);
	json_free(v);
	record_ledger(&r, 12, hash);
	v = written();
	ledger = json_get(v, "ledger");
	assert_true(number(ledger, "count") == 12);
	assert_string_equal(string(ledger, "hash"),
			    "ab00000000000000000000000000000000000000000000000000000000000001");
	json_free(v);
	record_release(&r);
	start(); /* another job */
	v = written();
	assert_null(json_get(v, "ledger"));
	json_free(v);
	record_release(&r);
}

/* The record lists the attempts that ended before the current one. */
TEST(test_attempts)
{
	struct json *v;

	start();
	record_past(&r, 1, -1, "hub was started again");
	record_past(&r, 2, 1.5, "a did not come back");
	start_again(3);
	v = written();
	assert_int_equal(json_count(json_get(v, "attempts")), 2);
	assert_true(number(at(v, "attempts", 0), "attempt") == 1);
	assert_int_equal(json_type(json_get(at(v, "attempts", 0), "elapsed_s")), JSON_NULL);
	assert_true(number(at(v, "attempts", 1), "elapsed_s") == 1.5);
	assert_string_equal(string(at(v, "attempts", 1), "cause"), "a did not come back");
	json_free(v);
	for (unsigned i = 0; i < 2 * RECORD_ATTEMPTS_MAX; i++)
		record_past(&r, i, 0, "");
	assert_int_equal(r.attempts.count, RECORD_ATTEMPTS_MAX);
	record_release(&r);
}

/* Returns run.json of `dir`; the caller frees it. */
static struct json *on_disk(const char *dir)
{
	char *path = file_join(dir, "run.json");
	struct json *v = NULL;

	assert_ok(json_read(path, 1 << 20, &v));
	free(path);
	return v;
}

/* record_abandon() writes into run.json that the job failed, for a process that ends without the
 * disk space or memory for a new record. */
TEST(test_abandoned)
{
	char dir[] = "/tmp/coterie-record-XXXXXX", path[64];
	struct json *v;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/run.json", dir);
	start();
	assert_ok(record_write(&r, dir));
	v = on_disk(dir);
	assert_string_equal(string(v, "status"), "running");
	json_free(v);
	record_abandon(ERR_INTERNAL);
	v = on_disk(dir);
	assert_string_equal(string(v, "status"), "failed");
	assert_true(number(v, "exit_status") == ERR_INTERNAL);
	assert_string_equal(string(v, "name"), "hub");
	json_free(v);
	record_end(&r, ERR_OK, "");
	assert_ok(record_write(&r, dir)); /* the record of an ended job does not change */
	record_abandon(ERR_INTERNAL);
	v = on_disk(dir);
	assert_string_equal(string(v, "status"), "done");
	json_free(v);
	unlink(path);
	rmdir(dir);
	record_release(&r);
}

/* If the disk has no room for a new file, record_write() fails, but writes the end of the job,
 * failed or done, into the old file. */
TEST(test_full_disk)
{
	char dir[] = "/tmp/coterie-record-XXXXXX", path[64];
	struct rlimit was, full;
	struct json *v;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	full = (struct rlimit){ 1024, was.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/run.json", dir);
	for (int i = 0; i < 2; i++) {
		start();
		assert_ok(record_write(&r, dir));
		record_end(&r, i ? ERR_OK : ERR_JOB, i ? "" : "no room");
		setrlimit(RLIMIT_FSIZE, &full);
		assert_int_equal(record_write(&r, dir), ERR_JOB);
		setrlimit(RLIMIT_FSIZE, &was);
		v = on_disk(dir);
		assert_string_equal(string(v, "status"), i ? "done" : "failed");
		assert_true(number(v, "exit_status") == (i ? ERR_OK : ERR_JOB));
		json_free(v);
		record_release(&r);
	}
	unlink(path);
	rmdir(dir);
}

/* A job with a range of k records the curves; a job with a single k records no curves. */
TEST(test_selection)
{
	struct selection s = { .from = 2 };

	record_init(&r, "coordinator", "hub");
	record_selection(&r, &s);
	assert_int_equal(r.facts.count, 0);
	for (unsigned i = 0; i < 3; i++)
		selection_add(&s, (struct selection_point){ .silhouette = i == 1 ? 0.5 : 0.25 });
	record_selection(&r, &s);
	assert_int_equal(r.facts.count, 6);
	assert_string_equal(r.facts.item[0].name, "selection_k");
	assert_true(r.facts.item[0].value[0] == 3 && r.facts.item[1].value[0] == 0.25);
	assert_int_equal(r.facts.item[4].values, 3);
	s.has_gap = true;
	record_selection(&r, &s);
	assert_int_equal(r.facts.count, 7);
	record_release(&r);
}

/* If all values are 1, their mean and the share of the last tenth are exactly 1, for any number of
 * rows. */
TEST(test_confidence_is_at_most_1)
{
	enum { MOST = 300 };
	double one[MOST];

	for (size_t i = 0; i < MOST; i++)
		one[i] = 1;
	for (size_t n = 1; n <= MOST; n++) {
		struct json *v;
		const struct json *facts;

		start();
		record_confidence(&r, one, n);
		v = written();
		facts = json_get(v, "facts");
		assert_true(number(facts, "confidence") == 1);
		assert_true(json_number(at(facts, "confidence_tenths", 9)) == 1);
		json_free(v);
		record_release(&r);
	}
}
