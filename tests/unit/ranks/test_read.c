/* Ranks that read a file by parts get what one process reads, for any number of ranks. */
#include "tests/unit/ranks/team.h"
#include "tests/test.h"
#include "common/base/file.h"
#include "common/data/dataset.h"
#include "common/data/edges.h"
#include "common/linalg/rowsum.h"
#include "common/ranks/read.h"

#include <stdio.h>
#include <unistd.h>

/* There are two blocks and a part of one, so three ranks have rows. */
enum { NODES = 2 * ROWSUM_ROWS + 77, COLS = 5 };

static char dir[] = "/tmp/test-ranks-read-XXXXXX";

static int begin(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	return rmdir(dir);
}

struct files {
	char *path;
	size_t n;      /* number of nodes */
	bool features; /* reads features, otherwise edges */
	enum err err;
	char why[300];
	struct csr rows[TEAM_MOST];
	struct features X[TEAM_MOST];
};

static void write_as(struct files *r, const char *name, const char *text)
{
	r->path = file_join(dir, name);
	assert_ok(file_write(r->path, (struct bytes){ (const uint8_t *)text, strlen(text) }, 0600));
}

static void drop(struct files *r)
{
	unlink(r->path);
	free(r->path);
}

static void read_it(void *arg, struct ranks *R)
{
	struct files *r = arg;
	enum err err;

	if (!r->features)
		ranks_cut(R, r->n);
	err = r->features ? ranks_read_features(R, r->path, &r->X[R->own])
			  : ranks_read_edges(R, r->path, &r->rows[R->own]);
	if (R->own == 0) {
		r->err = err;
		snprintf(r->why, sizeof(r->why), "%s", err ? err_detail() : "");
	}
	ranks_release(R);
}

/* Joins the parts of all ranks in their order and releases the parts. */
static void joined(struct csr *part, size_t count, struct csr *all)
{
	size_t rows = 0, entries = 0, at = 0, to = 0;

	for (size_t r = 0; r < count; r++) {
		rows += part[r].rows;
		entries += part[r].start[part[r].rows];
	}
	csr_init(all, rows, part[0].cols, entries, part[0].value);
	for (size_t r = 0; r < count; r++) {
		for (size_t i = 0; i < part[r].rows; i++, at++)
			all->start[at + 1] =
			    all->start[at] + part[r].start[i + 1] - part[r].start[i];
		for (size_t e = 0; e < part[r].start[part[r].rows]; e++, to++) {
			all->index[to] = part[r].index[e];
			assert_int_equal(part[r].value != NULL, all->value != NULL);
			if (all->value)
				all->value[to] = part[r].value[e];
		}
		csr_release(&part[r]);
	}
}

static void same_csr(const struct csr *a, const struct csr *b)
{
	size_t entries = b->start[b->rows];

	assert_int_equal(a->rows, b->rows);
	assert_int_equal(a->cols, b->cols);
	assert_memory_equal(a->start, b->start, (a->rows + 1) * sizeof(*a->start));
	assert_int_equal(a->value != NULL, b->value != NULL);
	if (!entries)
		return;
	assert_memory_equal(a->index, b->index, entries * sizeof(*a->index));
	if (a->value)
		assert_memory_equal(a->value, b->value, entries * sizeof(*a->value));
}

/* Reads the same edges with any number of ranks. */
static void same_edges(const char *name, const char *text, size_t n)
{
	struct files r = { .n = n };
	struct edges_dropped dropped;
	struct csr one, all;

	write_as(&r, name, text);
	assert_ok(edges_read(r.path, n, NULL, &one, &dropped));
	for (size_t count = 1; count <= TEAM_MOST; count++) {
		team(count, read_it, &r);
		assert_ok(r.err);
		joined(r.rows, count, &all);
		same_csr(&all, &one);
		csr_release(&all);
	}
	csr_release(&one);
	drop(&r);
}

static void same_features(const char *name, const char *text)
{
	struct files r = { .features = true };
	struct features one;

	write_as(&r, name, text);
	assert_ok(features_read(r.path, &one));
	for (size_t count = 1; count <= TEAM_MOST; count++) {
		size_t row = 0;
		struct csr part[TEAM_MOST], all;

		team(count, read_it, &r);
		assert_ok(r.err);
		for (size_t q = 0; q < count; q++) {
			struct mat *X = &r.X[q].dense;

			assert_int_equal(r.X[q].is_sparse, one.is_sparse);
			part[q] = r.X[q].sparse;
			if (one.is_sparse)
				continue;
			assert_int_equal(X->cols, one.dense.cols);
			if (X->rows)
				assert_memory_equal(X->a, ROW(&one.dense, row),
						    X->rows * X->cols * sizeof(double));
			row += X->rows;
			mat_release(X);
		}
		if (one.is_sparse) {
			joined(part, count, &all);
			same_csr(&all, &one.sparse);
			csr_release(&all);
		} else {
			assert_int_equal(row, one.dense.rows);
		}
	}
	features_release(&one);
	drop(&r);
}

