/* Compares the encoder with equation 12 of the FedWalk paper, computed directly. */
#include "tests/unit/protocols/fedwalk/fedwalk.h"

#include "protocols/fedwalk/encode.h"
#include "lab/pooled/seeded.h"

/* Returns P(v | u), the probability that the encoder replaces u by v, from the encoder's lists. */
static double probability(const struct fedwalk_encoder *e, uint32_t u, uint32_t v)
{
	double sum = 0, before = 0;

	for (size_t i = e->start[u]; i < e->start[u + 1]; i++) {
		double upto = i + 1 < e->start[u + 1] ? e->upto[i] * 0x1p-32 : 1;

		if (e->v[i] == v)
			sum += upto - before;
		before = upto;
	}
	return sum;
}

struct sample {
	size_t n;
	unsigned k;
	float *c;
	struct triangle triangle;
	struct fedwalk_tree tree;
	struct fedwalk_dissimilarity d;
};

static void sample_make(struct sample *s, size_t n, uint64_t seed)
{
	struct triangle used;

	s->n = n;
	s->k = 5;
	s->c = sample_dictionary(n, s->k, seed);
	fedwalk_l1(s->c, n, s->k, 1, &s->triangle);
	triangle_copy(&used, &s->triangle);
	fedwalk_tree_average(&s->tree, &used);
	triangle_release(&used);
	s->d = (struct fedwalk_dissimilarity){ n, &s->triangle, s->c, s->k };
}

static void sample_release(struct sample *s)
{
	fedwalk_tree_release(&s->tree);
	triangle_release(&s->triangle);
	free(s->c);
}

/* Computes P[u * n + v] = P(v | u) and its logarithm for all pairs. */
static void directly(const struct sample *s, double eps, double *P, double *log_P)
{
	size_t n = s->n;

	for (size_t u = 0; u < n; u++) {
		double sum = 0;

		for (size_t v = 0; v < n; v++) {
			double score = u == v ? 0
					      : eps * (double)*triangle_at(&s->triangle, u, v) *
						    (double)tree_leaves(&s->tree, u, v);

			log_P[u * n + v] = -score;
			sum += exp(-score);
		}
		for (size_t v = 0; v < n; v++) {
			log_P[u * n + v] -= log(sum);
			P[u * n + v] = exp(log_P[u * n + v]);
		}
	}
}

static double widest(const double *log_P, size_t n)
{
	double eps0 = 0;

	for (size_t u = 0; u < n; u++)
		for (size_t w = 0; w < n; w++)
			for (size_t r = 0; r < n; r++)
				eps0 = fmax(eps0, log_P[u * n + r] - log_P[w * n + r]);
	return eps0;
}

static void check(size_t n, double eps, uint64_t seed)
{
	struct fedwalk_encoder_report report;
	struct fedwalk_encoder e;
	double *P, *log_P, kept = 0, least = 1, eps0;
	struct sample s;

	sample_make(&s, n, seed);
	ALLOC(P, n * n);
	ALLOC(log_P, n * n);
	directly(&s, eps, P, log_P);
	fedwalk_encoder_init(&e, &s.tree, &s.d, eps, 2, &report);
	for (size_t u = 0; u < n; u++) {
		for (size_t v = 0; v < n; v++) /* lists round probabilities to 32 bits */
			assert_near(probability(&e, (uint32_t)u, (uint32_t)v), P[u * n + v],
				    2e-9 + 1e-6 * P[u * n + v]);
		kept += P[u * n + u] / (double)n;
		least = fmin(least, P[u * n + u]);
	}
	assert_near(report.kept, kept, 1e-6);
	assert_near(report.kept_least, least, 1e-6);
	assert_true(report.dropped < 1e-10);
	eps0 = widest(log_P, n);
	assert_near(report.eps0, eps0, 1e-5 * eps0 + 1e-5);
	fedwalk_encoder_release(&e);
	free(log_P);
	free(P);
	sample_release(&s);
}

TEST(test_against_equation)
{
	check(1, 2, 1);
	check(2, 2, 2);
	check(60, 2, 3);
	check(60, 0.05, 4);
	check(60, 0.002, 5); /* at this eps few candidates are omitted and many vertices change */
}

/* The encoder makes the same lists with and without stored dissimilarities, on one thread or
 * three. */
