/* conn_own.h -- internals of connections, only for conn.c, conn_host.c, conn_in.c and conn_out.c,
 * and internals of their host for front.c.
 *
 *     socket -> conn_in:  host's read buffer -> tls -> frame reader -> owner or channel
 *     socket <- conn_out: cipher <- tls <- record <- link frames, then the channel's
 *     conn.c:             one connection's life, timers, end
 *     conn_host.c:        shared state; listening and dialling, through a proxy too
 *
 * Phases follow each other in the order of enum conn_phase. A connection ends by conn_close() if
 * bytes may be left to send, otherwise by conn_over(). After conn_over() only libuv's close
 * callbacks use the object; the last of them calls the owner's `closed` and frees it.
 */
#ifndef PROTO_CONN_OWN_H
#define PROTO_CONN_OWN_H

#include "proto/conn.h"
#include "proto/frame.h"
#include "proto/proxy.h"
#include "proto/tls.h"

enum {
	CONN_READ = 256 << 10,  /* bytes per read, into a buffer that all connections share */
	CONN_BATCH = 256 << 10, /* bytes of ciphertext per write */
	CONN_TURN = 8,          /* number of batches before other connections have their turn */
	/* Maximum number of connections of a host that are not accepted yet. */
	CONN_GREETING_MAX = 256,
	/* Maximum number of them from one address (IPv6: one /64). A further connection ends the
	 * oldest from its address. */
	CONN_PER_ADDRESS = 64,
};

/* Each phase is named for the event that it waits for. */
enum conn_phase {
	CONN_TCP,      /* waits for an address, then for a TCP connection */
	CONN_PROXY,    /* the proxy's answer to CONNECT */
	CONN_TLS,      /* the end of the handshake */
	CONN_GREETING, /* conn_welcome */
	CONN_WELCOMED, /* messages */
	CONN_FLUSHING, /* waits until all bytes have been passed to the kernel */
	/* Waits until the peer closes, because closing earlier could destroy bytes that it has not
	 * read. */
	CONN_LINGERING,
	CONN_OVER, /* libuv's close callbacks */
};

/* The part of an address that identifies its holder: an IPv4 address, or the /64 of an IPv6
 * address. */
enum { CONN_ORIGIN = 8 };
void conn_origin(uint8_t origin[static CONN_ORIGIN], const struct sockaddr_storage *a);

struct conn_host {
	uv_loop_t *loop;
	struct tls_context *server, *client;
	struct identity_files files; /* owned */
	char *proxy;                 /* host of the proxy; NULL: none */
	uint16_t proxy_port;
	double handshake_timeout_s;
	size_t greeting; /* number of connections that are not accepted yet */
	/* Connections that dialled this host and are not accepted yet; the newest is the first. */
	struct conn *visitors;
	bool asks;
	unsigned per_address; /* maximum number of visitors from one address */
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

/* A name look-up. It cannot be cancelled. So it may outlive its connection, and frees itself. */
struct lookup {
	uv_getaddrinfo_t request;
	struct conn *conn; /* NULL: the connection is over */
};

struct conn_dialling {
	struct lookup *lookup; /* NULL: the look-up is done */
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
	bool counted;                /* counted in host->greeting */
	struct conn *older;          /* next in the list host->visitors */
	uint8_t origin[CONN_ORIGIN]; /* conn_origin() of a visitor */

	/* libuv: */
	uv_tcp_t tcp;
	uv_timer_t timer;
	uv_async_t async;
	/* Number of libuv handles that are open or closing. */
	unsigned handles;
	bool has_tcp; /* tcp is initialised */
	struct conn_dialling *dialling;

	/* the peer: */
	char address[80];
	char name[MSG_NAME_MAX + 1];

	/* receiving: */
	struct tls *tls;
	struct frame_reader reader;
	double first_byte_s; /* time of the first byte of the current frame */
	bool paused;         /* reading has stopped, because the channel is full */

	/* sending: */
	struct buf link;   /* whole frames of link messages, to be sent */
	struct bytes body; /* the channel's current frame */
	struct buf orphan; /* keeps the body if the channel was detached */
	size_t body_done;
	uint8_t header[FRAME_HEADER_LEN];
	bool in_frame;     /* a part of body is not sent yet */
	bool padding;      /* body is zeros */
	bool body_counts;  /* body belongs to the channel that is attached now */
	struct buf record; /* plaintext of less than TLS_RECORD bytes, to be sent in one record */
	uv_write_t write;
	bool writing;         /* libuv is writing the cipher buffer */
	size_t channel_bytes; /* number of the channel's bytes that are not yet in the kernel */
	bool aborted;         /* ABORT was sent: no more frames of the job follow */
	bool cut;             /* writing failed; received bytes may still be read */
	bool lost;            /* the connection ended, but neither end closed it on purpose */
	bool answered;        /* conn_was_answered() */
	bool end_said;        /* close_notify was sent */
	uv_shutdown_t shutdown;

	/* the job: */
	struct channel *channel;
	uint64_t job;
	struct {
		uint64_t messages, bytes;
		/* [received, sent]: counts of frames before a channel was attached */
	} early[2][MSG_FIRST_OF_JOB];

	/* time: */
	double heartbeat_s, received_s, spoke_s, ticked_s;

	/* the end: */
	double end_s;  /* time at which CONN_FLUSHING or CONN_LINGERING ends */
	bool reasoned; /* code and why are final */
	enum err code;
	char why[ERR_DETAIL_MAX];
};

/* conn.c */
struct conn *conn_new(struct conn_host *h, const struct conn_events *events, void *arg);
void conn_add_tcp(struct conn *c, unsigned family); /* initialises tcp */
/* Call when the TCP connection is established. */
void conn_start(struct conn *c, struct tls_context *ctx);
/* Call when a libuv handle has closed; the last call calls `closed` and frees c. */
void conn_give_back(struct conn *c);
void conn_address_text(char text[static 80], const struct sockaddr *a);
const char *conn_who(const struct conn *c, char text[static 160]); /* writes "name at address" */
void conn_authenticated(struct conn *c);                           /* TLS is established */
/* Sets code and why, unless they are set already. */
void conn_reason(struct conn *c, enum err code, const char *why);
void conn_over(struct conn *c, enum err code, const char *why); /* ends the connection now */
/* Sets the deadline of the phase. */
void conn_alarm(struct conn *c, double after_s);
/* Logs the message at level debug. */
void conn_log(const struct conn *c, enum msg_type type, bool sent, size_t bytes);
void conn_count(struct conn *c, enum msg_type type, bool sent, size_t bytes);
void conn_acknowledge(struct conn *c); /* acknowledges new frames to the peer, if there are any */

/* conn_host.c */
/* Makes tcp listen, which is already initialised. key: name of the setting, such as "listen", for
 * error texts. ERR_INPUT: it cannot listen. */
enum err conn_bind(struct conn_host *h, const char *key, uv_tcp_t *tcp, const char *host,
		   uint16_t port, uv_connection_cb f, char bound[static 80]) MUST_CHECK;
void conn_stop_dialling(struct conn *c);
void conn_no_visitor(struct conn *c); /* call when the connection is accepted or over */

/* Takes bytes of the proxy's answer. When it is complete, begins TLS, or ends the connection if the
 * proxy refused. Returns how many bytes belonged to the answer. */
size_t conn_proxy_receive(struct conn *c, const uint8_t *p, size_t n);

/* conn_in.c */
int conn_read_start(struct conn *c);

/* conn_out.c */
void conn_pump(struct conn *c); /* sends queued bytes, as many as the kernel takes */

#endif
