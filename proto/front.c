#include "proto/front.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "proto/conn_own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ = 64 << 10, KEEPALIVE_S = 60, HANDSHAKE_MS = 10000, TAKE_MS = 30000, LAST_MS = 1000 };

/* A client that has connected. */
struct caller {
	struct caller *next; /* the next older client */
	struct front *f;
	uv_tcp_t tcp;
	uv_pipe_t pipe; /* this process's end of the pair of sockets */
	uv_timer_t timer;
	unsigned handles;
	struct tls *tls;
	bool joined; /* the certificate is valid, and the server has the other end of the pair */
	bool ending; /* the connection is ending, so further input is discarded */
	bool out_busy, in_busy;
	uv_write_t out_write, in_write;
	struct buf out, in; /* bytes on their way to the client, and to the server */
	uv_shutdown_t shutdown;
	uint8_t origin[CONN_ORIGIN];
	char address[80];
};

struct front {
	uv_tcp_t tcp;
	struct conn_host *host;
	front_add *add;
	void *arg;
	struct caller *first;
	size_t count;
	bool listens, closed;
	uint8_t plain[TLS_RECORD];
	char read[READ];
};

/* ---- the end of one ---- */

static void front_free_when_done(struct front *f)
{
	if (f->closed && !f->first && !f->listens)
		free(f);
}

static void front_on_gone(uv_handle_t *handle)
{
	struct caller *c = handle->data;
	struct front *f = c->f;

	if (--c->handles)
		return;
	for (struct caller **at = &f->first; *at; at = &(*at)->next)
		if (*at == c) {
			*at = c->next;
			break;
		}
	f->count--;
	tls_free(c->tls);
	buf_release(&c->out);
	buf_release(&c->in);
	free(c);
	front_free_when_done(f);
}

static void front_finish(struct caller *c)
{
	if (uv_is_closing((uv_handle_t *)&c->tcp))
		return;
	uv_close((uv_handle_t *)&c->tcp, front_on_gone);
	uv_close((uv_handle_t *)&c->pipe, front_on_gone);
	uv_close((uv_handle_t *)&c->timer, front_on_gone);
}

static void front_on_timeout(uv_timer_t *timer)
{
	struct caller *c = timer->data;

	if (!c->joined && !c->ending)
		log_debug("%s has not shown a certificate in time", c->address);
	front_finish(c);
}

/* ---- to the client ---- */

static void front_on_room(uv_handle_t *handle, size_t wanted, uv_buf_t *buf)
{
	struct caller *c = handle->data;

	(void)wanted;
	*buf = uv_buf_init(c->f->read, sizeof(c->f->read));
}

static void on_plain(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf);
static struct log_seldom refused, unaccepted;

static void on_cipher(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf);
static void flush(struct caller *c);

static void on_shut(uv_shutdown_t *shutdown, int status)
{
	(void)shutdown;
	/* errors can be ignored: the other end's close, or the timer, is the next event. */
	(void)status;
}

static void on_flushed(uv_write_t *write, int status)
{
	struct caller *c = write->data;

	c->out_busy = false;
	c->out.n = 0;
	if (uv_is_closing((uv_handle_t *)&c->tcp))
		return;
	if (status < 0) {
		front_finish(c);
		return;
	}
	if (c->joined && !c->ending) { /* until c->joined, the timer limits the handshake */
		uv_timer_stop(&c->timer);
		uv_read_start((uv_stream_t *)&c->pipe, front_on_room, on_plain);
	}
	flush(c);
}

/* Sends TLS output; then closes, if the connection is ending. */
static void flush(struct caller *c)
{
	struct buf *ready = tls_output(c->tls), empty = c->out;
	uv_buf_t out;

	if (c->out_busy)
		return;
	if (!ready->n) {
		if (c->ending && uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shut) != 0)
			front_finish(c);
		return;
	}
	c->out = *ready;
	*ready = empty;
	out = uv_buf_init((char *)c->out.p, (unsigned)c->out.n);
	c->out_write.data = c;
	c->out_busy = true;
	uv_read_stop((uv_stream_t *)&c->pipe);
	if (!c->ending && c->joined)
		uv_timer_start(&c->timer, front_on_timeout, TAKE_MS, 0);
	if (uv_write(&c->out_write, (uv_stream_t *)&c->tcp, &out, 1, on_flushed) != 0)
		front_finish(c);
}

/* Ends a connection. Sends pending output first, because closing at once could destroy bytes that
 * the peer has not read. */
static void front_end(struct caller *c)
{
	if (c->ending || uv_is_closing((uv_handle_t *)&c->tcp))
		return;
	c->ending = true;
	uv_read_stop((uv_stream_t *)&c->pipe);
	uv_read_start((uv_stream_t *)&c->tcp, front_on_room, on_cipher);
	uv_timer_start(&c->timer, front_on_timeout, LAST_MS, 0);
	flush(c);
}

static void on_plain(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct caller *c = stream->data;

	if (n == 0)
		return;
	if (n < 0) { /* the server has closed */
		tls_end(c->tls);
		front_end(c);
	} else if (tls_write(c->tls, (const uint8_t *)buf->base, (size_t)n) != ERR_OK) {
		front_finish(c);
	} else {
		flush(c);
	}
}

/* ---- to the server ---- */

static void on_taken(uv_write_t *write, int status)
{
	struct caller *c = write->data;

	c->in_busy = false;
	c->in.n = 0;
	if (uv_is_closing((uv_handle_t *)&c->tcp))
		return;
	if (status < 0) /* if the server reads no more, its answer arrives through on_plain() */
		return;
	uv_read_start((uv_stream_t *)&c->tcp, front_on_room, on_cipher);
}

