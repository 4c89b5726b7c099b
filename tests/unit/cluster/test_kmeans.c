#include "tests/unit/linalg/sample.h"
#include "common/base/progress.h"
#include "common/linalg/distance.h"
#include "common/cluster/kmeans.h"
#include "common/linalg/rowsum.h"

/* -- single steps --------------------------------------------------------------------------- */

static void check_distances(size_t n, size_t k, size_t d, double offset)
{
	struct mat Z, c;
	double *D;

	sample_normal(&Z, n, d, n + d);
	sample_normal(&c, k, d, k);
	for (size_t i = 0; i < n * d; i++)
		Z.a[i] += offset;
	for (size_t i = 0; i < k * d; i++)
		c.a[i] += offset;
	ALLOC(D, n * k);
	kmeans_distances(&Z, &c, D);
	for (size_t i = 0; i < n; i++)
		for (size_t r = 0; r < k; r++) {
			double sum = 0;

			for (size_t j = 0; j < d; j++)
				sum += (MAT(&Z, i, j) - MAT(&c, r, j)) *
				       (MAT(&Z, i, j) - MAT(&c, r, j));
			assert_true(D[i * k + r] >= 0);
			assert_near(D[i * k + r], sum, 1e-11 * (1 + sum));
		}
	free(D);
	mat_release(&c);
	mat_release(&Z);
}

/* Covers distances from differences and from products, several remainders of centres and columns in
 * vector registers, whole and partial blocks of rows, and rows near and far from zero. */
TEST(distances)
{
	static const size_t shape[][3] = {
		{ 1, 1, 1 },      { 5, 3, 2 },      { 300, 4, 7 },    { 256, 16, 3 },
		{ 257, 29, 17 },  { 520, 136, 17 }, { 300, 7, 1433 }, { 300, 17, 65 },
		{ 270, 40, 130 }, { 270, 70, 60 },
	};

	for (size_t i = 0; i < sizeof(shape) / sizeof(*shape); i++) {
		check_distances(shape[i][0], shape[i][1], shape[i][2], 0);
		check_distances(shape[i][0], shape[i][1], shape[i][2], 1e4);
	}
}

/* Equal rows have distance 0, or nearly 0 if distances are computed from products. */
TEST(distance_to_itself)
{
	static const size_t shape[][2] = { { 9, 20 }, { 40, 20 }, { 40, 100 }, { 70, 60 } };

	for (size_t s = 0; s < 4; s++) {
		size_t k = shape[s][0], d = shape[s][1];
		struct mat Z;
		double *D;

		sample_normal(&Z, k, d, 1);
		ALLOC(D, k * k);
		kmeans_distances(&Z, &Z, D);
		for (size_t i = 0; i < k; i++) {
			assert_true(D[i * k + i] >= 0);
			assert_near(D[i * k + i], 0, s < 2 ? 0 : 1e-12);
		}
		free(D);
		mat_release(&Z);
	}
}

TEST(assign)
{
	static const double D[] = { 3, 1, 2, 5, 5, 5, 0, 0, 4, 9, 8, 8 };
	static const double weight[] = { 1, 2, 0.5, 3 };
	static const uint32_t expected[] = { 1, 0, 0, 1 };
	uint32_t label[] = { 1, 2, 0, 0 };
	double inertia = 100;

	assert_int_equal(kmeans_assign(D, weight, 4, 3, label, &inertia), 2);
	assert_memory_equal(label, expected, sizeof(expected));
	assert_near(inertia, 100 + 1 + 10 + 0 + 24, 1e-15);
	assert_int_equal(kmeans_assign(D, NULL, 4, 3, label, NULL), 0);
}

/* Row 0 has margin 1 - 1/3; row 1 is on its centre; row 2 is halfway between two centres; row 3 has
 * a finite distance to one centre only. */
