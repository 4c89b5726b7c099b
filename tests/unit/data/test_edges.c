/* Reads graphs from files: symmetric, sorted, each edge once. Refuses lines that are not edges. */
#include "tests/test.h"
#include "tests/unit/data/files.h"

#include "common/base/rng.h"
#include "common/base/progress.h"
#include "common/data/csv.h"
#include "common/data/edges.h"
#include "common/data/mtx.h"

#include <stdio.h>
#include <unistd.h>

static struct edges_dropped dropped;

static enum err parse(const char *text, size_t n, const struct ids *ids, struct csr *g)
{
	struct bytes b = exact_text(text);
	enum err err = edges_parse_tsv(b, "e.tsv", n, ids, g, &dropped);

	free((void *)(uintptr_t)b.p);
	return err;
}

/* Returns the graph as "0:1,2 1:0 ...". */
static char *shown(const struct csr *g)
{
	static char out[512];
	size_t n = 0;

	out[0] = 0;
	for (size_t i = 0; i < g->rows; i++) {
		n += (size_t)sprintf(out + n, "%s%zu:", i ? " " : "", i);
		for (size_t e = g->start[i]; e < g->start[i + 1]; e++)
			n += (size_t)sprintf(out + n, "%s%u", e > g->start[i] ? "," : "",
					     g->index[e]);
	}
	return out;
}

TEST(test_row_numbers)
{
	struct csr g;

	assert_ok(parse("# graph\n2\t0\n0 1 \n\n1\t2\r\n1 1\n2 1\n0 2\n3 3", 4, NULL, &g));
	assert_string_equal(shown(&g), "0:1,2 1:0,2 2:0,1 3:");
	assert_null(g.value);
	assert_int_equal(dropped.loops, 2);
	assert_int_equal(dropped.repeated, 2);
	csr_release(&g);
	assert_ok(parse("", 2, NULL, &g)); /* a graph without edges */
	assert_string_equal(shown(&g), "0: 1:");
	csr_release(&g);
}

TEST(test_weights)
{
	struct csr g;

	assert_ok(parse("0 1 2.5\n1 2\n1 0 2.5\n", 3, NULL, &g));
	assert_string_equal(shown(&g), "0:1 1:0,2 2:1");
	assert_true(g.value[0] == 2.5 && g.value[1] == 2.5 && g.value[2] == 1 && g.value[3] == 1);
	assert_int_equal(dropped.repeated, 1);
	csr_release(&g);
	assert_ok(parse("0 1 1\n1 2 1.0\n", 3, NULL, &g));
	assert_null(g.value); /* all weights are one */
	csr_release(&g);
}

TEST(test_ids)
{
	struct bytes b = exact_text("u7\n10\n9\n");
	struct ids ids;
	struct csr g;
	struct buf out = { 0 };

	assert_ok(ids_parse(b, "ids.txt", &ids)); /* sorted: 10, 9, u7 */
	assert_ok(parse("u7 10\n9 u7\n", 3, &ids, &g));
	assert_string_equal(shown(&g), "0:2 1:2 2:0,1");
	edges_print_tsv(&g, ids.id, &out);
	buf_add(&out, "", 1);
	assert_string_equal(out.p, "10\tu7\n9\tu7\n");
	csr_release(&g);
	assert_err(parse("u7 10\nu7 0\n", 3, &ids, &g), ERR_INPUT,
		   "e.tsv:2: \"0\" is none of the 3 ids");
	assert_err(parse("u7\n", 3, &ids, &g), ERR_INPUT,
		   "e.tsv:1: the line ends where an id is expected");
	assert_err(parse("10 9 2\n9 10 3\n", 3, &ids, &g), ERR_INPUT,
		   "e.tsv:2: the edge is given with weight 3, but with 2 on line 1");
	buf_release(&out);
	ids_release(&ids);
	free((void *)(uintptr_t)b.p);
}

