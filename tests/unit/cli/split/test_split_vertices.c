/* Splits vertices between parties: each is at one party, together with its edges. */
#include "tests/test.h"
#include "tests/unit/cli/commands.h"
#include "tests/unit/cli/split/split_dirs.h"

#include "cli/args/args.h"
#include "cli/split/split_parties.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/data/dataset.h"

static struct split_params by_vertices(size_t parties)
{
	return (struct split_params){
		.by = SPLIT_VERTICES, .parties = parties, .seed = 3, .data = data, .out = out
	};
}

/* Returns the text of a file of party l; the next call frees it. */
static const char *party_file(const struct split_params *p, uint32_t l, const char *name)
{
	static struct buf text;
	char *party = split_party_dir(p, l), *path = file_join(party, name);

	buf_release(&text);
	assert_ok(file_read(path, 1 << 20, &text));
	free(path);
	free(party);
	return (const char *)text.p;
}

/* A party gets its own vertices and all their edges. An edge between vertices of two parties is at
 * both. */
TEST_WITH(test_each_has_its_ties, split_dirs, dir_remove)
{
	enum { N = 40, L = 3 };
	struct split_params p = by_vertices(L);
	struct buf edges = { 0 }, ids = { 0 }, labels = { 0 };
	size_t hosted[N] = { 0 }, degree[N] = { 0 };

	for (unsigned i = 0; i < N; i++) { /* the last vertex has no edges */
		buf_printf(&ids, "v%02u\n", N - 1 - i);
		buf_printf(&labels, "%u %u\n", N - 1 - i, i % 4);
		for (unsigned j = i + 1; j < N - 1; j++)
			if ((i * 5 + j) % 7 == 0)
				buf_printf(&edges, "v%02u v%02u\n", i, j);
	}
	buf_add(&edges, "", 1);
	buf_add(&ids, "", 1);
	buf_add(&labels, "", 1);
	put_data("edges.tsv", (const char *)edges.p);
	put_data("ids.txt", (const char *)ids.p);
	put_data("labels.txt", (const char *)labels.p);
	assert_ok(split_data(&p));
	for (uint32_t l = 0; l < L; l++) {
		char *party = split_party_dir(&p, l), *e = file_join(party, "edges.tsv"),
		     *v = file_join(party, "ids.txt");
		const char *label;
		struct dataset d;
		unsigned own = 0, number, class;

		assert_ok(dataset_load_vertices(&d, NULL, e, v));
		for (size_t i = 0; i < d.n; i++) {
			sscanf(d.ids.id[i], "v%u", &number);
			own += d.hosted[i];
			hosted[number] += d.hosted[i];
			if (d.hosted[i])
				degree[number] =
				    d.g.adjacency.start[i + 1] - d.g.adjacency.start[i];
		}
		assert_true(own == N / L || own == N / L + 1);
		dataset_release(&d);
		free(v);
		free(e);
		free(party);
		/* Labels are in the order of the ids. */
		label = party_file(&p, l, "labels.txt");
		for (unsigned i = 0; i < own; i++) {
			assert_int_equal(sscanf(label, "%u %u", &number, &class), 2);
			assert_int_equal(class, (N - 1 - number) % 4);
			label = strchr(label, '\n') + 1;
		}
		assert_int_equal(*label, 0);
	}
	for (unsigned i = 0; i < N; i++) {
		size_t expected = 0;

		for (unsigned j = 0; j < N - 1 && i < N - 1; j++)
			expected += i != j && ((i < j ? i * 5 + j : j * 5 + i) % 7) == 0;
		assert_int_equal(hosted[i], 1);
		assert_int_equal(degree[i], expected);
	}
	buf_release(&edges);
	buf_release(&ids);
	buf_release(&labels);
}

/* Without ids, vertices are the lines of labels.txt, which may have any text. */
TEST_WITH(test_vertices_without_ids, split_dirs, dir_remove)
{
	struct split_params p = by_vertices(1);

	put_data("edges.tsv", "0 1\n1 2\n");
	put_data("labels.txt", "5 7\n\n1\n9\n");
	assert_ok(split_data(&p));
	assert_string_equal(party_file(&p, 0, "ids.txt"), "0\n1\n2\n3\n");
	assert_string_equal(party_file(&p, 0, "edges.tsv"), "0\t1\n1\t2\n");
	assert_string_equal(party_file(&p, 0, "labels.txt"), "5 7\n\n1\n9\n");
}

TEST_WITH(test_refused, split_dirs, dir_remove)
{
	struct split_params p = by_vertices(3);

	put_data("edges.tsv", "0 1 2.5\n");
	assert_err(split_data(&p), ERR_INPUT, "ties have weights");
	put_data("edges.tsv", "a b\n");
	assert_err(split_data(&p), ERR_INPUT, "2 vertices, expected at least one for each of 3");
	put_data("ids.txt", "a\nb\nc\n");
	put_data("labels.txt", "1\n2\n");
	assert_err(split_data(&p), ERR_INPUT, "2 lines, expected 3");
	expect_command(split_main, "--by vertices --parties 2 --data x --out y --regions", 4,
		       "--regions is for --by edges, not for vertices");
}
