/* A dataset cut to some of its rows equals a dataset from files that have only these rows, in that
 * order. */
#include "tests/test.h"
#include "tests/unit/dir.h"

#include "common/base/file.h"
#include "common/base/rng.h"
#include "common/data/cut.h"
#include "common/data/labels.h"

static char features[64], edges[64], ids[64];

static void load(struct dataset *d, const char *suffix, const char *X, const char *E,
		 const char *names)
{
	snprintf(features, sizeof(features), "%s/features.%s", dir, suffix);
	snprintf(edges, sizeof(edges), "%s/edges.%s", dir, *E == '%' ? "mtx" : "tsv");
	snprintf(ids, sizeof(ids), "%s/ids.txt", dir);
	put(features, X);
	put(edges, E);
	if (names)
		put(ids, names);
	assert_ok(dataset_load(d, features, edges, names ? ids : NULL));
}

#define EDGES "e a 2\na b 1\nb d 4\nd c 0.5\nc a 3\n"
static const char ids_of_five[] = "c\na\ne\nb\nd\n";

/* Sorted by id the rows are a b c d e; the cut keeps d, a and c. */
static void check(struct dataset *d)
{
	static const uint32_t row[] = { 3, 0, 2 }, label[] = { 7, 8, 9 };
	static const uint32_t neighbour[] = { 2, 2, 0, 1 };
	static const double weight[] = { .5, 3, .5, 3 };
	static const size_t start[] = { 0, 1, 2, 4 };
	struct cut left = dataset_cut(d, row, 3);
	char path[64];
	struct labels l;

	assert_int_equal(left.rows, 2);
	assert_int_equal(left.edges, 3); /* dropped: e-a, a-b, b-d */
	assert_int_equal(d->n, 3);
	assert_int_equal(features_rows(&d->X), 3);
	assert_int_equal(d->g.adjacency.rows, 3);
	assert_memory_equal(d->g.adjacency.start, start, sizeof(start));
	assert_memory_equal(d->g.adjacency.index, neighbour, sizeof(neighbour));
	assert_memory_equal(d->g.adjacency.value, weight, sizeof(weight));
	assert_true(d->g.inv_sqrt_deg[0] * d->g.inv_sqrt_deg[0] * 1.5 > .999999);
	assert_true(d->has_ids);
	assert_string_equal(d->ids.id[0], "d");
	assert_string_equal(d->ids.id[1], "a");
	assert_string_equal(d->ids.id[2], "c");
	assert_int_equal(ids_find(&d->ids, (struct word){ "c", 1 }), 2);
	assert_int_equal(ids_find(&d->ids, (struct word){ "b", 1 }), SIZE_MAX);
	snprintf(path, sizeof(path), "%s/l.csv", dir);
	assert_ok(dataset_write_labels(path, NULL, d, label, NULL));
	assert_ok(labels_read(path, &l));
	assert_memory_equal(l.label, label, sizeof(label));
	assert_string_equal(l.id[0], "d");
	labels_release(&l);
}

TEST(test_dense)
{
	struct dataset d;

	load(&d, "csv", "3,30\n1,10\n5,50\n2,20\n4,40\n", EDGES, ids_of_five);
	check(&d);
	assert_true(MAT(&d.X.dense, 0, 0) == 4 && MAT(&d.X.dense, 0, 1) == 40);
	assert_true(MAT(&d.X.dense, 1, 0) == 1 && MAT(&d.X.dense, 2, 1) == 30);
	dataset_release(&d);
}

TEST(test_sparse)
{
	static const size_t start[] = { 0, 2, 2, 3 };
	static const uint32_t index[] = { 0, 2, 1 };
	static const double value[] = { 4, 6, 3 };
	struct dataset d;

	/* Entries (column, value): c (1, 3); a none; e (2, 9); b (0, 8); d (0, 4), (2, 6). */
	load(&d, "mtx",
	     "%%MatrixMarket matrix coordinate real general\n5 3 5\n1 2 3\n3 3 9\n4 1 8\n5 1 4\n5 "
	     "3 6\n",
	     EDGES, ids_of_five);
	check(&d);
	assert_memory_equal(d.X.sparse.start, start, sizeof(start));
	assert_memory_equal(d.X.sparse.index, index, sizeof(index));
	assert_memory_equal(d.X.sparse.value, value, sizeof(value));
	dataset_release(&d);
}

