/* Tests FedSC's landmarks with noise in all sums: the effect of one row on the sum B'B (B: the
 * rows' landmark weights), the noise of this sum, and the questions asked. The run finds clusters
 * that only a graph of neighbours separates. */
#include "tests/unit/protocols/fedsc/rows.h"
#include "tests/unit/job/jobs.h"
#include "common/cluster/metrics.h"
#include "protocols/fedsc/job.h"
#include "protocols/fedsc/private.h"
#include "lab/pooled/seeded.h"

#include <math.h>
#include <stdio.h>

enum { N = 12000, M = 2, L = 4, D = 7, NEAR = 4, WORDS = D * (D + 1) / 2 };

static struct mat X;
static uint32_t truth[N];

/* Makes two rings around 0, of radius 1 and 1/2. */
static int open_rows(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 11, 0);
	mat_init(&X, N, M);
	for (size_t i = 0; i < N; i++) {
		double at = 2 * M_PI * (double)i / N, r = i % 2 ? 0.5 : 1;

		truth[i] = i % 2;
		MAT(&X, i, 0) = r * cos(at) + 0.05 * rng_normal(&rng);
		MAT(&X, i, 1) = r * sin(at) + 0.05 * rng_normal(&rng);
	}
	return 0;
}

static int close_rows(void **state)
{
	(void)state;
	mat_release(&X);
	return 0;
}

static void params(double eps, size_t parties, struct fedsc_params *p)
{
	char text[256];
	struct job job;

	snprintf(
	    text, sizeof(text),
	    "{\"kind\": \"fedsc\", \"clusters\": 2, \"noise\": {\"on\": \"sums\", \"eps\": %g, "
	    "\"delta\": 1e-5, \"clip\": 1.3}}",
	    eps);
	assert_ok(parse(&job, text, NULL));
	assert_ok(fedsc_params_of(fedsc_job(&job), parties, 1, p));
}

/* ---- clusters and questions ---- */

/* Places the rows of the run as new rows. They get the labels of the run. */
static void assert_placed_alike(const struct fedsc_model *m, const uint32_t *label)
{
	double *confidence = alloc(N, sizeof(*confidence));
	uint32_t *again = alloc(N, sizeof(*again));
	struct mat copy;

	mat_copy(&copy, &X);
	assert_ok(fedsc_model_assign(m, &copy, NULL, 1, again, confidence));
	assert_memory_equal(again, label, N * sizeof(*label));
	mat_release(&copy);
	free(again);
	free(confidence);
}

TEST(test_rings_come_back)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;
	struct metrics found;
	unsigned grams = 0;
	uint32_t *label;

	params(4, L, &p);
	rows_lab_init(lab, &X, truth, L, 0.5, 1);
	label = rows_run(lab, &p, &report);
	assert_ok(metrics_of(truth, label, N, &found));
	print_message("ARI %.3f of %zu landmarks\n", found.ari, report.dims);
	assert_true(found.ari > 0.97);
	assert_near(report.size[0] + report.size[1], N, 0.1 * N);
	assert_true(report.size[0] + report.size[1] != N && report.rounds == 6);
	for (size_t a = 0; a < lab->asked_count; a++) {
		enum fedsc_kind kind = lab->asked[a].kind;

		grams += kind == FEDSC_NOISY_ANCHOR;
		assert_true(kind == FEDSC_NOISY || kind == FEDSC_NOISY_ANCHOR ||
			    (kind == FEDSC_COUNT && lab->asked[a].words == 1) ||
			    lab->asked[a].words == 0);
	}
	assert_int_equal(grams, 1);
	assert_placed_alike(&report.model, label);
	free(label);
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

/* With eps 1e-3 noise hides all structure. The run still returns a clustering of at most k
 * clusters. */
TEST(test_nothing_is_left)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;
	uint32_t *label;

	params(1e-3, L, &p);
	rows_lab_init(lab, &X, truth, L, 0.5, 1);
	label = rows_run(lab, &p, &report);
	assert_true(report.k <= 2 && report.dims > p.near);
	for (size_t i = 0; i < N; i++)
		assert_true(label[i] < report.k);
	free(label);
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

