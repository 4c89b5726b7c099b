/* Compares trees that nearest-neighbour chains make with those of plain average linkage. Checks the
 * layout, also for large n. */
#include "tests/unit/protocols/fedwalk/fedwalk.h"

#include "protocols/fedwalk/distance.h"
#include "protocols/fedwalk/tree.h"

/* Checks all properties of a tree that tree.h promises. */
static void check_layout(const struct fedwalk_tree *t, size_t n)
{
	size_t nodes = 2 * n - 1;
	bool *seen;

	assert_int_equal(t->n, n);
	ALLOC(seen, nodes);
	for (size_t x = 0; x < nodes; x++) {
		if (x + 1 < nodes) {
			assert_true(t->parent[x] > x && t->parent[x] < nodes);
			assert_true(t->child[2 * (t->parent[x] - n)] == x ||
				    t->child[2 * (t->parent[x] - n) + 1] == x);
		}
		if (x >= n) {
			const uint32_t *c = t->child + 2 * (x - n);

			assert_true(c[0] < x && c[1] < x && !seen[c[0]] && !seen[c[1]]);
			seen[c[0]] = seen[c[1]] = true;
			assert_true(c[0] != c[1]);
			assert_int_equal(t->count[x], t->count[c[0]] + t->count[c[1]]);
			assert_int_equal(t->first[c[0]], t->first[x]);
			assert_int_equal(t->first[c[1]], t->first[x] + t->count[c[0]]);
			if (t->height)
				for (int i = 0; i < 2; i++)
					assert_true(c[i] < n ||
						    t->height[c[i] - n] <= t->height[x - n]);
		} else {
			assert_int_equal(t->count[x], 1);
			assert_int_equal(t->place[x], t->first[x]);
			assert_int_equal(t->order[t->place[x]], x);
		}
	}
	assert_true(t->parent[nodes - 1] == UINT32_MAX);
	assert_int_equal(t->count[nodes - 1], n);
	free(seen);
}

/* Computes average linkage by its definition: merges the two clusters with the least mean
 * dissimilarity of their leaves. joined[u * n + v] is the height of the merge that joins leaves u
 * and v. *heights has all heights in order. */
static void plain_linkage(const struct triangle *h, double *joined, double *heights)
{
	size_t n = h->n, clusters = n;
	uint32_t *of;

	ALLOC(of, n);
	for (size_t i = 0; i < n; i++)
		of[i] = (uint32_t)i;
	for (; clusters > 1; clusters--) {
		double best = INFINITY;
		uint32_t a = 0, b = 0;

		for (uint32_t p = 0; p < n; p++)
			for (uint32_t q = p + 1; q < n; q++) {
				double sum = 0, pairs = 0;

				for (size_t u = 0; u < n; u++)
					for (size_t v = 0; v < n; v++)
						if (of[u] == p && of[v] == q) {
							sum += (double)*triangle_at(h, u, v);
							pairs++;
						}
				if (pairs > 0 && sum / pairs < best) {
					best = sum / pairs;
					a = p;
					b = q;
				}
			}
		for (size_t u = 0; u < n; u++)
			for (size_t v = 0; v < n; v++)
				if (of[u] == a && of[v] == b)
					joined[u * n + v] = joined[v * n + u] = best;
		for (size_t u = 0; u < n; u++)
			of[u] = of[u] == b ? a : of[u];
		heights[n - clusters] = best;
	}
	free(of);
}

TEST(test_against_plain)
{
	for (size_t n = 1; n <= 28; n += n < 8 ? 1 : 5) {
		float *c = sample_dictionary(n, 6, 100 + n);
		double joined[28 * 28] = { 0 }, heights[28];
		struct fedwalk_tree t;
		struct triangle h, copy;

		fedwalk_l1(c, n, 6, 1, &h);
		triangle_copy(&copy, &h);
		fedwalk_tree_average(&t, &copy);
		check_layout(&t, n);
		plain_linkage(&h, joined, heights);
		for (size_t i = 0; i + 1 < n; i++)
			assert_near((double)t.height[i], heights[i], 1e-4 * heights[i]);
		for (size_t u = 0; u < n; u++)
			for (size_t v = 0; v < n; v++) {
				uint32_t x = (uint32_t)u;
				size_t leaves;

				if (u == v) {
					assert_int_equal(tree_leaves(&t, u, v), 1);
					continue;
				}
				while (t.place[v] - t.first[x] >= t.count[x])
					x = t.parent[x];
				assert_near((double)t.height[x - n], joined[u * n + v],
					    1e-4 * joined[u * n + v]);
				/* Counts the leaves that join u no later than v does. */
				leaves = 1;
				for (size_t w = 0; w < n; w++)
					leaves += w != u && joined[u * n + w] <=
								joined[u * n + v] * (1 + 1e-9);
				assert_int_equal(tree_leaves(&t, u, v), leaves);
			}
		fedwalk_tree_release(&t);
		triangle_release(&h);
		triangle_release(&copy);
		free(c);
	}
}

