#include "cli/split/split.h"
#include "cli/args/args.h"
#include "common/kind/tree.h"

#include <stdio.h>
#include <string.h>

enum { KEY_OVERLAP = 256, KEY_REGIONS, KEY_NO_FEATURES, KEY_SKEW, KEY_KEEP, KEY_CONTIGUOUS };

static const struct argp_option options[] = {
	{ "data", 'd', "DIR", 0,
	  "directory with features.mtx|npy|csv (optional by edges), edges.tsv|mtx (optional by "
	  "columns and rows), and optional ids.txt and labels.txt; by graphs a set in TU format",
	  0 },
	{ "out", 'o', "DIR", 0,
	  "new or empty directory for party-00, party-01, ... and "
	  "split.json",
	  0 },
	{ "parties", 'l', "L", 0, "how many", 0 },
	{ "by", 'b', "WHAT", 0, "columns (default), rows, edges, vertices or graphs", 0 },
	{ "shared-edges", 'e', "F", 0,
	  "with columns: share of the edges that each party gets, 0.5 to 1; default all", 0 },
	{ "keep", KEY_KEEP, "F", 0,
	  "with columns: share of the rows that each party gets, in its own order; default all",
	  0 },
	{ "contiguous", KEY_CONTIGUOUS, NULL, 0,
	  "with columns: each party gets adjacent columns, in their order", 0 },
	{ "skew", KEY_SKEW, "S", 0,
	  "with rows or graphs: share of them that is dealt by class, 0 to 1, so that each "
	  "party has few classes; default 0",
	  0 },
	{ "overlap", KEY_OVERLAP, "F", 0,
	  "with edges: share of the parties that get each edge, 0 to 1, at least one; default 0",
	  0 },
	{ "regions", KEY_REGIONS, NULL, 0,
	  "with edges: each party gets the edges of one region of the graph", 0 },
	{ "no-features", KEY_NO_FEATURES, NULL, 0, "with edges: omit features", 0 },
	ARGS_SEED,
	{ 0 },
};

static void split_check_options(const struct split_params *p, struct argp_state *state)
{
	const char *edges = p->overlap > 0   ? "overlap"
			    : p->regions     ? "regions"
			    : p->no_features ? "no-features"
					     : NULL;

	args_need(state, p->data && p->out && p->parties, "--data, --out and --parties are needed");
	if (p->shared_edges > 0 && p->by != SPLIT_COLUMNS)
		argp_error(state, "--shared-edges is for --by columns, not for %s",
			   split_by_names[p->by]);
	if (p->shared_edges > 0 && p->parties < 2)
		argp_error(state, "--shared-edges is for two or more parties");
	if (p->keep > 0 && p->by != SPLIT_COLUMNS)
		argp_error(state, "--keep is for --by columns, not for %s", split_by_names[p->by]);
	if (p->skew > 0 && p->by != SPLIT_ROWS && p->by != SPLIT_GRAPHS)
		argp_error(state, "--skew is for --by rows or graphs, not for %s",
			   split_by_names[p->by]);
	if (edges && p->by != SPLIT_EDGES)
		argp_error(state, "--%s is for --by edges, not for %s", edges,
			   split_by_names[p->by]);
}

static error_t split_parse(int key, char *arg, struct argp_state *state)
{
	struct split_params *p = state->input;
	const struct args_field fields[] = {
		{ 'd', ARGS_TO(p->data) },
		{ 'o', ARGS_TO(p->out) },
		{ 'l', ARGS_TO(p->parties), 1, PARTIES_MAX },
		{ 's', ARGS_TO(p->seed), 0, SEED_MAX },
		{ 'e', ARGS_TO(p->shared_edges), SPLIT_SHARED_MIN, 1 },
		{ KEY_KEEP, ARGS_TO(p->keep), SPLIT_KEEP_MIN, 1 },
		{ KEY_CONTIGUOUS, ARGS_TO(p->contiguous) },
		{ KEY_SKEW, ARGS_TO(p->skew), 0, 1 },
		{ KEY_OVERLAP, ARGS_TO(p->overlap), 0, 1 },
		{ KEY_REGIONS, ARGS_TO(p->regions) },
		{ KEY_NO_FEATURES, ARGS_TO(p->no_features) },
		{ 0 },
	};

	switch (key) {
	case 'b':
		for (p->by = SPLIT_COLUMNS; p->by <= SPLIT_GRAPHS; p->by++) {
			if (!strcmp(split_by_names[p->by], arg))
				return 0;
		}
		argp_error(state,
			   "--by is \"%s\", expected columns, rows, edges, vertices or graphs",
			   arg);
		return 0;
	case ARGP_KEY_END:
		split_check_options(p, state);
		return 0;
	default:
		return args_take(options, fields, key, arg, state);
	}
}

static enum err split_run(void *arguments)
{
	const struct split_params *p = arguments;

	TRY(split_data(p));
	printf("%s: split by %s over %zu parties, seed %ju", p->out, split_by_names[p->by],
	       p->parties, (uintmax_t)p->seed);
	if (p->skew > 0)
		printf(", %g of the %s by class", p->skew, split_by_names[p->by]);
	printf("\n");
	return ERR_OK;
}

int split_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = split_parse,
		.doc =
		    "Splits a data directory over parties, at random and equally: by columns (same "
		    "nodes and, if there is one, graph; different features), by rows (different "
		    "rows, same features), by edges, by vertices, or by graphs (of a set of "
		    "many).\vIds are kept; by rows, where there are none, a row's id is its number "
		    "in the whole. columns.txt in a party's directory says which columns of the "
		    "whole it has; if they have names, columns.json says these. By rows each party "
		    "has the labels of its own rows.\n\n"
		    "With --shared-edges the parties' graphs differ, and a job over them says "
		    "\"graphs\": \"own\". The edges are put into a random order, as on a circle, "
		    "and party l of L takes F of them on from the place l/L. So two parties have a "
		    "half each at F = 0.5, and all that they have then they keep as F grows.\n\n"
		    "With --keep each party has other rows, as organisations have other customers: "
		    "F of them at random, in an order of its own, with their ids (without ids, "
		    "their numbers in the whole) and the edges between them. A job over them says "
		    "\"align\": \"intersect\"; its parties have F to the power of L of the rows in "
		    "common.\n\n"
		    "By edges, a directory without features (or with --no-features) is split as "
		    "for FedSpectral: a party gets edges.tsv by id with the weights, and ids.txt "
		    "with the nodes that it knows: the ends of its edges. A node without any edge "
		    "is known to one party. --overlap F is the paper's: each edge is with max(1, F "
		    "L) different random parties, to the nearest whole and so the same number for "
		    "all: 2 of 5 at 0.4. With --regions as many regions of the graph as parties "
		    "grow from random nodes by their neighbours; an edge within one is that "
		    "party's, an edge between two is either's.\n\n"
		    "By vertices, a directory with edges is split as for FedWalk: a party gets "
		    "ids.txt with the vertices that it hosts, edges.tsv with all their ties, and "
		    "their lines of labels.txt. A tie of two parties' vertices is with both.",
	};
	return (int)args_run("split", &argp, argc, argv, &(struct split_params){ .seed = 1 },
			     split_run);
}
