/* plan: what it says a job will cost, against what the job then costs; what it may choose; and what
 * a party makes of a coordinator that chooses something else. */
#include "tests/unit/both/steps.h"
#include "tests/unit/both/wire.h"

enum { N = 240, M = 30, WAYS = RECORD_PLANS };

/* ---- counting ---- */

struct counted {
	size_t word;
	double words; /* of all parties */
	unsigned rounds;
	double bound; /* round trips, offer to result */
	size_t plans, sums;
	struct record_plan plan[WAYS];
	uint32_t label[N];
	enum err result[1 + FED_MAX];
};

static void count_words(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct counted *c = arg;
	struct msg m;

	(void)l;
	if (type != MSG_MASKED)
		return;
	assert_ok(msg_decode(&m, MSG_MASKED, body));
	c->words += (double)(m.masked.words.n / c->word);
}

static void count(const struct planted *p, size_t L, const char *settings, struct counted *c)
{
	struct federation *f = alloc(1, sizeof(*f));
	struct job job = planted_job(settings);

	*c = (struct counted){ .word = job.modulus_bits / 8 };
	federation_init(f, p, L, &job);
	f->server.saw = count_words;
	f->server.saw_arg = c;
	for (size_t l = 0; l < L; l++)
		channel_set_rtt(f->server.channel[l], 0.01);
	federation_run(f);
	federation_succeeded(f);
	c->rounds = record_rounds(&f->server.record);
	c->bound = record_round_trips_bound(&f->server.record);
	c->plans = f->server.record.plans;
	c->sums = f->server.record.sums;
	memcpy(c->plan, f->server.record.plan, sizeof(c->plan));
	memcpy(c->label, f->server.label, sizeof(c->label));
	federation_release(f);
	free(f);
}

static const char *way_settings(const struct record_plan *p, char text[static 64])
{
	bool basic = strcmp(p->method, "basic") == 0;

	snprintf(text, 64, "method=%s exchange=%s%s", p->method, p->exchange,
		 basic ? " polish=0" : "");
	return text;
}

static void planted_hard(struct planted *p, uint64_t seed)
{
	planted_make(p, &(struct plan){ .n = N, .m = M, .seed = seed, .noise = 2 });
}

/* ---- predicted and counted ---- */

/* Lloyd runs so few steps that nothing settles before: what is predicted is what is counted. For
 * the tree of four and more parties the cells of upper levels are guessed. */
static void check_exact(const struct planted *p, size_t L, const char *settings)
{
	struct counted *plan = alloc(1, sizeof(*plan)), *run = alloc(1, sizeof(*run));
	char line[400], way[64];

	snprintf(line, sizeof(line), "%s exchange=gram plan=only", settings);
	count(p, L, line, plan);
	assert_int_equal(plan->plans, WAYS);
	assert_int_equal(plan->rounds, 0); /* no sums before, none after */
	for (size_t i = 0; i < WAYS; i++) {
		const struct record_plan *w = &plan->plan[i];

		snprintf(line, sizeof(line), "%s %s", settings, way_settings(w, way));
		count(p, L, line, run);
		assert_int_equal(w->guessed, L > 3 && strcmp(w->method, "tree") == 0);
		if (w->rounds != run->rounds || (!w->guessed && w->words != run->words))
			fail_msg("L=%zu %s: predicted %u rounds, %.0f words, counted %u, %.0f", L,
				 line, w->rounds, w->words, run->rounds, run->words);
		assert_true(w->bytes == w->words * (double)run->word);
		assert_true(run->bound == 3.5 + w->round_trips);
		if (w->guessed && (w->words < run->words / 2 || w->words > run->words * 2))
			fail_msg("L=%zu %s: guessed %.0f words, counted %.0f", L, line, w->words,
				 run->words);
	}
	free(plan);
	free(run);
}

static void test_predicted_is_counted(void **state)
{
	static const char *const settings[] = {
		"local_clusters=2k iterations=2 inner_iterations=2 starts=6 restarts=3 screen=1 "
		"inner_restarts=3 polish=1",
		"local_clusters=4k iterations=1 inner_iterations=1 starts=4 restarts=4 ninth=false "
		"polish=0",
		"local_clusters=5 iterations=2 inner_iterations=1 starts=6 restarts=2 screen=2 "
		"polish=1 virtual_nodes=centre",
		"preset=paper starts=10 restarts=10 iterations=1 inner_iterations=1 "
		"secure_sum.modulus_bits=64",
	};
	static const size_t parties[] = { 2, 3, 5 };
	struct planted p;

	(void)state;
	planted_hard(&p, 1);
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		for (size_t l = 0; l < sizeof(parties) / sizeof(*parties); l++)
			check_exact(&p, parties[l], settings[i]);
	planted_release(&p);
}

