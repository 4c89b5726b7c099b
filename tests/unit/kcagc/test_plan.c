/* A plan's costs and choice, against ones by hand; how the link is measured; and that nothing
 * forbidden is taken. */
#include "server/kcagc/plan.h"
#include "common/base/rng.h"
#include "common/kcagc/job.h"
#include "tests/unit/server/run/fake.h"

#include <math.h>
#include <stdio.h>

enum { N = 24, L = 4 };

static const char base[] =
    "{\"kind\":\"kcagc\",\"clusters\":2,\"local_clusters\":%d,\"filter\":{\"order\":1},"
    "\"starts\":8,\"restarts\":4,\"screen\":3,\"iterations\":10,\"inner_restarts\":2,"
    "\"inner_iterations\":5,\"plan\":\"auto\"%s}";

struct desk {
	struct fake f;
	uint32_t own[L][N];
	const uint32_t *label[L];
};

/* Four parties with three clusters each of 24 nodes: parties 0 and 1 cut them into 9 cells, 2 and 3
 * are alike and make 3. All together make 9. */
static void desk_open(struct desk *d, int local, const char *more)
{
	char job[512];

	snprintf(job, sizeof(job), base, local, more);
	fake_open(&d->f, L, N, job);
	run_phase(&d->f.run, "plan");
	for (uint32_t i = 0; i < N; i++) {
		d->own[0][i] = i % 3;
		for (size_t l = 1; l < L; l++)
			d->own[l][i] = i / 3 % 3;
	}
	for (size_t l = 0; l < L; l++)
		d->label[l] = d->own[l];
}

static const struct record_link slow = { .rtt_s = 0.5, .bytes_per_s = 1e6 };

static void check_cost(const struct desk *d, enum kcagc_method method, enum kcagc_exchange exchange,
		       unsigned rounds, unsigned round_trips, double words, bool guessed)
{
	struct record_plan p;
	double bytes = words * d->f.run.job.modulus_bits / 8;

	plan_cost(&d->f.run, d->label, method, exchange, &slow, &p);
	assert_string_equal(p.method, kcagc_method_names[method]);
	assert_string_equal(p.exchange, kcagc_exchange_names[exchange]);
	if (p.rounds != rounds || p.round_trips != round_trips || p.words != words ||
	    p.guessed != guessed)
		fail_msg("%s, %s: %u rounds, %u round trips, %.0f words, %s; expected %u, %u, "
			 "%.0f",
			 p.method, p.exchange, p.rounds, p.round_trips, p.words,
			 p.guessed ? "guessed" : "counted", rounds, round_trips, words);
	assert_true(p.bytes == bytes);
	assert_true(fabs(p.seconds - (round_trips * 0.5 + bytes / 1e6)) < 1e-9);
	assert_false(p.taken);
	assert_null(p.why_not);
}

/* By hand, with 8 starts for 1 + 3 steps and 4 for the other 7: 60 distances of each item to each
 * centre at the root; at an inner node 2 starts for 1 + 5 steps: 12. And a canary in each round. */
static void test_costs_by_hand(void **state)
{
	const double polish = 3 * (N * 2 + 1) * L;
	struct desk d;

	(void)state;
	desk_open(&d, 3, "");
	check_cost(&d, METHOD_BASIC, EXCHANGE_DISTANCES, 11, 12, (60 * N * 2 + 11) * L, false);
	check_cost(&d, METHOD_FLAT, EXCHANGE_DISTANCES, 11 + 3, 12 + 3,
		   (60 * 9 * 2 + 11) * L + polish, false);
	check_cost(&d, METHOD_FLAT, EXCHANGE_GRAM, 1 + 3, 2 + 3, 46 * L + polish, false);
	/* 9 cells and 3, of 9 there could be: 6 of 9 at the root are guessed. The second pair has
	 * no more cells than clusters and sums nothing. */
	check_cost(&d, METHOD_TREE, EXCHANGE_DISTANCES, 6 + 11 + 3, 7 + 12 + 3,
		   (12 * 9 * 3 + 6) * 2 + (60 * 6 * 2 + 11) * L + polish, true);
	check_cost(&d, METHOD_TREE, EXCHANGE_GRAM, 1 + 1 + 3, 2 + 2 + 3, 46 * 2 + 22 * L + polish,
		   true);
	fake_close(&d.f);
}

