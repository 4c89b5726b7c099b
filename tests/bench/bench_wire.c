/* bench_wire -- measures the transfer of vectors: job thread -> channel -> TLS -> loopback -> TLS
 * -> channel -> job thread, in one process with two loops. The same run measures the cipher alone
 * and memcpy.
 *
 * bench_wire [WORDS]     words of 8 bytes per vector, default 10^7 */
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "tests/bench/link.h"

#include <stdio.h>
#include <sys/resource.h>

enum { REPEATS = 7 };

static struct side hub = { .own = COORD }, bank = { .own = PARTY };
static size_t words = 10000000;
static uint64_t *vector, *sum;

/* ---- the transfer ---- */

static void *send_vector(void *arg)
{
	size_t chunk = *(size_t *)arg / 8;

	for (size_t at = 0; at < words; at += chunk) {
		size_t now = words - at < chunk ? words - at : chunk;
		struct msg m = { .type = MSG_MASKED };

		m.masked = (struct msg_masked){ .count = words,
						.offset = at,
						.words = { (uint8_t *)(vector + at), now * 8 } };
		need(channel_send(bank.channel[0], &m));
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
		need(channel_recv(hub.channel[0], MSG_MASKED, &m));
		add(sum + at, m.masked.words.p, m.masked.words.n / 8);
	}
	pthread_join(sender, NULL);
	return clock_now_s() - start;
}

/* Encrypts with AES-128-GCM in records of 16 KiB, in place, as each end of the wire does once. */
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
	m = bench_median(copy, REPEATS);
	c = bench_median(cipher, REPEATS);
	report("memcpy", m, m, c);
	report("AES-128-GCM, one direction", c, m, c);
	for (int k = 0; k < 3; k++) {
		snprintf(what, sizeof(what), "wire, chunks of %zu KiB", chunk[k] >> 10);
		report(what, bench_median(wire[k], REPEATS), m, c);
	}
	getrusage(RUSAGE_SELF, &use);
	printf("peak memory %ld MiB, of which two vectors %zu MiB\n", use.ru_maxrss / 1024,
	       2 * words * 8 >> 20);
}

int main(int argc, char **argv)
{
	struct cert_files hub_files, bank_files;
	struct cert_ca ca;
	char name[16];

	if (argc > 1)
		words = strtoull(argv[1], NULL, 10);
	log_init("bench_wire", LOG_WARN);
	vector = alloc(words, 8);
	sum = alloc(words, 8);
	memset(vector, 7, words * 8);
	memset(sum, 1, words * 8);
	certs_ca(&ca, "ca");
	side_party_name(name, 0);
	certs_issue(&hub_files, &ca, &(struct cert_wish){ .name = "hub", .usage = "serverAuth" });
	certs_issue(&bank_files, &ca, &(struct cert_wish){ .name = name });
	side_open(&hub, &hub_files, &ca);
	side_open(&bank, &bank_files, &ca);
	side_dial(&bank, side_listen(&hub));
	side_start(&hub);
	side_start(&bank);
	side_await(&hub, 1);
	side_await(&bank, 1);
	measure();
	side_close(&bank);
	side_close(&hub);
	certs_ca_release(&ca);
	free(vector);
	free(sum);
	return 0;
}
