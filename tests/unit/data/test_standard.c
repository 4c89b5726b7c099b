/* Standardises columns to mean 0 and deviation 1, and finds a column that dominates distances. */
#include "tests/test.h"
#include "tests/unit/linalg/sample.h"
#include "common/base/alloc.h"
#include "common/base/warnings.h"
#include "common/data/standard.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct features dense(size_t rows, size_t cols, const double *value)
{
	struct features X = { 0 };

	mat_init(&X.dense, rows, cols);
	memcpy(X.dense.a, value, rows * cols * sizeof(*value));
	return X;
}

static struct columns three(void)
{
	struct columns c = { 0 };

	columns_add(&c, "income", COLUMN_NUMBER, NULL, NULL);
	columns_add(&c, "sex=f", COLUMN_CATEGORY, NULL, "sex");
	columns_add(&c, "born", COLUMN_DATE, "days", NULL);
	return c;
}

/* The deviation of 1, 2, 3, 4 is the root of 1.25. A category is unchanged; a constant becomes
 * 0. */
TEST(test_categories_stay)
{
	static const double x[] = { 1, 1, 7, 2, 0, 7, 3, 0, 7, 4, 1, 7 };
	struct columns names = three();
	struct features X = dense(4, 3, x);

	assert_ok(standard_features(&X, &names));
	assert_int_equal(X.dense.cols, 3);
	for (size_t i = 0; i < 4; i++) {
		assert_near(MAT(&X.dense, i, 0), ((double)i - 1.5) / sqrt(1.25), 1e-15);
		assert_near(MAT(&X.dense, i, 1), x[3 * i + 1], 0);
		assert_near(MAT(&X.dense, i, 2), 0, 0);
	}
	features_release(&X);
	columns_release(&names);
}

TEST(test_sparse_stays)
{
	struct triple t[] = { { 0, 0, 5 }, { 1, 1, 3 } };
	struct features X = { .is_sparse = true };
	bool *apart;

	csr_from_triples(&X.sparse, 2, 2, t, 2);
	apart = standard_unscaled(&X, NULL);
	assert_true(apart[0] && apart[1]);
	free(apart);
	assert_ok(standard_features(&X, NULL));
	assert_near(X.sparse.value[0], 5, 0);
	features_release(&X);
}

/* Sums of squares are 5 for the numbers and 1 for the category; sparse columns give the same. */
TEST(test_spread)
{
	static const double x[] = { 1, 1, 7, 2, 0, 7, 3, 0, 7, 4, 1, 7 };
	struct features X = dense(4, 3, x), S = { .is_sparse = true };
	struct triple t[12];
	double *spread = standard_spread(&X), *sparse;

	for (uint32_t e = 0; e < 12; e++)
		t[e] = (struct triple){ e / 3, e % 3, x[e] };
	csr_from_triples(&S.sparse, 4, 3, t, 12);
	sparse = standard_spread(&S);
	assert_near(spread[0], 5, 1e-15);
	assert_near(spread[1], 1, 1e-15);
	assert_near(spread[2], 0, 0);
	for (size_t j = 0; j < 3; j++)
		assert_near(sparse[j], spread[j], 1e-12);
	free(spread);
	free(sparse);
	features_release(&X);
	features_release(&S);
}

TEST(test_dominant)
{
	static const double most[] = { 1, 18, 2 }, even[] = { 1, 8, 1 }, two[] = { 1, 4 },
			    nine[] = { 1, 10 }, none[] = { 0, 0, 0 };
	double share;

	assert_int_equal(standard_dominant(most, 3, &share), 1);
	assert_near(share, 18 / 21.0, 1e-15);
	assert_int_equal(standard_dominant(even, 3, &share), 3); /* exactly 80 % is not dominant */
	assert_int_equal(standard_dominant(two, 2, &share), 2);
	assert_int_equal(standard_dominant(nine, 2, &share), 1);
	assert_int_equal(standard_dominant(none, 3, &share), 3);
	assert_int_equal(standard_dominant(nine, 1, &share), 1); /* there is no other column */
}

static struct warnings given;

/* Returns the warnings as "code number; ..."; `given` keeps the sentences. */
static const char *warned(const struct features *X, const struct columns *names, bool all_rows)
{
	static char text[200];
	size_t at = 0;

	warnings_release(&given);
	warnings_begin(&given);
	standard_warn(X, names, all_rows);
	warnings_begin(NULL);
	*text = 0;
	for (size_t i = 0; i < given.count; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s %.3g; ",
				       warning_text[given.said[i].what].code, given.said[i].number);
	return text;
}

TEST(test_dominant_is_warned_of)
{
	static const double x[] = { 30, 1, 1, -30, 0, 2, 30, 0, 1, -30, 1, 2 };
	struct columns names = three();
	struct features X = dense(4, 3, x);

	assert_string_equal(warned(&X, &names, false), "column_dominates 0.999; ");
	assert_non_null(strstr(given.said[0].sentence,
			       "column \"income\" has 99.9 % of the variance of all 3"));
	assert_string_equal(warned(&X, NULL, false), "column_dominates 0.999; ");
	assert_non_null(strstr(given.said[0].sentence, "column 0 (from 0) has 99.9 %"));
	for (size_t i = 0; i < 4; i++)
		MAT(&X.dense, i, 0) /= 10;
	assert_string_equal(warned(&X, &names, false), "column_dominates 0.947; ");
	for (size_t i = 0; i < 4; i++)
		MAT(&X.dense, i, 0) /= 3;
	/* The column has 4 of 6 units of variance, which is less than 80 %. */
	assert_string_equal(warned(&X, &names, false), "");
	warnings_release(&given);
	features_release(&X);
	columns_release(&names);
}

/* Warns about a constant column only if `all_rows`: otherwise other rows may have other values. */
TEST(test_constant_is_warned_of_all_rows)
{
	static const double x[] = { 1, 7, 0, 2, 7, 0, 3, 7, 1, 4, 7, 1 };
	struct columns names = three();
	struct features X = dense(4, 3, x);

	MAT(&X.dense, 0, 2) = 3;
	assert_string_equal(warned(&X, &names, true), "columns_constant 1; ");
	assert_non_null(strstr(given.said[0].sentence,
			       "1 of 3 feature columns have the same value in "
			       "all rows and tell nothing: \"sex=f\""));
	assert_string_equal(warned(&X, &names, false), "");
	MAT(&X.dense, 2, 1) = 6;
	assert_string_equal(warned(&X, &names, true), "");
	warnings_release(&given);
	features_release(&X);
	columns_release(&names);
}

TEST(test_zeros_are_warned_of)
{
	static const double zeros[6] = { 0 };
	struct triple t = { 1, 1, 0 };
	struct features X = dense(3, 2, zeros), S = { .is_sparse = true };

	assert_string_equal(warned(&X, NULL, false), "no_features 0; ");
	assert_string_equal(warned(&X, NULL, true), "no_features 0; ");
	MAT(&X.dense, 2, 1) = 1e-300;
	assert_string_equal(warned(&X, NULL, false), "");
	csr_from_triples(&S.sparse, 3, 2, &t, 0);
	assert_string_equal(warned(&S, NULL, true), "no_features 0; ");
	features_release(&S);
	S.is_sparse = true;
	t.value = 1;
	csr_from_triples(&S.sparse, 3, 2, &t, 1);
	standard_warn_zero(&S);
	assert_int_equal(given.count, 1); /* only the earlier warning */
	warnings_release(&given);
	features_release(&X);
	features_release(&S);
}
