/* coterie fedwalk: FedWalk on a pooled graph, in one process. */
#include "cli/pooled/embed_graph.h"
#include "cli/args/embedding_commands.h"
#include "cli/pooled/fedwalk_pooled.h"
#include "common/fedwalk/bins.h"

#include <string.h>

struct arguments {
	struct embed_graph_arguments graph;
	struct fedwalk_pooled_params p;
};

enum { KEY_EPSILON = 256, KEY_BINS, KEY_MODE };

static const struct argp_option options[] = {
	{ "mode", KEY_MODE, "MODE", 0,
	  "walks (the paper; default), or randomized-response: each pair is reported with noise "
	  "once, the rest is made of that",
	  0 },
	{ "epsilon", KEY_EPSILON, "E", 0, "of the noise; default 2; of the response: 8", 0 },
	{ "bins", KEY_BINS, "K", 0, "default: floor(ln n)", 0 },
	{ "predict", 'p', "P", 0, "how often the two-hop predictor is asked; default 0.2", 0 },
	{ "dissimilarity", 'd', "HOW", 0,
	  "l1 (default), dtw (the paper), dtw-32 (of at most 32 rows), landmarks", 0 },
	{ 0 },
};

static void parse_how(struct argp_state *state, const char *text, struct fedwalk_pooled_params *p)
{
	p->how = FEDWALK_DTW;
	p->dtw_rows = 0;
	if (!strcmp(text, "l1"))
		p->how = FEDWALK_L1;
	else if (!strcmp(text, "landmarks"))
		p->how = FEDWALK_LANDMARKS;
	else if (!strcmp(text, "dtw-32"))
		p->dtw_rows = FEDWALK_DTW_ROWS;
	else if (strcmp(text, "dtw") != 0)
		argp_error(state,
			   "--dissimilarity is \"%s\", expected l1, dtw, dtw-32 or landmarks",
			   text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->graph;
		return 0;
	case KEY_MODE:
		a->p.response = !strcmp(arg, "randomized-response");
		if (!a->p.response && strcmp(arg, "walks") != 0)
			argp_error(state, "--mode is \"%s\", expected walks or randomized-response",
				   arg);
		return 0;
	case KEY_EPSILON:
		a->p.eps = args_number(state, "epsilon", arg, FEDWALK_EPS_MIN, FEDWALK_EPS_MAX);
		return 0;
	case KEY_BINS:
		a->p.bins = (unsigned)args_whole(state, "bins", arg, 1, FEDWALK_BINS_MAX);
		return 0;
	case 'p':
		a->p.p = args_number(state, "predict", arg, 0, 1);
		return 0;
	case 'd':
		parse_how(state, arg, &a->p);
		return 0;
	case ARGP_KEY_END:
		if (!(a->p.eps > 0))
			a->p.eps = a->p.response ? 8 : 2;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static enum err run(void *arguments)
{
	struct arguments *a = arguments;
	struct json *result = json_object();
	struct dataset d;
	struct walks w;
	enum err err = embed_graph_read(&a->graph, &d, result);

	a->p.gamma = a->graph.gamma;
	a->p.length = a->graph.length;
	a->p.seed = a->graph.seed;
	a->p.threads = a->graph.threads;
	if (!err) {
		err = fedwalk_pooled(&d.g.adjacency, &a->p, &w, result);
		if (!err) {
			err = embed_graph_finish(&a->graph, &d, &w, result);
			walks_release(&w);
		}
		dataset_release(&d);
	}
	if (!err)
		args_print(result);
	json_free(result);
	return err;
}

int fedwalk_main(int argc, char **argv)
{
	static const struct argp_child children[] = { { &embed_graph_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		options,
		parse,
		NULL,
		"Embeds the vertices of a pooled graph as a job of kind fedwalk does it for "
		"vertices that are spread over parties, with random numbers from a seed: to try "
		"parameters, and to see what a job would tell.\v"
		"The result has the messages a walk takes from device to device, what each "
		"mechanism spends of privacy, and how many ties the walks give away.",
		children,
		NULL,
		NULL
	};
	struct arguments a = { .graph = EMBED_GRAPH_DEFAULTS, .p = { .p = 0.2 } };

	return (int)args_run("fedwalk", &argp, argc, argv, &a, run);
}
