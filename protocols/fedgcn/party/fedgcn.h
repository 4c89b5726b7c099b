/* fedgcn.h -- a party's half of FedGCN (Liu et al., AAAI 2025): clusters of its own graphs. */
#ifndef PROTOCOLS_FEDGCN_PARTY_FEDGCN_H
#define PROTOCOLS_FEDGCN_PARTY_FEDGCN_H

#include "party/work/kind.h"

extern const struct party_kind party_kind_fedgcn;

/* label: of work->graphs, in their order. Leaves work->output/model.fedgcn, by which `coterie
 * fedgcn assign` puts new graphs into these clusters; of a run that breaks off, the last good one,
 * if there was a round that ended well. */
enum err party_fedgcn(struct work *work, uint32_t *label) MUST_CHECK;

/* Clusters that this party finds alone, to compare the result `label` with: leaves
 * work->output/baseline-NAME.csv for each that the job asks for, in the order of the graphs, and in the
 * record how like each the result is (adjusted Rand index): "like_size" and so on. A baseline that
 * cannot be had is left out, with a warning. Nothing is sent. */
enum err party_compare(struct work *work, const uint32_t *label) MUST_CHECK;

/* labels_write() with the graphs' numbers in the set's files, from 1, for ids. */
enum err graph_labels_write(const char *csv, const char *npy, const uint32_t *label,
			    size_t n) MUST_CHECK;

#endif
