/* Parts are disjoint, complete and of equal size; each party gets its part of the data. */
#include "tests/unit/cli/commands.h"
#include "tests/unit/cli/split/whole.h"

TEST(test_parts)
{
	for (size_t n = 1; n < 60; n++) {
		for (size_t L = 1; L <= n; L++) {
			uint32_t part[60], again[60];
			size_t size[60] = { 0 };

			split_parts(n, L, 9, part);
			split_parts(n, L, 9, again);
			assert_memory_equal(part, again, n * sizeof(*part));
			for (size_t i = 0; i < n; i++)
				size[part[i]]++;
			for (size_t l = 0; l < L; l++)
				assert_in_range(size[l], n / L, (n + L - 1) / L);
		}
	}
}

/* Another seed gives another split, and parties do not just get adjacent columns. */
TEST(test_parts_are_random)
{
	uint32_t a[100], b[100];
	size_t same = 0, ordered = 0;

	split_parts(100, 4, 1, a);
	split_parts(100, 4, 2, b);
	for (size_t i = 0; i < 100; i++) {
		same += a[i] == b[i];
		ordered += a[i] == i / 25;
	}
	assert_in_range(same, 5, 60);
	assert_in_range(ordered, 5, 60);
}
/* Splits 7 items in order between 3 parties, as evenly as possible. */
TEST(test_blocks)
{
	static const uint32_t expected[7] = { 0, 0, 1, 1, 2, 2, 2 };
	uint32_t part[7];

	split_blocks(7, 3, part);
	assert_memory_equal(part, expected, sizeof(part));
}

/* Splits rows of data with or without ids: every row is at one party, with its features, label and
 * the edges between rows of that party. */
static void rows_with(bool ids)
{
	struct split_params p = { SPLIT_ROWS, 3, 3, data, out, 0, 0, 0, false, false, 0, false };
	size_t seen[N] = { 0 }, edges = 0;
	uint32_t part[N];

	put_features(true);
	put_names(true);
	/* The graph has all edges, so a part of s nodes has s (s - 1) / 2 edges. */
	{
		struct buf text = { 0 };

		for (int u = 0; u < N; u++)
			for (int v = 0; v < u; v++)
				buf_printf(&text, ids ? "z%d z%d\n" : "%d %d\n", ids ? N - u : u,
					   ids ? N - v : v);
		buf_add(&text, "", 1);
		put_data("edges.tsv", (char *)text.p);
		buf_release(&text);
	}
	/* Sorting by id reverses the rows. */
	if (ids)
		put_data("ids.txt", "z7\nz6\nz5\nz4\nz3\nz2\nz1\n");
	put_data("labels.txt", "0\n10\n20\n30\n40\n50\n60\n");
	assert_ok(split_data(&p));
	split_parts(N, 3, 3, part);
	for (size_t l = 0; l < 3; l++) {
		struct labels labels;
		struct dataset d;
		char path[96];

		party(l, &d);
		snprintf(path, sizeof(path), "%s/party-%02zu/labels.txt", out, l);
		assert_ok(labels_read(path, &labels));
		assert_int_equal(labels.n, d.n);
		assert_int_equal(d.g.adjacency.start[d.n], d.n * (d.n - 1));
		edges += d.g.adjacency.start[d.n] / 2;
		for (size_t i = 0; i < d.n; i++) {
			size_t row = (size_t)at(&d, i, 1) / 10; /* the row of the original data */

			seen[row]++;
			assert_int_equal(part[row], l);
			assert_named(&d, i % M, (unsigned)(i % M), true);
			assert_true(at(&d, i, 4) == (double)(10 * row + 4));
			assert_int_equal(labels.label[d.ids.row[i]], 10 * row);
			assert_int_equal(atoi(d.ids.id[i] + ids), ids ? N - row : row);
		}
		labels_release(&labels);
		dataset_release(&d);
	}
	for (size_t i = 0; i < N; i++)
		assert_int_equal(seen[i], 1);
	assert_int_equal(edges, 3 + 1 + 1); /* edges of parts of 3, 2 and 2 nodes */
}

TEST_WITH(test_rows, split_dirs, dir_remove)
{
	rows_with(false);
}

TEST_WITH(test_rows_with_ids, split_dirs, dir_remove)
{
	rows_with(true);
}

