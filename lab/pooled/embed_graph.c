/* Embeddings of a pooled graph; and coterie-lab deepwalk, the baseline of FedWalk. */
#include "lab/pooled/embed_graph.h"
#include "lab/lab.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/machine.h"
#include "common/data/embeddings.h"
#include "protocols/fedwalk/distance.h"
#include "common/learn/sgns.h"

#include <stdlib.h>
#include <unistd.h>

enum { WALKS_MAX = 10000, WINDOW_MAX = 64 }; /* maximum of walks per vertex, and of the window */

static const struct argp_option options[] = {
	{ "edges", 'e', "FILE", 0, "the graph: edges.tsv or .mtx", 0 },
	{ "ids", 'i', "FILE", 0,
	  "the vertices, those without ties too; default: those of the edges", 0 },
	{ "out", 'o', "DIR", 0, "where embeddings.npy, ids.csv and result.json go: new, or empty",
	  0 },
	{ "walks", 'g', "N", 0, "from each vertex; default 80", 0 },
	{ "length", 'l', "L", 0, "tokens of a walk; default 40", 0 },
	{ "window", 'w', "W", 0, "of SkipGram; default 10", 0 },
	ARGS_SEED,
	ARGS_THREADS('t'),
	{ 0 },
};

static error_t embed_graph_parse(int key, char *arg, struct argp_state *state)
{
	struct embed_graph_arguments *a = state->input;

	switch (key) {
	case 'e':
		a->edges = arg;
		return 0;
	case 'i':
		a->ids = arg;
		return 0;
	case 'o':
		a->out = arg;
		return 0;
	case 'g':
		a->gamma = (unsigned)args_whole(state, "walks", arg, 1, WALKS_MAX);
		return 0;
	case 'l':
		a->length = (unsigned)args_whole(state, "length", arg, 3, WALKS_MAX);
		return 0;
	case 'w':
		a->window = (unsigned)args_whole(state, "window", arg, 1, WINDOW_MAX);
		return 0;
	case 's':
		a->seed = args_seed(state, arg);
		return 0;
	case 't':
		a->threads = args_threads(state, arg);
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->edges && a->out, "--edges and --out are needed");
		a->threads = args_cores(a->threads);
		return 0;
	default:
		return args_none(key, arg, state);
	}
}

const struct argp embed_graph_argp = { .options = options, .parser = embed_graph_parse };

enum err embed_graph_read(const struct embed_graph_arguments *a, struct dataset *d,
			  struct json *result)
{
	enum err err;
	const struct csr *g = &d->g.adjacency;
	size_t isolated = 0;

	TRY(results_check(a->out));
	TRY(dataset_load(d, NULL, a->edges, a->ids));
	if (!d->n || !g->start[d->n]) {
		dataset_release(d);
		return err_set(ERR_INPUT, "%s: no edges", a->edges);
	}
	err = machine_fits(a->edges, "walks of all vertices, and training,",
			   fedwalk_train_bytes(d->n, a->gamma, a->length, a->threads));
	if (err) {
		dataset_release(d);
		return err;
	}
	for (size_t v = 0; v < d->n; v++)
		isolated += g->start[v] == g->start[v + 1];
	json_put_number(result, "vertices", (double)d->n);
	json_put_number(result, "edges", (double)(g->start[d->n] / 2));
	json_put_number(result, "isolated", (double)isolated);
	return ERR_OK;
}

/* Returns the number of tokens, without WALK_END. */
static size_t tokens_of(const struct walks *w)
{
	size_t tokens = 0;

	for (size_t i = 0; i < w->count; i++)
		for (size_t j = 0; j < w->length && w->token[i * w->length + j] != WALK_END; j++)
			tokens++;
	return tokens;
}

struct stream {
	bool aloud;
	double loss;
};

static void embed_graph_show_progress(void *ctx, double done, double loss)
{
	struct stream *t = ctx;

	t->loss = loss;
	if (t->aloud)
		fprintf(stderr, "\rSkipGram: %3.0f %%, loss %.3f%s", 100 * done, loss,
			done < 1 ? "" : "\n");
}

enum err embed_graph_finish(const struct embed_graph_arguments *a, const struct dataset *d,
			    const struct walks *w, struct json *result)
{
	struct stream teller = { .aloud = isatty(STDERR_FILENO) };
	struct sgns_params p = { .n = d->n,
				 .window = a->window,
				 .seed = a->seed,
				 .threads = a->threads,
				 .progress = embed_graph_show_progress,
				 .ctx = &teller };
	double start = clock_now_s();
	struct buf text = { 0 };
	enum err err;
	float *X;

	ALLOC(X, d->n * SGNS_DIMS);
	sgns(w, &p, X);
	json_put_number(result, "tokens", (double)tokens_of(w));
	json_put_number(result, "loss", teller.loss);
	json_put_seconds(result, "skipgram_seconds", clock_now_s() - start);
	err = embeddings_write(a->out, d->ids.id, X, d->n, SGNS_DIMS);
	free(X);
	json_write_pretty(result, &text);
	if (!err)
		err = args_write(a->out, "result.json", &text);
	buf_release(&text);
	return err;
}

/* -- coterie-lab deepwalk ------------------------------------------------------------------- */

static enum err embed_graph_run(void *arguments)
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
	static const struct argp argp = {
		.options = options,
		.parser = embed_graph_parse,
		.doc = "Embeds the vertices of a pooled graph by DeepWalk (Perozzi, Al-Rfou, "
		       "Skiena 2014): uniform random walks, and SkipGram with 5 negatives, 128 "
		       "dimensions, one epoch. It is what a job of kind fedwalk is compared with.\v"
		       "The same seed gives the same embeddings, whatever the number of threads.",
	};
	struct embed_graph_arguments a = EMBED_GRAPH_DEFAULTS;

	return (int)args_run("deepwalk", &argp, argc, argv, &a, embed_graph_run);
}
