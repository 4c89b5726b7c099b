/* Tests the split of edges between parties: how many parties have each edge, which parties have it,
 * and the files of each party. */
#include "tests/test.h"
#include "tests/unit/cli/commands.h"
#include "tests/unit/cli/split/split_dirs.h"

#include <math.h>

#include "cli/args/args.h"
#include "cli/synth/planted.h"
#include "cli/args/pooled_graph.h"
#include "cli/split/split_hold.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/rng.h"
#include "common/data/edges.h"
#include "common/data/labels.h"

/* Makes `groups` cliques of `size` nodes, each joined to the next by one edge. */
static void cliques(size_t groups, size_t size, struct csr *S)
{
	size_t n = groups * size, count = 0;
	struct triple *t;

	ALLOC(t, n * size + 2 * groups);
	for (size_t u = 0; u < n; u++)
		for (size_t v = 0; v < n; v++)
			if (u != v && (u / size == v / size ||
				       (u % size == 0 && v % size == 0 &&
					(u / size + 1 == v / size || v / size + 1 == u / size))))
				t[count++] = (struct triple){ (uint32_t)u, (uint32_t)v, 1 };
	csr_from_triples(S, n, n, t, count);
	free(t);
}

TEST(test_copies)
{
	assert_int_equal(split_copies(0, 5), 1);
	assert_int_equal(split_copies(0.2, 5), 1);
	assert_int_equal(split_copies(0.4, 5), 2); /* two of five parties have an edge */
	assert_int_equal(split_copies(0.4, 2), 1);
	assert_int_equal(split_copies(0.4, 20), 8);
	assert_int_equal(split_copies(0.5, 5), 3);
	assert_int_equal(split_copies(1, 256), 256);
}

/* Each edge has as many different holders as the overlap demands, and all parties are equally
 * likely. The same seed gives the same split, another seed another split. */
TEST(test_holders)
{
	struct csr S;

	cliques(20, 11, &S); /* 1119 edges */
	for (size_t L = 1; L <= 20; L = L < 5 ? L + 1 : 2 * L) {
		for (int tenths = 0; tenths <= 10; tenths += 2) {
			struct split_params p = { .parties = L,
						  .overlap = tenths / 10.0,
						  .seed = 9 };
			struct split_holders h, again;
			size_t held[20] = { 0 }, copies = split_copies(p.overlap, L);

			assert_ok(split_hold(&S, &p, &h));
			assert_int_equal(h.edges, 1119);
			assert_int_equal(h.copies, copies);
			for (size_t e = 0; e < h.edges; e++) {
				bool seen[20] = { false };

				for (size_t c = 0; c < copies; c++) {
					size_t l = h.party[copies * e + c];

					assert_true(l < L && !seen[l]);
					seen[l] = true;
					held[l]++;
				}
			}
			for (size_t l = 0; l < L; l++) { /* within five standard deviations */
				double mean = (double)(copies * h.edges) / (double)L;

				assert_true(fabs((double)held[l] - mean) <= 5 * sqrt(mean));
			}
			assert_ok(split_hold(&S, &p, &again));
			assert_memory_equal(h.party, again.party, copies * h.edges);
			split_holders_release(&again);
			p.seed++;
			assert_ok(split_hold(&S, &p, &again));
			if (L > 1 && copies < L)
				assert_memory_not_equal(h.party, again.party, copies * h.edges);
			split_holders_release(&again);
			split_holders_release(&h);
		}
	}
	csr_release(&S);
}

/* All pairs of parties share about equally many edges. */
TEST(test_pairs_of_holders)
{
	struct split_params p = { .parties = 4, .overlap = 0.5, .seed = 2 };
	size_t together[4][4] = { { 0 } };
	struct split_holders h;
	struct csr S;

	cliques(100, 11, &S); /* 5599 edges: 933 for each of 6 pairs */
	assert_ok(split_hold(&S, &p, &h));
	for (size_t e = 0; e < h.edges; e++) {
		uint8_t a = h.party[2 * e], b = h.party[2 * e + 1];

		together[a < b ? a : b][a < b ? b : a]++;
	}
	for (size_t a = 0; a < 4; a++)
		for (size_t b = a + 1; b < 4; b++)
			assert_in_range(together[a][b], 933 - 150, 933 + 150);
	split_holders_release(&h);
	csr_release(&S);
}

