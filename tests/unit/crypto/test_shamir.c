/* Shares of a secret: known answers, any t of them, and that fewer say nothing. */
#include "tests/test.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "crypto/hash.h"
#include "crypto/shamir.h"

#include <stdlib.h>
#include <string.h>

/* ---- known answers: tests/vectors/shamir.py ---- */

static void row(size_t t, size_t i, uint8_t out[static SHAMIR_LEN])
{
	const uint8_t from[2] = { (uint8_t)t, (uint8_t)i };

	sha256_of(from, sizeof(from), out);
}

static void test_known_answers(void **state)
{
	static const struct {
		size_t t, x;
		uint8_t share[SHAMIR_LEN];
	} known[] = {
#include "tests/vectors/shamir.inc"
	};

	(void)state;
	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
		uint8_t rows[SHAMIR_MOST][SHAMIR_LEN], share[SHAMIR_LEN];
		struct shamir *s;

		for (size_t i = 0; i < known[k].t; i++)
			row(known[k].t, i, rows[i]);
		s = shamir_of(rows[0], rows[1], known[k].t);
		shamir_share(s, known[k].x, share);
		assert_memory_equal(share, known[k].share, sizeof(share));
		shamir_free(s);
	}
}

/* ---- any t of L ---- */

/* The secret of the shares at t of L places that rng draws. */
static void join_some(struct rng *rng, const struct shamir *s, size_t L, size_t t,
		      uint8_t out[static SHAMIR_LEN])
{
	uint8_t weight[SHAMIR_MOST], share[SHAMIR_MOST][SHAMIR_LEN];
	size_t place[SHAMIR_MOST];

	for (size_t i = 0; i < L; i++)
		place[i] = i + 1;
	for (size_t i = 0; i < t; i++) {
		size_t j = i + (size_t)rng_below(rng, L - i), swap = place[i];

		place[i] = place[j];
		place[j] = swap;
		shamir_share(s, place[i], share[i]);
	}
	assert_ok(shamir_weights(place, t, weight));
	shamir_join(weight, share[0], t, out);
}

static void test_any_t_give_the_secret(void **state)
{
	static const struct {
		size_t L, t;
	} of[] = { { 1, 1 }, { 2, 2 }, { 3, 2 }, { 5, 3 }, { 5, 5 }, { 100, 51 }, { 255, 128 } };
	uint8_t secret[SHAMIR_LEN], out[SHAMIR_LEN];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 7, 0);
	for (size_t k = 0; k < sizeof(of) / sizeof(*of); k++)
		for (int again = 0; again < 10; again++) {
			struct shamir *s;

			for (size_t i = 0; i < sizeof(secret); i++)
				secret[i] = (uint8_t)rng_below(&rng, 256);
			assert_ok(shamir_new(secret, of[k].t, &s));
			join_some(&rng, s, of[k].L, of[k].t, out);
			assert_memory_equal(out, secret, sizeof(secret));
			if (of[k].t > 1) { /* one fewer: another number, but for 1 in 2^256 */
				join_some(&rng, s, of[k].L, of[k].t - 1, out);
				assert_memory_not_equal(out, secret, sizeof(secret));
			}
			shamir_free(s);
		}
}

/* Sums of shares are shares of the sum, which a wrong field would not give. */
static void test_shares_add_up(void **state)
{
	uint8_t a[SHAMIR_LEN] = { 1, 2, 3 }, b[SHAMIR_LEN] = { 0xff, 0x80 }, weight[3],
		out[SHAMIR_LEN];
	uint8_t share[3][SHAMIR_LEN], other[SHAMIR_LEN];
	const size_t place[] = { 9, 1, 200 };
	struct shamir *s, *r;

	(void)state;
	assert_ok(shamir_new(a, 3, &s));
	assert_ok(shamir_new(b, 3, &r));
	for (size_t i = 0; i < 3; i++) {
		shamir_share(s, place[i], share[i]);
		shamir_share(r, place[i], other);
		for (size_t j = 0; j < SHAMIR_LEN; j++)
			share[i][j] ^= other[j];
	}
	assert_ok(shamir_weights(place, 3, weight));
	shamir_join(weight, share[0], 3, out);
	for (size_t j = 0; j < SHAMIR_LEN; j++)
		assert_int_equal(out[j], a[j] ^ b[j]);
	shamir_free(s);
	shamir_free(r);
}

/* ---- fewer say nothing ---- */

/* Chi square of 256 cells, 255 degrees of freedom: beyond 400 with a probability below 10^-7. */
static double chi_square(const unsigned *count, double n)
{
	double sum = 0, mean = n / 256;

	for (size_t v = 0; v < 256; v++)
		sum += ((double)count[v] - mean) * ((double)count[v] - mean) / mean;
	return sum;
}

/* Of two secrets that are as different as can be, bytes of t - 1 shares, and their exclusive or,
 * are uniform all the same. */
static void test_fewer_say_nothing(void **state)
{
	enum { ROUNDS = 2000 };
	const uint8_t byte[] = { 0x00, 0xff };

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		unsigned first[256] = { 0 }, second[256] = { 0 }, both[256] = { 0 };
		uint8_t secret[SHAMIR_LEN], a[SHAMIR_LEN], b[SHAMIR_LEN];

		memset(secret, byte[k], sizeof(secret));
		for (int i = 0; i < ROUNDS; i++) {
			struct shamir *s;

			assert_ok(shamir_new(secret, 3, &s));
			shamir_share(s, 1, a);
			shamir_share(s, 2, b);
			for (size_t j = 0; j < SHAMIR_LEN; j++) {
				first[a[j]]++;
				second[b[j]]++;
				both[a[j] ^ b[j]]++;
			}
			shamir_free(s);
		}
		assert_true(chi_square(first, ROUNDS * SHAMIR_LEN) < 400);
		assert_true(chi_square(second, ROUNDS * SHAMIR_LEN) < 400);
		assert_true(chi_square(both, ROUNDS * SHAMIR_LEN) < 400);
	}
}

/* Exactly: with t = 2, for each share at a place there is one coefficient to every secret. */
static void test_each_secret_fits(void **state)
{
	bool seen[256] = { false };
	uint8_t secret[SHAMIR_LEN] = { 0 }, coefficient[SHAMIR_LEN] = { 0 }, share[SHAMIR_LEN];

	(void)state;
	secret[0] = 0x53;
	for (unsigned c = 0; c < 256; c++) {
		struct shamir *s;

		coefficient[0] = (uint8_t)c;
		s = shamir_of(secret, coefficient, 2);
		shamir_share(s, 77, share);
		assert_false(seen[share[0]]);
		seen[share[0]] = true;
		shamir_free(s);
	}
}

static void test_wrong_places(void **state)
{
	const size_t zero[] = { 1, 0 }, twice[] = { 4, 9, 4 }, beyond[] = { 256 };
	uint8_t weight[3];

	(void)state;
	assert_int_equal(shamir_weights(zero, 2, weight), ERR_PEER);
	assert_non_null(
	    strstr(err_detail(), "a share at place 0, expected different ones of 1 to 255"));
	assert_int_equal(shamir_weights(twice, 3, weight), ERR_PEER);
	assert_non_null(strstr(err_detail(), "place 4"));
	assert_int_equal(shamir_weights(beyond, 1, weight), ERR_PEER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_answers),
		cmocka_unit_test(test_any_t_give_the_secret),
		cmocka_unit_test(test_shares_add_up),
		cmocka_unit_test(test_fewer_say_nothing),
		cmocka_unit_test(test_each_secret_fits),
		cmocka_unit_test(test_wrong_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