/* Where Lloyd may settle, it is the most that can be. */
static void test_predicted_is_the_most(void **state)
{
	static const char settings[] = "iterations=30 starts=20 restarts=5 screen=2";
	struct counted *plan = alloc(1, sizeof(*plan)), *run = alloc(1, sizeof(*run));
	struct planted p;
	size_t fewer = 0;

	(void)state;
	planted_hard(&p, 2);
	for (size_t L = 2; L <= 6; L += 2) {
		char line[400], way[64];

		snprintf(line, sizeof(line), "%s exchange=gram plan=only", settings);
		count(&p, L, line, plan);
		for (size_t i = 0; i < WAYS; i++) {
			const struct record_plan *w = &plan->plan[i];

			snprintf(line, sizeof(line), "%s %s", settings, way_settings(w, way));
			count(&p, L, line, run);
			assert_true(run->rounds <= w->rounds);
			assert_true(w->guessed || run->words <= w->words);
			assert_true(run->bound <= 3.5 + w->round_trips);
			fewer += run->words < w->words;
		}
	}
	assert_true(fewer > 5);
	planted_release(&p);
	free(plan);
	free(run);
}

/* Small cells are merged in the plan as they are in the run. */
static void test_predicted_with_min_cell(void **state)
{
	static const char settings[] =
	    "local_clusters=4k min_cell=6 iterations=2 starts=6 restarts=6";
	struct counted *plan = alloc(1, sizeof(*plan)), *run = alloc(1, sizeof(*run));
	char line[400];
	struct planted p;

	(void)state;
	planted_hard(&p, 3);
	snprintf(line, sizeof(line), "%s method=flat plan=only", settings);
	count(&p, 3, line, plan);
	assert_string_equal(plan->plan[0].method, "basic");
	assert_string_equal(plan->plan[0].why_not, "min_cell is above 1");
	snprintf(line, sizeof(line), "%s method=flat", settings);
	count(&p, 3, line, run);
	assert_string_equal(plan->plan[1].method, "flat");
	assert_true(plan->plan[1].words == run->words);
	planted_release(&p);
	free(plan);
	free(run);
}

/* ---- the job that was planned ---- */

static size_t taken(const struct counted *c)
{
	size_t which = WAYS, count = 0;

	for (size_t i = 0; i < c->plans; i++)
		if (c->plan[i].taken) {
			which = i;
			count++;
		}
	assert_int_equal(count, 1);
	assert_null(c->plan[which].why_not);
	return which;
}

/* The method that the plan takes gives the same labels as when asked for by name, and sums before
 * the plan do not matter for that. */
static void test_planned_as_asked_for(void **state)
{
	static const char starts[] =
	    "starts=20 restarts=5 screen=2"; /* basic has others by itself */
	static const char *const jobs[] = {
		"method=tree exchange=gram",
		"method=tree",
		"method=flat exchange=gram joint_norm=true",
		"method=tree filter.order=auto",
		"method=tree exchange=gram min_cell=3",
	};
	struct counted *plan = alloc(1, sizeof(*plan)), *run = alloc(1, sizeof(*run));
	struct planted p;

	(void)state;
	planted_hard(&p, 4);
	for (size_t L = 2; L <= 5; L++)
		for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
			char line[400], way[64];

			snprintf(line, sizeof(line), "%s %s plan=auto", jobs[i], starts);
			count(&p, L, line, plan);
			way_settings(&plan->plan[taken(plan)], way);
			snprintf(line, sizeof(line), "%s %s %s", jobs[i], starts, way);
			count(&p, L, line, run);
			if (memcmp(plan->label, run->label, sizeof(run->label)) != 0)
				fail_msg("L=%zu %s: other labels than with %s", L, jobs[i], way);
			assert_true(plan->rounds == run->rounds && plan->words == run->words);
		}
	planted_release(&p);
	free(plan);
	free(run);
}

/* With one party there is nothing to choose. */
static void test_one_party_has_no_choice(void **state)
{
	struct counted *c = alloc(1, sizeof(*c));
	struct planted p;

	(void)state;
	planted_hard(&p, 5);
	count(&p, 1, "plan=auto", c);
	assert_int_equal(c->plans, 0);
	count(&p, 1, "plan=only", c);
	assert_int_equal(c->plans, 0);
	assert_int_equal(c->words, 0);
	planted_release(&p);
	free(c);
}

