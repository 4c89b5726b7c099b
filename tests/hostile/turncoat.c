/* turncoat.c -- a malicious peer between two honest ones.
 *
 *     party ===== TLS ===== turncoat ===== TLS ===== coordinator
 *
 *   turncoat READY-FILE ADDRESS PKI-DIRECTORY PARTY COORDINATOR [RULE...]
 *
 * It has the keys of both peers. So it plays the coordinator to the party, and the party to the
 * coordinator. A change in one direction stands for a malicious sender of that direction. If it
 * leaves out or adds a frame, it renumbers the later ones, unless the rule is about numbers.
 *
 *   RULE: FROM/TYPE/NUMBER/DEED[/ARGUMENTS]
 *     FROM    hub or party: the sender
 *     TYPE    of the message, as a number (proto/messages.def)
 *     NUMBER  which message of that type, from 1; 0: all
 *     DEED    drop         the message does not arrive
 *             twice        it arrives twice, as two messages
 *             replay       it arrives twice, with one number: the frame is repeated
 *             late         it arrives after the next message; both keep their numbers
 *             defer        it arrives after the next message; both are renumbered
 *             flip/AT      bit 0 of the body's byte AT is flipped; AT < 0: from the end
 *             put/AT/HEX   the bytes HEX replace those at AT
 *             xor/AT/HEX/LAST  XORs HEX into every byte from AT on, and LAST into the last one
 *             body/HEX     HEX replaces the body
 *             more/HEX     HEX follows the body
 *             as/TYPE      the message gets another type
 *             keys/HOW     changes KEYS: swap (the first two), drop, repeat, invent (the first)
 *             cut          the connection ends here, without a TLS close
 *             stay         nothing more is sent in this direction, and the connection stays
 *
 * It uses OpenSSL directly and knows only the header of frames. It contains no code of Coterie.
 */
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <arpa/inet.h>
#include <endian.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEADER = 20, LENGTH_OF_HEAD = 16, BODY_MAX = 2 << 20, RULES_MAX = 16, ARGS = 3 };
enum { ACK = 5, LINK_TYPES = 10 };

static void die(const char *what)
{
	perror(what);
	ERR_print_errors_fp(stderr);
	exit(1);
}

/* ---- rules ---- */

struct rule {
	char from[8], deed[16], arg[ARGS][1024];
	unsigned type, number, seen;
};

static struct rule rules[RULES_MAX];
static size_t rule_count;

static void read_rule(const char *text)
{
	struct rule *r = &rules[rule_count++];

	if (rule_count > RULES_MAX ||
	    sscanf(text, "%7[^/]/%u/%u/%15[^/]/%1023[^/]/%1023[^/]/%1023[^/]", r->from, &r->type,
		   &r->number, r->deed, r->arg[0], r->arg[1], r->arg[2]) < 4)
		die(text);
}

static size_t unhex(const char *hex, uint8_t *out)
{
	size_t n = strlen(hex) / 2;

	for (size_t i = 0; i < n; i++)
		sscanf(hex + 2 * i, "%2hhx", &out[i]);
	return n;
}

/* ---- one direction ---- */

struct frame {
	uint8_t *p; /* header, then body */
	size_t body;
};

struct way {
	const char *from;
	SSL *in, *out;
	struct way *back;
	uint8_t *read; /* received bytes of the next frames */
	size_t have;
	uint32_t sent, came;     /* numbers of the job's last frames sent and received */
	struct frame held;       /* a frame that is late */
	bool own_number, silent; /* `held` keeps its number; no frame is sent any more */
};

static uint32_t get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return be32toh(v);
}

static void put32(uint8_t *p, uint32_t v)
{
	v = htobe32(v);
	memcpy(p, &v, 4);
}

static unsigned type_of(const struct frame *f)
{
	return (unsigned)f->p[4] << 8 | f->p[5];
}

/* Moves the first frame from w->read to f. Returns false if not all of it has arrived. */
static bool next_frame(struct way *w, struct frame *f)
{
	size_t all;

	if (w->have < HEADER)
		return false;
	all = 4 + get32(w->read);
	if (all < HEADER || all > HEADER + BODY_MAX)
		die("a frame that is none");
	if (w->have < all)
		return false;
	f->p = calloc(1, HEADER + 2 * BODY_MAX);
	f->body = all - HEADER;
	memcpy(f->p, w->read, all);
	memmove(w->read, w->read + all, w->have -= all);
	return true;
}

static bool send_raw(struct way *w, struct frame *f)
{
	put32(f->p, (uint32_t)(f->body + LENGTH_OF_HEAD));
	return SSL_write(w->out, f->p, (int)(HEADER + f->body)) > 0;
}

/* Sends a frame, with the next number if it is of the job. An ACK never acknowledges more than the
 * peer has sent. */
