/* kind.h -- the coordinator's half of fedsc and kmeans, for server/daemon/kinds.c. */
#ifndef SERVER_FEDSC_KIND_H
#define SERVER_FEDSC_KIND_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_fedsc;
extern const struct server_kind server_kind_kmeans;

#endif
