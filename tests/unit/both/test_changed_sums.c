/* Changes the broadcast sums of kmeans, fedsc and the intersection of ids at random. The party
 * finds every change and names the coordinator. */
#include "tests/unit/both/changed_sums.h"
#include "common/base/sanitized.h"
#include "tests/unit/both/meeting.h"
#include "tests/unit/protocols/fedsc/points.h"

enum { PARTIES = 3, CLUSTERS = 3, EACH = 40, COLUMNS = 4 };

/* Number of changes of each sum. The tests of kmeans and fedsc have 7 settings of 20 to 200 sums at
 * 3 parties. */
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

TEST(test_rows)
{
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

static struct meeting *meeting_of_three(void)
{
	struct meeting *m = alloc(1, sizeof(*m));

	m->align = ALIGN_INTERSECT;
	m->min_common = 1;
	for (size_t l = 0; l < PARTIES; l++) {
		char text[64];

		snprintf(text, sizeof(text), "a\nb\nc\nonly%zu\n", l);
		names_are(&m->slot[l].d, text);
	}
	meet(m, PARTIES, "hashed");
	return m;
}

/* Changes all broadcast sums of the intersection: the counts of set sizes, the choice of the party
 * that lists its ids, and one sum for each further try to build tables (crypto/okvs.h). */
TEST(test_ids)
{
	struct meeting *m = meeting_of_three();

	changed_each = 10 * OF_EACH;
	hold(m);
	assert_changes_found("ids", PARTIES * OF_EACH);
	leave(m);
}

/* A dishonest party adds a wrong count to a broadcast sum. Sum 0 counts the parties by size of
 * their set. Sum 1 chooses the party that lists its ids, and counts parties whose ids fit into no
 * table (crypto/okvs.h). Every party detects the change. */
TEST(test_wrong_votes)
{
	static const struct {
		uint64_t number;
		size_t word;
		double by;
	} c[] = { { 0, 0, 1 },   { 0, 0, -0.5 }, { 0, 1, -1 },     { 0, 1, 4 },
		  { 1, 2, 0.5 }, { 1, 0, -2 },   { 1, PARTIES, 4 } };

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct meeting *m = meeting_of_three();

		wrong_term.party = PARTIES - 1;
		wrong_term.number = c[i].number;
		wrong_term.word = c[i].word;
		wrong_term.by = (int64_t)(c[i].by * (1 << JOB_WIDE_FRACTION));
		hold_anyhow(m);
		wrong_term.party = FED_MAX;
		for (size_t l = 0; l < PARTIES; l++)
			if (m->slot[l].result != ERR_PEER ||
			    !strstr(m->slot[l].why, "a party's count is wrong"))
				fail_msg("case %zu, party %zu: %s", i, l, m->slot[l].why);
		leave(m);
	}
}

/* After a changed sum the victim fails, names the coordinator, and sends no further term. */
static void check_victim(const char *setting, size_t at, enum change c)
{
	struct sum_liar liar = { .victim = at % PARTIES, .at = at, .change = c };
	struct job job = points_job(setting);
	struct federation *f = alloc(1, sizeof(*f));
	struct wire w = { .pass = lie_in_sum, .arg = &liar };
	const struct half *victim = &f->party[liar.victim];

	rng_seed(&liar.rng, at, c);
	points_open(f, &points.X, points.part, PARTIES, &job);
	wire_federation_run(&w, f);
	if (liar.told && (victim->result != ERR_PEER || !strstr(victim->why, "hub sent SUM")))
		fail_msg("%s: sum %zu, change %d: %s", setting, at, c, victim->why);
	assert_int_equal(liar.after, 0);
	if (!liar.told)
		assert_int_equal(victim->result, ERR_OK);
	products_end(f);
}

TEST(test_nobody_goes_on)
{
	for (size_t i = 0; i < SETTINGS; i++)
		for (size_t at = 0; at < (SANITIZED ? 3 : 12); at++)
			check_victim(settings[i], at, (enum change)((i + at) % CHANGE_CUT));
}

