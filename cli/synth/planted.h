/* planted.h -- test data with known clusters. The same parameters and seed give the same data on
 * every machine with the same libm.
 *
 * The graph is similar to citation graphs. Each node has a class (class r has weight 1 / (1 +
 * r/2)), a degree drawn from a power law, and words. An edge joins two nodes of one class with
 * probability homophily, otherwise any two (a degree-corrected planted partition). Each class has
 * words of its own. A word of a node is one of its class with probability signal, otherwise any
 * word; both follow Zipf's law.
 */
#ifndef CLI_SYNTH_PLANTED_H
#define CLI_SYNTH_PLANTED_H

#include "common/base/err.h"
#include "common/linalg/csr.h"
#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

struct planted_params {
	size_t nodes, features, classes; /* features 0: only a graph */
	double degree;                   /* mean degree */
	double homophily;                /* from 0 to 1 */
	double signal;                   /* from 0 to 1 */
	uint64_t seed;
};

struct planted {
	/* Nodes x features; values NULL means binary; empty without features. */
	struct csr features;
	struct csr adjacency;
	uint32_t *label; /* one class per node; owned */
};

/* ERR_INPUT: no such graph exists, because there are more classes than nodes or features, or too
 * many edges for the nodes. O(nodes (degree + words) log). */
enum err planted_make(const struct planted_params *p, struct planted *g) MUST_CHECK;
void planted_release(struct planted *g);

/* ---- Gaussian clouds ----
 *
 * The data are Gaussian clouds around K centres, with standard deviation 1 in every column. Centres
 * are Gaussian, too, and at least `apart` from each other. A centre that is nearer to another is
 * drawn again from a wider distribution. Cluster sizes differ by at most one row, and rows are in
 * random order. Values are rounded to floats, as in the file.
 */
enum { GAUSS_CLUSTERS_MAX = 4096 };

struct gauss_params {
	size_t rows, columns, clusters; /* clusters at most GAUSS_CLUSTERS_MAX */
	double apart;                   /* minimum distance between centres; 0: none */
	uint64_t seed;
};

/* Initialises *X, rows x columns, and *label, `rows` values; both owned by the caller. ERR_INPUT:
 * there are more clusters than rows, or more than GAUSS_VALUES_MAX values; both are then empty.
 * O(rows columns + clusters^2 columns). */
enum err gauss_make(const struct gauss_params *p, struct mat *X, uint32_t **label) MUST_CHECK;

#define GAUSS_VALUES_MAX ((size_t)1 << 31) /* 16 GiB */

#endif