TEST(silhouette)
{
	static const double D[] = { 1, 9, 16, 4, 0, 5, 25, 2, 2, INFINITY, 3, INFINITY };
	static const double weight[] = { 3, 1, 2, 2 };
	static const uint32_t label[] = { 0, 1, 1, 1 };
	double margin[4];

	kmeans_margins(D, 4, 3, label, margin);
	assert_near(margin[0], 2.0 / 3, 1e-15);
	assert_true(margin[1] == 1 && margin[2] == 0 && margin[3] == 0);
	assert_near(kmeans_silhouette(D, NULL, 4, 3, label), (2.0 / 3 + 1) / 4, 1e-15);
	assert_near(kmeans_silhouette(D, weight, 4, 3, label), (3 * 2.0 / 3 + 1) / 8, 1e-15);
}

/* Negative sums, which come from rounding, count as distance 0. A row nearer to another centre has
 * margin 0. */
TEST(margins_at_the_edge)
{
	static const double D[] = { -1e-9, 4, -1e-9, -1e-9, 4, 1 };
	static const uint32_t label[] = { 0, 0, 0 };
	double margin[3];

	kmeans_margins(D, 3, 2, label, margin);
	assert_true(margin[0] == 1 && margin[1] == 0 && margin[2] == 0);
	assert_near(kmeans_silhouette(D, NULL, 3, 2, label), 1.0 / 3, 1e-15);
}

/* A row gets its nearest centre if that distance is at most a ninth of the next. Row 0 is far below
 * a ninth, row 1 is exactly at it, and row 2 is just above. Row 3 has two zeros and gets the first;
 * row 4 has two equal distances and gets no centre. */
TEST(ninth_by_hand)
{
	static const double D[] = { 1, 100, 50, 18, 2, 20, 2, 17.99, 30, 0, 7, 0, 9, 1, 1 };
	static const uint32_t expected[] = { 0, 1, 3, 0, 3 };
	static const double one[] = { 5, 0 };
	uint32_t label[5];

	kmeans_assign_ninth(D, 5, 3, label);
	assert_memory_equal(label, expected, sizeof(expected));
	kmeans_assign_ninth(one, 2, 1, label);
	assert_true(label[0] == 0 && label[1] == 0); /* there is one centre only */
}

TEST(centres)
{
	static double z[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const uint32_t label[] = { 0, 2, 0, 4 }; /* 4 clusters have no label 4 */
	static const double weight[] = { 1, 1, 3, 1 };
	struct mat Z = { .rows = 4, .cols = 2, .a = z }, c;

	mat_init(&c, 4, 2);
	for (int i = 0; i < 8; i++)
		c.a[i] = -i;
	kmeans_centres(&Z, NULL, label, &c);
	assert_true(MAT(&c, 0, 0) == 3 && MAT(&c, 0, 1) == 4);
	assert_true(MAT(&c, 1, 0) == -2 && MAT(&c, 1, 1) == -3); /* an empty cluster: unchanged */
	assert_true(MAT(&c, 2, 0) == 3 && MAT(&c, 2, 1) == 4);
	assert_true(MAT(&c, 3, 0) == -6 && MAT(&c, 3, 1) == -7);
	kmeans_centres(&Z, weight, label, &c);
	assert_true(MAT(&c, 0, 0) == 4 && MAT(&c, 0, 1) == 5);
	mat_release(&c);
}

/* -- k-means as a whole -------------------------------------------------------------------- */

/* Returns the least weighted inertia over all assignments of n rows to k clusters. */
static double exhaustive(const struct mat *Z, const double *weight, size_t k)
{
	size_t n = Z->rows, codes = 1;
	double best = INFINITY;
	uint32_t label[12];

	for (size_t i = 0; i < n; i++)
		codes *= k;
	for (size_t code = 0; code < codes; code++) {
		double inertia = 0;
		struct mat c;
		size_t rest = code;

		for (size_t i = 0; i < n; i++, rest /= k)
			label[i] = (uint32_t)(rest % k);
		mat_init(&c, k, Z->cols);
		kmeans_centres(Z, weight, label, &c);
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < Z->cols; j++)
				inertia += (weight ? weight[i] : 1) *
					   pow(MAT(Z, i, j) - MAT(&c, label[i], j), 2);
		best = fmin(best, inertia);
		mat_release(&c);
	}
	return best;
}

