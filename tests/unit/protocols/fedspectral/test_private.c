/* Tests variant `exact` with noise in its sums: the sensitivity to one edge, the amount of noise,
 * the questions asked, and the clusters of a planted graph. */
#include "tests/unit/protocols/fedspectral/parts.h"
#include "protocols/fedspectral/private.h"
#include "common/privacy/account.h"
#include "lab/pooled/seeded.h"

#include <math.h>
#include <stdio.h>

enum { N = 1200, K = 6, EDGES = 42000, L = 4, FEW = 30, B = 4 };

static struct csr graph;
static uint32_t truth[N];

static int plant(void **state)
{
	(void)state;
	parts_planted(&graph, N, K, EDGES, 0.05, 0, truth);
	return 0;
}

static int uproot(void **state)
{
	(void)state;
	csr_release(&graph);
	return 0;
}

static void params(double eps, struct fedspectral_params *p)
{
	double mu;

	fedspectral_defaults(p, K, 1, 1);
	assert_ok(account_mu(eps, 1e-5, &mu));
	fedspectral_private_settle(p, mu, true);
}

/* ---- clusters of a planted graph ---- */

struct watched {
	size_t degrees, narrow, counting, others;
};

static enum err watch(void *watcher, const void *question, double *x, size_t n)
{
	const struct fedspectral_question *q = question;
	struct watched *w = watcher;

	(void)x;
	if (q->kind == FEDSPECTRAL_NOISY_DEGREES && n == N)
		w->degrees++;
	else if (q->kind == FEDSPECTRAL_NOISY_PRODUCT && n == (size_t)N * B)
		w->narrow++;
	else if (q->kind == FEDSPECTRAL_NOISY_PRODUCT && n == (size_t)N * K)
		w->counting++;
	else
		w->others++;
	return ERR_OK;
}

/* At eps 8 the run finds the planted classes, where the mean degree is 70. Even at eps 1e-3 it
 * returns a clustering. */
TEST(test_planted)
{
	static const double eps[] = { 8, 1e-3 };

	for (size_t e = 0; e < 2; e++) {
		struct watched seen = { 0 };
		struct fedspectral_report report;
		struct fedspectral_params p;
		struct noise_source source;
		struct metrics found;
		uint32_t label[N];
		struct parts parts;
		struct rng rng;

		rng_seed(&rng, 3, 1);
		source = seeded_source(&rng);
		params(eps[e], &p);
		parts_deal(&parts, &graph, L, 1, 1, 1);
		for (size_t l = 0; l < L; l++)
			parts.party[l].noise = &source;
		parts.memory.watch = watch;
		parts.memory.watcher = &seen;
		assert_ok(fedspectral_private(&parts.parties, N, &p, label, &report));
		assert_ok(metrics_of(truth, label, N, &found));
		print_message("eps %g: ARI %.3f\n", eps[e], found.ari);
		assert_true(e || found.ari > 0.9);
		assert_true(seen.degrees == 1 && seen.narrow == 6 && seen.counting == 4 &&
			    !seen.others);
		assert_true(report.k == K && report.clusters == K && report.rounds == 10);
		for (size_t i = 0; i < N; i++)
			assert_true(label[i] < K);
		parts_release(&parts);
	}
}

/* ---- amount of noise ---- */

/* All sums together are one release with parameter mu of Gaussian differential privacy
 * (common/privacy/account.h). Each sum has a part of mu^2, and the parts add up to mu^2. */
TEST(test_parts_of_mu)
{
	struct fedspectral_params p;
	double mu;

	params(1, &p);
	assert_ok(account_mu(1, 1e-5, &mu));
	assert_near(1 / (p.degree * p.degree) + 10 / (p.product * p.product), mu * mu, 1e-12);
	assert_true(p.block == B && p.rounds == 6);
	p.block = 2;
	p.rounds = 3;
	fedspectral_private_settle(&p, mu, false);
	assert_near(1 / (p.degree * p.degree) + 7 / (p.product * p.product), mu * mu, 1e-12);
	assert_true(p.block == 2 && p.rounds == 3);
}

