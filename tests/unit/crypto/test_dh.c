#include "tests/test.h"
#include "crypto/dh.h"
#include "tests/unit/crypto/hex.h"

#include <gmp.h>
#include <stdbool.h>

static const unsigned all_bits[] = { 2048, 3072, 4096 };
enum { GROUPS = sizeof(all_bits) / sizeof(all_bits[0]) };

/* floor(2^power e) by its series, with guard bits. */
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

/* RFC 7919, Appendix A: p = 2^b - 2^(b-64) + (floor(2^(b-130) e) + X) 2^64 - 1, a safe prime. */
static void primes_follow_rfc7919(void **state)
{
	static const unsigned long x[GROUPS] = { 560316, 2625351, 5736041 };

	(void)state;
	for (int i = 0; i < GROUPS; i++) {
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

static void known_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const struct vector *v = &vectors[i];
		const struct dh_group *g = dh_group(v->bits);
		uint8_t a[DH_SECRET_LEN], b[DH_SECRET_LEN], got[DH_BYTES_MAX], want[DH_BYTES_MAX];
		size_t n = v->bits / 8;

		assert_int_equal(dh_len(g), n);
		assert_int_equal(unhex(v->a, a), DH_SECRET_LEN);
		assert_int_equal(unhex(v->b, b), DH_SECRET_LEN);
		assert_int_equal(unhex(v->public_a, want), n);
		dh_public(g, a, got);
		assert_memory_equal(got, want, n);
		dh_shared(g, b, got, got);
		unhex(v->shared, want);
		assert_memory_equal(got, want, n);
		unhex(v->public_b, got);
		dh_shared(g, a, got, got);
		assert_memory_equal(got, want, n);
	}
}

static void fresh_keys_agree(void **state)
{
	(void)state;
	for (int i = 0; i < GROUPS; i++) {
		const struct dh_group *g = dh_group(all_bits[i]);
		uint8_t a[DH_SECRET_LEN], b[DH_SECRET_LEN];
		uint8_t public_a[DH_BYTES_MAX], public_b[DH_BYTES_MAX];
		uint8_t ab[DH_BYTES_MAX], ba[DH_BYTES_MAX];

		assert_ok(dh_secret(a));
		assert_ok(dh_secret(b));
		assert_int_equal(a[0] & b[0] & 0x80, 0x80);
		assert_memory_not_equal(a, b, sizeof(a));
		dh_public(g, a, public_a);
		dh_public(g, b, public_b);
		assert_null(dh_check(g, (struct bytes){ public_a, dh_len(g) }));
		assert_null(dh_check(g, (struct bytes){ public_b, dh_len(g) }));
		dh_shared(g, a, public_b, ab);
		dh_shared(g, b, public_a, ba);
		assert_memory_equal(ab, ba, dh_len(g));
	}
}

/* p + delta as bytes, or delta alone. */
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

static void refuses_bad_public_keys(void **state)
{
	(void)state;
	for (int i = 0; i < GROUPS; i++) {
		const struct dh_group *g = dh_group(all_bits[i]);
		uint8_t s[DH_BYTES_MAX + 1];
		struct bytes good;

		assert_string_equal(dh_check(g, number(g, false, 0, s)), "it is below 2");
		assert_string_equal(dh_check(g, number(g, false, 1, s)), "it is below 2");
		assert_null(dh_check(g, number(g, false, 2, s)));
		assert_string_equal(dh_check(g, number(g, true, -1, s)), "it is above p - 2");
		assert_string_equal(dh_check(g, number(g, true, 0, s)), "it is above p - 2");
		assert_string_equal(dh_check(g, number(g, true, 1, s)), "it is above p - 2");
		/* p = 7 mod 8, so -1 is no square: of 4 and p - 4 just one is. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(primes_follow_rfc7919),
		cmocka_unit_test(known_answers),
		cmocka_unit_test(fresh_keys_agree),
		cmocka_unit_test(refuses_bad_public_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
