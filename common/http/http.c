#include "common/http/http.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/http/own.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

const char *http_query(const struct http_request *r, const char *key)
{
	const char *value = MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, key);

	return value ? value : "";
}

void http_json(struct http_answer *a, struct json *json)
{
	json_write(json, &a->body);
	buf_add(&a->body, "\n", 1);
	json_free(json);
}

void http_refuse(struct http_answer *a, unsigned status, const char *fmt, ...)
{
	char why[HTTP_WHY_MAX];
	struct json *o = json_object();
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	a->status = status;
	a->body.n = 0;
	json_put_string(o, "error", why);
	http_json(a, o);
}

void http_security_headers(struct MHD_Response *r)
{
	static const char *const header[][2] = {
		{ "Content-Security-Policy",
		  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
		  "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" },
		{ "X-Content-Type-Options", "nosniff" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "Cache-Control", "no-store" },
	};

	for (size_t i = 0; i < sizeof(header) / sizeof(*header); i++)
		MHD_add_response_header(r, header[i][0], header[i][1]);
}

/* Takes ownership of the body. */
static enum MHD_Result send_answer(struct MHD_Connection *c, struct http_answer *a)
{
	struct MHD_Response *r =
	    MHD_create_response_from_buffer(a->body.n, a->body.p, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result queued = MHD_NO;

	buf_release(&a->body);
	if (!r)
		return MHD_NO;
	http_security_headers(r);
	MHD_add_response_header(r, "Content-Type", a->type ? a->type : "application/json");
	queued = MHD_queue_response(c, a->status ? a->status : MHD_HTTP_OK, r);
	MHD_destroy_response(r);
	return queued;
}

static const struct http_route *find_route(const struct http *h, const char *path, bool post,
					   bool *other)
{
	for (const struct http_route *r = h->site.route; r->path; r++) {
		size_t n = strlen(r->path);
		bool all = r->path[n - 1] == '/' && n > 1;

		if (all ? strncmp(path, r->path, n) != 0 || !path[n] : strcmp(path, r->path) != 0)
			continue;
		if (r->post == post)
			return r;
		*other = true;
	}
	return NULL;
}

/* Checks a request before any byte of its body is read. */
static void http_check_request(struct http *h, struct MHD_Connection *c, struct asking *a,
			       const char *path, const char *method)
{
	bool post = !strcmp(method, "POST"), other = false;

	a->begun = true;
	if (!http_may_ask(h, c, a, method))
		return;
	a->route = find_route(h, path, post, &other);
	if (!a->route) {
		a->refused = other ? MHD_HTTP_METHOD_NOT_ALLOWED : MHD_HTTP_NOT_FOUND;
		snprintf(a->why, sizeof(a->why),
			 other ? "%.200s is not for %s" : "there is no %.200s%s", path,
			 other ? method : "");
	} else if (post) {
		(void)http_may_post(h, c, a);
	}
}

static enum MHD_Result http_answer_request(struct http *h, struct MHD_Connection *c,
					   const struct asking *a, const char *path)
{
	struct http_answer out = { 0 };
	struct http_request r = {
		.path = path,
		.rest = path,
		.body = { a->body.p, a->body.n },
		.who = http_who(h, c),
		.role = a->role,
		.connection = c,
	};

	if (a->refused) {
		log_debug("http: %u, %s", a->refused, a->why);
		http_refuse(&out, a->refused, "%s", a->why);
	} else if (!a->route->answer && !http_may_watch(h, c)) {
		http_refuse(&out, MHD_HTTP_SERVICE_UNAVAILABLE, "too many watchers already");
	} else if (!a->route->answer) {
		return http_watch(h, c);
	} else {
		r.rest += strlen(a->route->path);
		a->route->answer(a->route->arg ? a->route->arg : h->site.arg, &r, &out);
	}
	return send_answer(c, &out);
}

static enum MHD_Result on_request(void *http, struct MHD_Connection *c, const char *path,
				  const char *method, const char *version, const char *body,
				  size_t *n, void **of)
{
	struct http *h = http;
	struct asking *a = *of;

	(void)version;
	if (!a)
		return MHD_NO;
	if (!a->begun) {
		http_check_request(h, c, a, path, method);
		if (a->refused) /* answering now leaves the body unread and closes the connection */
			return http_answer_request(h, c, a, path);
		return MHD_YES;
	}
	if (*n) {
		size_t most = a->route->body_max ? a->route->body_max : HTTP_BODY_MAX;

		/* only for the body of a GET: http_may_post() has checked the length of a POST */
		if (a->body.n + *n > most)
			return MHD_NO;
		buf_add(&a->body, body, *n);
		*n = 0;
		return MHD_YES;
	}
	return http_answer_request(h, c, a, path);
}

static void *on_line(void *http, const char *uri, struct MHD_Connection *c)
{
	(void)http;
	(void)uri;
	(void)c;
	return alloc(1, sizeof(struct asking));
}

static void on_completed(void *http, struct MHD_Connection *c, void **of,
			 enum MHD_RequestTerminationCode why)
{
	struct asking *a = *of;

