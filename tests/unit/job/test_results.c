/* Tests the directory names of a job's results. */
#include "tests/test.h"
#include "common/job/results.h"

#include <string.h>

/* The submitter of a job chooses its id. Ids that differ only in the last digit get different
 * directories, and so does each attempt. */
TEST(test_names_differ)
{
	char one[RESULTS_NAME_MAX], other[RESULTS_NAME_MAX];

	results_name("0123456789abcdef0123456789abcdef", 1, one);
	assert_string_equal(one, "job-0123456789abcdef0123456789abcdef-1");
	results_name("0123456789abcdef0123456789abcdee", 1, other);
	assert_string_not_equal(one, other);
	results_name("0123456789abcdef0123456789abcdef", 2, other);
	assert_string_not_equal(one, other);
	results_name("ffffffffffffffffffffffffffffffff", UINT32_MAX, one);
	assert_true(strlen(one) == RESULTS_NAME_MAX - 1);
}
