#include "tests/unit/crypto/lab.h"
#include "common/base/rng.h"
#include "crypto/dh.h"
#include "crypto/fixed.h"
#include "crypto/secagg.h"

#include <math.h>

enum { MOST = 9, WORDS = 5000 };

static char dir[64];
static struct identity *ids[MOST];
static uint8_t pins[MOST][SECAGG_HASH_LEN];
static const char *const names[MOST] = { "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8" };
static const uint8_t transcript[SECAGG_HASH_LEN] = { 42 };

static int make(void **state)
{
	(void)state;
	lab_dir(dir);
	for (int i = 0; i < MOST; i++) {
		ids[i] = lab_identity(dir, i);
		identity_fingerprint(ids[i], pins[i]);
	}
	return 0;
}

static int unmake(void **state)
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
	struct secagg_advert advert[MOST]; /* as the coordinator relays them */
};

static struct secagg_setup setup_of(size_t parties, size_t own, unsigned modulus_bits)
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

static void advertise_as(struct federation *f, size_t i, const struct secagg_setup *setup)
{
	assert_ok(secagg_new(&f->sa[i], setup, ids[i]));
	secagg_own_advert(f->sa[i], &f->advert[i]);
}

static void advertise(struct federation *f, size_t parties, unsigned modulus_bits)
{
	*f = (struct federation){ .parties = parties, .modulus_bits = modulus_bits };
	for (size_t i = 0; i < parties; i++) {
		struct secagg_setup setup = setup_of(parties, i, modulus_bits);

		advertise_as(f, i, &setup);
	}
}

static void agree(struct federation *f)
{
	for (size_t i = 0; i < f->parties; i++)
		assert_ok(
		    secagg_agree(f->sa[i], f->advert, (const uint8_t(*)[SECAGG_HASH_LEN])pins));
}

static void leave(struct federation *f)
{
	for (size_t i = 0; i < f->parties; i++)
		secagg_free(f->sa[i]);
}

/* The mask alone: what a party sends for a vector of zeros. */
static void masked_zeros(struct federation *f, size_t i, const size_t *members, size_t count,
			 const uint8_t *seen, void *words, size_t n, uint64_t *round)
{
	struct mask *m;

	memset(words, 0, n * f->modulus_bits / 8);
	assert_ok(secagg_open(f->sa[i], members, count, seen, &m, round));
	mask_add(m, words, n);
	mask_close(m);
}

static const size_t everyone[MOST] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };

static bool all_zero(const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (((const uint8_t *)p)[i])
			return false;
	return true;
}

/* Opens one sum of everybody and says whether the masks cancel. */
static bool cancels(struct federation *f)
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

/* ---- sums ---- */

static void sum_of(struct federation *f, struct rng *r)
{
	static double x[WORDS], want[WORDS], got[WORDS];
	static uint64_t acc[WORDS], words[WORDS];
	struct fixed fixed = { f->modulus_bits, 10, f->parties };

	memset(acc, 0, sizeof(acc));
	memset(want, 0, sizeof(want));
	for (size_t i = 0; i < f->parties; i++) {
		struct mask *m;
		uint64_t round;

		for (size_t k = 0; k < WORDS; k++) {
			x[k] = ldexp((double)rng_below(r, 1 << 20), -10) - 512;
			want[k] += x[k];
		}
		assert_ok(fixed_encode(&fixed, x, WORDS, words, NULL));
		assert_ok(secagg_open(f->sa[i], everyone, f->parties, transcript, &m, &round));
		mask_add(m, words, WORDS);
		mask_close(m);
		fixed_add(&fixed, acc, words, WORDS);
		if (i + 1 < f->parties) { /* until the last term nothing can be seen */
			fixed_decode(&fixed, acc, WORDS, got);
			assert_memory_not_equal(got, want, 8 * sizeof(*got));
		}
	}
	fixed_decode(&fixed, acc, WORDS, got);
	assert_memory_equal(got, want, sizeof(want)); /* whole steps: exact */
}