/* Makes a party send a wrong term with a valid tag. The coordinator has changed nothing, so the
 * error must say that a party sent a wrong term. */
static void check_wrong_term(const char *setting, uint64_t number, size_t word, double by,
			     const char *sentence)
{
	struct job job = points_job(setting);
	struct federation *f = points_federation(&points, PARTIES, &job);

	wrong_term.party = PARTIES - 1;
	wrong_term.number = number;
	wrong_term.word = word;
	wrong_term.by = (int64_t)(by * (1 << JOB_WIDE_FRACTION));
	federation_run(f);
	wrong_term.party = FED_MAX;
	for (size_t l = 0; l < PARTIES; l++)
		if (f->party[l].result != ERR_PEER || !strstr(f->party[l].why, sentence))
			fail_msg("%s: sum %" PRIu64 ", %g more, %s: %s", setting, number, by,
				 f->names[l], f->party[l].why);
	products_end(f);
}

TEST(test_wrong_terms)
{
	static const char kmeans[] = "kind=kmeans restarts=2", wrong[] = "a party's count is wrong";
	static const char dense[] = "variant=dense restarts=2 rounds=2";

	/* Words 1 and 2 of sum 0 hold parts of the number of rows: word 2 counts single rows, and
	 * the lowest bit of word 1 counts 2^30 rows. */
	check_wrong_term(kmeans, 0, 2, 0.5, "the parties say that they have 120.5 rows");
	check_wrong_term(kmeans, 0, 2, -121, "the parties say that they have -1 rows");
	check_wrong_term(kmeans, 0, 1, 0x1p-24, "the parties say that they have 1073741944 rows");
	/* Changes one part of a number so that the part is out of range. */
	check_wrong_term(kmeans, 0, 5, 4 * 0x1p30, "a party's term is wrong: part 0 of sum 1");
	check_wrong_term(kmeans, 0, 7, 4 * 0x1p30, "a party's term is wrong: part 2 of sum 1");
	check_wrong_term(kmeans, 1, 4, 4 * 0x1p30, "a party's term is wrong: part 4 of sum 0");
	/* Changes a count. In kmeans, sums 2, 4, ... hold counts. */
	for (uint64_t number = 2; number <= 6; number += 2) {
		check_wrong_term(kmeans, number, 0, 0.5, wrong);
		check_wrong_term(kmeans, number, 0, -121, wrong);
		check_wrong_term(kmeans, number, 0, 121, wrong);
		check_wrong_term(dense, number + 1, 0, -0x1p-24, wrong);
	}
	check_wrong_term(kmeans, 4, 0, 1, "clusters have 121 rows of 120");
	/* Changes the word to -2^63, which is out of range for a sum. The tag of the sum is
	 * valid. */
	check_wrong_term(kmeans, 0, 1, -0x1p39,
			 "hub sent SUM 0 that is not the sum of the parties' terms and tags");
}

/* Weights of dictionaries must be positive and add up to 1; weights of landmarks must add up to
 * n. */
TEST(test_wrong_weights)
{
	static const char dense[] = "variant=dense restarts=2 rounds=2 dims=4",
			  anchor[] = "variant=anchor restarts=1 dims=8 iterations=2";
	enum { ROUND = 41, WEIGHTS = 48 };

	check_wrong_term(dense, ROUND, LAST_WORD, 0.01,
			 "round 1: the parties' weights add to 1.00999");
	check_wrong_term(dense, ROUND + 1, LAST_WORD, -1.5,
			 "round 2: the parties' weights add to -0.5");
	check_wrong_term(anchor, WEIGHTS, 0, -119,
			 "the parties' weights of 8 landmarks add to 1 for 120 rows");
	check_wrong_term(anchor, WEIGHTS, 0, 1,
			 "the parties' weights of 8 landmarks add to 121 for 120 rows");
}

TESTS_BETWEEN(make_points, forget_points)
