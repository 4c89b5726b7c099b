/* own.h -- internals of common/http, for its files only.
 *
 *     listen.c  the socket
 *     http.c    requests and answers
 *     gate.c    access control
 *     events.c  watchers
 *     visits.c  limits on connections and their duration
 */
#ifndef COMMON_HTTP_OWN_H
#define COMMON_HTTP_OWN_H

#include "common/http/http.h"

#include <microhttpd.h>
#include <pthread.h>

enum { HTTP_HOST_MAX = HOST_MAX + 8, HTTP_WHY_MAX = 512 };

/* One event stream. */
struct watcher {
	struct watcher *next;
	struct http *h;
	struct MHD_Connection *connection;
	uint64_t seen;  /* number of the last news that was sent */
	bool suspended; /* its connection sleeps until there is more to send */
	bool cut;       /* its connection must end */
	struct buf out; /* event being sent, from `at` on */
	size_t at;
};

/* A connection. */
struct visit {
	struct visit *next; /* newest first */
	struct MHD_Connection *connection;
	int fd;
	char who[ROLES_NAME_MAX + 1]; /* name in the certificate, user id or address; zero-padded */
	double since_s;               /* time of its arrival or last answer */
	bool watches, cut;
};

struct http {
	const struct daemon_common *common;
	bool behind; /* made by http_behind() */
	struct MHD_Daemon *daemon;
	int fd;
	char *socket; /* path of a unix socket, or NULL */
	char bound[HTTP_HOST_MAX + 16];
	struct http_site site;
	char token[HTTP_TOKEN_TEXT];
	pthread_mutex_t lock; /* guards all members below */
	struct visit *visits;
	struct watcher *watchers;
	uint64_t news; /* incremented by http_announce() */
	bool closing;
	/* event for the news with number event_news; used by the server's thread (http.h) only */
	struct buf event;
	uint64_t event_news;
};

struct asking { /* a request that is being received */
	bool begun;
	unsigned refused; /* status of the refusal; `why` is the message */
	char why[HTTP_WHY_MAX];
	const struct http_route *route;
	enum role role;
	struct buf body;
};

/* Access control: false, with status and message in `a`, if the request is refused. */
bool http_may_ask(const struct http *h, struct MHD_Connection *c, struct asking *a,
		  const char *method);
/* Returns the client's name as in struct http_request; borrowed. */
const char *http_who(const struct http *h, struct MHD_Connection *c);
bool http_may_post(const struct http *h, struct MHD_Connection *c, struct asking *a);

/* Callback for libmicrohttpd: a connection was opened or closed. */
void http_on_connection(void *http, struct MHD_Connection *c, void **context,
			enum MHD_ConnectionNotificationCode what);
/* Restarts the connection's clock after an answer. */
void http_next_request(struct http *h, struct MHD_Connection *c);
/* Registers the connection as a watcher; false if there are too many, in all or of this client. */
bool http_may_watch(struct http *h, struct MHD_Connection *c);

/* Answers /events. MHD_NO closes the connection. */
enum MHD_Result http_watch(struct http *h, struct MHD_Connection *c);
/* Wakes all watchers, sends them the last news and the end of the stream, and waits briefly until
 * the watchers have received both. */
void http_announce_last(struct http *h);
void http_security_headers(struct MHD_Response *r);

#endif