/* Takes received bytes, and passes them to the server as plaintext. */
static void front_take_bytes(struct caller *c)
{
	uv_buf_t in;
	size_t got;

	do {
		if (tls_read(c->tls, c->f->plain, sizeof(c->f->plain), &got) != ERR_OK) {
			front_finish(c);
			return;
		}
		buf_add(&c->in, c->f->plain, got);
	} while (got);
	flush(c);
	if (tls_state(c->tls) == TLS_ENDED) {
		front_finish(c);
		return;
	}
	if (!c->in.n)
		return;
	in = uv_buf_init((char *)c->in.p, (unsigned)c->in.n);
	c->in_write.data = c;
	c->in_busy = true;
	uv_read_stop((uv_stream_t *)&c->tcp);
	if (uv_write(&c->in_write, (uv_stream_t *)&c->pipe, &in, 1, on_taken) != 0)
		front_finish(c);
}

/* Gives the server the other end of the pair. */
static bool front_join_server(struct caller *c)
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd) != 0)
		return false;
	if (uv_pipe_open(&c->pipe, fd[0]) != 0) {
		close(fd[0]);
		close(fd[1]);
		return false;
	}
	c->joined = true;
	uv_timer_stop(&c->timer);
	log_debug("%s shows the certificate of %s", c->address, tls_peer_name(c->tls));
	c->f->add(c->f->arg, fd[1], tls_peer_name(c->tls));
	return uv_read_start((uv_stream_t *)&c->pipe, front_on_room, on_plain) == 0;
}

static struct log_seldom refused, unaccepted;

static void on_cipher(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct caller *c = stream->data;

	if (n < 0) {
		front_finish(c);
		return;
	}
	if (c->ending || n == 0)
		return;
	tls_input(c->tls, (const uint8_t *)buf->base, (size_t)n);
	if (!c->joined) {
		if (tls_handshake(c->tls) != ERR_OK) {
			log_seldom(&refused, "refused at api.listen: %s %s", c->address,
				   err_detail());
			front_end(c);
			return;
		}
		flush(c);
		if (tls_state(c->tls) != TLS_OPEN)
			return;
		if (!front_join_server(c)) {
			front_finish(c);
			return;
		}
	}
	front_take_bytes(c);
}

/* ---- new clients ---- */

/* If there are too many clients, closes the oldest that has not shown its certificate or does not
 * read its answers. If there is no such client, closes the newest, which is at the head of the
 * list. If the total is fine, but too many clients with the newest one's address have not shown a
 * certificate, closes the oldest of these. */
static void front_make_room(struct front *f)
{
	struct caller *newest = f->first, *goes = newest, *of_address = NULL;
	unsigned same = 0;

	for (struct caller *c = newest->next; c; c = c->next) {
		if (uv_is_closing((uv_handle_t *)&c->tcp))
			continue;
		if (!c->joined || c->out_busy || c->ending)
			goes = c;
		if (!c->joined && !memcmp(c->origin, newest->origin, sizeof(c->origin))) {
			of_address = c;
			same++;
		}
	}
	if (f->count > FRONT_MAX)
		front_finish(goes);
	else if (same >= f->host->per_address)
		front_finish(of_address);
}

static void front_on_connection(uv_stream_t *server, int status)
{
	struct front *f = server->data;
	struct sockaddr_storage peer = { 0 };
	int len = sizeof(peer);
	struct caller *c;

	if (status < 0) {
		log_seldom(&unaccepted, "a connection to api.listen could not be accepted: %s",
			   uv_strerror(status));
		return;
	}
	ALLOC(c, 1);
	*c = (struct caller){ .next = f->first, .f = f, .handles = 3 };
	uv_tcp_init(server->loop, &c->tcp);
	uv_pipe_init(server->loop, &c->pipe, 0);
	uv_timer_init(server->loop, &c->timer);
	c->tcp.data = c->pipe.data = c->timer.data = c;
	c->tls = tls_new(f->host->server);
	f->first = c;
	f->count++;
	snprintf(c->address, sizeof(c->address), "unknown address");
	if (uv_accept(server, (uv_stream_t *)&c->tcp) != 0 ||
	    uv_read_start((uv_stream_t *)&c->tcp, front_on_room, on_cipher) != 0) {
		front_finish(c);
		return;
	}
	if (uv_tcp_getpeername(&c->tcp, (struct sockaddr *)&peer, &len) == 0)
		conn_address_text(c->address, (struct sockaddr *)&peer);
	conn_origin(c->origin, &peer);
	uv_tcp_nodelay(&c->tcp, 1);
	uv_tcp_keepalive(&c->tcp, 1, KEEPALIVE_S); /* detects a client that no longer exists */
	uv_timer_start(&c->timer, front_on_timeout, HANDSHAKE_MS, 0);
	front_make_room(f);
}

/* ---- its life ---- */

static void front_on_stopped(uv_handle_t *handle)
{
	struct front *f = handle->data;

	f->listens = false;
	front_free_when_done(f);
}

void front_close(struct front *f)
{
	if (!f || f->closed)
		return;
	f->closed = true;
	for (struct caller *c = f->first; c; c = c->next)
		front_finish(c);
	uv_close((uv_handle_t *)&f->tcp, front_on_stopped);
}

enum err front_open(struct front **out, struct conn_host *h, const char *key, const char *host,
		    uint16_t port, front_add *add, void *arg, char bound[static 80])
{
	struct front *f;
	enum err e;

	ALLOC(f, 1);
	f->host = h;
	f->add = add;
	f->arg = arg;
	f->listens = true;
	uv_tcp_init(h->loop, &f->tcp);
	f->tcp.data = f;
	e = conn_bind(h, key, &f->tcp, host, port, front_on_connection, bound);
	*out = e == ERR_OK ? f : NULL;
	if (e != ERR_OK)
		front_close(f);
	return e;
}
