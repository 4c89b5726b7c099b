/* ask.h -- a daemon of this host is asked over its control socket. */
#ifndef CLI_JOB_ASK_H
#define CLI_JOB_ASK_H

#include "common/base/err.h"
#include "common/base/json.h"

/* Where packages put it. */
#define ASK_COORDINATOR "/run/coterie-coordinator/control.socket"
#define ASK_PARTY       "/run/coterie-party/control.socket"

/* The socket: as given; or of the daemon whose configuration is given; or $COTERIE_SOCKET; or that of an installed
 * coordinator, or, if `party`, of an installed party where there is no coordinator. Owned by the caller. ERR_INPUT. */
enum err ask_where(const char *socket, const char *config, bool party, char **path) MUST_CHECK;

/* The answer, the caller's to free, also if the daemon refuses: then its error and sentence are returned, and *answer
 * is NULL. ERR_PEER: no daemon answers. */
enum err ask(const char *path, const struct json *request, struct json **answer) MUST_CHECK;

#endif
