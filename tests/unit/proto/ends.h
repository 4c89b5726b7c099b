/* ends.h -- a hub that listens and a party that dials, on one loop, for the tests of
 * connections. */
#ifndef TESTS_UNIT_PROTO_ENDS_H
#define TESTS_UNIT_PROTO_ENDS_H

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
	struct mailbox *mailbox;
	enum sender own;
	bool greets; /* this end sends or answers HELLO, and attaches a channel */
	double heartbeat_s;
	uint64_t job;           /* job that the channel is attached for */
	enum msg_type close_on; /* the end closes when a message of this type arrives; 0: never */
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
/* hub: the hub's end of the first connection; visitor: its end of later connections */
static struct end hub, bank, visitor;
static char bound[80];
static uint16_t port;
static int accepted;

static inline void greet(struct end *e, struct conn *c)
{
	conn_welcome(c, e->heartbeat_s);
	e->channel = channel_new(e->mailbox, e->own, conn_name(c));
	conn_attach(c, e->channel, e->job);
}

static inline void on_ready(struct conn *c, void *arg)
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

static inline void on_message(struct conn *c, const struct msg *m, void *arg)
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

static inline void on_closed(struct conn *c, enum err code, const char *why, void *arg)
{
	struct end *e = arg;

	e->closed++;
	e->code = code;
	snprintf(e->why, sizeof(e->why), "%s", why ? why : "");
	snprintf(e->address, sizeof(e->address), "%s", conn_address(c));
	e->conn = NULL;
}

static const struct conn_events events = { on_ready, on_message, on_closed };

static inline void *on_accepted(struct conn *c, void *arg)
{
	struct end *e = accepted++ == 0 ? &hub : &visitor;

	(void)arg;
	assert_true(strncmp(conn_address(c), "127.0.0.1:", 10) == 0);
	e->conn = c;
	return e;
}

static inline void open_host(struct conn_host **h, const struct cert_files *files,
			     double handshake_timeout_s)
{
	struct conn_options o = { .files = { files->cert, files->key, ca.path, NULL, NULL },
				  .handshake_timeout_s = handshake_timeout_s };

	assert_ok(conn_host_new(h, &loop, &o));
}

static inline void open_with(double handshake_timeout_s)
{
	uv_loop_init(&loop);
	open_host(&hub_host, &hub_files, handshake_timeout_s);
	open_host(&bank_host, &bank_files, handshake_timeout_s);
	accepted = 0;
	hub = visitor = (struct end){ .own = COORD, .greets = true, .heartbeat_s = 20, .job = JOB };
	bank = (struct end){ .own = PARTY, .greets = true, .heartbeat_s = 20 };
	hub.mailbox = mailbox_new(20);
	visitor.mailbox = mailbox_new(20);
	bank.mailbox = mailbox_new(20);
	assert_ok(
	    conn_listen(hub_host, "127.0.0.1", 0, &events, on_accepted, NULL, &listener, bound));
	assert_true(strncmp(bound, "127.0.0.1:", 10) == 0);
	port = (uint16_t)atoi(bound + 10);
	assert_true(port > 0);
}

static inline int set_up(void **state)
{
	(void)state;
	open_with(20);
	return 0;
}

static inline int set_up_hasty(void **state)
{
	(void)state;
	open_with(1);
	return 0;
}

static inline void release_end(struct end *e)
{
	channel_free(e->channel);
	mailbox_free(e->mailbox);
}

static inline int tear_down(void **state)
{
	struct end *all[] = { &hub, &bank, &visitor };

	(void)state;
	for (int i = 0; i < 3; i++)
		if (all[i]->conn)
			conn_close(all[i]->conn, ERR_OK, NULL, 0);
	conn_listen_stop(listener);
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0); /* all handles are closed */
	assert_int_equal(hub_host->greeting, 0);
	for (int i = 0; i < 3; i++)
		release_end(all[i]);
	conn_host_free(hub_host);
	conn_host_free(bank_host);
	return 0;
}

/* Runs the loop until the condition holds; fails after 30 s. The loop ticks, because a job thread
 * that makes the condition true does not wake it. */
static bool fuse_blown;
static double fuse_end_s;

static inline void tick(uv_timer_t *fuse)
{
	(void)fuse;
	fuse_blown = clock_now_s() >= fuse_end_s;
}

