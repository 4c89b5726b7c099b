#include "tests/test.h"

#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "proto/channel_own.h"
#include "proto/codec.h"
#include "proto/conn_own.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "certs.h"
#include "samples.h"

static struct cert_ca ca, other_ca;
static struct cert_files hub_files, bank_files, stranger_files;

/* ---- a hub that listens, a party that dials, both on this thread's loop ---- */

enum { JOB = 77 };

struct end {
	struct conn *conn;
	struct channel *channel;
	struct post *post;
	enum sender own;
	bool greets; /* says HELLO or answers it, attaches a channel */
	double heartbeat_s;
	uint64_t job;           /* to attach for */
	enum msg_type close_on; /* closes when this comes; 0: never */
	bool close_on_ready;
	int ready, messages, closed;
	enum msg_type last;
	enum err code;
	char why[ERR_DETAIL_MAX], name[80], address[80];
	uint8_t fingerprint[HASH_LEN];
};

static uv_loop_t loop;
static struct conn_host *hub_host, *bank_host;
static struct listener *listener;
static struct end hub, bank, visitor; /* the hub's end of a first and of any later connection */
static char bound[80];
static uint16_t port;
static int accepted;

static void greet(struct end *e, struct conn *c)
{
	conn_welcome(c, e->heartbeat_s);
	e->channel = channel_new(e->post, e->own, conn_name(c));
	conn_attach(c, e->channel, e->job);
}

static void on_ready(struct conn *c, void *arg)
{
	struct msg hello = { .type = MSG_HELLO, .hello = { 1, 1, { NULL, 0 } } };
	struct end *e = arg;

	e->ready++;
	snprintf(e->name, sizeof(e->name), "%s", conn_name(c));
	conn_fingerprint(c, e->fingerprint);
	if (e->close_on_ready) {
		conn_close(c, ERR_PEER, "not welcome", 2);
		conn_close(c, ERR_JOB, "twice", 2);
	} else if (e->own == PARTY && e->greets) {
		conn_send(c, &hello);
	}
}

static void on_message(struct conn *c, const struct msg *m, void *arg)
{
	struct msg welcome = { .type = MSG_WELCOME, .welcome = { 1, { NULL, 0 }, 1000 } };
	struct end *e = arg;

	e->messages++;
	e->last = m->type;
	if (e->close_on == m->type) {
		conn_close(c, ERR_OK, NULL, 2);
	} else if (m->type == MSG_HELLO && e->greets) {
		conn_send(c, &welcome);
		greet(e, c);
	} else if (m->type == MSG_WELCOME && e->greets) {
		greet(e, c);
	}
}

static void on_closed(struct conn *c, enum err code, const char *why, void *arg)
{
	struct end *e = arg;

	e->closed++;
	e->code = code;
	snprintf(e->why, sizeof(e->why), "%s", why ? why : "");
	snprintf(e->address, sizeof(e->address), "%s", conn_address(c));
	e->conn = NULL;
}

static const struct conn_events events = { on_ready, on_message, on_closed };

static void *on_accepted(struct conn *c, void *arg)
{
	struct end *e = accepted++ == 0 ? &hub : &visitor;

	(void)arg;
	assert_true(strncmp(conn_address(c), "127.0.0.1:", 10) == 0);
	e->conn = c;
	return e;
}

static void open_host(struct conn_host **h, const struct cert_files *files,
		      double handshake_timeout_s)
{
	struct conn_options o = { files->cert, files->key, ca.path, "cubic", handshake_timeout_s };

	assert_ok(conn_host_new(h, &loop, &o));
}

static void open_with(double handshake_timeout_s)
{
	uv_loop_init(&loop);
	open_host(&hub_host, &hub_files, handshake_timeout_s);
	open_host(&bank_host, &bank_files, handshake_timeout_s);
	accepted = 0;
	hub = visitor = (struct end){ .own = COORD, .greets = true, .heartbeat_s = 20, .job = JOB };
	bank = (struct end){ .own = PARTY, .greets = true, .heartbeat_s = 20 };
	hub.post = post_new(20);
	visitor.post = post_new(20);
	bank.post = post_new(20);
	assert_ok(
	    conn_listen(hub_host, "127.0.0.1", 0, &events, on_accepted, NULL, &listener, bound));
	assert_true(strncmp(bound, "127.0.0.1:", 10) == 0);
	port = (uint16_t)atoi(bound + 10);
	assert_true(port > 0);
}

static int set_up(void **state)
{
	(void)state;
	open_with(20);
	return 0;
}

static int set_up_hasty(void **state)
{
	(void)state;
	open_with(0.2);
	return 0;
}

static void release_end(struct end *e)
{
	channel_free(e->channel);
	post_free(e->post);
}

static int tear_down(void **state)
{
	struct end *all[] = { &hub, &bank, &visitor };

	(void)state;
	for (int i = 0; i < 3; i++)
		if (all[i]->conn)
			conn_close(all[i]->conn, ERR_OK, NULL, 0);
	conn_listen_stop(listener);
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0); /* every handle is gone */
	assert_int_equal(hub_host->greeting, 0);
	for (int i = 0; i < 3; i++)
		release_end(all[i]);
	conn_host_free(hub_host);
	conn_host_free(bank_host);
	return 0;
}