/* Makes trees of equal dissimilarities and of equidistant points on a line. */
TEST(test_ties)
{
	enum { N = 64 };
	struct fedwalk_tree t;
	struct triangle h;
	float line[N];

	triangle_init(&h, N);
	fedwalk_tree_average(&t, &h);
	check_layout(&t, N);
	triangle_release(&h);
	fedwalk_tree_release(&t);
	for (size_t i = 0; i < N; i++)
		line[i] = (float)i;
	fedwalk_l1(line, N, 1, 1, &h);
	fedwalk_tree_average(&t, &h);
	check_layout(&t, N);
	for (size_t i = 0; i < N; i += 2) /* the first 32 merges join adjacent points */
		assert_true(t.height[i / 2] == 1 && t.child[i + 1] == t.child[i] + 1);
	triangle_release(&h);
	fedwalk_tree_release(&t);
}

TEST(test_from)
{
	static const uint32_t good[] = { 0, 2, 1, 3, 4, 5 };
	static const uint32_t twice[] = { 0, 2, 2, 3, 4, 5 };
	static const uint32_t later[] = { 0, 5, 1, 3, 4, 2 };
	static const uint32_t itself[] = { 0, 2, 1, 5, 4, 3 };
	static const uint32_t far[] = { 0, 2, 1, 3, 4, 4000000000u };
	struct fedwalk_tree t;

	assert_ok(fedwalk_tree_from(&t, 4, good));
	check_layout(&t, 4);
	assert_int_equal(tree_leaves(&t, 0, 2), 2);
	assert_int_equal(tree_leaves(&t, 3, 0), 4);
	fedwalk_tree_release(&t);
	assert_ok(fedwalk_tree_from(&t, 1, good));
	check_layout(&t, 1);
	fedwalk_tree_release(&t);
	assert_err(fedwalk_tree_from(&t, 4, twice), ERR_PEER, "node 2 is a child twice");
	assert_err(fedwalk_tree_from(&t, 4, later), ERR_PEER, "node 4 has child 5");
	assert_err(fedwalk_tree_from(&t, 4, itself), ERR_PEER, "node 5 has child 5");
	assert_err(fedwalk_tree_from(&t, 4, far), ERR_PEER, "has child 4000000000");
	fedwalk_tree_release(&t);
}

/* Makes a tree of two distant heaps, one larger than FEDWALK_GROUP_MAX. */
TEST(test_landmarks)
{
	enum { N = 9000, NEAR = 2500, K = 4 };
	float *c = sample_dictionary(N, K, 9);
	struct fedwalk_tree t, again;

	for (size_t v = 0; v < N; v++) {
		c[v * K] += v < NEAR ? 5000 : 0;
		if (v >= NEAR && v % 3) /* most points of the second heap are equal */
			memcpy(c + v * K, c + NEAR * K, K * sizeof(*c));
	}
	fedwalk_tree_landmarks(&t, c, N, K, 5, 1);
	check_layout(&t, N);
	fedwalk_tree_landmarks(&again, c, N, K, 5, 3);
	assert_memory_equal(t.child, again.child, 2 * (N - 1) * sizeof(*t.child));
	for (int i = 0; i < 2; i++) /* the last merge joins the two heaps */
		assert_true(t.count[t.child[2 * (N - 2) + i]] == NEAR ||
			    t.count[t.child[2 * (N - 2) + i]] == N - NEAR);
	assert_int_equal(tree_leaves(&t, 0, N - 1), N);
	assert_true(tree_leaves(&t, 0, 1) <= NEAR);
	fedwalk_tree_release(&t);
	fedwalk_tree_release(&again);
	for (size_t n = 1; n < 4; n++) {
		fedwalk_tree_landmarks(&t, c, n, K, 5, 2);
		check_layout(&t, n);
		fedwalk_tree_release(&t);
	}
	free(c);
}
