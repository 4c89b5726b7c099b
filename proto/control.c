#include "proto/control.h"
#include "common/base/alloc.h"
#include "common/base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 128, ANYBODY = 0666, READ = 64 << 10 };

struct asking {
	struct asking *next; /* the next older connection */
	struct control *c;
	uv_pipe_t pipe;
	uv_timer_t timer;
	uv_write_t write;
	unsigned handles;
	bool asked;
	struct control_peer peer;
	struct buf in, out;
};

struct control {
	char *path;
	int fd; /* -1: the pipe owns it */
	uv_pipe_t pipe;
	bool started, closed;
	control_answer *answer;
	void *arg;
	struct asking *first;
	size_t count;
	char read[READ];
};

/* ---- the socket ---- */

static bool is_listened_on(const struct sockaddr_un *a)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool is = fd >= 0 && connect(fd, (const struct sockaddr *)a, sizeof(*a)) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

static enum err listen_at(struct control *c, const struct sockaddr_un *a)
{
	struct stat st;
	mode_t mask;
	int bad;

	if (is_listened_on(a))
		return err_set(ERR_INPUT,
			       "%s: another process listens there: each daemon needs a "
			       "control.socket of its own",
			       c->path);
	if (lstat(a->sun_path, &st) == 0 && S_ISSOCK(st.st_mode))
		unlink(a->sun_path);
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* the directory's mode and the user's rights decide who is served */
	mask = umask(0777 & ~ANYBODY);
	bad = c->fd < 0 || bind(c->fd, (const struct sockaddr *)a, sizeof(*a)) != 0;
	umask(mask);
	if (bad || listen(c->fd, BACKLOG) != 0)
		return err_set(ERR_INPUT, "%s: the control socket cannot be made: %s", c->path,
			       strerror(errno));
	return ERR_OK;
}

static void control_release(struct control *c)
{
	if (c->fd >= 0)
		close(c->fd);
	free(c->path);
	free(c);
}

enum err control_open(struct control **out, const char *path)
{
	struct control *c = alloc(1, sizeof(*c));
	struct sockaddr_un a;
	int dir_fd;
	enum err e = control_address(path, &a, &dir_fd);

	c->fd = -1;
	c->path = alloc_copy(path);
	*out = NULL;
	if (e == ERR_OK) {
		e = listen_at(c, &a);
		close(dir_fd);
	}
	if (e == ERR_OK)
		*out = c;
	else
		control_release(c);
	return e;
}

/* ---- one connection ---- */

static void control_free_when_done(struct control *c)
{
	if (c->closed && !c->first && !c->started)
		control_release(c);
}

static void control_on_gone(uv_handle_t *handle)
{
	struct asking *a = handle->data;
	struct control *c = a->c;

	if (--a->handles)
		return;
	for (struct asking **at = &c->first; *at; at = &(*at)->next)
		if (*at == a) {
			*at = a->next;
			break;
		}
	c->count--;
	free(a->peer.group);
	buf_release(&a->in);
	buf_release(&a->out);
	free(a);
	control_free_when_done(c);
}

static void control_end(struct asking *a)
{
	if (uv_is_closing((uv_handle_t *)&a->pipe))
		return;
	uv_close((uv_handle_t *)&a->pipe, control_on_gone);
	uv_close((uv_handle_t *)&a->timer, control_on_gone);
}

static void control_on_timeout(uv_timer_t *timer)
{
	control_end(timer->data);
}

static void control_on_written(uv_write_t *write, int status)
{
	(void)status; /* on an error the client has gone */
	control_end(write->data);
}

static void reply(struct asking *a, struct json *answer)
{
	uv_buf_t out;

	json_write(answer, &a->out);
	buf_add(&a->out, "\n", 1);
	json_free(answer);
	out = uv_buf_init((char *)a->out.p, (unsigned)a->out.n);
	a->write.data = a;
	if (uv_write(&a->write, (uv_stream_t *)&a->pipe, &out, 1, control_on_written) != 0)
		control_end(a);
}

static void control_refuse(struct asking *a, const char *why)
{
	struct json *answer = json_object();

	json_put_number(answer, "status", ERR_INPUT);
	json_put_string(answer, "error", why);
	reply(a, answer);
}

static void control_take_request(struct asking *a)
{
	struct json *request, *answer;

	a->asked = true;
	uv_read_stop((uv_stream_t *)&a->pipe);
	if (json_parse((struct bytes){ a->in.p, a->in.n }, "the request", &request) != ERR_OK) {
		control_refuse(a, err_detail());
		return;
	}
	if (json_type(request) != JSON_OBJECT) {
		json_free(request);
		control_refuse(a, "the request is no object");
		return;
	}
	answer = json_object();
	a->c->answer(a->c->arg, &a->peer, request, answer);
	json_free(request);
	reply(a, answer);
}

