/* conn_own.h -- internals of connections, only for conn.c, conn_host.c, conn_in.c and conn_out.c,
 * and internals of their host for front.c.
 *
 *     socket -> conn_in:  host's read buffer -> tls -> frame reader -> owner or channel
 *     socket <- conn_out: cipher <- tls <- record <- link frames, then the channel's
 *     conn.c:             one connection's life, timers, end
 *     conn_host.c:        shared state; listening and dialling, through a proxy too
 *
 * A phase only rises. A connection ends by conn_close() if bytes may be left to send, otherwise by
 * conn_over(). After conn_over() only libuv's close callbacks use the object; the last of them
 * calls the owner's `closed` and frees it.
 */
#ifndef PROTO_CONN_OWN_H
#define PROTO_CONN_OWN_H

#include "proto/conn.h"
#include "proto/frame.h"
#include "proto/proxy.h"
#include "proto/tls.h"

enum {
	CONN_READ = 256 << 10,   /* bytes per read; all connections share one buffer */
	CONN_BATCH = 256 << 10,  /* bytes of ciphertext per write */
	CONN_TURN = 8,           /* batches before other connections get their turn */
	CONN_GREETING_MAX = 256, /* connections per host that are not accepted yet */
	/* The same per address (IPv6: one /64); one more ends the oldest of them. */
	CONN_PER_ADDRESS = 64,
};

/* Each phase is named for the event that it waits for. */
enum conn_phase {
	CONN_TCP,       /* an address, then a TCP connection */
	CONN_PROXY,     /* the proxy's answer to CONNECT */
	CONN_TLS,       /* the end of the handshake */
	CONN_GREETING,  /* conn_welcome */
	CONN_WELCOMED,  /* messages */
	CONN_FLUSHING,  /* all has been handed to the kernel */
	CONN_LINGERING, /* the peer's end: closing earlier could destroy unread bytes */
	CONN_OVER,      /* libuv's close callbacks */
};

/* The holder of an address: an IPv4 address, or the /64 of an IPv6 address. */
enum { CONN_ORIGIN = 8 };
void conn_origin(uint8_t origin[static CONN_ORIGIN], const struct sockaddr_storage *a);

struct conn_host {
	uv_loop_t *loop;
	struct tls_context *server, *client;
	struct identity_files files; /* owned */
	char *proxy;                 /* its host; NULL: none */
	uint16_t proxy_port;
	double handshake_timeout_s;
	size_t greeting;       /* connections that are not accepted yet */
	struct conn *visitors; /* those of them that dialled this host, the newest first */
	bool asks;
	unsigned per_address; /* limit for one address */
	uint8_t *read_buffer;
	struct msg msg; /* the current link message */
};

struct listener {
	uv_tcp_t tcp;
	struct conn_host *host;
	const struct conn_events *events;
	void *(*accepted)(struct conn *c, void *arg);
	void *arg;
};

/* A name look-up. It cannot be cancelled, so it outlives a finished connection and frees itself. */
struct lookup {
	uv_getaddrinfo_t request;
	struct conn *conn; /* NULL: nobody waits any more */
};

struct conn_dialling {
	struct lookup *lookup; /* NULL: done */
	uv_connect_t connect;
	struct addrinfo *addresses, *next;
	char where[320];    /* "hub.example.org:7431", or "the proxy proxy.example.org:3128" */
	char last[160];     /* why the last address failed */
	char target[80];    /* host and port requested from the proxy */
	struct buf request; /* bytes for the proxy; empty: none */
	uv_write_t write;
	struct proxy_answer answer;
};

struct conn {
	struct conn_host *host;
	const struct conn_events *events;
	void *arg;
	enum conn_phase phase;
	bool counted;                /* in host->greeting */
	struct conn *older;          /* in host->visitors */
	uint8_t origin[CONN_ORIGIN]; /* of a visitor: conn_origin() */

