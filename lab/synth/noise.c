/* coterie-lab noise: random features for a given graph. */
#include "lab/synth/noise.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/rng.h"
#include "common/data/edges.h"
#include "common/data/mtx.h"
#include "lab/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Number of the random stream. Planted graphs use streams 0 to 2. */
enum { NOISE_STREAM = 3 };

#define NOISE_MAX 2147483648.0

/* Returns the number of empty cells before the next value. The number has a geometric distribution;
 * miss = ln(1 - density). */
static double noise_gap(struct rng *rng, double density, double miss)
{
	return density < 1 ? floor(log(1 - rng_unit(rng)) / miss) : 0;
}

enum err noise_features(size_t rows, size_t cols, double density, uint64_t seed,
			struct csr *features)
{
	double cells = (double)rows * (double)cols, miss = log1p(-density), at;
	size_t count = 0, room;
	struct rng rng;

	*features = (struct csr){ 0 };
	if (cells * density > NOISE_MAX)
		return err_set(
		    ERR_INPUT,
		    "%zu nodes x %zu features at density %g are %.3g values, expected at most %.3g",
		    rows, cols, density, cells * density, NOISE_MAX);
	*features = (struct csr){ .rows = rows, .cols = cols };
	room = 1024 + (size_t)(1.1 * cells * density);
	ALLOC(features->start, rows + 1);
	ALLOC(features->index, room);
	ALLOC(features->value, room);
	rng_seed(&rng, seed, NOISE_STREAM);
	at = density > 0 ? noise_gap(&rng, density, miss) : cells;
	for (; at < cells; at += 1 + noise_gap(&rng, density, miss)) {
		size_t row = (size_t)at / cols;

		if (count == room) {
			room *= 2;
			features->index =
			    alloc_again(features->index, room, sizeof(*features->index));
			features->value =
			    alloc_again(features->value, room, sizeof(*features->value));
		}
		features->index[count] = (uint32_t)((size_t)at - row * cols);
		features->value[count++] = (double)(1 + rng_below(&rng, 1024)) / 1024;
		features->start[row + 1] = count;
	}
	for (size_t i = 0; i < rows; i++) {
		if (features->start[i + 1] < features->start[i])
			features->start[i + 1] = features->start[i];
	}
	return ERR_OK;
}

/* -- the command ---------------------------------------------------------------------------- */

struct arguments {
	const char *edges, *out;
	size_t nodes, features;
	double density;
	uint64_t seed;
};

static const struct argp_option options[] = {
	{ "edges", 'e', "FILE", 0, "the graph", 0 },
	{ "nodes", 'n', "N", 0, "how many it has: the file does not say", 0 },
	{ "out", 'o', "DIR", 0, "where features.mtx and edges.tsv go", 0 },
	{ "features", 'm', "M", 0, "columns; default 1433", 0 },
	{ "density", 'D', "P", 0, "how much of the features is there; default 0.1", 0 },
	ARGS_SEED,
	{ 0 },
};

static error_t synth_noise_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'e':
		a->edges = arg;
		return 0;
	case 'n':
		a->nodes = args_whole(state, "nodes", arg, 2, 1 << 24);
		return 0;
	case 'o':
		a->out = arg;
		return 0;
	case 'm':
		a->features = args_whole(state, "features", arg, 2, 1 << 24);
		return 0;
	case 'D':
		a->density = args_number(state, "density", arg, 0, 1);
		return 0;
	case 's':
		a->seed = args_seed(state, arg);
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->edges && a->nodes && a->out,
			  "--edges, --nodes and --out are needed");
		return 0;
	default:
		return args_none(key, arg, state);
	}
}

/* Writes edges.tsv last. It may be the input file, which stays as it is if an earlier step fails.
 */
static enum err synth_noise_run(void *arguments)
{
	const struct arguments *a = arguments;
	struct csr adjacency = { 0 }, features = { 0 };
	char *path = file_join(a->out, "features.mtx");
	struct edges_dropped dropped;
	struct buf text = { 0 };
	enum err err;

	err = edges_read(a->edges, a->nodes, NULL, &adjacency, &dropped);
	if (!err)
		err = noise_features(a->nodes, a->features, a->density, a->seed, &features);
	if (!err && file_exists(path))
		err = err_set(ERR_INPUT, "%s: has a features.mtx already: name another directory",
			      a->out);
	if (!err)
		err = file_make_dirs(a->out);
	if (err)
		goto out;
	mtx_print(&features, &text);
	err = args_write(a->out, "features.mtx", &text);
	if (!err) {
		edges_print_tsv(&adjacency, NULL, &text);
		err = args_write(a->out, "edges.tsv", &text);
	}
	if (!err)
		printf("%s: %zu nodes, %zu features, %zu random values, %zu edges, seed %ju\n",
		       a->out, a->nodes, a->features, features.start[a->nodes],
		       adjacency.start[a->nodes] / 2, (uintmax_t)a->seed);
out:
	free(path);
	csr_release(&features);
	csr_release(&adjacency);
	return err;
}

int noise_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = synth_noise_parse,
		.doc =
		    "Makes random features for the nodes of a graph that is there, to take times "
		    "on where its own are missing. They mean nothing, and there are no labels.",
	};

	return (int)args_run("noise", &argp, argc, argv,
			     &(struct arguments){ .features = 1433, .density = 0.1, .seed = 1 },
			     synth_noise_run);
}
