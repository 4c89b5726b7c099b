#include "tests/unit/linalg/sample.h"
#include "common/cluster/metrics.h"

/* Returns the least total cost over all permutations. */
static double brute_force(const double *cost, size_t n, size_t row, unsigned used)
{
	double least = INFINITY;

	if (row == n)
		return 0;
	for (size_t j = 0; j < n; j++)
		if (!(used >> j & 1)) {
			double rest = brute_force(cost, n, row + 1, used | 1u << j);

			least = fmin(least, cost[row * n + j] + rest);
		}
	return least;
}

static void check_matching(const double *cost, size_t n)
{
	size_t column[8];
	unsigned used = 0;
	double total = 0;

	hungarian(cost, n, column);
	for (size_t i = 0; i < n; i++) {
		assert_true(column[i] < n && !(used >> column[i] & 1));
		used |= 1u << column[i];
		total += cost[i * n + column[i]];
	}
	assert_near(total, brute_force(cost, n, 0, 0), 1e-12);
}

TEST(hungarian_against_brute_force)
{
	double cost[49];
	struct rng rng;

	rng_seed(&rng, 5, 0);
	for (size_t n = 1; n <= 7; n++)
		for (int trial = 0; trial < 60; trial++) {
			for (size_t i = 0; i < n * n; i++)
				/* costs of both signs, or small integers, which have ties */
				cost[i] =
				    trial % 2 ? rng_unit(&rng) - 0.5 : (double)rng_below(&rng, 4);
			check_matching(cost, n);
		}
}

/* There are 8 nodes with truth 0 0 0 1 1 1 2 2 and clusters 5 5 9 9 9 9 7 7. The match is 5-0, 9-1,
 * 7-2.
 *   acc = 7 / 8
 *   H(truth) = 2 * 3/8 ln(8/3) + 1/4 ln 4, H(label) = 1/4 ln 4 + 1/2 ln 2 + 1/4 ln 4
 *   I = 1/4 ln(8/3) + 1/8 ln(2/3) + 3/8 ln 2 + 1/4 ln 4
 *   pairs: together in both 1 + 0 + 3 + 1 = 5; truth 3 + 3 + 1 = 7; label 1 + 6 + 1 = 8; all 28
 *   ari = (5 - 2) / (7.5 - 2) = 6/11
 *   f1: class 0: 2*2/(3+2), class 1: 2*3/(3+4), class 2: 1 */
TEST(by_hand)
{
	static const uint32_t truth[] = { 0, 0, 0, 1, 1, 1, 2, 2 };
	static const uint32_t label[] = { 5, 5, 9, 9, 9, 9, 7, 7 };
	double ht = 2 * 3. / 8 * log(8. / 3) + 0.25 * log(4);
	double hl = 0.25 * log(4) + 0.5 * log(2) + 0.25 * log(4);
	double i = 0.25 * log(8. / 3) + 0.125 * log(2. / 3) + 0.375 * log(2) + 0.25 * log(4);
	struct metrics m;

	assert_ok(metrics_of(truth, label, 8, &m));
	assert_near(m.acc, 7. / 8, 1e-15);
	assert_near(m.nmi, 2 * i / (ht + hl), 1e-14);
	assert_near(m.ari, 6. / 11, 1e-14);
	assert_near(m.f1, (4. / 5 + 6. / 7 + 1) / 3, 1e-15);
}

/* Clusters are the classes under other numbers; one number is the largest label allowed. */
TEST(names_do_not_matter)
{
	static const uint32_t truth[] = { 0, 1, 2, 0, 1, 2, 2 };
	static const uint32_t label[] = { 9, 1048575, 0, 9, 1048575, 0, 0 };
	struct metrics m;

	assert_ok(metrics_of(truth, label, 7, &m));
	assert_near(m.acc, 1, 0);
	assert_near(m.nmi, 1, 1e-14);
	assert_near(m.ari, 1, 1e-14);
	assert_near(m.f1, 1, 0);
}

/* With 4 classes of one node and one cluster, one node can be correct. */
TEST(more_classes_than_clusters)
{
	static const uint32_t truth[] = { 3, 2, 1, 0 }, one[] = { 0, 0, 0, 0 };
	struct metrics m;

	assert_ok(metrics_of(truth, one, 4, &m));
	assert_near(m.acc, 0.25, 0);
	assert_near(m.nmi, 0, 1e-15);
	assert_near(m.ari, 0, 1e-15);
	assert_near(m.f1, 2. / 5 / 4, 1e-15);
	/* one class, and a cluster for each node */
	assert_ok(metrics_of(one, truth, 4, &m));
	assert_near(m.acc, 0.25, 0);
	assert_near(m.nmi, 0, 1e-15);
	assert_near(m.ari, 0, 1e-15);
	assert_near(m.f1, 2. / 5, 1e-15);
}

