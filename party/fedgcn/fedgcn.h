/* fedgcn.h -- a party's half of FedGCN (Liu et al., AAAI 2025): clusters of its own graphs. */
#ifndef PARTY_FEDGCN_FEDGCN_H
#define PARTY_FEDGCN_FEDGCN_H

#include "party/work/work.h"

/* label: of work->graphs, in their order. Leaves work->output/model.fedgcn, by which `coterie
 * fedgcn assign` puts new graphs into these clusters; of a run that breaks off, the last good one,
 * if there was a round that ended well. */
enum err party_fedgcn(struct work *work, uint32_t *label) MUST_CHECK;

#endif
