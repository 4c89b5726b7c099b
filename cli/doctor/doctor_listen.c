/* Checks a daemon's listening addresses and clients. Closes all sockets again. */
#include "cli/doctor/doctor.h"
#include "common/job/roles.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char right[] = "correct it, or the rights of its user";

static int try_to_listen(const struct addrinfo *a)
{
	int one = 1, why = 0, fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, a->ai_addr, a->ai_addrlen) != 0 || listen(fd, 1) != 0)
		why = errno;
	close(fd);
	return why;
}

void doctor_listen(struct checkup *c, const char *check, const char *key, const char *text,
		   const struct endpoint *at)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *a = NULL;
	char port[8];
	int why;

	snprintf(port, sizeof(port), "%u", at->port);
	why = getaddrinfo(at->host, port, &hints, &a);
	if (why) {
		checkup_add(c, WRONG, check, right, "%s: %s: %s", key, text, gai_strerror(why));
		return;
	}
	why = try_to_listen(a);
	if (!why)
		checkup_add(c, FINE, check, "", "%s can be listened on", text);
	else if (why == EADDRINUSE)
		checkup_add(c, NOTE, check, "by this daemon, or by which other? ss -ltnp",
			    "%s: %s is in use", key, text);
	else
		checkup_add(c, WRONG, check, right, "%s: %s: %s", key, text, strerror(why));
	freeaddrinfo(a);
}

/* Reports a conflict if `key`, with value text, has the same port as another key of the file. */
static bool doctor_check_twice(struct checkup *c, const char *check, const char *key,
			       const char *text, const struct endpoint *at, const char *other_key,
			       const struct endpoint *other)
{
	bool twice = at->port && at->port == other->port && !strcmp(at->host, other->host);

	if (twice)
		checkup_add(c, WRONG, check, "choose another port for it", "%s and %s are both %s",
			    key, other_key, text);
	return twice;
}

void doctor_window(struct checkup *c, const struct http_settings *http,
		   const struct coordinator_config *config)
{
	static const char check[] = "dashboard", key[] = "http.listen";
	const char *text = http->listen;

	if (!text || http_listen_path(text))
		return;
	if (!config ||
	    (!doctor_check_twice(c, check, key, text, &http->at, "listen", &config->listen) &&
	     !(config->api.listen &&
	       doctor_check_twice(c, check, key, text, &http->at, "api.listen", &config->api.at))))
		doctor_listen(c, check, key, text, &http->at);
	if (http->anywhere)
		checkup_add(
		    c, NOTE, "dashboard readers", "is there a proxy or a firewall in front of it?",
		    "http.anywhere: everybody who reaches %s can read it, without TLS", text);
}

static void check_roles(struct checkup *c, const struct config_map *roles)
{
	size_t n[ROLE_OPERATOR + 1] = { 0 };

	for (size_t i = 0; i < roles->count; i++)
		n[roles_named(roles->item[i].value)]++;
	checkup_add(c, roles->count ? FINE : NOTE, "roles",
		    roles->count ? "" : "name their certificates in api.roles",
		    "%zu viewers, %zu submitters, %zu operators", n[ROLE_VIEWER], n[ROLE_SUBMITTER],
		    n[ROLE_OPERATOR]);
}

/* Browsers check the host in the address bar, so the certificate must name it too. */
static void check_names(struct checkup *c, const char *certificate)
{
	struct buf names = { 0 };
	size_t n;

	/* Otherwise the check "certificate" reports the error. */
	if (tls_names(certificate, &names, &n) == ERR_OK)
		checkup_add(
		    c, n > 1 ? FINE : NOTE, "API names",
		    n > 1
			? ""
			: "for browsers the certificate must name its host too: pki request --host",
		    "reachable as %s", (const char *)names.p);
	buf_release(&names);
	if (n && !tls_for_browsers(certificate))
		checkup_add(c, NOTE, "API browsers",
			    "intended? otherwise pki init and pki request with --key-type p256",
			    "browsers reject Ed25519, the key type of the certificate or its CA");
}

void doctor_api(struct checkup *c, const struct coordinator_config *config)
{
	static const char check[] = "API endpoint", key[] = "api.listen";
	const char *text = config->api.listen;

	if (!text)
		return;
	if (!doctor_check_twice(c, check, key, text, &config->api.at, "listen", &config->listen))
		doctor_listen(c, check, key, text, &config->api.at);
	if (endpoint_is_loopback(&config->api.at))
		checkup_add(
		    c, NOTE, "API reach",
		    "intended? other hosts need an address that they reach, or a forwarded port",
		    "%s: only this host reaches %s", key, text);
	check_roles(c, &config->api.roles);
	check_names(c, config->common.identity.certificate);
}
