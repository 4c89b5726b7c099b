/* embed_graph.h -- shared by deepwalk and fedwalk on a pooled graph: reading it, training, writing
 * embeddings. */
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

#define EMBED_GRAPH_DEFAULTS                                                                       \
	{                                                                                          \
		.gamma = 80, .length = 40, .window = 10, .seed = 1                                 \
	}

/* Child for struct argp_child; its input is struct embed_graph_arguments. */
extern const struct argp embed_graph_argp;

/* Reads the vertices in ids or, without ids, the vertices in edges. Adds the numbers of vertices,
 * edges and isolated vertices to result. ERR_INPUT: a file is invalid, there are no edges, the
 * machine's memory is too small for walks and training, or a->out contains results. */
enum err embed_graph_read(const struct embed_graph_arguments *a, struct dataset *d,
			  struct json *result) MUST_CHECK;

/* Trains SkipGram on the walks; writes embeddings.npy, ids.csv and result.json to a->out. Shows
 * progress on a terminal. ERR_JOB: a file cannot be written. */
enum err embed_graph_finish(const struct embed_graph_arguments *a, const struct dataset *d,
			    const struct walks *w, struct json *result) MUST_CHECK;

#endif