TEST(test_same)
{
	struct fedwalk_encoder_report one, two;
	struct fedwalk_encoder a, b;
	struct sample s;

	sample_make(&s, 300, 6);
	fedwalk_encoder_init(&a, &s.tree, &s.d, 0.1, 1, &one);
	s.d.triangle = NULL;
	fedwalk_encoder_init(&b, &s.tree, &s.d, 0.1, 3, &two);
	assert_memory_equal(a.start, b.start, 301 * sizeof(*a.start));
	assert_memory_equal(a.v, b.v, a.start[300] * sizeof(*a.v));
	assert_memory_equal(a.upto, b.upto, a.start[300] * sizeof(*a.upto));
	assert_true(one.eps0 == two.eps0 && one.kept == two.kept);
	fedwalk_encoder_release(&a);
	fedwalk_encoder_release(&b);
	sample_release(&s);
}

/* If a vertex has more candidates than a list may have, the list keeps the most likely ones. */
TEST(test_long_lists)
{
	enum { N = 1500 };
	struct fedwalk_encoder_report report;
	struct fedwalk_encoder e;
	struct fedwalk_dissimilarity d;
	struct fedwalk_tree t;
	struct triangle h, used;

	triangle_init(&h, N); /* all dissimilarities are 0, so all candidates are equally likely */
	triangle_copy(&used, &h);
	fedwalk_tree_average(&t, &used);
	d = (struct fedwalk_dissimilarity){ .n = N, .triangle = &h };
	fedwalk_encoder_init(&e, &t, &d, 2, 2, &report);
	assert_int_equal(report.longest, FEDWALK_CANDIDATES_MAX);
	assert_near(report.dropped, 1 - 1024.0 / N, 1e-6);
	assert_near(report.eps0, 0, 1e-5);
	assert_near(probability(&e, 3, 5), 1 / 1024.0, 1e-6);
	fedwalk_encoder_release(&e);
	triangle_release(&h);
	triangle_release(&used);
	fedwalk_tree_release(&t);
}

/* fedwalk_encode() draws each vertex about as often as its probability says. */
TEST(test_draws)
{
	enum { DRAWS = 100000, N = 30 };
	struct fedwalk_encoder_report report;
	struct fedwalk_encoder e;
	size_t count[N] = { 0 };
	struct rng rng;
	struct noise_source source = seeded_source(&rng);
	struct sample s;
	struct draw d;
	uint32_t u = 7;

	sample_make(&s, N, 7);
	fedwalk_encoder_init(&e, &s.tree, &s.d, 0.002, 1, &report);
	rng_seed(&rng, 8, 0);
	draw_init(&d, &source);
	for (int i = 0; i < DRAWS; i++)
		count[fedwalk_encode(&e, u, &d)]++;
	assert_ok(draw_end(&d));
	for (uint32_t v = 0; v < N; v++) {
		double p = probability(&e, u, v);

		assert_near((double)count[v], p * DRAWS, 5 * sqrt(p * DRAWS) + 5);
	}
	assert_true(count[u] > 0 && count[u] < DRAWS / 2);
	fedwalk_encoder_release(&e);
	sample_release(&s);
}

TEST(test_from)
{
	static const uint32_t count[] = { 2, 1 }, v[] = { 0, 1, 1 };
	static const uint32_t upto[] = { 1u << 31, UINT32_MAX, UINT32_MAX };
	static const uint32_t open[] = { 1u << 31, UINT32_MAX, 7 };
	static const uint32_t falls[] = { UINT32_MAX, 5, UINT32_MAX };
	static const uint32_t stranger[] = { 0, 2, 1 }, none[] = { 3, 0 }, many[] = { 2, 9 };
	static const uint32_t few[] = { 1, 1 };
	struct fedwalk_encoder e;

	assert_ok(fedwalk_encoder_from(&e, 2, count, v, upto, 3));
	assert_near(probability(&e, 0, 1), 0.5, 1e-9);
	assert_near(probability(&e, 1, 1), 1, 0);
	fedwalk_encoder_release(&e);
	assert_err(fedwalk_encoder_from(&e, 2, count, v, open, 3), ERR_PEER, "vertex 1 has no end");
	assert_err(fedwalk_encoder_from(&e, 2, count, v, falls, 3), ERR_PEER, "vertex 0");
	assert_err(fedwalk_encoder_from(&e, 2, count, stranger, upto, 3), ERR_PEER, "wrong at 1");
	assert_err(fedwalk_encoder_from(&e, 2, none, v, upto, 3), ERR_PEER, "vertex 1 has no end");
	assert_err(fedwalk_encoder_from(&e, 2, many, v, upto, 3), ERR_PEER, "3 candidates in all");
	assert_err(fedwalk_encoder_from(&e, 2, few, v + 1, upto + 1, 3), ERR_PEER, "expected 2");
}