/* Splits rows without a graph: each party gets features, ids and labels of its rows only. */
static void rows_without_edges(bool ids, double skew)
{
	struct split_params p = { SPLIT_ROWS, 3, 3, data, out, 0, skew, 0, false, false, 0, false };
	static const uint32_t class[N] = { 2, 0, 1, 0, 1, 2, 0 };
	uint32_t part[N];
	size_t seen = 0;

	put_features(false);
	if (ids)
		put_data("ids.txt", "z7\nz6\nz5\nz4\nz3\nz2\nz1\n");
	put_data("labels.txt", "2\n0\n1\n0\n1\n2\n0\n");
	assert_ok(split_data(&p));
	if (skew > 0)
		skew_parts(class, N, 3, skew, 3, part);
	else
		split_parts(N, 3, 3, part);
	for (size_t l = 0; l < 3; l++) {
		struct dataset_files f;
		struct labels labels;
		struct dataset d;
		char path[96];

		snprintf(path, sizeof(path), "%s/party-%02zu", out, l);
		assert_ok(dataset_find(path, DATASET_FEATURES, &f));
		assert_null(f.edges);
		assert_ok(dataset_load(&d, f.features, NULL, f.ids));
		assert_ok(labels_read(f.labels, &labels));
		assert_int_equal(labels.n, d.n);
		for (size_t i = 0; i < d.n; i++) {
			size_t row = (size_t)at(&d, i, 1) / 10;

			seen |= (size_t)1 << row;
			assert_int_equal(part[row], l);
			assert_int_equal(labels.label[d.ids.row[i]], class[row]);
			assert_int_equal(atoi(d.ids.id[i] + ids), ids ? N - row : row);
		}
		labels_release(&labels);
		dataset_release(&d);
		dataset_files_release(&f);
	}
	assert_int_equal(seen, (1 << N) - 1);
}

TEST_WITH(test_rows_without_edges, split_dirs, dir_remove)
{
	rows_without_edges(false, 0);
}

TEST_WITH(test_rows_without_edges_with_ids, split_dirs, dir_remove)
{
	rows_without_edges(true, 0);
}

TEST_WITH(test_rows_by_class, split_dirs, dir_remove)
{
	struct buf json = { 0 };
	char path[96];

	rows_without_edges(true, 1);
	snprintf(path, sizeof(path), "%s/split.json", out);
	assert_ok(file_read(path, 4096, &json));
	assert_non_null(strstr((char *)json.p, "\"skew\": 1"));
	buf_release(&json);
}

TEST_WITH(test_edges, split_dirs, dir_remove)
{
	struct split_params p = { SPLIT_EDGES, 2, 3, data, out, 0, 0, 0, false, false, 0, false };
	size_t seen[N][N] = { 0 };

	put_features(false);
	put_data("edges.tsv", "0 1\n1 2\n2 3 2.5\n3 4\n4 5\n5 6\n6 0\n");
	assert_ok(split_data(&p));
	for (size_t l = 0; l < 2; l++) {
		struct dataset d;

		party(l, &d);
		assert_int_equal(d.n, N);
		assert_int_equal(features_cols(&d.X), M);
		assert_in_range(d.g.adjacency.start[N], 6, 8);
		count_edges(&d.g.adjacency, seen);
		dataset_release(&d);
	}
	for (size_t u = 0; u < N; u++)
		for (size_t v = 0; v < N; v++)
			assert_int_equal(seen[u][v], v == (u + 1) % N || u == (v + 1) % N);
}

/* Each of L parties has the fraction F of the n edges, rounded. It keeps its edges as F grows, and
 * no edge is lost. With L = 2 the halves at F = 0.5 are disjoint; at any F the parties share (2 F -
 * 1) n edges. */
TEST(test_shared_edges)
{
	enum { MOST = 41 };

	for (size_t n = 1; n <= MOST; n++) {
		for (size_t L = 2; L <= 5; L++) {
			bool before[5][MOST] = { { false } }, now[5][MOST];

			for (int tenths = 5; tenths <= 10; tenths++) {
				size_t count = (n * (size_t)tenths + 5) / 10, both = 0, lost = 0;

				for (size_t l = 0; l < L; l++) {
					size_t has = 0;

					split_shared_edges(n, L, tenths / 10.0, 3, l, now[l]);
					for (size_t e = 0; e < n; e++) {
						has += now[l][e];
						assert_true(now[l][e] || !before[l][e]);
					}
					assert_int_equal(has, count);
				}
				for (size_t e = 0; e < n; e++) {
					size_t with = 0;

					for (size_t l = 0; l < L; l++)
						with += now[l][e];
					lost += with == 0;
					both += now[0][e] && now[1][e];
				}
				assert_int_equal(lost, 0);
				if (L == 2)
					assert_int_equal(both, 2 * count - n);
				memcpy(before, now, sizeof(before));
			}
		}
	}
}

/* Another seed gives other halves. A half is neither a part of split_parts() nor just the first
 * edges. */
