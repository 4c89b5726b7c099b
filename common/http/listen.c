#include "common/base/alloc.h"
#include "common/http/own.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 128 };

static enum err in_use(const struct http *h, const char *what)
{
	return err_set(
	    ERR_INPUT,
	    "http.listen: %s is in use by another process: end that one, or choose another %s",
	    h->common->http.listen, what);
}

/* Removes a socket file that a dead process left. Returns an error if a process still answers at
 * the socket, or if the path has a file that is no socket. */
static enum err take_place(const struct http *h, const struct sockaddr_un *at)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool answers = fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0;
	struct stat st;

	if (fd >= 0)
		close(fd);
	if (answers)
		return in_use(h, "path");
	if (lstat(at->sun_path, &st) != 0)
		return ERR_OK;
	if (!S_ISSOCK(st.st_mode))
		return err_set(ERR_INPUT, "http.listen: %s is there and is no socket",
			       at->sun_path);
	if (unlink(at->sun_path) != 0)
		return err_set(ERR_INPUT, "http.listen: %s: %s", at->sun_path, strerror(errno));
	return ERR_OK;
}

static enum err listen_at_path(struct http *h, const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(at.sun_path))
		return err_set(ERR_INPUT, "http.listen: %s is longer than %zu bytes", path,
			       sizeof(at.sun_path) - 1);
	strcpy(at.sun_path, path);
	TRY(take_place(h, &at));
	h->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (h->fd < 0 || bind(h->fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    chmod(path, 0660) != 0 || listen(h->fd, BACKLOG) != 0)
		return err_set(ERR_INPUT, "http.listen: %s: %s", path, strerror(errno));
	h->socket = alloc_copy(path);
	snprintf(h->bound, sizeof(h->bound), "%s", path);
	return ERR_OK;
}

static enum err listen_at_port(struct http *h, const struct endpoint *e)
{
	struct addrinfo want = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV,
				 .ai_socktype = SOCK_STREAM },
			*found;
	struct sockaddr_storage at = { 0 };
	socklen_t len = sizeof(at);
	char port[8], host[NI_MAXHOST], number[NI_MAXSERV];
	int status, why = 0, yes = 1;

	snprintf(port, sizeof(port), "%u", e->port);
	status = getaddrinfo(e->host, port, &want, &found);
	if (status)
		return err_set(ERR_INPUT, "http.listen: %s: %s", e->host, gai_strerror(status));
	h->fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (h->fd < 0 || setsockopt(h->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
	    bind(h->fd, found->ai_addr, found->ai_addrlen) != 0 || listen(h->fd, BACKLOG) != 0)
		why = errno;
	freeaddrinfo(found);
	if (why == EADDRINUSE)
		return in_use(h, "port");
	if (why)
		return err_set(ERR_INPUT, "http.listen: %s: %s", h->common->http.listen,
			       strerror(why));
	if (getsockname(h->fd, (struct sockaddr *)&at, &len) != 0 ||
	    getnameinfo((struct sockaddr *)&at, len, host, sizeof(host), number, sizeof(number),
			NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return err_set(ERR_INTERNAL, "http.listen: %s: the port is not known",
			       h->common->http.listen);
	snprintf(h->bound, sizeof(h->bound),
		 strchr(host, ':') ? "http://[%.255s]:%.5s/" : "http://%.255s:%.5s/", host, number);
	return ERR_OK;
}

static struct http *new_http(const struct daemon_common *c)
{
	struct http *h;

	ALLOC(h, 1);
	h->common = c;
	h->fd = -1;
	h->news = 1; /* the first news, for which no event was made yet */
	pthread_mutex_init(&h->lock, NULL);
	return h;
}

void http_behind(struct http **h, const struct daemon_common *c)
{
	*h = new_http(c);
	(*h)->behind = true;
}

enum err http_listen(struct http **out, const struct daemon_common *c)
{
	const char *path;
	struct http *h;
	enum err e;

	*out = NULL;
	if (!c->http.listen)
		return ERR_OK;
	path = http_listen_path(c->http.listen);
	h = new_http(c);
	if (path) {
		e = listen_at_path(h, path);
	} else {
		e = listen_at_port(h, &c->http.at);
	}
	if (e != ERR_OK) {
		http_stop(h);
		return e;
	}
	*out = h;
	return ERR_OK;
}