TEST(test_refusals)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "0 1\n0 3\n", "e.tsv:2: the node is \"3\", expected a whole number from 0 to 2" },
		{ "0 1\n0 -1\n", "e.tsv:2: the node is \"-1\"" },
		{ "0 1\n0 x\n", "e.tsv:2: the node is \"x\"" },
		{ "0 1\n0\n", "e.tsv:2: the line ends where the node is expected" },
		{ "0 99999999999999999999\n", "e.tsv:1: the node is \"99999999999999999999\"" },
		{ "0 1 1 1\n", "e.tsv:1: \"1\" is more than expected" },
		{ "0 1 0\n", "e.tsv:1: the weight is 0, expected more than 0" },
		{ "0 1 -1\n", "e.tsv:1: the weight is -1" },
		{ "0 1 nan\n", "e.tsv:1: \"nan\" is not a finite number" },
		{ "0 1 2\n1 2 1\n1 0 3\n",
		  "e.tsv:3: the edge is given with weight 3, but with 2 on line 1" },
		{ "#\n0 2 9\n0 1 2\n1 0 2\n\n0 1 2\n0 1 3\n0 1 4\n2 0 9\n",
		  "e.tsv:7: the edge is given with weight 3, but with 2 on line 3" },
		{ "0,1\n", "e.tsv:1: the node is \"0,1\"" },
	};
	struct csr g;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_err(parse(cases[i].text, 3, NULL, &g), ERR_INPUT, cases[i].message);
		assert_null(g.start);
	}
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* An .mtx file uses the numbers of the party's own rows, even if there are ids. */
TEST(test_mtx)
{
	static const char symmetric
	    [] = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 1\n3 3\n",
   both[] = "%%MatrixMarket matrix coordinate integer general\n3 3 4\n1 2 1\n2 1 1\n1 3 1\n3 1 1\n";
	char path[] = "/tmp/coterie-test-XXXXXX.mtx";
	struct bytes b = exact_text("c\nb\na\n");
	struct ids ids;
	struct csr g;

	close(mkstemps(path, 4));
	write_file(path, symmetric);
	assert_ok(edges_read(path, 3, NULL, &g, &dropped));
	assert_string_equal(shown(&g), "0:1,2 1:0 2:0");
	assert_int_equal(dropped.loops, 1);
	assert_int_equal(dropped.repeated, 0);
	csr_release(&g);
	write_file(path, both);
	assert_ok(edges_read(path, 3, NULL, &g, &dropped));
	assert_string_equal(shown(&g), "0:1,2 1:0 2:0");
	assert_int_equal(dropped.repeated, 2);
	csr_release(&g);
	assert_ok(ids_parse(b, "ids.txt", &ids)); /* row 0 is "c", which sorts last */
	assert_ok(edges_read(path, 3, &ids, &g, &dropped));
	assert_string_equal(shown(&g), "0:2 1:2 2:0,1");
	csr_release(&g);
	assert_err(edges_read(path, 4, NULL, &g, &dropped), ERR_INPUT, "3 x 3, expected 4 x 4");
	write_file(path, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -1\n");
	assert_err(edges_read(path, 2, NULL, &g, &dropped), ERR_INPUT,
		   ".mtx:3: entry (1, 2) is -1, expected a weight");
	write_file(path, "%%MatrixMarket matrix coordinate real general\n%x\n3 3 3\n1 2 4\n%\n"
			 "1 3 5\n2 1 4.5\n");
	assert_err(edges_read(path, 3, NULL, &g, &dropped), ERR_INPUT,
		   ".mtx:7: entry (2, 1) is not entry (1, 2), on line 4, but a graph has one");
	assert_err(edges_read(path, 3, &ids, &g, &dropped), ERR_INPUT, "is not entry (");
	assert_err(edges_read("/x/e.json", 2, NULL, &g, &dropped), ERR_INPUT,
		   "expected edges in a file .tsv");
	assert_err(edges_read("/x/e.tsv", 2, NULL, &g, &dropped), ERR_INPUT,
		   "/x/e.tsv: No such file");
	unlink(path);
	ids_release(&ids);
	free((void *)(uintptr_t)b.p);
}

/* Compares random multigraphs with a matrix of booleans. */
TEST(test_random)
{
	enum { N = 12 };
	struct rng rng;

	rng_seed(&rng, 3, 0);
	for (int round = 0; round < 200; round++) {
		bool there[N][N] = { 0 };
		size_t lines = rng_below(&rng, 60), loops = 0, edges = 0;
		struct buf text = { 0 };
		struct csr g;

		for (size_t i = 0; i < lines; i++) {
			unsigned u = (unsigned)rng_below(&rng, N), v = (unsigned)rng_below(&rng, N);

			buf_printf(&text, "%u\t%u\n", u, v);
			loops += u == v;
			if (u != v && !there[u][v]) {
				there[u][v] = there[v][u] = true;
				edges++;
			}
		}
		assert_ok(
		    edges_parse_tsv((struct bytes){ text.p, text.n }, "x", N, NULL, &g, &dropped));
		assert_int_equal(dropped.loops, loops);
		assert_int_equal(dropped.repeated, lines - loops - edges);
		assert_int_equal(g.start[N], 2 * edges);
		for (size_t u = 0; u < N; u++) {
			for (size_t e = g.start[u]; e < g.start[u + 1]; e++) {
				assert_true(there[u][g.index[e]]);
				if (e > g.start[u])
					assert_true(g.index[e - 1] < g.index[e]);
			}
		}
		csr_release(&g);
		buf_release(&text);
	}
}

/* If the job is cancelled while a large file is read, each reader returns early. */
TEST(test_given_up)
{
	struct progress job = { 0 };
	struct buf pairs = { 0 }, numbers = { 0 }, entries = { 0 };
	struct bytes b;
	struct mtx m = { 0 };
	struct csv_record r = { 0 };
	struct text t;
	enum err err;
	bool there;
	struct ids ids = { 0 };
	struct csr g = { 0 };

	buf_printf(&entries, "%%%%MatrixMarket matrix coordinate pattern general\n2 70000 70000\n");
	for (unsigned i = 1; i <= 70000; i++) {
		buf_printf(&pairs, "0 1\n");
		buf_printf(&numbers, "7\n");
		buf_printf(&entries, "1 %u\n", i);
	}
	progress_enter(&job);
	for (int given_up = 0; given_up <= 1; given_up++) {
		enum err code = given_up ? ERR_CANCELLED : ERR_OK;

		b = (struct bytes){ pairs.p, pairs.n };
		assert_int_equal(edges_parse_tsv(b, "e.tsv", 2, NULL, &g, &dropped), code);
		csr_release(&g);
		assert_int_equal(edges_parse_named(b, "e.tsv", &ids, &g, &dropped), code);
		csr_release(&g);
		ids_release(&ids);
		b = (struct bytes){ entries.p, entries.n };
		assert_int_equal(mtx_parse(b, "f.mtx", &m), code);
		mtx_release(&m);
		b = (struct bytes){ numbers.p, numbers.n };
		t = text_open(b, "f.csv");
		for (there = true, err = ERR_OK; there && !err;)
			err = csv_record(&t, ',', 0, 1, &r, &there);
		assert_int_equal(err, code);
		csv_record_release(&r);
		progress_stop(&job);
	}
	progress_enter(NULL);
	buf_release(&entries);
	buf_release(&numbers);
	buf_release(&pairs);
}
