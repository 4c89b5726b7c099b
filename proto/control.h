/* control.h -- a daemon's control socket, for queries and commands of this host's users.
 *
 * It is a unix socket. Each connection carries one request, which is a JSON object in one line, and
 * one answer of the same form. Then it is closed. The kernel identifies the user (SO_PEERCRED,
 * SO_PEERGROUPS); the daemon decides on the rights. The number of connections, the bytes of a
 * request, and the time for request and answer are bounded. If there is one connection too many,
 * the oldest one that has not sent its request is closed, or if there is none, the newest one.
 *
 * Only the loop thread calls these functions. The process makes the socket before it confines
 * itself, since it cannot do so afterwards.
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
	/* bytes; the longest request has the text of a job, escaped */
	CONTROL_REQUEST_MAX = 512 << 10,
	CONTROL_TIMEOUT_MS = 10000,
};

struct control;

/* The user at the other end, identified by the kernel. */
struct control_peer {
	uid_t uid;
	gid_t *group; /* all groups of the user, the primary one first; borrowed */
	size_t groups;
};
/* Fills in the answer to a request of this peer. */
typedef void control_answer(void *arg, const struct control_peer *peer, const struct json *request,
			    struct json *answer);

/* Makes a socket at this path, which may have any length. Replaces a socket on which no process
 * listens any more. ERR_INPUT: it cannot be made, or a process listens there; *c is then NULL. */
enum err control_open(struct control **c, const char *path) MUST_CHECK;
/* Answers requests while the loop runs, until control_close(). Call before the process confines
 * itself. */
enum err control_start(struct control *c, uv_loop_t *loop, control_answer *f, void *arg) MUST_CHECK;
/* Removes the socket, and completes pending answers. The object frees itself when the loop has
 * closed all handles. Accepts NULL. */
void control_close(struct control *c);

/* ---- the other end, in another process ---- */

/* Makes the address of the socket at this path. It uses a descriptor of the directory, since a path
 * may be longer than sun_path. The caller closes *dir_fd after using the address. ERR_INPUT. */
struct sockaddr_un;
enum err control_address(const char *path, struct sockaddr_un *a, int *dir_fd) MUST_CHECK;
/* Sends a request and waits for the answer, up to CONTROL_TIMEOUT_MS without a byte of it.
 * ERR_PEER: no process listens there, or the listener sends no answer. ERR_INPUT: this user may not
 * reach the socket, or the answer is not JSON. ERR_INTERNAL: no descriptor is left. */
enum err control_ask(const char *path, const struct json *request, struct json **answer) MUST_CHECK;

#endif
