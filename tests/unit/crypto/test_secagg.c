/* Masks cancel in the sum of exactly the parties that they are for, and in no other sum. */
#include "tests/unit/crypto/federation.h"
#include "common/base/rng.h"

#include <math.h>

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
		if (i + 1 < f->parties) { /* the masks hide the sum until the last term */
			fixed_decode(&fixed, acc, WORDS, got);
			assert_memory_not_equal(got, want, 8 * sizeof(*got));
		}
	}
	fixed_decode(&fixed, acc, WORDS, got);
	assert_memory_equal(got, want, sizeof(want)); /* whole steps, so the sum is exact */
}

TEST(masks_cancel)
{
	struct rng r;

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

/* Sums a subset of the parties, and two open sums with interleaved chunks. */
TEST(subsets_and_interleaving)
{
	static const size_t some[] = { 0, 2, 3 }, pair[] = { 2, 3 };
	uint64_t acc[2][100] = { 0 }, words[2][100], round;
	struct federation f;

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

/* A sum must fail if one party has received anything different from the other parties. */
TEST(masks_cancel_only_if_all_agree)
{
	static const uint8_t other[SECAGG_HASH_LEN] = { 43 };
	static const size_t three[] = { 0, 1, 2 };
	uint64_t a[64], b[64], round;
	struct federation f;
	struct secagg_setup setup;

	advertise(&f, 2, 64);
	agree(&f);
	assert_true(cancels(&f));
	masked_zeros(&f, 0, everyone, 2, transcript, a, 64, &round);
	masked_zeros(&f, 1, everyone, 2, other, b, 64, &round); /* with another transcript */
	assert_memory_not_equal(&(uint64_t){ a[0] + b[0] }, &(uint64_t){ 0 }, 8);
	assert_true(cancels(&f));
	/* The round differs, because party 0 has opened one more sum. */
	masked_zeros(&f, 0, everyone, 2, transcript, a, 64, &round);
	assert_false(cancels(&f));
	leave(&f);

	/* Masks with different member lists do not cancel. */
	advertise(&f, 3, 64);
	agree(&f);
	masked_zeros(&f, 0, everyone, 2, transcript, a, 64, &round);
	masked_zeros(&f, 1, three, 3, transcript, b, 64, &round);
	assert_true(a[0] + b[0] != 0);
	masked_zeros(&f, 1, everyone, 2, transcript, b, 64, &round);
	for (int k = 0; k < 64; k++)
		assert_true(a[k] + b[k] == 0);
	leave(&f);

	/* With a different job id, attempt or parameters, the other party refuses the advertisement
	 * itself, because its signature does not fit. */
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

/* Each attempt has new secret exponents, so masks of two jobs differ even if everything else is the
 * same. */
TEST(attempts_have_new_keys)
{
	uint64_t a[64], b[64], round;
	struct federation f;

	for (int k = 0; k < 2; k++) {
		advertise(&f, 2, 64);
		agree(&f);
		masked_zeros(&f, 0, everyone, 2, transcript, k ? b : a, 64, &round);
		leave(&f);
	}
	assert_memory_not_equal(a, b, 8);
}

TEST(rounds_rise_for_good)
{
	static const size_t pair[] = { 0, 1 }, others[] = { 0, 2 };
	uint64_t seen[3][8], round;
	struct federation f;
	struct mask *m, *again;

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
	/* A round that was opened counts even if its mask was not used. */
	assert_ok(secagg_open(f.sa[0], pair, 2, transcript, &m, &round));
	assert_int_equal(round, 3);
	mask_close(m);
	assert_ok(secagg_open(f.sa[0], pair, 2, transcript, &again, &round));
	assert_int_equal(round, 4);
	/* a closed mask is used again, so memory does not grow with the rounds */
	assert_ptr_equal(again, m);
	leave(&f); /* one mask is still open */
}

TEST(impossible_members_are_refused)
{
	static const size_t without[] = { 1, 2 }, falling[] = { 1, 0 }, twice[] = { 0, 0 },
			    beyond[] = { 0, 3 };
	uint64_t round;
	struct federation f;
	struct mask *m;

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

TEST(chunks_equal_one_call)
{
	static uint64_t whole[WORDS], parts[WORDS];

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
			/* The masks of parties 0 and 2 add up to the negative of party 1's mask. */
			for (size_t i = 0; i < 3; i += 2) {
				assert_ok(
				    secagg_open(f[0].sa[i], everyone, 3, transcript, &m, &round));
				mask_add(m, parts, WORDS);
				mask_close(m);
			}
			/* Parties 0 and 2 also share a mask, which cancels. */
			assert_memory_equal(parts, whole, sizeof(whole));
			leave(&f[0]);
		}
}

/* The bytes of masked zeros look uniform. Chi-square with 255 degrees of freedom has mean 255 and
 * standard deviation 22.6; 140 .. 420 excludes less than 1e-9 on either side. */
TEST(masked_zeros_look_uniform)
{
	enum { N = 1 << 17 };
	static uint64_t words[N];

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

TESTS_BETWEEN(make, unmake)