/* A job without `colluders` assumes half of the parties collude, rounded down. */
TEST(test_half_collude)
{
	static const size_t of[] = { 2, 3, 8 };

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct discrete_share unsaid, said;
		struct fedspectral_params p;

		params(1, &p);
		assert_ok(fedspectral_noisy_of(&p, of[i], B, &unsaid, NULL));
		p.colluders = (unsigned)(of[i] / 2);
		assert_ok(fedspectral_noisy_of(&p, of[i], B, &said, NULL));
		assert_true(unsaid.step == said.step && unsaid.steps == said.steps);
		p.colluders = of[i] / 2 == 1 ? 0 : 1;
		assert_ok(fedspectral_noisy_of(&p, of[i], B, &said, NULL));
		assert_true(unsaid.step * unsaid.steps > said.step * said.steps);
	}
}

static const struct discrete_share still = { 0x1p-24, 1 };

/* Makes a party with a path of nodes 1 .. FEW - 1. Node 0 has one edge, to node `to` with this
 * weight (to = 0: no edge). */
static void party_of(struct fedspectral_party *party, uint32_t to, double weight,
		     const struct noise_source *source)
{
	struct triple t[2 * FEW + 2];
	size_t count = 0;
	struct csr A;

	for (uint32_t i = 1; i + 1 < FEW; i++) {
		t[count++] = (struct triple){ i, i + 1, 1 };
		t[count++] = (struct triple){ i + 1, i, 1 };
	}
	if (to) {
		t[count++] = (struct triple){ 0, to, weight };
		t[count++] = (struct triple){ to, 0, weight };
	}
	csr_from_triples(&A, FEW, FEW, t, count);
	fedspectral_party_init(party, &A, NULL, FEW, 1);
	party->noise = source;
	csr_release(&A);
}

static double apart(const double *a, const double *b, size_t n)
{
	double square = 0;

	for (size_t i = 0; i < n; i++)
		square += (a[i] - b[i]) * (a[i] - b[i]);
	return sqrt(square);
}

/* One more edge changes degrees and products by at most sqrt(2), for any weight and any lengths of
 * the block's rows. The bound is reached if the rows are long enough. */
TEST(test_what_an_edge_can_change)
{
	static const double weight[] = { 1, 0.3, 50, -2 };
	struct noise_source source;
	double most[2] = { 0 };
	struct rng rng;

	rng_seed(&rng, 9, 1);
	source = seeded_source(&rng);
	for (unsigned t = 0; t < 2000; t++) {
		double x[2][FEW], y[2][FEW * B];
		struct mat X;

		sample_normal(&X, FEW, B, t);
		for (size_t e = 0; e < FEW * B; e++)
			X.a[e] *= t % 5 ? 1e3 : 1;
		for (int which = 0; which < 2; which++) {
			struct fedspectral_party party;
			struct mat copy;

			mat_copy(&copy, &X);
			party_of(&party, which ? 1 + t % (FEW - 1) : 0, weight[t % 4], &source);
			assert_ok(fedspectral_noisy_degrees(&party, &still, x[which]));
			assert_ok(fedspectral_noisy_product(&party, &copy, &still, y[which]));
			fedspectral_party_release(&party);
			mat_release(&copy);
		}
		most[0] = fmax(most[0], apart(x[0], x[1], FEW));
		most[1] = fmax(most[1], apart(y[0], y[1], FEW * B));
		mat_release(&X);
	}
	for (int i = 0; i < 2; i++)
		assert_near(most[i], M_SQRT2, 1e-4);
}

/* The honest parties' noise in a decoded sum has the promised deviation. */
TEST(test_noise_of_the_sum)
{
	enum { TIMES = 1500 };
	static const size_t of[][2] = { { 2, 1 }, { 8, 4 }, { 8, 7 } };
	struct fedspectral_party party;
	struct noise_source source;
	double exact[FEW * B], y[FEW * B];
	struct rng rng;
	struct mat X;

	rng_seed(&rng, 23, 0);
	source = seeded_source(&rng);
	party_of(&party, 3, 1, &source);
	sample_normal(&X, FEW, B, 5);
	noise_clip_rows(&X, 1);
	for (size_t i = 0; i < 3; i++)
		for (size_t cols = 0; cols <= B; cols += B) {
			size_t parties = of[i][0], honest = parties - of[i][1];
			size_t words = cols ? FEW * B : FEW;
			struct discrete_share share, quiet;
			double rest = 0, n = TIMES * words, deviation, promised;
			struct fedspectral_params p;

			params(2, &p);
			p.colluders = (unsigned)of[i][1];
			promised = M_SQRT2 * (cols ? p.product : p.degree);
			assert_ok(fedspectral_noisy_of(&p, parties, cols, &share, &deviation));
			quiet = (struct discrete_share){ share.step, 1 };
			for (unsigned t = 0; t <= TIMES; t++) {
				const struct discrete_share *with = t ? &share : &quiet;
				double *to = t ? y : exact;

				if (cols)
					assert_ok(fedspectral_noisy_product(&party, &X, with, to));
				else
					assert_ok(fedspectral_noisy_degrees(&party, with, to));
				for (size_t l = 1; t && l < honest; l++)
					assert_ok(discrete_add(&source, &share, to, words));
				for (size_t w = 0; t && w < words; w++) {
					assert_true(y[w] / share.step ==
						    nearbyint(y[w] / share.step));
					rest += (y[w] - exact[w]) * (y[w] - exact[w]) / n;
				}
			}
			assert_near(rest / (promised * promised), 1, 5 * sqrt(2 / n) + 1e-3);
			assert_true(share.step * share.steps * sqrt((double)honest) >= promised);
			assert_near(deviation, share.step * share.steps * sqrt((double)parties),
				    1e-9);
		}
	fedspectral_party_release(&party);
	mat_release(&X);
}

