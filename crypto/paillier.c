#include "crypto/paillier.h"
#include "common/base/alloc.h"
#include "crypto/must.h"
#include "crypto/secret.h"

#include <endian.h>
#include <gmp.h>
#include <openssl/bn.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(GMP_NUMB_BITS == 64, "limbs are 64-bit words without nails");

enum {
	N = PAILLIER_KEY_LEN / 8, /* limbs of n */
	P = N / 2,                /* limbs of a prime */
	NN = 2 * N,               /* limbs of n^2 */
	/* The remainder mod n of N + EXTRA random limbs is within 2^-128 of uniform. */
	EXTRA = 2,
	LIMB = sizeof(mp_limb_t),
};
#define HALF_SLOT (UINT64_C(1) << (PAILLIER_SLOT_BITS - 1))
#define OFFSET    (INT64_C(1) << (PAILLIER_FACTOR_BITS - 1))

/* S slots: sum_s |x_s| 2^(62 s) < 2^61 (2^(62 S) - 1) / (2^62 - 1) < 2^(62 S), and n > 2^2047. */
_Static_assert(PAILLIER_SLOT_BITS *PAILLIER_SLOTS <= PAILLIER_BITS - 2, "|m| < n / 2");

static const mp_limb_t one[NN] = { 1 };

static void limbs_of(mp_limb_t *limbs, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n / LIMB; i++) {
		memcpy(&limbs[i], p + n - LIMB * (i + 1), LIMB);
		limbs[i] = be64toh(limbs[i]);
	}
}

static void limbs_to_bytes(uint8_t *p, const mp_limb_t *limbs, size_t n)
{
	for (size_t i = 0; i < n / LIMB; i++) {
		uint64_t big = htobe64(limbs[i]);

		memcpy(p + n - LIMB * (i + 1), &big, LIMB);
	}
}

/* Secret memory of one operation, wiped as a whole. */
struct room {
	size_t bytes;
	mp_limb_t acc[NN], power[NN], part[NN], product[2 * NN], scratch[];
};

static size_t larger(size_t a, mp_size_t b)
{
	return a > (size_t)b ? a : (size_t)b;
}

static struct room *room_new(void)
{
	size_t limbs = larger(0, mpn_sec_powm_itch(NN, PAILLIER_BITS, NN));
	struct room *w;

	limbs = larger(limbs, mpn_sec_mul_itch(NN, NN));
	limbs = larger(limbs, mpn_sec_div_qr_itch(2 * NN, NN));
	limbs = larger(limbs, mpn_sec_invert_itch(N));
	limbs = sizeof(*w) + limbs * LIMB;
	w = secret_new(limbs);
	w->bytes = limbs;
	return w;
}

static void room_free(struct room *w)
{
	secret_free(w, w->bytes);
}

/* Computes to = a b mod m, all of n limbs; to may be a. */
static void mod_times(mp_limb_t *to, const mp_limb_t *a, const mp_limb_t *b, const mp_limb_t *m,
		      mp_size_t n, struct room *w)
{
	mpn_sec_mul(w->product, a, n, b, n, w->scratch);
	mpn_sec_div_r(w->product, 2 * n, m, n, w->scratch);
	mpn_copyi(to, w->product, n);
}

/* ---- plaintexts ---- */

/* Adds v 2^(62 s), v < 2^62, to m, whose bits from 62 s on are 0. */
static void slot_put(mp_limb_t m[static N], size_t s, uint64_t v)
{
	size_t at = s * PAILLIER_SLOT_BITS, bit = at % 64;

	m[at / 64] |= v << bit;
	if (bit > 64 - PAILLIER_SLOT_BITS)
		m[at / 64 + 1] |= v >> (64 - bit);
}

