#include "common/base/alloc.h"
#include "common/base/file.h"
#include "proto/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER_MAX = JSON_TEXT_MAX, PIECE = 64 << 10 };

enum err control_address(const char *path, struct sockaddr_un *a, int *dir_fd)
{
	char *dir = file_dir(path);
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	int n;

	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	*dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (*dir_fd < 0)
		return err_set(ERR_INPUT, "%s: %s", path, strerror(errno));
	n = snprintf(a->sun_path, sizeof(a->sun_path), "/proc/self/fd/%d/%s", *dir_fd, name);
	if (n < (int)sizeof(a->sun_path))
		return ERR_OK;
	close(*dir_fd);
	return err_set(ERR_INPUT, "%s: the name of a socket may have 80 bytes", path);
}

static enum err control_ask_dial(const char *path, int *fd)
{
	struct timeval limit = { .tv_sec = CONTROL_TIMEOUT_MS / 1000 };
	struct sockaddr_un a;
	enum err e = ERR_OK;
	int dir_fd;

	if (access(path, F_OK) != 0 &&
	    (errno == ENOENT || errno == ENOTDIR)) /* the directory may be missing, too */
		return err_set(ERR_PEER,
			       "%s: no such socket: does the daemon run? Name its configuration by "
			       "--config FILE if it has another socket",
			       path);
	TRY(control_address(path, &a, &dir_fd));
	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0)
		e = err_set(ERR_INTERNAL, "%s: %s", path, strerror(errno));
	else if (connect(*fd, (const struct sockaddr *)&a, sizeof(a)) != 0)
		e = errno == EACCES
			? err_set(ERR_INPUT, "%s: %s: this user may not reach the socket", path,
				  strerror(errno))
			: err_set(ERR_PEER, "%s: %s: does the daemon run?", path, strerror(errno));
	close(dir_fd);
	if (e != ERR_OK && *fd >= 0)
		close(*fd);
	if (e == ERR_OK) {
		setsockopt(*fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
		setsockopt(*fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	}
	return e;
}

static bool control_ask_send_all(int fd, const struct buf *text)
{
	size_t sent = 0;

	while (sent < text->n) {
		ssize_t n = send(fd, text->p + sent, text->n - sent, MSG_NOSIGNAL);

		if (n <= 0 && errno != EINTR)
			return false;
		sent += n > 0 ? (size_t)n : 0;
	}
	return true;
}

static bool control_ask_read_all(int fd, struct buf *text)
{
	char *piece = alloc(PIECE, 1);
	ssize_t n = 1;

	while (n > 0 && text->n <= ANSWER_MAX) {
		n = recv(fd, piece, PIECE, 0);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			buf_add(text, piece, (size_t)n);
	}
	free(piece);
	return n == 0 && text->n > 0 && text->p[text->n - 1] == '\n';
}

enum err control_ask(const char *path, const struct json *request, struct json **answer)
{
	struct buf out = { 0 }, in = { 0 };
	enum err e;
	int fd = -1;

	TRY(control_ask_dial(path, &fd));
	json_write(request, &out);
	buf_add(&out, "\n", 1);
	(void)!control_ask_send_all(
	    fd, &out); /* a daemon that refuses may answer before it has read the whole request */
	e = control_ask_read_all(fd, &in)
		? ERR_OK
		: err_set(ERR_PEER, "%s: the daemon gave no answer", path);
	close(fd);
	if (e == ERR_OK)
		e = json_parse((struct bytes){ in.p, in.n }, "the daemon's answer", answer);
	buf_release(&out);
	buf_release(&in);
	return e;
}
