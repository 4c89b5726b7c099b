/* How fast vectors travel: job thread -> channel -> TLS -> loopback -> TLS -> channel -> job
 * thread, in one process with two loops, beside the cipher alone and memcpy in the same run.
 *
 * bench_wire [WORDS]     words of 8 bytes per vector, 10^7 if not given
 */
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "proto/conn.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/unit/proto/certs.h"

enum { REPEATS = 7, JOB = 1 };

struct side {
	uv_loop_t loop;
	uv_async_t stop;
	struct conn_host *host;
	struct conn *conn;
	struct listener *listener;
	struct post *post;
	struct channel *channel;
	enum sender own;
	sem_t attached;
	pthread_t thread;
};

static struct side hub = { .own = COORD }, bank = { .own = PARTY };
static size_t words = 10000000;
static uint64_t *vector, *sum;

static void check(enum err e)
{
	if (e == ERR_OK)
		return;
	fprintf(stderr, "bench_wire: %s\n", err_detail());
	exit(1);
}

/* ---- the loops ---- */

static void begin(struct side *s, struct conn *c)
{
	conn_welcome(c, 10);
	s->channel = channel_new(s->post, s->own, conn_name(c));
	conn_attach(c, s->channel, JOB);
	sem_post(&s->attached);
}

static void on_ready(struct conn *c, void *arg)
{
	struct side *s = arg;
	struct msg hello = { .type = MSG_HELLO, .hello = { 1, 1, { NULL, 0 } } };

	if (s->own == PARTY)
		conn_send(c, &hello);
}

static void on_message(struct conn *c, const struct msg *m, void *arg)
{
	struct msg welcome = { .type = MSG_WELCOME, .welcome = { 1, { NULL, 0 }, 10000 } };

	if (m->type == MSG_HELLO)
		conn_send(c, &welcome);
	begin(arg, c);
}

static void on_closed(struct conn *c, enum err code, const char *why, void *arg)
{
	struct side *s = arg;

	(void)c;
	(void)code;
	(void)why;
	s->conn = NULL;
}

static const struct conn_events events = { on_ready, on_message, on_closed };

static void *on_accepted(struct conn *c, void *arg)
{
	hub.conn = c;
	return arg;
}

static void on_stop(uv_async_t *async)
{
	struct side *s = async->data;

	if (s->conn)
		conn_close(s->conn, ERR_OK, NULL, 1);
	conn_listen_stop(s->listener);
	uv_close((uv_handle_t *)async, NULL);
}

static void *run_loop(void *arg)
{
	uv_run(&((struct side *)arg)->loop, UV_RUN_DEFAULT);
	return NULL;
}

static void open_side(struct side *s, const struct cert_files *files, const struct cert_ca *ca)
{
	struct conn_options o = { files->cert, files->key, ca->path, "cubic", 0 };

	uv_loop_init(&s->loop);
	uv_async_init(&s->loop, &s->stop, on_stop);
	s->stop.data = s;
	s->post = post_new(60);
	sem_init(&s->attached, 0, 0);
	check(conn_host_new(&s->host, &s->loop, &o));
}

static void close_side(struct side *s)
{
	uv_async_send(&s->stop);
	pthread_join(s->thread, NULL);
	channel_free(s->channel);
	post_free(s->post);
	conn_host_free(s->host);
	uv_loop_close(&s->loop);
}

/* ---- the work ---- */

static void *send_vector(void *arg)
{
	size_t chunk = *(size_t *)arg / 8;

	for (size_t at = 0; at < words; at += chunk) {
		size_t now = words - at < chunk ? words - at : chunk;
		struct msg m = { .type = MSG_MASKED };

		m.masked = (struct msg_masked){ .count = words,
						.offset = at,
						.words = { (uint8_t *)(vector + at), now * 8 } };
		check(channel_send(bank.channel, &m));
	}
	return NULL;
}

static void add(uint64_t *to, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t x;

		memcpy(&x, p + 8 * i, 8);
		to[i] += x;
	}
}

static double over_the_wire(size_t chunk)
{
	static struct msg m;
	double start = clock_now_s();
	pthread_t sender;

	pthread_create(&sender, NULL, send_vector, &chunk);
	for (size_t at = 0; at < words; at += m.masked.words.n / 8) {
		check(channel_recv(hub.channel, MSG_MASKED, &m));
		add(sum + at, m.masked.words.p, m.masked.words.n / 8);
	}
	pthread_join(sender, NULL);
	return clock_now_s() - start;
}