TEST(reaches_the_optimum)
{
	for (uint64_t seed = 0; seed < 12; seed++) {
		struct kmeans_params p = { .restarts = 60,
					   .iterations = 50,
					   .seed = seed,
					   .threads = 1,
					   .k = 2 + seed % 2,
					   .ninth = seed % 4 == 3 };
		size_t n = p.k == 2 ? 10 : 8;
		struct mat Z, w;
		uint32_t label[12];
		double inertia;

		sample_normal(&Z, n, 2, seed);
		sample_normal(&w, n, 1, seed + 100);
		for (size_t i = 0; i < n; i++)
			w.a[i] = fabs(w.a[i]) + 0.1;
		kmeans(&Z, NULL, &p, label, NULL, &inertia);
		assert_near(inertia, exhaustive(&Z, NULL, p.k), 1e-12);
		kmeans(&Z, w.a, &p, label, NULL, &inertia);
		assert_near(inertia, exhaustive(&Z, w.a, p.k), 1e-12);
		mat_release(&w);
		mat_release(&Z);
	}
}

/* Makes `per` rows around each of k corners. */
static void sample_blobs(struct mat *Z, size_t k, size_t per, size_t d, double spread,
			 uint64_t seed)
{
	struct mat corner;

	sample_normal(&corner, k, d, seed + 1000);
	sample_normal(Z, k * per, d, seed);
	for (size_t i = 0; i < Z->rows; i++)
		for (size_t j = 0; j < d; j++)
			MAT(Z, i, j) = 10 * MAT(&corner, i % k, j) + spread * MAT(Z, i, j);
	mat_release(&corner);
}

TEST(weights_are_repeated_rows)
{
	enum { N = 60, K = 5, D = 3 };
	struct kmeans_params p = { .k = K, .restarts = 20, .iterations = 100, .threads = 1 };
	struct mat Z, repeated, c, c2;
	uint32_t label[N], *labels;
	double weight[N], inertia, inertia2;
	size_t total = 0, at = 0;

	sample_blobs(&Z, K, N / K, D, 1, 4);
	for (size_t i = 0; i < N; i++)
		total += (size_t)(weight[i] = (double)(1 + i % 4));
	mat_init(&repeated, total, D);
	ALLOC(labels, total);
	for (size_t i = 0; i < N; i++)
		for (double t = 0; t < weight[i]; t++)
			memcpy(ROW(&repeated, at++), ROW(&Z, i), D * sizeof(double));
	kmeans(&Z, weight, &p, label, &c, &inertia);
	kmeans(&repeated, NULL, &p, labels, &c2, &inertia2);
	assert_near(inertia, inertia2, 1e-9);
	at = 0;
	for (size_t i = 0; i < N; i++)
		for (double t = 0; t < weight[i]; t++, at++)
			for (size_t j = 0; j < D; j++)
				assert_near(MAT(&c, label[i], j), MAT(&c2, labels[at], j), 1e-12);
	free(labels);
	mat_release(&c2);
	mat_release(&c);
	mat_release(&repeated);
	mat_release(&Z);
}

/* Outputs agree: labels are nearest centres, centres are means, inertia is the sum of distances.
 * There are more rows than DISTANCE_ROWS, with and without weights. */
