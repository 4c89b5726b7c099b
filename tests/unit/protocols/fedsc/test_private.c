/* Tests k-means with noise in its sums: the effect of one row, the amount of noise, the questions
 * asked, and the clusters found. */
#include "tests/unit/protocols/fedsc/rows.h"
#include "tests/unit/job/jobs.h"
#include "common/cluster/metrics.h"
#include "protocols/fedsc/job.h"
#include "protocols/fedsc/private.h"
#include "lab/pooled/seeded.h"

#include <math.h>
#include <stdio.h>

enum { K = 5, EACH = 400, N = K * EACH, M = 4, L = 4 };

static struct mat X;
static uint32_t truth[N];

/* A ball around 0 of this radius holds nearly all rows; longer rows are shortened. */
static const double CLIP = 16;

static int open_rows(void **state)
{
	(void)state;
	rows_balls(&X, truth, K, EACH, M, 6, 3);
	return 0;
}

static int close_rows(void **state)
{
	(void)state;
	mat_release(&X);
	return 0;
}

static void params(double eps, unsigned rounds, size_t parties, struct fedsc_params *p)
{
	char text[256];
	struct job job;

	snprintf(text, sizeof(text),
		 "{\"kind\": \"kmeans\", \"clusters\": %d, \"iterations\": %u, \"noise\": {\"on\": "
		 "\"sums\", \"eps\": %g, \"delta\": 1e-5, \"clip\": %g}}",
		 K, rounds, eps, CLIP);
	assert_ok(parse(&job, text, NULL));
	assert_ok(fedsc_params_of(fedsc_job(&job), parties, 1, p));
}

/* ---- clusters and questions ---- */

TEST(test_clusters_come_back)
{
	static const double eps[] = { 1, 8 };

	for (size_t e = 0; e < 2; e++) {
		struct rows_lab *lab = alloc(1, sizeof(*lab));
		struct fedsc_report report;
		struct fedsc_params p;
		struct metrics found;
		uint32_t *label;
		double rows = 0;

		params(eps[e], 7, L, &p);
		rows_lab_init(lab, &X, truth, L, 0.5, 1);
		label = rows_run(lab, &p, &report);
		assert_ok(metrics_of(truth, label, N, &found));
		print_message("eps %g: ARI %.3f\n", eps[e], found.ari);
		assert_true(found.ari > 0.97);
		assert_int_equal(report.k, p.k);
		for (size_t i = 0; i < K; i++) {
			assert_true(report.size[i] == nearbyint(report.size[i]));
			rows += report.size[i];
		}
		assert_near(rows, N, 0.2 * N);
		assert_true(rows != N); /* sizes come from noisy counts */
		assert_true(report.n == N && report.rounds == 7);
		/* The number of rows is the only exact number; all other sums have noise. */
		for (size_t a = 0; a < lab->asked_count; a++) {
			enum fedsc_kind kind = lab->asked[a].kind;

			assert_true(kind == FEDSC_NOISY || kind == FEDSC_COUNT ||
				    lab->asked[a].words == 0);
			assert_true(kind != FEDSC_COUNT || lab->asked[a].words == 1);
		}
		free(label);
		fedsc_report_release(&report);
		rows_lab_release(lab);
		free(lab);
	}
}

/* Equal seeds give equal centres, for any number of threads. */
TEST(test_same_again)
{
	struct fedsc_report report[2];
	struct fedsc_params p;

	params(1, 5, L, &p);
	for (unsigned i = 0; i < 2; i++) {
		struct rows_lab *lab = alloc(1, sizeof(*lab));

		p.threads = i ? 3 : 1;
		rows_lab_init(lab, &X, truth, L, 0, p.threads);
		assert_ok(fedsc_run(&lab->parties, M, &p, &report[i]));
		rows_lab_release(lab);
		free(lab);
	}
	assert_memory_equal(report[0].centres.a, report[1].centres.a, K * M * sizeof(double));
	fedsc_report_release(&report[0]);
	fedsc_report_release(&report[1]);
}

/* ---- amount of noise ---- */

/* One release has the multiplier 3.73063163481594 for eps 1 and delta 1e-5
 * (tests/unit/privacy/test_noise.c). Each of seven releases has sqrt(7) times that. */
TEST(test_multiplier)
{
	struct fedsc_noisy noisy;
	struct fedsc_params p;

	params(1, 7, L, &p);
	assert_near(p.multiplier, 3.73063163481594 * sqrt(7), 1e-9);
	assert_true(p.colluders == L / 2 && p.clip == CLIP);
	assert_ok(fedsc_noisy_of(&p, L, M, 0.8, &noisy));
	/* The noise of the L - L / 2 honest parties alone has the promised deviation. */
	assert_near(noisy.count.step * noisy.count.steps * sqrt(L - L / 2), sqrt(8) * p.multiplier,
		    1e-2);
	assert_near(noisy.sum.step * noisy.sum.steps * sqrt(L - L / 2), 2 * 0.8 * p.multiplier,
		    0.01);
	assert_true(noisy.sum.step * noisy.sum.steps * sqrt(L - L / 2) > 2 * 0.8 * p.multiplier);
	assert_near(noisy.deviation, 4 * p.multiplier, 1e-2);
}

