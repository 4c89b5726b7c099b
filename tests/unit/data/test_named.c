/* Reads the data of a party that has only edges. The nodes are the given ids, or without ids the
 * ends of the edges. */
#include "tests/test.h"
#include "tests/unit/data/files.h"
#include "tests/unit/data/edge_files.h"

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/rng.h"
#include "common/data/dataset.h"
#include "common/data/edges.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Returns the graph as "a:b*2,c b:a*2 c:a", nodes in order; weights as "*w" unless they are 1. */
static const char *shown(const struct dataset *d)
{
	static char out[512];
	const struct csr *g = &d->g.adjacency;
	size_t n = 0;

	assert_int_equal(g->rows, d->n);
	assert_int_equal(d->ids.n, d->n);
	out[0] = 0;
	for (size_t i = 0; i < d->n; i++) {
		n += (size_t)sprintf(out + n, "%s%s:", i ? " " : "", d->ids.id[i]);
		for (size_t e = g->start[i]; e < g->start[i + 1]; e++) {
			n += (size_t)sprintf(out + n, "%s%s", e > g->start[i] ? "," : "",
					     d->ids.id[g->index[e]]);
			if (g->value && g->value[e] != 1)
				n += (size_t)sprintf(out + n, "*%g", g->value[e]);
		}
	}
	return out;
}

static void graph_is(const char *path, const char *edges, const char *id_text, const char *want)
{
	struct dataset d;

	put(path, edges);
	if (id_text)
		put(ids, id_text);
	assert_ok(dataset_load(&d, NULL, path, id_text ? ids : NULL));
	assert_true(d.has_ids);
	assert_string_equal(shown(&d), want);
	assert_int_equal(features_cols(&d.X), 0);
	dataset_release(&d);
}

#define MTX "%%MatrixMarket matrix coordinate "

TEST(nodes_are_those_that_occur)
{
	graph_is(tsv, "", NULL, "");
	graph_is(tsv, "# nothing\n\n", NULL, "");
	graph_is(tsv, "b a\n", NULL, "a:b b:a");
	graph_is(tsv, "10\t9\n9\t100\t2.5\r\n# no edge\n\n", NULL,
		 "10:9 100:9*2.5 9:10,100*2.5"); /* sorted as bytes, not as numbers */
	graph_is(tsv, "b a\na b\nb b\nlonely lonely\na b 1\n", NULL, "a:b b:a lonely:");
	graph_is(tsv, "\xc3\xa9 z\n07 7\n", NULL, "07:7 7:07 z:\xc3\xa9 \xc3\xa9:z");
	graph_is(mtx, MTX "pattern symmetric\n11 11 3\n2 1\n11 2\n5 5\n", NULL,
		 "1:2 10: 11:2 2:1,11 3: 4: 5: 6: 7: 8: 9:");
	graph_is(mtx, MTX "real general\n2 2 0\n", NULL, "1: 2:");
}

/* Two names have the same slot and mark in the hash table of ids.c; only their bytes differ. */
TEST(words_that_collide)
{
	graph_is(tsv, "54a4508 3423a5c\n", NULL, "3423a5c:54a4508 54a4508:3423a5c");
	graph_is(tsv, "54a4508 3423a5c\n", "3423a5c\n54a4508\n", "3423a5c:54a4508 54a4508:3423a5c");
	graph_is(tsv, "3423a5c x\nx x\n", "x\n54a4508\n3423a5c\n", "3423a5c:x 54a4508: x:3423a5c");
}

TEST(nodes_are_those_of_ids)
{
	graph_is(tsv, "u a 3\n", "u\nalone\na\n", "a:u*3 alone: u:a*3");
	graph_is(tsv, "", "z\ny\n", "y: z:");
	graph_is(mtx, MTX "real symmetric\n3 3 1\n2 1 4\n", "z\ny\nx\n", "x: y:z*4 z:y*4");
}

static void refused(const char *path, const char *edges, const char *id_text, const char *why)
{
	struct dataset d;
	char sentence[160];

	put(path, edges);
	if (id_text)
		put(ids, id_text);
	snprintf(sentence, sizeof(sentence), "%s%s", why[0] == ':' ? path : "", why);
	assert_err(dataset_load(&d, NULL, path, id_text ? ids : NULL), ERR_INPUT, sentence);
	assert_null(d.g.adjacency.start);
	assert_null(d.ids.id);
}