static bool send_frame(struct way *w, struct frame *f)
{
	if (type_of(f) >= LINK_TYPES)
		put32(f->p + 16, ++w->sent);
	if (type_of(f) == ACK && get32(f->p + HEADER) > w->back->came)
		put32(f->p + HEADER, w->back->came);
	return send_raw(w, f);
}

/* ---- deeds ---- */

static long place(const struct frame *f, const char *at)
{
	long i = strtol(at, NULL, 0);

	return HEADER + (i < 0 ? i + (long)f->body : i);
}

/* KEYS: u32 parties, then five fields for each; all but the nonce begin with a length. */
static size_t key_length(const uint8_t *p)
{
	size_t n = 4 + get32(p) + 32;

	for (int field = 0; field < 2; field++)
		n += 4 + get32(p + n);
	return n + 4 + get32(p + n);
}

static void change_keys(struct frame *f, const char *how)
{
	uint8_t *first = f->p + HEADER + 4, *body = f->p + HEADER, *copy = malloc(f->body);
	size_t a = key_length(first), b = key_length(first + a), rest = f->body - 4 - a - b;
	const uint8_t *second;

	memcpy(copy, first, f->body - 4);
	second = copy + a;
	if (!strcmp(how, "swap")) {
		memcpy(first, second, b);
		memcpy(first + b, copy, a);
	} else if (!strcmp(how, "drop")) {
		memmove(first, second, b + rest);
		f->body -= a;
		put32(body, get32(body) - 1);
	} else if (!strcmp(how, "repeat")) {
		memcpy(first + a, copy, a);
		memcpy(first + 2 * a, second + b, rest);
		f->body += a - b;
	} else { /* invent: replaces 32 bytes of the first party's public key */
		memset(first + 4, 0x5a, 32);
	}
	free(copy);
}

static bool change(struct frame *f, const struct rule *r)
{
	if (!strcmp(r->deed, "flip")) {
		f->p[place(f, r->arg[0])] ^= 1;
	} else if (!strcmp(r->deed, "put")) {
		unhex(r->arg[1], f->p + place(f, r->arg[0]));
	} else if (!strcmp(r->deed, "xor")) {
		size_t last = HEADER + f->body - 1;
		uint8_t mask[2];

		unhex(r->arg[1], &mask[0]);
		unhex(r->arg[2], &mask[1]);
		for (size_t at = (size_t)place(f, r->arg[0]); at <= last; at++)
			f->p[at] ^= mask[at == last];
	} else if (!strcmp(r->deed, "body")) {
		f->body = unhex(r->arg[0], f->p + HEADER);
	} else if (!strcmp(r->deed, "more")) {
		f->body += unhex(r->arg[0], f->p + HEADER + f->body);
	} else if (!strcmp(r->deed, "as")) {
		f->p[5] = (uint8_t)atoi(r->arg[0]);
	} else if (!strcmp(r->deed, "keys")) {
		change_keys(f, r->arg[0]);
	} else {
		return false;
	}
	return true;
}

static const struct rule *rule_for(const struct way *w, const struct frame *f)
{
	for (size_t i = 0; i < rule_count; i++) {
		struct rule *r = &rules[i];

		if (strcmp(r->from, w->from) == 0 && r->type == type_of(f) &&
		    (++r->seen == r->number || r->number == 0))
			return r;
	}
	return NULL;
}

/* Applies the rules to a frame. Returns false if the connection is over. */
static bool pass(struct way *w, struct frame *f)
{
	const struct rule *r = rule_for(w, f);
	bool good = true;

	if (r)
		fprintf(stderr, "turncoat: %s/%u: %s\n", w->from, type_of(f), r->deed);
	if (w->held.p && type_of(f) >= LINK_TYPES) {
		struct frame held = w->held;

		w->held.p = NULL;
		if (!w->own_number)
			return send_frame(w, f) && send_frame(w, &held);
		put32(f->p + 16, w->sent + 2);
		put32(held.p + 16, w->sent + 1);
		return send_raw(w, f) && send_raw(w, &held);
	}
	if (!r || change(f, r))
		return send_frame(w, f);
	if (!strcmp(r->deed, "cut"))
		_exit(0);
	if (!strcmp(r->deed, "stay")) {
		w->silent = true;
	} else if (!strcmp(r->deed, "late") || !strcmp(r->deed, "defer")) {
		w->own_number = r->deed[0] == 'l';
		w->held = *f;
		f->p = NULL;
	} else if (!strcmp(r->deed, "twice")) {
		good = send_frame(w, f) && send_frame(w, f);
	} else if (!strcmp(r->deed, "replay")) {
		good = send_frame(w, f) && send_raw(w, f);
	} else if (strcmp(r->deed, "drop") != 0) {
		die(r->deed);
	}
	return good;
}