/* ---- amount of noise ---- */

/* All rounds and B'B together are one release: its multiplier is 3.73063163481594 for eps 1 and
 * delta 1e-5 (tests/unit/privacy/test_noise.c). */
TEST(test_multipliers)
{
	struct fedsc_params p;
	double square;

	params(1, L, &p);
	square = p.lloyd / (p.multiplier * p.multiplier) + 1 / (p.gram * p.gram);
	assert_near(1 / sqrt(square), 3.73063163481594, 1e-9);
	assert_true(p.lloyd == 6 && p.gram > 0);
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

static void answer(struct fedsc_party *party, const struct mat *Z, unsigned near,
		   const struct discrete_share *share, double *x)
{
	const struct fedsc_question q = {
		.kind = FEDSC_NOISY_ANCHOR, .Z = Z, .near = near, .share = share
	};

	assert_int_equal(fedsc_words(&q, M), WORDS);
	assert_ok(fedsc_answer(party, &q, x));
}

static const struct discrete_share still = { 0x1p-24, 1 };

/* Replaces one row by another. B'B moves by at most sqrt(2). It moves by sqrt(2) if each row
 * belongs to one landmark only, and the two landmarks differ. */
TEST(test_what_a_row_can_change)
{
	struct noise_source source;
	struct mat rows, Z;
	double most = 0;
	struct rng rng;

	rng_seed(&rng, 17, 0);
	source = seeded_source(&rng);
	mat_init(&rows, 3, M);
	sample_normal(&Z, D, M, 5);
	for (unsigned t = 0; t < 4000; t++) {
		double x[2][WORDS], square = 0;
		unsigned near = t % 2 ? NEAR : 1;

		for (int which = 0; which < 2; which++) {
			struct fedsc_party party;

			for (size_t j = 0; j < M; j++)
				MAT(&rows, 2, j) = t % 3 ? rng_normal(&rng)
							 : MAT(&Z, (t + (unsigned)which) % D, j);
			party_of(&party, &rows, &source);
			answer(&party, &Z, near, &still, x[which]);
			fedsc_party_release(&party);
		}
		for (size_t w = 0; w < WORDS; w++)
			square += (x[0][w] - x[1][w]) * (x[0][w] - x[1][w]);
		most = fmax(most, sqrt(square));
	}
	assert_true(most <= M_SQRT2 + 1e-5);
	assert_true(most > 0.999 * M_SQRT2);
	mat_release(&Z);
	mat_release(&rows);
}

/* The noise of the honest parties in the decoded sum has the promised deviation. The noise of all
 * parties has the deviation that fedsc_noisy_gram_of() returns. Each case gives the number of
 * parties and the number of colluders. */
TEST(test_noise_of_the_sum)
{
	enum { TIMES = 3000 };
	static const size_t of[][2] = { { 2, 1 }, { 4, 2 }, { 8, 4 }, { 8, 7 } };
	struct noise_source source;
	struct fedsc_party party;
	struct mat Z, some;
	double exact[WORDS], x[WORDS];
	struct rng rng;

	rng_seed(&rng, 23, 0);
	source = seeded_source(&rng);
	mat_init(&some, 6, M);
	memcpy(some.a, X.a, 6 * M * sizeof(double));
	sample_normal(&Z, D, M, 5);
	party_of(&party, &some, &source);
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		size_t parties = of[i][0], honest = parties - of[i][1];
		double promised, deviation, all = 0, rest = 0, n = TIMES * WORDS;
		struct discrete_share share, quiet;
		struct fedsc_params p;

		params(1, parties, &p);
		p.colluders = of[i][1];
		p.near = NEAR;
		assert_ok(fedsc_noisy_gram_of(&p, parties, &share, &deviation));
		promised = M_SQRT2 * p.gram;
		quiet = (struct discrete_share){ share.step, 1 };
		answer(&party, &Z, NEAR, &quiet, exact);
		for (unsigned t = 0; t < TIMES; t++) {
			double others[WORDS] = { 0 };

			answer(&party, &Z, NEAR, &share, x);
			for (size_t l = 1; l < honest; l++)
				assert_ok(discrete_add(&source, &share, x, WORDS));
			for (size_t l = honest; l < parties; l++)
				assert_ok(discrete_add(&source, &share, others, WORDS));
			for (size_t w = 0; w < WORDS; w++) {
				double z = x[w] - exact[w];

				assert_true(x[w] / share.step == nearbyint(x[w] / share.step));
				rest += z * z / n;
				all += (z + others[w]) * (z + others[w]) / n;
			}
		}
		assert_near(rest / (promised * promised), 1, 5 * sqrt(2 / n) + 1e-3);
		assert_near(all / (deviation * deviation), 1, 5 * sqrt(2 / n) + 1e-3);
		assert_true(share.step * share.steps * sqrt((double)honest) >= promised);
	}
	fedsc_party_release(&party);
	mat_release(&Z);
	mat_release(&some);
}

