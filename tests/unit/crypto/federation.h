/* federation.h -- runs parties in one process: they agree on keys and mask their terms. */
#ifndef TESTS_UNIT_CRYPTO_FEDERATION_H
#define TESTS_UNIT_CRYPTO_FEDERATION_H

#include "tests/unit/crypto/lab.h"
#include "crypto/fixed.h"
#include "crypto/secagg.h"

enum { MOST = 9, WORDS = 5000 };

static char dir[64];
static struct identity *ids[MOST];
static uint8_t pins[MOST][SECAGG_HASH_LEN];
static const char *const names[MOST] = { "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8" };
static const uint8_t transcript[SECAGG_HASH_LEN] = { 42 };

static inline int make(void **state)
{
	(void)state;
	lab_dir(dir);
	for (int i = 0; i < MOST; i++) {
		ids[i] = lab_identity(dir, i);
		identity_fingerprint(ids[i], pins[i]);
	}
	return 0;
}

static inline int unmake(void **state)
{
	(void)state;
	for (int i = 0; i < MOST; i++)
		identity_free(ids[i]);
	lab_remove(dir);
	return 0;
}

/* ---- a whole federation in one process ---- */

struct federation {
	size_t parties;
	unsigned modulus_bits;
	struct secagg *sa[MOST];
	struct secagg_advert advert[MOST]; /* the advertisements that the coordinator relays */
};

static inline struct secagg_setup setup_of(size_t parties, size_t own, unsigned modulus_bits)
{
	return (struct secagg_setup){ .job_id = { 1, 2, 3 },
				      .attempt = 1,
				      .params_hash = { 9 },
				      .group_bits = 2048,
				      .modulus_bits = modulus_bits,
				      .parties = parties,
				      .names = names,
				      .own = own };
}

static inline void advertise_as(struct federation *f, size_t i, const struct secagg_setup *setup)
{
	assert_ok(secagg_new(&f->sa[i], setup, ids[i]));
	secagg_own_advert(f->sa[i], &f->advert[i]);
}

static inline void advertise(struct federation *f, size_t parties, unsigned modulus_bits)
{
	*f = (struct federation){ .parties = parties, .modulus_bits = modulus_bits };
	for (size_t i = 0; i < parties; i++) {
		struct secagg_setup setup = setup_of(parties, i, modulus_bits);

		advertise_as(f, i, &setup);
	}
}

static inline void agree(struct federation *f)
{
	for (size_t i = 0; i < f->parties; i++)
		assert_ok(
		    secagg_agree(f->sa[i], f->advert, (const uint8_t(*)[SECAGG_HASH_LEN])pins));
}

static inline void leave(struct federation *f)
{
	for (size_t i = 0; i < f->parties; i++)
		secagg_free(f->sa[i]);
}

/* Computes the mask alone: a party's term for a vector of zeros. */
static inline void masked_zeros(struct federation *f, size_t i, const size_t *members, size_t count,
				const uint8_t *seen, void *words, size_t n, uint64_t *round)
{
	struct mask *m;

	memset(words, 0, n * f->modulus_bits / 8);
	assert_ok(secagg_open(f->sa[i], members, count, seen, &m, round));
	mask_add(m, words, n);
	mask_close(m);
}

static const size_t everyone[MOST] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };

static inline bool all_zero(const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (((const uint8_t *)p)[i])
			return false;
	return true;
}

/* Opens one sum of all parties; returns whether the masks cancel. */
static inline bool cancels(struct federation *f)
{
	static uint64_t acc[WORDS], words[WORDS];
	struct fixed fixed = { f->modulus_bits, 0, f->parties };
	uint64_t round;

	memset(acc, 0, sizeof(acc));
	for (size_t i = 0; i < f->parties; i++) {
		masked_zeros(f, i, everyone, f->parties, transcript, words, 64, &round);
		fixed_add(&fixed, acc, words, 64);
	}
	return all_zero(acc, 64 * f->modulus_bits / 8);
}

#endif
