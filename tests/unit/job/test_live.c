/* Tests the snapshot of running jobs and peers, and its output as JSON and as metrics. */
#include "tests/test.h"

#include "common/job/kinds.h"
#include "common/job/live.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct job job;
static struct record record;

static void begin(uint8_t number, uint32_t attempt)
{
	const char *const names[] = { "a", "b" };
	uint8_t id[16] = { number };

	record_start(&record, &job, id, attempt, names, 2);
}

static int set_up(void **state)
{
	static const char text[] = "{\"kind\": \"kcagc\", \"method\": \"tree\", \"clusters\": 3, "
				   "\"filter\": {\"order\": 3}}";

	assert_ok(
	    job_parse(&job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "job", NULL));
	(void)state;
	record_init(&record, "coordinator", "hub");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	record_release(&record);
	return 0;
}

static double number(const char *metric)
{
	struct live *l = live_copy();
	struct buf text = { 0 };
	const char *at;
	double value = -1;

	live_metrics(l, &text);
	buf_add(&text, "", 1);
	at = strstr((char *)text.p, metric);
	if (at)
		value = strtod(at + strlen(metric), NULL);
	buf_release(&text);
	free(l);
	return value;
}

/* Records an attempt with this number of rounds in its phase "level-1". */
static void attempt(unsigned rounds)
{
	record_phase(&record, "level-1");
	record_now(&record)->rounds = rounds;
	record_step(&record, &(struct link_times){ .wait_s = 0.25, .round_trips = 1 });
}

#define ROUNDS "coterie_rounds_total{kind=\"kcagc\",phase=\"level-1\"} "
#define DONE   "coterie_jobs_done_total{kind=\"kcagc\"} "
#define FAILED "coterie_jobs_failed_total{kind=\"kcagc\",cause=\"peer\"} "

TEST(counters_go_on_over_attempts_and_jobs)
{
	begin(1, 1);
	assert_int_equal(number("coterie_jobs{state=\"waiting\"} "), 1);
	attempt(3);
	assert_int_equal(number("coterie_jobs{state=\"waiting\"} "), 0);
	assert_int_equal(number("coterie_jobs{state=\"running\"} "), 1);
	assert_int_equal(number(ROUNDS), 3);
	record_now(&record)->rounds = 5;
	record_step(&record, &(struct link_times){ 0 });
	assert_int_equal(number(ROUNDS), 5);
	record_end(&record, ERR_PEER, "b left"); /* another attempt follows */
	assert_int_equal(number("coterie_jobs{state=\"running\"} "), 1);
	begin(1, 2);
	attempt(4);
	assert_int_equal(number(ROUNDS), 9);
	record_end(&record, ERR_OK, "");
	live_job_ended(&record);
	live_job_ended(&record); /* counts the job once */
	assert_int_equal(number(DONE), 1);
	assert_int_equal(number(FAILED), 0);
	assert_int_equal(number("coterie_jobs{state=\"running\"} "), 0);
	begin(2, 1);
	attempt(1);
	record_end(&record, ERR_PEER, "b left");
	live_job_ended(&record);
	assert_int_equal(number(ROUNDS), 10);
	assert_int_equal(number(FAILED), 1);
	assert_int_equal(
	    number(
		"coterie_phase_seconds_total{kind=\"kcagc\",phase=\"level-1\",spent=\"wait\"} ") *
		4,
	    3);
}

/* Publishes a link that has sent and received these bytes in messages of two types. */
static const struct link_state *link_says(const char *peer, const char *of_job, uint64_t sent,
					  uint64_t received)
{
	static struct link_state link;

	link = (struct link_state){ .rtt_s = 0.5,
				    .types = 2,
				    .type = { { .bytes_sent = sent / 2 },
					      { .bytes_sent = sent - sent / 2,
						.bytes_received = received } } };
	snprintf(link.peer, sizeof(link.peer), "%s", peer);
	snprintf(link.job, sizeof(link.job), "%s", of_job);
	live_link(&link);
	return &link;
}

TEST(bytes_of_links_go_on_too)
{
	char id[33] = "03000000000000000000000000000000";

	begin(3, 1);
	live_peer("127.0.0.1:1", false);
	live_peer("127.0.0.1:1", true);
	live_peer_hello("127.0.0.1:1", "hub", "127.0.0.1:1", "coterie \"x\"\n");
	link_says("hub", "", 60, 5); /* the job of the link is not known yet */
	link_says("hub", id, 100, 7);
	link_says("hub", id, 150, 8);
	live_link_ends(link_says("hub", id, 150, 8));
	link_says("hub", id, 20, 0);
	assert_int_equal(number("coterie_sent_bytes_total{kind=\"kcagc\"} "), 170);
	assert_int_equal(number("coterie_received_bytes_total{kind=\"kcagc\"} "), 8);
	assert_int_equal(number("coterie_peer_connected{peer=\"hub\"} "), 1);
	live_peer("127.0.0.1:1", false);
	live_peer("127.0.0.1:1", false); /* a second call changes nothing */
	assert_int_equal(number("coterie_peer_connected{peer=\"hub\"} "), 0);
	assert_int_equal(number("coterie_peer_disconnects_total{peer=\"hub\"} "), 1);
	link_says("stranger", id, 5, 0); /* an unknown peer */
	assert_int_equal(number("coterie_sent_bytes_total{kind=\"kcagc\"} "), 170);
	record_end(&record, ERR_OK, "");
	live_job_ended(&record);
}