/* Runs the loop until the condition holds; fails after 30 s. */
static bool fuse_blown;

static void blow(uv_timer_t *fuse)
{
	(void)fuse;
	fuse_blown = true;
}

static void fuse_init(uv_timer_t *fuse)
{
	fuse_blown = false;
	uv_timer_init(&loop, fuse);
	uv_timer_start(fuse, blow, 30000, 0);
}

#define run_until(condition)                                                                       \
	do {                                                                                       \
		uv_timer_t fuse_;                                                                  \
		fuse_init(&fuse_);                                                                 \
		while (!(condition) && !fuse_blown)                                                \
			uv_run(&loop, UV_RUN_ONCE);                                                \
		uv_close((uv_handle_t *)&fuse_, NULL);                                             \
		uv_run(&loop, UV_RUN_NOWAIT);                                                      \
		if (!(condition))                                                                  \
			fail_msg("%s did not come true: \"%s\", \"%s\", \"%s\"", #condition,       \
				 hub.why, bank.why, visitor.why);                                  \
	} while (0)

static void run_for(unsigned ms)
{
	double until = clock_now_s() + 1e-3 * ms;
	uv_timer_t wake;

	uv_timer_init(&loop, &wake);
	uv_timer_start(&wake, blow, ms, 0);
	while (clock_now_s() < until)
		uv_run(&loop, UV_RUN_ONCE);
	uv_close((uv_handle_t *)&wake, NULL);
	uv_run(&loop, UV_RUN_NOWAIT);
}

static void dial(void)
{
	assert_ok(conn_dial(bank_host, "127.0.0.1", port, &events, &bank, &bank.conn));
}

static void connect_both(void)
{
	dial();
	run_until(hub.channel && bank.channel);
}

/* ---- messages by hand ---- */

static void send_offer(struct channel *ch)
{
	struct msg *m;

	ALLOC(m, 1);
	m->type = MSG_OFFER;
	sample(m, false);
	assert_ok(channel_send(ch, m));
	free(m);
}

static void send_done(struct channel *ch)
{
	struct msg *m;

	ALLOC(m, 1);
	m->type = MSG_DONE;
	assert_ok(channel_send(ch, m));
	free(m);
}

static enum err send_abort(struct channel *ch, const char *text)
{
	struct msg m = { .type = MSG_ABORT };

	m.abort =
	    (struct msg_abort){ ERR_JOB, { NULL, 0 }, { (const uint8_t *)text, strlen(text) } };
	return channel_send(ch, &m);
}

/* A job thread: does its work while the loop runs. */
struct worker {
	pthread_t thread;
	void (*work)(void);
	atomic_bool done;
};

static void *work(void *arg)
{
	struct worker *w = arg;

	w->work();
	w->done = true;
	return NULL;
}

static void worker_start(struct worker *w, void (*f)(void))
{
	w->work = f;
	w->done = false;
	pthread_create(&w->thread, NULL, work, w);
}

static void worker_join(struct worker *w)
{
	pthread_join(w->thread, NULL);
}

/* The loop has nothing of its own to wake up for when a worker ends. */
static bool both_done(struct worker *a, struct worker *b)
{
	static uv_timer_t poll;
	static bool started;

	if (!started) {
		uv_timer_init(&loop, &poll);
		uv_timer_start(&poll, blow, 1, 1);
		started = true;
	}
	if (!a->done || !b->done) {
		fuse_blown = false;
		return false;
	}
	uv_close((uv_handle_t *)&poll, NULL);
	uv_run(&loop, UV_RUN_NOWAIT);
	started = false;
	return true;
}

static void run_workers(void (*at_hub)(void), void (*at_bank)(void))
{
	struct worker a, b;

	worker_start(&a, at_hub);
	worker_start(&b, at_bank);
	while (!both_done(&a, &b))
		uv_run(&loop, UV_RUN_ONCE);
	worker_join(&a);
	worker_join(&b);
}

/* ---- good connections ---- */

static void test_greeting(void **state)
{
	struct channel_traffic t[40];
	struct channel_link link;

	(void)state;
	connect_both();
	assert_string_equal(hub.name, "bank-a");
	assert_string_equal(bank.name, "hub");
	assert_memory_equal(hub.fingerprint, bank_files.fingerprint, HASH_LEN);
	assert_memory_equal(bank.fingerprint, hub_files.fingerprint, HASH_LEN);
	assert_int_equal(hub.last, MSG_HELLO);
	assert_int_equal(bank.last, MSG_WELCOME);
	assert_int_equal(hub.ready + bank.ready, 2);
	/* the greeting is in the channel's record */
	assert_int_equal(channel_traffic(hub.channel, t, 40), 2);
	assert_int_equal(t[0].type, MSG_HELLO);
	assert_int_equal(t[0].messages_received, 1);
	assert_int_equal(t[0].bytes_received, FRAME_HEADER_LEN + 8);
	assert_int_equal(t[1].type, MSG_WELCOME);
	assert_int_equal(t[1].messages_sent, 1);
	channel_link(hub.channel, &link);
	assert_true(link.rtt_s >= 0 && link.rtt_s < 1);
	assert_true(link.congestion[0]);
}