/* Passes on what has arrived in one direction. Returns false at its end. */
static bool move(struct way *w)
{
	struct frame f = { 0 };
	int got;

	do {
		got = SSL_read(w->in, w->read + w->have, HEADER + BODY_MAX);
		if (got <= 0)
			return SSL_get_error(w->in, got) == SSL_ERROR_WANT_READ;
		w->have += (size_t)got;
		while (next_frame(w, &f)) {
			w->came += type_of(&f) >= LINK_TYPES;
			if (!w->silent && !pass(w, &f))
				return false;
			free(f.p);
			f.p = NULL;
		}
	} while (SSL_pending(w->in));
	return true;
}

/* One peer has ended: closes the connection to the other peer in the same way, reads what that peer
 * still sends, and exits. */
static void end(struct way *w)
{
	char rest[4096];

	if (SSL_get_shutdown(w->in) & SSL_RECEIVED_SHUTDOWN)
		SSL_shutdown(w->out);
	shutdown(SSL_get_fd(w->out), SHUT_WR);
	while (read(SSL_get_fd(w->out), rest, sizeof(rest)) > 0)
		;
	_exit(0);
}

/* ---- connections ---- */

static SSL_CTX *context(const char *pki, const char *name)
{
	SSL_CTX *c = SSL_CTX_new(TLS_method());
	char crt[512], key[512], ca[512];

	snprintf(crt, sizeof(crt), "%s/%s.crt", pki, name);
	snprintf(key, sizeof(key), "%s/%s.key", pki, name);
	snprintf(ca, sizeof(ca), "%s/ca.crt", pki);
	if (SSL_CTX_use_certificate_chain_file(c, crt) != 1 ||
	    SSL_CTX_use_PrivateKey_file(c, key, SSL_FILETYPE_PEM) != 1 ||
	    SSL_CTX_load_verify_locations(c, ca, NULL) != 1)
		die(name);
	SSL_CTX_set_verify(c, SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_num_tickets(c, 0);
	SSL_CTX_clear_mode(c, SSL_MODE_AUTO_RETRY);
	return c;
}

static int dial(const char *address)
{
	char host[128], *port;
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *a;
	int fd, on = 1;

	snprintf(host, sizeof(host), "%s", address);
	port = strrchr(host, ':');
	if (!port)
		die(address);
	*port++ = 0;
	if (getaddrinfo(host, port, &hints, &a) != 0)
		die(address);
	fd = socket(a->ai_family, SOCK_STREAM, 0);
	if (connect(fd, a->ai_addr, a->ai_addrlen) != 0)
		die(address);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	freeaddrinfo(a);
	return fd;
}

static void serve(int fd, const char *address, const char *pki, const char *party, const char *hub)
{
	SSL *in = SSL_new(context(pki, hub)), *out = SSL_new(context(pki, party));
	struct way up = { .from = "party", .in = in, .out = out };
	struct way down = { .from = "hub", .in = out, .out = in };
	struct pollfd fds[2] = { { fd, POLLIN, 0 }, { dial(address), POLLIN, 0 } };

	up.back = &down;
	down.back = &up;
	up.read = malloc(2 * (HEADER + BODY_MAX));
	down.read = malloc(2 * (HEADER + BODY_MAX));
	SSL_set_fd(in, fd);
	SSL_set_fd(out, fds[1].fd);
	if (SSL_accept(in) != 1 || SSL_connect(out) != 1)
		die("handshake");
	for (;;) {
		poll(fds, 2, -1);
		if (fds[0].revents && !move(&up))
			end(&up);
		if (fds[1].revents && !move(&down))
			end(&down);
	}
}

static void write_ready(const char *file, int fd)
{
	struct sockaddr_in a;
	socklen_t len = sizeof(a);
	char new[512];
	FILE *f;

	getsockname(fd, (struct sockaddr *)&a, &len);
	snprintf(new, sizeof(new), "%s.new", file);
	f = fopen(new, "w");
	if (!f)
		die(file);
	fprintf(f, "127.0.0.1:%d\n", ntohs(a.sin_port));
	fclose(f);
	rename(new, file);
}

int main(int argc, char **argv)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd;

	if (argc < 6)
		die("turncoat READY-FILE ADDRESS PKI-DIRECTORY PARTY COORDINATOR [RULE...]");
	for (int i = 6; i < argc; i++)
		read_rule(argv[i]);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	if (bind(listener, (struct sockaddr *)&a, sizeof(a)) != 0 || listen(listener, 8) != 0)
		die("listen");
	write_ready(argv[1], listener);
	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		if (fork() == 0)
			serve(fd, argv[2], argv[3], argv[4], argv[5]);
		close(fd);
	}
	return 1;
}
