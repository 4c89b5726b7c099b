/* coterie deepwalk: embeddings of a pooled graph, what FedWalk's are compared with. */
#include "cli/pooled/embed_graph.h"
#include "cli/args/embedding_commands.h"
#include "common/base/clock.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	return 0;
}

static enum err run(void *arguments)
{
	const struct embed_graph_arguments *a = arguments;
	struct json *result = json_object();
	double start = clock_now_s();
	struct dataset d;
	struct walks w;
	enum err err = embed_graph_read(a, &d, result);

	if (!err) {
		walks_random(&w, &d.g.adjacency, a->gamma, a->length, a->seed, a->threads);
		json_put_seconds(result, "walk_seconds", clock_now_s() - start);
		err = embed_graph_finish(a, &d, &w, result);
		walks_release(&w);
		dataset_release(&d);
	}
	if (!err)
		args_print(result);
	json_free(result);
	return err;
}

int deepwalk_main(int argc, char **argv)
{
	static const struct argp_child children[] = { { &embed_graph_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		NULL,
		parse,
		NULL,
		"Embeds the vertices of a pooled graph by DeepWalk (Perozzi, Al-Rfou, Skiena "
		"2014): uniform random walks, and SkipGram with 5 negatives, 128 dimensions, one "
		"epoch. It is what a job of kind fedwalk is compared with.\v"
		"The same seed gives the same embeddings, whatever the number of threads.",
		children,
		NULL,
		NULL
	};
	struct embed_graph_arguments a = EMBED_GRAPH_DEFAULTS;

	return (int)args_run("deepwalk", &argp, argc, argv, &a, run);
}
