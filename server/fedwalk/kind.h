/* kind.h -- the coordinator's half of fedwalk, for server/daemon/kinds.c. */
#ifndef SERVER_FEDWALK_KIND_H
#define SERVER_FEDWALK_KIND_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_fedwalk;

#endif
