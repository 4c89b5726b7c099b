/* bench_secsum.c -- compares the masked sum with its bounds, and with a version that computes
 * Protocol 4 of kCAGC word by word (per_scalar.h).
 *
 *   bench_secsum [WORDS]      length of the vectors (default 2^20)
 *
 * Rates are elements per second of one core, medians of several runs after a warm-up. The limits
 * are 0.8 G elements/s (64-bit words, one peer), 300 times the per-scalar version, and with tags
 * half the rate of masks alone. */
#include "common/base/alloc.h"
#include "crypto/dh.h"
#include "crypto/fixed.h"
#include "crypto/pki.h"
#include "crypto/prg.h"
#include "crypto/secagg.h"
#include "crypto/tag.h"
#include "tests/bench/bench.h"
#include "tests/bench/per_scalar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 15, MEMBERS_MAX = 16 };

static size_t words = 1 << 20;

static double median_s(bench_work *f, void *arg)
{
	return bench_time(RUNS, NULL, f, arg);
}

static double report(const char *what, size_t n, size_t bytes, double s)
{
	double rate = (double)n / s;

	printf("  %-36s %9.2f M elements/s %8.2f GB/s\n", what, rate * 1e-6,
	       (double)bytes / s * 1e-9);
	return rate;
}

/* ---- the bounds ---- */

struct vectors {
	uint64_t *a, *b;
	double *x;
	struct fixed fixed;
	struct prg *prg;
};

static void copy(void *arg)
{
	struct vectors *v = arg;

	memcpy(v->a, v->b, words * sizeof(*v->a));
	__asm__ volatile("" ::: "memory");
}

static void raw_aes(void *arg) /* generates the stream of one peer only */
{
	struct vectors *v = arg;
	static uint8_t block[PRG_BLOCK];

	for (size_t done = 0; done < words * 8; done += PRG_BLOCK)
		prg_next(v->prg, block, sizeof(block));
}

static void encode(void *arg)
{
	struct vectors *v = arg;

	need(fixed_encode(&v->fixed, v->x, words, v->a, NULL));
}

static void decode(void *arg)
{
	struct vectors *v = arg;

	fixed_decode(&v->fixed, v->a, words, v->x);
}

static void add(void *arg)
{
	struct vectors *v = arg;

	fixed_add(&v->fixed, v->a, v->b, words);
}

/* ---- the masked sum ---- */

struct sum {
	struct secagg *sa;
	size_t members[MEMBERS_MAX], count;
	void *x;
};

static void masked(void *arg)
{
	static const uint8_t transcript[SECAGG_HASH_LEN];
	struct sum *s = arg;
	struct mask *m;
	uint64_t round;

	need(secagg_open(s->sa, s->members, s->count, transcript, &m, &round));
	mask_add(m, s->x, words);
	mask_close(m);
}

/* Makes a broadcast sum with its tag, chunk by chunk, as party/work/secure.c does. */
static void tagged(void *arg)
{
	static const uint8_t key[TAG_KEY_LEN], transcript[SECAGG_HASH_LEN];
	uint8_t tau[TAG_LEN];
	const size_t chunk = 1 << 13;
	struct sum *s = arg;
	uint64_t round;
	struct tag *t;
	struct mask *m;

	need(secagg_open(s->sa, s->members, s->count, transcript, &m, &round));
	t = tag_new(key, secagg_session(s->sa), 0, round, words);
	for (size_t at = 0, n; at < words; at += n) {
		n = words - at < chunk ? words - at : chunk;
		tag_add(t, (uint64_t *)s->x + at, n);
		mask_add(m, (uint64_t *)s->x + at, n);
	}
	tag_make(t, 0, tau);
	mask_tag(m, tau);
	tag_free(t);
	mask_close(m);
}

/* Makes the party in the middle of L parties, so that it adds and subtracts masks. */
static struct secagg *federation(const struct identity *id, size_t parties, unsigned modulus_bits)
{
	struct secagg *sa[MEMBERS_MAX] = { 0 };
	struct secagg_advert adverts[MEMBERS_MAX] = { 0 };
	uint8_t pins[MEMBERS_MAX][SECAGG_HASH_LEN];
	char text[MEMBERS_MAX][8];
	const char *names[MEMBERS_MAX];

	for (size_t i = 0; i < parties; i++) {
		snprintf(text[i], sizeof(text[i]), "p%02u", (unsigned)i % 100);
		names[i] = text[i];
		identity_fingerprint(id, pins[i]);
	}
	for (size_t i = 0; i < parties; i++) {
		struct secagg_setup setup = { .group_bits = 2048,
					      .modulus_bits = modulus_bits,
					      .parties = parties,
					      .names = names,
					      .own = i };

		need(secagg_new(&sa[i], &setup, id));
		secagg_own_advert(sa[i], &adverts[i]);
	}
	need(secagg_agree(sa[parties / 2], adverts, (const uint8_t(*)[SECAGG_HASH_LEN])pins));
	for (size_t i = 0; i < parties; i++)
		if (i != parties / 2)
			secagg_free(sa[i]);
	return sa[parties / 2];
}

static double ours(const struct identity *id, size_t peers, unsigned modulus_bits,
		   struct vectors *v)
{
	struct sum s = { .sa = federation(id, peers + 1, modulus_bits),
			 .count = peers + 1,
			 .x = v->a };
	char what[64];
	double rate;

