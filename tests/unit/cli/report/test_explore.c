/* Compares the report's figures for columns and for the confidence of rows with values computed by
 * hand. */
#include "tests/test.h"

#include "cli/report/explore.h"
#include "common/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 6, COLS = 4 };

/* Column 0 is the cluster, 1 separates clusters partly, 2 is constant, 3 is independent of
 * clusters. */
static const double table[ROWS][COLS] = {
	{ 0, 1, 7, 1 }, { 0, 2, 7, 2 }, { 0, 3, 7, 3 },
	{ 1, 3, 7, 1 }, { 1, 4, 7, 2 }, { 1, 5, 7, 3 },
};
static const uint32_t label[ROWS] = { 0, 0, 0, 1, 1, 1 };
static const size_t shown_rows[] = { 5, 0, 3 };

static void expect(const struct json *o, const char *key, const char *text)
{
	struct buf b = { 0 };

	assert_non_null(json_get(o, key));
	json_write(json_get(o, key), &b);
	buf_add(&b, "", 1);
	assert_string_equal((char *)b.p, text);
	buf_release(&b);
}

static struct features made(bool sparse)
{
	struct features X = { .is_sparse = sparse };
	struct triple t[ROWS * COLS];
	size_t n = 0;

	if (sparse) {
		for (uint32_t i = 0; i < ROWS; i++)
			for (uint32_t j = 0; j < COLS; j++)
				if (table[i][j] != 0)
					t[n++] = (struct triple){ i, j, table[i][j] };
		csr_from_triples(&X.sparse, ROWS, COLS, t, n);
	} else {
		mat_init(&X.dense, ROWS, COLS);
		memcpy(X.dense.a, table, sizeof(table));
	}
	return X;
}

/* Column 1 has mean 3 and cluster means 2 and 4. Its sum of squares is 10, of which 6 are between
 * clusters. */
TEST(columns)
{
	for (int sparse = 0; sparse < 2; sparse++) {
		struct features X = made(sparse);
		struct columns names = { 0 };
		struct explored e = { &X, &names, label, 2, shown_rows, 3 };
		struct json *o = json_object();

		explore_columns(&e, o);
		expect(o, "columns",
		       "[{\"name\":\"0\",\"unit\":\"\",\"between\":1,\"values\":[1,0,1]},"
		       "{\"name\":\"1\",\"unit\":\"\",\"between\":0.6,\"values\":[5,1,3]}]");
		assert_ok(explore_by(&e, "3", o));
		expect(o, "by", "{\"column\":\"3\",\"values\":[3,1,1]}");
		assert_err(explore_by(&e, "4", o), ERR_INPUT,
			   "--by 4: the party's features have no");
		json_free(o);
		features_release(&X);
	}
}

/* explore_by() finds a category by the source of its columns ("region") and a number by its name.
 * It does not take "age is missing", an indicator with the source "age", for a category. */
TEST(by_category)
{
	struct features X = made(false);
	struct columns names = { 0 };
	struct explored e = { &X, &names, label, 2, shown_rows, 3 };
	struct json *o = json_object();

	columns_add(&names, "region=north", COLUMN_CATEGORY, NULL, "region");
	columns_add(&names, "age", COLUMN_NUMBER, "years", NULL);
	columns_add(&names, "age is missing", COLUMN_CATEGORY, NULL, "age");
	columns_add(&names, "region=south", COLUMN_CATEGORY, NULL, "region");
	X.dense.a[3] = 0;
	assert_ok(explore_by(&e, "region", o));
	expect(o, "by", "{\"column\":\"region\",\"values\":[\"south\",\"\",\"south\"]}");
	assert_ok(explore_by(&e, "age", o));
	expect(o, "by", "{\"column\":\"age\",\"values\":[5,1,3]}");
	explore_columns(&e, o);
	assert_string_equal(json_text(json_first(json_get(o, "columns")), "name"), "region=north");
	assert_string_equal(json_text(json_next(json_first(json_get(o, "columns"))), "unit"),
			    "years");
	assert_err(explore_by(&e, "regio", o), ERR_INPUT, "no such column");
	columns_release(&names);
	json_free(o);
	features_release(&X);
}

/* On a line, cluster 0 has points 0 and 1, cluster 1 has 4 and 6, and cluster 2 has only 100. Point
 * 0 has mean distance a = 1 within its cluster and b = 5 to cluster 1. */
TEST(silhouettes)
{
	static const double at[] = { 0, 4, 1, 6, 100 };
	static const uint32_t row[] = { 0, 1, 2, 3, 4 }, of[] = { 0, 1, 0, 1, 2 };
	struct json *o = json_object();
	struct mat X;

	mat_init(&X, 5, 1);
	memcpy(X.a, at, sizeof(at));
	explore_silhouette(&X, row, of, 5, 3, o);
	expect(o, "silhouette", "{\"point\":[0,1,2,3,4],\"value\":[0.8,0.4286,0.75,0.6364,0]}");
	/* With one cluster there is no other, and all values are 0. */
	explore_silhouette(&X, row, (const uint32_t[]){ 0, 0, 0, 0, 0 }, 5, 1, o);
	expect(o, "silhouette", "{\"point\":[0,1,2,3,4],\"value\":[0,0,0,0,0]}");
	mat_release(&X);
	json_free(o);
}
