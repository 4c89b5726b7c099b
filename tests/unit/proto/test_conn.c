/* Tests connections that succeed: greeting, jobs, heartbeats, settings. */
#include "tests/unit/proto/ends.h"

/* ---- good connections ---- */

static void test_greeting(void **state)
{
	struct link_state link;

	(void)state;
	connect_both();
	assert_string_equal(hub.name, "bank-a");
	assert_string_equal(bank.name, "hub");
	assert_memory_equal(hub.fingerprint, bank_files.fingerprint, HASH_LEN);
	assert_memory_equal(bank.fingerprint, hub_files.fingerprint, HASH_LEN);
	assert_int_equal(hub.last, MSG_HELLO);
	assert_int_equal(bank.last, MSG_WELCOME);
	assert_int_equal(hub.ready + bank.ready, 2);
	/* the channel's record includes the greeting */
	channel_link(hub.channel, &link);
	assert_int_equal(link.types, 2);
	assert_int_equal(link.type[0].number, MSG_HELLO);
	assert_int_equal(link.type[0].messages_received, 1);
	assert_int_equal(link.type[0].bytes_received, FRAME_HEADER_LEN + 8);
	assert_int_equal(link.type[1].number, MSG_WELCOME);
	assert_int_equal(link.type[1].messages_sent, 1);
	assert_true(link.rtt_s >= 0 && link.rtt_s < 1);
	assert_true(link.congestion[0]);
}

static void test_messages_of_a_job(void **state)
{
	(void)state;
	connect_both();
	run_workers(hub_talks, bank_talks);
	assert_int_equal(hub.closed + bank.closed, 0);
}

/* A channel sends, counts and drops padding even while no thread receives. A receive never returns
 * padding. */
static void test_padding(void **state)
{
	enum { FRAMES = 40 };
	struct link_state link;
	struct msg *m;
	size_t i = 0;

	(void)state;
	ALLOC(m, 1);
	connect_both();
	offer_first();
	for (int f = 0; f < FRAMES; f++) {
		m->type = MSG_PADDING;
		m->padding.zeros = filler(MSG_CHUNK_MAX / 4);
		assert_ok(channel_send(bank.channel, m));
		run_until(bank.channel->out_bytes == 0);
	}
	m->type = MSG_ACCEPT;
	sample(m, false);
	assert_ok(channel_send(bank.channel, m));
	run_until(hub.channel->in.count == 1);
	assert_ok(channel_recv(hub.channel, MSG_ACCEPT, m));
	channel_link(hub.channel, &link);
	while (i < link.types && link.type[i].number != MSG_PADDING)
		i++;
	assert_true(i < link.types);
	assert_int_equal(link.type[i].messages_received, FRAMES);
	assert_int_equal(link.type[i].bytes_received,
			 FRAMES * (FRAME_HEADER_LEN + 4 + MSG_CHUNK_MAX / 4));
	assert_int_equal(hub.closed + bank.closed, 0);
	free(m);
}

/* Sends large vectors; the reader may be slow. */
enum { STREAM = 256 };
static bool reader_is_slow;

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

static size_t queued(void)
{
	size_t bytes;

	pthread_mutex_lock(&hub.mailbox->lock);
	bytes = hub.channel->in.bytes;
	pthread_mutex_unlock(&hub.mailbox->lock);
	return bytes;
}

/* Before message 0 the reader waits until the queue is full. It pauses before each message. */
static void read_slowly(uint64_t message)
{
	for (int t = 0; message == 0 && t < 60000 && queued() < CHANNEL_IN_MAX; t++)
		usleep(1000);
	usleep(3000);
}

static void hub_sums(void)
{
	struct msg *m;

	ALLOC(m, 1);
	most_queued = 0;
	for (uint64_t i = 0; i < STREAM; i++) {
		if (reader_is_slow)
			read_slowly(i);
		most_queued = queued() > most_queued ? queued() : most_queued;
		assert_ok(channel_recv(hub.channel, MSG_MASKED, m));
		assert_int_equal(m->masked.offset, i);
		assert_int_equal(m->masked.words.n, CHANNEL_CHUNK + i * 11);
		assert_memory_equal(m->masked.words.p, filler(0).p, m->masked.words.n);
	}
	free(m);
}

static void test_large_vectors(void **state)
{
	(void)state;
	reader_is_slow = false;
	connect_both();
	offer_first();
	run_workers(hub_sums, bank_streams);
	assert_int_equal(hub.closed + bank.closed, 0);
}