/* plan "only" ends well on all sides, with a table and without a k-means. */
static void test_plan_only_ends_well(void **state)
{
	struct counted *c = alloc(1, sizeof(*c));
	struct planted p;

	(void)state;
	planted_hard(&p, 6);
	for (size_t L = 2; L <= 5; L++) {
		count(&p, L, "plan=only", c);
		assert_int_equal(c->plans, WAYS);
		assert_int_equal(c->sums, 0);
		assert_int_equal(c->words, 0);
		taken(c);
		for (size_t i = 0; i < WAYS; i++)
			if (strcmp(c->plan[i].exchange, "gram") == 0)
				assert_string_equal(c->plan[i].why_not,
						    "the job's exchange is \"distances\"");
	}
	planted_release(&p);
	free(c);
}

/* ---- a coordinator that chooses otherwise ---- */

struct choice_lie {
	enum choice what;
	uint64_t value;
	bool told;
};

static void change_choice(void *arg, size_t l, enum msg_type type, struct buf *body)
{
	struct choice_lie *lie = arg;
	struct msg m;

	if (type != MSG_CHOICE || l != 0)
		return;
	assert_ok(msg_decode(&m, MSG_CHOICE, (struct bytes){ body->p, body->n }));
	if (m.choice.what != lie->what)
		return;
	m.choice.value = lie->value;
	lie->told = true;
	body->n = 0;
	msg_encode(body, &m);
}

static void check_choice(const char *settings, enum choice what, uint64_t value, const char *why)
{
	struct federation *f = alloc(1, sizeof(*f));
	struct choice_lie lie = { what, value, false };
	struct wire w = { .f = f, .pass = change_choice, .arg = &lie };
	struct job job = planted_job(settings);
	struct planted p;

	planted_hard(&p, 7);
	federation_open(f, &p, 3, &job);
	wire_federation_run(&w);
	assert_true(lie.told);
	if (f->party[0].result != ERR_PEER || !strstr(f->party[0].why, why))
		fail_msg("%s: %s \"%s\", expected \"%s\"", settings, err_name(f->party[0].result),
			 f->party[0].why, why);
	federation_release(f);
	free(f);
	planted_release(&p);
}

static void test_choices_out_of_what_was_agreed_are_refused(void **state)
{
	(void)state;
	check_choice("plan=auto", CHOICE_EXCHANGE, EXCHANGE_GRAM, "CHOICE");
	check_choice("plan=auto exchange=gram", CHOICE_EXCHANGE, EXCHANGE_GRAM + 1, "CHOICE");
	check_choice("plan=auto", CHOICE_METHOD, METHOD_LANDMARK, "CHOICE");
	check_choice("plan=auto", CHOICE_METHOD, METHOD_GCC, "CHOICE");
	check_choice("plan=auto min_cell=2", CHOICE_METHOD, METHOD_BASIC,
		     "hub chose method basic, which this job does not allow (during plan)");
}

/* ---- every message at every step ---- */

static const struct plan few = { .n = 48, .m = 16, .seed = 1, .noise = 1.5 };

static void test_wrong_message_at_every_step(void **state)
{
	static const enum msg_type to_party[] = { MSG_CHOICE, MSG_RESULT },
				   from_party[] = { MSG_LOCAL_CLUSTERS, MSG_PROBE, MSG_MASKED };
	struct recording *r = recording_new(
	    &few, 3, "plan=auto exchange=gram iterations=2 starts=3 restarts=3", false);

	(void)state;
	assert_holds(&r->to_party[1], to_party, 2);
	assert_holds(&r->from_party[1], from_party, 3);
	check_recording(r, 1);
}

static void test_steps_of_plan_only(void **state)
{
	struct recording *r = recording_new(&few, 2, "plan=only", false);

	(void)state;
	assert_int_equal(r->to_party[0].count, 2);
	assert_int_equal(r->from_party[0].count, 1 + KCAGC_PROBES);
	check_recording(r, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_predicted_is_counted),
		cmocka_unit_test(test_predicted_is_the_most),
		cmocka_unit_test(test_predicted_with_min_cell),
		cmocka_unit_test(test_planned_as_asked_for),
		cmocka_unit_test(test_one_party_has_no_choice),
		cmocka_unit_test(test_plan_only_ends_well),
		cmocka_unit_test(test_choices_out_of_what_was_agreed_are_refused),
		cmocka_unit_test(test_wrong_message_at_every_step),
		cmocka_unit_test(test_steps_of_plan_only),
	};

	federation_quiet();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
