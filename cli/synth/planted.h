/* planted.h -- test data whose clusters are known. Same parameters and seed: same data, on every
 * machine with the same libm.
 *
 * A graph as citation graphs are: nodes have a class (classes shrink: the r-th has weight
 * 1 / (1 + r/2)), a degree that is drawn from a power law, and words. An edge joins two nodes of one
 * class with probability homophily, else any two (a degree-corrected planted partition). A class has
 * words of its own; each word of a node is one of its class's with probability signal, else any;
 * within each, words follow Zipf's law.
 */
#ifndef CLI_SYNTH_PLANTED_H
#define CLI_SYNTH_PLANTED_H

#include "common/base/err.h"
#include "common/linalg/csr.h"
#include "common/linalg/mat.h"

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

/* ---- rows in clouds ----
 *
 * A Gaussian cloud around each of K centres: noise has standard deviation 1 in every column. Centres
 * are Gaussian, too, and no two are nearer than `apart`: one that would be is drawn again, from a
 * wider cloud. Clusters are equally large, up to one row, and rows are in random order. Values are
 * rounded to floats, which is what the file of them then holds. */
enum { GAUSS_CLUSTERS_MAX = 4096 };

struct gauss_params {
	size_t rows, columns, clusters; /* clusters at most GAUSS_CLUSTERS_MAX */
	double apart;                   /* between any two centres, at least; 0: whatever comes */
	uint64_t seed;
};

/* *X is initialised here, rows x columns; label: `rows` of them, owned by the caller. ERR_INPUT,
 * and both empty: more clusters than rows, or more than GAUSS_VALUES_MAX values. O(rows columns +
 * clusters^2 columns) */
enum err gauss_make(const struct gauss_params *p, struct mat *X, uint32_t **label) MUST_CHECK;

#define GAUSS_VALUES_MAX ((size_t)1 << 31) /* 16 GiB */

#endif
