/* http.h -- a daemon's window for people and monitoring on its own host; the one door to libmicrohttpd.
 *
 *     http_listen()   before the process confines itself: the socket
 *     http_start()    after: one thread of the library's own, which answers by the routes
 *     http_tell()     any thread: there is news for those who watch (/events)
 *     http_stop()     at the end
 *
 * Plain HTTP/1.1 on a loopback address or a unix socket; or, by http_behind() and http_add(), on connections that bring the name of
 * a certificate (proto/front.h), whose TLS has seen to the Host. Who is asked, in this order: is the Host one of ours (else 403:
 * another site's name may have been made to point here), is there a route (404, 405), for POST is the Origin, if there
 * is one, the Host (403), the token right (403), the length known and small (411, 413; a longer body is not read). So no
 * page of another site reads or sends anything. Who has a certificate's name needs no token but a role (403). Handlers run on the library's thread, one at a time, and take their
 * facts from live_copy(), files and databases, never from what other threads own.
 */
#ifndef COMMON_HTTP_HTTP_H
#define COMMON_HTTP_HTTP_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/json.h"
#include "common/job/daemon.h"
#include "common/job/roles.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	HTTP_WATCHERS_MAX = 128,
	HTTP_IDLE_S = 10,           /* a connection that says nothing is closed */
	HTTP_REQUEST_S = 30,        /* from the first byte of a request to the last of its answer */
	HTTP_BODY_MAX = 16 << 10,   /* of a POST, if its route says nothing else */
	HTTP_HEADERS_MAX = 16 << 10, /* of any request */
	HTTP_TOKEN_TEXT = 64 + 1,
};

struct http;

struct http_request {
	const char *path; /* whole, begins with the route's */
	const char *rest; /* what follows the route's path, if that ends in '/' */
	struct bytes body; /* of a POST */
	const char *who;   /* the certificate's name; "": of this host */
	enum role role;    /* of this host: ROLE_VIEWER */
	struct MHD_Connection *connection;
};
/* A value of the query, "" if there is none. Lives as long as the request. */
const char *http_query(const struct http_request *r, const char *key);

/* Zero-initialised is 200 with nothing. */
struct http_answer {
	unsigned status; /* 0: 200 */
	const char *type; /* static text; NULL: JSON */
	struct buf body;
};
/* The whole answer; json is freed. */
void http_json(struct http_answer *a, struct json *json);
/* Another status, and a sentence. */
void http_refuse(struct http_answer *a, unsigned status, const char *fmt, ...) PRINTF(3, 4);

struct http_route {
	bool post;
	const char *path; /* whole; or, ending in '/', of all that begin so and go on */
	/* NULL: an answer without end, for watchers */
	void (*answer)(void *arg, const struct http_request *r, struct http_answer *a);
	void *arg; /* NULL: the site's */
	size_t body_max; /* of a POST; 0: HTTP_BODY_MAX */
};

/* Listens as c->http says; *h is NULL if it says nothing. ERR_INPUT: the port is in use, the address is not here, the socket cannot be made. */
enum err http_listen(struct http **h, const struct daemon_common *c) MUST_CHECK;
/* Serves from now on. route ends with path NULL, is borrowed as arg is. event: what a watcher is sent each time there is
 * news, one line of text, on the library's thread. token: what a POST must show; copied. Without h nothing happens.
 * ERR_INTERNAL. */
struct http_site {
	const struct http_route *route;
	void (*event)(void *arg, struct buf *line);
	void *arg;
	const char *token; /* NULL: no POST is answered, but those with a certificate's name */
	enum role (*role_of)(void *arg, const char *who); /* of that name; NULL: without http_behind() */
};
enum err http_start(struct http *h, const struct http_site *site) MUST_CHECK;
/* One that listens nowhere. */
void http_behind(struct http **h, const struct daemon_common *c);
/* Once started; any thread. fd, of a stream of plain bytes, is the library's, whatever comes of it. */
void http_add(struct http *h, int fd, const char *who);
void http_tell(struct http *h);
/* Ends what takes too long: to be called about once a second; any thread. NULL is fine. */
void http_look(struct http *h, double request_s);
/* Those who watch hear the last news, if they take them within half a second. NULL is fine. */
void http_stop(struct http *h);

#endif
