/* split.h -- one data directory into those of several parties.
 *
 *   columns  same nodes, different features; the same graph, or parts of one that overlap (kCAGC); or
 *            some of the nodes each
 *   rows     different rows, same features; of the edges, if there are any, those within a party's
 *            rows; of the labels those of its rows
 *   edges    same nodes, same features, different edges, at one party or several (split_hold.h);
 *            without features, each party knows the nodes of its edges (FedSpectral)
 *   vertices a graph without features: different vertices, each with its ties (FedWalk)
 *   graphs   of many graphs in TU format, different ones (FedGCN)
 *
 * Parts are random, disjoint unless asked for otherwise, and as equal as they can be; rows may go by
 * class instead (skew). Nodes and columns keep their order within a part. The seed is published in
 * OUT/split.json, so that anybody can make the same split.
 */
#ifndef CLI_SPLIT_SPLIT_H
#define CLI_SPLIT_SPLIT_H

#include "common/base/err.h"
#include "common/kind/kind.h"
#include "common/linalg/csr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names of the ways to split; the enum is in common/kind/kind.h. */
extern const char *const split_by_names[]; /* by enum kind_split; ends with NULL */

struct split_params {
	enum kind_split by;
	size_t parties;
	uint64_t seed;
	const char *data, *out; /* out/party-00, out/party-01, ... are made */
	double shared_edges;    /* columns: the part of all edges that each party gets; 0: all */
	double skew;      /* rows, graphs: the part of them, 0 to 1, that goes by class (skew.h) */
	double overlap;   /* edges: the share of parties that hold an edge; 0: one of them */
	bool regions;     /* edges: each party has those of one region of the graph */
	bool no_features; /* edges: leaves features out, if there are any */
	double keep;      /* columns: the part of all rows that each party gets, shuffled; 0: all */
};
#define SPLIT_SHARED_MIN 0.5
#define SPLIT_KEEP_MIN   0.001

/* Features are needed, by edges and with shared_edges edges too; with a skew labels. ERR_INPUT: data are
 * wrong, there is less to split than there are parties, or p->out is not empty; ERR_JOB: cannot be written. */
enum err split_data(const struct split_params *p) MUST_CHECK;

/* Items 0 .. n-1 in `parts` random disjoint parts whose sizes differ by at most 1: part[i] says
 * where item i is. */
void split_parts(size_t n, size_t parts, uint64_t seed, uint32_t *part);

/* kept[e]: edge e is one of party l's, when each has the share F of all (paper, Appendix D): in a
 * random order, as on a circle, F n of them on from the place l/parties. Two parties have disjoint
 * halves at F = 0.5 (of an odd number, one edge in common); what a party has it keeps as F grows.
 * Every edge is with one party at least if F parties >= 1. */
void split_shared_edges(size_t n, size_t parties, double share, uint64_t seed, size_t l,
			bool *kept);
size_t split_shared_count(size_t n, double share); /* F n to the nearest whole, halves up */

/* The rows of party l when each has the share `keep` of all n: the first split_kept_count() of what is returned,
 * which is all rows in an order of l's own. Owned by the caller. */
uint32_t *split_kept_rows(size_t n, uint64_t seed, uint32_t l);
size_t split_kept_count(size_t n, double keep); /* to the nearest whole, and 1 at least */

/* new_of[i]: the place of item i in part l, or UINT32_MAX. Returns how many there are. */
size_t split_places(const uint32_t *part, size_t n, uint32_t l, uint32_t *new_of);

/* The rows x cols that row_of and col_of say (as split_places(); NULL: all of them), in the order
 * of the whole; out is initialised here. */
void split_cut(const struct features *X, size_t rows, const uint32_t *row_of, size_t cols,
	       const uint32_t *col_of, struct features *out);

#endif