TEST(outputs_agree)
{
	enum { N = 600, K = 6 };
	struct kmeans_params p = { .k = K, .restarts = 3, .iterations = 200, .threads = 2 };
	static uint32_t label[N], nearest[N];
	static double D[N * K];
	double weights[N];

	for (int i = 0; i < N; i++)
		weights[i] = 1 + i % 7;
	for (int weighted = 0; weighted < 2; weighted++) {
		const double *weight = weighted ? weights : NULL;
		double inertia, sum = 0;
		struct mat Z, c, means;

		sample_blobs(&Z, K, N / K, 4, 3, 9);
		kmeans(&Z, weight, &p, label, &c, &inertia);
		kmeans_distances(&Z, &c, D);
		memcpy(nearest, label, sizeof(label));
		assert_int_equal(kmeans_assign(D, weight, N, K, nearest, &sum), 0);
		assert_near(inertia, sum, 1e-8);
		sample_copy(&c, &means);
		kmeans_centres(&Z, weight, label, &means);
		assert_mat_near(&means, &c, 1e-12);
		mat_release(&means);
		mat_release(&c);
		mat_release(&Z);
	}
}

TEST(threads_do_not_matter)
{
	struct kmeans_params p = {
		.k = 20, .restarts = 7, .iterations = 5, .seed = 3, .ninth = true
	};
	static uint32_t label[1000], again[1000];
	struct mat Z, c, c2;
	double inertia, inertia2;

	sample_blobs(&Z, 20, 50, 70, 30, 2); /* so wide that distances use products */
	p.threads = 1;
	kmeans(&Z, NULL, &p, label, &c, &inertia);
	for (p.threads = 2; p.threads <= 4; p.threads += 2) {
		kmeans(&Z, NULL, &p, again, &c2, &inertia2);
		assert_memory_equal(label, again, sizeof(label));
		assert_same_bits(&c, &c2);
		assert_true(inertia == inertia2);
		mat_release(&c2);
	}
	mat_release(&c);
	/* another seed gives another result */
	p.seed = 4;
	kmeans(&Z, NULL, &p, again, NULL, &inertia2);
	assert_true(inertia != inertia2);
	mat_release(&Z);
}

/* A run with more restarts includes the restarts of a run with fewer, so the result never gets
 * worse. */
TEST(restarts_keep_the_best)
{
	struct kmeans_params p = { .k = 12, .iterations = 20, .threads = 1, .seed = 5 };
	static uint32_t label[240];
	double before = INFINITY, first = 0, inertia;
	struct mat Z;

	sample_normal(&Z, 240, 2, 3);
	for (p.restarts = 1; p.restarts <= 32; p.restarts *= 2) {
		kmeans(&Z, NULL, &p, label, NULL, &inertia);
		assert_true(inertia <= before);
		if (p.restarts == 1)
			first = inertia;
		before = inertia;
	}
	assert_true(before < first);
	mat_release(&Z);
}

/* The first restart begins from given centres, the others from seeds. */
TEST(first_restart_from_given_centres)
{
	struct kmeans_params p = { .k = 12, .restarts = 20, .iterations = 20, .threads = 1 };
	static uint32_t label[240], again[240];
	double best, inertia;
	struct mat Z, start;

	sample_normal(&Z, 240, 2, 3);
	kmeans(&Z, NULL, &p, label, &start, &best);
	p.start = &start;
	p.restarts = 1;
	for (p.iterations = 0; p.iterations <= 20; p.iterations += 20) {
		kmeans(&Z, NULL, &p, again, NULL, &inertia);
		assert_memory_equal(label, again, sizeof(label));
		assert_near(inertia, best, 1e-12 * best);
	}
	memset(start.a, 0, p.k * Z.cols * sizeof(*start.a)); /* one cluster */
	p.iterations = 1;
	kmeans(&Z, NULL, &p, again, NULL, &inertia);
	assert_true(inertia > 2 * best);
	p.restarts = p.iterations = 20;
	kmeans(&Z, NULL, &p, again, NULL, &inertia);
	assert_true(inertia < 1.1 * best);
	mat_release(&start);
	mat_release(&Z);
}

