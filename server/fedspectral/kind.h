/* kind.h -- the coordinator's half of fedspectral, for server/daemon/kinds.c. */
#ifndef SERVER_FEDSPECTRAL_KIND_H
#define SERVER_FEDSPECTRAL_KIND_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_fedspectral;

#endif
