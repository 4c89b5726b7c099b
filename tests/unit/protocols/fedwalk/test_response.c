/* Tests randomised response: the share of wrong reports, and results derived from the reports. */
#include "tests/unit/protocols/fedwalk/fedwalk.h"

#include "protocols/fedwalk/response.h"
#include "lab/pooled/seeded.h"

TEST(test_flip)
{
	assert_near(fedwalk_flip(0.1), 1 / (1 + exp(0.1)), 1e-15);
	assert_near(log((1 - fedwalk_flip(3)) / fedwalk_flip(3)), 3, 1e-12);
	assert_near(fedwalk_reports_expected(40, 1000, 5000), 5000, 1e-6);
	/* 334 thousand of 53 million pairs are ties. At eps 8 about 18 thousand reports are wrong.
	 */
	assert_near(fedwalk_reports_expected(8, 10312, 333983), 333983 - 112 + 17715, 20);
	assert_near(fedwalk_ties_expected(4, 120, fedwalk_reports_expected(4, 120, 480)), 480,
		    1e-9);
	assert_true(fedwalk_ties_expected(4, 120, 3) == 0);
}

/* Reports each pair independently: ties and other pairs occur at the expected rates. */
TEST(test_frequencies)
{
	enum { N = 60, TIMES = 20000 };
	static const uint32_t neighbour[] = { 0, 3, 8, 10, 11, 30, 59 };
	static const double budgets[] = { 0.1, 1, 4 };
	struct rng rng;
	struct noise_source source = seeded_source(&rng);

	rng_seed(&rng, 1, 0);
	for (size_t b = 0; b < 3; b++) {
		double q = fedwalk_flip(budgets[b]), pair = 0;
		size_t said[N] = { 0 };

		for (int i = 0; i < TIMES; i++) {
			uint32_t *report;
			size_t count;
			bool eleven = false, twelve = false;

			assert_ok(fedwalk_report(&source, budgets[b], N, 10, neighbour, 7, &report,
						 &count));
			for (size_t j = 0; j < count; j++) {
				assert_true(report[j] > 10 && report[j] < N);
				assert_true(j == 0 || report[j] > report[j - 1]);
				said[report[j]]++;
				eleven |= report[j] == 11;
				twelve |= report[j] == 12;
			}
			pair += !eleven && twelve; /* the reports of both pairs are wrong */
			free(report);
		}
		for (uint32_t v = 11; v < N; v++) {
			double p = v == 11 || v == 30 || v == 59 ? 1 - q : q;

			assert_near((double)said[v], p * TIMES, 5 * sqrt(p * (1 - p) * TIMES) + 5);
		}
		assert_near(pair, q * q * TIMES, 5 * sqrt(q * q * TIMES) + 5);
	}
}

TEST(test_ends)
{
	static const uint32_t neighbour[] = { 1, 2, 4 };
	struct noise_source none = { .bytes = no_entropy };
	struct rng rng;
	struct noise_source source = seeded_source(&rng);
	uint32_t *report;
	size_t count;

	rng_seed(&rng, 2, 0);
	assert_ok(fedwalk_report(&source, 40, 5, 1, neighbour, 3, &report, &count));
	assert_true(count == 2 && report[0] == 2 && report[1] == 4);
	free(report);
	assert_ok(fedwalk_report(&source, 40, 5, 4, neighbour, 2, &report, &count));
	assert_int_equal(count, 0); /* the last vertex has no pair to report */
	free(report);
	assert_ok(fedwalk_report(&source, 40, 1, 0, neighbour, 0, &report, &count));
	assert_int_equal(count, 0);
	free(report);
	assert_err(fedwalk_report(&source, 0, 5, 1, neighbour, 3, &report, &count), ERR_INPUT,
		   "eps of the response is 0");
	assert_err(fedwalk_report(&source, NAN, 5, 1, neighbour, 3, &report, &count), ERR_INPUT,
		   "nan");
	assert_err(fedwalk_report(&source, 41, 5, 1, neighbour, 3, &report, &count), ERR_INPUT,
		   "41");
	assert_err(fedwalk_report(&none, 2, 5, 1, neighbour, 3, &report, &count), ERR_INTERNAL,
		   "no entropy");
	assert_null(report);
}

/* Every tenth vertex is a hub. Each pair of a hub and a vertex that is no hub is a tie with
 * probability 1/2; no other pair is a tie. Debiasing gives ties a higher mean probability than
 * wrong reports, and drops unlikely pairs. */
TEST(test_debias)
{
	enum { N = 400 };
	double tie = 0, ties = 0, other = 0, others = 0, sum = 0, all = 0;
	bool *is_tie;
	struct rng rng;
	struct noise_source source = seeded_source(&rng);
	struct triple *t;
	struct csr said;
	size_t n = 0;

	rng_seed(&rng, 4, 0);
	ALLOC(t, 2 * N * N);
	ALLOC(is_tie, N * N);
	for (uint32_t u = 0; u < N; u++) {
		uint32_t *report, neighbour[N];
		size_t count, degree = 0;

		for (uint32_t v = 0; v < N; v++) {
			bool before = v < u && is_tie[v * N + u];
			bool here = v > u && (u % 10 == 0) != (v % 10 == 0) && rng_below(&rng, 2);

			is_tie[u * N + v] = before || here;
			if (is_tie[u * N + v])
				neighbour[degree++] = v;
		}
		all += (double)degree;
		assert_ok(fedwalk_report(&source, 3, N, u, neighbour, degree, &report, &count));
		for (size_t i = 0; i < count; i++) {
			t[n++] = (struct triple){ u, report[i], 1 };
			t[n++] = (struct triple){ report[i], u, 1 };
		}
		free(report);
	}
	csr_from_triples(&said, N, N, t, n);
	free(said.value);
	said.value = NULL;
	fedwalk_debias(&said, 3, 2);
	for (uint32_t u = 0; u < N; u++)
		for (size_t e = said.start[u]; e < said.start[u + 1]; e++) {
			bool here = is_tie[u * N + said.index[e]];

			assert_true(said.value[e] >= FEDWALK_TIE_LEAST && said.value[e] <= 1);
			sum += said.value[e];
			tie += here ? said.value[e] : 0;
			ties += here;
			other += here ? 0 : said.value[e];
			others += !here;
		}
	assert_near(sum / all, 1, 0.1); /* the probabilities add up to the number of ties */
	assert_true(ties > 0.93 * all && others > 0.02 * N * N);
	assert_true(tie / ties > 1.3 * other / others);
	csr_release(&said);
	free(is_tie);
	free(t);
}