/* With regions, cliques stay whole, except for at most 12 nodes in all, and regions have about
 * equal size. Each edge is at the party of one of its ends. */
TEST(test_regions)
{
	struct split_params p = { .parties = 4, .regions = true, .seed = 5 };
	size_t ends[4] = { 0 }, torn = 0;
	struct split_holders h;
	uint32_t *region;
	struct csr S;

	cliques(40, 12, &S);
	ALLOC(region, S.rows);
	split_regions(&S, 4, 5, region);
	for (size_t i = 0; i < S.rows; i++) {
		assert_true(region[i] < 4);
		torn += region[i] != region[i - i % 12];
		ends[region[i]] += S.start[i + 1] - S.start[i];
	}
	assert_in_range(torn, 0, 12);
	for (size_t l = 0; l < 4; l++)
		assert_in_range(ends[l], S.start[S.rows] / 8, S.start[S.rows] * 5 / 16 + 12);
	assert_ok(split_hold(&S, &p, &h));
	assert_int_equal(h.copies, 1);
	for (size_t u = 0, edge = 0; u < S.rows; u++)
		for (size_t e = S.start[u]; e < S.start[u + 1]; e++)
			if (S.index[e] > u) {
				uint8_t l = h.party[edge++];

				assert_true(l == region[u] || l == region[S.index[e]]);
			}
	split_holders_release(&h);
	/* With an overlap, each edge has two different holders. */
	p.overlap = 0.5;
	assert_ok(split_hold(&S, &p, &h));
	for (size_t e = 0; e < h.edges; e++)
		assert_int_not_equal(h.party[2 * e], h.party[2 * e + 1]);
	split_holders_release(&h);
	free(region);
	csr_release(&S);
}

/* No region loses all its edges to denser regions next to it: each of 40 regions has some. */
TEST(test_regions_stay)
{
	struct planted_params p = {
		.nodes = 300, .classes = 6, .degree = 10, .homophily = 0.9, .seed = 1
	};
	uint32_t region[300];
	struct planted g;

	assert_ok(planted_make(&p, &g));
	for (uint64_t seed = 0; seed < 50; seed++) {
		size_t ends[40] = { 0 };

		split_regions(&g.adjacency, 40, seed, region);
		for (size_t i = 0; i < p.nodes; i++)
			ends[region[i]] += g.adjacency.start[i + 1] - g.adjacency.start[i];
		for (size_t l = 0; l < 40; l++)
			assert_true(ends[l] > 0);
	}
	planted_release(&g);
}

/* Each piece of a graph that is not connected is in one region. Some nodes have no edges. */
TEST(test_regions_of_pieces)
{
	struct triple t[] = { { 0, 1, 1 }, { 1, 0, 1 }, { 4, 5, 1 }, { 5, 4, 1 } };
	struct split_params p = { .parties = 2, .regions = true, .seed = 1 };
	struct split_holders h;
	uint32_t region[7];
	struct csr S;

	csr_from_triples(&S, 7, 7, t, 4);
	split_regions(&S, 2, 1, region);
	for (size_t i = 0; i < 7; i++)
		assert_true(region[i] < 2);
	assert_int_equal(region[0], region[1]);
	assert_int_equal(region[4], region[5]);
	assert_ok(split_hold(&S, &p, &h));
	assert_int_not_equal(h.party[0], h.party[1]);
	split_holders_release(&h);
	p.parties = 3;
	assert_err(split_hold(&S, &p, &h), ERR_INPUT, "of 3 would hold none of the 2 edges");
	csr_release(&S);
}

/* ---- files ---- */

/* Reads the files of party l. */
static void party(size_t l, struct pooled_graph *g)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/party-%02zu", out, l);
	assert_ok(pooled_graph_read(path, g));
}

