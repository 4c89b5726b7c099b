/* fedgcn.h -- The party's side of FedGCN (Liu et al., AAAI 2025): clusters of its own graphs. */
#ifndef PROTOCOLS_FEDGCN_PARTY_FEDGCN_H
#define PROTOCOLS_FEDGCN_PARTY_FEDGCN_H

#include "party/work/kind.h"

extern const struct party_kind party_kind_fedgcn;

/* Runs the party's side. label: one entry per graph of work->graphs, in their order. Writes
 * work->output/model.fedgcn, with which `coterie fedgcn assign` assigns new graphs. If the run
 * fails, writes the last good model, if there is one. */
enum err party_fedgcn(struct work *work, uint32_t *label) MUST_CHECK;

/* Compares the result `label` with clusters that this party finds alone. Writes
 * work->output/baseline-NAME.csv for each baseline that the job asks for, in the order of the
 * graphs. Records the adjusted Rand index with the result: "like_size" and so on. Skips a failed
 * baseline with a warning. Sends nothing. */
enum err party_compare(struct work *work, const uint32_t *label) MUST_CHECK;

/* Writes labels as labels_write() does. The ids are the graphs' numbers in the data set's files,
 * from 1. */
enum err graph_labels_write(const char *csv, const char *npy, const uint32_t *label,
			    size_t n) MUST_CHECK;

#endif