/* Cuts data without features to all rows in another order, and data without edges to one row. */
TEST(test_parts)
{
	static const uint32_t row[] = { 1, 2, 0 };
	struct dataset d;
	struct cut left;

	load(&d, "csv", "1\n2\n3\n", "x y\ny z\n", "z\ny\nx\n");
	dataset_release(&d);
	assert_ok(dataset_load(&d, NULL, edges, ids));
	left = dataset_cut(&d, row, 3);
	assert_int_equal(left.rows + left.edges, 0);
	assert_string_equal(d.ids.id[0], "y");
	assert_int_equal(d.g.adjacency.start[1], 2);
	dataset_release(&d);
	assert_ok(dataset_load(&d, features, NULL, ids));
	left = dataset_cut(&d, row, 1);
	assert_int_equal(left.rows, 2);
	assert_true(features_rows(&d.X) == 1 && MAT(&d.X.dense, 0, 0) == 2);
	assert_int_equal(d.g.adjacency.rows, 0);
	dataset_release(&d);
}

/* Writes files with the first n rows of `order`, called r00, r01, .., and loads them. */
enum { N = 60 };
static void write_rows(const uint32_t *order, size_t n, const char *suffix, struct dataset *d)
{
	struct buf X = { 0 }, E = { 0 }, names = { 0 };
	bool sparse = !strcmp(suffix, "mtx");

	if (sparse)
		buf_printf(&X, "%%%%MatrixMarket matrix coordinate real general\n%zu 3 %zu\n", n,
			   2 * n);
	for (size_t r = 0; r < n; r++) {
		unsigned x = order[r];

		if (sparse)
			buf_printf(&X, "%zu %u %u.5\n%zu 3 %u\n", r + 1, x % 2 + 1, x, r + 1,
				   x + 1);
		else
			buf_printf(&X, "%u.5,%u\n", x, x * x);
		buf_printf(&names, "r%02zu\n", r);
		for (size_t q = 0; q < r; q++)
			if ((x + order[q]) % 5 == 0)
				buf_printf(&E, "r%02zu r%02zu %u.25\n", q, r,
					   (x + order[q]) % 7 + 1);
	}
	buf_add(&X, "", 1);
	buf_add(&E, "", 1);
	buf_add(&names, "", 1);
	load(d, suffix, (char *)X.p, (char *)E.p, (char *)names.p);
	buf_release(&X);
	buf_release(&E);
	buf_release(&names);
}

static void same_csr(const struct csr *a, const struct csr *b)
{
	assert_int_equal(a->rows, b->rows);
	assert_int_equal(a->cols, b->cols);
	assert_memory_equal(a->start, b->start, (a->rows + 1) * sizeof(*a->start));
	assert_memory_equal(a->index, b->index, a->start[a->rows] * sizeof(*a->index));
	assert_int_equal(!a->value, !b->value);
	if (a->value)
		assert_memory_equal(a->value, b->value, a->start[a->rows] * sizeof(*a->value));
}

TEST(test_as_by_hand)
{
	uint32_t all[N], order[N];
	struct rng rng;

	rng_seed(&rng, 9, 0);
	for (uint32_t i = 0; i < N; i++)
		all[i] = order[i] = i;
	for (int round = 0; round < 8; round++) {
		size_t n = round ? 1 + rng_below(&rng, N) : N;
		const char *suffix = round % 2 ? "mtx" : "csv";
		struct dataset whole, hand;
		struct cut left;

		rng_shuffle(&rng, order, N);
		write_rows(all, N, suffix, &whole);
		write_rows(order, n, suffix, &hand);
		left = dataset_cut(&whole, order, n);
		assert_int_equal(left.rows, N - n);
		if (whole.X.is_sparse)
			same_csr(&whole.X.sparse, &hand.X.sparse);
		else
			assert_memory_equal(whole.X.dense.a, hand.X.dense.a,
					    n * hand.X.dense.cols * sizeof(double));
		same_csr(&whole.g.adjacency, &hand.g.adjacency);
		assert_memory_equal(whole.g.inv_sqrt_deg, hand.g.inv_sqrt_deg, n * sizeof(double));
		dataset_release(&whole);
		dataset_release(&hand);
	}
}

TESTS_BETWEEN(dir_make, dir_remove)
