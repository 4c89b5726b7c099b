/* shamir.h -- a secret of 32 bytes, shared so that any t of its shares give it and fewer say nothing (Shamir,
 * CACM 22(11), 1979): byte by byte a polynomial of degree t - 1 over GF(2^8), x^8 + x^4 + x^3 + x + 1, whose value
 * at 0 is the secret's byte.
 *
 * No tables: products are shifts and masks on eight bytes at a time, by factors that all may know (where a
 * share lies). CT in secret, coefficients and shares.
 */
#ifndef CRYPTO_SHAMIR_H
#define CRYPTO_SHAMIR_H

#include "common/base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { SHAMIR_LEN = 32, SHAMIR_MOST = 255 };

/* A polynomial of each byte: its value at 0, the secret, and t - 1 coefficients, all at once. Holds them until
 * shamir_free(). */
struct shamir;
/* 1 <= t <= SHAMIR_MOST. coefficients: (t - 1) x SHAMIR_LEN, uniform and of this secret alone; copied. */
struct shamir *shamir_of(const uint8_t secret[static SHAMIR_LEN], const uint8_t *coefficients,
			 size_t t);
/* With coefficients of the CSPRNG. ERR_INTERNAL if it fails: *s is NULL then. */
enum err shamir_new(const uint8_t secret[static SHAMIR_LEN], size_t t,
		    struct shamir **s) MUST_CHECK;
/* The share at x = 1 .. SHAMIR_MOST. O(t) steps of 32 bytes. */
void shamir_share(const struct shamir *s, size_t x, uint8_t share[static SHAMIR_LEN]);
void shamir_free(struct shamir *s); /* wipes; accepts NULL */

/* What the shares at t places x have in common is applied to as many secrets as were shared to the same: the weights
 * by which shares add up to the secret. ERR_PEER: a place is 0, beyond SHAMIR_MOST, or there twice. O(t^2).
 */
enum err shamir_weights(const size_t *x, size_t t, uint8_t *weight) MUST_CHECK;
/* The secret of t shares, one behind the other, in the order of their places. Of shares that are not all of one
 * sharing comes some number: nothing here can tell. */
void shamir_join(const uint8_t *weight, const uint8_t *share, size_t t,
		 uint8_t secret[static SHAMIR_LEN]);

#endif