static uint64_t slot_get(const mp_limb_t m[static N], size_t s)
{
	size_t at = s * PAILLIER_SLOT_BITS, bit = at % 64;
	uint64_t v = m[at / 64] >> bit;

	if (bit > 64 - PAILLIER_SLOT_BITS)
		v |= m[at / 64 + 1] << (64 - bit);
	return v & (2 * HALF_SLOT - 1);
}

/* Sets each of count slots of m to half its range. Adding m turns signed numbers into non-negative
 * digits. */
static void halves(mp_limb_t m[static N], size_t count)
{
	memset(m, 0, N * LIMB);
	for (size_t s = 0; s < count; s++)
		slot_put(m, s, HALF_SLOT);
}

/* Sets part to the plaintext of x, which is sum_s x_s 2^(62 s) mod n. */
static void pack(const mp_limb_t n[static N], const int64_t *x, size_t count, struct room *w)
{
	mp_limb_t half[N];

	memset(w->part, 0, sizeof(w->part));
	for (size_t s = 0; s < count; s++)
		slot_put(w->part, s, (uint64_t)x[s] + HALF_SLOT);
	halves(half, count);
	mpn_cnd_add_n(mpn_sub_n(w->part, w->part, half, N), w->part, w->part, n, N);
}

/* Reads the numbers x from the plaintext in part, which is below n. False if part has more than
 * `count` slots. */
static bool unpack(const mp_limb_t n[static N], int64_t *x, size_t count, struct room *w)
{
	size_t end = count * PAILLIER_SLOT_BITS;
	mp_limb_t half[N], carry, above = 0;

	halves(half, count);
	carry = mpn_add_n(w->part, w->part, half, N);
	carry -= mpn_sub_n(w->part, w->part, n, N);
	mpn_cnd_add_n(carry != 0, w->part, w->part, n, N);
	for (size_t s = 0; s < count; s++)
		x[s] = (int64_t)(slot_get(w->part, s) - HALF_SLOT);
	above = w->part[end / 64] >> (end % 64);
	for (size_t i = end / 64 + 1; i < N; i++)
		above |= w->part[i];
	return above == 0;
}

/* ---- keys ---- */

struct paillier {
	mp_limb_t n[N], square[NN];
};

/* The primes are not stored. With them, a power modulo p^2 would take a third of the time. But GMP
 * looks up the inverse of a modulus in a table by its last bits, which may leak them. That is safe
 * only for n^2, which is public. */
struct paillier_pair {
	struct paillier key;
	mp_limb_t order[N];   /* (p - 1) (q - 1) */
	mp_limb_t inverse[N]; /* 1 / order mod n */
};

static void key_init(struct paillier *key, struct room *w)
{
	mpn_sec_mul(key->square, key->n, N, key->n, N, w->scratch);
}

struct paillier_pair *paillier_pair_of(const uint8_t p[static PAILLIER_PRIME_LEN],
				       const uint8_t q[static PAILLIER_PRIME_LEN])
{
	struct paillier_pair *pair = secret_new(sizeof(*pair));
	struct room *w = room_new();
	mp_limb_t *a = w->acc, *b = w->acc + P;

	limbs_of(a, p, PAILLIER_PRIME_LEN);
	limbs_of(b, q, PAILLIER_PRIME_LEN);
	mpn_sec_mul(pair->key.n, a, P, b, P, w->scratch);
	key_init(&pair->key, w);
	mpn_sub_n(a, a, one, P);
	mpn_sub_n(b, b, one, P);
	mpn_sec_mul(pair->order, a, P, b, P, w->scratch);
	mpn_copyi(w->part, pair->order, N);
	must(mpn_sec_invert(pair->inverse, w->part, pair->key.n, N, 2 * PAILLIER_BITS, w->scratch),
	     "different primes of one length");
	room_free(w);
	return pair;
}

enum err paillier_pair_new(struct paillier_pair **pair)
{
	BIGNUM *p = BN_secure_new(), *q = BN_secure_new();
	uint8_t *bytes = secret_new(PAILLIER_KEY_LEN);
	enum err err = ERR_OK;