static void masks_cancel(void **state)
{
	struct rng r;

	(void)state;
	rng_seed(&r, 3, 0);
	for (size_t parties = 1; parties <= MOST; parties++)
		for (unsigned bits = 32; bits <= 64; bits += 32) {
			struct federation f;

			advertise(&f, parties, bits);
			agree(&f);
			sum_of(&f, &r);
			sum_of(&f, &r);
			leave(&f);
		}
}

/* Sums of a subset, and two sums open at once with their chunks interleaved. */
static void subsets_and_interleaving(void **state)
{
	static const size_t some[] = { 0, 2, 3 }, pair[] = { 2, 3 };
	uint64_t acc[2][100] = { 0 }, words[2][100], round;
	struct federation f;

	(void)state;
	advertise(&f, 4, 64);
	agree(&f);
	for (size_t i = 0; i < 3; i++) {
		struct mask *a, *b = NULL;

		memset(words, 0, sizeof(words));
		assert_ok(secagg_open(f.sa[some[i]], some, 3, transcript, &a, &round));
		if (some[i] != 0)
			assert_ok(secagg_open(f.sa[some[i]], pair, 2, transcript, &b, &round));
		for (size_t k = 0; k < 100; k += 10) {
			mask_add(a, words[0] + k, 10);
			if (b)
				mask_add(b, words[1] + k, 10);
		}
		mask_close(a);
		if (b)
			mask_close(b);
		for (size_t k = 0; k < 100; k++) {
			acc[0][k] += words[0][k];
			acc[1][k] += words[1][k];
		}
		assert_false(all_zero(words[0], sizeof(words[0])));
	}
	assert_true(all_zero(acc, sizeof(acc)));
	leave(&f);
}

/* One party that is told something else than the others spoils the sum, as it must. */
static void masks_cancel_only_if_all_agree(void **state)
{
	static const uint8_t other[SECAGG_HASH_LEN] = { 43 };
	static const size_t three[] = { 0, 1, 2 };
	uint64_t a[64], b[64], round;
	struct federation f;
	struct secagg_setup setup;

	(void)state;
	advertise(&f, 2, 64);
	agree(&f);
	assert_true(cancels(&f));
	masked_zeros(&f, 0, everyone, 2, transcript, a, 64, &round);
	masked_zeros(&f, 1, everyone, 2, other, b, 64, &round); /* transcript */
	assert_memory_not_equal(&(uint64_t){ a[0] + b[0] }, &(uint64_t){ 0 }, 8);
	assert_true(cancels(&f));
	masked_zeros(&f, 0, everyone, 2, transcript, a, 64, &round); /* round: one opened twice */
	assert_false(cancels(&f));
	leave(&f);

	advertise(&f, 3, 64); /* member list */
	agree(&f);
	masked_zeros(&f, 0, everyone, 2, transcript, a, 64, &round);
	masked_zeros(&f, 1, three, 3, transcript, b, 64, &round);
	assert_true(a[0] + b[0] != 0);
	masked_zeros(&f, 1, everyone, 2, transcript, b, 64, &round);
	for (int k = 0; k < 64; k++)
		assert_true(a[k] + b[k] == 0);
	leave(&f);

	/* A different job id, attempt, or parameters: the advertisement itself is refused, and
	 * cannot be signed by another. */
	for (int what = 0; what < 3; what++) {
		advertise(&f, 2, 64);
		secagg_free(f.sa[1]);
		setup = setup_of(2, 1, 64);
		setup.job_id[0] ^= what == 0;
		setup.attempt += what == 1;
		setup.params_hash[0] ^= what == 2;
		advertise_as(&f, 1, &setup);
		assert_err(secagg_agree(f.sa[0], f.advert, (const uint8_t(*)[SECAGG_HASH_LEN])pins),
			   ERR_PEER, "key advertisement of p1: the signature does not fit");
		leave(&f);
	}
}

/* The same secret exponents never come twice, so masks of two jobs have nothing in common even if
 * everything else is the same. */
static void attempts_have_new_keys(void **state)
{
	uint64_t a[64], b[64], round;
	struct federation f;

	(void)state;
	for (int k = 0; k < 2; k++) {
		advertise(&f, 2, 64);
		agree(&f);
		masked_zeros(&f, 0, everyone, 2, transcript, k ? b : a, 64, &round);
		leave(&f);
	}
	assert_memory_not_equal(a, b, 8);
}

