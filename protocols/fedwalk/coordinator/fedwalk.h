/* fedwalk.h -- FedWalk (Pan, Zhu, KDD 2022), the coordinator's side: the paper's server. */
#ifndef PROTOCOLS_FEDWALK_COORDINATOR_FEDWALK_H
#define PROTOCOLS_FEDWALK_COORDINATOR_FEDWALK_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_fedwalk;

#endif
