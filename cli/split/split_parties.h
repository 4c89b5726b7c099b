/* split_parties.h -- the ways of splitting that have a file of their own, and what all ways have in
 * common: OUT/party-NN, OUT/split.json, and cutting parts of a graph. */
#ifndef CLI_SPLIT_SPLIT_PARTIES_H
#define CLI_SPLIT_SPLIT_PARTIES_H

#include "cli/split/split.h"
#include "cli/split/split_hold.h"
#include "common/base/json.h"

/* ---- ways; results and errors as split_data() ---- */

/* A graph without features. Each party gets edges.tsv by id with the weights, ids.txt with the nodes
 * that it knows, and their labels.txt if the data have one. It knows the ends of its edges; a node
 * without edges is known to one party, by chance. */
enum err split_graph(const struct split_params *p) MUST_CHECK;

/* Vertices, each with its ties (FedWalk). Each party gets ids.txt with the vertices that it hosts,
 * edges.tsv with their ties (one between two parties' vertices is with both), and their lines of
 * labels.txt, any text, if the data have one. Vertices are those of ids.txt; without, the lines of
 * labels.txt, called 0, 1, ...; without both, those that edges names. ERR_INPUT: edges have weights,
 * which walks do not read. */
enum err split_vertices(const struct split_params *p) MUST_CHECK;

/* A set of graphs in TU format. Each party gets graphs_A.txt, graphs_graph_indicator.txt and, if the
 * whole has them, graphs_graph_labels.txt and graphs_node_attributes.txt; graphs.txt says which
 * graphs of the whole these are, from 1, in their order. ERR_INPUT: a skew, and no classes. */
enum err split_graphs(const struct split_params *p) MUST_CHECK;

/* ---- all parties ---- */

char *split_party_dir(const struct split_params *p, uint32_t l); /* owned by the caller */

/* Writes what party l gets of the source into `dir`, which is there. */
typedef enum err split_writer(const void *source, const char *dir, uint32_t l);

/* For each party in turn, until one fails, in p->out, which nothing may lie in: parties of another split, or
 * their files, would be taken for those of this one. ERR_INPUT: not empty; ERR_JOB: cannot be written. */
enum err split_each(const struct split_params *p, split_writer *write,
		    const void *source) MUST_CHECK;

/* ERR_INPUT: there are fewer columns, rows, ... than parties. */
enum err split_enough(const struct split_params *p, size_t items) MUST_CHECK;

/* split.json: what all ways say first; the rest is the caller's to add. Takes root. */
struct json *split_json(const struct split_params *p, size_t items);
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