/* ---- an attack ---- */

/* The attacker knows all edges but one, and the colluders' noise. It guesses from one product
 * whether the edge exists. For this guess it made the block: two long rows, which a party shortens
 * to the largest length that it admits. */
TEST(test_who_knows_all_other_edges)
{
	enum { TIMES = 4000 };
	static const double eps[] = { 0.5, 1, 2, 4, 8, 400 };
	struct fedspectral_party party[2];
	struct noise_source source;
	double exact[2][FEW * B], y[FEW * B];
	struct rng rng;
	struct mat X;

	rng_seed(&rng, 31, 0);
	source = seeded_source(&rng);
	mat_init(&X, FEW, B);
	MAT(&X, 0, 0) = MAT(&X, 9, 0) = 1e6;
	for (int which = 0; which < 2; which++) {
		party_of(&party[which], which ? 9 : 0, 1, &source);
		assert_ok(fedspectral_noisy_product(&party[which], &X, &still, exact[which]));
	}
	for (size_t e = 0; e < 6; e++) {
		struct discrete_share share;
		struct fedspectral_params p;
		unsigned right = 0;
		double best;

		params(eps[e], &p);
		assert_ok(fedspectral_noisy_of(&p, L, B, &share, NULL));
		for (unsigned t = 0; t < TIMES; t++) {
			int which = (int)rng_below(&rng, 2);

			assert_ok(fedspectral_noisy_product(&party[which], &X, &share, y));
			assert_ok(discrete_add(&source, &share, y, FEW * B));
			right += (apart(y, exact[1], FEW * B) < apart(y, exact[0], FEW * B)) ==
				 (which == 1);
		}
		best = erfc(-1 / (2 * p.product) / sqrt(2)) / 2;
		print_message("eps %g: right in %.3f of guesses, %.3f at best\n", eps[e],
			      (double)right / TIMES, best);
		assert_near((double)right / TIMES, best, 5 * 0.5 / sqrt(TIMES));
	}
	for (int which = 0; which < 2; which++)
		fedspectral_party_release(&party[which]);
	mat_release(&X);
}

/* ---- refused ---- */

TEST(test_refused)
{
	struct fedspectral_party party;
	struct discrete_share share;
	struct fedspectral_params p;
	struct noise_source source;
	double y[FEW * B];
	struct rng rng;
	struct mat X;

	rng_seed(&rng, 1, 1);
	source = seeded_source(&rng);
	party_of(&party, 3, 1, NULL);
	sample_normal(&X, FEW, B, 5);
	assert_err(fedspectral_noisy_degrees(&party, &still, y), ERR_PEER, "none was agreed");
	assert_err(fedspectral_noisy_product(&party, &X, &still, y), ERR_PEER, "none was agreed");
	party.noise = &source;
	MAT(&X, 4, 1) = NAN;
	assert_err(fedspectral_noisy_product(&party, &X, &still, y), ERR_PEER, "a block with nan");
	params(1, &p);
	p.colluders = 3;
	assert_err(fedspectral_noisy_of(&p, 3, B, &share, NULL), ERR_INPUT,
		   "job.noise.colluders is 3, of 3 parties");
	p.colluders = 1;
	p.product = 1e-8;
	assert_err(fedspectral_noisy_of(&p, 3, B, &share, NULL), ERR_INPUT, "a smaller eps");
	fedspectral_party_release(&party);
	mat_release(&X);
}

TESTS_BETWEEN(plant, uproot)
