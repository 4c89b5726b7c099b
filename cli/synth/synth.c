#include "cli/args/args.h"
#include "cli/synth/planted.h"
#include "cli/synth/planted_graphs.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/edges.h"
#include "common/data/labels.h"
#include "common/data/mtx.h"
#include "common/data/npy.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { GRAPH, POINTS, GRAPHS };
enum { ID_ROOM = 24 };

struct arguments {
	struct planted_params p; /* members for options that were not given are 0 or negative */
	const char *out;
	bool points, no_features; /* no_features: --features is 0, so there is only a graph */
	double apart;
	bool graphs;
	size_t size; /* with --graphs: mean number of nodes of a graph */
};

enum { KEY_POINTS = 256, KEY_APART, KEY_GRAPHS, KEY_SIZE };

static const struct argp_option options[] = {
	{ "out", 'o', "DIR", 0, "directory of features.mtx, edges.tsv and labels.txt", 0 },
	{ "nodes", 'n', "N", 0,
	  "number of nodes or rows; default 2708, with "
	  "--points 1000",
	  0 },
	{ "features", 'm', "M", 0,
	  "number of words or columns; default 1433, with --points 16; 0: a graph without "
	  "features; its nodes have ids",
	  0 },
	{ "clusters", 'k', "K", 0, "number of clusters; default 7, with --points 5", 0 },
	{ "degree", 'd', "D", 0, "mean degree; default 3.9", 0 },
	{ "homophily", 'y', "P", 0,
	  "probability that an edge stays within a cluster; default "
	  "0.8",
	  0 },
	{ "signal", 'w', "P", 0,
	  "probability that a word is from the words of its cluster; "
	  "default 0.4",
	  0 },
	ARGS_SEED,
	{ "points", KEY_POINTS, NULL, 0,
	  "rows in K Gaussian clouds, as features.npy and labels.txt", 2 },
	{ "apart", KEY_APART, "D", 0,
	  "with --points: least distance between centres, in standard deviations of a cloud; "
	  "default 8",
	  2 },
	{ "graphs", KEY_GRAPHS, NULL, 0,
	  "N small graphs in TU format (default 200), in K classes of density (default 2), with "
	  "M attributes (default 0); the default of --signal is 0.95",
	  3 },
	{ "size", KEY_SIZE, "N", 0, "with --graphs: mean number of nodes; default 20", 3 },
	{ 0 },
};

static enum kind synth_kind_of(const struct arguments *a)
{
	return a->graphs ? GRAPHS : a->points ? POINTS : GRAPH;
}

/* Returns the first given option that does not apply to this kind of data; NULL: there is none. */
static const char *stray(const struct arguments *a)
{
	enum kind kind = synth_kind_of(a);

	if (kind != GRAPH && a->p.degree >= 0)
		return "degree";
	if (kind != GRAPH && a->p.homophily >= 0)
		return "homophily";
	if (kind != GRAPH && kind != GRAPHS && a->p.signal >= 0)
		return "signal";
	return kind != POINTS && a->apart >= 0 ? "apart" : NULL;
}

static void synth_check_options(const struct arguments *a, struct argp_state *state)
{
	static const char *const does[] = {
		[POINTS] = "--points makes no graph",
		[GRAPHS] = "--graphs makes many",
	};
	const char *odd = stray(a);
	enum kind kind = synth_kind_of(a);

	args_need(state, a->out, "--out is missing");
	if (a->graphs && a->points)
		argp_error(state, "--graphs and --points exclude each other");
	if (a->size && !a->graphs)
		argp_error(state, "--size goes with --graphs");
	if (a->graphs && a->p.classes > PLANTED_GRAPHS_CLASSES_MAX)
		argp_error(state, "--clusters is %zu, expected at most %d with --graphs",
			   a->p.classes, PLANTED_GRAPHS_CLASSES_MAX);
	if (odd && !strcmp(odd, "apart"))
		argp_error(state, "--apart goes with --points");
	if (odd)
		argp_error(state, "--%s plants clusters in a graph, %s", odd, does[kind]);
	if (kind == POINTS && a->no_features)
		argp_error(state, "--features is 0, expected 1 or more with --points");
	if (kind == GRAPH && a->p.features == 1)
		argp_error(state, "--features is 1, expected 2 or more, or 0 for a graph alone");
	if (kind == POINTS && a->p.classes > GAUSS_CLUSTERS_MAX)
		argp_error(state, "--clusters is %zu, expected at most %d with --points",
			   a->p.classes, GAUSS_CLUSTERS_MAX);
}

static void set_defaults(struct arguments *a)
{
	struct planted_params *p = &a->p;
	bool points = a->points;

	if (a->graphs) {
		p->nodes = p->nodes ? p->nodes : 200;
		p->classes = p->classes ? p->classes : 2;
		p->signal = p->signal >= 0 ? p->signal : 0.95;
		a->size = a->size ? a->size : 20;
		return;
	}
	p->nodes = p->nodes ? p->nodes : points ? 1000 : 2708;
	if (!p->features && !a->no_features)
		p->features = points ? 16 : 1433;
	p->classes = p->classes ? p->classes : points ? 5 : 7;
	p->degree = p->degree >= 0 ? p->degree : 3.9;
	p->homophily = p->homophily >= 0 ? p->homophily : 0.8;
	p->signal = p->signal >= 0 ? p->signal : 0.4;
	a->apart = a->apart >= 0 ? a->apart : 8;
}

