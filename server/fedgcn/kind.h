/* kind.h -- the coordinator's half of fedgcn, for server/daemon/kinds.c. */
#ifndef SERVER_FEDGCN_KIND_H
#define SERVER_FEDGCN_KIND_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_fedgcn;

#endif