static inline void fuse_init(uv_timer_t *fuse)
{
	fuse_blown = false;
	fuse_end_s = clock_now_s() + 30;
	uv_timer_init(&loop, fuse);
	uv_timer_start(fuse, tick, 2, 2);
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

static inline void run_for(unsigned ms)
{
	double until = clock_now_s() + 1e-3 * ms;
	uv_timer_t wake;

	uv_timer_init(&loop, &wake);
	/* repeats, because the loop's clock may be ahead of clock_now_s() */
	uv_timer_start(&wake, tick, ms, 1);
	while (clock_now_s() < until)
		uv_run(&loop, UV_RUN_ONCE);
	uv_close((uv_handle_t *)&wake, NULL);
	uv_run(&loop, UV_RUN_NOWAIT);
}

static inline void dial(void)
{
	assert_ok(conn_dial(bank_host, "127.0.0.1", port, &events, &bank, &bank.conn));
}

static inline void connect_both(void)
{
	dial();
	run_until(hub.channel && bank.channel);
}

/* ---- messages by hand ---- */

static inline void send_offer(struct channel *ch)
{
	struct msg *m;

	ALLOC(m, 1);
	m->type = MSG_OFFER;
	sample(m, false);
	assert_ok(channel_send(ch, m));
	free(m);
}

static inline void send_done(struct channel *ch)
{
	struct msg *m;

	ALLOC(m, 1);
	m->type = MSG_DONE;
	assert_ok(channel_send(ch, m));
	free(m);
}

static inline enum err send_abort(struct channel *ch, const char *text)
{
	struct msg m = { .type = MSG_ABORT };

	m.abort = ch == bank.channel ? (struct msg_abort){ ERR_JOB, ENDING_FAILED, { 0 } }
				     : (struct msg_abort){ ERR_JOB, 0, msg_text(text) };
	return channel_send(ch, &m);
}

/* A job thread: works while the loop runs. */
struct worker {
	pthread_t thread;
	void (*work)(void);
	atomic_bool done;
};

static inline void *work(void *arg)
{
	struct worker *w = arg;

	w->work();
	w->done = true;
	return NULL;
}

static inline void worker_start(struct worker *w, void (*f)(void))
{
	w->work = f;
	w->done = false;
	pthread_create(&w->thread, NULL, work, w);
}

static inline void worker_join(struct worker *w)
{
	pthread_join(w->thread, NULL);
}

static inline void run_workers(void (*at_hub)(void), void (*at_bank)(void))
{
	struct worker a, b;

	worker_start(&a, at_hub);
	worker_start(&b, at_bank);
	run_until(a.done && b.done);
	worker_join(&a);
	worker_join(&b);
}

/* ---- actions of the two ends in several tests ---- */

/* Runs a whole small job at the hub; bank_talks() runs it at the party. */
static inline void hub_talks(void)
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

static inline void bank_talks(void)
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

/* Sends the first OFFER; its frame gives the party the job's number. */
static inline void offer_first_of(uint64_t job)
{
	struct msg *m;

	ALLOC(m, 1);
	send_offer(hub.channel);
	run_until(bank.conn->job == job);
	assert_ok(channel_recv(bank.channel, MSG_OFFER, m));
	free(m);
}

static inline void offer_first(void)
{
	offer_first_of(JOB);
}

static inline int conn_fd(struct conn *c)
{
	uv_os_fd_t fd;

	assert_int_equal(uv_fileno((uv_handle_t *)&c->tcp, &fd), 0);
	return fd;
}

/* ---- running them ---- */

#define IN(set_up_, test) cmocka_unit_test_setup_teardown(test, set_up_, tear_down)

/* Makes the certificates, runs the tests, and removes the certificates. */
static inline int conn_tests(const struct CMUnitTest *tests, size_t count)
{
	int failed;

	log_init("test", LOG_INFO);
	certs_ca(&ca, "ca");
	certs_ca(&other_ca, "other");
	certs_issue(&hub_files, &ca, &(struct cert_wish){ .name = "hub", .usage = "serverAuth" });
	certs_issue(&bank_files, &ca, &(struct cert_wish){ .name = "bank-a" });
	certs_issue(&stranger_files, &other_ca, &(struct cert_wish){ .name = "mallory" });
	failed = _cmocka_run_group_tests("connections", tests, count, NULL, NULL);
	certs_ca_release(&ca);
	certs_ca_release(&other_ca);
	return failed;
}

#endif
