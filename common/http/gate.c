/* Access control. Any page of any site can make a browser on this host send requests. The page
 * cannot forge Host, Origin, Sec-Fetch-Site and the token, so the server checks these. */
#include "common/base/log.h"
#include "common/http/own.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>

static bool http_gate_refuse(struct asking *a, unsigned status, const char *fmt, ...) PRINTF(3, 4);
static bool http_gate_refuse(struct asking *a, unsigned status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(a->why, sizeof(a->why), fmt, ap);
	va_end(ap);
	a->refused = status;
	return false;
}

static const char *header(struct MHD_Connection *c, const char *name)
{
	const char *value = MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);

	return value ? value : "";
}

/* True if text, such as "[::1]:7440", names the host "::1". */
static bool is_host(const char *text, const char *host)
{
	size_t n = strlen(host);

	if (*text == '[')
		return !strncasecmp(text + 1, host, n) && text[n + 1] == ']' &&
		       (!text[n + 2] || text[n + 2] == ':');
	return !strncasecmp(text, host, n) && (!text[n] || text[n] == ':');
}

static bool is_ours(const struct http *h, const char *host)
{
	const struct config_strings *more = &h->common->http.hosts;

	if (is_host(host, "localhost") || is_host(host, "127.0.0.1") || is_host(host, "::1"))
		return true;
	if (h->behind) /* the peer's TLS has compared Host with our certificate */
		return true;
	if (!h->socket && is_host(host, h->common->http.at.host))
		return true;
	for (size_t i = 0; i < more->count; i++)
		if (is_host(host, more->item[i]))
			return true;
	return false;
}

/* Returns the client's name. http_add() passes the name in the certificate as the address of the
 * connection. A client at a unix socket of http.listen has an address of the same family, but
 * without a name. */
const char *http_who(const struct http *h, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *i =
	    h->behind ? MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS) : NULL;
	const struct sockaddr_un *at =
	    i && i->client_addr ? (const struct sockaddr_un *)(const void *)i->client_addr : NULL;

	return at && at->sun_family == AF_UNIX ? at->sun_path : "";
}

static bool find_role(const struct http *h, struct MHD_Connection *c, struct asking *a)
{
	const char *who = http_who(h, c);

	a->role = h->behind ? h->site.role_of(h->site.arg, who) : ROLE_VIEWER;
	if (a->role != ROLE_NONE)
		return true;
	log_warn("refused at api.listen: the certificate of %s has no role in api.roles", who);
	return http_gate_refuse(
	    a, MHD_HTTP_FORBIDDEN,
	    "the certificate of %s has no role at %s: its operator can give it one in api.roles",
	    who, h->common->name);
}

bool http_may_ask(const struct http *h, struct MHD_Connection *c, struct asking *a,
		  const char *method)
{
	const char *host = header(c, "Host"), *site = header(c, "Sec-Fetch-Site");

	if (!is_ours(h, host))
		return http_gate_refuse(a, MHD_HTTP_FORBIDDEN,
					"the request is for host \"%.100s\", which is not this "
					"daemon's: add it to http.hosts",
					host);
	if (!find_role(h, c, a))
		return false;
	if (!strcmp(site, "cross-site") && strcmp(header(c, "Sec-Fetch-Mode"), "navigate") != 0)
		return http_gate_refuse(a, MHD_HTTP_FORBIDDEN,
					"the request was made by a page of another site");
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0 &&
	    strcmp(method, "POST") != 0)
		return http_gate_refuse(a, MHD_HTTP_METHOD_NOT_ALLOWED,
					"%.20s: expected GET, HEAD or POST", method);
	return true;
}

/* Compares tokens. The time depends only on their lengths. */
static bool same_token(const char *shown, const char *token)
{
	unsigned char differs = 0;

	if (strlen(shown) != strlen(token))
		return false;
	for (size_t i = 0; token[i]; i++)
		differs |= (unsigned char)(shown[i] ^ token[i]);
	return !differs;
}

static bool shows_token(const struct http *h, const char *shown)
{
	return !strncmp(shown, "Bearer ", 7) && same_token(shown + 7, h->token);
}

bool http_may_post(const struct http *h, struct MHD_Connection *c, struct asking *a)
{
	const char *origin = header(c, "Origin"), *host = header(c, "Host");
	const char *token = header(c, "Authorization"), *length = header(c, "Content-Length");
	const char *of = strstr(origin, "://");
	size_t most = a->route->body_max ? a->route->body_max : HTTP_BODY_MAX;

	if (*origin && (!of || strcasecmp(of + 3, host) != 0))
		return http_gate_refuse(
		    a, MHD_HTTP_FORBIDDEN,
		    "the request comes from a page of \"%.100s\", and this is \"%.100s\"", origin,
		    host);
	if (!h->behind && !*h->token)
		return http_gate_refuse(
		    a, MHD_HTTP_FORBIDDEN,
		    "%s takes no requests of this kind here, but at api.listen, with a certificate",
		    h->common->name);
	if (!h->behind && !shows_token(h, token))
		return http_gate_refuse(
		    a, MHD_HTTP_FORBIDDEN,
		    "the request shows %s token: it is in the file that this daemon's log names",
		    *token ? "another" : "no");
	if (!*length)
		return http_gate_refuse(a, MHD_HTTP_LENGTH_REQUIRED, "the request has no length");
	/* libmicrohttpd has already refused a length that is not a number. */
	if (strlen(length) > 9 || strtoul(length, NULL, 10) > most)
		return http_gate_refuse(a, MHD_HTTP_CONTENT_TOO_LARGE,
					"the request has %.30s bytes, expected at most %zu", length,
					most);
	return true;
}
