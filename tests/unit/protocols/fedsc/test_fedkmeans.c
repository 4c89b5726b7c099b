#include "tests/unit/protocols/fedsc/rows.h"
#include "protocols/fedsc/fedkmeans.h"
#include "protocols/fedsc/party.h"
#include "common/cluster/kmeans.h"
#include "common/cluster/metrics.h"

enum { K = 5, EACH = 60, N = K * EACH, M = 3 };

static struct mat X;
static uint32_t truth[N];

static int make(void **state)
{
	(void)state;
	rows_balls(&X, truth, K, EACH, M, 6, 1);
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	mat_release(&X);
	return 0;
}

/* Parties that answer about unscaled rows, and a record of the requested sums. */
struct group {
	struct fedkmeans loop;
	struct parties of;
	struct memory memory;
	struct fedkmeans_party party[ROWS_PARTIES_MAX];
	struct mat X[ROWS_PARTIES_MAX];
	size_t parties;
	size_t sums;        /* number of SUMS questions */
	double least_count; /* least count behind a requested sum */
};

static enum err answer(void *party, size_t l, const void *question, double *x)
{
	(void)l;
	return fedkmeans_answer(party, ((const struct fedsc_question *)question)->clusters, x);
}

static enum err watch(void *watcher, const void *question, double *x, size_t n)
{
	const struct fedkmeans_question *q = ((const struct fedsc_question *)question)->clusters;
	struct group *g = watcher;

	(void)x;
	(void)n;
	if (q->kind == FEDKMEANS_SUMS) {
		g->sums++;
		for (size_t i = 0; i < q->k; i++)
			if (q->count[i] >= q->least)
				g->least_count = fmin(g->least_count, q->count[i]);
	}
	return ERR_OK;
}

static void group_init(struct group *g, const struct mat *rows, size_t parties, double skew,
		       unsigned threads)
{
	static const struct memory_kind kind = { .size = sizeof(struct fedkmeans_party),
						 .answer = answer };
	uint32_t *part;

	*g = (struct group){ .parties = parties, .least_count = INFINITY };
	g->memory = (struct memory){
		.kind = &kind, .party = g->party, .count = parties, .watch = watch, .watcher = g
	};
	parties_in_memory(&g->of, &g->memory);
	g->loop = (struct fedkmeans){ .parties = &g->of, .n = (double)rows->rows };
	ALLOC(part, rows->rows);
	skew_parts(rows->rows == N ? truth : NULL, rows->rows, parties, skew, 3, part);
	for (uint32_t l = 0; l < parties; l++) {
		fedsc_deal(rows, part, l, &g->X[l]);
		fedkmeans_party_init(&g->party[l], &g->X[l], 0, threads);
	}
	free(part);
}

static void group_release(struct group *g)
{
	for (size_t l = 0; l < g->parties; l++) {
		fedkmeans_party_release(&g->party[l]);
		mat_release(&g->X[l]);
	}
}

/* Runs Lloyd's algorithm on X from centres c. Writes the labels of the last round. */
static void pooled_lloyd(unsigned rounds, struct mat *c, uint32_t *label)
{
	double *D = alloc(N * c->rows, sizeof(*D));

	for (unsigned t = 0; t < rounds; t++) {
		kmeans_distances(&X, c, D);
		kmeans_assign(D, NULL, N, c->rows, label, NULL);
		kmeans_centres(&X, NULL, label, c);
	}
	free(D);
}

/* From the same start federated and pooled Lloyd give the same bits: sums of these rows are exact
 * in any order. */
TEST(equals_pooled_lloyd)
{
	for (size_t parties = 1; parties <= 8; parties += 7 - (parties == 1) * 5)
		for (double skew = 0; skew <= 1; skew++) {
			struct fedkmeans_centres c;
			struct mat start, pooled;
			uint32_t label[N];
			unsigned used;
			struct group g;

			sample_normal(&start, K, M, 4);
			mat_copy(&pooled, &start);
			group_init(&g, &X, parties, skew, 2);
			fedkmeans_centres_init(&c, &start);
			assert_ok(fedkmeans_lloyd(&g.loop, 1, 7, -1, &c, &used));
			assert_int_equal(used, 7);
			pooled_lloyd(7, &pooled, label);
			assert_same_bits(&c.Z, &pooled);
			fedkmeans_centres_release(&c);
			group_release(&g);
			mat_release(&pooled);
			mat_release(&start);
		}
}