/* A whole small job, with two job threads. */
static void hub_talks(void)
{
	struct msg *m;

	ALLOC(m, 1);
	send_offer(hub.channel);
	assert_ok(channel_recv(hub.channel, MSG_ACCEPT, m));
	for (uint64_t i = 0; i < 200; i++) {
		assert_ok(channel_recv(hub.channel, MSG_MASKED, m));
		assert_int_equal(m->masked.round, i);
		assert_int_equal(m->masked.words.n, i * 37);
		assert_memory_equal(m->masked.words.p, filler(0).p, m->masked.words.n);
		m->type = MSG_ASSIGNMENT;
		m->labels = (struct msg_labels){ 0, 3, 6, 0, { (const uint8_t *)"\xe4\x09", 2 } };
		assert_ok(channel_send(hub.channel, m));
	}
	assert_ok(channel_recv(hub.channel, MSG_DONE, m));
	send_done(hub.channel);
	assert_ok(channel_flush(hub.channel, 20));
	free(m);
}

static void bank_talks(void)
{
	struct msg *m;
	uint32_t label[6];

	ALLOC(m, 1);
	assert_ok(channel_recv(bank.channel, MSG_OFFER, m));
	m->type = MSG_ACCEPT;
	sample(m, true);
	assert_ok(channel_send(bank.channel, m));
	for (uint64_t i = 0; i < 200; i++) {
		m->type = MSG_MASKED;
		m->masked = (struct msg_masked){ .round = i, .words = filler(i * 37) };
		assert_ok(channel_send(bank.channel, m));
		assert_ok(channel_recv_labels(bank.channel, MSG_ASSIGNMENT, 0, 3, label, 6));
		assert_int_equal(label[3], 3);
	}
	send_done(bank.channel);
	assert_ok(channel_recv(bank.channel, MSG_DONE, m));
	free(m);
}

static void test_job(void **state)
{
	(void)state;
	connect_both();
	run_workers(hub_talks, bank_talks);
	assert_int_equal(hub.closed + bank.closed, 0);
}

/* Large vectors; the reader may be slow. */
enum { STREAM = 256 };
static unsigned reader_sleep_us;

static void bank_streams(void)
{
	struct msg m = { .type = MSG_MASKED };

	for (uint64_t i = 0; i < STREAM; i++) {
		m.masked = (struct msg_masked){ .count = STREAM,
						.offset = i,
						.words = filler(CHANNEL_CHUNK + (size_t)i * 11) };
		assert_ok(channel_send(bank.channel, &m));
	}
	assert_ok(channel_flush(bank.channel, 30));
}

static size_t most_queued;

static void hub_sums(void)
{
	struct msg *m;

	ALLOC(m, 1);
	most_queued = 0;
	for (uint64_t i = 0; i < STREAM; i++) {
		if (reader_sleep_us)
			usleep(reader_sleep_us);
		pthread_mutex_lock(&hub.post->lock);
		if (hub.channel->in.bytes > most_queued)
			most_queued = hub.channel->in.bytes;
		pthread_mutex_unlock(&hub.post->lock);
		assert_ok(channel_recv(hub.channel, MSG_MASKED, m));
		assert_int_equal(m->masked.offset, i);
		assert_int_equal(m->masked.words.n, CHANNEL_CHUNK + i * 11);
		assert_memory_equal(m->masked.words.p, filler(0).p, m->masked.words.n);
	}
	free(m);
}

/* The party learns the job's number from the first frame. */
static void offer_first_of(uint64_t job)
{
	struct msg *m;

	ALLOC(m, 1);
	send_offer(hub.channel);
	run_until(bank.conn->job == job);
	assert_ok(channel_recv(bank.channel, MSG_OFFER, m));
	free(m);
}

static void offer_first(void)
{
	offer_first_of(JOB);
}

static void test_large_vectors(void **state)
{
	(void)state;
	reader_sleep_us = 0;
	connect_both();
	offer_first();
	run_workers(hub_sums, bank_streams);
	assert_int_equal(hub.closed + bank.closed, 0);
}

/* What the reader has not taken yet waits with the sender: the queue here stays small. */
static void test_slow_reader(void **state)
{
	(void)state;
	reader_sleep_us = 3000;
	hub.heartbeat_s = bank.heartbeat_s = 5;
	connect_both();
	offer_first();
	run_workers(hub_sums, bank_streams);
	assert_true(most_queued >= CHANNEL_IN_MAX);
	assert_true(most_queued <= CHANNEL_IN_MAX + CONN_READ + 2 * CHANNEL_CHUNK);
	assert_int_equal(hub.closed + bank.closed, 0);
}

/* ---- heartbeats ---- */

static void test_heartbeats_keep_alive(void **state)
{
	struct channel_traffic t[40];
	uint64_t before;
	size_t n;

	(void)state;
	hub.heartbeat_s = bank.heartbeat_s = 0.5;
	connect_both();
	before = post_progress(hub.post);
	run_for(2000);
	assert_int_equal(hub.closed + bank.closed, 0);
	n = channel_traffic(hub.channel, t, 40);
	assert_int_equal(n, 3);
	assert_int_equal(t[2].type, MSG_HEARTBEAT);
	assert_true(t[2].messages_received >= 4 && t[2].messages_sent >= 4);
	assert_int_equal(t[2].bytes_sent, t[2].messages_sent * (FRAME_HEADER_LEN + 8));
	/* an idle party's counter stands still: nothing for the coordinator to pass on */
	assert_true(post_progress(hub.post) <= before + 1);
}