TEST(test_shared_edges_are_random)
{
	bool a[200], b[200];
	uint32_t part[200];
	size_t same = 0, as_parts = 0, first = 0;

	split_shared_edges(200, 2, 0.5, 1, 0, a);
	split_shared_edges(200, 2, 0.5, 2, 0, b);
	split_parts(200, 2, 1, part);
	for (size_t e = 0; e < 200; e++) {
		same += a[e] == b[e];
		as_parts += a[e] == (part[e] == 0);
		first += a[e] && e < 100;
	}
	assert_in_range(same, 70, 130);
	assert_in_range(as_parts, 70, 130);
	assert_in_range(first, 30, 70);
}

TEST_WITH(test_refusals, split_dirs, dir_remove)
{
	struct split_params p = { SPLIT_COLUMNS, M + 1, 3, data, out, 0, 0, 0,
				  false,         false, 0, false };

	assert_err(split_data(&p), ERR_INPUT, "no features.mtx");
	put_features(false);
	put_data("edges.tsv", "0 1\n");
	assert_err(split_data(&p), ERR_INPUT,
		   "has 5 columns, expected at least one for each of 6 parties");
	p.by = SPLIT_ROWS;
	p.parties = N + 1;
	assert_err(split_data(&p), ERR_INPUT, "has 7 rows, expected at least one for each of 8");
	p.by = SPLIT_EDGES;
	p.parties = 2;
	assert_err(split_data(&p), ERR_INPUT, "has 1 edges, expected");
	p.by = SPLIT_ROWS;
	p.skew = 0.5;
	assert_err(split_data(&p), ERR_INPUT, "no labels.txt there, which a skew needs");
	p.skew = 0;
	p.parties = 1;
	put_data("labels.txt", "1\n");
	assert_err(split_data(&p), ERR_INPUT, "labels.txt: 1 labels, expected 7");
}

TEST_WITH(test_command, split_dirs, dir_remove)
{
	char line[256];

	put_features(false);
	put_data("labels.txt", "0\n0\n0\n1\n1\n1\n1\n");
	snprintf(line, sizeof(line), "--data %s --out %s --parties 2 --seed 3 --by rows --skew 0.5",
		 data, out);
	expect_command(split_main, line, 0,
		       "split by rows over 2 parties, seed 3, 0.5 of the rows by class");
	snprintf(line, sizeof(line), "--data %s --out %s --parties 2 --shared-edges 0.6", data,
		 out);
	expect_command(split_main, line, 4, "no edges.tsv, edges.mtx or edges.csv there");
	snprintf(line, sizeof(line), "--data %s --out %s --parties 2 --seed 3", data, out);
	put_data("edges.tsv", "0 1\n");
	/* split refuses a directory that is not empty: a later user could take old parties in it
	 * for those of this split. */
	expect_command(split_main, line, 4, "out: this directory is not empty");
	clear_out();
	expect_command(split_main, line, 0, "split by columns over 2 parties, seed 3");
	snprintf(line, sizeof(line), "%s/split.json", out);
	assert_true(file_exists(line));
	expect_command(split_main, "--data x --out y --parties 2", 4, "x: no features.mtx");
	expect_command(split_main, "--data x --out y", 4, "--parties are needed");
	expect_command(split_main, "--parties 0", 4,
		       "--parties is \"0\", expected a whole number from 1 to 256");
	expect_command(split_main, "--by nodes", 4,
		       "--by is \"nodes\", expected columns, rows, edges, vertices or graphs");
	expect_command(split_main, "--seed -1", 4, "--seed is \"-1\"");
	expect_command(split_main, "--shared-edges 0.4", 4,
		       "--shared-edges is \"0.4\", expected a number from 0.5 to 1");
	expect_command(split_main, "--data x --out y --parties 2 --by rows --shared-edges 0.6", 4,
		       "--shared-edges is for --by columns, not for rows");
	expect_command(split_main, "--data x --out y --parties 1 --shared-edges 0.6", 4,
		       "--shared-edges is for two or more parties");
	expect_command(split_main, "--keep 0", 4,
		       "--keep is \"0\", expected a number from 0.001 to 1");
	expect_command(split_main, "--data x --out y --parties 2 --by edges --keep 0.8", 4,
		       "--keep is for --by columns, not for edges");
	expect_command(split_main, "--data x --out y --parties 2 --skew 0.6", 4,
		       "--skew is for --by rows or graphs, not for columns");
	expect_command(split_main, "--data x --out y --parties 2 --by rows --contiguous", 4,
		       "--contiguous is for --by columns, not for rows");
	expect_command(split_main, "--skew 1.5", 4,
		       "--skew is \"1.5\", expected a number from 0 to 1");
	expect_command(split_main, "--colour", 4, "colour");
	expect_command(split_main, "--help", 0, "Usage: coterie split");
}
