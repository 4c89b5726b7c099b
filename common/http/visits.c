/* Limits the number of connections per client, and their duration. If an answer on a connection
 * takes too long, or if another connection needs its place, shuts down its socket. libmicrohttpd
 * then closes the connection as if the peer had closed it. */
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/http/own.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
	PER_CERTIFICATE = 16, /* all certificates without a role share one limit */
	PER_ADDRESS = 192,    /* limit for an address, and for a user at a unix socket */
	IN_ALL = HTTP_CONNECTIONS_MAX - 16, /* 16 are left for connections being closed */
	WATCHERS_EACH = HTTP_WATCHERS_MAX / 2,
};

/* Sets v->who, which identifies the client. Connections with the same `who` share a limit. */
static void name_visitor(const struct http *h, struct visit *v)
{
	const union MHD_ConnectionInfo *i =
	    MHD_get_connection_info(v->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct sockaddr *at = i ? i->client_addr : NULL;
	const char *name = http_who(h, v->connection);
	struct ucred user = { .uid = 0 };
	socklen_t len = sizeof(user);

	if (h->behind) {
		bool known = h->site.role_of(h->site.arg, name) != ROLE_NONE;

		snprintf(v->who, sizeof(v->who), "%s", known ? name : "");
	} else if (at && at->sa_family == AF_INET) {
		memcpy(v->who, &((const struct sockaddr_in *)(const void *)at)->sin_addr, 4);
	} else if (at && at->sa_family == AF_INET6) { /* a host may have a whole /64 */
		memcpy(v->who, &((const struct sockaddr_in6 *)(const void *)at)->sin6_addr, 8);
	} else if (getsockopt(v->fd, SOL_SOCKET, SO_PEERCRED, &user, &len) == 0) {
		memcpy(v->who, &user.uid, sizeof(user.uid));
	}
}

static bool http_visits_same_visitor(const struct visit *a, const struct visit *b)
{
	return memcmp(a->who, b->who, sizeof(a->who)) == 0;
}

static size_t count_of(const struct http *h, const struct visit *of)
{
	size_t n = 0;

	for (const struct visit *v = h->visits; v; v = v->next)
		n += !v->cut && http_visits_same_visitor(v, of);
	return n;
}

/* Cuts a connection. Also wakes its watcher, since a suspended watcher would not notice. */
static void cut(struct http *h, struct visit *v)
{
	v->cut = true;
	shutdown(v->fd, SHUT_RDWR);
	for (struct watcher *w = h->watchers; w; w = w->next)
		if (w->connection == v->connection) {
			w->cut = true;
			if (w->suspended)
				MHD_resume_connection(w->connection);
			w->suspended = false;
		}
}

/* Returns the oldest connection of the same client except the newest one, preferably one that does
 * not watch. */
static struct visit *oldest_of(const struct http *h, const struct visit *of)
{
	struct visit *oldest = NULL;

	for (struct visit *v = h->visits->next; v; v = v->next) {
		if (v->cut || !http_visits_same_visitor(v, of))
			continue;
		if (!oldest || v->watches < oldest->watches ||
		    (v->watches == oldest->watches && v->since_s <= oldest->since_s))
			oldest = v;
	}
	return oldest;
}

/* Cuts a connection if there are too many, in all or of the client of the newest connection, which
 * is the head of the list. */
static void http_visits_make_room(struct http *h)
{
	const struct visit *of = h->visits, *most = of;
	struct visit *goes;
	size_t all = 0;

	for (const struct visit *v = h->visits; v; v = v->next)
		all += !v->cut;
	if (all > IN_ALL) { /* close a connection of the client that has the most */
		for (const struct visit *v = h->visits; v; v = v->next)
			if (!v->cut && !http_visits_same_visitor(v, most) &&
			    count_of(h, v) > count_of(h, most))
				most = v;
	} else if (count_of(h, of) <= (h->behind ? PER_CERTIFICATE : PER_ADDRESS)) {
		return;
	}
	goes = oldest_of(h, most);
	if (goes)
		cut(h, goes);
}

static void http_visits_enter(struct http *h, struct MHD_Connection *c, void **context)
{
	const union MHD_ConnectionInfo *i =
	    MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct visit *v;

	ALLOC(v, 1);
	*v = (struct visit){ .connection = c, .fd = i->connect_fd, .since_s = clock_now_s() };
	name_visitor(h, v);
	*context = v;
	pthread_mutex_lock(&h->lock);
	v->next = h->visits;
	h->visits = v;
	http_visits_make_room(h);
	pthread_mutex_unlock(&h->lock);
}

static void http_visits_leave(struct http *h, struct visit *gone)
{
	pthread_mutex_lock(&h->lock);
	for (struct visit **at = &h->visits; *at; at = &(*at)->next)
		if (*at == gone) {
			*at = gone->next;
			break;
		}
	pthread_mutex_unlock(&h->lock);
	free(gone);
}

void http_on_connection(void *http, struct MHD_Connection *c, void **context,
			enum MHD_ConnectionNotificationCode what)
{
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		http_visits_enter(http, c, context);
	else
		http_visits_leave(http, *context);
}

static struct visit *visit_of(struct MHD_Connection *c)
{
	return MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

void http_next_request(struct http *h, struct MHD_Connection *c)
{
	struct visit *v = visit_of(c);

	pthread_mutex_lock(&h->lock);
	v->since_s = clock_now_s();
	v->watches = false;
	pthread_mutex_unlock(&h->lock);
}

bool http_may_watch(struct http *h, struct MHD_Connection *c)
{
	struct visit *own = visit_of(c);
	size_t all = 0, his = 0;

	pthread_mutex_lock(&h->lock);
	for (const struct visit *v = h->visits; v; v = v->next) {
		all += v->watches;
		his += v->watches && http_visits_same_visitor(v, own);
	}
	own->watches = all < HTTP_WATCHERS_MAX && his < WATCHERS_EACH;
	pthread_mutex_unlock(&h->lock);
	return own->watches;
}

void http_look(struct http *h, double request_s)
{
	double now_s = clock_now_s();

	if (!h)
		return;
	pthread_mutex_lock(&h->lock);
	for (struct visit *v = h->visits; v; v = v->next)
		if (!v->cut && !v->watches && now_s - v->since_s > request_s) {
			log_debug("http: a request took longer than %g s", request_s);
			cut(h, v);
		}
	pthread_mutex_unlock(&h->lock);
}
