#include "cli/split/split.h"
#include "cli/args/args.h"
#include "common/kind/tree.h"

#include <stdio.h>
#include <string.h>

enum { KEY_OVERLAP = 256, KEY_REGIONS, KEY_NO_FEATURES, KEY_SKEW, KEY_KEEP, KEY_CONTIGUOUS };

static const struct argp_option options[] = {
	{ "data", 'd', "DIR", 0,
	  "directory with features.mtx|npy|csv (optional with edges), edges.tsv|mtx (optional "
	  "with columns and rows), and optional ids.txt and labels.txt; with graphs a set in TU "
	  "format",
	  0 },
	{ "out", 'o', "DIR", 0,
	  "new or empty directory for party-00, party-01, ... and "
	  "split.json",
	  0 },
	{ "parties", 'l', "L", 0, "number of parties", 0 },
	{ "by", 'b', "WHAT", 0, "columns (default), rows, edges, vertices or graphs", 0 },
	{ "shared-edges", 'e', "F", 0,
	  "with columns: part of the edges that each party gets, 0.5 to 1; default all", 0 },
	{ "keep", KEY_KEEP, "F", 0,
	  "with columns: part of the rows that each party gets, in its own order; default all", 0 },
	{ "contiguous", KEY_CONTIGUOUS, NULL, 0,
	  "with columns: each party gets adjacent columns, in their order", 0 },
	{ "skew", KEY_SKEW, "S", 0,
	  "with rows or graphs: part of them that is split by class, 0 to 1, so that each party "
	  "has few classes; default 0",
	  0 },
	{ "overlap", KEY_OVERLAP, "F", 0,
	  "with edges: part of the parties that get each edge, 0 to 1; at least one party gets "
	  "it; default 0",
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
		.doc = "Splits a data directory over parties, at random and equally: by columns "
		       "(same nodes and graph, different features), by rows (different rows, "
		       "same features), by edges, by vertices, or by graphs (of a set of "
		       "graphs).\vRows keep their ids. --by rows gives each party the labels of "
		       "its rows; if there are no ids, a row's id is its number in DIR. "
		       "columns.txt in a party's directory lists the columns that it has; "
		       "columns.json has their names, if there are any.\n\n"
		       "With --shared-edges the parties' graphs differ; their job needs "
		       "\"graphs\": \"own\". The command puts the edges into a random order, as "
		       "on a circle. Party l of L takes the part F of the circle that begins at "
		       "l/L. So at F = 0.5 two parties have different halves; as F grows, each "
		       "keeps its edges.\n\n"
		       "With --keep each party has other rows, as organisations have other "
		       "customers: a random part F of the rows, in random order, with their ids "
		       "(without ids, their numbers in DIR) and the edges between them. Their "
		       "job needs \"align\": \"intersect\". A part of F to the power of L of "
		       "the rows is common to all parties.\n\n"
		       "--by edges splits a directory without features (or with --no-features), "
		       "as for FedSpectral. A party gets edges.tsv with ids and weights, and "
		       "ids.txt with the ends of its edges. Each node without edges goes to one "
		       "party. --overlap F is as in the paper: each edge goes to max(1, F L) "
		       "random parties, rounded, for example to 2 of 5 at 0.4. With --regions, "
		       "regions of the graph grow from random nodes, one for each party. A "
		       "party gets the edges within its region; an edge between two regions "
		       "goes to one of them.\n\n"
		       "--by vertices splits a directory with edges, as for FedWalk. A party "
		       "gets ids.txt with the vertices that it hosts, edges.tsv with all their "
		       "edges, and their lines of labels.txt. An edge between vertices of two "
		       "parties goes to both.",
	};
	return (int)args_run("split", &argp, argc, argv, &(struct split_params){ .seed = 1 },
			     split_run);
}