/* Federated Lloyd ends when no centre moves, as pooled Lloyd does. */
TEST(ends_when_still)
{
	struct fedkmeans_centres c;
	struct mat start, pooled;
	uint32_t label[N];
	unsigned used;
	struct group g;

	sample_normal(&start, K, M, 4);
	mat_copy(&pooled, &start);
	group_init(&g, &X, 3, 0, 1);
	fedkmeans_centres_init(&c, &start);
	assert_ok(fedkmeans_lloyd(&g.loop, 1, 1000, 0, &c, &used));
	assert_true(used < 100);
	pooled_lloyd(used - 1, &pooled, label);
	assert_same_bits(&c.Z, &pooled);
	fedkmeans_centres_release(&c);
	group_release(&g);
	mat_release(&pooled);
	mat_release(&start);
}

/* A centre far from all rows stays in place or is dropped. No sum is requested for it. */
TEST(empty_clusters)
{
	for (int drop = 0; drop < 2; drop++) {
		double a[] = { 0, 0, 0, 1e6, 1e6, 1e6 };
		struct mat start = { 2, 3, a };
		struct fedkmeans_centres c;
		struct group g;

		(void)state;
		group_init(&g, &X, 2, 0, 1);
		fedkmeans_centres_init(&c, &start);
		assert_ok(fedkmeans_round(&g.loop, 1, drop, &c, NULL));
		assert_int_equal(c.Z.rows, drop ? 1 : 2);
		assert_int_equal(c.dropped, drop);
		assert_near(c.count[0], N, 0);
		if (!drop)
			assert_near(MAT(&c.Z, 1, 2), 1e6, 0);
		assert_near(g.least_count, N, 0);
		fedkmeans_centres_release(&c);
		group_release(&g);
	}
}

/* One row is far from all others. Sums have at least `least` rows, so with `least` above 1 no split
 * of a cluster sums this row alone, and no landmark is near the row. */
TEST(lone_row_is_never_summed)
{
	for (double least = 1; least <= 5; least += 2) {
		struct fedkmeans_landmarks p = {
			.most = 60, .least = least, .rounds = 4, .last = 10, .seed = 2
		};
		struct fedkmeans_centres c;
		struct mat with, mean;
		double nearest = INFINITY;
		struct group g;

		(void)state;
		mat_init(&with, N + 1, M);
		memcpy(with.a, X.a, N * M * sizeof(double));
		for (size_t j = 0; j < M; j++)
			MAT(&with, N, j) = 1000;
		mat_init(&mean, 1, M);
		group_init(&g, &with, 4, 0, 1);
		assert_ok(fedkmeans_landmarks(&g.loop, &p, &mean, &c));
		assert_true(g.sums > 20);
		assert_true(g.least_count >= least);
		for (size_t i = 0; i < c.Z.rows; i++)
			nearest = fmin(nearest, fabs(MAT(&c.Z, i, 0) - 1000));
		if (least == 1)
			assert_true(g.least_count == 1 &&
				    nearest < 1e-9); /* with least 1 the lone row gets a landmark */
		else
			assert_true(nearest > 100 && c.dropped > 0);
		fedkmeans_centres_release(&c);
		group_release(&g);
		mat_release(&mean);
		mat_release(&with);
	}
}

/* Ten rows are each alone in a direction. A centre that has found a lone row stays there without
 * becoming a landmark; otherwise the row would attract the next landmark. */
