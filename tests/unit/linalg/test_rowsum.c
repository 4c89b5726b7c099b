/* Tests sums over rows: their bits do not depend on which process has the rows. */
#include "tests/unit/linalg/sample.h"
#include "common/linalg/la.h"
#include "common/linalg/rowsum.h"

enum { BLOCKS = 70, WIDTH = 3 };

/* Adds the numbers as a tree. Its left half has as many numbers as the largest power of two below
 * the count. */
static double tree(const double *x, size_t count)
{
	size_t half = 1;

	if (count == 1)
		return *x;
	while (2 * half < count)
		half *= 2;
	return tree(x, half) + tree(x + half, count - half);
}

TEST(blocks_in_one_tree)
{
	double x[BLOCKS];
	struct rng rng;

	rng_seed(&rng, 1, 0);
	for (size_t b = 0; b < BLOCKS; b++)
		x[b] = rng_normal(&rng);
	for (size_t count = 1; count <= BLOCKS; count++)
		for (size_t unit = 1; unit <= 64; unit *= 2) {
			struct rowsum all, own;

			rowsum_init(&all, WIDTH, NULL, NULL);
			rowsum_init(&own, WIDTH, NULL, NULL);
			for (size_t first = 0; first < count; first += unit) {
				for (size_t b = first; b < min_size(first + unit, count); b++) {
					rowsum_open(&own)[1] = x[b];
					rowsum_close(&own);
				}
				memcpy(rowsum_open(&all), rowsum_end(&own), WIDTH * sizeof(double));
				rowsum_close(&all);
			}
			assert_true(rowsum_end(&all)[1] == tree(x, count));
			rowsum_release(&own);
			rowsum_release(&all);
		}
}

TEST(nothing_is_zero)
{
	struct rowsum s;

	rowsum_init(&s, WIDTH, NULL, NULL);
	rowsum_open(&s)[0] = 5;
	rowsum_close(&s);
	assert_true(rowsum_end(&s)[0] == 5);
	assert_true(rowsum_end(&s)[0] == 0);
	rowsum_release(&s);
	assert_int_equal(rowsum_blocks(0), 0);
	assert_int_equal(rowsum_blocks(ROWSUM_ROWS), 1);
	assert_int_equal(rowsum_blocks(ROWSUM_ROWS + 1), 2);
	assert_int_equal(rowsum_rows(ROWSUM_ROWS + 1, 0), ROWSUM_ROWS);
	assert_int_equal(rowsum_rows(ROWSUM_ROWS + 1, 1), 1);
}

static struct mat rows_of(const struct mat *A, size_t b)
{
	return (struct mat){ .rows = rowsum_rows(A->rows, b),
			     .cols = A->cols,
			     .a = ROW(A, b * ROWSUM_ROWS) };
}

/* Joining the sums of single blocks gives the product of the whole matrix. */
TEST(products_of_blocks)
{
	struct mat A, G, AA;
	struct rowsum s;

	sample_normal(&A, 5 * ROWSUM_ROWS + 77, 11, 4);
	la_gram_columns(&A, 1, &G);
	la_mul_tn(&A, &A, 1, &AA);
	rowsum_init(&s, 11 * 11, NULL, NULL);
	for (int product = 0; product < 2; product++) {
		for (size_t b = 0; b < rowsum_blocks(A.rows); b++) {
			struct mat own = rows_of(&A, b), part;

			if (product)
				la_mul_tn(&own, &own, 1, &part);
			else
				la_gram_columns(&own, 1, &part);
			memcpy(rowsum_open(&s), part.a, sizeof(double) * 11 * 11);
			rowsum_close(&s);
			mat_release(&part);
		}
		assert_memory_equal(rowsum_end(&s), product ? AA.a : G.a, sizeof(double) * 11 * 11);
	}
	rowsum_release(&s);
	mat_release(&AA);
	mat_release(&G);
	mat_release(&A);
}