static size_t node_of(const struct pooled_graph *g, const char *id)
{
	return ids_find(&g->ids, (struct word){ id, strlen(id) });
}

/* Each edge is at `copies` parties with its weight and ids. Each node is at every party with one of
 * its edges, or at one party if it has none. Labels stay with their nodes. */
static void check_parties(const struct pooled_graph *whole, size_t L, size_t copies)
{
	size_t *seen, *known;

	ALLOC(seen, whole->S.start[whole->n]);
	ALLOC(known, whole->n);
	for (size_t l = 0; l < L; l++) {
		struct pooled_graph g;

		party(l, &g);
		for (size_t i = 0; i < g.n; i++) {
			size_t u = node_of(whole, g.id[i]);

			assert_true(u < whole->n);
			known[u]++;
			assert_int_equal(g.truth[i], whole->truth[u]);
			assert_true(g.S.start[i] < g.S.start[i + 1] ||
				    whole->S.start[u] == whole->S.start[u + 1]);
			for (size_t e = g.S.start[i]; e < g.S.start[i + 1]; e++) {
				size_t v = node_of(whole, g.id[g.S.index[e]]),
				       at = whole->S.start[u];

				while (at < whole->S.start[u + 1] && whole->S.index[at] != v)
					at++;
				assert_true(at < whole->S.start[u + 1]);
				seen[at]++;
				assert_true((g.S.value ? g.S.value[e] : 1) ==
					    (whole->S.value ? whole->S.value[at] : 1));
			}
		}
		pooled_graph_release(&g);
	}
	for (size_t e = 0; e < whole->S.start[whole->n]; e++)
		assert_int_equal(seen[e], copies);
	for (size_t i = 0; i < whole->n; i++)
		assert_in_range(known[i], 1, whole->S.start[i] < whole->S.start[i + 1] ? L : 1);
	free(known);
	free(seen);
}

static void put_graph(void)
{
	struct buf edges = { 0 }, ids = { 0 }, labels = { 0 };
	struct rng rng;

	rng_seed(&rng, 6, 0);
	for (unsigned i = 0; i < 40; i++) {
		buf_printf(&ids, "node-%u\n", (17 * i) % 40);
		buf_printf(&labels, "%u\n", (17 * i) % 40 + 100);
		for (unsigned j = 0; j < i && i < 36; j++) /* the last four nodes have no edges */
			if (rng_below(&rng, 4) == 0)
				buf_printf(&edges, "node-%u\tnode-%u\t%g\n", i, j,
					   0.1 * (double)(1 + rng_below(&rng, 50)));
	}
	buf_add(&edges, "", 1);
	buf_add(&ids, "", 1);
	buf_add(&labels, "", 1);
	put_data("edges.tsv", (char *)edges.p);
	put_data("ids.txt", (char *)ids.p);
	put_data("labels.txt", (char *)labels.p);
	buf_release(&edges);
	buf_release(&ids);
	buf_release(&labels);
}

TEST_WITH(test_files_of_each_party, split_dirs, dir_remove)
{
	put_graph();
	for (int regions = 0; regions <= 1; regions++) {
		for (int tenths = 0; tenths <= 10; tenths += 5) {
			struct split_params p = { SPLIT_EDGES,  4,       3,     data, out,  0, 0,
						  tenths / 10., regions, false, 0,    false };
			struct pooled_graph whole;

			assert_ok(split_data(&p));
			assert_ok(pooled_graph_read(data, &whole));
			assert_true(pooled_graph_isolated(&whole) >= 4);
			for (size_t i = 0; i < whole.n; i++) /* labels belong to ids */
				assert_int_equal(whole.truth[i], atoi(whole.id[i] + 5) + 100);
			check_parties(&whole, 4, split_copies(p.overlap, 4));
			pooled_graph_release(&whole);
			clear_out();
		}
	}
}