	*pair = NULL;
	must(p && q, "memory for primes");
	do { /* primes have their two top bits set, so n has PAILLIER_BITS */
		if (!BN_generate_prime_ex(p, PAILLIER_BITS / 2, 0, NULL, NULL, NULL) ||
		    !BN_generate_prime_ex(q, PAILLIER_BITS / 2, 0, NULL, NULL, NULL))
			err = err_set(ERR_INTERNAL, "primes of %d bits: %s", PAILLIER_BITS / 2,
				      must_reason());
	} while (!err && !BN_cmp(p, q));
	if (!err) {
		BN_bn2binpad(p, bytes, PAILLIER_PRIME_LEN);
		BN_bn2binpad(q, bytes + PAILLIER_PRIME_LEN, PAILLIER_PRIME_LEN);
		*pair = paillier_pair_of(bytes, bytes + PAILLIER_PRIME_LEN);
	}
	secret_free(bytes, PAILLIER_KEY_LEN);
	BN_clear_free(p);
	BN_clear_free(q);
	return err;
}

void paillier_pair_free(struct paillier_pair *pair)
{
	secret_free(pair, sizeof(*pair));
}

void paillier_pair_public(const struct paillier_pair *pair, uint8_t n[static PAILLIER_KEY_LEN])
{
	limbs_to_bytes(n, pair->key.n, PAILLIER_KEY_LEN);
}

const char *paillier_check(struct bytes n)
{
	if (n.n != PAILLIER_KEY_LEN || !(n.p[0] & 0x80))
		return "it is not of 2048 bits";
	return n.p[n.n - 1] & 1 ? NULL : "it is even";
}

struct paillier *paillier_new(const uint8_t n[static PAILLIER_KEY_LEN])
{
	struct paillier *key = alloc(1, sizeof(*key));
	struct room *w = room_new();

	limbs_of(key->n, n, PAILLIER_KEY_LEN);
	key_init(key, w);
	room_free(w);
	return key;
}

void paillier_free(struct paillier *key)
{
	free(key);
}

/* ---- encryption ---- */

/* Computes acc = acc r^n mod n^2 with a random r. This hides everything in acc except its
 * plaintext. */
static enum err randomise(const struct paillier *key, struct room *w)
{
	TRY(random_secret(w->product, (N + EXTRA) * LIMB));
	mpn_sec_div_r(w->product, N + EXTRA, key->n, N, w->scratch);
	mpn_copyi(w->part, w->product, N);
	mpn_sec_powm(w->power, w->part, N, key->n, PAILLIER_BITS, key->square, NN, w->scratch);
	mod_times(w->acc, w->acc, w->power, key->square, NN, w);
	return ERR_OK;
}

enum err paillier_encrypt(const struct paillier_pair *pair, const int64_t *x, size_t count,
			  uint8_t c[static PAILLIER_LEN])
{
	const struct paillier *key = &pair->key;
	struct room *w = room_new();
	enum err err;

	pack(key->n, x, count, w);
	mpn_sec_mul(w->acc, w->part, N, key->n, N, w->scratch);
	mpn_add_n(w->acc, w->acc, one, NN); /* below n^2 */
	err = randomise(key, w);
	if (!err)
		limbs_to_bytes(c, w->acc, PAILLIER_LEN);
	room_free(w);
	return err;
}

/* True if c is in 1 .. n^2 - 1. c is public. */
static bool in_range(const struct paillier *key, const mp_limb_t c[static NN])
{
	return !mpn_zero_p(c, NN) && mpn_cmp(c, key->square, NN) < 0;
}

/* True if c, which is in range, is a unit mod n^2. c is public. */
static bool is_unit(const struct paillier *key, const mp_limb_t c[static NN])
{
	mpz_t a, n, gcd;
	bool unit;

	mpz_init(gcd);
	mpz_gcd(gcd, mpz_roinit_n(a, c, NN), mpz_roinit_n(n, key->n, N));
	unit = mpz_cmp_ui(gcd, 1) == 0;
	mpz_clear(gcd);
	return unit;
}

