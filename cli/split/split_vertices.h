/* split_vertices.h -- a graph into the vertices that several parties host, each with its ties
 * (FedWalk). */
#ifndef CLI_SPLIT_SPLIT_VERTICES_H
#define CLI_SPLIT_SPLIT_VERTICES_H

#include "cli/split/split.h"

/* Each party's directory gets ids.txt with its vertices, edges.tsv with their ties, of which those
 * between two parties' vertices are with both, and labels.txt with its vertices' lines, if the data
 * have one: any text, a line each. Vertices are those of ids.txt; without, the lines of labels.txt,
 * called 0, 1, ...; without both, those that edges names. As split_data(); ERR_INPUT if edges have
 * weights too, which walks do not read. */
enum err split_vertices(const struct split_params *p) MUST_CHECK;

#endif
