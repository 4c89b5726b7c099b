/* Splits columns: all parties have the same rows or some of them, and one graph or their own. */
#include "tests/unit/cli/split/whole.h"

static void columns_with(bool sparse, bool ids, bool graph)
{
	struct split_params p = { SPLIT_COLUMNS, 2, 3, data, out, 0, 0, 0, false, false, 0, false };
	size_t seen[M] = { 0 };

	put_features(sparse);
	if (graph)
		put_data("edges.tsv", ids ? "r3\tr1\nr6\tr0\n" : "3\t1\n6\t0\n");
	if (ids)
		put_data("ids.txt", "r0\nr1\nr2\nr3\nr4\nr5\nr6\n");
	put_names(sparse);
	assert_ok(split_data(&p));
	for (size_t l = 0; l < 2; l++) {
		struct dataset d;
		size_t m;

		party(l, &d);
		assert_int_equal(d.n, N);
		assert_int_equal(d.has_ids, ids);
		m = features_cols(&d.X);
		assert_in_range(m, 2, 3);
		if (graph) {
			assert_int_equal(d.g.adjacency.start[N], 4);
			assert_int_equal(d.g.adjacency.index[d.g.adjacency.start[3]], 1);
		}
		for (size_t j = 0; j < m; j++) {
			unsigned column = (unsigned)at(&d, 1, j) - 10;

			assert_true(column < M);
			seen[column]++;
			assert_named(&d, j, column, sparse);
			for (size_t i = 0; i < N; i++)
				assert_true(at(&d, i, j) == (double)(10 * i + column));
		}
		dataset_release(&d);
	}
	for (size_t j = 0; j < M; j++)
		assert_int_equal(seen[j], 1);
}

TEST_WITH(test_columns_dense, split_dirs, dir_remove)
{
	columns_with(false, false, true);
}

TEST_WITH(test_columns_without_edges, split_dirs, dir_remove)
{
	columns_with(false, false, false);
}

TEST_WITH(test_columns_sparse_with_ids, split_dirs, dir_remove)
{
	columns_with(true, true, true);
}

/* With `contiguous`, parties get adjacent columns in order. */
TEST_WITH(test_columns_in_blocks, split_dirs, dir_remove)
{
	struct split_params p = { .by = SPLIT_COLUMNS,
				  .parties = 3,
				  .seed = 3,
				  .data = data,
				  .out = out,
				  .contiguous = true };
	struct buf json = { 0 };
	char path[96];
	int next = 0;

	put_features(true);
	assert_ok(split_data(&p));
	for (size_t l = 0; l < 3; l++) {
		struct buf columns = { 0 };
		char *line;

		snprintf(path, sizeof(path), "%s/party-%02zu/columns.txt", out, l);
		assert_ok(file_read(path, 4096, &columns));
		buf_add(&columns, "", 1);
		assert_int_equal(next, M * l / 3);
		for (line = strtok((char *)columns.p, "\n"); line; line = strtok(NULL, "\n"))
			assert_int_equal(atoi(line), next++);
		buf_release(&columns);
	}
	assert_int_equal(next, M);
	snprintf(path, sizeof(path), "%s/split.json", out);
	assert_ok(file_read(path, 4096, &json));
	buf_add(&json, "", 1);
	assert_non_null(strstr((char *)json.p, "\"contiguous\": true"));
	buf_release(&json);
}

/* Splits columns as usual and gives each party 7 of 10 edges, with weights and ids. */
TEST_WITH(test_columns_of_own_graphs, split_dirs, dir_remove)
{
	struct split_params p = {
		SPLIT_COLUMNS, 2, 3, data, out, 0.7, 0, 0, false, false, 0, false
	};
	size_t seen[N][N] = { 0 }, columns = 0;
	struct buf json = { 0 };
	char path[96];

	put_features(true);
	put_data("ids.txt", "r0\nr1\nr2\nr3\nr4\nr5\nr6\n");
	put_data("edges.tsv",
		 "r0 r1\nr1 r2\nr2 r3 2.5\nr3 r4\nr4 r5\nr5 r6\nr6 r0\nr0 r2\nr1 r3\nr2 r4\n");
	assert_ok(split_data(&p));
	for (size_t l = 0; l < 2; l++) {
		struct dataset d;

		party(l, &d);
		columns += features_cols(&d.X);
		assert_int_equal(d.g.adjacency.start[N], 14);
		count_edges(&d.g.adjacency, seen);
		dataset_release(&d);
	}
	assert_int_equal(columns, M);
	for (size_t u = 0, once = 0, twice = 0; u < N; u++)
		for (size_t v = 0; v < N; v++) {
			once += seen[u][v] == 1;
			twice += seen[u][v] == 2;
			if (u == N - 1 && v == N - 1) {
				assert_int_equal(once, 2 * 6);
				assert_int_equal(twice, 2 * 4);
			}
		}
	snprintf(path, sizeof(path), "%s/split.json", out);
	assert_ok(file_read(path, 4096, &json));
	buf_add(&json, "", 1);
	assert_non_null(strstr((char *)json.p, "\"shared_edges\": 0.7"));
	assert_non_null(strstr((char *)json.p, "\"edges_of_each\": 7"));
	buf_release(&json);
}