	for (size_t i = 0; i <= peers; i++)
		s.members[i] = i;
	snprintf(what, sizeof(what), "masked sum, %u-bit words, %zu peer%s", modulus_bits, peers,
		 peers == 1 ? "" : "s");
	rate = report(what, words, words * modulus_bits / 8, median_s(masked, &s));
	if (modulus_bits == 64) {
		double with;

		snprintf(what, sizeof(what), "masked and tagged, %zu peer%s", peers,
			 peers == 1 ? "" : "s");
		with = report(what, words, words * 8, median_s(tagged, &s));
		printf("    %.2f of the rate of masks alone (floor 0.5): %s\n", with / rate,
		       with >= 0.5 * rate ? "reached" : "MISSED");
	}
	secagg_free(s.sa);
	return rate;
}

static double papers(size_t peers)
{
	char what[64];

	snprintf(what, sizeof(what), "per scalar in GMP, 64-bit, %zu peer%s", peers,
		 peers == 1 ? "" : "s");
	return report(what, PER_SCALAR_SAMPLE, 8 * PER_SCALAR_SAMPLE,
		      per_scalar_s(peers, RUNS) * PER_SCALAR_SAMPLE);
}

/* ---- Diffie-Hellman ---- */

struct exchange {
	const struct dh_group *group;
	struct dh_key *key;
	uint8_t secret[DH_SECRET_LEN], public_key[DH_BYTES_MAX], out[DH_BYTES_MAX];
};

static void make_public(void *arg)
{
	struct exchange *x = arg;

	dh_key_free(x->key);
	x->key = dh_key_new(x->group, x->secret);
	dh_public(x->key, x->public_key);
}

static void share(void *arg)
{
	struct exchange *x = arg;

	dh_shared(x->key, x->public_key, x->out);
}

static void validate(void *arg)
{
	struct exchange *x = arg;

	if (dh_check(x->group, (struct bytes){ x->public_key, dh_len(x->group) }))
		abort();
}

static void exchanges(void)
{
	static const struct {
		const char *name;
		unsigned bits;
	} groups[] = { { "ffdhe2048", 2048 },
		       { "ffdhe3072", 3072 },
		       { "ffdhe4096", 4096 },
		       { "x25519", 255 } };

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		struct exchange x = { .group = dh_group(groups[i].bits) };
		double own, check;

		need(dh_secret(x.secret));
		own = median_s(make_public, &x);
		check = median_s(validate, &x);
		printf("  %s: g^s %.3f ms, S^s %.3f ms, check of S %.3f ms\n", groups[i].name,
		       1e3 * own, 1e3 * median_s(share, &x), 1e3 * check);
		dh_key_free(x.key);
	}
}

static struct identity *some_identity(void)
{
	char dir[] = "/tmp/coterie-bench-XXXXXX", crt[64], key[64], command[64];
	struct identity *id;

	if (!mkdtemp(dir)) {
		perror(dir);
		exit(ERR_INTERNAL);
	}
	need(pki_lab(dir, 1));
	snprintf(crt, sizeof(crt), "%s/party-00.crt", dir);
	snprintf(key, sizeof(key), "%s/party-00.key", dir);
	need(identity_load(&id, crt, key, NULL));
	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command))
		fprintf(stderr, "bench_secsum: %s remains\n", dir);
	return id;
}

static void bounds(struct vectors *v)
{
	static const uint8_t key[PRG_KEY_LEN];

	report("memcpy", words, 8 * words, median_s(copy, v));
	v->prg = prg_new();
	prg_start(v->prg, key);
	report("AES-128-CTR alone, 64-bit words", words, 8 * words, median_s(raw_aes, v));
	prg_free(v->prg);
	for (unsigned bits = 64; bits >= 32; bits -= 32) {
		char what[64];

		v->fixed = (struct fixed){ bits, 16, 3 };
		snprintf(what, sizeof(what), "fixed_encode, %u-bit words", bits);
		report(what, words, words * (8 + bits / 8), median_s(encode, v));
		snprintf(what, sizeof(what), "fixed_add, %u-bit words", bits);
		report(what, words, words * 3 * bits / 8, median_s(add, v));
		snprintf(what, sizeof(what), "fixed_decode, %u-bit words", bits);
		report(what, words, words * (8 + bits / 8), median_s(decode, v));
		for (size_t i = 0; i < words; i++)
			v->x[i] = (double)i * 0.0078125 - 1000;
	}
}

int main(int argc, char **argv)
{
	static const size_t peers[] = { 1, 3, 15 };
	struct identity *id = some_identity();
	struct vectors v = { 0 };
	double rate[3], paper;

	if (argc > 1)
		words = strtoul(argv[1], NULL, 10);
	if (!words)
		return ERR_INPUT;
	ALLOC(v.a, words);
	ALLOC(v.b, words);
	ALLOC(v.x, words);
	for (size_t i = 0; i < words; i++)
		v.x[i] = (double)i * 0.0078125 - 1000;
	printf("secure sum, vectors of %zu words, one core:\n", words);
	bounds(&v);
	for (int i = 0; i < 3; i++)
		rate[i] = ours(id, peers[i], 64, &v);
	for (int i = 0; i < 3; i++)
		ours(id, peers[i], 32, &v);
	for (int i = 0; i < 3; i++) {
		paper = papers(peers[i]);
		printf("    the masked sum is %.0f times as fast (floor for one peer: 300)\n",
		       rate[i] / paper);
	}
	printf("  one peer, 64 bits: %.2f G elements/s (floor 0.8): %s\n", rate[0] * 1e-9,
	       rate[0] >= 0.8e9 ? "reached" : "MISSED");
	exchanges();
	free(v.a);
	free(v.b);
	free(v.x);
	identity_free(id);
	return 0;
}
