/* Tests how connections end: closed, cut off, or aborted. The peer must receive the last
 * message. */
#include "tests/unit/proto/ends.h"

/* ---- ends ---- */

static void test_peer_closes(void **state)
{
	(void)state;
	connect_both();
	conn_close(bank.conn, ERR_OK, NULL, 2);
	conn_close(bank.conn, ERR_PEER, "twice", 2);
	assert_int_equal(bank.closed, 0); /* the callback comes later, not during the call */
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

static void test_peer_vanishes(void **state)
{
	(void)state;
	connect_both();
	shutdown(conn_fd(bank.conn), SHUT_WR); /* sends a FIN without the closing message of TLS */
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

/* Closes a connection from every callback. */
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
			 0); /* our own address, on which nobody listens */
	getsockname(fd, (struct sockaddr *)&a, &len);
	assert_ok(conn_dial(bank_host, "localhost", ntohs(a.sin_port), &events, &bank, &bank.conn));
	run_until(bank.closed);
	assert_int_equal(bank.code, ERR_PEER);
	assert_non_null(strstr(bank.why, "localhost:"));
	assert_non_null(strstr(bank.why, "connection refused"));
	close(fd);
}

/* The party gives up on a proxy that accepts the connection but sends nothing. It waits as long as
 * for a handshake. */
static void test_silent_proxy(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)state;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 1), 0);
	getsockname(fd, (struct sockaddr *)&a, &len);
	bank_host->proxy = alloc_copy("127.0.0.1");
	bank_host->proxy_port = ntohs(a.sin_port);
	bank_host->handshake_timeout_s = 0.2;
	dial();
	run_until(bank.closed);
	assert_int_equal(bank.code, ERR_DEADLINE);
	assert_non_null(strstr(bank.why, "the proxy 127.0.0.1:"));
	assert_non_null(strstr(bank.why, "did not answer within 0.2 s"));
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

/* ---- the last messages ---- */

/* The hub aborts while the party sends at full speed. The party must receive the reason, not
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
					     .abort = { ERR_JOB, 0, msg_text("bank-b died") } };

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

/* Makes the party's write fail. If the hub's last message is then unread in the party's kernel, the
 * party's job must end with that message; only the connection reports "broken pipe". */
static void cut_the_bank(void)
{
	shutdown(conn_fd(bank.conn), SHUT_WR);
	send_done(bank.channel);
	conn_pump(bank.conn);
	assert_true(bank.conn->cut);
}

static void test_last_words_are_read(void **state)
{
	struct msg abort = { .type = MSG_ABORT, .abort = { ERR_JOB, 0, msg_text("bank-b died") } };

	(void)state;
	connect_both();
	offer_first();
	conn_send(hub.conn, &abort); /* the ABORT goes straight to the kernel */
	cut_the_bank();
	run_until(hub.closed && bank.closed);
	assert_int_equal(bank.code, ERR_PEER);
	assert_non_null(strstr(bank.why, "broke: broken pipe"));
	assert_err(channel_recv(bank.channel, MSG_KEYS, &hub_host->msg), ERR_JOB, "bank-b died");
}

/* A close does not wait if nothing can be sent any more. */
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

/* A second close may shorten the wait but not lengthen it. */
static void test_close_sooner(void **state)
{
	(void)state;
	connect_both();
	uv_read_stop((uv_stream_t *)&hub.conn->tcp); /* the hub does not see the close */
	conn_close(bank.conn, ERR_OK, NULL, 1000);
	run_for(50);
	assert_int_equal(bank.conn->phase, CONN_LINGERING);
	conn_close(bank.conn, ERR_OK, NULL, 0.05);
	conn_close(bank.conn, ERR_OK, NULL, 1000);
	run_until(bank.closed);
	assert_int_equal(bank.code, ERR_OK);
	assert_int_equal(hub.closed, 0);
}

/* The hub receives all messages that the bank queued before it closed the connection. */
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

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		IN(set_up, test_peer_closes),          IN(set_up, test_peer_vanishes),
		IN(set_up, test_peer_resets),          IN(set_up, test_close_in_callbacks),
		IN(set_up, test_close_while_dialling), IN(set_up, test_nobody_listens),
		IN(set_up, test_no_such_host),         IN(set_up, test_listen_twice),
		IN(set_up, test_abort_is_heard),       IN(set_up, test_last_words_are_read),
		IN(set_up, test_close_when_cut),       IN(set_up, test_close_sooner),
		IN(set_up, test_close_flushes),        IN(set_up, test_silent_proxy),
	};

	return conn_tests(tests, sizeof(tests) / sizeof(*tests));
}
