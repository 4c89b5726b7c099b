/* fedsc.h -- the coordinator's half of FedSC (Qiao, Ding, Fan, NeurIPS 2023) and of federated
 * k-means. */
#ifndef SERVER_FEDSC_FEDSC_H
#define SERVER_FEDSC_FEDSC_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_fedsc, server_kind_kmeans;

#endif
