/* Half of a symmetric matrix. */
#include "tests/unit/linalg/sample.h"

#include "common/linalg/half.h"

/* Every entry has a place of its own, and all of them are used. */
TEST(test_each_entry_has_a_place)
{
	for (size_t n = 0; n < 12; n++) {
		struct half h, copy;
		float row[12];

		half_init(&h, n);
		assert_true(half_bytes(n) == (double)(n * n - n) / 2 * 4 || n == 0);
		for (size_t i = 0; i < n; i++)
			for (size_t j = i + 1; j < n; j++) {
				assert_ptr_equal(half_at(&h, i, j), half_at(&h, j, i));
				assert_true((size_t)(half_at(&h, i, j) - h.a) < n * (n - 1) / 2);
				assert_true(*half_at(&h, i, j) == 0);
				*half_at(&h, j, i) = (float)(100 * i + j);
			}
		half_copy(&copy, &h);
		for (size_t i = 0; i < n; i++) {
			half_get_row(&copy, i, row);
			for (size_t j = 0; j < n; j++)
				assert_true(row[j] == (i == j  ? 0.0f
						       : i < j ? (float)(100 * i + j)
							       : (float)(100 * j + i)));
		}
		half_release(&copy);
		half_release(&h);
	}
}
