/* processes.h -- a coordinator and parties as separate processes with certificates and keys, over
 * TLS on loopback (link.h), for benches. */
#ifndef TESTS_BENCH_PROCESSES_H
#define TESTS_BENCH_PROCESSES_H

#include "common/base/alloc.h"
#include "crypto/mask.h"
#include "crypto/secagg.h"
#include "tests/bench/link.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t parties;
static struct cert_ca ca;
static struct cert_files hub_files, party_files[SIDE_PARTIES_MAX];
static char name[SIDE_PARTIES_MAX][16];
static const char *names[SIDE_PARTIES_MAX];
static struct secagg *secagg[SIDE_PARTIES_MAX];
static struct secagg_advert adverts[SIDE_PARTIES_MAX];
static uint8_t pins[SIDE_PARTIES_MAX][SECAGG_HASH_LEN];

static inline void make_keys(unsigned modulus_bits)
{
	for (size_t l = 0; l < parties; l++) {
		struct secagg_setup setup = { .group_bits = 3072,
					      .modulus_bits = modulus_bits,
					      .parties = parties,
					      .names = names,
					      .own = l };
		struct identity *id;

		need(identity_load(&id, party_files[l].cert, party_files[l].key, NULL));
		identity_fingerprint(id, pins[l]);
		need(secagg_new(&secagg[l], &setup, id));
		secagg_own_advert(secagg[l], &adverts[l]);
		identity_free(id);
	}
}

static inline void make_certificates(void)
{
	certs_ca(&ca, "ca");
	certs_issue(&hub_files, &ca, &(struct cert_wish){ .name = "hub", .usage = "serverAuth" });
	for (size_t l = 0; l < SIDE_PARTIES_MAX; l++) {
		side_party_name(name[l], l);
		names[l] = name[l];
		certs_issue(&party_files[l], &ca, &(struct cert_wish){ .name = names[l] });
		if (chmod(party_files[l].key, 0600) != 0)
			perror(party_files[l].key);
	}
}

/* Forks a child that is killed when its parent exits. Returns -1 in the child. */
static inline pid_t start(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		return -1;
	}
	if (pid < 0)
		need(err_set(ERR_INTERNAL, "fork: %s", strerror(errno)));
	return pid;
}

/* Runs hub_main, which must write its port to port_to, and the parties, each in a process. */
static inline void run_processes(void (*hub_main)(int port_to),
				 void (*party_main)(size_t own, uint16_t port))
{
	int to_us[2], status;
	uint16_t port;

	if (pipe(to_us) != 0)
		need(err_set(ERR_INTERNAL, "pipe: %s", strerror(errno)));
	if (start() < 0) {
		hub_main(to_us[1]);
		_exit(0);
	}
	close(to_us[1]);
	if (read(to_us[0], &port, sizeof(port)) != sizeof(port))
		need(err_set(ERR_INTERNAL, "the coordinator did not begin"));
	close(to_us[0]);
	for (size_t l = 0; l < parties; l++)
		if (start() < 0) {
			party_main(l, port);
			_exit(0);
		}
	for (size_t i = 0; i <= parties; i++)
		if (wait(&status) < 0 || status != 0)
			need(err_set(ERR_INTERNAL, "one of the processes failed"));
}

enum { MASKING_LEAST = 1 << 21 }; /* words: fewer take too short a time to measure */

/* Adds one mask stream to a chunk again and again, as secure_add does; returns bytes per CPU
 * second. */
static inline double masking_rate(unsigned modulus_bits, size_t words)
{
	static const uint8_t key[PRG_KEY_LEN];
	size_t chunk = CHANNEL_CHUNK / sizeof(uint64_t), done = 0;
	struct mask *list = NULL, *m = mask_take(&list, modulus_bits);
	uint64_t *x = alloc(chunk, sizeof(*x));
	double start;

	mask_peer(m, key, MASK_PLUS);
	mask_add(m, x, chunk);
	start = bench_cpu_s();
	for (; done < MASKING_LEAST || done < words; done += chunk)
		mask_add(m, x, chunk);
	start = bench_cpu_s() - start;
	mask_free(list);
	free(x);
	return (double)(done * sizeof(*x)) / start;
}

/* Returns argv[at] as a number, or `otherwise` if there are fewer arguments. */
static inline size_t argument(int argc, char **argv, int at, size_t otherwise, size_t least,
			      size_t most)
{
	char *end;
	unsigned long long n;

	if (at >= argc)
		return otherwise;
	n = strtoull(argv[at], &end, 10);
	if (*end || n < least || n > most)
		need(err_set(ERR_INPUT, "%s: expected a number from %zu to %zu", argv[at], least,
			     most));
	return n;
}

#endif
