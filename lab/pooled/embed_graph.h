/* embed_graph.h -- what deepwalk and fedwalk on a pooled graph have in common: reading it, training,
 * writing embeddings. */
#ifndef LAB_POOLED_EMBED_GRAPH_H
#define LAB_POOLED_EMBED_GRAPH_H

#include "cli/args/args.h"
#include "common/data/dataset.h"
#include "common/graph/walks.h"

#include <stddef.h>
#include <stdint.h>

struct embed_graph_arguments {
	const char *edges, *ids, *out;
	unsigned gamma, length, window, threads;
	uint64_t seed;
};

#define EMBED_GRAPH_DEFAULTS { .gamma = 80, .length = 40, .window = 10, .seed = 1 }

extern const struct argp embed_graph_argp; /* a child; its input is struct embed_graph_arguments */

/* The vertices: those of ids, or those that edges names. ERR_INPUT if there are no edges, or more
 * tokens than memory has room for, or there are results in a->out. Puts numbers of vertices, edges and isolated ones to result. */
enum err embed_graph_read(const struct embed_graph_arguments *a, struct dataset *d,
			  struct json *result) MUST_CHECK;

/* SkipGram on the walks, and embeddings.npy, ids.csv and result.json in a->out. Says how far it is on
 * a terminal. ERR_JOB. */
enum err embed_graph_finish(const struct embed_graph_arguments *a, const struct dataset *d,
			    const struct walks *w, struct json *result) MUST_CHECK;

#endif