/* Each party has 5 of 7 rows in any order, with their features and ids, and the edges between
 * them. */
static void keep_rows(bool sparse, bool ids)
{
	struct split_params p = {
		.by = SPLIT_COLUMNS, .parties = 2, .seed = 3, .data = data, .out = out, .keep = 0.7
	};
	size_t columns = 0, moved = 0;
	bool has[2][N] = { 0 };
	struct buf json = { 0 };
	char path[96];

	put_features(sparse);
	put_data("edges.tsv", ids ? "r0 r1\nr1 r2\nr2 r3 2.5\nr3 r4\nr4 r5\nr5 r6\nr6 r0\nr0 r3\n"
				  : "0 1\n1 2\n2 3 2.5\n3 4\n4 5\n5 6\n6 0\n0 3\n");
	if (ids)
		put_data("ids.txt", "r0\nr1\nr2\nr3\nr4\nr5\nr6\n");
	assert_ok(split_data(&p));
	for (size_t l = 0; l < 2; l++) {
		size_t edges = 0, expected = 0;
		struct dataset d;

		party(l, &d);
		assert_int_equal(d.n, 5);
		columns += features_cols(&d.X);
		for (size_t i = 0; i < d.n; i++) {
			size_t row = (size_t)atoi(d.ids.id[i] + ids);

			assert_false(has[l][row]);
			has[l][row] = true;
			moved += d.ids.row[i] != i;
			for (size_t j = 0; j < features_cols(&d.X); j++)
				assert_int_equal((size_t)at(&d, i, j) / 10, row);
		}
		for (size_t u = 0; u < N; u++)
			expected += has[l][u] && has[l][(u + 1) % N];
		expected += has[l][0] && has[l][3];
		edges = d.g.adjacency.start[d.n] / 2;
		assert_int_equal(edges, expected);
		if (has[l][2] && has[l][3])
			assert_non_null(d.g.adjacency.value);
		dataset_release(&d);
	}
	assert_int_equal(columns, M);
	assert_true(moved > 0 && memcmp(has[0], has[1], sizeof(has[0])) != 0);
	snprintf(path, sizeof(path), "%s/split.json", out);
	assert_ok(file_read(path, 4096, &json));
	buf_add(&json, "", 1);
	assert_non_null(strstr((char *)json.p, "\"keep\": 0.7"));
	assert_non_null(strstr((char *)json.p, "\"rows_of_each\": 5"));
	buf_release(&json);
}

TEST_WITH(test_kept_rows, split_dirs, dir_remove)
{
	keep_rows(false, false);
}

TEST_WITH(test_kept_rows_with_ids, split_dirs, dir_remove)
{
	keep_rows(true, true);
}

TEST(test_kept_rows_are_random)
{
	uint32_t *a = split_kept_rows(1000, 1, 0), *b = split_kept_rows(1000, 1, 0),
		 *c = split_kept_rows(1000, 2, 0), *e = split_kept_rows(1000, 1, 1);
	size_t as_c = 0, as_e = 0, low = 0;

	assert_memory_equal(a, b, 1000 * sizeof(*a));
	for (size_t i = 0; i < 1000; i++) {
		as_c += a[i] == c[i];
		as_e += a[i] == e[i];
		low += i < 500 && a[i] < 500;
	}
	assert_in_range(as_c + as_e, 0, 20);
	assert_in_range(low, 200, 300);
	assert_int_equal(split_kept_count(10, 0.8), 8);
	assert_int_equal(split_kept_count(10, 0.01), 1);
	assert_int_equal(split_kept_count(10, 1), 10);
	free(a);
	free(b);
	free(c);
	free(e);
}
