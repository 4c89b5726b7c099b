/* split_hold.h -- assigns edges to the parties that hold them.
 *
 * FedSpectral+ (Setting): "we assign the edge to a fixed number of random clients", and "the
 * overlap of the graph is the fraction of times the same edge is repeated over the clients". So
 * with overlap F over P parties each edge has max(1, F P) different holders, where F P is rounded
 * to the nearest integer. For example, with P = 5 an edge has two holders if F = 0.4, one if F = 0,
 * and five if F = 1. In the sum of the parties' graphs, each weight is multiplied by the number of
 * holders. A normalised Laplacian does not depend on such a common factor.
 *
 * Regions: one set of nodes per party grows from random nodes. The region with the fewest edge ends
 * grows next, by the neighbours of its nodes, in the order in which these were found. Then each
 * node moves to the region that has most of its neighbours, if that region has at most 5/4 of an
 * equal share and the node's old region keeps half of a share. An edge within a region belongs to
 * its party. An edge between two regions belongs to one of the two parties, at random. With an
 * overlap, the other holders are random.
 */
#ifndef CLI_SPLIT_SPLIT_HOLD_H
#define CLI_SPLIT_SPLIT_HOLD_H

#include "cli/split/split.h"

/* Holders of the edges u <= v of the graph. Edges are numbered row by row. */
struct split_holders {
	size_t edges, copies;
	uint8_t *party; /* edges x copies: the different holders of each edge; owned */
};

/* Assigns the edges. Uses p->parties (1 .. 256), overlap, regions and seed. Without regions and
 * overlap, parts differ by at most one edge. ERR_INPUT: a party would have no edge. */
enum err split_hold(const struct csr *S, const struct split_params *p,
		    struct split_holders *h) MUST_CHECK;
void split_holders_release(struct split_holders *h);

/* Returns the number of holders of each edge. */
size_t split_copies(double overlap, size_t parties);

/* Sets kept[e] for each edge e that party l holds. */
void split_held(const struct split_holders *h, size_t l, bool *kept);

/* Sets region[i], below `parties`, for each node i, as the head of this file describes. */
void split_regions(const struct csr *S, size_t parties, uint64_t seed, uint32_t *region);

#endif
