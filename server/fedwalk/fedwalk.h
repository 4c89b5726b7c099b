/* fedwalk.h -- FedWalk (Pan, Zhu, KDD 2022), the coordinator's half: the paper's server. */
#ifndef SERVER_FEDWALK_FEDWALK_H
#define SERVER_FEDWALK_FEDWALK_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_fedwalk;

#endif