/* Writes the party's answer about centres Z to x, with the noise of `noisy`. */
static void answer(struct fedsc_party *party, const struct mat *Z, const struct fedsc_noisy *noisy,
		   double *x)
{
	const struct fedsc_question q = { .kind = FEDSC_NOISY, .Z = Z, .noisy = noisy };

	assert_int_equal(fedsc_words(&q, M), K * (M + 2));
	assert_ok(fedsc_answer(party, &q, x));
}

static void party_of(struct fedsc_party *party, const struct mat *rows,
		     const struct noise_source *source)
{
	const struct fedsc_question ball = { .kind = FEDSC_BALL, .clip = 1 };
	struct mat copy;

	mat_copy(&copy, rows);
	assert_ok(fedsc_party_init(party, &copy, 0, source, 1));
	assert_ok(fedsc_answer(party, &ball, NULL));
}

/* Replaces one row by another. With counts in units of sqrt(8) and sums in units of 2 radii, the
 * answer moves by at most 1, for any two rows and their clusters. Some rows nearly reach the
 * bound. */
TEST(test_what_a_row_can_change)
{
	const struct fedsc_noisy still = { .radius = 0.5,
					   .count = { 0x1p-40, 1 },
					   .sum = { 0x1p-30, 1 } };
	struct noise_source source;
	struct mat rows, Z;
	double most = 0;
	struct rng rng;

	rng_seed(&rng, 17, 0);
	source = seeded_source(&rng);
	mat_init(&rows, 3, M);
	sample_normal(&Z, K, M, 5);
	for (size_t e = 0; e < K * M; e++)
		Z.a[e] *= 0.4;
	for (unsigned t = 0; t < 3000; t++) {
		double x[2][K * (M + 2)], square = 0;

		for (int which = 0; which < 2; which++) {
			struct fedsc_party party;

			/* Draws the last row, or mirrors it at the first centre. */
			for (size_t j = 0; j < M; j++)
				MAT(&rows, 2, j) = t % 2 && which
						       ? 2 * MAT(&Z, 0, j) - MAT(&rows, 2, j)
						       : rng_normal(&rng);
			party_of(&party, &rows, &source);
			answer(&party, &Z, &still, x[which]);
			fedsc_party_release(&party);
		}
		for (size_t w = 0; w < K * (M + 2); w++) {
			double by = (x[0][w] - x[1][w]) / (w < K ? sqrt(8) : 2 * still.radius);

			square += by * by;
		}
		most = fmax(most, sqrt(square));
	}
	assert_true(most <= 1 + 1e-6);
	assert_true(most > 0.95);
	mat_release(&Z);
	mat_release(&rows);
}

/* Answers are multiples of the noise's step, so they have no digits without noise. The noise has
 * the requested deviation. */
TEST(test_noise_of_an_answer)
{
	enum { TIMES = 2000 };
	struct fedsc_noisy noisy, still = { .radius = 1, .count = { 0x1p-40, 1 }, .sum = { 0, 1 } };
	struct noise_source source;
	struct fedsc_party party;
	struct fedsc_params p;
	struct mat Z, some;
	double exact[K * (M + 2)], x[K * (M + 2)], count = 0, sum = 0;
	struct rng rng;

	params(1, 7, L, &p);
	assert_ok(fedsc_noisy_of(&p, L, M, 1, &noisy));
	still.sum.step = noisy.sum.step;
	rng_seed(&rng, 23, 0);
	source = seeded_source(&rng);
	mat_init(&some, 10, M);
	memcpy(some.a, X.a, 10 * M * sizeof(double));
	sample_normal(&Z, K, M, 5);
	party_of(&party, &some, &source);
	answer(&party, &Z, &still, exact);
	for (size_t w = K; w < K * (M + 2); w++) /* rounds to whole steps */
		exact[w] = nearbyint(exact[w] / noisy.sum.step) * noisy.sum.step;
	for (int t = 0; t < TIMES; t++) {
		answer(&party, &Z, &noisy, x);
		for (size_t w = 0; w < K * (M + 2); w++) {
			const struct discrete_share *share = w < K ? &noisy.count : &noisy.sum;
			double z = (x[w] - exact[w]) / (share->step * share->steps);

			assert_true(x[w] / share->step == nearbyint(x[w] / share->step));
			*(w < K ? &count : &sum) += z * z;
		}
	}
	assert_near(count / (TIMES * K), 1, 5 * sqrt(2.0 / (TIMES * K)));
	assert_near(sum / (TIMES * K * (M + 1)), 1, 5 * sqrt(2.0 / (TIMES * K * (M + 1))));
	fedsc_party_release(&party);
	mat_release(&Z);
	mat_release(&some);
}

/* ---- an attack ---- */