TEST(an_awaited_approval_is_a_state)
{
	char id[33] = "05000000000000000000000000000000";
	struct json *o, *names = json_object(), *list = json_put_array(names, "names");
	const struct json *j;
	struct live *l;

	begin(5, 1);
	attempt(1);
	live_peer("bank-a", true);
	live_peer("bank-b", true);
	live_awaits("bank-a", id, true);
	live_awaits("bank-b", id, true);
	live_awaits("bank-b", "", false);
	assert_int_equal(number("coterie_jobs{state=\"awaiting approval\"} "), 1);
	assert_int_equal(number("coterie_jobs{state=\"running\"} "), 0);
	l = live_copy();
	assert_int_equal(live_awaited(l, "", NULL), 0);
	assert_int_equal(live_awaited(l, id, list), 1);
	assert_string_equal(json_string(json_first(list)), "bank-a");
	o = live_json(l);
	for (j = json_first(json_get(o, "jobs")); strcmp(json_text(j, "id"), id); j = json_next(j))
		;
	assert_string_equal(json_text(j, "state"), "awaiting approval");
	json_free(o);
	json_free(names);
	free(l);
	live_link_ends(&(struct link_state){ .peer = "bank-a" }); /* as if bank-a declined */
	assert_int_equal(number("coterie_jobs{state=\"awaiting approval\"} "), 0);
	assert_int_equal(number("coterie_jobs{state=\"running\"} "), 1);
	record_end(&record, ERR_PEER, "bank-a declined");
	live_job_ended(&record);
}

TEST(labels_are_escaped)
{
	struct buf labels = { 0 };

	live_label(&labels, "a", "one");
	live_label(&labels, "b", "\"two\\\n\"");
	buf_add(&labels, "", 1);
	assert_string_equal((char *)labels.p, "a=\"one\",b=\"\\\"two\\\\\\n\\\"\"");
	buf_release(&labels);
}

TEST(the_status_is_json)
{
	struct live *l;
	struct json *o;
	struct buf text = { 0 };

	live_begin("party", "bank-\"a\"", "/tmp");
	begin(4, 1);
	record_phase(&record, "offer");
	record_phase(&record, "keys");
	l = live_copy();
	o = live_json(l);
	assert_string_equal(json_text(o, "role"), "party");
	json_write(o, &text);
	json_free(o);
	assert_ok(json_parse((struct bytes){ text.p, text.n }, "status", &o));
	assert_string_equal(json_text(o, "name"), "bank-\"a\"");
	json_free(o);
	buf_release(&text);
	free(l);
}

TEST(a_loop_that_stands_is_not_well)
{
	struct live *l;
	char why[256];

	live_begin("party", "bank-a", "/tmp");
	live_alive(2);
	l = live_copy();
	assert_true(live_is_well(l, why));
	l->alive_s -= 19;
	assert_true(live_is_well(l, why));
	l->alive_s -= 2;
	assert_false(live_is_well(l, why));
	assert_non_null(strstr(why, "the loop of bank-a has not come round for 21 s"));
	free(l);
}

TEST(tables_that_are_full_lose_nothing)
{
	char name[16];

	for (int i = 0; i < 2 * LIVE_SERIES_MAX; i++) {
		if (i % 60 == 0)
			begin((uint8_t)(10 + i / 60), 1);
		snprintf(name, sizeof(name), "phase-%d", i);
		record_phase(&record, name);
		record_now(&record)->rounds = 1;
		record_step(&record, &(struct link_times){ 0 });
	}
	assert_int_equal(number("coterie_rounds_total{kind=\"kcagc\",phase=\"phase-0\"} "), 1);
	assert_int_equal(number("coterie_rounds_total{kind=\"kcagc\",phase=\"other\"} "),
			 2 * LIVE_SERIES_MAX - (LIVE_SERIES_MAX - 1 - 3));
	for (int i = 0; i < 3 * LIVE_JOBS_MAX; i++) { /* more jobs than the table holds */
		begin((uint8_t)(100 + i), 1);
		record_end(&record, ERR_OK, "");
		live_job_ended(&record);
	}
	for (int i = 0; i < 2 * LIVE_PEERS_MAX; i++) {
		snprintf(name, sizeof(name), "peer-%d", i);
		live_peer(name, true);
	}
	assert_true(number("coterie_peers_connected ") <= LIVE_PEERS_MAX);
}

static void *run_jobs(void *number)
{
	struct record *r = calloc(1, sizeof(*r));
	const char *const names[] = { "a", "b" };
	uint8_t id[16] = { 200, *(uint8_t *)number };

	record_init(r, "coordinator", "hub");
	for (unsigned i = 1; i <= 50; i++) {
		record_start(r, &job, id, i, names, 2);
		for (int p = 0; p < 10; p++) {
			record_phase(r, "raced");
			record_now(r)->rounds = 1;
			record_step(r, &(struct link_times){ 0 });
		}
	}
	record_end(r, ERR_OK, "");
	live_job_ended(r);
	record_release(r);
	free(r);
	return NULL;
}

TEST(threads_lose_no_count)
{
	pthread_t thread[4];
	uint8_t n[4] = { 0, 1, 2, 3 };
	double before = number("coterie_rounds_total{kind=\"kcagc\",phase=\"other\"} ");

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, run_jobs, &n[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(number("coterie_rounds_total{kind=\"kcagc\",phase=\"other\"} ") - before,
			 4 * 50 * 10);
}

TESTS_BETWEEN(set_up, tear_down)