TEST(lone_rows_do_not_end_the_search)
{
	enum { LONE = 10 };

	for (uint64_t seed = 0; seed < 5; seed++) {
		struct fedkmeans_landmarks p = {
			.most = 60, .least = 3, .rounds = 4, .last = 10, .seed = seed
		};
		struct fedkmeans_centres c;
		struct mat with, mean;
		size_t near = 0;
		struct group g;

		sample_normal(&with, N + LONE, 40, 9);
		for (size_t i = N; i < N + LONE; i++)
			for (size_t j = 0; j < 40; j++)
				MAT(&with, i, j) *= 1000;
		mat_init(&mean, 1, 40);
		group_init(&g, &with, 4, 0, 1);
		assert_ok(fedkmeans_landmarks(&g.loop, &p, &mean, &c));
		assert_true(g.least_count >= 3);
		for (size_t i = 0; i < c.Z.rows; i++) {
			double square = 0;

			for (size_t j = 0; j < 40; j++)
				square += MAT(&c.Z, i, j) * MAT(&c.Z, i, j);
			near += square < 400;
		}
		assert_true(near >= 10);
		fedkmeans_centres_release(&c);
		group_release(&g);
		mat_release(&mean);
		mat_release(&with);
	}
}

TEST(landmarks)
{
	struct fedkmeans_landmarks p = {
		.most = 37, .least = 3, .rounds = 4, .last = 10, .seed = 2
	};
	struct fedkmeans_centres c, other;
	struct mat mean;
	struct group g;
	double rows = 0, spread = 0;

	mat_init(&mean, 1, M);
	group_init(&g, &X, 1, 0, 1);
	assert_ok(fedkmeans_landmarks(&g.loop, &p, &mean, &c));
	group_release(&g);
	assert_true(c.Z.rows > 25 && c.Z.rows <= 37);
	for (size_t i = 0; i < c.Z.rows; i++) {
		rows += c.count[i];
		spread += c.spread[i];
	}
	assert_true(rows <= N && rows > 0.9 * N);
	assert_true(spread < N * M * 0.6); /* `spread` is far below that of the five balls */
	group_init(&g, &X, 8, 1, 2);       /* another split must give the same landmarks */
	assert_ok(fedkmeans_landmarks(&g.loop, &p, &mean, &other));
	assert_int_equal(c.Z.rows, other.Z.rows);
	assert_mat_near(&c.Z, &other.Z, 1e-9);
	fedkmeans_centres_release(&other);
	fedkmeans_centres_release(&c);
	group_release(&g);
	mat_release(&mean);
}

/* Although the search may make `most` landmarks, more than there are rows, it stops when clusters
 * have too few rows to be split. It fails if `least` exceeds the number of rows. */
TEST(landmarks_end)
{
	struct fedkmeans_landmarks p = {
		.most = 10000, .least = 10, .rounds = 4, .last = 2, .seed = 2
	};
	struct fedkmeans_centres c;
	struct mat mean;
	struct group g;

	mat_init(&mean, 1, M);
	group_init(&g, &X, 2, 0, 1);
	assert_ok(fedkmeans_landmarks(&g.loop, &p, &mean, &c));
	assert_true(c.Z.rows <= N / 10 && c.Z.rows > 10);
	fedkmeans_centres_release(&c);
	p.least = N + 1;
	assert_err(fedkmeans_landmarks(&g.loop, &p, &mean, &c), ERR_JOB,
		   "no 301 rows are near each other");
	fedkmeans_centres_release(&c);
	group_release(&g);
	mat_release(&mean);
}

/* Federated k-means finds the balls for 1 to 8 parties with few balls each, in doubles and in fixed
 * point. */
