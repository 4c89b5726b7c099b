#include "tests/test.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "protocols/kcagc/coordinator/cells.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_MAX = 5 };

static bool same_cell(const uint32_t *const *labels, size_t count, size_t i, size_t j)
{
	for (size_t c = 0; c < count; c++)
		if (labels[c][i] != labels[c][j])
			return false;
	return true;
}

/* Finds cells by their definition. A node joins the cell of the first node with equal labels in all
 * labellings; without such a node it opens the next cell. O(n^2). */
static size_t brute(const uint32_t *const *labels, size_t count, size_t n, uint32_t *cell)
{
	uint32_t m = 0;

	for (size_t i = 0; i < n; i++) {
		size_t j = 0;

		while (j < i && !same_cell(labels, count, i, j))
			j++;
		cell[i] = j < i ? cell[j] : m++;
	}
	return m;
}

static void check_tuples(const uint32_t *const *labels, size_t count, const uint32_t *cell,
			 size_t n, size_t m)
{
	uint32_t *tuple = cells_tuples(labels, count, cell, n, m);

	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < count; c++)
			assert_int_equal(tuple[cell[i] * count + c], labels[c][i]);
	free(tuple);
}

static void check_sizes(const uint32_t *cell, size_t n, size_t m)
{
	double *size = alloc(m, sizeof(*size));

	memset(size, 0xff, m * sizeof(*size)); /* old contents must not count */
	cells_sizes(cell, n, m, size);
	for (size_t c = 0; c < m; c++) {
		size_t nodes = 0;

		for (size_t i = 0; i < n; i++)
			nodes += cell[i] == c;
		assert_true(nodes > 0);
		assert_true(size[c] == (double)nodes);
	}
	free(size);
}

static void check_cells(const uint32_t *const *labels, size_t count, size_t n)
{
	uint32_t *cell = alloc(n, sizeof(*cell)), *expected = alloc(n, sizeof(*expected));
	size_t m;

	memset(cell, 0xff, n * sizeof(*cell));
	m = cells_intersect(labels, count, n, cell);
	assert_int_equal(m, brute(labels, count, n, expected));
	assert_memory_equal(cell, expected, n * sizeof(*cell));
	check_tuples(labels, count, cell, n, m);
	check_sizes(cell, n, m);
	free(cell);
	free(expected);
}

TEST(test_against_brute_force)
{
	static const size_t sizes[] = { 1, 2, 7, 16, 17, 600 };
	static const uint64_t clusters[] = { 1, 2, 3, 40, 1 << 16, UINT64_C(1) << 32 };
	struct rng rng;

	rng_seed(&rng, 1, 0);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		for (size_t k = 0; k < sizeof(clusters) / sizeof(*clusters); k++)
			for (size_t count = 0; count <= COUNT_MAX; count++) {
				const uint32_t *labels[COUNT_MAX];
				uint32_t *own = alloc(COUNT_MAX * sizes[s], sizeof(*own));

				for (size_t i = 0; i < COUNT_MAX * sizes[s]; i++)
					own[i] = (uint32_t)rng_below(&rng, clusters[k]);
				for (size_t c = 0; c < COUNT_MAX; c++)
					labels[c] = own + c * sizes[s];
				check_cells(labels, count, sizes[s]);
				free(own);
			}
}

TEST(test_cells_by_hand)
{
	static const uint32_t a[] = { 4, 4, 0, 0, 4, 0 }, b[] = { 1, 0, 1, 1, 1, 0 };
	static const uint32_t *const labels[] = { a, b };
	static const uint32_t expected[] = { 0, 1, 2, 2, 0, 3 };
	static const uint32_t tuples[] = { 4, 1, 4, 0, 0, 1, 0, 0 };
	uint32_t cell[6], *tuple;
	double size[4];

	assert_int_equal(cells_intersect(labels, 2, 6, cell), 4);
	assert_memory_equal(cell, expected, sizeof(cell));
	tuple = cells_tuples(labels, 2, cell, 6, 4);
	assert_memory_equal(tuple, tuples, sizeof(tuples));
	free(tuple);
	cells_sizes(cell, 6, 4, size);
	assert_true(size[0] == 2 && size[1] == 1 && size[2] == 2 && size[3] == 1);
}

/* Each node is a cell of its own, so the hash table of cells_intersect() is as full as it can
 * be. */
TEST(test_all_apart)
{
	enum { N = 1 << 12 };
	uint32_t *own = alloc(N, sizeof(*own));
	const uint32_t *labels[] = { own, own };

	for (uint32_t i = 0; i < N; i++)
		own[i] = UINT32_MAX - i * 4096; /* the labels' low bits are equal */
	check_cells(labels, 2, N);
	free(own);
}

TEST(test_no_nodes)
{
	static uint32_t none[1];
	const uint32_t *labels[] = { none };

	assert_int_equal(cells_intersect(labels, 0, 0, none), 0);
	assert_int_equal(cells_intersect(labels, 1, 0, none), 0);
}

/* ---- min_cell ---- */

/* Merges cells of fewer than `least` nodes as cells_merge() does, on whole arrays: O(n^2). Returns
 * the number of cells. */