/* With fewer distinct rows than clusters, every row is at its centre, and no centre is NaN. */
TEST(more_clusters_than_rows)
{
	struct kmeans_params p = {
		.k = 9, .restarts = 4, .iterations = 10, .threads = 1, .ninth = true
	};
	struct mat Z, c;
	uint32_t label[6];
	double inertia;

	sample_normal(&Z, 6, 3, 1);
	for (int i = 3; i < 6; i++)
		memcpy(ROW(&Z, i), ROW(&Z, i - 3), 3 * sizeof(double));
	kmeans(&Z, NULL, &p, label, &c, &inertia);
	assert_true(inertia == 0);
	for (size_t i = 0; i < 6; i++) {
		assert_true(label[i] < 9 && label[i] == label[(i + 3) % 6]);
		assert_memory_equal(ROW(&c, label[i]), ROW(&Z, i), 3 * sizeof(double));
	}
	for (size_t i = 0; i < 27; i++)
		assert_true(isfinite(c.a[i]));
	mat_release(&c);
	mat_release(&Z);
}

/* Covers no rows, no iterations and weights of zero. */
TEST(corners)
{
	struct kmeans_params p = { .k = 2, .restarts = 2, .iterations = 0, .threads = 1 };
	double inertia = -1, weight[] = { 0, 0, 0, 2, 1 };
	struct mat Z, none = { .cols = 3 }, c;
	uint32_t label[5] = { 9, 9, 9, 9, 9 };

	kmeans(&none, NULL, &p, NULL, &c, &inertia);
	assert_int_equal(c.rows, 2);
	assert_true(inertia == 0);
	mat_release(&c);
	sample_normal(&Z, 5, 3, 2);
	kmeans(&Z, NULL, &p, label, NULL, &inertia); /* labels are the nearest seeds */
	for (int i = 0; i < 5; i++)
		assert_true(label[i] < 2);
	assert_true(inertia > 0);
	p.iterations = 10;
	kmeans(&Z, weight, &p, label, &c, &inertia); /* only rows 3 and 4 have weight */
	assert_near(inertia, 0, 0);
	assert_true(label[3] != label[4]);
	mat_release(&c);
	memset(weight, 0, sizeof(weight));
	kmeans(&Z, weight, &p, label, &c, &inertia);
	for (int i = 0; i < 6; i++)
		assert_true(isfinite(c.a[i]));
	mat_release(&c);
	mat_release(&Z);
}

/* Without Lloyd iterations the 1/9 step, kmeans_assign_ninth(), alone moves the seeds. Rows are 0,
 * 0.1 and 10 on a line. From seeds {0 or 0.1, 10} this step assigns all rows, so the centres are
 * 0.05 and 10. */
TEST(ninth_step_in_place)
{
	struct kmeans_params p = { .k = 2, .restarts = 1, .threads = 1 };
	static double z[] = { 0, 0.1, 10 };
	struct mat Z = { .rows = 3, .cols = 1, .a = z }, c;
	uint32_t label[3];

	kmeans(&Z, NULL, &p, label, &c, NULL);
	assert_true(MAT(&c, label[0], 0) == 0 || MAT(&c, label[0], 0) == 0.1);
	mat_release(&c);
	p.ninth = true;
	kmeans(&Z, NULL, &p, label, &c, NULL);
	assert_near(MAT(&c, label[0], 0), 0.05, 1e-15);
	assert_near(MAT(&c, label[2], 0), 10, 1e-15);
	mat_release(&c);
}

/* Greedy seeding alone finds one row of each of many distant blobs; random rows would not. */
TEST(seeding_covers)
{
	struct kmeans_params p = { .k = 15, .restarts = 1, .iterations = 0, .threads = 1 };
	static uint32_t label[150];
	struct mat Z;

	sample_blobs(&Z, 15, 10, 8, 0.01, 6);
	for (p.seed = 0; p.seed < 20; p.seed++) {
		kmeans(&Z, NULL, &p, label, NULL, NULL);
		for (size_t i = 0; i < 150; i++)
			for (size_t j = 0; j < i; j++)
				assert_int_equal(label[i] == label[j], i % 15 == j % 15);
	}
	mat_release(&Z);
}

