/* fedsc.h -- a party's half of FedSC (Qiao, Ding, Fan, NeurIPS 2023) and of federated k-means:
 * kinds fedsc and kmeans.
 */
#ifndef PARTY_FEDSC_FEDSC_H
#define PARTY_FEDSC_FEDSC_H

#include "party/work/kind.h"

extern const struct party_kind party_kind_fedsc, party_kind_kmeans;

/* label: of this party's n rows. Uses up the features. */
enum err party_fedsc(struct work *work, uint32_t *label) MUST_CHECK;

#endif
