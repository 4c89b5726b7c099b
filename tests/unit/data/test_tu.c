/* Reads sets of graphs in the TU format, and refuses broken ones with the place of the error. */
#include "tests/test.h"
#include "tests/unit/data/files.h"
#include "tests/unit/dir.h"

#include "common/base/file.h"
#include "common/data/tu.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* There are three graphs: a triangle, a path of two nodes and a single node. */
#define INDICATOR "1\n1\n1\n2\n2\n3\n"
#define EDGES     "1, 2\n2, 1\n2, 3\n3, 2\n1, 3\n3, 1\n4, 5\n5, 4\n"

static enum err parse(const char *indicator, const char *edges, const char *attributes,
		      const char *labels, struct tu *tu)
{
	struct tu_files f = { .indicator = exact_text(indicator), .edges = exact_text(edges) };
	enum err err;

	if (attributes)
		f.attributes = exact_text(attributes);
	if (labels)
		f.labels = exact_text(labels);
	err = tu_parse(&f, "S", tu);
	free((void *)(uintptr_t)f.indicator.p);
	free((void *)(uintptr_t)f.edges.p);
	free((void *)(uintptr_t)f.attributes.p);
	free((void *)(uintptr_t)f.labels.p);
	return err;
}

TEST(test_set_is_read)
{
	static const uint32_t index[] = { 1, 2, 0, 2, 0, 1, 4, 3 };
	static const size_t start[] = { 0, 2, 4, 6, 7, 8, 8 };
	uint32_t label[3];
	size_t classes;
	struct tu tu;

	assert_ok(parse(INDICATOR, EDGES, "0.5,1\n 1 , 2\n3,4\n5 6\n7,\t8\n-9e2,1e-3\r\n",
			"1\n-1\n1\n", &tu));
	assert_int_equal(tu.graphs.count, 3);
	assert_int_equal(graphs_nodes(&tu.graphs), 6);
	assert_int_equal(tu.graphs.first[1], 3);
	assert_int_equal(tu.graphs.first[2], 5);
	assert_memory_equal(tu.graphs.A.start, start, sizeof(start));
	assert_memory_equal(tu.graphs.A.index, index, sizeof(index));
	assert_null(tu.graphs.A.value);
	assert_int_equal(tu.edgeless, 1);
	assert_int_equal(tu.twice + tu.loops, 0);
	assert_int_equal(tu.graphs.attribute.cols, 2);
	assert_true(MAT(&tu.graphs.attribute, 5, 0) == -900);
	assert_true(MAT(&tu.graphs.attribute, 1, 1) == 2);
	tu_classes(&tu, label, &classes);
	assert_int_equal(classes, 2);
	assert_int_equal(label[0], 1);
	assert_int_equal(label[1], 0);
	tu_release(&tu);
}

/* An edge may be given in one direction or both. Repeated edges and self-loops are dropped and
 * counted. */
TEST(test_edges)
{
	struct tu one, other;

	assert_ok(parse(INDICATOR, EDGES, NULL, NULL, &one));
	assert_ok(parse(INDICATOR, "3 1\n2,1\n1,2\n2,3\n\n5,4\n2,2\n5,4\n2,3\n2,3\n", NULL, NULL,
			&other));
	assert_int_equal(other.loops, 1);
	assert_int_equal(other.twice, 3);
	assert_memory_equal(one.graphs.A.start, other.graphs.A.start, 7 * sizeof(size_t));
	assert_memory_equal(one.graphs.A.index, other.graphs.A.index, 8 * sizeof(uint32_t));
	assert_null(one.class);
	assert_int_equal(one.graphs.attribute.cols, 0);
	tu_release(&one);
	tu_release(&other);
}

static void fails(const char *indicator, const char *edges, const char *attributes,
		  const char *labels, const char *sentence)
{
	struct tu tu;

	assert_err(parse(indicator, edges, attributes, labels, &tu), ERR_INPUT, sentence);
	assert_null(tu.graphs.first);
	assert_null(tu.graphs.attribute.a);
}

TEST(test_indicator)
{
	fails("", EDGES, NULL, NULL, "S_graph_indicator.txt: has no nodes");
	fails("1\n2\n1\n", "1,2\n", NULL, NULL,
	      "S_graph_indicator.txt:3: a node of graph 1 after nodes of graph 2");
	fails("1\n1\n3\n", "1,2\n", NULL, NULL, "S_graph_indicator.txt:3: graph 2 has no nodes");
	fails("2\n", "1,1\n", NULL, NULL, "graph 1 has no nodes");
	fails("0\n", "1,1\n", NULL, NULL, "from 1 to");
	fails("1\nx\n", "1,1\n", NULL, NULL, "S_graph_indicator.txt:2: graph is \"x\"");
	fails("1\n1 1\n", "1,2\n", NULL, NULL, "more than expected");
	fails("1\n99999999999999999999\n", "1,2\n", NULL, NULL, "S_graph_indicator.txt:2");
}

TEST(test_wrong_edges)
{
	fails(INDICATOR, "", NULL, NULL, "S_A.txt: has no edges");
	fails(INDICATOR, "1,1\n", NULL, NULL, "S_A.txt: has no edges");
	fails(INDICATOR, "1,2\n3,4\n", NULL, NULL, "S_A.txt:2: an edge from graph 1 to graph 2");
	fails(INDICATOR, "1,2\n4,7\n", NULL, NULL, "S_A.txt:2: \"7\" is no node: they are 1 to 6");
	fails(INDICATOR, "0,2\n", NULL, NULL, "\"0\" is no node");
	fails(INDICATOR, "1,2\n1\n", NULL, NULL, "S_A.txt:2: the line ends where a node");
	fails(INDICATOR, "1,2\n1,\n", NULL, NULL, "S_A.txt:2: the line ends where a node");
	fails(INDICATOR, "1,,2\n", NULL, NULL, "the line ends where a node");
	fails(INDICATOR, "1,2,3\n", NULL, NULL, "S_A.txt:1: \",3\" is more than expected");
	fails(INDICATOR, "1,nan\n", NULL, NULL, "\"nan\" is no node");
	fails(INDICATOR, "1,-2\n", NULL, NULL, "\"-2\" is no node");
}