/* Variations of it: no 1/9 step; all starts go on; words of 64 bits; no polish. */
static void test_costs_of_other_jobs(void **state)
{
	struct desk d;

	(void)state;
	desk_open(&d, 3, ",\"ninth\":false");
	check_cost(&d, METHOD_BASIC, EXCHANGE_DISTANCES, 10, 11, (52 * N * 2 + 10) * L, false);
	fake_close(&d.f);
	desk_open(&d, 3, ",\"secure_sum\":{\"modulus_bits\":64}");
	kcagc_job(&d.f.run.job)->restarts = 8;
	check_cost(&d, METHOD_BASIC, EXCHANGE_DISTANCES, 11, 12, (88 * N * 2 + 11) * L, false);
	kcagc_job(&d.f.run.job)->screen = 20; /* later than the last step */
	kcagc_job(&d.f.run.job)->restarts = 2;
	check_cost(&d, METHOD_BASIC, EXCHANGE_DISTANCES, 11, 12, (88 * N * 2 + 11) * L, false);
	kcagc_job(&d.f.run.job)->polish = 0;
	check_cost(&d, METHOD_FLAT, EXCHANGE_GRAM, 1, 2, 46 * L, false);
	fake_close(&d.f);
}

/* Cells of fewer than 3 nodes are merged before they are counted. */
static void test_costs_of_merged_cells(void **state)
{
	struct desk d;

	(void)state;
	desk_open(&d, 3, ",\"min_cell\":3");
	/* 24 nodes: six of the nine cells have 3 nodes, three have 2 and join one of those */
	check_cost(&d, METHOD_FLAT, EXCHANGE_GRAM, 1, 2, 22 * L, false);
	fake_close(&d.f);
}

/* ---- what is taken ---- */

static const struct record_plan *choose(struct desk *d, const struct record_link *link)
{
	const struct record_plan *best = NULL, *plan = d->f.record.plan;

	plan_choose(&d->f.run, d->label, link);
	assert_int_equal(d->f.record.plans, RECORD_PLANS);
	assert_memory_equal(&d->f.record.link, link, sizeof(*link));
	for (size_t i = 0; i < RECORD_PLANS; i++) {
		if (plan[i].taken) {
			assert_null(best);
			best = &plan[i];
		}
	}
	assert_non_null(best);
	for (size_t i = 0; i < RECORD_PLANS; i++) /* the cheapest of those that may be */
		if (!plan[i].why_not)
			assert_true(best->seconds <= plan[i].seconds);
	assert_string_equal(best->method, kcagc_method_names[kcagc_job(&d->f.run.job)->method]);
	assert_string_equal(best->exchange,
			    kcagc_exchange_names[kcagc_job(&d->f.run.job)->exchange]);
	return best;
}

static void test_takes_the_cheapest(void **state)
{
	static const struct record_link far = { 0.2, 1e11 }, thin = { 0, 1e4 };
	struct desk d;

	(void)state;
	desk_open(&d, 3, ",\"exchange\":\"gram\"");
	assert_string_equal(choose(&d, &far)->method, "flat"); /* one level */
	assert_string_equal(d.f.record.plan[3].exchange, "gram");
	assert_true(d.f.record.plan[3].taken);
	fake_close(&d.f);
	desk_open(&d, 3, ",\"exchange\":\"gram\"");
	assert_string_equal(choose(&d, &thin)->exchange, "gram");
	assert_string_equal(d.f.record.plan[4].method, "tree"); /* fewest words: 174 to 180 */
	assert_true(d.f.record.plan[4].taken);
	fake_close(&d.f);
	desk_open(&d, 3, "");
	assert_string_equal(choose(&d, &far)->method, "basic"); /* no polish */
	fake_close(&d.f);
}

