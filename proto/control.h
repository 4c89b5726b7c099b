/* control.h -- a daemon's control socket: who of this host may ask and tell it something.
 *
 * A unix socket. Each connection carries one request, a JSON object in one line, and one answer, likewise, and is closed.
 * The kernel says who asks (SO_PEERCRED, SO_PEERGROUPS); what they may, the daemon says. Bounded: so many connections,
 * of which one more ends the oldest that has not asked yet; so many bytes of a request; so much time for both.
 *
 * The loop thread. The socket is made before the process confines itself, which can make none afterwards.
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

/* The user at the other end, as the kernel says. */
struct control_peer {
	uid_t uid;
	gid_t *group; /* all of them, its own first; borrowed */
	size_t groups;
};
/* Fills in the answer. */
typedef void control_answer(void *arg, const struct control_peer *peer, const struct json *request,
			    struct json *answer);

/* A socket at this path, of whatever length; one that nobody listens on any more is replaced. ERR_INPUT: it cannot
 * be made, or somebody listens there. *c is NULL then. */
enum err control_open(struct control **c, const char *path) MUST_CHECK;
/* When the loop runs it answers, until control_close(). Before the process confines itself, too. */
enum err control_start(struct control *c, uv_loop_t *loop, control_answer *f, void *arg) MUST_CHECK;
/* Removes the socket. What is being answered is answered. Frees itself when the loop has closed all. NULL is fine. */
void control_close(struct control *c);

/* ---- the other end, in another process ---- */

/* A path is reached through its directory's descriptor, since sun_path is short and paths need not be; *dir_fd is to be
 * closed once the address was used. ERR_INPUT. */
struct sockaddr_un;
enum err control_address(const char *path, struct sockaddr_un *a, int *dir_fd) MUST_CHECK;
/* Asks and waits for the answer, up to CONTROL_TIMEOUT_MS without a byte of it. ERR_PEER: nobody listens there, or who
 * does gives no answer; ERR_INPUT: this user may not reach the socket. */
enum err control_ask(const char *path, const struct json *request, struct json **answer) MUST_CHECK;

#endif
