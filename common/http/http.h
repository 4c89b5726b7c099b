/* http.h -- a daemon's HTTP server for users and monitoring on its host; the only user of
 * libmicrohttpd.
 *
 *     http_listen()   opens the socket, before the sandbox
 *     http_start()    after it: starts one library thread, which answers by the routes
 *     http_announce() announces news to watchers (/events); any thread may call it
 *     http_stop()     at the end
 *
 * Plain HTTP/1.1 on a loopback address or a unix socket. With http_behind() and http_add() it also
 * serves connections that carry a certificate's name (proto/front.h), whose TLS has checked the
 * Host.
 *
 * Checks of a request, in order: Host is one of ours (else 403, since the DNS of another site may
 * point its name to this host); a certificate's name has a role (403); no page of another site made
 * it, except by a link to here (Sec-Fetch-Site, 403); method and route exist (404, 405). For POST:
 * Origin, if present, equals Host (403); a client without a certificate's name shows the token
 * (403); the length is known and small (411, 413; a longer body is not read). So a page of another
 * site cannot read answers or send commands.
 *
 * Handlers run on the library thread, one at a time. They read only live_copy(), files and
 * databases, but not data that other threads own.
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
	HTTP_IDLE_S = 10, /* seconds until an idle connection is closed */
	HTTP_REQUEST_S =
	    30, /* limit from a connection's arrival or last answer to its next answer */
	HTTP_BODY_MAX = 16 << 10, /* limit on the body of a POST, unless its route sets another */
	HTTP_HEADERS_MAX = 16 << 10, /* limit on the headers of a request */
	HTTP_TOKEN_TEXT = 64 + 1,
};

struct http;

struct http_request {
	const char *path;  /* whole path; it begins with the route's path */
	const char *rest;  /* rest after the route's path, if that ends in '/' */
	struct bytes body; /* body of a POST */
	const char *who;   /* name in the certificate; "" for a client on this host */
	enum role role;    /* ROLE_VIEWER for a client on this host */
	struct MHD_Connection *connection;
};
/* Value of a query parameter, "" if absent. Lives as long as the request. */
const char *http_query(const struct http_request *r, const char *key);

/* Zero-initialised means status 200 and an empty body. */
struct http_answer {
	unsigned status;  /* 0: 200 */
	const char *type; /* static text; NULL: JSON */
	struct buf body;
};
/* Sets the whole answer; frees json. */
void http_json(struct http_answer *a, struct json *json);
/* Sets the status, and as the body an object with the error message. */
void http_refuse(struct http_answer *a, unsigned status, const char *fmt, ...) PRINTF(3, 4);

struct http_route {
	bool post;
	const char *path; /* a whole path; or, ending in '/', a prefix of longer paths */
	/* answers a request; NULL: the route is the event stream for watchers */
	void (*answer)(void *arg, const struct http_request *r, struct http_answer *a);
	void *arg;       /* NULL: the site's arg */
	size_t body_max; /* limit on the body of a POST; 0: HTTP_BODY_MAX */
};

/* Listens as c->http configures; *h is NULL without configuration. ERR_INPUT if the port or path is
 * in use, the address is not local, or the socket cannot be made. */
enum err http_listen(struct http **h, const struct daemon_common *c) MUST_CHECK;
/* Starts to serve; does nothing if h is NULL. route: a list that ends with path NULL. route and arg
 * are borrowed. event: called on the library thread for each news, writes one line for watchers.
 * token: each POST without a certificate's name must have it; copied. ERR_INTERNAL. */
struct http_site {
	const struct http_route *route;
	void (*event)(void *arg, struct buf *line);
	void *arg;
	const char *token; /* NULL or "": a POST needs a certificate's name */
	/* Returns the role of a certificate's name. NULL without http_behind(). */
	enum role (*role_of)(void *arg, const char *who);
};
enum err http_start(struct http *h, const struct http_site *site) MUST_CHECK;
/* Makes a server that does not listen. It only serves connections from http_add(). */
void http_behind(struct http **h, const struct daemon_common *c);
/* Adds a connection of plain bytes to a started server. Thread-safe. libmicrohttpd owns fd,
 * also on failure. */
void http_add(struct http *h, int fd, const char *who);
void http_announce(struct http *h);
/* Ends connections, except watchers', on which no request was answered for request_s seconds. Call
 * it about once a second; thread-safe. Accepts NULL. */
void http_look(struct http *h, double request_s);
/* Stops the server. Watchers get the last news if they read it within 0.5 s. Accepts NULL. */
void http_stop(struct http *h);

#endif
