#include "cli/netlab/probe.h"
#include "common/base/clock.h"
#include "common/base/file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	PORT = 7499, /* in a namespace that the lab has just made, nobody else has it */
	FLOWS =
	    8, /* as many slow starts at once: a long fat link is full three round trips sooner */
	PINGS = 31,
	PATIENCE_S = 10,
	CHUNK = 1 << 18,
};

/* As the daemons: cubic. A kernel without it has its own, which will do for this. */
static int open_socket(void)
{
	struct timeval patience = { .tv_sec = PATIENCE_S };
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (s < 0)
		return -1;
	setsockopt(s, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
	setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	return s;
}

/* One connection, in a process of its own. */
static void answer(int s)
{
	static const char zeros[CHUNK];
	char what;

	while (recv(s, &what, 1, 0) == 1) {
		if (what == 'p' && send(s, &what, 1, MSG_NOSIGNAL) != 1)
			return;
		while (what == 'b') {
			if (send(s, zeros, sizeof(zeros), MSG_NOSIGNAL) < 0)
				return;
		}
	}
}

enum err probe_serve(const char *ready_file)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int listener = open_socket(), s;
	pid_t serving = getpid();

	if (listener < 0 || bind(listener, (struct sockaddr *)&any, sizeof(any)) != 0 ||
	    listen(listener, 2 * FLOWS) != 0)
		return err_set(ERR_INPUT, "port %d cannot be listened on: %s", PORT,
			       strerror(errno));
	TRY(file_write(ready_file, (struct bytes){ (const uint8_t *)"ready\n", 6 }, FILE_PUBLIC));
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		s = accept(listener, NULL, NULL);
		if (s < 0)
			continue;
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() == serving)
				answer(s);
			_exit(0);
		}
		close(s);
	}
}

/* Does not wait for the connection: the first send does. */
static enum err dial(const char *address, int *s)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT) };

	if (inet_pton(AF_INET, address, &to.sin_addr) != 1)
		return err_set(ERR_INPUT, "\"%s\" is no IPv4 address", address);
	*s = open_socket();
	if (*s < 0 || fcntl(*s, F_SETFL, O_NONBLOCK) != 0 ||
	    (connect(*s, (struct sockaddr *)&to, sizeof(to)) != 0 && errno != EINPROGRESS) ||
	    fcntl(*s, F_SETFL, 0) != 0)
		return err_set(ERR_PEER, "%s: %s", address, strerror(errno));
	return ERR_OK;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static enum err ping(int s, double *took_s)
{
	double sent = clock_now_s();
	char c;

	if (send(s, "p", 1, MSG_NOSIGNAL) != 1 || recv(s, &c, 1, 0) != 1)
		return err_set(ERR_PEER, "no answer to a ping: %s", strerror(errno));
	*took_s = clock_now_s() - sent;
	return ERR_OK;
}

/* Two at least; else for a quarter of a second, or PINGS. The first waits for the connection, and
 * does not count. */
static enum err measure_rtt(int s, double *rtt_s)
{
	double took[PINGS], begin;
	int n = 0;

	TRY(ping(s, &took[0]));
	begin = clock_now_s();
	while (n < PINGS && (n < 2 || clock_now_s() - begin < 0.25))
		TRY(ping(s, &took[n++]));
	qsort(took, (size_t)n, sizeof(*took), compare);
	*rtt_s = took[(n - 1) / 2];
	return ERR_OK;
}

/* Bytes that came until a time, thrown away unseen. */
static enum err receive_until(struct pollfd *flow, double end_s, double *bytes)
{
	double left;
	ssize_t n;

	*bytes = 0;
	while ((left = end_s - clock_now_s()) > 0) {
		if (poll(flow, FLOWS, (int)(1e3 * left) + 1) < 0)
			return err_set(ERR_PEER, "poll: %s", strerror(errno));
		for (int i = 0; i < FLOWS; i++) {
			if (!flow[i].revents)
				continue;
			n = recv(flow[i].fd, NULL, 16 * CHUNK, MSG_TRUNC | MSG_DONTWAIT);
			if (n == 0 || (n < 0 && errno != EAGAIN))
				return err_set(ERR_PEER, "a transfer broke off");
			if (n > 0)
				*bytes += (double)n;
		}
	}
	return ERR_OK;
}

static enum err measure_goodput(struct pollfd *flow, double rtt_s, double *mbit)
{
	double begin, tail_s = 0.2 + rtt_s, bytes;

	for (int i = 0; i < FLOWS; i++) {
		if (send(flow[i].fd, "b", 1, MSG_NOSIGNAL) != 1)
			return err_set(ERR_PEER, "a transfer does not begin: %s", strerror(errno));
	}
	TRY(receive_until(flow, clock_now_s() + 0.3 + 8 * rtt_s, &bytes));
	begin = clock_now_s();
	TRY(receive_until(flow, begin + tail_s, &bytes));
	*mbit = 8e-6 * bytes / (clock_now_s() - begin);
	return ERR_OK;
}

enum err probe_measure(const char *address, struct probe_result *r)
{
	struct pollfd flow[FLOWS];
	double rtt_s;
	enum err err = ERR_OK;

	for (int i = 0; i < FLOWS; i++)
		flow[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	for (int i = 0; i < FLOWS && !err; i++)
		err = dial(address, &flow[i].fd);
	if (!err)
		err = measure_rtt(flow[0].fd, &rtt_s);
	if (!err)
		err = measure_goodput(flow, rtt_s, &r->goodput_mbit);
	if (!err)
		r->rtt_ms = 1e3 * rtt_s;
	for (int i = 0; i < FLOWS; i++) {
		if (flow[i].fd >= 0)
			close(flow[i].fd);
	}
	return err;
}
