/* kind.h -- the coordinator's half of kcagc and kcagc.predict, for server/daemon/kinds.c. */
#ifndef SERVER_KCAGC_KIND_H
#define SERVER_KCAGC_KIND_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_kcagc;
extern const struct server_kind server_kind_kcagc_predict;

#endif
