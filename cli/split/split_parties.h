/* split_parties.h -- ways to split that have files of their own, and code that all ways use: for
 * OUT/party-NN, OUT/split.json, and parts of a graph. */
#ifndef CLI_SPLIT_SPLIT_PARTIES_H
#define CLI_SPLIT_SPLIT_PARTIES_H

#include "cli/split/split.h"
#include "cli/split/split_hold.h"
#include "common/base/json.h"

/* ---- ways to split; results and errors as split_data() ---- */

/* Splits the edges of a graph without features. Each party gets weighted edges.tsv by id, ids.txt
 * with its nodes, and their labels.txt if the data have one. Its nodes are the ends of its edges.
 * Each isolated node goes to one party, at random. */
enum err split_graph(const struct split_params *p) MUST_CHECK;

/* Splits vertices with their ties (FedWalk). Each party gets ids.txt with its vertices, edges.tsv
 * with their ties, and their lines of labels.txt (any text) if the data have one. Both parties of a
 * tie have the tie. The vertices are those of ids.txt. Without it, they are the lines of
 * labels.txt, named 0, 1, ...; without both files, those in the edges. ERR_INPUT: edges have
 * weights, which walks do not support. */
enum err split_vertices(const struct split_params *p) MUST_CHECK;

/* Splits a set of graphs in TU format. Each party gets graphs_A.txt, graphs_graph_indicator.txt
 * and, if the input has them, graphs_graph_labels.txt and graphs_node_attributes.txt. graphs.txt
 * lists the graphs' numbers in the input, from 1. ERR_INPUT: there is a skew, but there are no
 * classes. */
enum err split_graphs(const struct split_params *p) MUST_CHECK;

/* ---- common code ---- */

char *split_party_dir(const struct split_params *p, uint32_t l); /* owned by the caller */

/* Writes party l's share of the source into `dir`, which exists. */
typedef enum err split_writer(const void *source, const char *dir, uint32_t l);

/* Calls write for each party in turn, until one fails. p->out must be new or empty, so that no
 * files of another split remain. ERR_INPUT: p->out is neither new nor empty. ERR_JOB: a file cannot
 * be written. */
enum err split_each(const struct split_params *p, split_writer *write,
		    const void *source) MUST_CHECK;

/* ERR_INPUT: there are fewer items (columns, rows, ...) than parties. */
enum err split_enough(const struct split_params *p, size_t items) MUST_CHECK;

/* Make split.json. split_json() writes the common members, and the caller adds others.
 * split_json_write() frees root. */
struct json *split_json(const struct split_params *p, size_t items);
enum err split_json_write(const struct split_params *p, struct json *root) MUST_CHECK;
void split_put_holders(struct json *root, const struct split_params *p, size_t copies);

/* ---- parts of a graph ---- */

/* Does the same as split_cut() for a graph. */
void split_cut_sparse(const struct csr *s, size_t rows, const uint32_t *row_of, size_t cols,
		      const uint32_t *col_of, struct csr *out);

/* Initialises out with the edges for which kept is true. Edges u <= v are numbered from 0, row by
 * row, and kept[e] belongs to edge e. out has only the direction u <= v of an edge, which suffices
 * for printing. */
void split_keep_edges(const struct csr *adjacency, const bool *kept, struct csr *out);

#endif
