/* kinds.h -- the registry of the coordinator side of each kind of job. */
#ifndef SERVER_DAEMON_KINDS_H
#define SERVER_DAEMON_KINDS_H

#include "server/run/kind.h"

const struct server_kind *server_kind_of(const struct kind *kind);

#endif