const char *paillier_decrypt(const struct paillier_pair *pair, const uint8_t c[static PAILLIER_LEN],
			     int64_t *x, size_t count)
{
	const struct paillier *key = &pair->key;
	struct room *w = room_new();
	bool fits;

	limbs_of(w->acc, c, PAILLIER_LEN);
	if (!in_range(key, w->acc) || !is_unit(key, w->acc)) {
		room_free(w);
		return "it is no ciphertext of the key";
	}
	mpn_sec_powm(w->power, w->acc, NN, pair->order, PAILLIER_BITS, key->square, NN, w->scratch);
	mpn_sub_n(w->power, w->power, one, NN);
	mpn_sec_div_qr(w->part, w->power, NN, key->n, N, w->scratch); /* exact, below n */
	mod_times(w->part, w->part, pair->inverse, key->n, N, w);
	fits = unpack(key->n, x, count, w);
	room_free(w);
	return fits ? NULL : "its plaintext is out of range";
}

/* ---- products ---- */

struct paillier_vector {
	const struct paillier *key;
	size_t d;
	/* (c_0 .. c_(d-1))^-OFFSET. Products are computed with the exponents w_t + OFFSET, which
	 * are not negative, instead of the weights w_t; this factor corrects them. */
	mp_limb_t shift[NN];
	mp_limb_t c[][NN];
};

/* Ciphertexts are known to both parties, so the time may depend on them. False if one is not a
 * unit. */
static bool shift_init(struct paillier_vector *v)
{
	mpz_t square, product, factor;
	bool unit;

	mpz_roinit_n(square, v->key->square, NN);
	mpz_init_set_ui(product, 1);
	for (size_t t = 0; t < v->d; t++) {
		mpz_mul(product, product, mpz_roinit_n(factor, v->c[t], NN));
		mpz_mod(product, product, square);
	}
	unit = mpz_invert(product, product, square);
	if (unit) {
		mpz_powm_ui(product, product, (unsigned long)OFFSET, square);
		mpn_copyi(v->shift, mpz_limbs_read(product), (mp_size_t)mpz_size(product));
	}
	mpz_clear(product);
	return unit;
}

struct paillier_vector *paillier_vector_new(const struct paillier *key, const uint8_t *c, size_t d,
					    const char **why)
{
	struct paillier_vector *v = alloc(1, sizeof(*v) + d * sizeof(*v->c));

	*why = NULL;
	v->key = key;
	v->d = d;
	for (size_t t = 0; t < d; t++) {
		limbs_of(v->c[t], c + t * PAILLIER_LEN, PAILLIER_LEN);
		if (!in_range(key, v->c[t]))
			*why = "it is out of range";
	}
	if (!*why && !shift_init(v))
		*why = "it has a factor in common with the key";
	if (!*why)
		return v;
	free(v);
	return NULL;
}

void paillier_vector_free(struct paillier_vector *v)
{
	free(v);
}

enum err paillier_combine(const struct paillier_vector *v, const int64_t *w,
			  uint8_t out[static PAILLIER_LEN])
{
	const struct paillier *key = v->key;
	struct room *r = room_new();
	enum err err;

	mpn_copyi(r->acc, v->shift, NN);
	for (size_t t = 0; t < v->d; t++) {
		r->part[0] = (mp_limb_t)(w[t] + OFFSET);
		mpn_sec_powm(r->power, v->c[t], NN, r->part, PAILLIER_FACTOR_BITS, key->square, NN,
			     r->scratch);
		mod_times(r->acc, r->acc, r->power, key->square, NN, r);
	}
	err = randomise(key, r);
	if (!err)
		limbs_to_bytes(out, r->acc, PAILLIER_LEN);
	room_free(r);
	return err;
}
