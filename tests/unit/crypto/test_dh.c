#include "tests/test.h"
#include "crypto/dh.h"
#include "crypto/x25519.h"
#include "tests/unit/crypto/hex.h"

#include <gmp.h>
#include <stdbool.h>

static const unsigned all_bits[] = { 2048, 3072, 4096, 255 };
enum { PRIMES = 3, GROUPS = sizeof(all_bits) / sizeof(all_bits[0]) }; /* the last group is X25519 */

/* Computes floor(2^power e) from the series of e, with guard bits. */
static void e_times(mpz_t out, unsigned power)
{
	enum { GUARD = 64 };
	mpz_t term;

	mpz_init(term);
	mpz_setbit(term, power + GUARD);
	mpz_set_ui(out, 0);
	for (unsigned k = 1; mpz_sgn(term) > 0; k++) {
		mpz_add(out, out, term);
		mpz_fdiv_q_ui(term, term, k);
	}
	mpz_fdiv_q_2exp(out, out, GUARD);
	mpz_clear(term);
}

/* The prime p of b bits is as in RFC 7919, Appendix A, with X from x[]: p = 2^b - 2^(b-64) +
 * (floor(2^(b-130) e) + X) 2^64 - 1, a safe prime. */
TEST(primes_follow_rfc7919)
{
	static const unsigned long x[PRIMES] = { 560316, 2625351, 5736041 };

	for (int i = 0; i < PRIMES; i++) {
		unsigned b = all_bits[i];
		mpz_t p, t, embedded;

		mpz_inits(p, t, NULL);
		e_times(p, b - 130);
		mpz_add_ui(p, p, x[i]);
		mpz_mul_2exp(p, p, 64);
		mpz_setbit(t, b);
		mpz_add(p, p, t);
		mpz_set_ui(t, 0);
		mpz_setbit(t, b - 64);
		mpz_sub(p, p, t);
		mpz_sub_ui(p, p, 1);
		assert_int_equal(mpz_init_set_str(embedded, dh_prime(dh_group(b)), 16), 0);
		assert_int_equal(mpz_cmp(p, embedded), 0);
		assert_int_not_equal(mpz_probab_prime_p(p, 25), 0);
		mpz_fdiv_q_2exp(t, p, 1);
		assert_int_not_equal(mpz_probab_prime_p(t, 25), 0);
		mpz_set_ui(t, 2);
		assert_int_equal(mpz_jacobi(t, p), 1); /* g = 2 generates the squares */
		mpz_clears(p, t, embedded, NULL);
	}
	assert_null(dh_group(1024));
	assert_null(dh_group(0));
}

static const struct vector {
	unsigned bits;
	const char *a, *public_a, *b, *public_b, *shared;
} vectors[] = {
#include "tests/vectors/dh.inc"
};

TEST(known_answers)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const struct vector *v = &vectors[i];
		const struct dh_group *g = dh_group(v->bits);
		uint8_t a[DH_SECRET_LEN], b[DH_SECRET_LEN], got[DH_BYTES_MAX], want[DH_BYTES_MAX];
		size_t n = (v->bits + 7) / 8;

		assert_int_equal(dh_len(g), n);
		assert_int_equal(unhex(v->a, a), DH_SECRET_LEN);
		assert_int_equal(unhex(v->b, b), DH_SECRET_LEN);
		assert_int_equal(unhex(v->public_a, want), n);
		struct dh_key *key_a = dh_key_new(g, a), *key_b = dh_key_new(g, b);

		dh_public(key_a, got);
		assert_memory_equal(got, want, n);
		dh_shared(key_b, got, got);
		unhex(v->shared, want);
		assert_memory_equal(got, want, n);
		unhex(v->public_b, got);
		dh_shared(key_a, got, got);
		assert_memory_equal(got, want, n);
		dh_key_free(key_a);
		dh_key_free(key_b);
	}
}

TEST(fresh_keys_agree)
{
	for (int i = 0; i < GROUPS; i++) {
		const struct dh_group *g = dh_group(all_bits[i]);
		uint8_t a[DH_SECRET_LEN], b[DH_SECRET_LEN];
		uint8_t public_a[DH_BYTES_MAX], public_b[DH_BYTES_MAX];
		uint8_t ab[DH_BYTES_MAX], ba[DH_BYTES_MAX];
		struct dh_key *key_a, *key_b;

		assert_ok(dh_secret(a));
		assert_ok(dh_secret(b));
		assert_int_equal(a[0] & b[0] & 0x80, 0x80);
		assert_memory_not_equal(a, b, sizeof(a));
		key_a = dh_key_new(g, a);
		key_b = dh_key_new(g, b);
		dh_public(key_a, public_a);
		dh_public(key_b, public_b);
		assert_null(dh_check(g, (struct bytes){ public_a, dh_len(g) }));
		assert_null(dh_check(g, (struct bytes){ public_b, dh_len(g) }));
		dh_shared(key_a, public_b, ab);
		dh_shared(key_b, public_a, ba);
		assert_memory_equal(ab, ba, dh_len(g));
		dh_key_free(key_a);
		dh_key_free(key_b);
	}
}

