/* fedgcn.h -- the coordinator's half of FedGCN (Liu et al., AAAI 2025): clusters of whole graphs. */
#ifndef SERVER_FEDGCN_FEDGCN_H
#define SERVER_FEDGCN_FEDGCN_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_fedgcn;

#endif