/* Heartbeats carry the job's progress. */
static void test_heartbeats_carry_progress(void **state)
{
	uint64_t before;

	(void)state;
	hub.heartbeat_s = bank.heartbeat_s = 0.3;
	connect_both();
	run_for(300);
	before = post_progress(hub.post);
	channel_heard(bank.channel, 1); /* as if its coordinator worked: no news for others */
	run_for(300);
	assert_int_equal(post_progress(hub.post), before);
	bank.post->moved += 5; /* as if it worked itself */
	run_until(post_progress(hub.post) > before);
}

static void test_silence(void **state)
{
	(void)state;
	hub.heartbeat_s = 0.3;
	bank.greets = false; /* never says that it is welcome, so no heartbeats */
	dial();
	run_until(bank.ready);
	conn_send(bank.conn, &(struct msg){ .type = MSG_HELLO, .hello = { 1, 1, { NULL, 0 } } });
	run_until(hub.closed);
	assert_int_equal(hub.code, ERR_DEADLINE);
	assert_string_equal(hub.why, "nothing heard from bank-a for 0.3 s");
	assert_err(channel_recv(hub.channel, MSG_ACCEPT, &hub_host->msg), ERR_DEADLINE,
		   "nothing heard from bank-a for 0.3 s (during start)");
}

/* Any byte is a sign of life, also of a frame that does not end. */
static void test_crumbs_are_life(void **state)
{
	uint8_t h[FRAME_HEADER_LEN];

	(void)state;
	hub.heartbeat_s = 0.4;
	bank.greets = false;
	dial();
	run_until(bank.ready);
	conn_send(bank.conn, &(struct msg){ .type = MSG_HELLO, .hello = { 1, 1, { NULL, 0 } } });
	run_until(hub.channel);
	frame_header(h, &(struct frame){ MSG_MASKED, JOB, 1 }, 1000);
	for (size_t i = 0; i < FRAME_HEADER_LEN; i++) {
		assert_ok(tls_write(bank.conn->tls, h + i, 1));
		conn_pump(bank.conn);
		run_for(60);
	}
	assert_int_equal(hub.closed, 0);
	run_until(hub.closed);
	assert_int_equal(hub.code, ERR_DEADLINE);
}

static void test_handshake_deadline(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)state;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	run_until(hub.closed);
	assert_int_equal(hub.code, ERR_DEADLINE);
	assert_non_null(strstr(hub.why, "127.0.0.1:"));
	assert_non_null(strstr(hub.why, "did not finish the TLS handshake within 0.2 s"));
	close(fd);
}

static void test_greeting_deadline(void **state)
{
	(void)state;
	bank.greets = false;
	dial();
	run_until(hub.closed && bank.closed);
	assert_int_equal(hub.ready, 1);
	/* whichever clock rang first; the other was told by the close */
	assert_true(strstr(hub.why, "bank-a at 127.0.0.1:") ||
		    strstr(bank.why, "hub at 127.0.0.1:"));
	assert_true(strstr(hub.why, "did not finish the greeting within 0.2 s") ||
		    strstr(bank.why, "did not finish the greeting within 0.2 s"));
}

/* ---- ends ---- */

static void test_peer_closes(void **state)
{
	(void)state;
	connect_both();
	conn_close(bank.conn, ERR_OK, NULL, 2);
	conn_close(bank.conn, ERR_PEER, "twice", 2);
	assert_int_equal(bank.closed, 0); /* not from within the call */
	run_until(hub.closed && bank.closed);
	assert_int_equal(bank.closed, 1);
	assert_int_equal(bank.code, ERR_OK);
	assert_string_equal(bank.why, "");
	assert_int_equal(hub.code, ERR_PEER);
	assert_non_null(strstr(hub.why, "bank-a at 127.0.0.1:"));
	assert_non_null(strstr(hub.why, "closed the connection"));
	assert_err(channel_recv(hub.channel, MSG_ACCEPT, &hub_host->msg), ERR_PEER,
		   "closed the connection (during start)");
	assert_err(channel_recv(bank.channel, MSG_OFFER, &hub_host->msg), ERR_CANCELLED,
		   "was closed here (during start)");
}

static int conn_fd(struct conn *c)
{
	uv_os_fd_t fd;

	assert_int_equal(uv_fileno((uv_handle_t *)&c->tcp, &fd), 0);
	return fd;
}

static void test_peer_vanishes(void **state)
{
	(void)state;
	connect_both();
	shutdown(conn_fd(bank.conn), SHUT_WR); /* a FIN, but no last word of TLS */
	run_until(hub.closed);
	assert_int_equal(hub.code, ERR_PEER);
	assert_non_null(strstr(hub.why, "the connection to bank-a at 127.0.0.1:"));
	assert_non_null(strstr(hub.why, "was cut off"));
	run_until(bank.closed);
}