/* Without ids.txt, labels.txt gives the number of nodes, and their numbers are the ids. */
TEST_WITH(test_numbered, split_dirs, dir_remove)
{
	struct split_params p = { SPLIT_EDGES, 2, 3, data, out, 0, 0, 0, false, false, 0, false };
	size_t nodes = 0;

	put_data("edges.tsv", "0 1\n1 2 2.5\n2 10\n10 0\n");
	put_data("labels.txt", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n");
	assert_ok(split_data(&p));
	for (size_t l = 0; l < 2; l++) {
		struct pooled_graph g;

		party(l, &g);
		assert_int_equal(g.S.start[g.n], 4);
		nodes += pooled_graph_isolated(&g);
		for (size_t i = 0; i < g.n; i++)
			assert_int_equal(g.truth[i], atoi(g.id[i]));
		pooled_graph_release(&g);
	}
	assert_int_equal(nodes, 8);
}

TEST_WITH(test_isolated, split_dirs, dir_remove)
{
	struct pooled_graph g;

	put_data("edges.tsv", "0 4\n1 5\n5 2\n");
	put_data("labels.txt", "0\n0\n0\n0\n0\n0\n");
	assert_ok(pooled_graph_read(data, &g));
	assert_int_equal(pooled_graph_isolated(&g), 1);
	pooled_graph_release(&g);
}

TEST_WITH(test_refusals, split_dirs, dir_remove)
{
	struct split_params p = { SPLIT_EDGES, 2, 3, data, out, 0, 0, 0, false, false, 0, false };
	char line[256];

	assert_err(split_data(&p), ERR_INPUT, "no edges.tsv");
	put_data("edges.tsv", "0 1\n");
	put_data("labels.txt", "0\n1\n");
	assert_err(split_data(&p), ERR_INPUT, "has 1 edges, expected at least one for each of 2");
	put_data("ids.txt", "0\n1\n2\n");
	assert_err(split_data(&p), ERR_INPUT, "2 labels, expected 3");
	put_data("labels.txt", "0\n1\n2\n");
	put_data("edges.tsv", "0 1\n1 x\n");
	assert_err(split_data(&p), ERR_INPUT, "edges.tsv:2: \"x\" is none of the 3 ids");
	put_data("edges.tsv", "0 1\n1 2\n");
	snprintf(line, sizeof(line),
		 "--by edges --overlap 1 --regions --parties 2 --data %s --out %s", data, out);
	expect_command(split_main, line, 0, "split by edges over 2 parties, seed 1");
	snprintf(line, sizeof(line), "grep -q '\"holders\": 2' %s/split.json", out);
	assert_int_equal(system(line), 0);
	clear_out();
	/* --no-features omits features; without it, each party gets a copy */
	put_data("features.csv", "1\n2\n3\n");
	snprintf(line, sizeof(line),
		 "--by edges --overlap 1 --no-features --parties 2 --data %s --out %s", data, out);
	expect_command(split_main, line, 0, "split by edges");
	snprintf(line, sizeof(line), "%s/party-00/features.csv", out);
	assert_false(file_exists(line));
	clear_out();
	snprintf(line, sizeof(line), "--by edges --overlap 1 --parties 2 --data %s --out %s", data,
		 out);
	expect_command(split_main, line, 0, "split by edges");
	snprintf(line, sizeof(line), "%s/party-00/features.csv", out);
	assert_true(file_exists(line));
	snprintf(line, sizeof(line), "test $(wc -l < %s/party-01/edges.tsv) = 2", out);
	assert_int_equal(system(line), 0);
	expect_command(split_main, "--by edges --overlap 1.1", 4,
		       "--overlap is \"1.1\", expected a number from 0 to 1");
	expect_command(split_main, "--data x --out y --parties 2 --overlap 0.5", 4,
		       "--overlap is for --by edges, not for columns");
	expect_command(split_main, "--data x --out y --parties 2 --by rows --regions", 4,
		       "--regions is for --by edges, not for rows");
	expect_command(split_main, "--data x --out y --parties 2 --no-features", 4,
		       "--no-features is for --by edges");
}