static size_t brute_merge(uint32_t *cell, size_t n, size_t m, const uint32_t *first, size_t least)
{
	size_t *size = alloc(m + 1, sizeof(*size)), out = 0;
	uint32_t *to = alloc(n, sizeof(*to)), *name = alloc(m + 1, sizeof(*name));

	for (size_t i = 0; i < n; i++)
		size[cell[i]]++;
	for (size_t i = 0; i < n; i++) { /* small cells join the largest with their first label */
		size_t best = cell[i];

		for (size_t j = 0; size[cell[i]] < least && j < n; j++)
			if (first[j] == first[i] &&
			    (size[cell[j]] > size[best] ||
			     (size[cell[j]] == size[best] && cell[j] < best)))
				best = cell[j];
		to[i] = (uint32_t)best;
	}
	memset(size, 0, (m + 1) * sizeof(*size));
	for (size_t i = 0; i < n; i++)
		size[to[i]]++;
	for (size_t i = 0; i < n; i++) { /* cells still too small join the largest cell */
		size_t best = 0;

		for (size_t c = 0; c < m; c++)
			best = size[c] > size[best] ? c : best;
		cell[i] = size[to[i]] < least ? (uint32_t)best : to[i];
	}
	memset(name, 0xff, (m + 1) * sizeof(*name));
	for (size_t i = 0; i < n; i++) {
		if (name[cell[i]] == UINT32_MAX)
			name[cell[i]] = (uint32_t)out++;
		cell[i] = name[cell[i]];
	}
	free(size);
	free(to);
	free(name);
	return n < least ? 0 : out;
}

/* Checks that no cell is too small and that each is a union of old cells. */
static void check_merged(const uint32_t *old, const uint32_t *cell, size_t n, size_t m,
			 size_t least)
{
	size_t *size = alloc(m, sizeof(*size));

	for (size_t i = 0; i < n; i++) {
		assert_true(cell[i] < m);
		size[cell[i]]++;
	}
	for (size_t c = 0; c < m; c++)
		if (size[c] < least)
			fail_msg("a cell of %zu nodes, expected at least %zu", size[c], least);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (old[i] == old[j])
				assert_int_equal(cell[i], cell[j]);
	free(size);
}

static void check_merge(const uint32_t *const *labels, size_t count, size_t n, size_t least)
{
	uint32_t *old = alloc(n, sizeof(*old)), *cell = alloc(n, sizeof(*cell)),
		 *expected = alloc(n, sizeof(*expected));
	size_t all = cells_intersect(labels, count, n, old), m;

	memcpy(cell, old, n * sizeof(*cell));
	memcpy(expected, old, n * sizeof(*cell));
	m = cells_merge(cell, n, all, labels[0], least);
	assert_int_equal(m, brute_merge(expected, n, all, labels[0], least));
	assert_int_equal(m == 0, n < least);
	if (m) {
		assert_memory_equal(cell, expected, n * sizeof(*cell));
		check_merged(old, cell, n, m, least);
	}
	if (least <= 1) { /* min_cell 1 merges nothing */
		assert_int_equal(m, all);
		assert_memory_equal(cell, old, n * sizeof(*cell));
	}
	free(old);
	free(cell);
	free(expected);
}

TEST(test_merge_against_brute_force)
{
	static const size_t sizes[] = { 1, 2, 7, 40, 300 }, leasts[] = { 1, 2, 3, 5, 8, 41, 301 };
	static const uint64_t clusters[] = { 1, 2, 3, 9, 40 };
	struct rng rng;

	rng_seed(&rng, 2, 0);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		for (size_t k = 0; k < sizeof(clusters) / sizeof(*clusters); k++)
			for (size_t a = 0; a < sizeof(leasts) / sizeof(*leasts); a++)
				for (size_t count = 1; count <= 3; count++) {
					const uint32_t *labels[3];
					uint32_t *own = alloc(3 * sizes[s], sizeof(*own));

					for (size_t i = 0; i < 3 * sizes[s]; i++)
						own[i] = (uint32_t)rng_below(
						    &rng, rng_below(&rng, clusters[k]) + 1);
					for (size_t c = 0; c < 3; c++)
						labels[c] = own + c * sizes[s];
					check_merge(labels, count, sizes[s], leasts[a]);
					free(own);
				}
}

/* Applies the rule by hand with min_cell 3. The cells are a (4 nodes, first label 0), b (2, 0), c
 * (1, 1), d (1, 1), e (5, 2) and f (2, 2). b joins a, d joins c, and f joins e. c and d together
 * are still too small and join e, the largest. */
TEST(test_merge_known)
{
	static const uint32_t first[] = { 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 2 };
	static const uint32_t second[] = { 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1 };
	static const uint32_t *const labels[] = { first, second };
	static const uint32_t expected[] = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	uint32_t cell[15];

	assert_int_equal(cells_intersect(labels, 2, 15, cell), 6);
	assert_int_equal(cells_merge(cell, 15, 6, first, 3), 2);
	assert_memory_equal(cell, expected, sizeof(cell));
}

/* A cell of exactly min_cell nodes stays. Small cells with the same first label that are large
 * enough together join no other cell. */
TEST(test_merge_keeps_what_suffices)
{
	static const uint32_t first[] = { 0, 0, 0, 1, 1, 1 }, second[] = { 0, 0, 0, 0, 1, 2 };
	static const uint32_t *const labels[] = { first, second };
	static const uint32_t expected[] = { 0, 0, 0, 1, 1, 1 };
	uint32_t cell[6];

	assert_int_equal(cells_intersect(labels, 2, 6, cell), 4);
	assert_int_equal(cells_merge(cell, 6, 4, first, 3), 2);
	assert_memory_equal(cell, expected, sizeof(cell));
}
