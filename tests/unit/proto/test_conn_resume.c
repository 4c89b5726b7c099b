/* Loses real connections while two job threads talk over them, and resumes on new connections. */
#include "tests/unit/proto/ends.h"

static const uint8_t job_id[JOB_ID_LEN] = { 0, 0, 0, 0, 0, 0, 0, JOB, 1 };

static struct listener *door;
static uint16_t door_port;
static int lost; /* number of connections that the bank lost */
static bool dial_again;

static void dial_door(void);

static void begin(struct end *e, struct conn *c)
{
	conn_welcome(c, e->heartbeat_s);
	e->channel = channel_new(e->mailbox, e->own, conn_name(c));
	channel_of_job(e->channel, job_id, 1);
	channel_keep(e->channel);
	conn_attach(c, e->channel, JOB);
}

static void go_on(struct end *e, struct conn *c)
{
	conn_welcome(c, e->heartbeat_s);
	conn_attach(c, e->channel, JOB);
}

static void at_ready(struct conn *c, void *arg)
{
	struct end *e = arg;
	struct msg m = { .type = MSG_HELLO, .hello = { 2, 2, { NULL, 0 } } };

	e->ready++;
	if (e->own == COORD)
		return;
	if (e->channel)
		channel_resume_fill(e->channel, &m);
	conn_send(c, &m);
}

/* Accepts the new connection in any state of the old one, as the coordinator does. */
static void hub_resumes(struct conn *c, const struct msg_resume *r)
{
	struct conn *old = hub.conn;
	struct msg m;

	assert_ok(channel_resume_check(hub.channel, r));
	hub.conn = c;
	if (old) {
		conn_attach(old, NULL, 0);
		conn_close(old, ERR_OK, NULL, 0);
	}
	assert_true(channel_is_lost(hub.channel) || channel_lost(hub.channel));
	assert_ok(channel_resume(hub.channel, r));
	channel_resume_fill(hub.channel, &m);
	conn_send(c, &m);
	go_on(&hub, c);
}

static void at_message(struct conn *c, const struct msg *m, void *arg)
{
	struct msg welcome = { .type = MSG_WELCOME, .welcome = { 2, { NULL, 0 }, 1000 } };

	if (arg == &hub && m->type == MSG_HELLO) {
		hub.conn = c;
		conn_send(c, &welcome);
		begin(&hub, c);
	} else if (arg == &hub) {
		assert_int_equal(m->type, MSG_RESUME);
		hub_resumes(c, &m->resume);
	} else if (m->type == MSG_WELCOME) {
		begin(&bank, c);
	} else {
		assert_int_equal(m->type, MSG_RESUME);
		assert_ok(channel_resume(bank.channel, &m->resume));
		go_on(&bank, c);
	}
}

static void at_closed(struct conn *c, enum err code, const char *why, void *arg)
{
	struct end *e = arg;

	if (e->conn != c)
		return;
	e->conn = NULL;
	e->closed++;
	e->code = code;
	snprintf(e->why, sizeof(e->why), "%s", why ? why : "");
	if (e == &bank && dial_again) {
		lost++;
		dial_door();
	}
}

static const struct conn_events at_door = { at_ready, at_message, at_closed };

static void *at_accept(struct conn *c, void *arg)
{
	(void)c;
	(void)arg;
	return &hub;
}

static void dial_door(void)
{
	assert_ok(conn_dial(bank_host, "127.0.0.1", door_port, &at_door, &bank, &bank.conn));
}

static int open_door(void **state)
{
	char text[80];

	set_up(state);
	assert_ok(conn_listen(hub_host, "127.0.0.1", 0, &at_door, at_accept, NULL, &door, text));
	door_port = (uint16_t)atoi(text + 10);
	lost = 0;
	dial_again = true;
	dial_door();
	run_until(hub.channel && bank.channel);
	return 0;
}

static int close_door(void **state)
{
	dial_again = false;
	conn_listen_stop(door);
	return tear_down(state);
}

/* ---- ways to lose a connection ---- */

