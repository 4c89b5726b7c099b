/* Compares the l1 and dynamic time warping dissimilarities with their equations. */
#include "tests/unit/protocols/fedwalk/fedwalk.h"

#include "protocols/fedwalk/distance.h"

static float l1(const float *a, const float *b, unsigned k)
{
	float sum = 0;

	for (unsigned j = 0; j < k; j++)
		sum += fabsf(a[j] - b[j]);
	return sum;
}

TEST(test_l1)
{
	static const size_t sizes[] = { 1, 2, 3, 17, 100, 1100 };

	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		size_t n = sizes[s];
		unsigned k = 7;
		float *c = sample_dictionary(n, k, s), *row, *other;
		struct fedwalk_dissimilarity whole = { .n = n, .c = c, .k = k };
		struct fedwalk_dissimilarity triangle = whole;
		struct triangle h, again;

		ALLOC(row, n);
		ALLOC(other, n);
		fedwalk_l1(c, n, k, 1, &h);
		fedwalk_l1(c, n, k, 3, &again);
		triangle.triangle = &h;
		for (size_t u = 0; u < n; u += 1 + n / 50) {
			for (size_t v = 0; v < n; v++)
				assert_true(
				    u == v ||
				    (*triangle_at(&h, u, v) == l1(c + u * k, c + v * k, k) &&
				     *triangle_at(&again, u, v) == *triangle_at(&h, u, v)));
			fedwalk_row(&triangle, u, row);
			fedwalk_row(&whole, u, other);
			assert_memory_equal(row, other, n * sizeof(*row));
			assert_true(row[u] == 0);
		}
		triangle_release(&h);
		triangle_release(&again);
		free(other);
		free(row);
		free(c);
	}
}

/* Returns the cost of the cheapest warping path by trying all paths (equation 6). */
static double cheapest(const float *u, size_t i, const float *v, size_t j, unsigned k)
{
	double d = (double)l1(u + i * k, v + j * k, k);

	if (i == 0 && j == 0)
		return d;
	if (i == 0)
		return d + cheapest(u, 0, v, j - 1, k);
	if (j == 0)
		return d + cheapest(u, i - 1, v, 0, k);
	return d + fmin(fmin(cheapest(u, i - 1, v, j, k), cheapest(u, i, v, j - 1, k)),
			cheapest(u, i - 1, v, j - 1, k));
}

/* Returns the distance of two matrices (x and y rows, both > 0) by equation 6. */
static float dtw_pair(const float *u, size_t x, const float *v, size_t y, unsigned k)
{
	float *cost, result;

	ALLOC(cost, y);
	for (size_t i = 0; i < x; i++) {
		float left = INFINITY, across = i ? INFINITY : 0;

		for (size_t j = 0; j < y; j++) {
			float up = i ? cost[j] : INFINITY, d = 0;

			for (unsigned l = 0; l < k; l++)
				d += fabsf(u[i * k + l] - v[j * k + l]);
			left = fminf(fminf(left, up), across) + d;
			across = up;
			cost[j] = left;
		}
	}
	result = cost[y - 1];
	free(cost);
	return result;
}

TEST(test_pair)
{
	enum { K = 3, MOST = 6 };
	float *c = sample_dictionary(2 * MOST, K, 1);

	for (size_t x = 1; x <= MOST; x++)
		for (size_t y = 1; y <= MOST; y++) {
			const float *v = c + MOST * K;

			/* Entries are multiples of 1/256, so sums are exact. */
			assert_near((double)dtw_pair(c, x, v, y, K),
				    cheapest(c, x - 1, v, y - 1, K), 0);
			assert_true(dtw_pair(c, x, v, y, K) == dtw_pair(v, y, c, x, K));
		}
	free(c);
}

/* Makes n matrices; the matrix of vertex v has rows(v) random rows. */
static void sample_matrices(struct fedwalk_matrices *m, size_t n, unsigned k,
			    size_t (*rows)(size_t v), float **owned)
{
	size_t *start;

	ALLOC(start, n + 1);
	for (size_t v = 0; v < n; v++)
		start[v + 1] = start[v] + rows(v);
	*owned = sample_dictionary(start[n] + 1, k, n);
	*m = (struct fedwalk_matrices){ n, k, start, *owned };
}

static size_t all_lengths(size_t v) /* each length of 0 .. 36 occurs, in mixed order */
{
	return v * 7 % 37;
}

static size_t few_lengths(size_t v)
{
	return v % 3;
}

static size_t one_long(size_t v)
{
	return v == 4 ? 300 : 1 + v % 2;
}

/* Compares fedwalk_dtw() with direct computation for all pairs of vertices, on one thread and on
 * three. A vertex without rows counts as one row of zeros. */