static void test_peer_resets(void **state)
{
	struct linger at_once = { .l_onoff = 1, .l_linger = 0 };

	(void)state;
	connect_both();
	setsockopt(conn_fd(bank.conn), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	conn_over(bank.conn, ERR_JOB, "gone");
	run_until(hub.closed && bank.closed);
	assert_int_equal(hub.code, ERR_PEER);
	assert_non_null(strstr(hub.why, "broke: connection reset by peer"));
	assert_string_equal(bank.why, "gone");
}

/* A close from every callback. */
static void test_close_in_callbacks(void **state)
{
	(void)state;
	bank.close_on_ready = true;
	dial();
	run_until(bank.closed && hub.closed);
	assert_int_equal(bank.closed, 1);
	assert_string_equal(bank.why, "not welcome");
	tear_down(state);
	set_up(state);
	hub.close_on = MSG_HELLO;
	dial();
	run_until(bank.closed && hub.closed);
	assert_int_equal(hub.code, ERR_OK);
	assert_int_equal(hub.messages, 1);
	assert_non_null(strstr(bank.why, "hub at 127.0.0.1:"));
	assert_non_null(strstr(bank.why, "closed the connection"));
}

static void test_close_while_dialling(void **state)
{
	(void)state;
	dial();
	conn_close(bank.conn, ERR_JOB, "changed our mind", 1);
	assert_int_equal(bank.closed, 0);
	run_until(bank.closed);
	assert_string_equal(bank.why, "changed our mind");
}

static void test_nobody_listens(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)state;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)),
			 0); /* ours, but nobody listens */
	getsockname(fd, (struct sockaddr *)&a, &len);
	assert_ok(conn_dial(bank_host, "localhost", ntohs(a.sin_port), &events, &bank, &bank.conn));
	run_until(bank.closed);
	assert_int_equal(bank.code, ERR_PEER);
	assert_non_null(strstr(bank.why, "localhost:"));
	assert_non_null(strstr(bank.why, "connection refused"));
	close(fd);
}

