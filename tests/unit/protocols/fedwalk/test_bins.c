/* Tests bins, noisy degree vectors and ordered degree matrices. */
#include "tests/unit/protocols/fedwalk/fedwalk.h"
#include "lab/pooled/seeded.h"

TEST(test_bins)
{
	static const size_t sizes[] = { 1, 5, 34, 1000, 10312 };
	static uint8_t bin[10312], again[10312];

	assert_int_equal(fedwalk_bins_default(0), 1);
	assert_int_equal(fedwalk_bins_default(1), 1);
	assert_int_equal(fedwalk_bins_default(7), 1);
	assert_int_equal(fedwalk_bins_default(8), 2);
	assert_int_equal(fedwalk_bins_default(10312), 9);
	assert_int_equal(fedwalk_bins_default(100000), 11);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		size_t n = sizes[s], count[FEDWALK_BINS_MAX] = { 0 };
		unsigned k = fedwalk_bins_default(n);

		fedwalk_bins(n, k, 3, bin);
		for (size_t v = 0; v < n; v++) {
			assert_true(bin[v] < k);
			count[bin[v]]++;
		}
		for (unsigned j = 0; j < k; j++)
			assert_true(count[j] == n / k || count[j] == n / k + 1);
	}
	fedwalk_bins(10312, 9, 3, again);
	assert_memory_equal(bin, again, 10312);
	fedwalk_bins(10312, 9, 4, again);
	assert_memory_not_equal(bin, again, 10312);
	/* bins do not follow the vertices' numbers: about half agree with v % 2 */
	fedwalk_bins(10312, 2, 3, bin);
	for (size_t v = 0, same = 0; v < 10312; v++) {
		same += bin[v] == v % 2;
		if (v == 10311)
			assert_near((double)same, 5156, 6 * 51);
	}
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double laplace_below(double x, double eps)
{
	return x < 0 ? exp(eps * x) / 2 : 1 - exp(-eps * x) / 2;
}

/* Compares the noise of all entries with the Laplace distribution (Kolmogorov-Smirnov) and its
 * variance. Entries of one vector must be uncorrelated. */
TEST(test_noise)
{
	enum { VECTORS = 20000, K = 5, N = VECTORS * K };
	static const double budgets[] = { 0.25, 1, 2, 4 };
	static const uint32_t neighbour[] = { 0, 1, 2, 3, 4, 5, 6 };
	static const uint8_t bin[] = { 0, 0, 0, 2, 3, 3, 0 };
	static const double count[K] = { 4, 0, 1, 2, 0 };
	struct rng rng;
	struct noise_source source = seeded_source(&rng);
	double *x, *flat;

	rng_seed(&rng, 11, 0);
	ALLOC(x, N);
	ALLOC(flat, N);
	for (size_t b = 0; b < sizeof(budgets) / sizeof(*budgets); b++) {
		double eps = budgets[b], square = 0, product = 0, sum = 0, worst = 0;

		for (size_t v = 0; v < VECTORS; v++) {
			float c[K];

			assert_ok(fedwalk_counts(&source, eps, bin, K, neighbour, 7, c));
			for (size_t j = 0; j < K; j++) {
				double noise = (double)c[j] - count[j];

				assert_true(noise * 256 == floor(noise * 256));
				x[v * K + j] = noise;
				sum += noise;
				square += noise * noise;
				product += j ? noise * x[v * K + j - 1] : 0;
			}
		}
		assert_near(sum / N, 0, 6 * sqrt(2 / (double)N) / eps);
		assert_near(square / N * eps * eps / 2, 1, 6 * sqrt(5 / (double)N));
		assert_near(product / N * eps * eps / 2, 0, 6 / sqrt((double)N));
		memcpy(flat, x, N * sizeof(*x));
		qsort(flat, N, sizeof(*flat), by_value);
		for (size_t i = 0; i < N; i++)
			worst = fmax(worst, fabs(laplace_below(flat[i], eps) - (i + 0.5) / N));
		/* Chance exceeds 2.2 / sqrt(N) once in 8000 cases. The noise's grid adds half a
		 * step. */
		assert_true(worst < 2.2 / sqrt((double)N) + eps / 1024);
	}
	free(flat);
	free(x);
}

TEST(test_bounds)
{
	static const uint32_t neighbour[] = { 0, 1 };
	static const uint8_t bin[] = { 0, 1 };
	struct noise_source none = { .bytes = no_entropy };
	struct rng rng;
	struct noise_source source = seeded_source(&rng);
	float c[2];

	rng_seed(&rng, 12, 0);
	assert_err(fedwalk_counts(&source, 0, bin, 2, neighbour, 2, c), ERR_INPUT, "eps is 0");
	assert_err(fedwalk_counts(&source, -2, bin, 2, neighbour, 2, c), ERR_INPUT, "eps is -2");
	assert_err(fedwalk_counts(&source, NAN, bin, 2, neighbour, 2, c), ERR_INPUT, "eps is nan");
	assert_err(fedwalk_counts(&source, INFINITY, bin, 2, neighbour, 2, c), ERR_INPUT, "inf");
	assert_err(fedwalk_counts(&none, 1, bin, 2, neighbour, 2, c), ERR_INTERNAL, "no entropy");
	assert_ok(fedwalk_counts(&source, 1e6, bin, 2, neighbour, 2, c)); /* with almost no noise */
	assert_true(c[0] == 1 && c[1] == 1);
	for (int i = 0; i < 1000; i++) {
		assert_ok(fedwalk_counts(&source, 1e-3, bin, 2, neighbour, 0, c));
		assert_true(fabsf(c[0]) < 65535.5f && fabsf(c[1]) < 65535.5f);
	}
}

TEST(test_matrix)
{
	static const float c[] = { 1, 1, 5, 0, -1, 0, 0, 2, 9, 9 };
	static const uint32_t neighbour[] = { 0, 1, 2, 3 };
	/* Rows are in the order of degrees. Rows 0 and 3 both have degree 2; row 0, the lower
	 * number, comes first. */
	static const float expected[] = { -1, 0, 1, 1, 0, 2, 5, 0 };
	float M[8];

	assert_true(fedwalk_degree(c + 2, 2) == 5);
	fedwalk_matrix(c, 2, neighbour, 4, M);
	assert_memory_equal(M, expected, sizeof(M));
	fedwalk_matrix(c, 2, neighbour, 0, M);
}