static void check_matrices(size_t n, unsigned k, size_t (*rows)(size_t v))
{
	static const float zero[FEDWALK_BINS_MAX];
	struct fedwalk_matrices m;
	struct triangle one, three;
	float *owned;

	sample_matrices(&m, n, k, rows, &owned);
	fedwalk_dtw(&m, 0, 1, &one);
	fedwalk_dtw(&m, 0, 3, &three);
	assert_int_equal(one.n, n);
	for (size_t u = 0; u < n; u++)
		for (size_t v = u + 1; v < n; v++) {
			size_t x = m.start[u + 1] - m.start[u], y = m.start[v + 1] - m.start[v];
			float direct = dtw_pair(x ? m.row + m.start[u] * k : zero, x ? x : 1,
						y ? m.row + m.start[v] * k : zero, y ? y : 1, k);

			if (*triangle_at(&one, u, v) != direct)
				fail_msg("%zu rows against %zu: %g, directly %g", x, y,
					 (double)*triangle_at(&one, u, v), (double)direct);
		}
	assert_memory_equal(one.a, three.a, n * (n - 1) / 2 * sizeof(float));
	triangle_release(&one);
	triangle_release(&three);
	free((void *)m.start);
	free(owned);
}

TEST(test_dtw)
{
	check_matrices(74, 5, all_lengths);
	check_matrices(74, 1, all_lengths);
	check_matrices(33, 9, few_lengths);
	check_matrices(16, 9, one_long);
	check_matrices(2, 3, few_lengths);
	check_matrices(1, 3, few_lengths);
}

/* fedwalk_dtw() with a maximum of rows keeps matrices up to MOST rows. It shortens a longer matrix
 * to MOST rows, each the mean of a run of adjacent rows. */
TEST(test_shortened)
{
	enum { N = 40, K = 4, MOST = 8 };
	struct fedwalk_matrices m, cut = { .n = N, .k = K };
	struct triangle h, expected;
	float *owned, *row;
	size_t *start;

	sample_matrices(&m, N, K, all_lengths, &owned);
	ALLOC(start, N + 1);
	ALLOC(row, m.start[N] * K);
	for (size_t v = 0; v < N; v++) {
		size_t len = m.start[v + 1] - m.start[v], to = len > MOST ? MOST : len;

		start[v + 1] = start[v] + to;
		for (size_t i = 0; i < to; i++) {
			size_t from = len * i / to, end = len * (i + 1) / to;

			for (unsigned j = 0; j < K; j++) {
				double sum = 0;

				for (size_t r = from; r < end; r++)
					sum += (double)m.row[(m.start[v] + r) * K + j];
				row[(start[v] + i) * K + j] = (float)(sum / (double)(end - from));
			}
		}
	}
	cut.start = start;
	cut.row = row;
	fedwalk_dtw(&m, MOST, 2, &h);
	fedwalk_dtw(&cut, 0, 2, &expected);
	assert_memory_equal(h.a, expected.a, N * (N - 1) / 2 * sizeof(float));
	triangle_release(&h);
	triangle_release(&expected);
	fedwalk_dtw(&m, MOST, 2, &h);
	fedwalk_dtw(&m, 0, 2, &expected);
	assert_memory_not_equal(h.a, expected.a, N * (N - 1) / 2 * sizeof(float));
	triangle_release(&h);
	triangle_release(&expected);
	free(row);
	free(start);
	free((void *)m.start);
	free(owned);
}

/* With l1, the tree uses the dissimilarities of all pairs up to 50000 vertices, and landmarks
 * above. With dtw it uses all pairs for any number of vertices. */
TEST(test_how)
{
	struct fedwalk_job job = { .dissimilarity = DISSIMILARITY_L1 };

	assert_int_equal(fedwalk_tree_how(&job, 50000), FEDWALK_L1);
	assert_int_equal(fedwalk_tree_how(&job, 50001), FEDWALK_LANDMARKS);
	job.dissimilarity = DISSIMILARITY_DTW;
	assert_int_equal(fedwalk_tree_how(&job, 50001), FEDWALK_DTW);
}

TEST(test_bytes)
{
	/* For n vertices l1 needs slightly more than n^2 / 2 floats, and dtw twice as much.
	 * Landmarks need far less. */
	assert_true(fedwalk_tree_bytes(10312, 9, FEDWALK_L1, 0) > 2.1e8);
	assert_true(fedwalk_tree_bytes(10312, 9, FEDWALK_L1, 0) < 2.3e8);
	assert_true(fedwalk_tree_bytes(10312, 9, FEDWALK_DTW, 0) > 4.2e8);
	assert_true(fedwalk_tree_bytes(10312, 9, FEDWALK_DTW, 667966) >
		    fedwalk_tree_bytes(10312, 9, FEDWALK_L1, 0));
	assert_true(fedwalk_tree_bytes(100000, 11, FEDWALK_L1, 0) > 1.9e10);
	assert_true(fedwalk_tree_bytes(100000, 11, FEDWALK_LANDMARKS, 0) < 1e9);
	assert_true(fedwalk_train_bytes(10312, 80, 40, 2) > 2.6e8);
	assert_true(fedwalk_train_bytes(10312, 80, 40, 2) < 2.8e8);
}