static void test_no_such_host(void **state)
{
	char long_name[400];

	(void)state;
	memset(long_name, 'x', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';
	assert_ok(conn_dial(bank_host, long_name, 1, &events, &bank, &bank.conn));
	assert_int_equal(bank.closed, 0);
	run_until(bank.closed);
	assert_int_equal(bank.code, ERR_PEER);
}

static void test_listen_twice(void **state)
{
	struct listener *second;
	char text[80];

	(void)state;
	assert_err(
	    conn_listen(hub_host, "127.0.0.1", port, &events, on_accepted, NULL, &second, text),
	    ERR_INPUT, "address already in use");
	assert_err(conn_listen(hub_host, "no.such.host.invalid", 0, &events, on_accepted, NULL,
			       &second, text),
		   ERR_INPUT, "listen: no.such.host.invalid");
}

/* ---- the last words ---- */

/* The hub gives up while the party is sending with all its might. The party must hear why, not
 * "connection reset". */
static enum err bank_heard;
static char bank_heard_why[ERR_DETAIL_MAX];

static void bank_streams_on(void)
{
	struct msg m = { .type = MSG_MASKED, .masked.words = filler(CHANNEL_CHUNK) };

	do {
		bank_heard = channel_send(bank.channel, &m);
	} while (bank_heard == ERR_OK);
	snprintf(bank_heard_why, sizeof(bank_heard_why), "%s", err_detail());
}

static void hub_gives_up(void)
{
	struct msg *m;

	ALLOC(m, 1);
	for (int i = 0; i < 5; i++)
		assert_ok(channel_recv(hub.channel, MSG_MASKED, m));
	assert_ok(send_abort(hub.channel, "bank-b died"));
	free(m);
}

static void test_abort_is_heard(void **state)
{
	for (int by_loop = 0; by_loop <= 1; by_loop++)
		for (int i = 0; i < 10; i++) {
			struct worker a, b;
			struct msg abort = { .type = MSG_ABORT,
					     .abort = { ERR_JOB,
							{ NULL, 0 },
							{ (const uint8_t *)"bank-b died", 11 } } };

			connect_both();
			offer_first();
			worker_start(&b, bank_streams_on);
			if (by_loop) {
				run_for(20);
				conn_send(hub.conn, &abort);
			} else {
				worker_start(&a, hub_gives_up);
				run_until(a.done);
				worker_join(&a);
			}
			conn_close(hub.conn, ERR_OK, NULL, 5);
			run_until(b.done && hub.closed && bank.closed);
			worker_join(&b);
			assert_int_equal(bank_heard, ERR_JOB);
			assert_non_null(strstr(bank_heard_why, "bank-b died"));
			tear_down(state);
			set_up(state);
		}
}

/* The party's writing fails, while the hub's last word lies unread in the party's kernel: that word
 * is the reason, not "broken pipe". */
static void cut_the_bank(void)
{
	shutdown(conn_fd(bank.conn), SHUT_WR);
	send_done(bank.channel);
	conn_pump(bank.conn);
	assert_true(bank.conn->cut);
}

static void test_last_words_are_read(void **state)
{
	struct msg abort = { .type = MSG_ABORT,
			     .abort = {
				 ERR_JOB, { NULL, 0 }, { (const uint8_t *)"bank-b died", 11 } } };

	(void)state;
	connect_both();
	offer_first();
	conn_send(hub.conn, &abort); /* goes straight to the kernel */
	cut_the_bank();
	run_until(hub.closed && bank.closed);
	assert_int_equal(bank.code, ERR_PEER);
	assert_non_null(strstr(bank.why, "broke: broken pipe"));
	assert_err(channel_recv(bank.channel, MSG_KEYS, &hub_host->msg), ERR_JOB, "bank-b died");
}

/* Nothing can be sent any more, so a close waits for nothing. */
static void test_close_when_cut(void **state)
{
	(void)state;
	connect_both();
	offer_first();
	cut_the_bank();
	conn_close(bank.conn, ERR_OK, NULL, 1000);
	assert_int_equal(bank.conn->phase, CONN_OVER);
	run_until(hub.closed && bank.closed);
	assert_non_null(strstr(bank.why, "broke: broken pipe"));
}

/* A second close may be more impatient, not more patient. */
static void test_close_sooner(void **state)
{
	(void)state;
	connect_both();
	uv_read_stop((uv_stream_t *)&hub.conn->tcp); /* it does not hear that we leave */
	conn_close(bank.conn, ERR_OK, NULL, 1000);
	run_for(50);
	assert_int_equal(bank.conn->phase, CONN_LINGERING);
	conn_close(bank.conn, ERR_OK, NULL, 0.05);
	conn_close(bank.conn, ERR_OK, NULL, 1000);
	run_until(bank.closed);
	assert_int_equal(bank.code, ERR_OK);
	assert_int_equal(hub.closed, 0);
}

/* What was queued before the close still arrives, however much. */
static void hub_receives_all(void)
{
	struct msg *m;

	ALLOC(m, 1);
	for (int i = 0; i < 16; i++)
		assert_ok(channel_recv(hub.channel, MSG_MASKED, m));
	assert_err(channel_recv(hub.channel, MSG_MASKED, m), ERR_PEER, "closed the connection");
	free(m);
}

static void test_close_flushes(void **state)
{
	struct msg m = { .type = MSG_MASKED, .masked.words = filler(CHANNEL_CHUNK) };
	struct worker w;

	(void)state;
	connect_both();
	offer_first();
	for (int i = 0; i < 16; i++)
		assert_ok(channel_send(bank.channel, &m));
	conn_close(bank.conn, ERR_OK, NULL, 20);
	worker_start(&w, hub_receives_all);
	run_until(hub.closed && bank.closed);
	worker_join(&w);
	assert_int_equal(bank.code, ERR_OK);
}

/* ---- jobs come and go ---- */

static void test_late_frames_are_dropped(void **state)
{
	struct msg *m;

	(void)state;
	ALLOC(m, 1);
	connect_both();
	offer_first();
	/* the hub ends the job; the party does not know yet */
	conn_attach(hub.conn, NULL, 0);
	send_done(bank.channel);
	run_for(50);
	channel_free(hub.channel);
	hub.channel = channel_new(hub.post, COORD, "bank-a");
	conn_attach(hub.conn, hub.channel, JOB + 1);
	send_done(bank.channel);
	run_for(50);
	conn_attach(bank.conn, NULL, 0);
	channel_free(bank.channel);
	bank.channel = channel_new(bank.post, PARTY, "hub");
	conn_attach(bank.conn, bank.channel, 0);
	/* the next job begins with clean channels */
	offer_first_of(JOB + 1);
	m->type = MSG_ACCEPT;
	sample(m, false);
	assert_ok(channel_send(bank.channel, m));
	run_until(hub.channel->in.count == 1);
	assert_ok(channel_recv(hub.channel, MSG_ACCEPT, m));
	assert_int_equal(hub.closed + bank.closed, 0);
	free(m);
}

/* Before the offer a party has no job to speak of: its ABORT goes nowhere, and nothing breaks. */
static void test_abort_before_the_offer(void **state)
{
	(void)state;
	connect_both();
	assert_ok(send_abort(bank.channel, "too early"));
	conn_send(bank.conn, &(struct msg){ .type = MSG_ABORT, .abort.code = ERR_JOB });
	run_for(50);
	assert_int_equal(hub.closed + bank.closed, 0);
	conn_close(bank.conn, ERR_OK, NULL, 2);
	run_until(hub.closed && bank.closed);
	assert_non_null(strstr(hub.why, "closed the connection"));
}

static void test_attach_after_the_end(void **state)
{
	(void)state;
	dial();
	run_until(bank.ready);
	conn_close(bank.conn, ERR_JOB, "no more", 2);
	bank.channel = channel_new(bank.post, PARTY, "hub");
	conn_attach(bank.conn, bank.channel, 0);
	assert_err(channel_recv(bank.channel, MSG_OFFER, &hub_host->msg), ERR_JOB, "no more");
	run_until(bank.closed && hub.closed);
}

/* ---- those who are not ours ---- */

static int raw_connection(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

/* Each kind of nonsense ends its own connection, with address and reason, and disturbs nobody. */
static void test_nonsense(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *says;
	} c[] = {
		{ "GET / HTTP/1.1\r\n\r\n", 18, "is not TLS" },
		{ "\xff\xff\xff\xff\x00\x01\x00\x00", 8, "is not TLS" },
		{ "\x16\x03\x01\x02\x00\x01", 6, "was cut off during the TLS handshake" },
		{ "\x16\x03\x01\x00\x05hello", 10, "broke TLS" },
		{ "", 0, "was cut off during the TLS handshake" },
	};

	(void)state;
	connect_both();
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		int fd = raw_connection(), before = visitor.closed;

		assert_int_equal(send(fd, c[i].bytes, c[i].len, 0), c[i].len);
		shutdown(fd, SHUT_WR);
		run_until(visitor.closed > before);
		assert_int_equal(visitor.code, ERR_PEER);
		assert_non_null(strstr(visitor.why, "127.0.0.1:"));
		assert_true(strncmp(visitor.address, "127.0.0.1:", 10) == 0);
		if (!strstr(visitor.why, c[i].says))
			fail_msg("%s, expected %s", visitor.why, c[i].says);
		close(fd);
	}
	assert_int_equal(visitor.ready, 0);
	run_workers(hub_talks, bank_talks);
	assert_int_equal(hub.closed + bank.closed, 0);
}

