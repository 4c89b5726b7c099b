/* front.h -- TLS in front of a server of this process that speaks plain bytes, as common/http does.
 *
 *     who dials == TLS ==> front -- a pair of sockets --> add(arg, fd, name)
 *
 * Whoever dials shows a certificate as parties do, of the host's CA and not revoked (proto/tls.h); what its name may, the server
 * says. Bounded:
 * FRONT_MAX connections, of which one more ends the oldest that has not shown its certificate or does not take its answer;
 * of one address as many handshakes as conn_host_limit() says; 10 s for a whole handshake; 30 s for an answer to be taken;
 * no more of either way is read while what was read is not handed on. How many connections a certificate may have, and how
 * long a request may take, the server says. What is idle the server
 * ends.
 *
 * The loop thread.
 */
#ifndef PROTO_FRONT_H
#define PROTO_FRONT_H

#include "proto/conn.h"

enum { FRONT_MAX = 128, FRONT_FILES = 3 * FRONT_MAX + 8 }; /* connections, and descriptors for them */

struct front;

/* fd is the server's to close; name: the certificate's, borrowed for the call. */
typedef void front_add(void *arg, int fd, const char *name);

/* Listens with the identity of h; nobody is accepted before the loop runs. bound: "127.0.0.1:7443". ERR_INPUT: key, as
 * "api.listen", says what cannot be listened on; *f is NULL. */
enum err front_open(struct front **f, struct conn_host *h, const char *key, const char *host, uint16_t port, front_add *add,
		    void *arg, char bound[static 80]) MUST_CHECK;
/* Ends all connections. Frees itself when the loop has closed all. NULL is fine. */
void front_close(struct front *f);

#endif