static void rounds_rise_for_good(void **state)
{
	static const size_t pair[] = { 0, 1 }, others[] = { 0, 2 };
	uint64_t seen[3][8], round;
	struct federation f;
	struct mask *m, *again;

	(void)state;
	advertise(&f, 3, 64);
	agree(&f);
	for (uint64_t want = 0; want < 3; want++) {
		masked_zeros(&f, 0, pair, 2, transcript, seen[want], 8, &round);
		assert_int_equal(round, want);
		masked_zeros(&f, 0, everyone, 3, transcript, (uint64_t[8]){ 0 }, 8, &round);
		assert_int_equal(round, want);
	}
	masked_zeros(&f, 0, others, 2, transcript, (uint64_t[8]){ 0 }, 8, &round);
	assert_int_equal(round, 0);
	assert_memory_not_equal(seen[0], seen[1], 8);
	assert_memory_not_equal(seen[1], seen[2], 8);
	assert_memory_not_equal(seen[0], seen[2], 8);
	/* Opened and not used is used. */
	assert_ok(secagg_open(f.sa[0], pair, 2, transcript, &m, &round));
	assert_int_equal(round, 3);
	mask_close(m);
	assert_ok(secagg_open(f.sa[0], pair, 2, transcript, &again, &round));
	assert_int_equal(round, 4);
	assert_ptr_equal(again, m); /* a closed mask serves again: nothing grows with the rounds */
	leave(&f);                  /* with a mask still open */
}

static void impossible_members_are_refused(void **state)
{
	static const size_t without[] = { 1, 2 }, falling[] = { 1, 0 }, twice[] = { 0, 0 },
			    beyond[] = { 0, 3 };
	uint64_t round;
	struct federation f;
	struct mask *m;

	(void)state;
	advertise(&f, 3, 64);
	agree(&f);
	assert_err(secagg_open(f.sa[0], without, 2, transcript, &m, &round), ERR_INTERNAL,
		   "leave out p0");
	assert_err(secagg_open(f.sa[0], falling, 2, transcript, &m, &round), ERR_INTERNAL, "rise");
	assert_err(secagg_open(f.sa[0], twice, 2, transcript, &m, &round), ERR_INTERNAL, "rise");
	assert_err(secagg_open(f.sa[0], beyond, 2, transcript, &m, &round), ERR_INTERNAL, "rise");
	assert_err(secagg_open(f.sa[0], NULL, 0, transcript, &m, &round), ERR_INTERNAL,
		   "leave out");
	leave(&f);
}

static void chunks_equal_one_call(void **state)
{
	static uint64_t whole[WORDS], parts[WORDS];

	(void)state;
	for (unsigned bits = 32; bits <= 64; bits += 32)
		for (size_t step = 1; step < 3000; step = 3 * step + 2) {
			struct federation f[2];
			uint64_t round;
			struct mask *m;
			size_t word = bits / 8;

			advertise(&f[0], 3, bits);
			agree(&f[0]);
			memset(whole, 1, sizeof(whole));
			memset(parts, 1, sizeof(parts));
			assert_ok(secagg_open(f[0].sa[1], everyone, 3, transcript, &m, &round));
			for (size_t at = 0; at < WORDS; at += step)
				mask_add(m, (uint8_t *)parts + at * word,
					 WORDS - at < step ? WORDS - at : step);
			mask_close(m);
			/* The others' masks are its opposite. */
			for (size_t i = 0; i < 3; i += 2) {
				assert_ok(
				    secagg_open(f[0].sa[i], everyone, 3, transcript, &m, &round));
				mask_add(m, parts, WORDS);
				mask_close(m);
			}
			/* 0 and 2 also share a mask, which cancels. */
			assert_memory_equal(parts, whole, sizeof(whole));
			leave(&f[0]);
		}
}

/* Bytes of masked zeros: chi-square with 255 degrees of freedom has mean 255 and standard deviation
 * 22.6; 140 .. 420 leaves out less than 1e-9 on either side. */
