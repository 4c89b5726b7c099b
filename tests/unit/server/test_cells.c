#include "tests/test.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "server/cells.h"

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

/* By the definition: a node is in the cell of the first node that all labellings put it together
 * with, and a node without one opens the next cell. O(n^2). */
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

	memset(size, 0xff, m * sizeof(*size)); /* whatever stood there counts for nothing */
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

static void test_against_brute_force(void **state)
{
	static const size_t sizes[] = { 1, 2, 7, 16, 17, 600 };
	static const uint64_t clusters[] = { 1, 2, 3, 40, 1 << 16, UINT64_C(1) << 32 };
	struct rng rng;

	(void)state;
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

static void test_known(void **state)
{
	static const uint32_t a[] = { 4, 4, 0, 0, 4, 0 }, b[] = { 1, 0, 1, 1, 1, 0 };
	static const uint32_t *const labels[] = { a, b };
	static const uint32_t expected[] = { 0, 1, 2, 2, 0, 3 };
	static const uint32_t tuples[] = { 4, 1, 4, 0, 0, 1, 0, 0 };
	uint32_t cell[6], *tuple;
	double size[4];

	(void)state;
	assert_int_equal(cells_intersect(labels, 2, 6, cell), 4);
	assert_memory_equal(cell, expected, sizeof(cell));
	tuple = cells_tuples(labels, 2, cell, 6, 4);
	assert_memory_equal(tuple, tuples, sizeof(tuples));
	free(tuple);
	cells_sizes(cell, 6, 4, size);
	assert_true(size[0] == 2 && size[1] == 1 && size[2] == 2 && size[3] == 1);
}

/* As many cells as nodes: the table is as full as it gets. */
static void test_all_apart(void **state)
{
	enum { N = 1 << 12 };
	uint32_t *own = alloc(N, sizeof(*own));
	const uint32_t *labels[] = { own, own };

	(void)state;
	for (uint32_t i = 0; i < N; i++)
		own[i] = UINT32_MAX - i * 4096; /* equal low bits */
	check_cells(labels, 2, N);
	free(own);
}

static void test_no_nodes(void **state)
{
	static uint32_t none[1];
	const uint32_t *labels[] = { none };

	(void)state;
	assert_int_equal(cells_intersect(labels, 0, 0, none), 0);
	assert_int_equal(cells_intersect(labels, 1, 0, none), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_brute_force),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_all_apart),
		cmocka_unit_test(test_no_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
