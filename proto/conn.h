/* conn.h -- one TLS connection on the loop thread: exchanges bytes with libuv and passes frames to
 * its owner.
 *
 * Joins uv_tcp_t, tls.h and frame.h. The owner receives three events: the peer is authenticated
 * (ready), a message outside any job, such as HELLO, arrived (message), the connection is over
 * (closed). Job frames go to the attached channel and never to the owner. Any byte received is a
 * sign of life. Once heartbeats are on, silence ends the connection with ERR_DEADLINE.
 *
 * Every callback may call conn_close() on its own connection. The object lives until `closed` has
 * returned. The loop calls `closed` exactly once, never from within a conn_ call. Only the loop
 * thread calls these functions.
 */
#ifndef PROTO_CONN_H
#define PROTO_CONN_H

#include "common/base/err.h"
#include "proto/channel.h"
#include "proto/msg.h"
#include "proto/tls.h"

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct conn;
struct conn_host; /* state that all connections of a process share: loop, TLS identity, options */

struct conn_options {
	struct identity_files files;
	/* HTTP proxy through which conn_dial() connects. The proxy resolves the name of the server.
	 * NULL: no proxy. */
	const char *proxy;
	uint16_t proxy_port;
	/* The connections only ask the peer for its versions, as coterie doctor does. */
	bool asks;
	/* Longest time to establish a connection (address, TCP and TLS). The same limit applies
	 * from `ready` until the owner calls conn_welcome(). 0: 10 s. */
	double handshake_timeout_s;
};

/* Makes a host with the options o, and loads its files. Makes the process ignore SIGPIPE.
 * ERR_INPUT: a file cannot be used. */
enum err conn_host_new(struct conn_host **h, uv_loop_t *loop,
		       const struct conn_options *o) MUST_CHECK;
/* Reads the files again; on failure keeps the old ones. */
enum err conn_host_reload(struct conn_host *h) MUST_CHECK;
void conn_host_free(struct conn_host *h); /* call after all its connections have closed */

struct conn_events {
	/* Called when TLS is complete: chain, purpose and dates are valid, and conn_name() and
	 * conn_fingerprint() identify the peer. The owner decides whether to accept the peer, and
	 * otherwise closes the connection. */
	void (*ready)(struct conn *c, void *arg);
	/* Called when a message outside any job arrives; after conn_welcome() not for HEARTBEAT and
	 * ACK. m is valid during the call. */
	void (*message)(struct conn *c, const struct msg *m, void *arg);
	/* Called as the last event of a connection. code and why (with the peer's name or address)
	 * give the cause. ERR_OK: this end closed it. */
	void (*closed)(struct conn *c, enum err code, const char *why, void *arg);
};

/* Listens; port 0 takes a free port. bound: the address, such as "127.0.0.1:7431". accepted is
 * called for each new connection before its handshake, and returns the arg for its events.
 * ERR_INPUT: it cannot listen. */
struct listener;
enum err conn_listen(struct conn_host *h, const char *host, uint16_t port,
		     const struct conn_events *events, void *(*accepted)(struct conn *c, void *arg),
		     void *arg, struct listener **l, char bound[static 80]) MUST_CHECK;
/* stops listening and frees l; accepted connections continue. */
void conn_listen_stop(struct listener *l);

/* Dials. Always returns ERR_OK; `closed` reports failures. */
enum err conn_dial(struct conn_host *h, const char *host, uint16_t port,
		   const struct conn_events *events, void *arg, struct conn **c) MUST_CHECK;

/* For use in `closed`: returns true if the connection was lost. A lost connection was cut off,
 * broke (as when a process dies), or was silent; neither end closed it. */
bool conn_was_lost(const struct conn *c);
/* Returns true if a host answered: the connection got as far as TLS, or the proxy answered with a
 * status below 500 or with something other than HTTP. */
bool conn_was_answered(const struct conn *c);
bool conn_began_tls(const struct conn *c);

/* For use once ready: returns true if the peer dialled only to ask for this process's versions. The
 * answer is REFUSED. */
bool conn_is_question(const struct conn *c);

const char *conn_name(const struct conn *c);    /* the certificate's name; "" before ready */
const char *conn_address(const struct conn *c); /* "192.0.2.1:43210" */
void conn_fingerprint(const struct conn *c, uint8_t fp[static HASH_LEN]);

void conn_send(struct conn *c, const struct msg *m); /* m: a link message, or the job's ABORT */
/* Sends ABORT of the attached job. For use when the job thread is computing and cannot send it. A
 * party gives its ending, and why is ""; the coordinator gives why, and ending is 0. */
void conn_abort(struct conn *c, enum err code, enum ending ending, const char *why);
/* Call once the peer is accepted. From here on the connection accepts frames up to the full size,
 * and sends HEARTBEAT when it sent nothing else for a third of the interval. Silence for the
 * interval ends the connection. */
void conn_welcome(struct conn *c, double heartbeat_s);
/* Attaches the channel: job frames are then passed between it and this connection. job: the first 8
 * bytes of the job id; 0: the number is that of the first job frame received, as for a party before
 * its offer. When the connection ends, calls channel_fail() with the reason. If the connection was
 * lost (cut off, broken or silent, not closed by either end), calls channel_lost() first, and
 * channel_fail() only if that returns false. Frame numbers continue those of the channel. The
 * channel must outlive the connection or be detached (NULL). */
void conn_attach(struct conn *c, struct channel *ch, uint64_t job);

/* Sends all queued frames, including ABORT, then closes. Closes after timeout_s in any case. A
 * second call may only shorten the time. `closed` gets code and why (NULL, ERR_OK: this end chose
 * to close). */
void conn_close(struct conn *c, enum err code, const char *why, double timeout_s);
/* Closes now, and without close_notify, so that the peer considers the connection lost and not
 * closed. */
void conn_cut(struct conn *c);

#endif