TEST(balls_come_back)
{
	for (size_t parties = 1; parties <= 8; parties *= 2)
		for (int fixed = 0; fixed < 2; fixed++) {
			struct fedkmeans_params p;
			struct fedkmeans_report report;
			struct fedkmeans_centres c;
			struct metrics m;
			struct mat mean;
			uint32_t label[N];
			double *D, inertia = 0, rows = 0;
			struct group g;

			mat_init(&mean, 1, M);
			group_init(&g, &X, parties, 1, 2);
			g.memory.step = fixed ? 0x1p-24 : 0;
			fedkmeans_defaults(&p, K, 3, 1, 1);
			assert_ok(fedkmeans_run(&g.loop, &p, &mean, &c, &report));
			assert_int_equal(c.Z.rows, K);
			ALLOC(D, N * K);
			kmeans_distances(&X, &c.Z, D);
			kmeans_assign(D, NULL, N, K, label, &inertia);
			assert_ok(metrics_of(truth, label, N, &m));
			assert_true(m.acc > 0.98);
			assert_near(report.inertia, inertia, 1e-4 * inertia);
			for (size_t i = 0; i < K; i++) {
				size_t own = 0;

				for (size_t j = 0; j < N; j++)
					own += label[j] == i;
				assert_near(c.count[i], (double)own, 0);
				rows += c.count[i];
			}
			assert_near(rows, N, 0);
			free(D);
			fedkmeans_centres_release(&c);
			group_release(&g);
			mat_release(&mean);
		}
}

/* A search over 2 to 8 clusters chooses five, for one party and for eight. Its measures are nearly
 * those of pooled rows, and each party ends with five clusters. */
TEST(range_finds_the_balls)
{
	for (size_t parties = 1; parties <= 8; parties += 7) {
		struct fedkmeans_params p;
		struct fedkmeans_report report;
		struct fedkmeans_centres c;
		struct selection_point pooled;
		const struct selection *s = &report.selection;
		struct mat mean;
		struct group g;

		mat_init(&mean, 1, M);
		group_init(&g, &X, parties, 1, 2);
		fedkmeans_defaults(&p, 8, 3, 1, 1);
		p.k_from = 2;
		assert_ok(fedkmeans_run(&g.loop, &p, &mean, &c, &report));
		assert_int_equal(s->count, 7);
		assert_int_equal(selection_k(s), K);
		assert_int_equal(c.Z.rows, K);
		assert_true(selection_margin(s) > 0.01);
		pooled = selection_measure(&X, &c.Z);
		assert_near(s->silhouette[K - 2], pooled.silhouette, 1e-9);
		assert_near(s->inertia[K - 2], pooled.inertia, 1e-4 * pooled.inertia);
		assert_near(s->ratio[K - 2], pooled.ratio, 1e-3 * pooled.ratio);
		for (size_t l = 0; l < parties; l++)
			assert_int_equal(g.party[l].k, K);
		fedkmeans_centres_release(&c);
		group_release(&g);
		mat_release(&mean);
	}
}

static enum err spoil_margins(void *watcher, const void *question, double *x, size_t n)
{
	const struct fedkmeans_question *q = ((const struct fedsc_question *)question)->clusters;

	(void)n;
	if (q->kind == FEDKMEANS_MARGIN)
		x[0] = *(double *)watcher;
	return ERR_OK;
}

/* Refuses a sum of margins that is not a number from 0 to the number of rows. */
TEST(margins_are_looked_at)
{
	double wrong[] = { 1.01 * N, -1, NAN };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct fedkmeans_params p;
		struct fedkmeans_report report;
		struct fedkmeans_centres c;
		struct mat mean;
		struct group g;

		mat_init(&mean, 1, M);
		group_init(&g, &X, 2, 0, 1);
		g.memory.watch = spoil_margins;
		g.memory.watcher = &wrong[i];
		fedkmeans_defaults(&p, 3, 3, 1, 1);
		p.k_from = 2;
		assert_err(fedkmeans_run(&g.loop, &p, &mean, &c, &report), ERR_PEER,
			   "the margins of 300 rows add to");
		fedkmeans_centres_release(&c);
		group_release(&g);
		mat_release(&mean);
	}
}

TEST(whole_fails)
{
	struct fedkmeans_params p;
	struct fedkmeans_report report;
	struct fedkmeans_centres c;
	struct mat mean;
	struct group g;

	mat_init(&mean, 1, M);
	group_init(&g, &X, 2, 0, 1);
	fedkmeans_defaults(&p, 0, 3, 1, 1);
	assert_err(fedkmeans_run(&g.loop, &p, &mean, &c, &report), ERR_INPUT, "0 clusters");
	fedkmeans_centres_release(&c);
	fedkmeans_defaults(&p, N + 1, 3, 1, 1);
	assert_err(fedkmeans_run(&g.loop, &p, &mean, &c, &report), ERR_INPUT, "301 clusters");
	fedkmeans_centres_release(&c);
	fedkmeans_defaults(&p, 40, 60, 1, 1);
	assert_err(fedkmeans_run(&g.loop, &p, &mean, &c, &report), ERR_JOB,
		   "have 60 rows or more, for 40 clusters");
	fedkmeans_centres_release(&c);
	group_release(&g);
	mat_release(&mean);
}