/* Returns p + delta as bytes if from_prime, otherwise delta. */
static struct bytes number(const struct dh_group *g, bool from_prime, long delta, uint8_t *out)
{
	mpz_t s;
	size_t n;

	mpz_init_set_str(s, from_prime ? dh_prime(g) : "0", 16);
	if (delta < 0)
		mpz_sub_ui(s, s, (unsigned long)-delta);
	else
		mpz_add_ui(s, s, (unsigned long)delta);
	memset(out, 0, dh_len(g));
	n = (mpz_sizeinbase(s, 2) + 7) / 8;
	if (mpz_sgn(s))
		mpz_export(out + dh_len(g) - n, NULL, 1, 1, 1, 0, s);
	mpz_clear(s);
	return (struct bytes){ out, dh_len(g) };
}

TEST(refuses_bad_public_keys)
{
	for (int i = 0; i < PRIMES; i++) {
		const struct dh_group *g = dh_group(all_bits[i]);
		uint8_t s[DH_BYTES_MAX + 1];
		struct bytes good;

		assert_string_equal(dh_check(g, number(g, false, 0, s)), "it is below 2");
		assert_string_equal(dh_check(g, number(g, false, 1, s)), "it is below 2");
		assert_null(dh_check(g, number(g, false, 2, s)));
		assert_string_equal(dh_check(g, number(g, true, -1, s)), "it is above p - 2");
		assert_string_equal(dh_check(g, number(g, true, 0, s)), "it is above p - 2");
		assert_string_equal(dh_check(g, number(g, true, 1, s)), "it is above p - 2");
		/* p = 7 mod 8, so -1 is not a square, and of 4 and p - 4 only 4 is a square. */
		assert_null(dh_check(g, number(g, false, 4, s)));
		assert_string_equal(dh_check(g, number(g, true, -4, s)),
				    "it is not in the subgroup of prime order");
		assert_string_equal(dh_check(g, number(g, true, -2, s)),
				    "it is not in the subgroup of prime order");
		good = number(g, false, 4, s);
		good.n--;
		assert_string_equal(dh_check(g, good), "it is not as long as the group's prime");
		good.n += 2;
		assert_string_equal(dh_check(g, good), "it is not as long as the group's prime");
		assert_string_equal(dh_check(g, (struct bytes){ NULL, 0 }),
				    "it is not as long as the group's prime");
	}
}

static bool times(const uint8_t *scalar, const uint8_t *point, uint8_t *out)
{
	struct x25519 *x = x25519_new(scalar);
	bool finite = x25519(x, point, out);

	x25519_free(x);
	return finite;
}

/* Refuses the points of small order of the curve and its twist, in every encoding, numbers
 * above p - 2, and a wrong length. */
TEST(refuses_bad_points)
{
	static const struct {
		const char *u, *why; /* u is little-endian hexadecimal */
	} bad[] = {
		{ "0000000000000000000000000000000000000000000000000000000000000000",
		  "it is below 2" },
		{ "0100000000000000000000000000000000000000000000000000000000000000",
		  "it is below 2" },
		{ "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
		  "it is a point of small order" },
		{ "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
		  "it is a point of small order" },
		{ "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		  "it is above p - 2" },
		{ "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		  "it is above p - 2" },
		{ "0900000000000000000000000000000000000000000000000000000000000080",
		  "it is above p - 2" },
		{ "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b880",
		  "it is above p - 2" },
	};
	static const uint8_t scalar[X25519_LEN] = { 1, 2, 3 };
	const struct dh_group *g = dh_group(255);
	uint8_t u[DH_BYTES_MAX];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(unhex(bad[i].u, u), 32);
		assert_string_equal(dh_check(g, (struct bytes){ u, 32 }), bad[i].why);
		if (strstr(bad[i].why, "small order"))
			assert_false(times(scalar, u, u));
	}
	assert_string_equal(dh_check(g, (struct bytes){ u, 31 }),
			    "it is not as long as the group's prime");
	unhex("0900000000000000000000000000000000000000000000000000000000000000", u);
	assert_null(dh_check(g, (struct bytes){ u, 32 }));
}

/* Compares X25519 with the test vectors of RFC 7748, 5.2: the first one, and a thousand
 * iterations. */
TEST(x25519_as_in_the_rfc)
{
	uint8_t k[X25519_LEN], u[X25519_LEN], want[X25519_LEN];

	unhex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4", k);
	unhex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c", u);
	unhex("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552", want);
	assert_true(times(k, u, u));
	assert_memory_equal(u, want, X25519_LEN);

	memcpy(k, (const uint8_t[X25519_LEN]){ 9 }, X25519_LEN);
	memcpy(u, k, X25519_LEN);
	for (int i = 0; i < 1000; i++) {
		uint8_t next[X25519_LEN];

		assert_true(times(k, u, next));
		memcpy(u, k, X25519_LEN);
		memcpy(k, next, X25519_LEN);
	}
	unhex("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51", want);
	assert_memory_equal(k, want, X25519_LEN);
}
