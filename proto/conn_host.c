/* The host, which all connections of a process share; listening and dialling. */
#include "proto/conn_own.h"

#include "common/base/alloc.h"
#include "common/base/log.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BACKLOG = 128 };
#define HANDSHAKE_TIMEOUT_S 10.0

/* Makes libuv use this program's allocator, because libuv aborts if some of its own allocations
 * fail. */
__attribute__((constructor)) static void conn_host_set_allocator(void)
{
	uv_replace_allocator(alloc_bytes, alloc_bytes_again, alloc, free);
}

/* ---- the host ---- */

enum err conn_host_reload(struct conn_host *h)
{
	struct tls_context *server, *client;

	TRY(tls_context_new(&server, TLS_SERVER, &h->files));
	if (tls_context_new(&client, h->asks ? TLS_ASKS : TLS_CLIENT, &h->files) != ERR_OK) {
		tls_context_free(server); /* the files changed between the two reads */
		return ERR_INPUT;
	}
	tls_context_free(h->server);
	tls_context_free(h->client);
	h->server = server;
	h->client = client;
	return ERR_OK;
}

static char *conn_host_copy_path(const char *path)
{
	return path ? alloc_copy(path) : NULL;
}

enum err conn_host_new(struct conn_host **host, uv_loop_t *loop, const struct conn_options *o)
{
	struct conn_host *h;
	enum err e;

	ALLOC(h, 1);
	h->loop = loop;
	h->files = (struct identity_files){ conn_host_copy_path(o->files.certificate),
					    conn_host_copy_path(o->files.key),
					    conn_host_copy_path(o->files.ca),
					    conn_host_copy_path(o->files.crl),
					    conn_host_copy_path(o->files.passphrase) };
	h->proxy = conn_host_copy_path(o->proxy);
	h->proxy_port = o->proxy_port;
	h->handshake_timeout_s =
	    o->handshake_timeout_s > 0 ? o->handshake_timeout_s : HANDSHAKE_TIMEOUT_S;
	h->per_address = CONN_PER_ADDRESS;
	h->asks = o->asks;
	h->read_buffer = alloc(CONN_READ, 1);
	e = conn_host_reload(h);
	if (e != ERR_OK) {
		conn_host_free(h);
		return e;
	}
	signal(SIGPIPE, SIG_IGN);
	*host = h;
	return ERR_OK;
}

void conn_host_free(struct conn_host *h)
{
	if (!h)
		return;
	tls_context_free(h->server);
	tls_context_free(h->client);
	free((char *)h->files.certificate);
	free((char *)h->files.key);
	free((char *)h->files.ca);
	free((char *)h->files.crl);
	free((char *)h->files.passphrase);
	free(h->proxy);
	free(h->read_buffer);
	free(h);
}

/* ---- listening ---- */

static void free_handle(uv_handle_t *handle)
{
	free(handle);
}

/* ---- visitors: connections that conn_welcome() has not accepted yet ---- */

void conn_no_visitor(struct conn *c)
{
	for (struct conn **at = &c->host->visitors; *at; at = &(*at)->older)
		if (*at == c) {
			*at = c->older;
			return;
		}
}

void conn_origin(uint8_t origin[static CONN_ORIGIN], const struct sockaddr_storage *a)
{
	memset(origin, 0, CONN_ORIGIN);
	if (a->ss_family == AF_INET)
		memcpy(origin, &((const struct sockaddr_in *)a)->sin_addr, 4);
	else if (a->ss_family == AF_INET6)
		memcpy(origin, &((const struct sockaddr_in6 *)a)->sin6_addr, CONN_ORIGIN);
}

/* Adds a new connection to the visitors. If its address has per_address visitors already, ends the
 * oldest of them. Visitors from other addresses stay. */
static void conn_host_enter(struct conn *c, const struct sockaddr_storage *a)
{
	struct conn_host *h = c->host;
	struct conn *oldest = NULL;
	unsigned same = 0;

	conn_origin(c->origin, a);
	for (struct conn *v = h->visitors; v; v = v->older)
		if (memcmp(v->origin, c->origin, sizeof(c->origin)) == 0) {
			same++;
			oldest = v;
		}
	c->older = h->visitors;
	h->visitors = c;
	if (same >= h->per_address)
		conn_over(oldest, ERR_PEER,
			  "too many others of its address have not finished their greeting");
}

static struct log_seldom unaccepted, refused;

