/* walks.h -- walks on a graph as sequences of tokens, and those of DeepWalk (Perozzi, Al-Rfou,
 * Skiena, KDD 2014). */
#ifndef COMMON_GRAPH_WALKS_H
#define COMMON_GRAPH_WALKS_H

#include "common/linalg/csr.h"

#include <stddef.h>
#include <stdint.h>

#define WALK_END UINT32_MAX /* fills a walk that ended early */

struct walks {
	size_t count;
	unsigned length;
	uint32_t *token; /* owned: count x length; a walk's first WALK_END ends it */
};

void walks_init(struct walks *w, size_t count, unsigned length); /* all walks are empty */
void walks_release(struct walks *w);

/* Draws gamma walks of `length` tokens from each vertex. Walk p n + v is the p-th walk of vertex v
 * and begins with v. Each step picks a random neighbour, by weight if g has values (all > 0). Walks
 * of vertices without neighbours are [v]. Deterministic for a seed and any number of threads. w is
 * initialised here. */
void walks_random(struct walks *w, const struct csr *g, unsigned gamma, unsigned length,
		  uint64_t seed, unsigned threads);

#endif