static error_t synth_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	const struct args_field fields[] = {
		{ 'o', ARGS_TO(a->out) },
		{ 'n', ARGS_TO(a->p.nodes), 2, 1 << 24 },
		{ 'm', ARGS_TO(a->p.features), 0, 1 << 24 },
		{ 'k', ARGS_TO(a->p.classes), 1, 1 << 16 },
		{ 'd', ARGS_TO(a->p.degree), 0, 1000 },
		{ 'y', ARGS_TO(a->p.homophily), 0, 1 },
		{ 'w', ARGS_TO(a->p.signal), 0, 1 },
		{ 's', ARGS_TO(a->p.seed), 0, SEED_MAX },
		{ KEY_POINTS, ARGS_TO(a->points) },
		{ KEY_GRAPHS, ARGS_TO(a->graphs) },
		{ KEY_SIZE, ARGS_TO(a->size), 2, 1 << 12 },
		{ KEY_APART, ARGS_TO(a->apart), 0, 1e6 },
		{ 0 },
	};
	error_t e;

	if (key == ARGP_KEY_END) {
		synth_check_options(a, state);
		set_defaults(a);
	}
	e = args_take(options, fields, key, arg, state);
	if (key == 'm')
		a->no_features = !a->p.features;
	return e;
}

static enum err write_labels(const char *dir, const uint32_t *label, size_t n)
{
	char *path = file_join(dir, "labels.txt");
	enum err err = labels_write_txt(path, label, n);

	free(path);
	return err;
}

/* Writes edges.tsv. With ids, also writes ids.txt, in node order, and names nodes by id in
 * edges.tsv. */
static enum err write_graph(const char *dir, const struct csr *adjacency, bool with_ids)
{
	size_t n = adjacency->rows;
	struct buf text = { 0 };
	char *name, **id = NULL;
	enum err err = ERR_OK;

	if (!with_ids) {
		edges_print_tsv(adjacency, NULL, &text);
		return args_write(dir, "edges.tsv", &text);
	}
	name = alloc(n, ID_ROOM);
	ALLOC(id, n);
	for (size_t i = 0; i < n; i++) {
		id[i] = name + ID_ROOM * i;
		snprintf(id[i], ID_ROOM, "n%zu", i);
		buf_printf(&text, "%s\n", id[i]);
	}
	err = args_write(dir, "ids.txt", &text);
	if (!err) {
		edges_print_tsv(adjacency, id, &text);
		err = args_write(dir, "edges.tsv", &text);
	}
	free(id);
	free(name);
	return err;
}

/* Writes points. Needs memory for the matrix and for the bytes of the file, which has half the size
 * of the matrix. */
static enum err run_points(const struct arguments *a)
{
	struct gauss_params p = { a->p.nodes, a->p.features, a->p.classes, a->apart, a->p.seed };
	struct buf text = { 0 };
	uint32_t *label;
	struct mat X;
	enum err err;

	TRY(gauss_make(&p, &X, &label));
	err = file_make_new_dir(a->out);
	if (!err) {
		npy_print(&X, &text);
		err = args_write(a->out, "features.npy", &text);
	}
	if (!err)
		err = write_labels(a->out, label, X.rows);
	if (!err)
		printf("%s: %zu rows, %zu columns, %zu clusters %g apart, seed %ju\n", a->out,
		       p.rows, p.columns, p.clusters, p.apart, (uintmax_t)p.seed);
	mat_release(&X);
	free(label);
	return err;
}

static enum err run_graphs(const struct arguments *a)
{
	struct planted_graphs_params p = { a->p.nodes,    a->size,     a->p.classes,
					   a->p.features, a->p.signal, a->p.seed };
	struct planted_graphs_counts counts;

	TRY(planted_graphs_write(a->out, &p, &counts));
	printf("%s: %zu graphs, %zu nodes, %zu edges, %zu attributes, %zu classes, seed %ju\n",
	       a->out, p.graphs, counts.nodes, counts.edges, p.attributes, p.classes,
	       (uintmax_t)p.seed);
	return ERR_OK;
}

static enum err synth_run(void *arguments)
{
	const struct arguments *a = arguments;
	struct buf text = { 0 };
	struct planted g;
	enum err err;

	if (a->graphs)
		return run_graphs(a);
	if (a->points)
		return run_points(a);
	TRY(planted_make(&a->p, &g));
	err = file_make_new_dir(a->out);
	if (!err && g.features.rows) {
		mtx_print(&g.features, &text);
		err = args_write(a->out, "features.mtx", &text);
	}
	if (!err)
		err = write_graph(a->out, &g.adjacency, !g.features.rows);
	if (!err)
		err = write_labels(a->out, g.label, g.adjacency.rows);
	if (!err)
		printf("%s: %zu nodes, %zu features, %zu edges, %zu clusters, seed %ju\n", a->out,
		       a->p.nodes, a->p.features, g.adjacency.start[a->p.nodes] / 2, a->p.classes,
		       (uintmax_t)a->p.seed);
	planted_release(&g);
	return err;
}

int synth_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = synth_parse,
		.doc = "Makes an attributed graph with planted clusters; the defaults resemble "
		       "cora. With --points it makes rows in Gaussian clouds, for FedSC and "
		       "k-means. With --graphs it makes many small graphs, for FedGCN.\vWith "
		       "--features 0 there is no features.mtx. Nodes are called n0, n1, ... in "
		       "edges.tsv and ids.txt; the lines of ids.txt and labels.txt correspond.",
	};
	struct arguments a = { .p = { .degree = -1, .homophily = -1, .signal = -1, .seed = 1 },
			       .apart = -1 };

	return (int)args_run("synth", &argp, argc, argv, &a, synth_run);
}