static void control_on_room(uv_handle_t *handle, size_t wanted, uv_buf_t *buf)
{
	struct asking *a = handle->data;

	(void)wanted;
	*buf = uv_buf_init(a->c->read, sizeof(a->c->read));
}

static void control_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct asking *a = stream->data;
	const char *line_end = n > 0 ? memchr(buf->base, '\n', (size_t)n) : NULL;
	size_t got = line_end ? (size_t)(line_end - buf->base) : (size_t)(n > 0 ? n : 0);

	if (n < 0) {
		control_end(a);
	} else if (a->in.n + got > CONTROL_REQUEST_MAX) {
		uv_read_stop(stream);
		a->asked = true;
		control_refuse(a, "a request has at most 512 KiB");
	} else {
		buf_add(&a->in, buf->base, got);
		if (line_end)
			control_take_request(a);
	}
}

/* Reads the credentials that the other end had when it connected; the kernel stores them. */
static bool read_peer(struct asking *a)
{
	struct ucred cred;
	socklen_t len = sizeof(cred), size = 0;
	uv_os_fd_t fd;
	gid_t *group;

	if (uv_fileno((uv_handle_t *)&a->pipe, &fd) != 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) != 0)
		return false;
	getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &size); /* asks for the number of groups */
	a->peer.uid = cred.uid;
	group = alloc(size / sizeof(gid_t) + 1, sizeof(gid_t));
	if (size && getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, group + 1, &size) != 0)
		size = 0;
	group[0] = cred.gid;
	a->peer.group = group;
	a->peer.groups = size / sizeof(gid_t) + 1;
	return true;
}

/* Called if there is one connection too many. Closes the oldest one that has not sent its request.
 * If all have sent theirs, closes the newest. */
static void control_make_room(struct control *c)
{
	struct asking *oldest = NULL;

	for (struct asking *a = c->first; a; a = a->next)
		if (!a->asked && !uv_is_closing((uv_handle_t *)&a->pipe))
			oldest = a;
	if (c->count > CONTROL_CONNECTIONS_MAX)
		control_end(oldest ? oldest : c->first);
}

static void control_on_connection(uv_stream_t *server, int status)
{
	struct control *c = server->data;
	struct asking *a;

	if (status < 0) {
		log_warn("%s: %s", c->path, uv_strerror(status));
		return;
	}
	a = alloc(1, sizeof(*a));
	*a = (struct asking){ .next = c->first, .c = c, .handles = 2 };
	uv_pipe_init(server->loop, &a->pipe, 0);
	uv_timer_init(server->loop, &a->timer);
	a->pipe.data = a->timer.data = a;
	c->first = a;
	c->count++;
	if (uv_accept(server, (uv_stream_t *)&a->pipe) != 0 || !read_peer(a) ||
	    uv_read_start((uv_stream_t *)&a->pipe, control_on_room, control_on_read) != 0) {
		control_end(a);
		return;
	}
	uv_timer_start(&a->timer, control_on_timeout, CONTROL_TIMEOUT_MS, 0);
	control_make_room(c);
}

/* ---- its life ---- */

enum err control_start(struct control *c, uv_loop_t *loop, control_answer *f, void *arg)
{
	int status;

	c->answer = f;
	c->arg = arg;
	uv_pipe_init(loop, &c->pipe, 0);
	c->pipe.data = c;
	c->started = true;
	status = uv_pipe_open(&c->pipe, c->fd);
	if (status == 0) {
		c->fd = -1;
		status = uv_listen((uv_stream_t *)&c->pipe, BACKLOG, control_on_connection);
	}
	return status == 0 ? ERR_OK : err_set(ERR_INTERNAL, "%s: %s", c->path, uv_strerror(status));
}

static void control_on_stopped(uv_handle_t *handle)
{
	struct control *c = handle->data;

	c->started = false;
	control_free_when_done(c);
}

void control_close(struct control *c)
{
	if (!c || c->closed)
		return;
	unlink(c->path);
	c->closed = true;
	for (struct asking *a = c->first; a; a = a->next)
		if (!a->asked)
			control_end(a);
	if (c->started)
		uv_close((uv_handle_t *)&c->pipe, control_on_stopped);
	else
		control_free_when_done(c);
}