/* ---- an attack ---- */

/* The attacker knows all rows but one, the landmarks and the colluders' noise. It guesses at which
 * of two landmarks the last row is. The best guess is right with probability Phi(1 / (2 s)), with
 * the noise multiplier s of B'B (`gram`). */
static double guessed_right(const struct fedsc_params *p, unsigned times)
{
	struct discrete_share share;
	struct noise_source source;
	struct fedsc_party party[2];
	double exact[2][WORDS], x[WORDS];
	struct mat Z, rows;
	unsigned right = 0;
	struct rng rng;

	assert_ok(fedsc_noisy_gram_of(p, L, &share, NULL));
	rng_seed(&rng, 31, 0);
	source = seeded_source(&rng);
	sample_normal(&Z, D, M, 5);
	mat_init(&rows, 4, M);
	for (int which = 0; which < 2; which++) {
		for (size_t j = 0; j < M; j++)
			MAT(&rows, 3, j) = MAT(&Z, which, j);
		party_of(&party[which], &rows, &source);
		answer(&party[which], &Z, 1, &still, exact[which]);
	}
	for (unsigned t = 0; t < times; t++) {
		int which = (int)rng_below(&rng, 2);
		double likely = 0;

		answer(&party[which], &Z, 1, &share, x);
		/* adds the other honest party's noise */
		assert_ok(discrete_add(&source, &share, x, WORDS));
		for (size_t w = 0; w < WORDS; w++)
			likely += (x[w] - exact[0][w]) * (x[w] - exact[0][w]) -
				  (x[w] - exact[1][w]) * (x[w] - exact[1][w]);
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
	struct fedsc_params p;

	for (size_t e = 0; e < 5; e++) {
		double best, right;

		params(eps[e], L, &p);
		p.near = 1;
		right = guessed_right(&p, TIMES);
		best = erfc(-1 / (2 * p.gram) / sqrt(2)) / 2;
		print_message("eps %g: right in %.3f of guesses, %.3f at best\n", eps[e], right,
			      best);
		assert_near(right, best, 5 * 0.5 / sqrt(TIMES));
	}
	params(200, L, &p);
	p.near = 1;
	assert_true(guessed_right(&p, 200) > 0.99); /* eps 200 protects almost nothing */
}

/* ---- refused ---- */

TEST(test_refused)
{
	struct discrete_share share = { 1, 1 };
	struct fedsc_question q = { .kind = FEDSC_NOISY_ANCHOR, .near = NEAR, .share = &share };
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_party party;
	struct fedsc_params p;
	double x[WORDS];
	struct mat Z;

	sample_normal(&Z, D, M, 5);
	q.Z = &Z;
	party_of(&party, &X, NULL);
	assert_err(fedsc_answer(&party, &q, x), ERR_PEER,
		   "asked for noise in sums when none was agreed");
	party.noise = &lab->noise;
	q.near = D;
	assert_err(fedsc_answer(&party, &q, x), ERR_PEER, "asked for the 7 nearest of 7");
	fedsc_party_release(&party);
	mat_release(&Z);
	rows_lab_init(lab, &X, truth, L, 0, 1);
	params(1, L, &p);
	p.gram = 1e-8;
	assert_err(fedsc_run(&lab->parties, M, &p, &report), ERR_INPUT, "a smaller eps is needed");
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

TESTS_BETWEEN(open_rows, close_rows)
