/* Sums over a party's rows (fedsc, kmeans) that are on several ranks have the bits of one
 * process. */
#include "tests/unit/linalg/sample.h"
#include "tests/unit/ranks/team.h"
#include "tests/test.h"
#include "protocols/fedsc/party.h"

enum {
	ROWS = 6 * ROWSUM_ROWS + 123,
	COLS = 5,
	CENTRES = 7,
	LANDMARKS = 12,
	DIMS = 3,
	ASKED = 12,
	TIED = 7, /* index of the first question about ties to landmarks */
	WORDS_MAX = 128
};

struct whole {
	struct mat X, Z, landmarks, R,
	    /* `R` maps the rows' landmark weights to their embedding; `unit` has centres of
	       embedded rows */
	    unit;
	double mean[COLS];
	bool columns;
	size_t words[ASKED];
	double x[ASKED][WORDS_MAX]; /* answers of one process */
	uint32_t label[ROWS];
	double margin[ROWS];
};

/* Asks the questions of a job in its order; x gets the answers. */
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
	struct fedkmeans_question embedded = { .kind = FEDKMEANS_COUNTS, .centres = &w->unit };
	const struct fedsc_question q[ASKED] = {
		{ .kind = FEDSC_TOTALS },
		{ .kind = FEDSC_SPREAD, .mean = w->mean, .columns = w->columns },
		{ .kind = FEDSC_SCALE, .scale = 1.7, .clip = 3 },
		{ .kind = FEDSC_CLUSTERS, .clusters = &counts },
		{ .kind = FEDSC_CLUSTERS, .clusters = &sums },
		{ .kind = FEDSC_CLUSTERS, .clusters = &none },
		{ .kind = FEDSC_CLUSTERS, .clusters = &margin },
		{ .kind = FEDSC_ANCHOR, .Z = &w->landmarks, .near = 4 },
		{ .kind = FEDSC_EMBED, .R = &w->R },
		{ .kind = FEDSC_CLUSTERS, .clusters = &embedded },
		{ .kind = FEDSC_CLUSTERS, .clusters = &sums },
		{ .kind = FEDSC_CLUSTERS, .clusters = &margin },
	};

	for (size_t i = 0; i < ASKED; i++) {
		words[i] = fedsc_words(&q[i], i > TIED ? DIMS : COLS);
		assert_in_range(words[i], 0, WORDS_MAX);
		assert_ok(fedsc_answer(p, &q[i], x[i]));
		if (q[i].clusters == &counts || q[i].clusters == &embedded)
			memcpy(count, x[i], sizeof(count));
	}
}

static void rank(void *arg, struct ranks *R)
{
	const struct whole *w = arg;
	double x[ASKED][WORDS_MAX];
	size_t words[ASKED];
	struct fedsc_party p;
	struct mat X;

	ranks_cut(R, ROWS);
	mat_init(&X, ranks_rows(R), COLS);
	if (X.rows)
		memcpy(X.a, ROW(&w->X, R->cut[R->own]), X.rows * COLS * sizeof(double));
	fedsc_party_part(&p, &X, 10, R);
	ask_all(&p, w, words, x);
	for (size_t i = 0; i < ASKED; i++) {
		assert_int_equal(words[i], w->words[i]);
		if (words[i])
			assert_memory_equal(x[i], w->x[i], words[i] * sizeof(double));
	}
	for (size_t i = 0; i < p.X.rows; i++) {
		assert_int_equal(p.clusters.label[i], w->label[R->cut[R->own] + i]);
		assert_true(fedkmeans_margin(&p.clusters, i) == w->margin[R->cut[R->own] + i]);
	}
	fedsc_party_release(&p);
	ranks_release(R);
}

static void check(bool columns)
{
	static struct whole w;
	struct fedsc_party one;
	struct mat X;

	w = (struct whole){ .columns = columns, .mean = { 0.25, -1, 0.5, 0, 2 } };
	sample_normal(&w.X, ROWS, COLS, 3);
	sample_normal(&w.Z, CENTRES, COLS, 5);
	sample_normal(&w.landmarks, LANDMARKS, COLS, 6);
	sample_normal(&w.R, LANDMARKS, DIMS, 7);
	sample_normal(&w.unit, CENTRES, DIMS, 8);
	mat_copy(&X, &w.X);
	assert_ok(fedsc_party_init(&one, &X, 10, NULL, 2));
	ask_all(&one, &w, w.words, w.x);
	memcpy(w.label, one.clusters.label, sizeof(w.label));
	for (size_t i = 0; i < ROWS; i++)
		w.margin[i] = fedkmeans_margin(&one.clusters, i);
	fedsc_party_release(&one);
	assert_true(w.x[0][0] == ROWS && w.words[4] > COLS + 1 && w.words[5] == 0);
	assert_true(w.words[TIED] == LANDMARKS * (LANDMARKS + 1) / 2 &&
		    w.words[TIED + 3] > DIMS + 1);
	for (size_t count = TEAM_LEAST; count <= TEAM_MOST; count *= TEAM_TIMES)
		team(count, rank, &w);
	mat_release(&w.X);
	mat_release(&w.Z);
	mat_release(&w.landmarks);
	mat_release(&w.R);
	mat_release(&w.unit);
}

TEST(same_terms)
{
	check(false);
	check(true);
}

/* The party compares a count from the coordinator with the sum of counts of all ranks. */
static void doubt(void *arg, struct ranks *R)
{
	const struct whole *w = arg;
	struct fedkmeans_question counts = { .kind = FEDKMEANS_COUNTS, .centres = &w->Z };
	struct fedkmeans_question sums = { .kind = FEDKMEANS_SUMS, .k = CENTRES, .least = 10 };
	struct fedsc_question q = { .kind = FEDSC_CLUSTERS, .clusters = &counts };
	double count[CENTRES], x[WORDS_MAX];
	struct fedsc_party p;
	struct mat X;

	ranks_cut(R, ROWS);
	mat_init(&X, ranks_rows(R), COLS);
	memcpy(X.a, ROW(&w->X, R->cut[R->own]), X.rows * COLS * sizeof(double));
	fedsc_party_part(&p, &X, 10, R);
	assert_ok(fedsc_answer(&p, &q, count));
	count[2]--;
	sums.count = count;
	q.clusters = &sums;
	assert_err(fedsc_answer(&p, &q, x), ERR_PEER, "cluster 2 is said to have");
	fedsc_party_release(&p);
	ranks_release(R);
}

TEST(refuses_fewer_than_all_have)
{
	static struct whole w;

	sample_normal(&w.X, ROWS, COLS, 3);
	sample_normal(&w.Z, CENTRES, COLS, 5);
	team(3, doubt, &w);
	mat_release(&w.X);
	mat_release(&w.Z);
}