static void conn_host_on_connection(uv_stream_t *stream, int status)
{
	struct listener *l = stream->data;
	struct sockaddr_storage peer = { 0 };
	int len = sizeof(peer);
	uv_tcp_t *unwanted;
	struct conn *c;

	if (status < 0) {
		log_seldom(&unaccepted, "a connection could not be accepted: %s",
			   uv_strerror(status));
		return;
	}
	if (l->host->greeting >= CONN_GREETING_MAX) { /* accepts the connection only to close it */
		ALLOC(unwanted, 1);
		uv_tcp_init(l->host->loop, unwanted);
		uv_accept(stream, (uv_stream_t *)unwanted);
		uv_close((uv_handle_t *)unwanted, free_handle);
		log_seldom(&refused,
			   "connection refused: %d others have not finished their greeting",
			   CONN_GREETING_MAX);
		return;
	}
	c = conn_new(l->host, l->events, NULL);
	conn_add_tcp(c, AF_UNSPEC);
	status = uv_accept(stream, (uv_stream_t *)&c->tcp);
	snprintf(c->address, sizeof(c->address), "unknown address");
	if (status == 0 && uv_tcp_getpeername(&c->tcp, (struct sockaddr *)&peer, &len) == 0)
		conn_address_text(c->address, (struct sockaddr *)&peer);
	conn_host_enter(c, &peer);
	c->arg = l->accepted(c, l->arg);
	if (c->phase == CONN_OVER)
		return;
	if (status < 0) {
		conn_over(c, ERR_PEER, uv_strerror(status));
		return;
	}
	conn_alarm(c, l->host->handshake_timeout_s);
	conn_start(c, l->host->server);
}

enum err conn_bind(struct conn_host *h, const char *key, uv_tcp_t *tcp, const char *host,
		   uint16_t port, uv_connection_cb f, char bound[static 80])
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct sockaddr_storage own;
	uv_getaddrinfo_t lookup;
	char service[8];
	int len = sizeof(own), status;

	snprintf(service, sizeof(service), "%u", port);
	status = uv_getaddrinfo(h->loop, &lookup, NULL, host, service, &hints);
	if (status < 0)
		return err_set(ERR_INPUT, "%s: %s: %s", key, host, uv_strerror(status));
	status = uv_tcp_bind(tcp, lookup.addrinfo->ai_addr, 0);
	uv_freeaddrinfo(lookup.addrinfo);
	if (status == 0)
		status = uv_listen((uv_stream_t *)tcp, BACKLOG, f);
	if (status == 0)
		status = uv_tcp_getsockname(tcp, (struct sockaddr *)&own, &len);
	if (status < 0)
		return err_set(ERR_INPUT, "%s: %s:%u: %s", key, host, port, uv_strerror(status));
	conn_address_text(bound, (struct sockaddr *)&own);
	return ERR_OK;
}

enum err conn_listen(struct conn_host *h, const char *host, uint16_t port,
		     const struct conn_events *events, void *(*accepted)(struct conn *c, void *arg),
		     void *arg, struct listener **listener, char bound[static 80])
{
	struct listener *l;
	enum err e;

	ALLOC(l, 1);
	*l = (struct listener){ .host = h, .events = events, .accepted = accepted, .arg = arg };
	uv_tcp_init(h->loop, &l->tcp);
	l->tcp.data = l;
	e = conn_bind(h, "listen", &l->tcp, host, port, conn_host_on_connection, bound);
	if (e == ERR_OK)
		*listener = l;
	else
		conn_listen_stop(l);
	return e;
}

void conn_listen_stop(struct listener *l)
{
	if (l)
		/* frees l, whose first member is the handle */
		uv_close((uv_handle_t *)&l->tcp, free_handle);
}

/* ---- dialling: each address in turn ---- */

static void try_next_address(struct conn *c);

/* ---- through a proxy ---- */

static void conn_host_on_asked(uv_write_t *request, int status)
{
	struct conn *c = request->data;

	if (status < 0 && c->phase == CONN_PROXY) {
		err_set(ERR_PEER, "%s: %s", c->dialling->where, uv_strerror(status));
		conn_over(c, ERR_PEER, err_detail());
	}
}

static void ask_proxy(struct conn *c)
{
	struct conn_dialling *d = c->dialling;
	uv_buf_t b = uv_buf_init((char *)d->request.p, (unsigned)d->request.n);

	c->phase = CONN_PROXY;
	d->write.data = c;
	if (conn_read_start(c) < 0 ||
	    uv_write(&d->write, (uv_stream_t *)&c->tcp, &b, 1, conn_host_on_asked) < 0)
		conn_over(c, ERR_INTERNAL, "the proxy could not be asked");
}

/* Proxies answer 5xx if the server is absent or its name does not resolve; a party then dials
 * again. Any other refusal needs an operator. */