/* Unread messages wait at the sender, so the reader's queue stays small. */
static void test_slow_reader(void **state)
{
	(void)state;
	reader_is_slow = true;
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
	const struct link_type *beats;
	struct link_state link;
	uint64_t before;

	(void)state;
	hub.heartbeat_s = bank.heartbeat_s = 0.5;
	connect_both();
	before = mailbox_progress(hub.mailbox);
	run_for(2000);
	assert_int_equal(hub.closed + bank.closed, 0);
	channel_link(hub.channel, &link);
	assert_int_equal(link.types, 3);
	beats = &link.type[2];
	assert_int_equal(beats->number, MSG_HEARTBEAT);
	assert_true(beats->messages_received >= 4 && beats->messages_sent >= 4);
	assert_int_equal(beats->bytes_sent, beats->messages_sent * (FRAME_HEADER_LEN + 8));
	/* an idle party's counter does not change, so the coordinator has no progress to pass on */
	assert_true(mailbox_progress(hub.mailbox) <= before + 1);
}

/* Heartbeats carry the job's progress. */
static void test_heartbeats_carry_progress(void **state)
{
	uint64_t before;

	(void)state;
	hub.heartbeat_s = bank.heartbeat_s = 0.3;
	connect_both();
	run_for(300);
	before = mailbox_progress(hub.mailbox);
	/* the party does not send the coordinator's progress back */
	channel_note_progress(bank.channel, 1);
	run_for(300);
	assert_int_equal(mailbox_progress(hub.mailbox), before);
	bank.mailbox->moved += 5; /* the party sends its own progress */
	run_until(mailbox_progress(hub.mailbox) > before);
}

static void test_silence(void **state)
{
	(void)state;
	hub.heartbeat_s = 0.3;
	bank.greets = false; /* the bank does not greet, so there are no heartbeats */
	dial();
	run_until(bank.ready);
	conn_send(bank.conn, &(struct msg){ .type = MSG_HELLO, .hello = { 1, 1, { NULL, 0 } } });
	run_until(hub.closed);
	assert_int_equal(hub.code, ERR_DEADLINE);
	assert_string_equal(hub.why, "no data from bank-a for 0.3 s");
	assert_err(channel_recv(hub.channel, MSG_ACCEPT, &hub_host->msg), ERR_DEADLINE,
		   "no data from bank-a for 0.3 s (during start)");
}

/* The connection counts any byte as a sign of life, even in a frame that does not end. */
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
	assert_non_null(strstr(hub.why, "did not finish the TLS handshake within 1 s"));
	close(fd);
}

static void test_greeting_deadline(void **state)
{
	(void)state;
	bank.greets = false;
	dial();
	run_until(hub.closed && bank.closed);
	assert_int_equal(hub.ready, 1);
	/* either end's timer may expire first; the other end then sees the close */
	assert_true(strstr(hub.why, "bank-a at 127.0.0.1:") ||
		    strstr(bank.why, "hub at 127.0.0.1:"));
	assert_true(strstr(hub.why, "did not finish the greeting within 1 s") ||
		    strstr(bank.why, "did not finish the greeting within 1 s"));
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
	hub.channel = channel_new(hub.mailbox, COORD, "bank-a");
	conn_attach(hub.conn, hub.channel, JOB + 1);
	send_done(bank.channel);
	run_for(50);
	conn_attach(bank.conn, NULL, 0);
	channel_free(bank.channel);
	bank.channel = channel_new(bank.mailbox, PARTY, "hub");
	conn_attach(bank.conn, bank.channel, 0);
	/* the next job begins with new channels */
	offer_first_of(JOB + 1);
	m->type = MSG_ACCEPT;
	sample(m, false);
	assert_ok(channel_send(bank.channel, m));
	run_until(hub.channel->in.count == 1);
	assert_ok(channel_recv(hub.channel, MSG_ACCEPT, m));
	assert_int_equal(hub.closed + bank.closed, 0);
	free(m);
}

/* The hub drops a party's ABORT before the offer, when the party has no job yet. The connection
 * stays good. */
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
	bank.channel = channel_new(bank.mailbox, PARTY, "hub");
	conn_attach(bank.conn, bank.channel, 0);
	assert_err(channel_recv(bank.channel, MSG_OFFER, &hub_host->msg), ERR_JOB, "no more");
	run_until(bank.closed && hub.closed);
}

/* ---- settings ---- */

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
	/* a certificate without its new key is refused, and the old files stay in use */
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

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		IN(set_up, test_greeting),
		IN(set_up, test_messages_of_a_job),
		IN(set_up, test_padding),
		IN(set_up, test_large_vectors),
		IN(set_up, test_slow_reader),
		IN(set_up, test_heartbeats_keep_alive),
		IN(set_up, test_heartbeats_carry_progress),
		IN(set_up, test_silence),
		IN(set_up, test_crumbs_are_life),
		IN(set_up_hasty, test_handshake_deadline),
		IN(set_up_hasty, test_greeting_deadline),
		IN(set_up, test_late_frames_are_dropped),
		IN(set_up, test_abort_before_the_offer),
		IN(set_up, test_attach_after_the_end),
		IN(set_up, test_reload),
	};

	return conn_tests(tests, sizeof(tests) / sizeof(*tests));
}
