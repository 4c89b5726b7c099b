/* fedspectral.h -- a party's half of FedSpectral, FedSpectral+ and the exact variant. */
#ifndef PARTY_FEDSPECTRAL_FEDSPECTRAL_H
#define PARTY_FEDSPECTRAL_FEDSPECTRAL_H

#include "party/work/work.h"

/* From the alignment of nodes to the labels of the dataset's own, below work->job.clusters, which
 * becomes the number found, and one more if there are nodes without any edge. work->dataset and
 * work->graph are its own; work->n becomes the joint number of nodes. */
enum err party_fedspectral(struct work *work, uint32_t *label) MUST_CHECK;

#endif