/* From an authenticated party, inside TLS. */
static void speak_raw(const uint8_t *p, size_t n, bool then_leave, const char *says)
{
	dial();
	run_until(bank.ready && hub.ready);
	assert_ok(tls_write(bank.conn->tls, p, n));
	conn_pump(bank.conn);
	if (then_leave) {
		run_for(20);
		shutdown(conn_fd(bank.conn), SHUT_WR);
	}
	run_until(hub.closed && bank.closed);
	if (hub.code != ERR_PEER || !strstr(hub.why, says) ||
	    !strstr(hub.why, "bank-a at 127.0.0.1:"))
		fail_msg("%s, expected %s", hub.why, says);
	assert_int_equal(hub.messages, 0);
	tear_down(NULL);
	set_up(NULL);
}

static size_t raw_frame(uint8_t *out, uint32_t length, uint16_t type, uint16_t flags, uint64_t job,
			uint32_t seq)
{
	memset(out, 0, 100);
	put_u32(out, length);
	put_u16(out + 4, type);
	put_u16(out + 6, flags);
	put_u64(out + 8, job);
	put_u32(out + 16, seq);
	return length < 80 ? length + 4 : 20;
}

static void test_bad_frames(void **state)
{
	uint8_t f[100];

	(void)state;
	bank.greets = false;
	speak_raw(f, raw_frame(f, UINT32_MAX, MSG_HELLO, 0, 0, 0), false,
		  "sent frame of length 4294967295, expected 16 to 4096");
	bank.greets = false;
	speak_raw(f, raw_frame(f, 5000, MSG_HELLO, 0, 0, 0), false, "sent frame of length 5000");
	bank.greets = false;
	speak_raw(f, raw_frame(f, 24, MSG_HELLO, 7, 0, 0), false, "sent HELLO with flags 0x0007");
	bank.greets = false;
	speak_raw(f, raw_frame(f, 24, 99, 0, 0, 0), false, "sent unknown message type 99");
	bank.greets = false;
	speak_raw(f, raw_frame(f, 24, MSG_HELLO, 0, 0, 3), false, "sequence number 3, expected 0");
	bank.greets = false;
	speak_raw(f, raw_frame(f, 16, MSG_DONE, 0, JOB, 1), false,
		  "sent DONE before the greeting was over");
	bank.greets = false;
	speak_raw(f, raw_frame(f, 17, MSG_HELLO, 0, 0, 0), false,
		  "sent a malformed message: HELLO");
	bank.greets = false;
	speak_raw(f, raw_frame(f, 24, MSG_HELLO, 0, 0, 0) - 5, true, "was cut off");
}

static void test_wrong_certificates(void **state)
{
	struct conn_host *stranger;
	struct conn_options o = { stranger_files.cert, stranger_files.key, ca.path, NULL, 20 };

	(void)state;
	assert_ok(conn_host_new(&stranger, &loop, &o));
	assert_ok(conn_dial(stranger, "127.0.0.1", port, &events, &bank, &bank.conn));
	bank.greets = false; /* it would be ready before it is told */
	run_until(hub.closed && bank.closed);
	assert_int_equal(hub.ready, 0);
	assert_int_equal(hub.code, ERR_PEER);
	assert_true(strncmp(hub.why, "127.0.0.1:", 10) == 0);
	assert_non_null(
	    strstr(hub.why, "shows a certificate (for mallory) that our CA did not sign"));
	assert_int_equal(bank.code, ERR_PEER);
	assert_non_null(strstr(bank.why, "refuses us: our certificate is not signed by its CA"));
	conn_host_free(stranger);
}

static void test_too_many_strangers(void **state)
{
	int fd[CONN_GREETING_MAX + 1];
	char byte;

	(void)state;
	connect_both();
	for (int i = 0; i <= CONN_GREETING_MAX; i++) {
		fd[i] = raw_connection();
		run_until(accepted == i + 2 || i == CONN_GREETING_MAX);
	}
	log_set_level(LOG_ERROR);
	run_for(20);
	log_set_level(LOG_INFO);
	assert_int_equal(hub_host->greeting, CONN_GREETING_MAX);
	assert_int_equal(accepted, CONN_GREETING_MAX + 1);
	assert_true(recv(fd[CONN_GREETING_MAX], &byte, 1, MSG_DONTWAIT) == 0); /* turned away */
	for (int i = 0; i <= CONN_GREETING_MAX; i++)
		close(fd[i]);
	run_until(visitor.closed == CONN_GREETING_MAX);
	assert_int_equal(hub.closed + bank.closed, 0);
}