/* Whatever the link, and whatever would be cheapest. */
static void test_never_takes_what_is_forbidden(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1, 0);
	for (int trial = 0; trial < 200; trial++) {
		const struct record_link link = { pow(10, -4 + 4 * rng_unit(&rng)),
						  pow(10, 3 + 8 * rng_unit(&rng)) };
		bool gram = trial % 2, cells = trial / 2 % 2;
		char more[96];
		struct desk d;

		snprintf(more, sizeof(more), "%s%s", gram ? ",\"exchange\":\"gram\"" : "",
			 cells ? ",\"min_cell\":2" : "");
		desk_open(&d, 3 + trial % 5, more);
		choose(&d, &link);
		assert_true(gram || kcagc_job(&d.f.run.job)->exchange == EXCHANGE_DISTANCES);
		assert_true(!cells || kcagc_job(&d.f.run.job)->method != METHOD_BASIC);
		for (size_t i = 0; i < RECORD_PLANS; i++) {
			const struct record_plan *p = &d.f.record.plan[i];
			bool forbidden = (!gram && !strcmp(p->exchange, "gram")) ||
					 (cells && !strcmp(p->method, "basic"));

			assert_int_equal(forbidden, p->why_not != NULL);
		}
		fake_close(&d.f);
	}
}

/* ---- the link ---- */

static void send_probe(struct fake *f, size_t l, size_t len, double took_s)
{
	struct msg m = { .type = MSG_PROBE, .probe = { { alloc(len + 1, 1), len } } };
	struct buf body = { 0 };

	msg_encode(&body, &m);
	channel_deliver(f->channel[l], MSG_PROBE, &body, clock_now_s() - took_s);
	buf_release(&body);
	free((void *)m.probe.zeros.p);
}

static void send_probes(struct fake *f, size_t l, double took_s)
{
	send_probe(f, l, KCAGC_PROBE_LEN, 0); /* the first is not looked at */
	for (int i = 1; i < KCAGC_PROBES; i++)
		send_probe(f, l, KCAGC_PROBE_LEN, i == 2 ? took_s : 5 * took_s);
}

/* Between what was told and half of it: the clock goes on while the test runs. */
static void assert_rate(double rate, double expected)
{
	if (rate > expected * 1.001 || rate < expected / 2)
		fail_msg("%.0f bytes/s, expected %.0f", rate, expected);
}

static void test_measures_the_link(void **state)
{
	struct record_link link;
	struct desk d;

	(void)state;
	desk_open(&d, 3, "");
	for (size_t l = 0; l < L; l++) {
		send_probes(&d.f, l, 2.0 + (double)l); /* 2, 3, 4 and 5 s */
		channel_set_rtt(d.f.channel[l], 0.1 * (double)(l + 1));
	}
	assert_ok(plan_measure(&d.f.run, &link));
	assert_true(link.rtt_s == 0.1 * L);
	assert_rate(link.bytes_per_s, KCAGC_PROBE_LEN / 5.0 * L);
	/* One party beside the coordinator is no measure for the others. */
	send_probes(&d.f, 0, 0);
	for (size_t l = 1; l < L; l++)
		send_probes(&d.f, l, 8);
	assert_ok(plan_measure(&d.f.run, &link));
	assert_rate(link.bytes_per_s, KCAGC_PROBE_LEN / 8.0 * L);
	fake_close(&d.f);
}

static void test_other_probes_are_refused(void **state)
{
	struct record_link link;
	struct desk d;

	(void)state;
	desk_open(&d, 3, "");
	send_probe(&d.f, 0, 0, 0);
	assert_err(plan_measure(&d.f.run, &link), ERR_PEER,
		   "a sent PROBE with 0 bytes, expected 65536 (during plan)");
	fake_close(&d.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_costs_by_hand),
		cmocka_unit_test(test_costs_of_other_jobs),
		cmocka_unit_test(test_costs_of_merged_cells),
		cmocka_unit_test(test_takes_the_cheapest),
		cmocka_unit_test(test_never_takes_what_is_forbidden),
		cmocka_unit_test(test_measures_the_link),
		cmocka_unit_test(test_other_probes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