	(void)why;
	http_next_request(http, c);
	if (a)
		buf_release(&a->body);
	free(a);
	*of = NULL;
}

static void on_log(void *http, const char *fmt, va_list ap)
{
	char text[HTTP_WHY_MAX];

	(void)http;
	vsnprintf(text, sizeof(text), fmt, ap);
	text[strcspn(text, "\n")] = 0;
	log_debug("http: %s", text);
}

enum err http_start(struct http *h, const struct http_site *site)
{
	struct MHD_OptionItem listen[] = { { MHD_OPTION_LISTEN_SOCKET, 0, NULL },
					   { MHD_OPTION_END, 0, NULL } };

	if (!h)
		return ERR_OK;
	listen[0].value = h->fd;
	h->site = *site;
	snprintf(h->token, sizeof(h->token), "%s", site->token ? site->token : "");
	h->daemon = MHD_start_daemon(
	    MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
		(h->behind ? MHD_USE_ITC | MHD_USE_NO_LISTEN_SOCKET : 0),
	    0, NULL, NULL, on_request, h, MHD_OPTION_EXTERNAL_LOGGER, on_log, h, MHD_OPTION_ARRAY,
	    h->behind ? listen + 1 : listen, MHD_OPTION_URI_LOG_CALLBACK, on_line, h,
	    MHD_OPTION_NOTIFY_COMPLETED, on_completed, h, MHD_OPTION_NOTIFY_CONNECTION,
	    http_on_connection, h, MHD_OPTION_CONNECTION_LIMIT, (unsigned)HTTP_CONNECTIONS_MAX,
	    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)HTTP_IDLE_S,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_HEADERS_MAX,
	    MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	if (!h->daemon)
		return err_set(ERR_INTERNAL, "http.listen: %s: the server could not be started: %s",
			       h->bound, strerror(errno));
	h->fd = -1; /* libmicrohttpd owns it now */
	if (!h->behind)
		log_info("dashboard: %s", h->bound);
	return ERR_OK;
}

void http_add(struct http *h, int fd, const char *who)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	snprintf(at.sun_path, sizeof(at.sun_path), "%s", who);
	if (MHD_add_connection(h->daemon, fd, (struct sockaddr *)&at, sizeof(at)) != MHD_YES)
		log_debug("http: no room for a connection of %s", who);
}

void http_stop(struct http *h)
{
	if (!h)
		return;
	http_announce_last(h);
	if (h->daemon)
		MHD_stop_daemon(h->daemon);
	if (h->fd >= 0)
		close(h->fd);
	if (h->socket)
		unlink(h->socket);
	buf_release(&h->event);
	pthread_mutex_destroy(&h->lock);
	free(h->socket);
	free(h);
}
