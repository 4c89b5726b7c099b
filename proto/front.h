/* front.h -- terminates TLS for a server of this process that exchanges plaintext, such as
 * common/http.
 *
 *     client == TLS ==> front -- a pair of sockets --> add(arg, fd, name)
 *
 * A client shows a certificate as parties do, signed by the host's CA and not revoked
 * (proto/tls.h); the server decides on the rights of its name.
 *
 * There are at most FRONT_MAX connections. One more ends the oldest that has not shown its
 * certificate or does not read its answer, or if there is none, itself. One address may have
 * CONN_PER_ADDRESS (conn_own.h) handshakes. A handshake may take 10 s, and a client has 30 s to
 * read each piece of an answer, of up to 64 KiB. While front has bytes to pass on in a direction,
 * it does not read more for that direction. The server bounds the connections of a certificate and
 * the time of a request, and ends idle connections.
 *
 * Only the loop thread calls these functions.
 */
#ifndef PROTO_FRONT_H
#define PROTO_FRONT_H

#include "proto/conn.h"

/* Maximum number of connections, and number of their descriptors. */
enum { FRONT_MAX = 128, FRONT_FILES = 3 * FRONT_MAX + 8 };

struct front;

/* Takes a new connection. The server owns fd and closes it. name: the name in the certificate,
 * valid during the call. */
typedef void front_add(void *arg, int fd, const char *name);

/* Listens with the identity of h; accepts no client before the loop runs. bound: the address,
 * such as "127.0.0.1:7443". ERR_INPUT: it cannot listen; the sentence contains `key`, such as
 * "api.listen". *f is then NULL. */
enum err front_open(struct front **f, struct conn_host *h, const char *key, const char *host,
		    uint16_t port, front_add *add, void *arg, char bound[static 80]) MUST_CHECK;
/* Ends all connections. The object frees itself when the loop has closed all handles. Accepts
 * NULL. */
void front_close(struct front *f);

#endif
