/* relay.c -- a slow network with faults, for integration tests.
 *
 *   relay READY-FILE HOST:PORT DELAY_MS
 *
 *   party ---- 127.0.0.1:(any) relay ---- HOST:PORT coordinator
 *
 * Listens on a free port of 127.0.0.1 and writes "127.0.0.1:PORT" to READY-FILE. Passes each piece
 * on DELAY_MS after it arrived, so that every step of a protocol lasts long enough for a test to
 * act.
 *
 * SIGUSR1   stops passing data, with the connections open (a cut cable), until the next SIGUSR1
 * SIGUSR2   passes half of the next piece, then closes the connection
 * SIGHUP    closes all connections and drops their data
 * SIGWINCH  flips a bit of the next piece; prints "damaged" after that connection is closed
 *
 * The file READY-FILE.hold, if it exists, has the name of a file and a text on two lines. The relay
 * passes nothing while that file contains that text. So a test can stop a job at a message of its
 * log for as long as it needs; the job continues when the test removes READY-FILE.hold. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PAIRS_MAX = 64, PIECE_MAX = 64 << 10 };

struct piece {
	struct piece *next;
	long long due_ms;
	size_t from, to; /* data[from .. to) is not sent yet */
	bool last;       /* close after this piece */
	char data[PIECE_MAX];
};

/* One direction: pieces read from `in` that wait to be written to `out`. */
struct way {
	int in, out;
	bool ended; /* no more data arrive */
	bool damaged;
	struct piece *head, **tail;
};

static volatile sig_atomic_t cut, halve, hang_up, flip;

static void on_signal(int sig)
{
	if (sig == SIGUSR1)
		cut = !cut;
	else if (sig == SIGHUP)
		hang_up = 1;
	else if (sig == SIGWINCH)
		flip = 1;
	else
		halve = 1;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static struct sockaddr_in address(const char *text)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	char host[64] = "";
	unsigned port;

	if (sscanf(text, "%63[0-9.]:%u", host, &port) != 2 || port > 65535 ||
	    inet_pton(AF_INET, host, &a.sin_addr) != 1) {
		fprintf(stderr, "relay: %s is no HOST:PORT\n", text);
		exit(4);
	}
	a.sin_port = htons((unsigned short)port);
	return a;
}

static int listen_anywhere(const char *ready_file)
{
	struct sockaddr_in a = address("127.0.0.1:0");
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char name[4096];
	FILE *f;

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, len) || listen(fd, 64) ||
	    getsockname(fd, (struct sockaddr *)&a, &len))
		die("relay: listen");
	snprintf(name, sizeof(name), "%s.new", ready_file);
	f = fopen(name, "w");
	if (!f || fprintf(f, "127.0.0.1:%u\n", ntohs(a.sin_port)) < 0 || fclose(f) ||
	    rename(name, ready_file))
		die(ready_file);
	return fd;
}

static void way_open(struct way *w, int in, int out)
{
	*w = (struct way){ .in = in, .out = out };
	w->tail = &w->head;
}

static void way_clear(struct way *w)
{
	while (w->head) {
		struct piece *p = w->head;

		w->head = p->next;
		free(p);
	}
}

static void way_read(struct way *w, int delay_ms)
{
	struct piece *p = malloc(sizeof(*p));
	ssize_t n;

	if (!p)
		die("relay: malloc");
	n = read(w->in, p->data, sizeof(p->data));
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		free(p);
		return;
	}
	p->next = NULL;
	p->due_ms = now_ms() + delay_ms;
	p->from = 0;
	p->to = n > 0 ? (size_t)n : 0;
	p->last = n <= 0;
	w->ended = n <= 0;
	*w->tail = p;
	w->tail = &p->next;
}

/* Line 1 of the file `hold` names another file, line 2 is a text. Returns whether the named file
 * contains the text. */
static bool held(const char *hold)
{
	static char text[1 << 20];
	char name[4096], wanted[256];
	FILE *f = fopen(hold, "r");
	bool told = f && fscanf(f, "%4095[^\n] %255[^\n]", name, wanted) == 2;

	if (f)
		fclose(f);
	f = told ? fopen(name, "r") : NULL;
	if (!f)
		return false;
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	return strstr(text, wanted);
}

