/* Checks the addresses on which a daemon listens, and the users who may connect. Closes all sockets
 * that it opens. */
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

static void check_port(struct checkup *c, const struct doctor_port *p)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *a = NULL;
	char port[8];
	int why;

	snprintf(port, sizeof(port), "%u", p->at->port);
	why = getaddrinfo(p->at->host, port, &hints, &a);
	if (why) {
		checkup_add(c, WRONG, p->check, right, "%s: %s: %s", p->key, p->text,
			    gai_strerror(why));
		return;
	}
	why = try_to_listen(a);
	if (!why)
		checkup_add(c, FINE, p->check, "", "%s can be listened on", p->text);
	else if (why == EADDRINUSE)
		checkup_add(c, NOTE, p->check, "by this daemon, or by which other? ss -ltnp",
			    "%s: %s is in use", p->key, p->text);
	else
		checkup_add(c, WRONG, p->check, right, "%s: %s: %s", p->key, p->text,
			    strerror(why));
	freeaddrinfo(a);
}

void doctor_ports(struct checkup *c, const struct doctor_port *port, size_t n)
{
	for (const struct doctor_port *p = port; p < port + n; p++) {
		const struct doctor_port *other = port;

		if (!p->text)
			continue;
		while (other < p &&
		       !(other->text && p->at->port && p->at->port == other->at->port &&
			 !strcmp(p->at->host, other->at->host)))
			other++;
		if (other < p)
			checkup_add(c, WRONG, p->check, "choose another port for it",
				    "%s and %s are both %s", p->key, other->key, p->text);
		else
			check_port(c, p);
	}
}

struct doctor_port doctor_port_api(const struct api_settings *api)
{
	return (struct doctor_port){ "API endpoint", "api.listen", api->listen, &api->at };
}

struct doctor_port doctor_port_dashboard(const struct http_settings *http)
{
	bool port = http->listen && !http_listen_path(http->listen);

	return (struct doctor_port){ "dashboard", "http.listen", port ? http->listen : NULL,
				     &http->at };
}

void doctor_dashboard(struct checkup *c, const struct http_settings *http)
{
	if (http->listen && http->anywhere && !http_listen_path(http->listen))
		checkup_add(c, NOTE, "dashboard readers",
			    "is there a proxy or a firewall in front of it?",
			    "http.anywhere: everybody who reaches %s can read it, without TLS",
			    http->listen);
}

static void check_roles(struct checkup *c, const struct config_map *roles)
{
	size_t n[ROLE_OPERATOR + 1] = { 0 };

	for (size_t i = 0; i < roles->count; i++)
		n[roles_named(roles->item[i].value)]++;
	checkup_add(c, roles->count ? FINE : NOTE, "roles",
		    roles->count ? "" : "name their certificates in api.roles",
		    "%zu viewers, %zu readers, %zu submitters, %zu operators", n[ROLE_VIEWER],
		    n[ROLE_READER], n[ROLE_SUBMITTER], n[ROLE_OPERATOR]);
}

/* Checks that the certificate has a second name, which should be the host's: a browser compares the
 * host in its address bar with the names in the certificate. Also checks that browsers accept its
 * key type. */
static void check_names(struct checkup *c, const char *certificate)
{
	struct buf names = { 0 };
	size_t n;

	/* On errors, the check "certificate" reports them. */
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

void doctor_api(struct checkup *c, const struct api_settings *api, const char *certificate)
{
	if (!api->listen)
		return;
	if (endpoint_is_loopback(&api->at))
		checkup_add(
		    c, NOTE, "API reach",
		    "intended? other hosts need an address that they reach, or a forwarded port",
		    "api.listen: only this host reaches %s", api->listen);
	check_roles(c, &api->roles);
	check_names(c, certificate);
}
