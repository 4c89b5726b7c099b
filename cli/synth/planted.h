/* planted.h -- an attributed graph whose clusters are known: test data as citation graphs are.
 *
 * Nodes have a class (classes shrink: the r-th has weight 1 / (1 + r/2)), a degree that is drawn
 * from a power law, and words. An edge joins two nodes of one class with probability homophily,
 * else any two (a degree-corrected planted partition). A class has words of its own; each word of
 * a node is one of its class's with probability signal, else any; within each, words follow
 * Zipf's law. Same parameters and seed: same graph, on every machine with the same libm.
 */
#ifndef CLI_SYNTH_PLANTED_H
#define CLI_SYNTH_PLANTED_H

#include "common/base/err.h"
#include "common/linalg/csr.h"

#include <stddef.h>
#include <stdint.h>

struct planted_params {
	size_t nodes, features, classes; /* features 0: a graph alone */
	double degree;                   /* mean */
	double homophily;                /* 0 .. 1 */
	double signal;                   /* 0 .. 1 */
	uint64_t seed;
};

struct planted {
	struct csr features; /* nodes x features, values NULL: binary; empty without features */
	struct csr adjacency;
	uint32_t *label; /* nodes, owned */
};

/* ERR_INPUT if there is no such graph: more classes than nodes or features, or more edges than
 * the nodes have room for. O(nodes (degree + words) log) */
enum err planted_make(const struct planted_params *p, struct planted *g) MUST_CHECK;
void planted_release(struct planted *g);

/* Features without any meaning, to take times on where the real ones are missing: each of rows x
 * cols is there with probability density (0 .. 1), its value one of 1/1024, 2/1024, ..., 1, so that
 * it is not taken for binary. *features is initialised here; ERR_INPUT, and empty, if that would be
 * more than 2^31 values. O(rows + values) */
enum err planted_noise(size_t rows, size_t cols, double density, uint64_t seed,
		       struct csr *features) MUST_CHECK;

#endif