/* A party refuses questions that do not fit its rows or the questions before, and blames the
 * peer. */
TEST(refusals)
{
	double a[] = { 0, 0, 0, 1, 1, 1 }, count[3], x[64], few[] = { 0, 0 };
	struct mat Z = { 2, 3, a }, wide = { 1, 6, a };
	struct fedkmeans_question counts = { .kind = FEDKMEANS_COUNTS, .centres = &Z };
	struct fedkmeans_question sums = {
		.kind = FEDKMEANS_SUMS, .count = count, .k = 2, .least = 3
	};
	struct fedkmeans_question margin = { .kind = FEDKMEANS_MARGIN, .count = count, .k = 2 };
	struct fedkmeans_party p;

	fedkmeans_party_init(&p, &X, 5, 1);
	assert_err(fedkmeans_answer(&p, &sums, x), ERR_PEER, "2 clusters when 0 were counted");
	assert_err(fedkmeans_answer(&p, &margin, x), ERR_PEER, "2 clusters when 0 were counted");
	counts.centres = &wide;
	assert_err(fedkmeans_answer(&p, &counts, x), ERR_PEER, "6 columns for rows of 3");
	counts.centres = &Z;
	a[4] = NAN;
	assert_err(fedkmeans_answer(&p, &counts, x), ERR_PEER, "column 1 of centre 1 is nan");
	a[4] = 1;
	assert_ok(fedkmeans_answer(&p, &counts, count));
	assert_err(fedkmeans_answer(&p, &sums, x), ERR_PEER, "none of fewer than 5");
	sums.least = NAN;
	assert_err(fedkmeans_answer(&p, &sums, x), ERR_PEER, "none of fewer than 5");
	sums.least = 5;
	assert_ok(fedkmeans_answer(&p, &sums, x));
	sums.k = 3;
	assert_err(fedkmeans_answer(&p, &sums, x), ERR_PEER, "3 clusters when 2 were counted");
	sums.k = 2;
	sums.count = few;
	assert_err(fedkmeans_answer(&p, &sums, x), ERR_PEER, "fewer than here");
	assert_ok(fedkmeans_answer(&p, &margin, x));
	p.min_cluster = N + 1;
	assert_err(fedkmeans_answer(&p, &margin, x), ERR_PEER, "no sum of fewer than 301");
	margin.count = few;
	assert_err(fedkmeans_answer(&p, &margin, x), ERR_PEER, "fewer than here");
	fedkmeans_party_release(&p);
}

/* Sums over several threads and blocks are bitwise identical to those of one thread. */
TEST(threads_do_not_matter)
{
	double one[7 * 21], three[7 * 21], count[7];
	struct fedkmeans_question counts = { .kind = FEDKMEANS_COUNTS };
	struct fedkmeans_question sums = {
		.kind = FEDKMEANS_SUMS, .count = count, .k = 7, .least = 1
	};
	struct fedkmeans_party p;
	struct mat many, Z;

	sample_normal(&many, 20000, 20, 1);
	sample_normal(&Z, 7, 20, 2);
	counts.centres = &Z;
	for (unsigned threads = 1; threads <= 3; threads += 2) {
		fedkmeans_party_init(&p, &many, 0, threads);
		assert_ok(fedkmeans_answer(&p, &counts, count));
		assert_ok(fedkmeans_answer(&p, &sums, threads == 1 ? one : three));
		fedkmeans_party_release(&p);
	}
	assert_memory_equal(one, three, sizeof(one));
	mat_release(&Z);
	mat_release(&many);
}

TESTS_BETWEEN(make, unmake)
