/* Broadcast sums of kmeans, fedsc and of rows that all have, changed at random: every change is found, and the coordinator named. */
#include "tests/unit/both/changed_sums.h"
#include "common/base/sanitized.h"
#include "tests/unit/both/meeting.h"
#include "tests/unit/fedsc/points.h"

enum { PARTIES = 3, CLUSTERS = 3, EACH = 40, COLUMNS = 4 };

/* Changes of each sum. kmeans and fedsc: 7 settings of 20 to 200 sums at 3 parties. */
enum { OF_EACH = SANITIZED ? 15 : 120 };

static struct points points;

static int make_points(void **state)
{
	(void)state;
	points_make(&points, CLUSTERS, EACH, COLUMNS, 20, PARTIES, 3);
	return 0;
}

static int forget_points(void **state)
{
	(void)state;
	points_release(&points);
	return 0;
}

static const char *const settings[] = {
	"kind=kmeans restarts=2",
	"kind=kmeans restarts=2 clusters={\"from\":2,\"to\":4}",
	"kind=kmeans restarts=2 standardize=joint",
	"kind=kmeans iterations=7 noise={\"on\":\"sums\",\"eps\":8,\"delta\":1e-5,\"clip\":60}",
	"variant=anchor restarts=2",
	"variant=anchor restarts=2 on_loss=attempt",
	"variant=dense restarts=2 rounds=2",
};
enum { SETTINGS = sizeof(settings) / sizeof(*settings) };

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < SETTINGS; i++) {
		struct job job = points_job(settings[i]);
		struct federation *f = points_federation(&points, PARTIES, &job);

		changed_each = OF_EACH;
		federation_run(f);
		assert_all_done(f);
		assert_changes_found(settings[i], 20 * OF_EACH / 2);
		products_end(f);
	}
}

/* Sizes, the lister, tries. */
static void test_ids(void **state)
{
	struct meeting *m = alloc(1, sizeof(*m));

	(void)state;
	m->align = ALIGN_INTERSECT;
	m->min_common = 1;
	for (size_t l = 0; l < PARTIES; l++) {
		char text[64];

		snprintf(text, sizeof(text), "a\nb\nc\nonly%zu\n", l);
		names_are(&m->seat[l].d, text);
	}
	meet(m, PARTIES, "hashed");
	changed_each = 10 * OF_EACH;
	hold(m);
	assert_changes_found("ids", PARTIES * OF_EACH);
	leave(m);
}

/* A party that was sent a changed sum ends, names the coordinator, and sends no further term. */
static void check_victim(const char *setting, size_t at, enum change c)
{
	struct sum_liar liar = { .victim = at % PARTIES, .at = at, .change = c };
	struct job job = points_job(setting);
	struct federation *f = alloc(1, sizeof(*f));
	struct wire w = { .f = f, .pass = lie_in_sum, .arg = &liar };
	const struct half *victim = &f->party[liar.victim];

	rng_seed(&liar.rng, at, c);
	points_open(f, &points.X, points.part, PARTIES, &job);
	wire_federation_run(&w);
	if (liar.told && (victim->result != ERR_PEER || !strstr(victim->why, "hub sent SUM")))
		fail_msg("%s: sum %zu, change %d: %s", setting, at, c, victim->why);
	assert_int_equal(liar.after, 0);
	if (!liar.told)
		assert_int_equal(victim->result, ERR_OK);
	products_end(f);
}

static void test_nobody_goes_on(void **state)
{
	(void)state;
	for (size_t i = 0; i < SETTINGS; i++)
		for (size_t at = 0; at < (SANITIZED ? 3 : 12); at++)
			check_victim(settings[i], at, (enum change)((i + at) % CHANGE_CUT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_nobody_goes_on),
	};

	federation_quiet();
	return cmocka_run_group_tests(tests, make_points, forget_points);
}