/* Rows are 0, 1 and 3 on a line. The first of two seeds is any row. The second is the better of two
 * rows drawn in proportion to D, the squared distance to the first seed.
 *   first seed 0: D = 0 1 9; row 3 wins unless both draws are row 1, with probability 1 / 100
 *   first seed 1: D = 1 0 4; row 3 wins unless both draws are row 0, with probability 1 / 25
 *   first seed 3: D = 9 4 0; rows 0 and 1 are equally good, so the first draw stays: 0 with 9 / 13
 * With weights 1 1 2 the first seed has probabilities 1/4 1/4 1/2, and row 3 counts twice. The two
 * probabilities then are 1 / 19 and 1 / 9, squared; for first seed 3 nothing changes. */
TEST(seeding_probabilities)
{
	enum { TRIES = 20000 };
	static double z[] = { 0, 1, 3 };
	static const double weights[] = { 1, 1, 2 };
	struct kmeans_params p = { .k = 2, .restarts = 1, .iterations = 0, .threads = 1 };
	struct mat Z = { .rows = 3, .cols = 1, .a = z };

	for (int weighted = 0; weighted < 2; weighted++) {
		double last = weighted ? 1. / 2 : 1. / 3, first = (1 - last) / 2;
		double miss0 = weighted ? 1. / 361 : 1. / 100, miss1 = weighted ? 1. / 81 : 1. / 25;
		double p03 = first * (1 - miss0) + last * 9 / 13;
		double p13 = first * (1 - miss1) + last * 4 / 13;
		double n03 = 0, n13 = 0;

		for (p.seed = 0; p.seed < TRIES; p.seed++) {
			struct mat c;
			uint32_t label[3];
			double sum;

			kmeans(&Z, weighted ? weights : NULL, &p, label, &c, NULL);
			sum = c.a[0] + c.a[1];
			n03 += sum == 3;
			n13 += sum == 4;
			mat_release(&c);
		}
		assert_near(n03 / TRIES, p03, 4 * sqrt(p03 * (1 - p03) / TRIES));
		assert_near(n13 / TRIES, p13, 4 * sqrt(p13 * (1 - p13) / TRIES));
	}
}

TEST(progress_rises)
{
	struct kmeans_params p = { .k = 3, .restarts = 2, .iterations = 5, .threads = 1 };
	uint64_t before = progress_count(NULL);
	uint32_t label[50];
	struct mat Z;

	sample_normal(&Z, 50, 2, 1);
	kmeans(&Z, NULL, &p, label, NULL, NULL);
	/* 2 restarts, each of 3 seeds and 2 iterations or more */
	assert_true(progress_count(NULL) - before >= 2 * (3 + 2));
	mat_release(&Z);
}

/* Centres are sums over blocks of rows, which are added in the order of rowsum.h. Cluster sizes are
 * powers of two, so means are as exact as sums. */
TEST(centres_of_blocks)
{
	for (size_t k = 2; k <= 8; k *= 4) {
		size_t n = 8 * ROWSUM_ROWS;
		const double *sum;
		uint32_t *label;
		struct mat Z, c, own;
		struct rowsum s;

		sample_normal(&Z, n, 3, k);
		ALLOC(label, n);
		for (size_t i = 0; i < n; i++)
			label[i] = (uint32_t)(i % k);
		mat_init(&c, k, 3);
		mat_init(&own, k, 3);
		kmeans_centres(&Z, NULL, label, &c);
		rowsum_init(&s, k * 3, NULL, NULL);
		for (size_t b = 0; b < 8; b++) {
			struct mat part = { ROWSUM_ROWS, 3, ROW(&Z, b * ROWSUM_ROWS) };

			kmeans_centres(&part, NULL, label + b * ROWSUM_ROWS, &own);
			memcpy(rowsum_open(&s), own.a, k * 3 * sizeof(double));
			rowsum_close(&s);
		}
		sum = rowsum_end(&s);
		for (size_t i = 0; i < k * 3; i++)
			assert_true(c.a[i] == sum[i] / 8);
		rowsum_release(&s);
		mat_release(&own);
		mat_release(&c);
		mat_release(&Z);
		free(label);
	}
}
