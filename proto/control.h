/* control.h -- a daemon's control socket, for queries and commands of this host's users.
 *
 * A unix socket. Each connection carries one request, a JSON object in one line, and one answer of
 * the same form. Then it is closed. The kernel identifies the user (SO_PEERCRED, SO_PEERGROUPS);
 * the daemon decides on the rights. The number of connections, the bytes of a request, and the time
 * for request and answer are bounded. One connection more ends the oldest that has not sent its
 * request.
 *
 * For the loop thread. The process makes the socket before it confines itself, since it can make
 * none afterwards.
 */
#ifndef PROTO_CONTROL_H
#define PROTO_CONTROL_H

#include "common/base/err.h"
#include "common/base/json.h"

#include <stddef.h>
#include <sys/types.h>
#include <uv.h>

enum {
	CONTROL_CONNECTIONS_MAX = 32,
	CONTROL_REQUEST_MAX = 512 << 10, /* bytes: a job's text, escaped */
	CONTROL_TIMEOUT_MS = 10000,
};

struct control;

/* The user at the other end, identified by the kernel. */
struct control_peer {
	uid_t uid;
	gid_t *group; /* all of them, its own first; borrowed */
	size_t groups;
};
/* Fills in the answer. */
typedef void control_answer(void *arg, const struct control_peer *peer, const struct json *request,
			    struct json *answer);

/* Makes a socket at this path, of any length; replaces one on which no process listens any more.
 * ERR_INPUT: it cannot be made, or a process listens there; *c is then NULL. */
enum err control_open(struct control **c, const char *path) MUST_CHECK;
/* Answers requests while the loop runs, until control_close(). Call before the process confines
 * itself. */
enum err control_start(struct control *c, uv_loop_t *loop, control_answer *f, void *arg) MUST_CHECK;
/* Removes the socket; completes pending answers. Frees itself when the loop has closed all handles.
 * Accepts NULL. */
void control_close(struct control *c);

/* ---- the other end, in another process ---- */

/* Makes an address that reaches the path through a descriptor of its directory, since sun_path is
 * shorter than a path may be. The caller closes *dir_fd after using the address. ERR_INPUT. */
struct sockaddr_un;
enum err control_address(const char *path, struct sockaddr_un *a, int *dir_fd) MUST_CHECK;
/* Sends a request and waits for the answer, up to CONTROL_TIMEOUT_MS without a byte of it.
 * ERR_PEER: no process listens there, or the listener sends no answer. ERR_INPUT: this user may not
 * reach the socket. */
enum err control_ask(const char *path, const struct json *request, struct json **answer) MUST_CHECK;

#endif
