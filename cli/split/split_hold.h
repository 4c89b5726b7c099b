/* split_hold.h -- which parties hold which edge, when edges are split.
 *
 * FedSpectral+ (Setting): "we assign the edge to a fixed number of random clients", and "the
 * overlap of the graph is the fraction of times the same edge is repeated over the clients". So with
 * overlap F over P parties each edge is with max(1, F P to the nearest whole) different parties: 2
 * of 5 at 0.4, one at 0, all at 1. A graph summed over the parties has each weight as often, which a
 * normalised Laplacian does not see.
 *
 * Regions: as many sets of nodes as there are parties grow from random nodes, always the one with
 * the fewest ends of edges, by the neighbours of what it has, first come first. Then nodes go over
 * to where most of their neighbours are, while that region has no more than 5/4 of an equal share
 * and theirs keeps half of one. An edge within a region is that party's, one between two either's,
 * by chance. Further holders, with an overlap, are random.
 */
#ifndef CLI_SPLIT_SPLIT_HOLD_H
#define CLI_SPLIT_SPLIT_HOLD_H

#include "cli/split/split.h"

/* Edges u <= v of the graph, counted row by row. */
struct split_holders {
	size_t edges, copies;
	uint8_t *party; /* edges x copies, owned; the copies of an edge differ */
};

/* By p->parties (1 .. 256), overlap, regions and seed; without regions and overlap parts are equal
 * to one edge. ERR_INPUT: a party would have none. */
enum err split_hold(const struct csr *S, const struct split_params *p,
		    struct split_holders *h) MUST_CHECK;
void split_holders_release(struct split_holders *h);

size_t split_copies(double overlap, size_t parties); /* of each edge */

/* kept[e]: whether party l holds edge e. */
void split_held(const struct split_holders *h, size_t l, bool *kept);

/* region[i] below `parties` for each node, as above. */
void split_regions(const struct csr *S, size_t parties, uint64_t seed, uint32_t *region);

#endif