TEST(bad_files)
{
	char *longest = malloc(10241 + 10);

	refused(tsv, "a b\na\n", NULL, ":2: the line ends where an id is expected");
	refused(tsv, "a b -1\n", NULL, ":1: the weight is -1, expected more than 0");
	refused(tsv, "a b\n\na b 0\n", NULL, ":3: the weight is 0, expected more than 0");
	refused(tsv, "a b nan\n", NULL, ":1: \"nan\" is not a finite number");
	refused(tsv, "a b 1e999\n", NULL, ":1: \"1e999\" is not a finite number");
	/* The separators are a tab, a blank and a tab. */
	refused(tsv, "a\tb c\td\n", NULL, ":1: \"c\" is not a finite number");
	refused(tsv, "a b 1 1\n", NULL, ":1: \"1\" is more than expected on this line");
	refused(tsv, "a #b\n", NULL, ":1: the id \"#b\" begins with '#'");
	refused(tsv, "a b\nx\x01y b\n", NULL, ":2: byte 2 of the id is a blank, a control");
	refused(tsv, "a \xff\n", NULL, ":1: byte 1 of the id is a blank, a control");
	refused(tsv, "x y\nb a 2\nq a\na b 3\n", NULL,
		":4: the edge is given with weight 3, but with 2 on line 2");
	refused(tsv, "a b\n", "a\nc\n", ":1: \"b\" is none of the 2 ids");
	/* The error names the first wrong line, for each kind of error. */
	refused(tsv, "a b\nq a\na b x\n", "a\nb\n", ":2: \"q\" is none of the 2 ids");
	refused(tsv, "a b\na b x\nq a\n", "a\nb\n", ":2: \"x\" is not a finite number");
	refused(tsv, "a b\n\n#\nb b\na q\nr q\n", "a\nb\n", ":5: \"q\" is none of the 2 ids");
	refused(tsv, "a b\n", "a\nb c\n", "ids.txt:2: \"c\" is more than expected on this line");
	refused(tsv, "a b\n", "a\tb\n", "ids.txt:1: \"b\" is more than expected on this line");
	refused(mtx, MTX "real general\n2 3 0\n", NULL, ": 2 x 3, expected 2 x 2");
	refused(mtx, MTX "real general\n2 2 1\n1 2 -1\n", NULL,
		":3: entry (1, 2) is -1, expected a weight of more than 0");
	refused(mtx, MTX "real general\n2 2 1\n1 2 nan\n", NULL, ":3: \"nan\" is not a finite");
	refused(mtx, MTX "real general\n2 2 1\n1 2 1\n", "a\nb\nc\n", ": 2 x 2, expected 3 x 3");
	refused(mtx, "%%MatrixMarket matrix array real general\n1 1\n0\n", NULL, ": an array");
	longest[0] = 'a';
	longest[1] = ' ';
	memset(longest + 2, 'x', 10240);
	strcpy(longest + 2 + 255, "\n");
	graph_is(tsv, "a b\n", NULL, "a:b b:a");
	put(tsv, longest);
	{
		struct dataset d;

		assert_ok(dataset_load(&d, NULL, tsv, NULL));
		assert_int_equal(strlen(d.ids.id[1]), 255);
		dataset_release(&d);
	}
	memset(longest + 2, 'x', 10240);
	longest[2 + 10240] = 0;
	refused(tsv, longest, NULL, ":1: an id of 10240 bytes, expected 1 to 255");
	free(longest);
}

/* Labels are written with their ids; a party without nodes writes empty files. */
TEST(labels_by_id)
{
	static const uint32_t label[] = { 7, 8, 9 };
	struct buf b = { 0 };
	struct dataset d;
	char path[64];

	snprintf(path, sizeof(path), "%s/labels.csv", dir);
	put(mtx, MTX "pattern symmetric\n3 3 1\n2 1\n");
	put(ids, "z\ny\nx\n");
	assert_ok(dataset_load(&d, NULL, mtx, ids));
	assert_ok(dataset_write_labels(path, NULL, &d, label, NULL)); /* labels of x, y, z */
	assert_ok(file_read(path, 1000, &b));
	buf_add(&b, "", 1);
	assert_string_equal(b.p, "id,label\nz,9\ny,8\nx,7\n");
	buf_release(&b);
	dataset_release(&d);
	put(tsv, "q p\n");
	assert_ok(dataset_load(&d, NULL, tsv, NULL));
	assert_ok(dataset_write_labels(path, NULL, &d, label, NULL));
	assert_ok(file_read(path, 1000, &b));
	buf_add(&b, "", 1);
	assert_string_equal(b.p, "id,label\np,7\nq,8\n");
	buf_release(&b);
	dataset_release(&d);
	put(tsv, "");
	assert_ok(dataset_load(&d, NULL, tsv, NULL));
	assert_int_equal(d.n, 0);
	assert_ok(dataset_write_labels(path, NULL, &d, label, NULL));
	assert_ok(file_read(path, 1000, &b));
	buf_add(&b, "", 1);
	assert_string_equal(b.p, "id,label\n");
	buf_release(&b);
	snprintf(path, sizeof(path), "%s/labels.npy", dir);
	assert_ok(dataset_write_labels(NULL, path, &d, label, NULL));
	dataset_release(&d);
}

