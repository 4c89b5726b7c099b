/* front.h -- terminates TLS for a server of this process that exchanges plaintext, such as
 * common/http.
 *
 *     client == TLS ==> front -- a pair of sockets --> add(arg, fd, name)
 *
 * A client shows a certificate as parties do, signed by the host's CA and not revoked
 * (proto/tls.h); the server decides on the rights of its name.
 *
 * Bounds: FRONT_MAX connections; one more ends the oldest that has not shown its certificate or
 * does not read its answer. CONN_PER_ADDRESS handshakes from one address. 10 s for a handshake, and
 * 30 s for the client to read an answer. It stops reading in a direction while it has bytes to pass
 * on. The server bounds the connections of a certificate and the time of a request, and ends idle
 * connections.
 *
 * For the loop thread.
 */
#ifndef PROTO_FRONT_H
#define PROTO_FRONT_H

#include "proto/conn.h"

/* Number of connections, and of their descriptors. */
enum { FRONT_MAX = 128, FRONT_FILES = 3 * FRONT_MAX + 8 };

struct front;

/* The server owns fd and closes it; name: the certificate's, borrowed for the call. */
typedef void front_add(void *arg, int fd, const char *name);

/* Listens with the identity of h; accepts no client before the loop runs. bound: "127.0.0.1:7443".
 * ERR_INPUT: it cannot listen; the sentence has key, as "api.listen". *f is NULL then. */
enum err front_open(struct front **f, struct conn_host *h, const char *key, const char *host,
		    uint16_t port, front_add *add, void *arg, char bound[static 80]) MUST_CHECK;
/* Ends all connections. Frees itself when the loop has closed all handles. Accepts NULL. */
void front_close(struct front *f);

#endif
