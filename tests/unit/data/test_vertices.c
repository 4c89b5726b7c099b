/* Reads a party's data for FedWalk: the vertices it hosts, and edges to vertices of other
 * parties. */
#include "tests/test.h"
#include "tests/unit/data/edge_files.h"

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/data/dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Expects the graph as "a:b,c b*:a c*:a": nodes in order with neighbours; * marks other parties'
 * nodes. */
static void shows(const char *vertices, const char *edges, const char *expected)
{
	struct dataset d;
	char out[512];
	size_t n = 0;

	put(ids, vertices);
	put(tsv, edges);
	assert_ok(dataset_load_vertices(&d, NULL, tsv, ids));
	assert_int_equal(d.ids.n, d.n);
	assert_int_equal(d.g.adjacency.rows, d.n);
	assert_int_equal(d.g.adjacency.cols, d.n);
	for (size_t i = 0; i < d.n; i++) {
		const struct csr *g = &d.g.adjacency;

		n += (size_t)sprintf(out + n, "%s%s%s:", i ? " " : "", d.ids.id[i],
				     d.hosted[i] ? "" : "*");
		for (size_t e = g->start[i]; e < g->start[i + 1]; e++)
			n += (size_t)sprintf(out + n, "%s%s", e > g->start[i] ? "," : "",
					     d.ids.id[g->index[e]]);
		assert_int_equal(
		    ids_find(&d.ids, (struct word){ d.ids.id[i], strlen(d.ids.id[i]) }), i);
	}
	assert_string_equal(out, expected);
	dataset_release(&d);
}

TEST(test_shapes)
{
	shows("a\nb\n", "a b\na c\n", "a:b,c b:a c*:a");
	shows("b\na\n", "a\tc\n", "a:c b: c*:a");
	/* The numbers of vertices without edges lie between those of other vertices. */
	shows("m\nb\nz\nx\n", "m q\nq x\nx m\n", "b: m:q,x q*:m,x x:m,q z:");
	shows("one\n", "# nothing\n", "one:");
	shows("a\n", "a b\nb a\na a\n", "a:b b*:a");
}

static void refuses(const char *vertices, const char *edges, const char *path, const char *why)
{
	struct dataset d;

	put(ids, vertices);
	put(path, edges);
	assert_err(dataset_load_vertices(&d, NULL, path, ids), ERR_INPUT, why);
	assert_null(d.hosted);
	assert_int_equal(d.n, 0);
}

TEST(test_refused)
{
	refuses("a\n", "a b\nb c\n", tsv, "the tie of \"b\" and \"c\" has neither end in");
	refuses("a\n", "a b 2\n", tsv, "ties have weights, which walks do not read");
	refuses("a\na\n", "a b\n", tsv, "ids.txt:2");
	refuses("", "a b\n", tsv, "ids.txt");
	refuses("1\n", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", mtx,
		"expected edges.tsv beside");
}

TESTS_BETWEEN(edge_files, dir_remove)