static void refuses(bool features, const char *name, const char *text, size_t n, const char *why)
{
	struct files r = { .n = n, .features = features };

	write_as(&r, name, text);
	for (size_t count = 1; count <= 4; count += 3) {
		team(count, read_it, &r);
		if (r.err != ERR_INPUT || !strstr(r.why, why))
			fail_msg("%zu ranks: %d \"%s\", expected \"%s\"", count, r.err, r.why, why);
	}
	drop(&r);
}

/* ---- edges ---- */

/* A part may begin anywhere in a line; the last line may lack its newline. */
TEST(edges_by_parts)
{
	static const char *const text[] = {
		"# an edge a line\n0\t1\n\n 2 3\r\n1\t0\n4\t4\n3\t0\n4\t0",
		"0\t4\n0\t3\n0\t1\n2\t3\n# the end\n",
		"0\t4\n0\t3 1\n0\t1 1.0\n2\t3\n",
		"",
		"0 4 0.5\n0 3\n3 0\n4 0 5e-1\n1 1 7\n2 3 1e9",
	};

	for (size_t t = 0; t < sizeof(text) / sizeof(*text); t++)
		same_edges("edges.tsv", text[t], 5);
	same_edges("edges.txt", text[0], 5);
}

TEST(edges_of_matrix_market)
{
	same_edges("edges.mtx",
		   "%%MatrixMarket matrix coordinate pattern symmetric\n% one\n5 5 4\n2 1\n5 1\n"
		   "% two\n4 3\n3 3\n",
		   5);
	same_edges("edges.mtx",
		   "%%MatrixMarket matrix coordinate real general\n5 5 5\n1 2 0.25\n2 1 0.25\n"
		   "5 1 1\n3 3 9\n\n4 2 3",
		   5);
}

/* Returns a file with so many rows in mixed order that several ranks have some. */
static char *many_entries(bool weights)
{
	struct buf b = { 0 };

	if (weights)
		buf_printf(&b, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", NODES,
			   COLS, 2 * NODES);
	for (unsigned i = 0; i < NODES; i++) {
		unsigned row = (unsigned)((uint64_t)i * 4099 % NODES);

		if (weights)
			buf_printf(&b, "%u %u %.17g\n%u %u -%u\n", row + 1, 1 + row % 3,
				   1 / (row + 3.0), row + 1, 4 + row % 2, row);
		else
			buf_printf(&b, "%u %u %g\n", row, (row * 7 + 1) % NODES,
				   1 + (row + (row * 7 + 1) % NODES) % 4 / 4.0);
	}
	buf_add(&b, "", 1);
	return (char *)b.p;
}

TEST(edges_of_many)
{
	char *text = many_entries(false);

	same_edges("edges.tsv", text, NODES);
	free(text);
}

TEST(wrong_edges)
{
	static const char tsv[] = "edges.tsv", mtx[] = "edges.mtx";

	refuses(false, tsv, "0\t1\n1\t5\n", 5,
		"the line at byte 4: the node is \"5\", expected a whole number from 0 to 4");
	refuses(false, tsv, "0 1\n1 2 0\n", 5,
		"the line at byte 4: the weight is 0, expected more than 0");
	refuses(false, tsv, "0 1\n1 2 nan\n", 5,
		"the line at byte 4: \"nan\" is not a finite number");
	refuses(false, tsv, "0 1\n1 2 1 1\n", 5,
		"the line at byte 4: \"1\" is more than expected on this line");
	refuses(false, tsv, "0 1 2\n3 4\n1 0 3\n", 5,
		"the edge of rows 0 and 1 is given with two weights");
	refuses(false, mtx, "%%MatrixMarket matrix coordinate real general\n4 4 1\n1 2 1\n", 5,
		"4 x 4, expected 5 x 5 as there are that many nodes");
	refuses(false, mtx, "%%MatrixMarket matrix coordinate real general\n5 5 1\n1 2 -1\n", 5,
		"entry (1, 2) is -1, expected a weight of more than 0");
	refuses(false, mtx, "%%MatrixMarket matrix coordinate real general\n5 5 2\n1 2 1\n2 1 3\n",
		5, "the edge of rows 0 and 1 is given with two weights");
	refuses(false, mtx, "%%MatrixMarket matrix array real general\n1 1\n0\n", 5,
		"an array, expected coordinates");
}

/* ---- features ---- */

TEST(features_of_matrix_market)
{
	char *text = many_entries(true);

	same_features("features.mtx",
		      "%%MatrixMarket matrix coordinate real general\n% c\n4 3 5\n4 1 2.5\n1 3 -1\n"
		      "2 2 0\n1 1 1e-3\n4 3 7");
	same_features("features.mtx",
		      "%%MatrixMarket matrix coordinate pattern general\n4 3 3\n1 1\n2 3\n4 1\n");
	same_features("features.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 4\n"
				      "3 1 4\n2 2 5\n3 3 1\n2 1 -2\n");
	same_features("features.mtx",
		      "%%MatrixMarket matrix array real general\n% c\n4 3\n1\n2\n3\n"
		      "4\n5\n\n6\n7\n8\n% d\n9\n10\n11\n12");
	same_features("features.mtx", text);
	free(text);
}

