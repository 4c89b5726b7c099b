/* Terms of sums over a party's rows (fedsc, kmeans) that lie on several ranks: the bits of one
 * process. */
#include "tests/unit/linalg/sample.h"
#include "tests/unit/ranks/team.h"
#include "tests/test.h"
#include "common/fedsc/party.h"

enum { ROWS = 6 * ROWSUM_ROWS + 123, COLS = 5, CENTRES = 7, ASKED = 7, WORDS_MAX = 64 };

struct whole {
	struct mat X, Z;
	double mean[COLS];
	bool columns;
	size_t words[ASKED];
	double x[ASKED][WORDS_MAX]; /* what one process answers */
};

/* All that is asked of rows that are clustered, and told meanwhile; x: the answers. */
static void ask_all(struct fedsc_party *p, const struct whole *w, size_t *words,
		    double x[][WORDS_MAX])
{
	struct fedkmeans_question counts = { .kind = FEDKMEANS_COUNTS, .centres = &w->Z };
	double count[CENTRES];
	struct fedkmeans_question sums = {
		.kind = FEDKMEANS_SUMS, .count = count, .k = CENTRES, .least = 1000
	};
	struct fedkmeans_question none = {
		.kind = FEDKMEANS_SUMS, .count = count, .k = CENTRES, .least = 1e9
	};
	struct fedkmeans_question margin = { .kind = FEDKMEANS_MARGIN,
					     .count = count,
					     .k = CENTRES };
	const struct fedsc_question q[ASKED] = {
		{ .kind = FEDSC_TOTALS },
		{ .kind = FEDSC_SPREAD, .mean = w->mean, .columns = w->columns },
		{ .kind = FEDSC_SCALE, .scale = 1.7, .clip = 3 },
		{ .kind = FEDSC_CLUSTERS, .clusters = &counts },
		{ .kind = FEDSC_CLUSTERS, .clusters = &sums },
		{ .kind = FEDSC_CLUSTERS, .clusters = &none },
		{ .kind = FEDSC_CLUSTERS, .clusters = &margin },
	};

	for (size_t i = 0; i < ASKED; i++) {
		words[i] = fedsc_words(&q[i], COLS);
		assert_in_range(words[i], 0, WORDS_MAX);
		assert_ok(fedsc_answer(p, &q[i], x[i]));
		if (i == 3)
			memcpy(count, x[i], sizeof(count));
	}
}

static void rank(void *arg, struct ranks *R)
{
	const struct whole *w = arg;
	double x[ASKED][WORDS_MAX];
	size_t words[ASKED];
	struct rowsum_over over;
	struct fedsc_party p;
	struct mat X;

	ranks_cut(R, ROWS);
	over = ranks_over(R);
	mat_init(&X, ranks_rows(R), COLS);
	if (X.rows)
		memcpy(X.a, ROW(&w->X, R->cut[R->own]), X.rows * COLS * sizeof(double));
	fedsc_party_part(&p, &X, 10, &over);
	ask_all(&p, w, words, x);
	for (size_t i = 0; i < ASKED; i++) {
		assert_int_equal(words[i], w->words[i]);
		if (words[i])
			assert_memory_equal(x[i], w->x[i], words[i] * sizeof(double));
	}
	fedsc_party_release(&p);
	ranks_release(R);
}

static void check(bool columns)
{
	struct whole w = { .columns = columns, .mean = { 0.25, -1, 0.5, 0, 2 } };
	struct fedsc_party one;
	struct mat X;

	sample_normal(&w.X, ROWS, COLS, 3);
	sample_normal(&w.Z, CENTRES, COLS, 5);
	mat_copy(&X, &w.X);
	assert_ok(fedsc_party_init(&one, &X, 10, NULL, 2));
	ask_all(&one, &w, w.words, w.x);
	fedsc_party_release(&one);
	assert_true(w.x[0][0] == ROWS && w.words[4] > COLS + 1 && w.words[5] == 0);
	for (size_t count = 1; count <= TEAM_MOST; count *= 2)
		team(count, rank, &w);
	mat_release(&w.X);
	mat_release(&w.Z);
}

static void same_terms(void **state)
{
	(void)state;
	check(false);
	check(true);
}

/* Counts that all ranks have together are what a told count is held against. */
static void doubt(void *arg, struct ranks *R)
{
	const struct whole *w = arg;
	struct fedkmeans_question counts = { .kind = FEDKMEANS_COUNTS, .centres = &w->Z };
	struct fedkmeans_question sums = { .kind = FEDKMEANS_SUMS, .k = CENTRES, .least = 10 };
	struct fedsc_question q = { .kind = FEDSC_CLUSTERS, .clusters = &counts };
	double count[CENTRES], x[WORDS_MAX];
	struct rowsum_over over;
	struct fedsc_party p;
	struct mat X;

	ranks_cut(R, ROWS);
	over = ranks_over(R);
	mat_init(&X, ranks_rows(R), COLS);
	memcpy(X.a, ROW(&w->X, R->cut[R->own]), X.rows * COLS * sizeof(double));
	fedsc_party_part(&p, &X, 10, &over);
	assert_ok(fedsc_answer(&p, &q, count));
	count[2]--;
	sums.count = count;
	q.clusters = &sums;
	assert_err(fedsc_answer(&p, &q, x), ERR_PEER, "cluster 2 is said to have");
	fedsc_party_release(&p);
	ranks_release(R);
}

static void refuses_fewer_than_all_have(void **state)
{
	struct whole w = { 0 };

	(void)state;
	sample_normal(&w.X, ROWS, COLS, 3);
	sample_normal(&w.Z, CENTRES, COLS, 5);
	team(3, doubt, &w);
	mat_release(&w.X);
	mat_release(&w.Z);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_terms),
		cmocka_unit_test(refuses_fewer_than_all_have),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
