/* whole.h -- data to split, in which each value encodes its row and column, and checks of each
 * part. */
#ifndef TESTS_UNIT_CLI_SPLIT_WHOLE_H
#define TESTS_UNIT_CLI_SPLIT_WHOLE_H

#include "tests/test.h"
#include "tests/unit/cli/split/split_dirs.h"

#include "cli/args/args.h"
#include "cli/split/split.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/dataset.h"
#include "common/data/labels.h"
#include "common/data/skew.h"

enum { N = 7, M = 5 };

/* Row i has 10 i + j in column j, in both formats of features. */
static inline void put_features(bool sparse)
{
	struct buf text = { 0 };

	if (sparse)
		buf_printf(&text, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", N,
			   M, N * M - 1);
	for (int j = 0; !sparse && j < M; j++)
		buf_printf(&text, "c%d%c", j, j + 1 < M ? ',' : '\n');
	for (int i = 0; i < N; i++)
		for (int j = 0; j < M; j++) {
			if (sparse && i + j)
				buf_printf(&text, "%d %d %d\n", i + 1, j + 1, 10 * i + j);
			else if (!sparse)
				buf_printf(&text, "%d%c", 10 * i + j, j + 1 < M ? ',' : '\n');
		}
	buf_add(&text, "", 1);
	put_data(sparse ? "features.mtx" : "features.csv", (char *)text.p);
	buf_release(&text);
}

/* Names columns: for sparse features in columns.json, for a table in its heading. */
static inline void put_names(bool sparse)
{
	if (sparse)
		put_data("columns.json",
			 "{\"columns\": [{\"name\": \"c0\", \"type\": \"number\", \"unit\": \"m\"},"
			 "{\"name\": \"c1\", \"type\": \"category\", \"from\": \"k\"},"
			 "{\"name\": \"c2\", \"type\": \"number\", \"unit\": \"m\"},"
			 "{\"name\": \"c3\", \"type\": \"category\", \"from\": \"k\"},"
			 "{\"name\": \"c4\", \"type\": \"date\"}]}");
}

/* Checks that column j of a part is column `column` of the data. */
static inline void assert_named(const struct dataset *d, size_t j, unsigned column, bool typed)
{
	static const enum column_type type[M] = { COLUMN_NUMBER, COLUMN_CATEGORY, COLUMN_NUMBER,
						  COLUMN_CATEGORY, COLUMN_DATE };
	const struct column *c = &d->columns.column[j];
	char name[16];

	assert_true(j < d->columns.n);
	snprintf(name, sizeof(name), "c%u", column);
	assert_string_equal(c->name, name);
	assert_int_equal(c->type, typed ? type[column] : COLUMN_NUMBER);
	assert_string_equal(c->from, c->type == COLUMN_CATEGORY ? "k" : "");
}

static inline void party(size_t l, struct dataset *d)
{
	struct dataset_files f;
	char path[96];

	snprintf(path, sizeof(path), "%s/party-%02zu", out, l);
	assert_ok(dataset_find(path, DATASET_FEATURES, &f));
	assert_ok(dataset_load(d, f.features, f.edges, f.ids));
	dataset_files_release(&f);
}

static inline double at(const struct dataset *d, size_t i, size_t j)
{
	double x = 0;

	if (!d->X.is_sparse)
		return MAT(&d->X.dense, i, j);
	for (size_t e = d->X.sparse.start[i]; e < d->X.sparse.start[i + 1]; e++)
		x = d->X.sparse.index[e] == j ? d->X.sparse.value[e] : x;
	return x;
}

/* Adds the edges of one party to the counts; the edge between 2 and 3 has weight 2.5. */
static inline void count_edges(const struct csr *A, size_t seen[N][N])
{
	for (size_t u = 0; u < N; u++)
		for (size_t e = A->start[u]; e < A->start[u + 1]; e++) {
			size_t v = A->index[e];

			seen[u][v]++;
			assert_true((A->value ? A->value[e] : 1) ==
				    (u + v == 5 && u * v == 6 ? 2.5 : 1));
		}
}

#endif
