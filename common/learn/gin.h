/* gin.h -- the network of FedGCN (Liu et al., AAAI 2025), forward and backward, and its optimiser.
 * It is a graph isomorphism network (Xu et al. 2018) of three layers with sums over nodes, a
 * readout and a reconstruction. A is the adjacency matrix; F has a row of features for each node.
 *
 *     s_l = (A + I) h_(l-1),  h_l = relu(relu(s_l Wa + ba) Wb + bb),  h_0 = F     equation 5
 *     r   = sum over nodes of (h_1, h_2, h_3)                                     192 per graph
 *     Z   = relu(r W + b) W + b                                                   equation 6
 *           GRAPHS_DRAWING: plus 64 times the drawing, the sums over nodes of the last columns of F
 *     F^  = relu(h_3 W + b) W + b                                                 equation 7
 *
 * Computed in blocks of whole graphs, cut by size only: the results are bitwise identical for any
 * number of threads. Training uses floats; the same code in doubles serves to test gradients.
 */
#ifndef COMMON_LEARN_GIN_H
#define COMMON_LEARN_GIN_H

#include "common/graph/graphs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GIN_HIDDEN = 64, GIN_LAYERS = 3, GIN_POOLED = GIN_LAYERS * GIN_HIDDEN, GIN_Z = 64 };

/* Linear maps, in the order of their weights. With aggregation "fedper", a party does not share
 * those from GIN_BUILD_B on. */
enum gin_part_number {
	GIN_1A,
	GIN_1B,
	GIN_2A,
	GIN_2B,
	GIN_3A,
	GIN_3B,
	GIN_READ_A,
	GIN_BUILD_A,
	GIN_BUILD_B, /* from here on: the last maps of reconstruction and readout */
	GIN_READ_B,
	GIN_PARTS,
};

/* in x out weights from `at` on, then `out` biases. */
struct gin_part {
	size_t at, in, out;
};

struct gin {
	size_t width; /* columns of F */
	bool lines;   /* true: features are GRAPHS_DRAWING */
	struct gin_part part[GIN_PARTS];
	size_t weights, shared; /* all weights; those before GIN_BUILD_B */
};

void gin_init(struct gin *net, enum graphs_features features);
/* Draws W (net->weights values), weights and biases, uniformly within +-1/sqrt(in). The values are
 * floats. */
void gin_draw(const struct gin *net, uint64_t seed, double *W);

struct gin_block; /* whole graphs of a batch, enough for an efficient product */

/* A batch of graphs computed together. Buffers persist: call gin_open() again for the next
 * batch. */
#define GIN_DECLARE(real, s)                                                                       \
	struct gin_batch##s {                                                                      \
		const struct gin *net;                                                             \
		const struct graphs *g;                                                            \
		const float *F;        /* graphs_nodes(g) x width */                               \
		const uint32_t *graph; /* count indices of graphs, borrowed */                     \
		size_t count, nodes;   /* graphs and nodes of the batch */                         \
		unsigned threads;                                                                  \
		real *Z;       /* count x GIN_Z */                                                 \
		double square; /* ||F - F^||^2; 0 without build */                                 \
		/* private */                                                                      \
		struct gin_block *block;                                                           \
		size_t blocks, block_room, room, gradient_room;                                    \
		real *buffer, *pooled, *hidden, *lines, *d_pooled, *d_hidden, *gradient;           \
		size_t head_room;                                                                  \
		bool build;                                                                        \
		const real *W;                                                                     \
		double d_square;                                                                   \
	};                                                                                         \
	/* Zero-initialise b first. graph NULL: all of g. */                                       \
	void gin_open##s(struct gin_batch##s *b, const struct gin *net, const struct graphs *g,    \
			 const float *F, const uint32_t *graph, size_t count, unsigned threads);   \
	void gin_release##s(struct gin_batch##s *b);                                               \
	/* Computes Z and, with `build`, the reconstruction and its square. Borrows W until the    \
	 * backward pass. */                                                                       \
	void gin_forward##s(struct gin_batch##s *b, const real *W, bool build);                    \
	/* Computes the gradient (net->weights) of a function of Z and square, after a forward     \
	 * pass with `build`. dZ (count x GIN_Z) and d_square are the function's derivatives. */   \
	void gin_backward##s(struct gin_batch##s *b, const real *dZ, double d_square,              \
			     real *gradient);

GIN_DECLARE(float, )
GIN_DECLARE(double, _f64)

/* Computes Z (graphs x GIN_Z, initialised here) for all graphs of g, in bounded memory. */
void gin_embed(const struct gin *net, const struct graphs *g, const float *F, const float *W,
	       unsigned threads, struct mat *Z);

/* Z (initialised here) becomes the part of the embeddings that does not depend on the weights: the
 * drawing for GRAPHS_DRAWING, otherwise 0. */
void gin_drawn(const struct gin *net, const struct graphs *g, const float *F, struct mat *Z);

/* Adam (Kingma, Ba 2015) with its usual constants: 0.9, 0.999, 1e-8. */
struct adam {
	size_t n;
	unsigned step;
	float *mean, *square; /* n each; owned */
};

void adam_init(struct adam *a, size_t n);
void adam_release(struct adam *a);
/* Moves x (n) one step against its gradient. */
void adam_step(struct adam *a, double rate, const float *gradient, float *x);

#endif