TEST(test_wrong_attributes)
{
	fails(INDICATOR, EDGES, "1,2\n1,2\n1\n1,2\n1,2\n1,2\n", NULL,
	      "S_node_attributes.txt:3: 1 attributes, 2 in the lines before");
	fails(INDICATOR, EDGES, "1\n2\n3\n4\n5\n", NULL,
	      "S_node_attributes.txt: cut off: attributes of 5 nodes of 6");
	fails(INDICATOR, EDGES, "1\n2\n3\n4\n5\n6\n7\n", NULL, "of more nodes than the 6");
	fails(INDICATOR, EDGES, "1\nnan\n3\n4\n5\n6\n", NULL,
	      "S_node_attributes.txt:2: \"nan\" is no number");
	fails(INDICATOR, EDGES, "1\n2\n3\n1e999\n5\n6\n", NULL, "S_node_attributes.txt:4");
	fails(INDICATOR, EDGES, "1\n2\n3\n-1e31\n5\n6\n", NULL, "within +-1e30");
	fails(INDICATOR, EDGES, "1\n2\n3,\n4\n5\n6\n", NULL, "\",\" is more than expected");
	fails(INDICATOR, EDGES, "1 2 3 4 5 6\n", NULL, "cut off: 12 bytes for 6 nodes of 6");
	fails(INDICATOR, EDGES, "", NULL, "attributes of 0 nodes of 6");
}

TEST(test_wrong_labels)
{
	fails(INDICATOR, EDGES, NULL, "1\n2\n",
	      "S_graph_labels.txt: cut off: labels of 2 graphs of 3");
	fails(INDICATOR, EDGES, NULL, "1\n2\n3\n4\n", "more graphs than the 3");
	fails(INDICATOR, EDGES, NULL, "1\n2.5\n3\n", "2.5 is no class");
	fails(INDICATOR, EDGES, NULL, "1\n1e9\n3\n", "is no class");
	fails(INDICATOR, EDGES, NULL, "1\nx\n3\n", "S_graph_labels.txt:2");
}

/* Refuses a truncated file, or reads a consistent set. */
TEST(test_cut_off_anywhere)
{
	for (size_t cut = 0; cut < strlen(EDGES); cut++) {
		char edges[sizeof(EDGES)];
		struct tu tu;

		memcpy(edges, EDGES, cut);
		edges[cut] = 0;
		if (parse(INDICATOR, edges, NULL, NULL, &tu) != ERR_OK)
			continue;
		for (size_t e = 0; e < tu.graphs.A.start[6]; e++)
			assert_true(tu.graphs.A.index[e] < 6);
		tu_release(&tu);
	}
}

TEST_WITH(test_directory, dir_make, dir_remove)
{
	struct tu tu;

	assert_err(tu_read(dir, &tu), ERR_INPUT, "0 files *_graph_indicator.txt");
	put(in("A_B_graph_indicator.txt"), INDICATOR);
	assert_err(tu_read(dir, &tu), ERR_INPUT, "A_B_A.txt");
	put(in("A_B_A.txt"), EDGES);
	assert_ok(tu_read(dir, &tu));
	assert_int_equal(tu.graphs.count, 3);
	tu_release(&tu);
	put(in("A_B_graph_labels.txt"), "1\n");
	assert_err(tu_read(dir, &tu), ERR_INPUT, dir);
	put(in("C_graph_indicator.txt"), INDICATOR);
	assert_err(tu_read(dir, &tu), ERR_INPUT, "2 files *_graph_indicator.txt");
	assert_err(tu_read("/nonexistent", &tu), ERR_INPUT, "cannot be read as a directory");
}

/* Real sets, if present, have the published sizes. */
TEST(test_published)
{
	static const struct {
		const char *name;
		size_t graphs, nodes, edges, width, classes;
	} set[] = {
		{ "MUTAG", 188, 3371, 3721, 0, 2 },
		{ "AIDS", 2000, 31385, 32390, 4, 2 },
		{ "Letter-med", 2250, 10518, 7213, 2, 15 },
	};
	const char *data = getenv("COTERIE_DATA");

	for (size_t i = 0; i < 3; i++) {
		char path[512];
		uint32_t *label;
		size_t classes;
		struct tu tu;

		snprintf(path, sizeof(path), "%s/tu/%s", data ? data : "../shared/data",
			 set[i].name);
		if (access(path, R_OK) != 0)
			skip();
		assert_ok(tu_read(path, &tu));
		assert_int_equal(tu.graphs.count, set[i].graphs);
		assert_int_equal(graphs_nodes(&tu.graphs), set[i].nodes);
		assert_int_equal(tu.graphs.A.start[set[i].nodes], 2 * set[i].edges);
		assert_int_equal(tu.graphs.attribute.cols, set[i].width);
		ALLOC(label, tu.graphs.count);
		tu_classes(&tu, label, &classes);
		assert_int_equal(classes, set[i].classes);
		free(label);
		tu_release(&tu);
	}
}
