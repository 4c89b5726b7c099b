/* conn.h -- one TLS connection on the loop thread: bytes in and out of libuv, frames to its owner.
 *
 * Joins uv_tcp_t, tls.h and frame.h. The owner learns of four things: the peer is authenticated
 * (ready), a link message came (message), the connection is over (closed), and nothing else. Job
 * frames go straight to the attached channel and never to the owner. Any byte received is a sign
 * of life; once heartbeats are on, silence ends the connection with ERR_DEADLINE.
 *
 * Awkward: every callback may call conn_close on its own connection; the object lives until after
 * `closed` has been called, which happens exactly once, from the loop and never from within a
 * conn_ call. Only the loop thread calls these functions.
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
struct conn_host; /* shared by all connections of a process: loop, TLS identity, options */

struct conn_options {
	struct identity_files files;
	/* HTTP proxy through which conn_dial() connects, and which looks the name up; NULL: none */
	const char *proxy;
	uint16_t proxy_port;
	/* asks the peer for its versions, as coterie doctor does */
	bool asks;
	/* 0: 10. How long a connection may take to come about: address, TCP and TLS; and then again
	 * from ready until the owner says conn_welcome. */
	double handshake_timeout_s;
};

/* ERR_INPUT if a file cannot be used. Ignores SIGPIPE. */
enum err conn_host_new(struct conn_host **h, uv_loop_t *loop,
		       const struct conn_options *o) MUST_CHECK;
/* Reads the files again; on failure the old ones stay. */
enum err conn_host_reload(struct conn_host *h) MUST_CHECK;
void conn_host_free(struct conn_host *h); /* after all its connections have closed */

struct conn_events {
	/* TLS is done and the chain, purpose and dates are right; conn_name and conn_fingerprint
	 * identify the peer. The owner decides whether it is welcome (and closes if not). */
	void (*ready)(struct conn *c, void *arg);
	/* A link message. m borrows for the call. */
	void (*message)(struct conn *c, const struct msg *m, void *arg);
	/* The last event of a connection. code and why (with the peer's name or address) give the
	 * cause; ERR_OK: we closed it. */
	void (*closed)(struct conn *c, enum err code, const char *why, void *arg);
};

/* Listens; port 0 takes a free one. bound: the address, "127.0.0.1:7431". accepted is called for
 * each new connection before its handshake, and returns the arg for its events. */
struct listener;
enum err conn_listen(struct conn_host *h, const char *host, uint16_t port,
		     const struct conn_events *events, void *(*accepted)(struct conn *c, void *arg),
		     void *arg, struct listener **l, char bound[static 80]) MUST_CHECK;
void conn_listen_stop(struct listener *l); /* stops and frees; connections live on */

/* Dials; reports failures through closed. */
enum err conn_dial(struct conn_host *h, const char *host, uint16_t port,
		   const struct conn_events *events, void *arg, struct conn **c) MUST_CHECK;

/* In `closed`: neither end closed it. It was cut off or broke, as when a process dies, or
 * silent. */
bool conn_was_lost(const struct conn *c);
/* Somebody answered: it got as far as TLS, or the proxy refuses for another reason than that nobody
 * is there. */
bool conn_was_answered(const struct conn *c);
bool conn_began_tls(const struct conn *c);

/* Once ready: the peer dialled to ask, not to take part; the answer is REFUSED. */
bool conn_is_question(const struct conn *c);

const char *conn_name(const struct conn *c);    /* the certificate's name; "" before ready */
const char *conn_address(const struct conn *c); /* "192.0.2.1:43210" */
void conn_fingerprint(const struct conn *c, uint8_t fp[static HASH_LEN]);

void conn_send(struct conn *c, const struct msg *m); /* of the link; or ABORT of the attached job */
/* ABORT of the attached job, if the job thread computes on and cannot send it. A party gives its
 * ending, and why is ""; the coordinator gives why, and ending is 0. */
void conn_abort(struct conn *c, enum err code, enum ending ending, const char *why);
/* From here on: frames up to the full size are accepted, HEARTBEAT is sent when nothing else was
 * for a third of the interval, and silence for the interval ends the connection. */
void conn_welcome(struct conn *c, double heartbeat_s);
/* Job frames travel between this connection and the channel; job: the first 8 bytes of the job id,
 * 0: whatever the first job frame that comes says (a party before its offer). When the connection
 * ends, channel_fail is called with the reason; but if it was lost (cut off, broken, silent, not
 * closed by either end), channel_lost is asked first. Frames are numbered on from where the channel
 * is. The channel must outlive the connection or be detached (NULL). */
void conn_attach(struct conn *c, struct channel *ch, uint64_t job);

/* Sends all queued frames (ABORT included), then closes; at the latest after timeout_s. Twice is
 * fine; the second may only shorten the time. code and why (NULL, ERR_OK: we chose to) go to
 * closed. */
void conn_close(struct conn *c, enum err code, const char *why, double timeout_s);
/* Ends it now and without TLS's last word: to the peer it is lost, not closed. */
void conn_cut(struct conn *c);

#endif