TEST(wrong_features)
{
	static const char name[] = "features.mtx";

	refuses(true, name, "4 3 5\n", 0, "it does not begin with %%MatrixMarket");
	refuses(true, name, "%%MatrixMarket matrix coordinate real general\n4 3 2\n1 1 1\n", 0,
		"it has 1 values, its header promises 2");
	refuses(true, name, "%%MatrixMarket matrix array real general\n2 2\n1\n1\n1\n1\n1\n", 0,
		"it has 5 values, its header promises 4");
	refuses(true, name, "%%MatrixMarket matrix coordinate real general\n4 3 1\n1 4 1\n", 0,
		"the line at byte 52: the column is \"4\", expected a whole number from 1 to 3");
	refuses(true, name, "%%MatrixMarket matrix coordinate real general\n4 3 1\n1 3 inf\n", 0,
		"the line at byte 52");
	refuses(true, name, "%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n1 3 1\n", 0,
		"entry (1, 3) lies above the diagonal of a symmetric matrix");
	refuses(true, name, "%%MatrixMarket matrix coordinate real general\n4 3 2\n1 3 1\n1 3 1\n",
		0, "entry (1, 3) is given twice");
	refuses(true, name, "%%MatrixMarket matrix coordinate real general\n400000 3 1\n1 3 1\n", 0,
		"the header promises 400000 rows");
	refuses(true, "features.npy", "no", 0, "features.npy");
}

/* ---- in the order of ids ---- */

struct renaming {
	struct dataset d; /* read by one process */
	char *features, *edges;
};

static void rename_it(void *arg, struct ranks *R)
{
	const struct renaming *r = arg;
	const struct csr *a = &r->d.g.adjacency, *x = &r->d.X.sparse;
	struct features X;
	struct csr rows;
	uint32_t *place;
	size_t first;

	assert_ok(ranks_read_features(R, r->features, &X));
	assert_ok(ranks_read_edges(R, r->edges, &rows));
	first = R->cut[R->own];
	ALLOC(place, ranks_rows(R));
	for (size_t i = 0; i < r->d.n; i++)
		if (ranks_owner(R, r->d.ids.row[i]) == R->own)
			place[r->d.ids.row[i] - first] = (uint32_t)i;
	ranks_rename(R, place, &X, &rows);
	free(place);
	assert_int_equal(X.is_sparse, r->d.X.is_sparse);
	for (size_t i = 0; i < rows.rows; i++) {
		size_t from = a->start[first + i], count = a->start[first + i + 1] - from;

		assert_int_equal(rows.start[i + 1] - rows.start[i], count);
		if (count) {
			assert_memory_equal(rows.index + rows.start[i], a->index + from,
					    count * sizeof(*a->index));
			assert_memory_equal(rows.value + rows.start[i], a->value + from,
					    count * sizeof(*a->value));
		}
		if (!X.is_sparse) {
			assert_memory_equal(ROW(&X.dense, i), ROW(&r->d.X.dense, first + i),
					    X.dense.cols * sizeof(double));
			continue;
		}
		from = x->start[first + i];
		count = x->start[first + i + 1] - from;
		assert_int_equal(X.sparse.start[i + 1] - X.sparse.start[i], count);
		assert_memory_equal(X.sparse.value + X.sparse.start[i], x->value + from,
				    count * sizeof(*x->value));
	}
	features_release(&X);
	csr_release(&rows);
	ranks_release(R);
}

static void rows_by_ids(const char *features, const char *text)
{
	struct files x = { 0 }, e = { 0 }, ids = { 0 };
	struct renaming r = { 0 };
	struct buf b = { 0 };

	write_as(&x, features, text);
	buf_printf(&b, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", NODES, NODES,
		   NODES);
	for (unsigned i = 0; i < NODES; i++)
		buf_printf(&b, "%u %u %u\n", i + 1, (i * 7 + 1) % NODES + 1, 1 + i % 3);
	buf_add(&b, "", 1);
	write_as(&e, "edges.mtx", (const char *)b.p);
	buf_release(&b);
	for (unsigned i = 0; i < NODES; i++)
		buf_printf(&b, "%u\n", (unsigned)((uint64_t)i * 4099 % NODES));
	buf_add(&b, "", 1);
	write_as(&ids, "ids.txt", (const char *)b.p);
	buf_release(&b);
	r.features = x.path;
	r.edges = e.path;
	assert_ok(dataset_load(&r.d, x.path, e.path, ids.path));
	for (size_t count = 1; count <= 4; count++)
		team(count, rename_it, &r);
	dataset_release(&r.d);
	drop(&ids);
	drop(&e);
	drop(&x);
}

TEST(in_order_of_ids)
{
	char *text = many_entries(true);
	struct buf b = { 0 };

	rows_by_ids("features.mtx", text);
	free(text);
	buf_printf(&b, "%%%%MatrixMarket matrix array real general\n%d 2\n", NODES);
	for (unsigned i = 0; i < 2 * NODES; i++)
		buf_printf(&b, "%u\n", i);
	buf_add(&b, "", 1);
	rows_by_ids("features.mtx", (const char *)b.p);
	buf_release(&b);
}

TESTS_BETWEEN(begin, end)
