/* fedsc.h -- The coordinator's side of kinds fedsc (Qiao, Ding, Fan, NeurIPS 2023) and kmeans. */
#ifndef PROTOCOLS_FEDSC_COORDINATOR_FEDSC_H
#define PROTOCOLS_FEDSC_COORDINATOR_FEDSC_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_fedsc, server_kind_kmeans;

#endif
