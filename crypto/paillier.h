/* paillier.h -- Paillier's encryption (EUROCRYPT 1999): products of ciphertexts decrypt to sums.
 *
 *   key      n = p q, primes of PAILLIER_BITS / 2 bits with their two top bits set; g = n + 1
 *   encrypt  c = (1 + m n) r^n mod n^2, r uniform
 *   decrypt  m = L(c^f mod n^2) / f mod n, f = (p - 1) (q - 1), L(x) = (x - 1) / n
 *
 * A plaintext is a row of up to PAILLIER_SLOTS signed numbers: m = sum_s x_s 2^(62 s) mod n. Its
 * slots do not overflow while |x_s| < 2^61, since then |m| < 2^2046 <= n / 2.
 *
 * Numbers on the wire are big-endian, of fixed length. Plaintexts, exponents, primes and r are
 * secret: CT, by GMP's mpn_sec functions in memory that is wiped.
 */
#ifndef CRYPTO_PAILLIER_H
#define CRYPTO_PAILLIER_H

#include "common/base/buf.h"
#include "common/base/err.h"

#include <stddef.h>
#include <stdint.h>

enum {
	PAILLIER_BITS = 2048, /* gives 112 bits of security, as ffdhe2048 does */
	PAILLIER_KEY_LEN = PAILLIER_BITS / 8,
	PAILLIER_PRIME_LEN = PAILLIER_KEY_LEN / 2,
	PAILLIER_LEN = 2 * PAILLIER_KEY_LEN, /* bytes of a ciphertext */
	PAILLIER_SLOT_BITS = 62,
	PAILLIER_SLOTS = (PAILLIER_BITS - 2) / PAILLIER_SLOT_BITS,
	PAILLIER_FACTOR_BITS = 32, /* bits of a factor, with its sign */
};

/* ---- the owner's key pair ---- */

struct paillier_pair;
/* Draws a key pair; half a second. ERR_INTERNAL if the CSPRNG fails. */
enum err paillier_pair_new(struct paillier_pair **pair) MUST_CHECK;
/* Makes a key pair of two different primes p and q of the form above; for known answers. */
struct paillier_pair *paillier_pair_of(const uint8_t p[static PAILLIER_PRIME_LEN],
				       const uint8_t q[static PAILLIER_PRIME_LEN]);
void paillier_pair_free(struct paillier_pair *pair); /* wipes; accepts NULL */
void paillier_pair_public(const struct paillier_pair *pair, uint8_t n[static PAILLIER_KEY_LEN]);

/* Encrypts count <= PAILLIER_SLOTS numbers, |x_s| < 2^61. Computes one power mod n^2 with an
 * exponent of PAILLIER_BITS. ERR_INTERNAL if the CSPRNG fails. */
enum err paillier_encrypt(const struct paillier_pair *pair, const int64_t *x, size_t count,
			  uint8_t c[static PAILLIER_LEN]) MUST_CHECK;
/* Decrypts to the count numbers that the sender encrypted or computed. Returns NULL, or the reason
 * for the refusal: c is not a ciphertext, or its plaintext has more than `count` slots. Computes
 * one power mod n^2 with an exponent of PAILLIER_BITS. */
const char *paillier_decrypt(const struct paillier_pair *pair, const uint8_t c[static PAILLIER_LEN],
			     int64_t *x, size_t count);

/* ---- another party's key ---- */

struct paillier;
/* Checks that n has PAILLIER_BITS bits and is odd. Returns NULL, or the reason for the refusal.
 * Other properties of n cannot be checked. They need no check, because a false n discloses no more
 * to its owner than false plaintexts do. */
const char *paillier_check(struct bytes n);
struct paillier *paillier_new(const uint8_t n[static PAILLIER_KEY_LEN]); /* checked */
void paillier_free(struct paillier *key);                                /* accepts NULL */

/* Ciphertexts c_0 .. c_(d-1) of d rows, to be multiplied by secret factors any number of times. */
struct paillier_vector;
/* Takes d >= 1 concatenated ciphertexts. Borrows key. Returns NULL and the reason if one is not
 * in 1 .. n^2 - 1 or has a factor in common with n. */
struct paillier_vector *paillier_vector_new(const struct paillier *key, const uint8_t *c, size_t d,
					    const char **why);
void paillier_vector_free(struct paillier_vector *v); /* accepts NULL */
/* Writes a fresh encryption of sum_t w_t m_t, slot by slot, to out; -2^31 <= w_t < 2^31. For any
 * w_t it has the same distribution as a ciphertext of paillier_encrypt(). Computes powers mod n^2:
 * one with an exponent of PAILLIER_BITS, and d with exponents of PAILLIER_FACTOR_BITS. ERR_INTERNAL
 * if the CSPRNG fails. */
enum err paillier_combine(const struct paillier_vector *v, const int64_t *w,
			  uint8_t out[static PAILLIER_LEN]) MUST_CHECK;

#endif
