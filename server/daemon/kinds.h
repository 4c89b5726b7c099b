/* kinds.h -- the registry of the coordinator side of each kind of job. */
#ifndef SERVER_DAEMON_KINDS_H
#define SERVER_DAEMON_KINDS_H

#include "server/run/kind.h"

const struct server_kind *server_kind_of(const struct kind *kind);

/* Returns the first missing member, or NULL if complete. */
const char *server_kind_lacks(const struct server_kind *half);

/* Call at start: checks that each kind of common/job/kinds.h has its coordinator side here,
 * complete, and calls kinds_check(). Aborts with kind and member otherwise. */
void server_kinds_check(void);

#endif
