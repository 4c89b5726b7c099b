/* fedgcn.h -- The coordinator's side of FedGCN (Liu et al., AAAI 2025): clusters of whole
 * graphs. */
#ifndef PROTOCOLS_FEDGCN_COORDINATOR_FEDGCN_H
#define PROTOCOLS_FEDGCN_COORDINATOR_FEDGCN_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_fedgcn;

#endif
