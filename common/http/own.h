/* own.h -- the inside of common/http, for its files only.
 *
 * listen.c   the socket
 * http.c     requests and answers
 * gate.c     who may ask
 * events.c   those who watch
 * visits.c   connections: how many of whom, for how long
 */
#ifndef COMMON_HTTP_OWN_H
#define COMMON_HTTP_OWN_H

#include "common/http/http.h"

#include <microhttpd.h>
#include <pthread.h>

enum { HTTP_HOST_MAX = HOST_MAX + 8, HTTP_WHY_MAX = 512 };

/* One answer without end. */
struct watcher {
	struct watcher *next;
	struct http *h;
	struct MHD_Connection *connection;
	uint64_t seen;  /* the news that it has been sent */
	bool suspended; /* until there is more */
	bool cut;       /* its connection is to end */
	struct buf out; /* what it is being sent, from `at` on */
	size_t at;
};

/* A connection. */
struct visit {
	struct visit *next; /* the newest first */
	struct MHD_Connection *connection;
	int fd;
	char who[ROLES_NAME_MAX + 1]; /* certificate, user or address, zeros behind */
	double since_s;     /* when it came, or had its last answer */
	bool watches, cut;
};

struct http {
	const struct daemon_common *common;
	bool behind;      /* http_behind() */
	struct MHD_Daemon *daemon;
	int fd;
	char *socket; /* the path of a unix socket; or NULL */
	char bound[HTTP_HOST_MAX + 16];
	struct http_site site;
	char token[HTTP_TOKEN_TEXT];
	pthread_mutex_t lock; /* of all that follows */
	struct visit *visits;
	/* those who watch */
	struct watcher *watchers;
	uint64_t news;      /* rises by http_tell() */
	bool closing;
	struct buf event;   /* made of that much news, by the library's thread alone */
	uint64_t event_news;
};

struct asking { /* one request, while it comes in */
	bool begun;
	unsigned refused; /* with this status, and why */
	char why[HTTP_WHY_MAX];
	const struct http_route *route;
	enum role role;
	struct buf body;
};

/* The gate: false with the status and the sentence in `a` if this may not be asked. */
bool http_may_ask(const struct http *h, struct MHD_Connection *c, struct asking *a, const char *method);
const char *http_who(struct MHD_Connection *c); /* as of struct http_request; borrowed */
bool http_may_post(const struct http *h, struct MHD_Connection *c, struct asking *a);

/* A connection comes or goes: the library's call. */
void http_on_connection(void *http, struct MHD_Connection *c, void **context, enum MHD_ConnectionNotificationCode what);
/* It has had its answer. */
void http_next_request(struct http *h, struct MHD_Connection *c);
/* It is to watch from now on; false: too many do. */
bool http_may_watch(struct http *h, struct MHD_Connection *c);

/* Answers /events. MHD_NO: the connection is closed. */
enum MHD_Result http_watch(struct http *h, struct MHD_Connection *c);
/* Sends the last news and the end to those who take it soon; none is asleep any more. */
void http_say_last(struct http *h);
void http_security_headers(struct MHD_Response *r);

#endif