/* The attacker knows all rows but one, the centres, and the noise of as many parties as may
 * collude. From the sum of a round it guesses by likelihood which of two rows is the last one.
 * Between normal numbers of deviation s around 0 and around 1, the best guess is right with
 * probability Phi(1 / (2 s)) (Neyman, Pearson). */
static double guessed_right(double eps, unsigned times)
{
	const struct fedsc_noisy still = { .radius = 1,
					   .count = { 0x1p-40, 1 },
					   .sum = { 0x1p-30, 1 } };
	struct fedsc_noisy noisy;
	struct noise_source source;
	struct fedsc_party party[2];
	double exact[2][K * (M + 2)], x[K * (M + 2)];
	unsigned right = 0;
	struct mat Z, rows;
	struct fedsc_params p;
	struct rng rng;

	params(eps, 5, L, &p);
	p.multiplier /= sqrt(5); /* makes it the multiplier for a single release */
	assert_ok(fedsc_noisy_of(&p, L, M, 1, &noisy));
	rng_seed(&rng, 31, 0);
	source = seeded_source(&rng);
	mat_init(&rows, 4, M);
	mat_init(&Z, K, M);
	for (size_t i = 0; i < K; i++)
		MAT(&Z, i, 0) = 0.1 * (double)i;
	for (size_t i = 0; i < 4; i++)
		MAT(&rows, i, 1) = 1;
	for (int which = 0; which < 2; which++) {
		MAT(&rows, 3, 1) = which ? -1 : 1;
		party_of(&party[which], &rows, &source);
		answer(&party[which], &Z, &still, exact[which]);
	}
	for (unsigned t = 0; t < times; t++) {
		int which = (int)rng_below(&rng, 2);
		double likely = 0;

		answer(&party[which], &Z, &noisy, x);
		/* The second honest party has no rows that matter here, but it adds its noise. */
		for (size_t w = 0; w < K * (M + 2); w++) {
			const struct discrete_share *share = w < K ? &noisy.count : &noisy.sum;
			double of_two = share->step * share->steps * sqrt(2), off[2];

			assert_ok(discrete_add(&source, share, &x[w], 1));
			for (int c = 0; c < 2; c++)
				off[c] = (x[w] - exact[c][w]) / of_two;
			likely += off[0] * off[0] - off[1] * off[1];
		}
		right += (likely > 0) == (which == 1);
	}
	for (int which = 0; which < 2; which++)
		fedsc_party_release(&party[which]);
	mat_release(&Z);
	mat_release(&rows);
	return (double)right / times;
}

TEST(test_who_knows_all_other_rows)
{
	enum { TIMES = 4000 };
	static const double eps[] = { 0.5, 1, 2, 4, 8 };

	for (size_t e = 0; e < 5; e++) {
		struct fedsc_params p;
		double best, right = guessed_right(eps[e], TIMES);

		params(eps[e], 5, L, &p);
		p.multiplier /= sqrt(5);
		best = erfc(-1 / (2 * p.multiplier) / sqrt(2)) / 2;
		print_message("eps %g: right in %.3f of guesses, %.3f at best\n", eps[e], right,
			      best);
		assert_near(right, best,
			    5 * 0.5 / sqrt(TIMES)); /* rows this far apart allow the best guess */
	}
	assert_true(guessed_right(60, 200) > 0.99); /* eps 60 protects almost nothing */
}

/* ---- refused ---- */

TEST(test_refused)
{
	struct fedsc_noisy noisy = { .radius = 1, .count = { 1, 1 }, .sum = { 1, 1 } };
	struct fedsc_question q = { .kind = FEDSC_NOISY, .noisy = &noisy },
			      ball = { .kind = FEDSC_BALL, .clip = 0 };
	struct fedsc_party party;
	double x[K * (M + 3)];
	struct fedsc_params p;
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct mat Z, wide;

	sample_normal(&Z, K, M, 5);
	sample_normal(&wide, K, M + 1, 5);
	party_of(&party, &X, NULL);
	q.Z = &Z;
	assert_err(fedsc_answer(&party, &q, x), ERR_PEER,
		   "asked for noise in sums when none was agreed");
	party.noise = &lab->noise;
	q.Z = &wide;
	assert_err(fedsc_answer(&party, &q, x), ERR_PEER, "5 centres of 5 columns for rows of 4");
	assert_err(fedsc_answer(&party, &ball, NULL), ERR_PEER, "shortened to 0");
	fedsc_party_release(&party);
	mat_release(&Z);
	mat_release(&wide);
	params(1, 7, L, &p);
	p.k = N + 1;
	rows_lab_init(lab, &X, truth, L, 0, 1);
	assert_err(fedsc_run(&lab->parties, M, &p, &report), ERR_INPUT,
		   "of 2000 rows of all parties");
	fedsc_report_release(&report);
	params(1, 7, L, &p);
	p.multiplier = 1e-7;
	rows_lab_release(lab);
	rows_lab_init(lab, &X, truth, L, 0, 1);
	assert_err(fedsc_run(&lab->parties, M, &p, &report), ERR_INPUT, "a smaller eps is needed");
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

TESTS_BETWEEN(open_rows, close_rows)