TEST(one_cluster_or_one_class)
{
	static const uint32_t same[] = { 4, 4, 4 }, each[] = { 0, 1, 2 };
	struct metrics m;

	assert_ok(metrics_of(same, same, 3, &m));
	assert_true(m.acc == 1 && m.nmi == 1 && m.ari == 1 && m.f1 == 1);
	assert_ok(metrics_of(each, each, 3, &m));
	assert_true(m.acc == 1 && m.ari == 1 && m.f1 == 1);
	assert_near(m.nmi, 1, 1e-15);
	assert_ok(metrics_of(same, same, 1, &m));
	assert_true(m.acc == 1 && m.nmi == 1 && m.ari == 1 && m.f1 == 1);
}

/* Random labels score near 0 in ari, which corrects for chance, and nmi, and near 1/5 in acc. */
TEST(random_labels)
{
	enum { N = 20000 };
	static uint32_t truth[N], label[N];
	struct metrics m;
	struct rng rng;

	rng_seed(&rng, 8, 0);
	for (int i = 0; i < N; i++) {
		truth[i] = (uint32_t)rng_below(&rng, 5);
		label[i] = (uint32_t)rng_below(&rng, 5);
	}
	assert_ok(metrics_of(truth, label, N, &m));
	assert_near(m.ari, 0, 0.01);
	assert_near(m.nmi, 0, 0.01);
	assert_true(m.acc >= 0.2 && m.acc < 0.25);
}

/* Computes the similarity as published in FedSpectral+, Algorithm 5. */
static double similarity_by_pairs(const uint32_t *truth, const uint32_t *label, size_t n)
{
	double mismatch = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			if (truth[i] == truth[j] && label[i] != label[j])
				mismatch++;
	return 1 - mismatch / ((double)n * (double)n);
}

TEST(similarity_is_algorithm_5)
{
	enum { N = 300 };
	uint32_t truth[N], label[N];
	struct metrics m;
	struct rng rng;

	rng_seed(&rng, 3, 0);
	for (size_t n = 1; n <= N; n = n < 20 ? n + 1 : 3 * n / 2) {
		uint32_t classes = 1 + (uint32_t)rng_below(&rng, 12);
		uint32_t clusters = 1 + (uint32_t)rng_below(&rng, 12);

		for (size_t i = 0; i < n; i++) {
			truth[i] = 7 * (uint32_t)rng_below(&rng, classes);
			label[i] = 1000 - (uint32_t)rng_below(&rng, clusters);
		}
		assert_ok(metrics_of(truth, label, n, &m));
		assert_near(m.similarity, similarity_by_pairs(truth, label, n), 1e-15);
	}
}

/* The similarity cannot tell good labels from bad: one cluster scores 1, and random labels score
 * high. */
TEST(similarity_proves_nothing)
{
	enum { N = 20000, K = 10 };
	static uint32_t truth[N], label[N];
	struct metrics m;
	struct rng rng;

	rng_seed(&rng, 4, 0);
	for (int i = 0; i < N; i++)
		truth[i] = (uint32_t)rng_below(&rng, K);
	assert_ok(metrics_of(truth, label, N, &m));
	assert_true(m.similarity == 1 && m.ari == 0);
	for (int i = 0; i < N; i++)
		label[i] = (uint32_t)rng_below(&rng, K);
	assert_ok(metrics_of(truth, label, N, &m));
	assert_near(m.similarity, 1 - (1. / K) * (1 - 1. / K), 1e-3);
	assert_near(m.ari, 0, 1e-3);
	/* With one class and a cluster for each node, truth and labels differ for every pair of
	 * two nodes. */
	memset(truth, 0, sizeof(truth));
	for (uint32_t i = 0; i < 1000; i++)
		label[i] = i;
	assert_ok(metrics_of(truth, label, 1000, &m));
	assert_near(m.similarity, 1e-3, 1e-15);
}

TEST(bad_input)
{
	static uint32_t truth[METRICS_CLASSES_MAX + 1], label[METRICS_CLASSES_MAX + 1];
	struct metrics m;

	assert_err(metrics_of(truth, label, 0, &m), ERR_INPUT, "no labels");
	label[2] = METRICS_LABEL_END;
	assert_err(metrics_of(truth, label, 3, &m), ERR_INPUT, "cluster of node 2 is 1048576");
	assert_err(metrics_of(label, truth, 3, &m), ERR_INPUT, "class of node 2");
	for (uint32_t i = 0; i <= METRICS_CLASSES_MAX; i++)
		label[i] = i;
	assert_err(metrics_of(truth, label, METRICS_CLASSES_MAX + 1, &m), ERR_INPUT, "at most");
}