/* Sends the pieces that are due; returns false if the direction, and so its connection, has
 * ended. */
static bool way_write(struct way *w)
{
	while (w->head && w->head->due_ms <= now_ms()) {
		struct piece *p = w->head;

		if (halve && p->to - p->from > 1) {
			halve = 0;
			p->to = p->from + (p->to - p->from) / 2;
			p->last = true;
		}
		if (flip && p->to > p->from) {
			flip = 0;
			p->data[p->from + (p->to - p->from) / 2] ^= 4;
			w->damaged = true;
		}
		while (p->from < p->to) {
			ssize_t n = send(w->out, p->data + p->from, p->to - p->from, MSG_NOSIGNAL);

			if (n < 0 && (errno == EAGAIN || errno == EINTR))
				return true;
			if (n < 0)
				return false;
			p->from += (size_t)n;
		}
		if (p->last)
			return false;
		w->head = p->next;
		if (!w->head)
			w->tail = &w->head;
		free(p);
	}
	return true;
}

int main(int argc, char **argv)
{
	static struct way pair[PAIRS_MAX][2];
	struct sigaction on = { .sa_handler = on_signal };
	int pairs = 0, listener, delay_ms;
	bool closing;
	struct sockaddr_in to;
	char hold[4096];

	if (argc != 4) {
		fprintf(stderr, "usage: relay READY-FILE HOST:PORT DELAY_MS\n");
		return 4;
	}
	sigaction(SIGUSR1, &on, NULL);
	sigaction(SIGUSR2, &on, NULL);
	sigaction(SIGHUP, &on, NULL);
	sigaction(SIGWINCH, &on, NULL);
	to = address(argv[2]);
	delay_ms = atoi(argv[3]);
	snprintf(hold, sizeof(hold), "%s.hold", argv[1]);
	listener = listen_anywhere(argv[1]);

	for (;;) {
		struct pollfd p[1 + 2 * PAIRS_MAX] = { { .fd = listener, .events = POLLIN } };
		int polled = pairs;

		for (int i = 0; i < pairs; i++)
			for (int d = 0; d < 2; d++)
				p[1 + 2 * i + d] =
				    (struct pollfd){ .fd = pair[i][d].ended ? -1 : pair[i][d].in,
						     .events = POLLIN };
		/* Both calls of poll() have a timeout, since a signal may come just before them. */
		while (cut)
			poll(NULL, 0, 20);
		if (poll(p, (nfds_t)(1 + 2 * pairs), 2) < 0 && errno != EINTR)
			die("relay: poll");
		if (cut)
			continue;
		closing = hang_up;
		hang_up = 0;
		if (p[0].revents && pairs < PAIRS_MAX) {
			int a = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
			int b = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

			if (a < 0 || b < 0)
				die("relay: accept");
			setsockopt(a, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
			setsockopt(b, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
			if (connect(b, (struct sockaddr *)&to, sizeof(to))) {
				close(a);
				close(b);
			} else {
				fcntl(a, F_SETFL, O_NONBLOCK);
				fcntl(b, F_SETFL, O_NONBLOCK);
				way_open(&pair[pairs][0], a, b);
				way_open(&pair[pairs++][1], b, a);
			}
		}
		for (int i = polled - 1; i >= 0; i--) {
			bool open = !closing;

			for (int d = 0; d < 2; d++) {
				if (p[1 + 2 * i + d].revents)
					way_read(&pair[i][d], delay_ms);
				open = (held(hold) || way_write(&pair[i][d])) && open;
			}
			if (open)
				continue;
			if (pair[i][0].damaged || pair[i][1].damaged)
				dprintf(STDOUT_FILENO, "damaged\n");
			close(pair[i][0].in);
			close(pair[i][1].in);
			way_clear(&pair[i][0]);
			way_clear(&pair[i][1]);
			pairs--;
			memmove(pair[i], pair[pairs], sizeof(pair[i]));
			for (int d = 0; d < 2; d++) /* tails of empty lists point to moved heads */
				if (!pair[i][d].head)
					pair[i][d].tail = &pair[i][d].head;
		}
	}
}