static void masked_zeros_look_uniform(void **state)
{
	enum { N = 1 << 17 };
	static uint64_t words[N];

	(void)state;
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		struct federation f;

		advertise(&f, 3, bits);
		agree(&f);
		for (size_t i = 0; i < 3; i++) {
			size_t bytes = (size_t)N * bits / 8, count[256] = { 0 };
			double expected = (double)bytes / 256, chi = 0;
			uint64_t round;

			masked_zeros(&f, i, everyone, 3, transcript, words, N, &round);
			for (size_t b = 0; b < bytes; b++)
				count[((uint8_t *)words)[b]]++;
			for (int v = 0; v < 256; v++)
				chi += ((double)count[v] - expected) *
				       ((double)count[v] - expected) / expected;
			assert_true(chi > 140 && chi < 420);
		}
		leave(&f);
	}
}

/* ---- advertisements ---- */

static void refuses(struct federation *f, const char *sentence)
{
	assert_err(secagg_agree(f->sa[0], f->advert, (const uint8_t(*)[SECAGG_HASH_LEN])pins),
		   ERR_PEER, sentence);
}

static void tampering_is_refused(void **state)
{
	uint8_t key[256], nonce[SECAGG_NONCE_LEN], signature[SIGNATURE_MAX], spki[SPKI_MAX];
	struct secagg_advert original;
	struct federation f;

	(void)state;
	advertise(&f, 3, 64);
	for (size_t j = 1; j < 3; j++) { /* Ed25519, P-256 */
		char blamed[64];

		original = f.advert[j];
		snprintf(blamed, sizeof(blamed), "key advertisement of p%zu: the signature", j);
		memcpy(key, original.public_key.p, sizeof(key));
		memcpy(nonce, original.nonce, sizeof(nonce));
		memcpy(signature, original.signature.p, original.signature.n);
		memcpy(spki, original.spki.p, original.spki.n);
		key[100] ^= 4;
		nonce[31] ^= 1;
		signature[original.signature.n - 1] ^= 1;
		spki[original.spki.n - 1] ^= 1;
		f.advert[j].public_key.p = key;
		refuses(&f, blamed);
		f.advert[j] = original;
		f.advert[j].public_key.n--;
		refuses(&f, blamed);
		f.advert[j] = original;
		f.advert[j].nonce = nonce;
		refuses(&f, blamed);
		f.advert[j] = original;
		f.advert[j].signature.p = signature;
		refuses(&f, blamed);
		f.advert[j] = original;
		f.advert[j].signature.n = 0;
		refuses(&f, blamed);
		f.advert[j] = original;
		f.advert[j].spki.p = spki;
		refuses(&f, "is pinned here");
		f.advert[j] = original;
	}
	/* The refusals have changed nothing. */
	agree(&f);
	assert_true(cancels(&f));
	leave(&f);
}

static void wrong_people_are_refused(void **state)
{
	uint8_t wrong[MOST][SECAGG_HASH_LEN], key[2 * PSK_MARKER_LEN] = { 0 };
	struct secagg_advert t;
	struct federation f, g;

	(void)state;
	advertise(&f, 3, 64);
	memcpy(wrong, pins, sizeof(wrong));
	wrong[2][0] ^= 1;
	assert_err(secagg_agree(f.sa[0], f.advert, (const uint8_t(*)[SECAGG_HASH_LEN])wrong),
		   ERR_PEER, "key advertisement of p2: its identity key is sha256:");
	t = f.advert[1]; /* two parties swapped */
	f.advert[1] = f.advert[2];
	f.advert[2] = t;
	refuses(&f, "key advertisement of p1: its identity key");
	f.advert[2] = f.advert[1];
	f.advert[1] = t;
	f.advert[2] = f.advert[0]; /* own one reflected */
	refuses(&f, "key advertisement of p2: its identity key");
	leave(&f);

	/* Two names with one identity: the name is signed too. */
	advertise(&f, 3, 64);
	memcpy(wrong[2], pins[1], sizeof(wrong[2]));
	f.advert[2] = f.advert[1];
	assert_err(secagg_agree(f.sa[0], f.advert, (const uint8_t(*)[SECAGG_HASH_LEN])wrong),
		   ERR_PEER, "key advertisement of p2: the signature");
	leave(&f);

	/* Own advertisement replaced by one with the same identity key. */
	advertise(&f, 2, 64);
	advertise(&g, 2, 64);
	for (int part = 0; part < 5; part++) {
		struct secagg_advert own = f.advert[0];

		switch (part) {
		case 0:
			f.advert[0].public_key = g.advert[0].public_key;
			break;
		case 1:
			f.advert[0].nonce = g.advert[0].nonce;
			break;
		case 2:
			f.advert[0].signature = g.advert[0].signature;
			break;
		case 3:
			f.advert[0].markers = (struct bytes){ key, 2 * PSK_MARKER_LEN };
			break;
		default:
			f.advert[0].spki = g.advert[1].spki;
		}
		refuses(&f, "key advertisement of p0: the coordinator relays another one");
		f.advert[0] = own;
	}
	leave(&g);
	leave(&f);
}

