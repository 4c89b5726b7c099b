/* coterie-lab spectral: central spectral clustering, the baseline of FedSpectral. */
#include "lab/lab.h"
#include "cli/args/pooled_graph.h"
#include "cli/run/score.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/kind/kind.h"
#include "protocols/fedspectral/coordinator.h"
#include "protocols/fedspectral/party.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 10000 }; /* many rounds cost little, because there is no network */
enum { KEY_TOLERANCE = 256, KEY_REGULARIZE };

struct arguments {
	const char *data, *out;
	struct fedspectral_params p; /* its k is 0 if the eigengap chooses it */
	bool clusters;               /* --clusters was given */
};

static const struct argp_option options[] = {
	{ "data", 'd', "DIR", 0,
	  "edges.tsv|mtx; ids.txt and labels.txt if there are any; features are not read", 0 },
	{ "clusters", 'k', "K", 0, "how many, or auto: by the eigengap, 2 to 20", 0 },
	ARGS_SEED,
	{ "restarts", 'r', "R", 0, "of k-means; default 100", 0 },
	{ "regularize", KEY_REGULARIZE, "TAU", 0,
	  "D + TAU I in place of D, in harmonic mean degrees; default 0.2", 0 },
	{ "tolerance", KEY_TOLERANCE, "T", 0,
	  "residual of the eigenvectors, relative to the first eigenvalue; default 1e-6", 0 },
	ARGS_RESULTS,
	ARGS_THREADS('t'),
	{ 0 },
};

static error_t pooled_spectral_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'd':
		a->data = arg;
		return 0;
	case 'k':
		a->clusters = true;
		a->p.k = !strcmp(arg, "auto")
			     ? 0
			     : (unsigned)args_whole(state, "clusters", arg, 2, JOB_CLUSTERS_MAX);
		return 0;
	case 's':
		a->p.seed = args_seed(state, arg);
		return 0;
	case 'r':
		a->p.restarts = (unsigned)args_whole(state, "restarts", arg, 1, 10000);
		return 0;
	case KEY_REGULARIZE:
		a->p.tau = args_number(state, "regularize", arg, 0, 10);
		return 0;
	case KEY_TOLERANCE:
		a->p.tolerance = args_number(state, "tolerance", arg, 1e-12, 1);
		return 0;
	case 'o':
		a->out = arg;
		return 0;
	case 't':
		a->p.threads = args_threads(state, arg);
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->data && a->clusters, "--data and --clusters are needed");
		return 0;
	default:
		return args_none(key, arg, state);
	}
}

/* Returns the number of connected components; an isolated node is one. O(n + edges). */
static size_t components(const struct pooled_graph *g)
{
	size_t count = 0, top;
	uint32_t *stack;
	bool *seen;

	ALLOC(stack, g->n + 1);
	ALLOC(seen, g->n + 1);
	for (size_t i = 0; i < g->n; i++) {
		if (seen[i])
			continue;
		seen[i] = true;
		stack[0] = (uint32_t)i;
		for (top = 1; top;) {
			uint32_t u = stack[--top];

			for (size_t e = g->S.start[u]; e < g->S.start[u + 1]; e++) {
				uint32_t v = g->S.index[e];

				if (seen[v])
					continue;
				seen[v] = true;
				stack[top++] = v;
			}
		}
		count++;
	}
	free(seen);
	free(stack);
	return count;
}

/* Writes facts under the names that run.json has. */
static void pooled_spectral_describe(const struct pooled_graph *g,
				     const struct fedspectral_report *r, struct json *to)
{
	struct json *values;

	json_put_number(to, "nodes", (double)g->n);
	json_put_number(to, "edges", (double)(g->S.start[g->n] / 2));
	json_put_number(to, "isolated", (double)r->isolated);
	json_put_number(to, "components", (double)(components(g) - r->isolated));
	json_put_number(to, "clusters", r->k);
	values = json_put_array(to, "eigenvalues");
	for (size_t i = 0; i < r->values; i++)
		json_append_number(values, r->value[i]);
	json_put_number(to, "eigengap", r->gap);
	json_put_number(to, "rounds", r->rounds);
	json_put_number(to, "residual", r->residual);
}

static enum err pooled_spectral_run(void *arguments)
{
	struct arguments *a = arguments;
	struct json *result = json_object();
	struct fedspectral_report report;
	struct fedspectral_party all;
	struct memory memory = { .kind = &fedspectral_in_memory, .party = &all, .count = 1 };
	struct parties parties;
	double start = clock_now_s();
	uint32_t *label = NULL;
	struct pooled_graph g = { 0 };
	enum err err = results_check(a->out);

	if (!err)
		err = pooled_graph_read(a->data, &g);
	a->p.threads = args_cores(a->p.threads);
	if (!err) {
		ALLOC(label, g.n);
		fedspectral_party_init(&all, &g.S, NULL, g.n, a->p.threads);
		parties_in_memory(&parties, &memory);
		err = fedspectral_exact(&parties, g.n, &a->p, label, &report);
		fedspectral_party_release(&all);
	}
	if (!err) {
		pooled_spectral_describe(&g, &report, result);
		json_put_number(result, "seed", (double)a->p.seed);
		json_put_seconds(result, "seconds", clock_now_s() - start);
	}
	if (!err && g.truth)
		err = score_rows(g.truth, label, g.n, result);
	if (!err && a->out)
		err = results_write(a->out, g.id, label, NULL, g.n, result);
	if (!err)
		args_print(result);
	free(label);
	pooled_graph_release(&g);
	json_free(result);
	return err;
}

int spectral_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = pooled_spectral_parse,
		.doc = "Clusters a pooled graph by spectral clustering (Ng, Jordan, Weiss 2001): "
		       "k-means on the unit rows of the leading eigenvectors of D^-1/2 A D^-1/2. "
		       "It is what a job of kind fedspectral finds for any number of parties, and "
		       "what its labels are compared with.\v"
		       "The result has the leading eigenvalues, falling, and the gap after the "
		       "last of those that are used; how many nodes have no edge, which get a "
		       "label for themselves, the last; and of how many connected components the "
		       "others are. Labels are by falling size of their clusters. With labels.txt "
		       "in the data directory it says how well they were found.\n\n"
		       "labels.csv is by id: that of ids.txt, or what edges.tsv calls the nodes.",
	};
	struct arguments a = { 0 };

	fedspectral_defaults(&a.p, 0, 1, 0);
	a.p.rounds = ROUNDS;
	a.p.tolerance = 1e-6;
	return (int)args_run("spectral", &argp, argc, argv, &a, pooled_spectral_run);
}
