/* ask.h -- a daemon of this host is asked over its control socket. */
#ifndef CLI_JOB_ASK_H
#define CLI_JOB_ASK_H

#include "common/base/err.h"
#include "common/base/json.h"

#include <stdbool.h>

/* Where packages put it. */
#define ASK_COORDINATOR "/run/coterie-coordinator/control.socket"
#define ASK_PARTY       "/run/coterie-party/control.socket"

/* Options that all have who ask: rows for struct argp_option, and what takes them in. */
enum { ASK_SOCKET = 256, ASK_CONFIG, ASK_JSON, ASK_OWN };
/* clang-format off */
#define ASK_OPTIONS(daemon, json) \
	{ "socket", ASK_SOCKET, "PATH", 0, "the " daemon "'s control socket", 0 }, \
	{ "config", ASK_CONFIG, "FILE", 0, "the same, as the " daemon "'s configuration has it", 0 }, \
	{ "json", ASK_JSON, NULL, 0, json, 0 }
/* clang-format on */
struct asking {
	const char *socket, *config;
	bool json;
};
bool ask_option(int key, const char *text, struct asking *a); /* false: key is none of them */

/* The socket: as given; or of the daemon whose configuration is given; or $COTERIE_SOCKET; or that of an installed
 * coordinator, or, if `party`, of an installed party where there is no coordinator. Owned by the caller. ERR_INPUT. */
enum err ask_where(const struct asking *a, bool party, char **path) MUST_CHECK;

/* The answer, the caller's to free, also if the daemon refuses: then its error and sentence are returned, and *answer
 * is NULL. ERR_PEER: no daemon answers. */
enum err ask(const char *path, const struct json *request, struct json **answer) MUST_CHECK;

#endif
