/* Loads features, edges and ids; any order of the same rows gives the same dataset. */
#include "tests/test.h"
#include "tests/unit/data/files.h"
#include "tests/unit/dir.h"

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/rng.h"
#include "common/data/dataset.h"
#include "common/data/labels.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
static char features[64], edges[64], ids[64];

static int make(void **state)
{
	if (dir_make(state))
		return -1;
	snprintf(edges, sizeof(edges), "%s/edges.tsv", dir);
	snprintf(ids, sizeof(ids), "%s/ids.txt", dir);
	return 0;
}

static void features_are(const char *suffix, const char *text)
{
	snprintf(features, sizeof(features), "%s/features.%s", dir, suffix);
	put(features, text);
}

static void feed(void *arg, const void *p, size_t n)
{
	buf_add(arg, p, n);
}

/* Writes the graph with N rows in this order and loads it. Row r has features r + 1 and r^2 + 1. */
enum { N = 40 };
static void load_in_order(const uint32_t *order, const char *suffix, struct dataset *d)
{
	struct buf f = { 0 }, e = { 0 }, i = { 0 };

	if (!strcmp(suffix, "mtx"))
		buf_printf(&f, "%%%%MatrixMarket matrix coordinate real general\n%d 2 %d\n", N,
			   2 * N);
	for (uint32_t r = 0; r < N; r++) {
		unsigned x = order[r];

		if (!strcmp(suffix, "mtx"))
			buf_printf(&f, "%u 1 %u\n%u 2 %u\n", r + 1, x + 1, r + 1, x * x + 1);
		else
			buf_printf(&f, "%u,%u\n", x + 1, x * x + 1);
		buf_printf(&i, "n%u\n", x);
		buf_printf(&e, "n%u\tn%u\n", x, (x + 1) % N);
		if (x % 3)
			buf_printf(&e, "n%u\tn%u\n", (x * 7) % N, x);
	}
	buf_add(&f, "", 1);
	buf_add(&i, "", 1);
	buf_add(&e, "", 1);
	features_are(suffix, (char *)f.p);
	put(ids, (char *)i.p);
	put(edges, (char *)e.p);
	assert_ok(dataset_load(d, features, edges, ids));
	buf_release(&f);
	buf_release(&e);
	buf_release(&i);
}

static double feature(const struct dataset *d, size_t i, size_t j)
{
	if (!d->X.is_sparse)
		return MAT(&d->X.dense, i, j);
	assert_int_equal(d->X.sparse.start[i + 1] - d->X.sparse.start[i], 2);
	return d->X.sparse.value[d->X.sparse.start[i] + j];
}

TEST(test_order_does_not_matter)
{
	struct buf id_bytes[2] = { 0 }, edge_bytes[2] = { 0 };
	uint32_t order[N], label[N];
	struct rng rng;

	rng_seed(&rng, 5, 0);
	for (uint32_t i = 0; i < N; i++)
		order[i] = i;
	for (int round = 0; round < 6; round++) {
		struct dataset d;
		struct labels l;
		char csv[64], npy[64];

		load_in_order(order, round % 2 ? "mtx" : "csv", &d);
		assert_int_equal(d.n, N);
		for (size_t i = 0; i < N; i++) { /* row i belongs to its id */
			unsigned x = (unsigned)atoi(d.ids.id[i] + 1);

			assert_true(feature(&d, i, 0) == x + 1 && feature(&d, i, 1) == x * x + 1);
			assert_int_equal(order[d.ids.row[i]], x);
			label[i] = x;
		}
		id_bytes[1].n = edge_bytes[1].n = 0;
		dataset_feed_ids(&d, feed, &id_bytes[round > 0]);
		dataset_feed_edges(&d, feed, &edge_bytes[round > 0]);
		if (round) {
			assert_int_equal(id_bytes[0].n, id_bytes[1].n);
			assert_memory_equal(id_bytes[0].p, id_bytes[1].p, id_bytes[0].n);
			assert_int_equal(edge_bytes[0].n, edge_bytes[1].n);
			assert_memory_equal(edge_bytes[0].p, edge_bytes[1].p, edge_bytes[0].n);
		}
		/* Labels are written in the order of the files. */
		snprintf(csv, sizeof(csv), "%s/l.csv", dir);
		snprintf(npy, sizeof(npy), "%s/l.npy", dir);
		assert_ok(dataset_write_labels(csv, NULL, &d, label, NULL));
		assert_ok(labels_read(csv, &l));
		for (size_t r = 0; r < N; r++) {
			assert_int_equal(l.label[r], order[r]);
			assert_int_equal(atoi(l.id[r] + 1), order[r]);
		}
		labels_release(&l);
		assert_ok(dataset_write_labels(NULL, npy, &d, label, NULL));
		assert_ok(labels_read(npy, &l));
		assert_memory_equal(l.label, order, sizeof(order));
		labels_release(&l);
		dataset_release(&d);
		rng_shuffle(&rng, order, N);
	}
	for (int i = 0; i < 2; i++) {
		buf_release(&id_bytes[i]);
		buf_release(&edge_bytes[i]);
	}
}

