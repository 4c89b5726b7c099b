#include "lab/netlab/probe.h"
#include "common/base/sort.h"
#include "lab/netlab/link.h"
#include "common/base/clock.h"
#include "common/base/file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	PORT = 7499, /* no other process uses it, because the lab has just made the namespace */
	/* Maximum number of flows. Several flows fill a fast link with a long delay three round
	 * trips sooner than one flow. */
	FLOWS = 8,
	PINGS = 31,
	PATIENCE_S = 10,
	CHUNK = 1 << 18,
	SLOW_START = 10 * MTU,
};

/* Opens a socket with Reno, which every kernel has. At the start, Reno doubles its window until a
 * loss; other algorithms stop doubling earlier, by an estimate. */
static int probe_open_socket(void)
{
	struct timeval patience = { .tv_sec = PATIENCE_S };
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (s < 0)
		return -1;
	setsockopt(s, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
	setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	return s;
}

/* A request. It is sent as a struct, because both ends are this program on this machine. */
struct question {
	uint32_t what; /* 'p': send one byte back; 'b': send zeros until the connection is closed */
	uint32_t pace; /* for 'b': maximum number of bytes per second */
};

static bool probe_ask(int s, struct question q)
{
	return send(s, &q, sizeof(q), MSG_NOSIGNAL) == sizeof(q);
}

static void probe_answer(int s)
{
	static const char zeros[CHUNK];
	struct question q;

	while (recv(s, &q, sizeof(q), MSG_WAITALL) == sizeof(q)) {
		if (q.what == 'p' && send(s, zeros, 1, MSG_NOSIGNAL) != 1)
			return;
		if (q.what == 'b' &&
		    setsockopt(s, SOL_SOCKET, SO_MAX_PACING_RATE, &q.pace, sizeof(q.pace)) != 0)
			return;
		while (q.what == 'b') {
			if (send(s, zeros, sizeof(zeros), MSG_NOSIGNAL) < 0)
				return;
		}
	}
}

enum err probe_serve(const char *ready_file)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int listener = probe_open_socket(), s;
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
				probe_answer(s);
			_exit(0);
		}
		close(s);
	}
}

/* Starts a connection and returns. The first send on it waits until it is established. */
static enum err probe_dial(const char *address, int *s)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT) };

	if (inet_pton(AF_INET, address, &to.sin_addr) != 1)
		return err_set(ERR_INPUT, "\"%s\" is no IPv4 address", address);
	*s = probe_open_socket();
	if (*s < 0 || fcntl(*s, F_SETFL, O_NONBLOCK) != 0 ||
	    (connect(*s, (struct sockaddr *)&to, sizeof(to)) != 0 && errno != EINPROGRESS) ||
	    fcntl(*s, F_SETFL, 0) != 0)
		return err_set(ERR_PEER, "%s: %s", address, strerror(errno));
	return ERR_OK;
}

static enum err ping(int s, double *took_s)
{
	double sent = clock_now_s();
	char c;

	if (!probe_ask(s, (struct question){ .what = 'p' }) || recv(s, &c, 1, 0) != 1)
		return err_set(ERR_PEER, "no answer to a ping: %s", strerror(errno));
	*took_s = clock_now_s() - sent;
	return ERR_OK;
}

/* Pings once, so that the connection is set up, and then for 0.25 s or PINGS times, at least twice.
 * *rtt_ms: median of these later pings, the lower one of two. */
static enum err measure_rtt(int s, double *rtt_ms)
{
	double took[PINGS], begin;
	int n = 0;

	TRY(ping(s, &took[0]));
	begin = clock_now_s();
	while (n < PINGS && (n < 2 || clock_now_s() - begin < 0.25))
		TRY(ping(s, &took[n++]));
	sort_reals(took, (size_t)n);
	*rtt_ms = 1e3 * took[(n - 1) / 2];
	return ERR_OK;
}

/* Counts and discards the bytes that arrive until end_s. */
static enum err receive_until(struct pollfd *flow, int flows, double end_s, double *bytes)
{
	double left;
	ssize_t n;

	*bytes = 0;
	while ((left = end_s - clock_now_s()) > 0) {
		if (poll(flow, (nfds_t)flows, (int)(1e3 * left) + 1) < 0)
			return err_set(ERR_PEER, "poll: %s", strerror(errno));
		for (int i = 0; i < flows; i++) {
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

enum err probe_measure(const char *address, const struct link_speed *stated, struct probe_result *r)
{
	double rtt_s = 2e-3 * stated->delay_ms, bytes_per_s = 1e6 / 8 * stated->rate_mbit;
	double full = bytes_per_s * rtt_s;
	int flows = (int)fmin(fmax(full / (4 * SLOW_START), 1), FLOWS);
	/* Seconds until the link is full, and seconds of the measurement. */
	double ramp_s = 0.2 + rtt_s * (2 + fmax(log2(full / flows / SLOW_START), 0)),
	       tail_s = fmax(fmax(0.25, rtt_s), 300 * MTU / bytes_per_s), begin, bytes;
	struct question bulk = { 'b', (uint32_t)(1.03 * bytes_per_s / flows) };
	struct pollfd flow[FLOWS];
	enum err err = ERR_OK;

	for (int i = 0; i < flows; i++)
		flow[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	for (int i = 0; i < flows && !err; i++)
		err = probe_dial(address, &flow[i].fd);
	if (!err)
		err = measure_rtt(flow[0].fd, &r->rtt_ms);
	for (int i = 0; i < flows && !err; i++)
		if (!probe_ask(flow[i].fd, bulk))
			err = err_set(ERR_PEER, "a transfer does not begin: %s", strerror(errno));
	if (!err)
		err = receive_until(flow, flows, clock_now_s() + ramp_s, &bytes);
	begin = clock_now_s();
	if (!err)
		err = receive_until(flow, flows, begin + tail_s, &bytes);
	if (!err)
		r->goodput_mbit = 8e-6 * bytes / (clock_now_s() - begin);
	for (int i = 0; i < flows; i++)
		if (flow[i].fd >= 0)
			close(flow[i].fd);
	return err;
}