TEST(dropped_lines_are_counted)
{
	char path[64];
	struct dataset d;
	struct buf b = { 0 };
	int fd;

	snprintf(path, sizeof(path), "%s/log", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	log_init("test", LOG_WARN);
	log_set_stream(fd, false);
	put(tsv, "a b\nb b\nb a\na b\nc c\n");
	assert_ok(dataset_load(&d, NULL, tsv, NULL));
	assert_string_equal(shown(&d), "a:b b:a c:");
	dataset_release(&d);
	log_set_stream(STDERR_FILENO, false);
	log_init("test", LOG_ERROR);
	close(fd);
	assert_ok(file_read(path, 10000, &b));
	buf_add(&b, "", 1);
	assert_non_null(
	    strstr((char *)b.p, "dropped 2 self-loops and 2 lines that repeat an edge"));
	buf_release(&b);
}

/* Without ids, nodes are numbered by rows. The first number is 1 if the edges are a Matrix Market
 * file, else 0. */
TEST(first_rows)
{
	char csv[64];
	struct dataset d;

	snprintf(csv, sizeof(csv), "%s/features.csv", dir);
	put(csv, "1\n2\n3\n");
	put(tsv, "0 2\n");
	assert_ok(dataset_load(&d, csv, tsv, NULL));
	assert_false(d.has_ids);
	assert_int_equal(d.first_row, 0);
	dataset_release(&d);
	put(mtx, MTX "pattern symmetric\n3 3 1\n3 1\n");
	assert_ok(dataset_load(&d, csv, mtx, NULL));
	assert_false(d.has_ids);
	assert_int_equal(d.first_row, 1);
	dataset_release(&d);
}

/* Any order of the lines, and of the two ends in a line, gives the same graph, with and without
 * ids. */
TEST(any_order)
{
	enum { NODES = 300, EDGES = 2000 };
	static uint32_t end[EDGES][2], order[EDGES];
	struct csr first = { 0 }, g;
	struct ids names, known;
	struct edges_dropped dropped;
	struct rng rng;

	rng_seed(&rng, 6, 0);
	for (uint32_t i = 0; i < EDGES; i++) {
		order[i] = i;
		for (int k = 0; k < 2; k++)
			end[i][k] = (uint32_t)rng_below(&rng, NODES);
	}
	for (int round = 0; round < 5; round++) {
		struct buf text = { 0 };

		for (size_t i = 0; i < EDGES; i++) {
			const uint32_t *e = end[order[i]];
			int swap = (int)rng_below(&rng, 2);

			buf_printf(&text, "n%u n%u %u\n", e[swap], e[!swap], e[0] + e[1] + 1);
		}
		assert_ok(
		    edges_parse_named((struct bytes){ text.p, text.n }, "x", &names, &g, &dropped));
		for (size_t i = 1; i < names.n; i++)
			assert_true(strcmp(names.id[i - 1], names.id[i]) < 0);
		if (round == 0) {
			first = g;
			known = names;
		} else {
			struct csr again;

			assert_int_equal(names.n, known.n);
			assert_int_equal(g.start[g.rows], first.start[g.rows]);
			assert_memory_equal(g.index, first.index, 4 * g.start[g.rows]);
			assert_memory_equal(g.value, first.value, 8 * g.start[g.rows]);
			assert_ok(edges_parse_tsv((struct bytes){ text.p, text.n }, "x", known.n,
						  &known, &again, &dropped));
			assert_memory_equal(g.index, again.index, 4 * g.start[g.rows]);
			csr_release(&again);
			csr_release(&g);
			ids_release(&names);
		}
		buf_release(&text);
		rng_shuffle(&rng, order, EDGES);
	}
	csr_release(&first);
	ids_release(&known);
}

TESTS_BETWEEN(edge_files, dir_remove)
