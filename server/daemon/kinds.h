/* kinds.h -- the registry of the coordinator's half of each kind of job. */
#ifndef SERVER_DAEMON_KINDS_H
#define SERVER_DAEMON_KINDS_H

#include "server/run/kind.h"

/* There is one for each kind: */
const struct server_kind *server_kind_of(const struct kind *kind);

/* The first member that must be there and is not (NULL: the table itself); NULL: all are. */
const char *server_kind_lacks(const struct server_kind *half);

/* At start: each kind of common/job/kinds.h has its half here, and each half all
 * its members, and kinds_check(). Aborts, naming kind and member. */
void server_kinds_check(void);

#endif
