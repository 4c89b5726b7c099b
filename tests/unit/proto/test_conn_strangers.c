/* Rejects peers without a right to connect: nonsense, bad frames, wrong certificates, too many
 * connections. */
#include "tests/unit/proto/ends.h"

/* ---- peers without a right to connect ---- */

static int raw_connection(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

/* Each kind of nonsense ends only its own connection. The error names the address and the
 * reason. */
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

/* Sends raw bytes as an authenticated party, inside TLS. */
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
	struct conn_options o = { .files = { stranger_files.cert, stranger_files.key, ca.path, NULL,
					     NULL },
				  .handshake_timeout_s = 20 };

	(void)state;
	assert_ok(conn_host_new(&stranger, &loop, &o));
	assert_ok(conn_dial(stranger, "127.0.0.1", port, &events, &bank, &bank.conn));
	bank.greets = false; /* or else the bank, ready before the refusal arrives, sends HELLO */
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

/* Above the limit for one address, the hub closes the oldest connection that is not yet
 * welcomed. */
static void test_too_many_of_one_address(void **state)
{
	enum { ROOM = 5, MORE = 3 };
	int fd[ROOM + MORE];
	char byte;

	(void)state;
	connect_both();
	hub_host->per_address = ROOM;
	for (int i = 0; i < ROOM + MORE; i++) {
		fd[i] = raw_connection();
		run_until(accepted == i + 2);
	}
	run_until(visitor.closed == MORE);
	assert_int_equal(visitor.code, ERR_PEER);
	assert_non_null(strstr(visitor.why, "too many others of its address"));
	for (int i = 0; i < ROOM + MORE; i++)
		assert_true((recv(fd[i], &byte, 1, MSG_DONTWAIT) == 0) == (i < MORE));
	for (int i = 0; i < ROOM + MORE; i++)
		close(fd[i]);
	run_until(visitor.closed == ROOM + MORE);
	assert_int_equal(hub.closed + bank.closed, 0);
	assert_null(hub_host->visitors);
}

static void test_too_many_strangers(void **state)
{
	int fd[CONN_GREETING_MAX + 1];
	char byte;

	(void)state;
	connect_both();
	hub_host->per_address = 2 * CONN_GREETING_MAX;
	for (int i = 0; i <= CONN_GREETING_MAX; i++) {
		fd[i] = raw_connection();
		run_until(accepted == i + 2 || i == CONN_GREETING_MAX);
	}
	log_set_level(LOG_ERROR);
	run_for(20);
	log_set_level(LOG_INFO);
	assert_int_equal(hub_host->greeting, CONN_GREETING_MAX);
	assert_int_equal(accepted, CONN_GREETING_MAX + 1);
	/* the hub has closed the connection above the limit */
	assert_true(recv(fd[CONN_GREETING_MAX], &byte, 1, MSG_DONTWAIT) == 0);
	for (int i = 0; i <= CONN_GREETING_MAX; i++)
		close(fd[i]);
	run_until(visitor.closed == CONN_GREETING_MAX);
	assert_int_equal(hub.closed + bank.closed, 0);
}

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		IN(set_up, test_nonsense),           IN(set_up, test_bad_frames),
		IN(set_up, test_wrong_certificates), IN(set_up, test_too_many_of_one_address),
		IN(set_up, test_too_many_strangers),
	};

	return conn_tests(tests, sizeof(tests) / sizeof(*tests));
}