/* A party that signs a public key outside the subgroup (a small one would show s_i's low bits). */
static void signed_nonsense_is_refused(void **state)
{
	static const char *const sentence[] = { "below 2", "below 2", "above p - 2", "subgroup" };

	(void)state;
	for (int what = 0; what < 4; what++) {
		uint8_t key[256] = { 0 }, signature[SIGNATURE_MAX];
		struct buf message = { 0 };
		struct federation f;
		struct secagg_setup setup = setup_of(2, 1, 64);

		advertise(&f, 2, 64);
		if (what == 1)
			key[255] = 1;
		if (what >= 2)
			for (size_t i = 0; i < sizeof(key); i++) {
				unsigned byte;

				sscanf(dh_prime(dh_group(2048)) + 2 * i, "%2x", &byte);
				key[i] = (uint8_t)byte;
			}
		if (what == 2)
			key[255] = (uint8_t)(key[255] - 1);
		if (what == 3)
			key[255] = (uint8_t)(key[255] - 4); /* p - 4 */
		/* The exact bytes of docs/secure-sum.md, written out. */
		buf_add(&message, "coterie key advertisement v2", 29);
		buf_add(&message, setup.job_id, 16);
		buf_add(&message, "\0\0\0\1", 4);
		buf_add(&message, "\0\0\0\2p1", 6);
		buf_add(&message, setup.params_hash, 32);
		buf_add(&message, "\0\0\1\0", 4);
		buf_add(&message, key, 256);
		buf_add(&message, f.advert[1].nonce, 32);
		buf_add(&message, "\0\0\0\0", 4);
		f.advert[1].public_key.p = key;
		f.advert[1].signature.p = signature;
		assert_ok(sign_make(ids[1], (struct bytes){ message.p, message.n }, signature,
				    &f.advert[1].signature.n));
		refuses(&f, sentence[what]);
		refuses(&f, "key advertisement of p1: its Diffie-Hellman key is refused");
		buf_release(&message);
		leave(&f);
	}
}

/* ---- keys that two share beforehand ---- */

/* Key `byte` with party j; 0: none. */
static void share(struct psk *psk, size_t j, uint8_t byte)
{
	psk[j].n = byte ? PSK_MIN + (size_t)byte : 0;
	memset(psk[j].key, byte, psk[j].n);
}

/* Three parties: 0 and 1 have these keys for each other, 0 and 2 the same one, 1 and 2 none. */
static void advertise_shared(struct federation *f, uint8_t zeros, uint8_t ones)
{
	*f = (struct federation){ .parties = 3, .modulus_bits = 64 };
	for (size_t i = 0; i < 3; i++) {
		struct secagg_setup setup = setup_of(3, i, 64);
		struct psk psk[3] = { 0 };

		if (i != 1)
			share(psk, 2 - i, 9);
		if (i != 2)
			share(psk, 1 - i, i ? ones : zeros);
		setup.psk = psk;
		advertise_as(f, i, &setup);
		memset(psk, 0xee, sizeof(psk)); /* a copy was taken */
	}
}

static void pair_of(struct federation *f, size_t i, size_t j, uint8_t key[static SECAGG_HASH_LEN])
{
	secagg_pair_expand(f->sa[i], j, (struct bytes){ (const uint8_t *)"test", 4 }, key);
}

