/* per_scalar.h -- computes Protocol 4 of kCAGC word by word, as the paper (arXiv 2411.12329) does,
 * for comparison with the masked sum.
 *
 * Each scalar has its own round k. For each peer, r = PRG(k || S_ij) mod N with SHA-256 as PRG; all
 * arithmetic is in GMP. S_ij, the secret that parties i and j share, is computed once, as the
 * paper permits; buffers and contexts are created once, too. */
#ifndef TESTS_BENCH_PER_SCALAR_H
#define TESTS_BENCH_PER_SCALAR_H

#include "common/base/alloc.h"
#include "crypto/dh.h"
#include "tests/bench/bench.h"

#include <gmp.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <string.h>

enum { PER_SCALAR_SAMPLE = 20000 };

struct per_scalar {
	size_t peers;
	mpz_t *shared, modulus, x, r; /* S_ij, N */
	uint8_t text[8 + DH_BYTES_MAX];
	EVP_MD_CTX *hash;
	uint64_t round;
};

static inline void per_scalar_prg(struct per_scalar *p, size_t peer)
{
	uint8_t digest[32];
	size_t n;

	memcpy(p->text, &p->round, 8);
	mpz_export(p->text + 8, &n, 1, 1, 1, 0, p->shared[peer]);
	if (EVP_DigestInit_ex(p->hash, NULL, NULL) != 1 ||
	    EVP_DigestUpdate(p->hash, p->text, 8 + n) != 1 ||
	    EVP_DigestFinal_ex(p->hash, digest, NULL) != 1)
		abort();
	mpz_import(p->r, sizeof(digest), 1, 1, 1, 0, digest);
	mpz_mod(p->r, p->r, p->modulus);
}

static inline void per_scalar_run(void *arg)
{
	struct per_scalar *p = arg;

	for (size_t k = 0; k < PER_SCALAR_SAMPLE; k++, p->round++) {
		mpz_set_ui(p->x, k);
		for (size_t peer = 0; peer < p->peers; peer++) {
			per_scalar_prg(p, peer);
			if (peer % 2)
				mpz_sub(p->x, p->x, p->r);
			else
				mpz_add(p->x, p->x, p->r);
		}
		mpz_mod(p->x, p->x, p->modulus);
	}
}

/* Returns the seconds for one scalar at one party with `peers` peers, on one core. */
static inline double per_scalar_s(size_t peers, unsigned runs)
{
	struct per_scalar p = { .peers = peers, .hash = EVP_MD_CTX_new() };
	uint8_t secret[DH_SECRET_LEN], shared[DH_BYTES_MAX];
	const struct dh_group *group = dh_group(3072);
	struct dh_key *key;
	double s;

	if (EVP_DigestInit_ex(p.hash, EVP_sha256(), NULL) != 1)
		abort();
	ALLOC(p.shared, peers);
	mpz_inits(p.modulus, p.x, p.r, NULL);
	mpz_setbit(p.modulus, 64);
	for (size_t i = 0; i < peers; i++) {
		need(dh_secret(secret));
		key = dh_key_new(group, secret);
		dh_public(key, shared);
		dh_key_free(key);
		mpz_init(p.shared[i]);
		mpz_import(p.shared[i], dh_len(group), 1, 1, 1, 0, shared);
	}
	s = bench_time(runs, NULL, per_scalar_run, &p) / PER_SCALAR_SAMPLE;
	for (size_t i = 0; i < peers; i++)
		mpz_clear(p.shared[i]);
	mpz_clears(p.modulus, p.x, p.r, NULL);
	free(p.shared);
	EVP_MD_CTX_free(p.hash);
	return s;
}

#endif
