/* Tests the packed upper half of a symmetric matrix. */
#include "tests/unit/linalg/sample.h"

#include "common/linalg/triangle.h"

/* Every pair i < j has its own element, which (j, i) has too. The diagonal of a row is 0. */
TEST(test_each_entry_has_a_place)
{
	for (size_t n = 0; n < 12; n++) {
		struct triangle h, copy;
		float row[12];

		triangle_init(&h, n);
		assert_true(triangle_bytes(n) == (double)(n * n - n) / 2 * 4 || n == 0);
		for (size_t i = 0; i < n; i++)
			for (size_t j = i + 1; j < n; j++) {
				assert_ptr_equal(triangle_at(&h, i, j), triangle_at(&h, j, i));
				assert_true((size_t)(triangle_at(&h, i, j) - h.a) <
					    n * (n - 1) / 2);
				assert_true(*triangle_at(&h, i, j) == 0);
				*triangle_at(&h, j, i) = (float)(100 * i + j);
			}
		triangle_copy(&copy, &h);
		for (size_t i = 0; i < n; i++) {
			triangle_get_row(&copy, i, row);
			for (size_t j = 0; j < n; j++)
				assert_true(row[j] == (i == j  ? 0.0f
						       : i < j ? (float)(100 * i + j)
							       : (float)(100 * j + i)));
		}
		triangle_release(&copy);
		triangle_release(&h);
	}
}