/* AES-128-GCM in records of 16 KiB, in place: both ends of the wire do this once. */
static double cipher_alone(void)
{
	static const uint8_t key[16] = { 1 };
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	uint8_t *p = (uint8_t *)vector, iv[12] = { 0 }, tag[16];
	double start = clock_now_s();
	int n;

	EVP_EncryptInit_ex(c, EVP_aes_128_gcm(), NULL, key, iv);
	for (size_t at = 0; at < words * 8; at += 16384) {
		int now = (int)(words * 8 - at < 16384 ? words * 8 - at : 16384);

		EVP_EncryptInit_ex(c, NULL, NULL, NULL, iv);
		EVP_EncryptUpdate(c, p + at, &n, p + at, now);
		EVP_EncryptFinal_ex(c, tag, &n);
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_GET_TAG, 16, tag);
	}
	EVP_CIPHER_CTX_free(c);
	return clock_now_s() - start;
}

static double copy_alone(void)
{
	double start = clock_now_s();

	memcpy(sum, vector, words * 8);
	return clock_now_s() - start;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *t)
{
	qsort(t, REPEATS, sizeof(*t), by_value);
	return t[REPEATS / 2];
}

static void report(const char *what, double s, double copy_s, double cipher_s)
{
	printf("%-28s %8.1f MB/s   %6.2f x memcpy   %6.2f x cipher\n", what,
	       1e-6 * (double)words * 8 / s, s / copy_s, s / cipher_s);
}

static void measure(void)
{
	static const size_t chunk[] = { 64 << 10, 256 << 10, 1 << 20 };
	double copy[REPEATS], cipher[REPEATS], wire[3][REPEATS], c, m;
	struct rusage use;
	char what[40];

	over_the_wire(CHANNEL_CHUNK); /* warm-up */
	for (int i = 0; i < REPEATS; i++) {
		copy[i] = copy_alone();
		cipher[i] = cipher_alone();
		for (int k = 0; k < 3; k++)
			wire[k][i] = over_the_wire(chunk[k]);
	}
	m = median(copy);
	c = median(cipher);
	report("memcpy", m, m, c);
	report("AES-128-GCM, one direction", c, m, c);
	for (int k = 0; k < 3; k++) {
		snprintf(what, sizeof(what), "wire, chunks of %zu KiB", chunk[k] >> 10);
		report(what, median(wire[k]), m, c);
	}
	getrusage(RUSAGE_SELF, &use);
	printf("peak memory %ld MiB, of which two vectors %zu MiB\n", use.ru_maxrss / 1024,
	       2 * words * 8 >> 20);
}

int main(int argc, char **argv)
{
	struct cert_files hub_files, bank_files;
	struct cert_ca ca;
	char bound[80];

	if (argc > 1)
		words = strtoull(argv[1], NULL, 10);
	log_init("bench_wire", LOG_WARN);
	vector = alloc(words, 8);
	sum = alloc(words, 8);
	memset(vector, 7, words * 8);
	memset(sum, 1, words * 8);
	certs_ca(&ca, "ca");
	certs_issue(&hub_files, &ca, &(struct cert_wish){ .name = "hub", .usage = "serverAuth" });
	certs_issue(&bank_files, &ca, &(struct cert_wish){ .name = "bank-a" });
	open_side(&hub, &hub_files, &ca);
	open_side(&bank, &bank_files, &ca);
	check(conn_listen(hub.host, "127.0.0.1", 0, &events, on_accepted, &hub, &hub.listener,
			  bound));
	check(conn_dial(bank.host, "127.0.0.1", (uint16_t)atoi(bound + 10), &events, &bank,
			&bank.conn));
	pthread_create(&hub.thread, NULL, run_loop, &hub);
	pthread_create(&bank.thread, NULL, run_loop, &bank);
	sem_wait(&hub.attached);
	sem_wait(&bank.attached);
	measure();
	close_side(&bank);
	close_side(&hub);
	certs_ca_release(&ca);
	free(vector);
	free(sum);
	return 0;
}
