/* split_parties.h -- the ways of splitting that have a file of their own, and what all ways have in
 * common: OUT/party-NN, OUT/split.json, and cutting parts of a graph. */
#ifndef CLI_SPLIT_SPLIT_PARTIES_H
#define CLI_SPLIT_SPLIT_PARTIES_H

#include "cli/split/split.h"
#include "cli/split/split_hold.h"
#include "common/base/json.h"

/* ---- ways; results and errors as split_data() ---- */

/* A graph without features: each party's directory gets edges.tsv by id with the weights, ids.txt
 * with the nodes that it knows, and labels.txt of those if the data have one. A party knows the
 * ends of its edges; a node that has no edge at all is known to one party, by chance, so that none
 * is lost. */
enum err split_graph(const struct split_params *p) MUST_CHECK;

/* The vertices that parties host, each with its ties (FedWalk): each party's directory gets ids.txt
 * with its vertices, edges.tsv with their ties, of which those between two parties' vertices are
 * with both, and labels.txt with its vertices' lines, if the data have one: any text, a line each.
 * Vertices are those of ids.txt; without, the lines of labels.txt, called 0, 1, ...; without both,
 * those that edges names. ERR_INPUT if edges have weights too, which walks do not read. */
enum err split_vertices(const struct split_params *p) MUST_CHECK;

/* One set of many graphs, in TU format: OUT/party-NN gets graphs_A.txt, graphs_graph_indicator.txt
 * and, where the whole has them, graphs_graph_labels.txt and graphs_node_attributes.txt; graphs.txt
 * says which graphs of the whole these are, from 1. Graphs keep their order. With a skew they go by
 * class, and without classes that is ERR_INPUT. */
enum err split_graphs(const struct split_params *p) MUST_CHECK;

/* ---- all parties ---- */

char *split_party_dir(const struct split_params *p, uint32_t l); /* owned by the caller */

/* Writes what party l gets of the source into `dir`, which is there. */
typedef enum err split_writer(const void *source, const char *dir, uint32_t l);

/* For each party in turn, until one fails. ERR_JOB: cannot be written. */
enum err split_each(const struct split_params *p, split_writer *write,
		    const void *source) MUST_CHECK;

/* split.json: what all ways say first; the rest is the caller's to add. Takes root. */
struct json *split_json(const struct split_params *p);
enum err split_json_write(const struct split_params *p, struct json *root) MUST_CHECK;
void split_put_holders(struct json *root, const struct split_params *p, size_t copies);

/* ---- parts of a graph ---- */

/* As split_cut(), of a graph. */
void split_cut_sparse(const struct csr *s, size_t rows, const uint32_t *row_of, size_t cols,
		      const uint32_t *col_of, struct csr *out);

/* Of the edges u <= v, counted row by row, those that are kept, in this one direction, which is
 * enough for printing; out is initialised here. */
void split_keep_edges(const struct csr *adjacency, const bool *kept, struct csr *out);

#endif