static void break_it(int way)
{
	struct linger at_once = { .l_onoff = 1, .l_linger = 0 };

	if (!bank.conn || !hub.conn || bank.conn->phase != CONN_WELCOMED ||
	    hub.conn->phase != CONN_WELCOMED)
		return;
	switch (way % 4) {
	case 0: /* the bank's direction is closed */
		shutdown(conn_fd(bank.conn), SHUT_WR);
		break;
	case 1: /* both directions are closed at the hub */
		shutdown(conn_fd(hub.conn), SHUT_RDWR);
		break;
	case 2: /* a reset: the kernels drop their data */
		setsockopt(conn_fd(hub.conn), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		hub.conn->lost = true;
		conn_over(hub.conn, ERR_PEER, "reset by the test");
		break;
	case 3:
		setsockopt(conn_fd(bank.conn), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		bank.conn->lost = true;
		conn_over(bank.conn, ERR_PEER, "reset by the test");
		break;
	}
}

static int ways, most_ways;

static void on_break(uv_timer_t *timer)
{
	if (ways < most_ways)
		break_it(ways++);
	else
		uv_timer_stop(timer);
}

static void run_broken(void (*at_hub)(void), void (*at_bank)(void), unsigned every_ms, int times)
{
	uv_timer_t timer;

	ways = 0;
	most_ways = times;
	uv_timer_init(&loop, &timer);
	uv_timer_start(&timer, on_break, every_ms, every_ms);
	run_workers(at_hub, at_bank);
	uv_close((uv_handle_t *)&timer, NULL);
	uv_run(&loop, UV_RUN_NOWAIT);
}

/* ---- the tests ---- */

/* Exchanges many small messages; each message answers the message before it. */
static void test_talk(void **state)
{
	struct link_state link;

	(void)state;
	run_broken(hub_talks, bank_talks, 3, 40);
	assert_true(lost > 0);
	channel_link(hub.channel, &link);
	assert_true(link.reconnects > 0);
}

enum { STREAM = 200 };
static size_t most_kept;

static void bank_streams(void)
{
	struct msg m = { .type = MSG_MASKED };

	for (uint64_t i = 0; i < STREAM; i++) {
		m.masked = (struct msg_masked){ .count = STREAM,
						.offset = i,
						.words = filler(CHANNEL_CHUNK + (size_t)i * 11) };
		assert_ok(channel_send(bank.channel, &m));
		pthread_mutex_lock(&bank.mailbox->lock);
		if (bank.channel->kept.bytes > most_kept)
			most_kept = bank.channel->kept.bytes;
		pthread_mutex_unlock(&bank.mailbox->lock);
	}
	assert_ok(channel_drain(bank.channel, 30));
}

static void hub_sums(void)
{
	struct msg *m;

	ALLOC(m, 1);
	for (uint64_t i = 0; i < STREAM; i++) {
		assert_ok(channel_recv(hub.channel, MSG_MASKED, m));
		assert_int_equal(m->masked.offset, i);
		assert_int_equal(m->masked.words.n, CHANNEL_CHUNK + i * 11);
		assert_memory_equal(m->masked.words.p, filler(0).p, m->masked.words.n);
	}
	send_done(hub.channel); /* a small message after all large ones */
	assert_ok(channel_drain(hub.channel, 30));
	free(m);
}

static void test_stream(void **state)
{
	struct link_state link;

	(void)state;
	most_kept = 0;
	run_broken(hub_sums, bank_streams, 10, 20);
	assert_true(lost > 0);
	channel_link(bank.channel, &link);
	assert_true(link.resent > 0);
	assert_true(most_kept < CHANNEL_KEPT_MAX + FRAME_MAX);
	assert_int_equal(bank.channel->kept.queue.count, 0); /* the hub has acknowledged all */
}

/* While a connection lasts, the channel keeps only frames that are still in the kernels or the
 * queues. */
static void test_little_is_kept(void **state)
{
	(void)state;
	most_kept = 0;
	run_broken(hub_sums, bank_streams, 1000, 0);
	assert_int_equal(lost, 0);
	assert_true(most_kept > 0 && most_kept < CHANNEL_KEPT_MAX / 2);
}

/* If too few bytes have arrived for an acknowledgement, the receiver acknowledges with its next
 * heartbeat. */
static void test_heartbeat_acknowledges(void **state)
{
	struct msg *m;

	(void)state;
	close_door(state);
	set_up(state);
	hub.heartbeat_s = bank.heartbeat_s = 0.3;
	assert_ok(conn_listen(hub_host, "127.0.0.1", 0, &at_door, at_accept, NULL, &door, bound));
	door_port = (uint16_t)atoi(bound + 10);
	dial_door();
	run_until(hub.channel && bank.channel);
	ALLOC(m, 1);
	send_offer(hub.channel);
	run_until(bank.channel->in.count == 1);
	assert_int_equal(hub.channel->kept.queue.count, 1);
	run_until(hub.channel->kept.queue.count == 0);
	free(m);
}

/* After RESUME the sender repeats its kept frames at once, without waiting for a heartbeat. */
static void test_goes_on_at_once(void **state)
{
	(void)state;
	hub.conn->heartbeat_s = bank.conn->heartbeat_s = 3000; /* 3000 s: no heartbeat comes */
	hub.heartbeat_s = bank.heartbeat_s = 3000;
	uv_read_stop((uv_stream_t *)&bank.conn->tcp);
	send_offer(hub.channel);
	send_done(hub.channel);
	run_until(hub.channel->kept.left == 2);
	break_it(3);
	run_until(bank.channel->in.count == 2);
	assert_int_equal(lost, 1);
	assert_true(hub.channel->link.resent > 0);
}

/* A sender treats a failed write as a lost connection, too, if the peer has given no reason. */
static void test_write_fails(void **state)
{
	(void)state;
	uv_read_stop((uv_stream_t *)&hub.conn->tcp); /* the hub does not notice the shutdown */
	shutdown(conn_fd(bank.conn), SHUT_WR);
	send_done(bank.channel);
	run_until(lost == 1 && !channel_is_lost(bank.channel));
	run_until(hub.channel->in.count == 1);
	assert_int_equal(hub.closed, 0);
}

/* The bank dials again while its connection is still good: the hub accepts the new connection and
 * drops the old one. */
static void test_newer_one_is_right(void **state)
{
	struct conn *old = bank.conn;

	(void)state;
	send_offer(hub.channel);
	run_until(bank.channel->in.count == 1);
	conn_attach(old, NULL, 0);
	assert_true(channel_lost(bank.channel));
	dial_door(); /* bank.conn is now the new connection */
	run_until(!channel_is_lost(bank.channel));
	assert_ok(channel_recv(bank.channel, MSG_OFFER, &hub_host->msg));
	send_done(hub.channel);
	run_until(bank.channel->in.count == 1);
	assert_int_equal(hub.closed + bank.closed, 0);
	assert_int_equal(lost, 0);
}

/* An acknowledgement of a frame that was never sent ends the connection and the job. */
static void test_wrong_acknowledgement(void **state)
{
	struct msg m = { .type = MSG_ACK, .ack.received = 9 };

	(void)state;
	dial_again = false;
	conn_send(bank.conn, &m);
	run_until(hub.closed && bank.closed);
	assert_non_null(strstr(hub.why, "bank-a at 127.0.0.1:"));
	assert_non_null(strstr(hub.why, "sent an acknowledgement of frame 9, expected 0 to 0"));
	assert_false(channel_is_lost(hub.channel));
	assert_err(channel_recv(hub.channel, MSG_ACCEPT, &hub_host->msg), ERR_PEER, "frame 9");
}

/* A close is not a loss: neither end waits for the other. */
static void test_close_is_no_loss(void **state)
{
	(void)state;
	dial_again = false;
	conn_close(bank.conn, ERR_OK, NULL, 2);
	run_until(hub.closed && bank.closed);
	assert_false(channel_is_lost(hub.channel) || channel_is_lost(bank.channel));
	assert_err(channel_recv(hub.channel, MSG_ACCEPT, &hub_host->msg), ERR_PEER,
		   "closed the connection");
}

/* A peer that cuts the connection has not announced that it leaves, so the other end waits for
 * it. */
static void test_cut_is_a_loss(void **state)
{
	(void)state;
	dial_again = false;
	send_offer(hub.channel);
	run_until(hub.channel->kept.queue.count == 1);
	conn_attach(bank.conn, NULL, 0);
	conn_cut(bank.conn);
	run_until(hub.closed && bank.closed);
	assert_true(channel_is_lost(hub.channel));
}

/* The hub sends ABORT while the bank is away. The bank receives the ABORT once the bank has
 * resumed. */
static void test_abort_waits(void **state)
{
	struct msg *m;

	(void)state;
	ALLOC(m, 1);
	dial_again = false;
	send_offer(hub.channel);
	run_until(hub.channel->kept.queue.count == 1);
	break_it(2);
	run_until(channel_is_lost(hub.channel) && channel_is_lost(bank.channel) && bank.closed);
	send_done(hub.channel);
	assert_ok(send_abort(hub.channel, "bank-b died"));
	dial_door();
	run_until(hub.channel->kept.queue.count == 0 && hub.channel->out_bytes == 0);
	assert_ok(channel_recv(bank.channel, MSG_OFFER, m));
	assert_err(channel_recv(bank.channel, MSG_DONE, m), ERR_JOB, "bank-b died");
	free(m);
}

#define LOST(test) cmocka_unit_test_setup_teardown(test, open_door, close_door)

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		LOST(test_talk),
		LOST(test_stream),
		LOST(test_little_is_kept),
		LOST(test_heartbeat_acknowledges),
		LOST(test_goes_on_at_once),
		LOST(test_write_fails),
		LOST(test_newer_one_is_right),
		LOST(test_wrong_acknowledgement),
		LOST(test_close_is_no_loss),
		LOST(test_cut_is_a_loss),
		LOST(test_abort_waits),
	};

	return conn_tests(tests, sizeof(tests) / sizeof(*tests));
}