size_t conn_proxy_receive(struct conn *c, const uint8_t *p, size_t n)
{
	struct conn_dialling *d = c->dialling;
	struct proxy_answer *a = &d->answer;
	size_t own = proxy_answer_take(a, p, n);

	if (a->state == PROXY_READS)
		return own;
	if (a->state == PROXY_OPEN) {
		memcpy(c->address, d->target, sizeof(c->address));
		uv_read_stop((uv_stream_t *)&c->tcp); /* conn_start() starts reading again */
		conn_start(c, c->host->client);
		return own;
	}
	c->answered = a->state == PROXY_WRONG || a->status < 500;
	if (a->state == PROXY_REFUSED)
		err_set(ERR_PEER, "%s answered \"%s\" when asked for %s", d->where, a->shown,
			d->target);
	else
		err_set(ERR_PEER, "%s did not answer as an HTTP proxy does: \"%s\"", d->where,
			a->shown);
	conn_over(c, ERR_PEER, err_detail());
	return own;
}

/* ---- addresses ---- */

static void on_attempt_closed(uv_handle_t *handle)
{
	struct conn *c = handle->data;

	if (c->phase == CONN_OVER) {
		conn_give_back(c);
		return;
	}
	c->handles--;
	c->has_tcp = false;
	try_next_address(c);
}

static void attempt_failed(struct conn *c, int status)
{
	snprintf(c->dialling->last, sizeof(c->dialling->last), "%s", uv_strerror(status));
	uv_close((uv_handle_t *)&c->tcp, on_attempt_closed);
}

static void on_connected(uv_connect_t *request, int status)
{
	struct conn *c = request->data;

	if (c->phase == CONN_OVER)
		return;
	if (status < 0) {
		attempt_failed(c, status);
		return;
	}
	conn_stop_dialling(c);
	if (c->dialling->request.n)
		ask_proxy(c);
	else
		conn_start(c, c->host->client);
}

static void try_next_address(struct conn *c)
{
	struct conn_dialling *d = c->dialling;
	const struct addrinfo *a = d->next;
	int status;

	if (!a) {
		err_set(ERR_PEER, "%s: %s", d->where, d->last);
		conn_over(c, ERR_PEER, err_detail());
		return;
	}
	d->next = a->ai_next;
	conn_address_text(c->address, a->ai_addr);
	conn_add_tcp(c, (unsigned)a->ai_family);
	status = uv_tcp_connect(&d->connect, &c->tcp, a->ai_addr, on_connected);
	if (status < 0)
		attempt_failed(c, status);
}

static void on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses)
{
	struct lookup *lookup = request->data;
	struct conn *c = lookup->conn;

	free(lookup);
	if (!c) {
		uv_freeaddrinfo(addresses);
		return;
	}
	c->dialling->lookup = NULL;
	c->dialling->addresses = c->dialling->next = addresses;
	if (status == UV_EAI_AGAIN) /* libc returns EAI_AGAIN for names that do not exist, too */
		snprintf(c->dialling->last, sizeof(c->dialling->last),
			 "the name cannot be looked up: is it right, and does this host's resolver "
			 "answer?");
	else
		snprintf(c->dialling->last, sizeof(c->dialling->last), "%s",
			 status < 0 ? uv_strerror(status) : "no address");
	try_next_address(c);
}

void conn_stop_dialling(struct conn *c)
{
	if (!c->dialling)
		return;
	uv_freeaddrinfo(c->dialling->addresses);
	c->dialling->addresses = c->dialling->next = NULL;
	if (c->dialling->lookup) {
		c->dialling->lookup->conn = NULL;
		uv_cancel(
		    /* The request's callback is called even after uv_cancel(). */
		    (uv_req_t *)&c->dialling->lookup->request);
		c->dialling->lookup = NULL;
	}
}

enum err conn_dial(struct conn_host *h, const char *host, uint16_t port,
		   const struct conn_events *events, void *arg, struct conn **conn)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	struct conn *c = conn_new(h, events, arg);
	char service[8];
	int status;

	ALLOC(c->dialling, 1);
	ALLOC(c->dialling->lookup, 1);
	c->dialling->lookup->conn = c;
	c->dialling->lookup->request.data = c->dialling->lookup;
	c->dialling->connect.data = c;
	snprintf(c->address, sizeof(c->address), "%.70s:%u", host, port);
	if (h->proxy) {
		memcpy(c->dialling->target, c->address, sizeof(c->address));
		proxy_request(&c->dialling->request, host, port);
		host = h->proxy;
		port = h->proxy_port;
	}
	snprintf(c->dialling->where, sizeof(c->dialling->where), "%s%s:%u",
		 h->proxy ? "the proxy " : "", host, port);
	snprintf(service, sizeof(service), "%u", port);
	conn_alarm(c, h->handshake_timeout_s);
	*conn = c;
	status = uv_getaddrinfo(h->loop, &c->dialling->lookup->request, on_resolved, host, service,
				&hints);
	if (status < 0) {
		free(c->dialling->lookup);
		c->dialling->lookup = NULL;
		err_set(ERR_PEER, "%s: %s", c->dialling->where, uv_strerror(status));
		conn_over(c, ERR_PEER, err_detail());
	}
	return ERR_OK; /* failures are reported through `closed` */
}
