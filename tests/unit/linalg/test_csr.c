#include "tests/unit/linalg/sample.h"
#include "common/linalg/csr.h"

TEST(known_answer)
{
	struct triple t[] = { { 2, 1, 5 }, { 0, 3, 1 }, { 2, 0, 4 }, { 0, 1, 2 }, { 2, 1, 0.5 } };
	static const size_t start[] = { 0, 2, 2, 4, 4 };
	static const uint32_t index[] = { 1, 3, 0, 1 };
	static const double value[] = { 2, 1, 4, 5.5 };
	struct csr s;

	csr_from_triples(&s, 4, 5, t, 5);
	assert_int_equal(s.rows, 4);
	assert_int_equal(s.cols, 5);
	assert_memory_equal(s.start, start, sizeof(start));
	assert_memory_equal(s.index, index, sizeof(index));
	assert_memory_equal(s.value, value, sizeof(value));
	csr_release(&s);
	assert_null(s.start);
}

/* 1e16 + 1 - 1e16 depends on the order of addition; the order of the triples must not matter. */
TEST(duplicates_add_in_one_order)
{
	static const double value[] = { 1e16, 1, -1e16, 3, 0.1 };
	struct triple t[5];
	struct rng rng;
	double first = 0;

	rng_seed(&rng, 7, 0);
	for (int trial = 0; trial < 50; trial++) {
		uint32_t order[] = { 0, 1, 2, 3, 4 };
		struct csr s;

		rng_shuffle(&rng, order, 5);
		for (int i = 0; i < 5; i++)
			t[i] = (struct triple){ 1, 1, value[order[i]] };
		csr_from_triples(&s, 2, 2, t, 5);
		assert_int_equal(s.start[2], 1);
		if (trial == 0)
			first = s.value[0];
		assert_memory_equal(&first, s.value, sizeof(first));
		csr_release(&s);
	}
}

TEST(dense_sum_of_random_triples)
{
	enum { ROWS = 17, COLS = 11, COUNT = 400 };
	double sum[ROWS][COLS] = { { 0 } };
	struct triple t[COUNT];
	struct rng rng;
	struct csr s;
	struct mat m;

	rng_seed(&rng, 3, 0);
	for (int i = 0; i < COUNT; i++) {
		t[i].row = (uint32_t)rng_below(&rng, ROWS);
		t[i].col = (uint32_t)rng_below(&rng, COLS);
		t[i].value = (double)rng_below(&rng, 100); /* integers add exactly in any order */
		sum[t[i].row][t[i].col] += t[i].value;
	}
	csr_from_triples(&s, ROWS, COLS, t, COUNT);
	for (size_t i = 0; i < ROWS; i++)
		for (size_t e = s.start[i] + 1; e < s.start[i + 1]; e++)
			assert_true(s.index[e - 1] < s.index[e]);
	csr_to_dense(&s, &m);
	assert_memory_equal(m.a, sum, sizeof(sum));
	mat_release(&m);
	csr_release(&s);
}

TEST(empty_and_ones)
{
	size_t start[] = { 0, 1, 3 };
	uint32_t index[] = { 2, 0, 1 };
	static const double ones[] = { 0, 0, 1, 1, 1, 0 };
	struct csr pattern = { .rows = 2, .cols = 3, .start = start, .index = index };
	struct csr s;
	struct mat m;

	csr_to_dense(&pattern, &m);
	assert_memory_equal(m.a, ones, sizeof(ones));
	mat_release(&m);
	csr_from_triples(&s, 3, 0, NULL, 0);
	assert_int_equal(s.start[3], 0);
	csr_to_dense(&s, &m);
	assert_int_equal(m.rows, 3);
	mat_release(&m);
	csr_release(&s);
}

TEST(copies)
{
	struct triple t[] = { { 0, 1, 2 }, { 2, 0, 3 }, { 2, 3, 4 } };

	for (int ones = 0; ones < 2; ones++) {
		struct csr a, b;

		csr_from_triples(&a, 3, 4, t, ones ? 0 : 3); /* if `ones`, no entries */
		if (ones) {
			free(a.value);
			a.value = NULL;
		}
		csr_copy(&b, &a);
		assert_true(b.rows == 3 && b.cols == 4 && b.start != a.start);
		assert_memory_equal(b.start, a.start, 4 * sizeof(*a.start));
		assert_memory_equal(b.index, a.index, a.start[3] * sizeof(*a.index));
		assert_int_equal(b.value == NULL, ones);
		if (!ones)
			assert_memory_equal(b.value, a.value, a.start[3] * sizeof(*a.value));
		csr_release(&a);
		csr_release(&b);
	}
}