	/* libuv */
	uv_tcp_t tcp;
	uv_timer_t timer;
	uv_async_t async;
	unsigned handles; /* open or closing, and requests that cannot be cancelled */
	bool has_tcp;     /* tcp is initialised */
	struct conn_dialling *dialling;

	/* the peer */
	char address[80];
	char name[MSG_NAME_MAX + 1];

	/* in */
	struct tls *tls;
	struct frame_reader reader;
	double first_byte_s; /* of the current frame */
	bool paused;         /* the channel is full */

	/* out */
	struct buf link;   /* whole frames of the link */
	struct bytes body; /* the channel's current frame */
	struct buf orphan; /* holds the body if the channel was detached */
	size_t body_done;
	uint8_t header[FRAME_HEADER_LEN];
	bool in_frame;     /* part of body is not sent yet */
	bool padding;      /* body is zeros */
	bool body_counts;  /* body belongs to the channel attached now */
	struct buf record; /* less than TLS_RECORD bytes, to be sent together */
	uv_write_t write;
	bool writing;         /* libuv holds the cipher buffer */
	size_t channel_bytes; /* bytes of the channel, not yet in the kernel */
	bool aborted;         /* ABORT was sent: no more frames of the job follow */
	bool cut;             /* writing failed; received bytes may still be read */
	bool lost;            /* neither end closed it on purpose */
	bool answered;        /* conn_was_answered() */
	bool end_said;        /* close_notify was sent */
	uv_shutdown_t shutdown;

	/* the job */
	struct channel *channel;
	uint64_t job;
	struct {
		uint64_t messages, bytes;
	} early[2][MSG_FIRST_OF_JOB]; /* [received, sent] before a channel was attached */

	/* time */
	double heartbeat_s, received_s, spoke_s, ticked_s;

	/* deadline of flushing or lingering */
	double end_s;  /* end of CONN_FLUSHING or CONN_LINGERING */
	bool reasoned; /* code and why are final */
	enum err code;
	char why[ERR_DETAIL_MAX];
};

/* conn.c */
struct conn *conn_new(struct conn_host *h, const struct conn_events *events, void *arg);
void conn_add_tcp(struct conn *c, unsigned family);       /* initialises tcp */
void conn_start(struct conn *c, struct tls_context *ctx); /* the TCP connection is established */
void conn_give_back(struct conn *c); /* a handle or request has ended; the last one frees c */
void conn_address_text(char text[static 80], const struct sockaddr *a);
const char *conn_who(const struct conn *c, char text[static 160]); /* "name at address" */
void conn_authenticated(struct conn *c);                           /* TLS is established */
void conn_reason(struct conn *c, enum err code, const char *why);  /* keeps the first one */
void conn_over(struct conn *c, enum err code, const char *why);    /* ends now */
void conn_alarm(struct conn *c, double after_s);                   /* sets the phase's deadline */
void conn_log(const struct conn *c, enum msg_type type, bool sent, size_t bytes); /* at debug */
void conn_count(struct conn *c, enum msg_type type, bool sent, size_t bytes);
void conn_acknowledge(struct conn *c); /* acknowledges new frames to the peer, if there are any */

/* conn_host.c */
/* Makes tcp, which is initialised, listen. key: "listen", for the error's sentence. ERR_INPUT. */
enum err conn_bind(struct conn_host *h, const char *key, uv_tcp_t *tcp, const char *host,
		   uint16_t port, uv_connection_cb f, char bound[static 80]) MUST_CHECK;
void conn_stop_dialling(struct conn *c);
void conn_no_visitor(struct conn *c); /* call when the connection is accepted or over */

/* Returns how many bytes belonged to the proxy's answer. */
size_t conn_proxy_receive(struct conn *c, const uint8_t *p, size_t n);

/* conn_in.c */
int conn_read_start(struct conn *c);

/* conn_out.c */
void conn_pump(struct conn *c); /* sends queued bytes, as far as the kernel takes them */

#endif