static void shared_keys_agree(void **state)
{
	uint8_t a[SECAGG_HASH_LEN], b[SECAGG_HASH_LEN];
	struct federation f;

	(void)state;
	advertise_shared(&f, 1, 1);
	assert_int_equal(f.advert[0].markers.n, 3 * PSK_MARKER_LEN);
	assert_true(all_zero(f.advert[1].markers.p + 2 * PSK_MARKER_LEN, PSK_MARKER_LEN));
	assert_false(all_zero(f.advert[1].markers.p, PSK_MARKER_LEN));
	/* Each way has its own, so none can be shown to whom it came from. */
	assert_memory_not_equal(f.advert[1].markers.p, f.advert[0].markers.p + PSK_MARKER_LEN,
				PSK_MARKER_LEN);
	agree(&f);
	for (size_t i = 0; i < 3; i++) {
		pair_of(&f, i, (i + 1) % 3, a);
		pair_of(&f, (i + 1) % 3, i, b);
		assert_memory_equal(a, b, sizeof(a));
	}
	assert_true(cancels(&f));
	leave(&f);

	advertise(&f, 3, 64); /* none: nothing is said */
	assert_int_equal(f.advert[0].markers.n, 0);
	leave(&f);
}

static void refuses_with(struct federation *f, size_t i, const char *sentence)
{
	assert_err(secagg_agree(f->sa[i], f->advert, (const uint8_t(*)[SECAGG_HASH_LEN])pins),
		   ERR_PEER, sentence);
}

static void keys_of_one_side_are_refused(void **state)
{
	struct federation f;

	(void)state;
	advertise_shared(&f, 1, 0);
	refuses_with(&f, 0,
		     "p1 has no pre-shared key for p0, which has one for it: give p1 the same file "
		     "as its peers.p0.psk, or take peers.p1.psk out here");
	refuses_with(&f, 1,
		     "p0 has a pre-shared key for p1, which has none for it: get that file from "
		     "p0, not through the coordinator, as peers.p0.psk, or have it take "
		     "peers.p1.psk out there");
	assert_ok(secagg_agree(f.sa[2], f.advert, (const uint8_t(*)[SECAGG_HASH_LEN])pins));
	leave(&f);
	advertise_shared(&f, 1, 2);
	refuses_with(&f, 0,
		     "p1 has another pre-shared key for p0 than p0 for it: peers.p1.psk here and "
		     "peers.p0.psk there must be the same file");
	refuses_with(&f, 1, "p0 has another pre-shared key for p1 than p1 for it");
	leave(&f);
}

/* The markers are signed: a coordinator cannot make it seem that a party has none, or another. */
static void markers_are_signed(void **state)
{
	uint8_t markers[4 * PSK_MARKER_LEN] = { 0 };
	struct federation f;

	(void)state;
	advertise_shared(&f, 1, 1);
	f.advert[1].markers = (struct bytes){ markers, 3 * PSK_MARKER_LEN };
	refuses(&f, "key advertisement of p1: the signature");
	f.advert[1].markers.n = 0;
	refuses(&f, "key advertisement of p1: the signature");
	f.advert[1].markers.n = sizeof(markers);
	refuses(&f,
		"key advertisement of p1: 32 bytes of markers of pre-shared keys, expected none, "
		"or 8 for each of 3 parties");
	f.advert[1].markers.n = PSK_MARKER_LEN;
	refuses(&f, "key advertisement of p1: 8 bytes of markers");
	leave(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masks_cancel),
		cmocka_unit_test(subsets_and_interleaving),
		cmocka_unit_test(masks_cancel_only_if_all_agree),
		cmocka_unit_test(attempts_have_new_keys),
		cmocka_unit_test(rounds_rise_for_good),
		cmocka_unit_test(impossible_members_are_refused),
		cmocka_unit_test(chunks_equal_one_call),
		cmocka_unit_test(masked_zeros_look_uniform),
		cmocka_unit_test(tampering_is_refused),
		cmocka_unit_test(wrong_people_are_refused),
		cmocka_unit_test(signed_nonsense_is_refused),
		cmocka_unit_test(shared_keys_agree),
		cmocka_unit_test(keys_of_one_side_are_refused),
		cmocka_unit_test(markers_are_signed),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
