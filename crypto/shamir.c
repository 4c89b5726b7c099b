#include "crypto/shamir.h"
#include "common/base/alloc.h"
#include "crypto/secret.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { LANES = SHAMIR_LEN / sizeof(uint64_t) };

#define EACH_BYTE 0x0101010101010101ULL

/* 32 bytes, eight to a word: which of them is which does not matter to sums and products. */
struct lanes {
	uint64_t of[LANES];
};

struct shamir {
	size_t t;
	struct lanes coefficient[]; /* the secret is the first */
};

/* Each byte times x, reduced. */
static uint64_t doubled(uint64_t a)
{
	uint64_t high = a >> 7 & EACH_BYTE;

	return (a & 0x7f * EACH_BYTE) << 1 ^ high * 0x1b;
}

/* a := a * factor, which is no secret, + more. */
static void times_and(struct lanes *a, uint8_t factor, const struct lanes *more)
{
	for (size_t i = 0; i < LANES; i++) {
		uint64_t power = a->of[i], sum = more->of[i];

		for (unsigned bit = factor; bit; bit >>= 1) {
			sum ^= power & -(uint64_t)(bit & 1);
			power = doubled(power);
		}
		a->of[i] = sum;
	}
}

static uint8_t product(uint8_t a, uint8_t b)
{
	uint64_t power = a, sum = 0;

	for (unsigned bit = b; bit; bit >>= 1) {
		sum ^= power & -(uint64_t)(bit & 1);
		power = doubled(power);
	}
	return (uint8_t)sum;
}

/* a^254, which is 1 / a for a other than 0. */
static uint8_t inverse(uint8_t a)
{
	uint8_t square = a, out = 1;

	for (int i = 0; i < 7; i++) {
		square = product(square, square);
		out = product(out, square);
	}
	return out;
}

static struct shamir *make(const uint8_t secret[static SHAMIR_LEN], size_t t)
{
	struct shamir *s;

	assert(t >= 1 && t <= SHAMIR_MOST);
	s = secret_new(sizeof(*s) + t * sizeof(*s->coefficient));
	s->t = t;
	memcpy(&s->coefficient[0], secret, SHAMIR_LEN);
	return s;
}

struct shamir *shamir_of(const uint8_t secret[static SHAMIR_LEN], const uint8_t *coefficients,
			 size_t t)
{
	struct shamir *s = make(secret, t);

	if (t > 1)
		memcpy(&s->coefficient[1], coefficients, (t - 1) * SHAMIR_LEN);
	return s;
}

enum err shamir_new(const uint8_t secret[static SHAMIR_LEN], size_t t, struct shamir **s)
{
	struct shamir *made = make(secret, t);
	enum err e = t > 1 ? random_secret(&made->coefficient[1], (t - 1) * SHAMIR_LEN) : ERR_OK;

	*s = NULL;
	if (e == ERR_OK)
		*s = made;
	else
		shamir_free(made);
	return e;
}

void shamir_share(const struct shamir *s, size_t x, uint8_t share[static SHAMIR_LEN])
{
	struct lanes sum = s->coefficient[s->t - 1];

	assert(x >= 1 && x <= SHAMIR_MOST);
	for (size_t i = s->t - 1; i-- > 0;)
		times_and(&sum, (uint8_t)x, &s->coefficient[i]);
	memcpy(share, &sum, SHAMIR_LEN);
	wipe(&sum, sizeof(sum));
}

void shamir_free(struct shamir *s)
{
	secret_free(s, s ? sizeof(*s) + s->t * sizeof(*s->coefficient) : 0);
}

/* Lagrange: prod_{j != i} x_j / (x_j - x_i), at 0. */
enum err shamir_weights(const size_t *x, size_t t, uint8_t *weight)
{
	bool seen[SHAMIR_MOST + 1] = { false };

	for (size_t i = 0; i < t; i++) {
		if (x[i] < 1 || x[i] > SHAMIR_MOST || seen[x[i]])
			return err_set(ERR_PEER,
				       "a share at place %zu, expected different ones of 1 to %d",
				       x[i], SHAMIR_MOST);
		seen[x[i]] = true;
	}
	for (size_t i = 0; i < t; i++) {
		uint8_t above = 1, below = 1;

		for (size_t j = 0; j < t; j++) {
			if (j == i)
				continue;
			above = product(above, (uint8_t)x[j]);
			below = product(below, (uint8_t)(x[j] ^ x[i]));
		}
		weight[i] = product(above, inverse(below));
	}
	return ERR_OK;
}

void shamir_join(const uint8_t *weight, const uint8_t *share, size_t t,
		 uint8_t secret[static SHAMIR_LEN])
{
	struct lanes sum = { { 0 } }, one;

	for (size_t i = 0; i < t; i++) {
		memcpy(&one, share + i * SHAMIR_LEN, SHAMIR_LEN);
		times_and(&one, weight[i], &sum);
		sum = one;
	}
	memcpy(secret, &sum, SHAMIR_LEN);
	wipe(&sum, sizeof(sum));
	wipe(&one, sizeof(one));
}
