#include "cli/args.h"
#include "cli/planted.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/edges.h"
#include "common/data/labels.h"
#include "common/data/mtx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_ROOM = 24 }; /* bytes of "n123" */

struct arguments {
	struct planted_params p;
	const char *out;
	const char *edges; /* of a graph that is there: features without meaning for its nodes */
	double density;
	/* What was said, by the name of an option, so that the two kinds do not mix. */
	const char *clusters, *noise, *nodes;
};

static const struct argp_option options[] = {
	{ "out", 'o', "DIR", 0, "where features.mtx, edges.tsv, labels.txt go", 0 },
	{ "nodes", 'n', "N", 0, "default 2708", 0 },
	{ "features", 'm', "M", 0,
	  "words that there are; default 1433; 0: a graph alone, whose nodes have ids", 0 },
	{ "clusters", 'k', "K", 0, "default 7", 0 },
	{ "degree", 'd', "D", 0, "mean degree; default 3.9", 0 },
	{ "homophily", 'y', "P", 0, "how likely an edge stays within a cluster; default 0.8", 0 },
	{ "signal", 'w', "P", 0, "how likely a word is of its cluster's own; default 0.4", 0 },
	{ "seed", 's', "S", 0, "default 1", 0 },
	{ "edges", 'e', "FILE", 0,
	  "no planted clusters: random features, for taking times, over this graph of N nodes", 1 },
	{ "density", 'D', "P", 0, "with --edges: how much of the features is there; default 0.1",
	  1 },
	{ 0 },
};

/* Options that only one of the two kinds has. */
static void mark(struct arguments *a, int key)
{
	for (const struct argp_option *o = options; o->name; o++) {
		if (o->key == key && strchr("kdyw", key))
			a->clusters = o->name;
		else if (o->key == key && key == 'D')
			a->noise = o->name;
		else if (o->key == key && key == 'n')
			a->nodes = o->name;
	}
}

static void check(const struct arguments *a, struct argp_state *state)
{
	if (!a->out)
		argp_error(state, "--out is missing");
	if (a->edges && a->clusters)
		argp_error(state, "--%s plants clusters, --edges takes a graph as it is",
			   a->clusters);
	if (a->edges && !a->nodes)
		argp_error(state,
			   "--edges needs --nodes: the file does not say how many there are");
	if (a->p.features == 1 || (a->edges && !a->p.features))
		argp_error(state, "--features is %zu, expected 2 or more%s", a->p.features,
			   a->edges ? " with --edges" : ", or 0 for a graph alone");
	if (!a->edges && a->noise)
		argp_error(state, "--%s goes with --edges", a->noise);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	mark(a, key);
	switch (key) {
	case 'o':
		a->out = arg;
		return 0;
	case 'n':
		a->p.nodes = args_whole(state, "nodes", arg, 2, 1 << 24);
		return 0;
	case 'm':
		a->p.features = args_whole(state, "features", arg, 0, 1 << 24);
		return 0;
	case 'k':
		a->p.classes = args_whole(state, "clusters", arg, 1, 1 << 16);
		return 0;
	case 'd':
		a->p.degree = args_number(state, "degree", arg, 0, 1000);
		return 0;
	case 'y':
		a->p.homophily = args_number(state, "homophily", arg, 0, 1);
		return 0;
	case 'w':
		a->p.signal = args_number(state, "signal", arg, 0, 1);
		return 0;
	case 's':
		a->p.seed = args_whole(state, "seed", arg, 0, SEED_MAX);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument: %s", arg);
		return 0;
	case 'e':
		a->edges = arg;
		return 0;
	case 'D':
		a->density = args_number(state, "density", arg, 0, 1);
		return 0;
	case ARGP_KEY_END:
		check(a, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* edges.tsv, between ids if there are any, which ids.txt has in the order of the nodes. */
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

static enum err write_all(const char *dir, const struct planted *g)
{
	struct buf text = { 0 };
	char *labels;
	enum err err;

	TRY(file_make_dirs(dir));
	if (g->features.rows) {
		mtx_print(&g->features, &text);
		TRY(args_write(dir, "features.mtx", &text));
	}
	TRY(write_graph(dir, &g->adjacency, !g->features.rows));
	labels = file_join(dir, "labels.txt");
	err = labels_write_txt(labels, g->label, g->adjacency.rows);
	free(labels);
	return err;
}

/* The features first: edges.tsv may be the very file that was read. */
static enum err write_noise(const char *dir, const struct csr *features,
			    const struct csr *adjacency)
{
	struct buf text = { 0 };

	TRY(file_make_dirs(dir));
	mtx_print(features, &text);
	TRY(args_write(dir, "features.mtx", &text));
	return write_graph(dir, adjacency, false);
}

static enum err run_noise(const struct arguments *a)
{
	struct csr adjacency = { 0 }, features = { 0 };
	struct edges_dropped dropped;
	enum err err;

	err = edges_read(a->edges, a->p.nodes, NULL, &adjacency, &dropped);
	if (!err)
		err = planted_noise(a->p.nodes, a->p.features, a->density, a->p.seed, &features);
	if (!err)
		err = write_noise(a->out, &features, &adjacency);
	if (!err)
		printf("%s: %zu nodes, %zu features, %zu random values, %zu edges, seed %ju\n",
		       a->out, a->p.nodes, a->p.features, features.start[a->p.nodes],
		       adjacency.start[a->p.nodes] / 2, (uintmax_t)a->p.seed);
	csr_release(&features);
	csr_release(&adjacency);
	return err;
}

static enum err run(void *arguments)
{
	const struct arguments *a = arguments;
	struct planted g;
	enum err err;

	if (a->edges)
		return run_noise(a);
	TRY(planted_make(&a->p, &g));
	err = write_all(a->out, &g);
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
		options,
		parse,
		NULL,
		"Makes an attributed graph with planted clusters; the defaults are about "
		"those of cora. Or, with --edges, random features for a graph that is there.\v"
		"With --features 0 there is no features.mtx; nodes are called n0, n1, ..., in "
		"edges.tsv "
		"and, one per line of labels.txt, in ids.txt.",
		NULL,
		NULL,
		NULL
	};
	struct arguments a = { .p = { .nodes = 2708,
				      .features = 1433,
				      .classes = 7,
				      .degree = 3.9,
				      .homophily = 0.8,
				      .signal = 0.4,
				      .seed = 1 },
			       .density = 0.1 };

	return (int)args_run("synth", &argp, argc, argv, &a, run);
}
