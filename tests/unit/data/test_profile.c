/* Compares the profile (the columns that distinguish clusters) with known answers. */
#include "tests/test.h"
#include "tests/unit/linalg/sample.h"
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/file.h"
#include "common/data/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Column 0 has 1 to 5 and 101: the median is 3.5, and the median distance from it is 1.5. Column 1
 * is 1 only in rows 4 and 5. Column 2 is constant. */
static const double x[] = { 1, 0, 7, 2, 0, 7, 3, 0, 7, 4, 0, 7, 5, 1, 7, 101, 1, 7 };
static const uint32_t label[] = { 0, 0, 0, 0, 2, 2 };

static void dense(struct features *X)
{
	*X = (struct features){ 0 };
	mat_init(&X->dense, 6, 3);
	memcpy(X->dense.a, x, sizeof(x));
}

static void sparse(struct features *X)
{
	struct triple t[18];

	*X = (struct features){ .is_sparse = true };
	size_t count = 0;

	for (uint32_t e = 0; e < 18; e++)
		if (x[e] != 0)
			t[count++] = (struct triple){ e / 3, e % 3, x[e] };
	csr_from_triples(&X->sparse, 6, 3, t, count);
}

static const struct profile_line *find(const struct profile *p, uint32_t cluster, size_t column)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->line[i].cluster == cluster && p->line[i].column == column)
			return &p->line[i];
	fail_msg("cluster %u has no column %zu", cluster, column);
	return NULL;
}

TEST(test_known)
{
	const struct profile_line *l;
	struct features X;
	struct profile p;

	dense(&X);
	profile_of(&X, label, 3, &p);
	assert_int_equal(p.n, 4); /* cluster 1 has no rows, column 2 no deviation */
	l = find(&p, 2, 0);
	assert_ptr_equal(l, &p.line[2]); /* a cluster's largest z is first */
	assert_int_equal(l->rows, 2);
	assert_near(l->mean, 53, 1e-12);
	assert_near(l->mean_of_all, 116 / 6.0, 1e-12);
	assert_near(l->z, (53 - 3.5) / (1.4826 * 1.5), 1e-9);
	l = find(&p, 2, 1); /* 2 ones among 6 have deviation sqrt(2/9) */
	assert_near(l->share, 1, 0);
	assert_near(l->lift, 3, 1e-12);
	assert_near(l->z, (1 - 1 / 3.0) / sqrt(2 / 9.0), 1e-12);
	l = find(&p, 0, 1);
	assert_near(l->share, 0, 0);
	assert_near(l->z, -1 / 3.0 / sqrt(2 / 9.0), 1e-12);
	profile_release(&p);
	features_release(&X);
}

/* Sparse features give the same means, shares and lifts, but use the standard deviation instead of
 * the robust one. */
TEST(test_sparse)
{
	struct features X, S;
	struct profile p, q;
	double square = 0;

	dense(&X);
	sparse(&S);
	profile_of(&X, label, 3, &p);
	profile_of(&S, label, 3, &q);
	assert_int_equal(q.n, 4);
	for (size_t i = 0; i < p.n; i++) {
		const struct profile_line *a = &p.line[i], *b = find(&q, a->cluster, a->column);

		assert_near(a->mean, b->mean, 1e-12);
		assert_near(a->share, b->share, 0);
		assert_near(a->lift, b->lift, 1e-12);
		if (a->column == 1)
			assert_near(a->z, b->z, 1e-12);
	}
	for (size_t i = 0; i < 6; i++)
		square += (x[3 * i] - 116 / 6.0) * (x[3 * i] - 116 / 6.0) / 6;
	assert_near(find(&q, 2, 0)->z, (53 - 116 / 6.0) / sqrt(square), 1e-9);
	profile_release(&p);
	profile_release(&q);
	features_release(&X);
	features_release(&S);
}

/* A cluster lists its ten most distant columns in order. Column j is 0, 1, 2 and, in the one row of
 * the other cluster, 10 + j. */
TEST(test_ten)
{
	const uint32_t of[] = { 0, 0, 0, 1 };
	struct features X = { 0 };
	struct profile p;

	mat_init(&X.dense, 4, 30);
	for (size_t j = 0; j < 30; j++)
		for (size_t i = 0; i < 4; i++)
			MAT(&X.dense, i, j) = i < 3 ? (double)i : 10 + (double)j;
	profile_of(&X, of, 2, &p);
	assert_int_equal(p.n, 2 * PROFILE_MOST);
	for (size_t i = 0; i < PROFILE_MOST; i++) {
		assert_int_equal(p.line[PROFILE_MOST + i].column, 29 - i);
		assert_near(p.line[PROFILE_MOST + i].z, (10 + 29 - (double)i - 1.5) / 1.4826, 1e-9);
	}
	profile_release(&p);
	features_release(&X);
}

TEST(test_written)
{
	char dir[] = "/tmp/coterie-profile-XXXXXX", path[64];
	struct columns names = { 0 };
	struct buf text = { 0 };
	struct features X;
	struct profile p;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/profile.csv", dir);
	columns_add(&names, "income, gross", COLUMN_NUMBER, NULL, NULL);
	columns_add(&names, "a", COLUMN_NUMBER, NULL, NULL);
	columns_add(&names, "b", COLUMN_NUMBER, NULL, NULL);
	dense(&X);
	profile_of(&X, label, 3, &p);
	assert_ok(profile_write(path, &p, &names));
	assert_ok(file_read(path, 10000, &text));
	buf_add(&text, "", 1);
	assert_non_null(
	    strstr((char *)text.p, "cluster,rows,column,mean,mean_of_all,share,lift,z\n"));
	assert_non_null(
	    strstr((char *)text.p, "\n2,2,\"income, gross\",53,19.3333333,1,1,22.2582\n"));
	buf_release(&text);
	assert_ok(profile_write(path, &p, NULL));
	assert_ok(file_read(path, 10000, &text));
	buf_add(&text, "", 1);
	assert_non_null(strstr((char *)text.p, "\n2,2,0,53,"));
	buf_release(&text);
	unlink(path);
	rmdir(dir);
	columns_release(&names);
	profile_release(&p);
	features_release(&X);
}