static void bytes_of(const char *id_text, const char *edge_text, struct buf *of_ids,
		     struct buf *of_edges)
{
	struct dataset d;

	features_are("csv", "1\n2\n3\n");
	put(edges, edge_text);
	if (id_text)
		put(ids, id_text);
	assert_ok(dataset_load(&d, features, edges, id_text ? ids : NULL));
	dataset_feed_ids(&d, feed, of_ids);
	dataset_feed_edges(&d, feed, of_edges);
	dataset_release(&d);
}

TEST(test_different_data_feed_different_bytes)
{
	static const struct {
		const char *ids, *edges;
		bool same_ids, same_edges;
	} cases[] = {
		{ "a\nb\nc\n", "a b\n", true, true },    { "a\nb\nd\n", "a b\n", false, true },
		{ "a\nb\nc\n", "a c\n", true, false },   { "a\nb\nc\n", "a b\nb c\n", true, false },
		{ "a\nb\nc\n", "a b 2\n", true, false }, { NULL, "0 1\n", false, true },
		{ "0\n1\n2\n", "0 1\n", false, true },   { "c\na\nb\n", "b a\n", true, true },
		{ "ab\nc\nd\n", "ab c\n", false, true }, { "a\nbc\nd\n", "a bc\n", false, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buf a[2] = { 0 }, b[2] = { 0 };

		bytes_of(cases[0].ids, cases[0].edges, &a[0], &a[1]);
		bytes_of(cases[i].ids, cases[i].edges, &b[0], &b[1]);
		for (int j = 0; j < 2; j++) {
			bool same = a[j].n == b[j].n && !memcmp(a[j].p, b[j].p, a[j].n);

			if (same != (j ? cases[i].same_edges : cases[i].same_ids))
				fail_msg("case %zu: %s %s", i, j ? "edges" : "ids",
					 same ? "are the same" : "differ");
			buf_release(&a[j]);
			buf_release(&b[j]);
		}
	}
}

/* The bytes to hash separate ids: "ab", "c" and "a", "bc" give different bytes. */
TEST(test_ids_do_not_run_together)
{
	struct buf a[2] = { 0 }, b[2] = { 0 };

	bytes_of("ab\nc\nd\n", "", &a[0], &a[1]);
	bytes_of("a\nbc\nd\n", "", &b[0], &b[1]);
	assert_false(a[0].n == b[0].n && !memcmp(a[0].p, b[0].p, a[0].n));
	for (int j = 0; j < 2; j++) {
		buf_release(&a[j]);
		buf_release(&b[j]);
	}
}

TEST(test_files_that_do_not_fit)
{
	struct dataset d;

	features_are("csv", "1,2\n3,4\n5,6\n");
	put(ids, "a\nb\n");
	put(edges, "a b\n");
	assert_err(dataset_load(&d, features, edges, ids), ERR_INPUT,
		   "ids.txt: 2 ids, expected 3 as ");
	assert_null(d.X.dense.a);
	put(edges, "0 3\n");
	assert_err(dataset_load(&d, features, edges, NULL), ERR_INPUT,
		   "edges.tsv:1: the node is \"3\", expected a whole number from 0 to 2");
	assert_err(dataset_load(&d, "/x/f.npy", edges, NULL), ERR_INPUT, "/x/f.npy: No such file");
	assert_err(dataset_load(&d, "/x/f.json", edges, NULL), ERR_INPUT,
		   "expected features in a file .npy, .mtx, .csv or .tsv");
	/* The file states huge sizes and one entry, and is long enough to pass the check of its
	 * length. */
	{
		struct buf text = { 0 };

		buf_printf(&text,
			   "%%%%MatrixMarket matrix coordinate real general\n%%%*s\n20000000 "
			   "50000000 1\n1 1 1\n",
			   100000, "");
		buf_add(&text, "", 1);
		features_are("mtx", (char *)text.p);
		assert_err(
		    dataset_load(&d, features, edges, NULL), ERR_INPUT,
		    "features.mtx: its dense matrix takes 8000000.0 GB of memory, this process "
		    "may use ");
		buf_release(&text);
	}
}

TEST(test_dropped_edges_are_said)
{
	char log[64], *text;
	struct dataset d;
	struct buf b = { 0 };
	int fd;

	snprintf(log, sizeof(log), "%s/log", dir);
	fd = open(log, O_RDWR | O_CREAT, 0600);
	log_set_stream(fd, false);
	features_are("csv", "1\n2\n3\n");
	put(edges, "0 1\n1 1\n1 0\n0 1\n");
	assert_ok(dataset_load(&d, features, edges, NULL));
	dataset_release(&d);
	log_set_stream(STDERR_FILENO, false);
	close(fd);
	assert_ok(file_read(log, 10000, &b));
	text = (char *)b.p;
	assert_non_null(strstr(text, "\"warn\""));
	assert_non_null(strstr(text, "dropped 1 self-loops and 2 lines that repeat an edge"));
	buf_release(&b);
}

TEST(test_find)
{
	struct dataset_files f;
	char path[80];

	snprintf(path, sizeof(path), "rm -f %s/*", dir);
	assert_int_equal(system(path), 0);
	assert_err(dataset_find(dir, DATASET_BOTH, &f), ERR_INPUT,
		   "no features.mtx, features.npy or features.csv");
	features_are("csv", "1\n");
	assert_err(dataset_find(dir, DATASET_BOTH, &f), ERR_INPUT,
		   "no edges.tsv, edges.mtx or edges.csv");
	put(edges, "");
	assert_ok(dataset_find(dir, DATASET_BOTH, &f));
	assert_string_equal(f.features, features);
	assert_string_equal(f.edges, edges);
	assert_null(f.ids);
	assert_null(f.labels);
	dataset_files_release(&f);
	put(ids, "a\n");
	assert_ok(dataset_find(dir, DATASET_BOTH, &f));
	assert_string_equal(f.ids, ids);
	dataset_files_release(&f);
	features_are("npy", "");
	assert_err(dataset_find(dir, DATASET_BOTH, &f), ERR_INPUT,
		   "are both there, expected one of them");
}

/* Real data, if present, have the published numbers of nodes, columns and edges. */
TEST(test_published_sizes)
{
	const char *data = getenv("COTERIE_DATA");
	static const struct {
		const char *name;
		size_t n, m, edges;
	} sets[] = { { "cora", 2708, 1433, 5278 },
		     { "citeseer", 3327, 3703, 4552 },
		     { "wiki", 2405, 4973, 11596 } };

	data = data ? data : "../shared/data";
	for (size_t i = 0; i < 3; i++) {
		struct dataset_files f;
		struct dataset d;
		char path[512];

		snprintf(path, sizeof(path), "%s/%s", data, sets[i].name);
		if (!file_exists(path))
			skip();
		assert_ok(dataset_find(path, DATASET_BOTH, &f));
		assert_ok(dataset_load(&d, f.features, f.edges, f.ids));
		assert_int_equal(d.n, sets[i].n);
		assert_int_equal(features_cols(&d.X), sets[i].m);
		assert_int_equal(d.g.adjacency.start[d.n], 2 * sets[i].edges);
		dataset_release(&d);
		dataset_files_release(&f);
	}
}

TESTS_BETWEEN(make, dir_remove)