/* ---- settings ---- */

static void test_congestion(void **state)
{
	struct conn_options o = { hub_files.cert, hub_files.key, ca.path, "nosuch", 20 };
	struct conn_host *h;
	struct channel_link link;
	struct listener *l;
	char text[80];

	(void)state;
	connect_both();
	channel_link(bank.channel, &link);
	/* cubic, where the kernel has it */
	if (strcmp(link.congestion, "cubic") != 0)
		print_message("cubic is not there: %s\n", link.congestion);
	tear_down(state);
	set_up(state);
	/* one that there is not: a warning, and on */
	assert_ok(conn_host_new(&h, &loop, &o));
	assert_ok(conn_listen(h, "127.0.0.1", 0, &events, on_accepted, NULL, &l, text));
	log_set_level(LOG_ERROR);
	assert_ok(conn_dial(bank_host, "127.0.0.1", (uint16_t)atoi(text + 10), &events, &bank,
			    &bank.conn));
	run_until(hub.channel && bank.channel);
	log_set_level(LOG_INFO);
	assert_true(h->congestion_refused);
	channel_link(hub.channel, &link);
	assert_true(link.congestion[0] && strcmp(link.congestion, "nosuch") != 0);
	conn_close(hub.conn, ERR_OK, NULL, 0);
	conn_listen_stop(l);
	run_until(hub.closed && bank.closed);
	conn_host_free(h);
}

static void overwrite(const char *to, const char *from)
{
	char command[2 * CERT_PATH + 10];

	snprintf(command, sizeof(command), "cp %s %s", from, to);
	assert_int_equal(system(command), 0);
}

static void test_reload(void **state)
{
	struct cert_files next, old = hub_files;
	char keep_cert[CERT_PATH], keep_key[CERT_PATH];

	(void)state;
	certs_issue(&next, &ca, &(struct cert_wish){ .name = "hub-2", .usage = "serverAuth" });
	certs_path(keep_cert, "keep", "crt");
	certs_path(keep_key, "keep", "key");
	overwrite(keep_cert, old.cert);
	overwrite(keep_key, old.key);
	/* half of the files are new: refused, the old ones stay */
	overwrite(old.cert, next.cert);
	assert_err(conn_host_reload(hub_host), ERR_INPUT, old.key);
	dial();
	run_until(bank.ready);
	assert_string_equal(bank.name, "hub");
	conn_close(bank.conn, ERR_OK, NULL, 2);
	run_until(hub.closed && bank.closed);
	overwrite(old.key, next.key);
	assert_ok(conn_host_reload(hub_host));
	dial();
	run_until(bank.ready == 2);
	assert_string_equal(bank.name, "hub-2");
	conn_close(bank.conn, ERR_OK, NULL, 2);
	run_until(bank.closed == 2 && visitor.closed);
	overwrite(old.cert, keep_cert);
	overwrite(old.key, keep_key);
}

#define IN(set_up_, test) cmocka_unit_test_setup_teardown(test, set_up_, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		IN(set_up, test_greeting),
		IN(set_up, test_job),
		IN(set_up, test_large_vectors),
		IN(set_up, test_slow_reader),
		IN(set_up, test_heartbeats_keep_alive),
		IN(set_up, test_heartbeats_carry_progress),
		IN(set_up, test_silence),
		IN(set_up, test_crumbs_are_life),
		IN(set_up_hasty, test_handshake_deadline),
		IN(set_up_hasty, test_greeting_deadline),
		IN(set_up, test_peer_closes),
		IN(set_up, test_peer_vanishes),
		IN(set_up, test_peer_resets),
		IN(set_up, test_close_in_callbacks),
		IN(set_up, test_close_while_dialling),
		IN(set_up, test_nobody_listens),
		IN(set_up, test_no_such_host),
		IN(set_up, test_listen_twice),
		IN(set_up, test_abort_is_heard),
		IN(set_up, test_last_words_are_read),
		IN(set_up, test_close_when_cut),
		IN(set_up, test_close_sooner),
		IN(set_up, test_close_flushes),
		IN(set_up, test_late_frames_are_dropped),
		IN(set_up, test_abort_before_the_offer),
		IN(set_up, test_attach_after_the_end),
		IN(set_up, test_nonsense),
		IN(set_up, test_bad_frames),
		IN(set_up, test_wrong_certificates),
		IN(set_up, test_too_many_strangers),
		IN(set_up, test_congestion),
		IN(set_up, test_reload),
	};
	int failed;

	log_init("test", LOG_INFO);
	certs_ca(&ca, "ca");
	certs_ca(&other_ca, "other");
	certs_issue(&hub_files, &ca, &(struct cert_wish){ .name = "hub", .usage = "serverAuth" });
	certs_issue(&bank_files, &ca, &(struct cert_wish){ .name = "bank-a" });
	certs_issue(&stranger_files, &other_ca, &(struct cert_wish){ .name = "mallory" });
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	certs_ca_release(&ca);
	certs_ca_release(&other_ca);
	return failed;
}
