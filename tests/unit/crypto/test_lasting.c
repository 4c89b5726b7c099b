/* Sums of those who are left: word for word, of any of them; and what one member answers opens no
 * one both ways. */
#include "tests/unit/crypto/federation.h"
#include "common/base/rng.h"
#include "crypto/lasting.h"
#include "crypto/mask.h"

enum { N = 300 };

struct sum {
	struct federation *f;
	size_t count; /* members: parties 0 .. count - 1 */
	struct lasting *s[MOST];
	uint64_t x[MOST][N], masked[MOST][N];
};

/* All members open the sum, share their seeds, and mask their words. */
static void open_sum(struct sum *sum, struct federation *f, struct rng *r)
{
	uint8_t share[SHAMIR_LEN];

	*sum = (struct sum){ .f = f, .count = f->parties };
	for (size_t i = 0; i < sum->count; i++) {
		struct mask *m;
		uint64_t round;

		assert_ok(lasting_open(f->sa[i], everyone, sum->count, lasting_least(f->parties),
				       transcript, &m, &round, &sum->s[i]));
		for (size_t k = 0; k < N; k++)
			sum->x[i][k] = rng_u64(r);
		memcpy(sum->masked[i], sum->x[i], sizeof(sum->x[i]));
		mask_add(m, sum->masked[i], 100); /* in two pieces */
		mask_add(m, (uint8_t *)sum->masked[i] + 100 * f->modulus_bits / 8, N - 100);
		mask_close(m);
	}
	for (size_t i = 0; i < sum->count; i++)
		for (size_t j = 0; j < sum->count; j++) {
			if (j == i)
				continue;
			lasting_share(sum->s[i], j, share);
			lasting_keep(sum->s[j], i, share);
		}
}

static void close_sum(struct sum *sum)
{
	for (size_t i = 0; i < sum->count; i++)
		lasting_free(sum->s[i]);
}

static size_t list_of(unsigned set, size_t count, size_t *left)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (set >> i & 1)
			left[n++] = i;
	return n;
}

/* The words over those in the set, by the answers that they give. */
static void lift(struct sum *sum, unsigned set, const uint8_t *const *answer, uint64_t *acc)
{
	size_t left[MOST], n = list_of(set, sum->count, left);
	struct fixed fixed = { sum->f->modulus_bits, 0, sum->count };
	struct mask *list = NULL, *m;

	memset(acc, 0, N * sizeof(*acc));
	for (size_t i = 0; i < n; i++)
		fixed_add(&fixed, acc, sum->masked[left[i]], N);
	lasting_lift(sum->f->modulus_bits, lasting_least(sum->f->parties), everyone, sum->count,
		     left, n, answer, &list, &m);
	mask_add(m, acc, N);
	mask_close(m);
	mask_free(list);
}

static void want(const struct sum *sum, unsigned set, uint64_t *acc)
{
	struct fixed fixed = { sum->f->modulus_bits, 0, sum->count };

	memset(acc, 0, N * sizeof(*acc));
	for (size_t i = 0; i < sum->count; i++)
		if (set >> i & 1)
			fixed_add(&fixed, acc, sum->x[i], N);
}

static void all_answer(struct sum *sum, unsigned set, uint8_t (*answer)[MOST * SHAMIR_LEN],
		       const uint8_t **view)
{
	size_t left[MOST], n = list_of(set, sum->count, left);

	for (size_t i = 0; i < n; i++) {
		assert_ok(lasting_left(sum->s[left[i]], left, n));
		lasting_answer(sum->s[left[i]], answer[i]);
		view[i] = answer[i];
	}
}

/* ---- any list that is long enough ---- */

static void test_every_list(void **state)
{
	static uint64_t got[N], expected[N];
	uint8_t answer[MOST][MOST * SHAMIR_LEN];
	const uint8_t *view[MOST];
	struct rng r;

	(void)state;
	rng_seed(&r, 5, 0);
	for (size_t parties = 3; parties <= 6; parties++)
		for (unsigned bits = 32; bits <= 64; bits += 32) {
			struct federation f;

			advertise(&f, parties, bits);
			agree(&f);
			for (unsigned set = 1; set < 1u << parties; set++) {
				struct sum sum;

				if ((size_t)__builtin_popcount(set) < lasting_least(parties))
					continue;
				open_sum(&sum, &f, &r);
				all_answer(&sum, set, answer, view);
				lift(&sum, set, view, got);
				want(&sum, set, expected);
				assert_memory_equal(got, expected, N * bits / 8);
				close_sum(&sum);
			}
			leave(&f);
		}
}

/* The next sum has the members that are left, and is had when more are lost. */
static void test_fewer_and_fewer(void **state)
{
	static uint64_t got[N], expected[N];
	uint8_t answer[MOST][MOST * SHAMIR_LEN];
	const uint8_t *view[MOST];
	const size_t members[] = { 0, 2, 3, 4 }, left[] = { 0, 2, 4 };
	struct federation f;
	struct lasting *s[4];
	struct mask *list = NULL, *m;
	struct fixed fixed = { 64, 0, 5 };
	struct rng r;

	(void)state;
	rng_seed(&r, 6, 0);
	advertise(&f, 5, 64);
	agree(&f);
	memset(got, 0, sizeof(got));
	memset(expected, 0, sizeof(expected));
	for (size_t i = 0; i < 4; i++) {
		static uint64_t x[N];
		uint64_t round;

		assert_ok(
		    lasting_open(f.sa[members[i]], members, 4, 3, transcript, &m, &round, &s[i]));
		for (size_t k = 0; k < N; k++)
			x[k] = rng_u64(&r);
		if (members[i] != 3)
			fixed_add(&fixed, expected, x, N);
		mask_add(m, x, N);
		mask_close(m);
		if (members[i] != 3)
			fixed_add(&fixed, got, x, N);
	}
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < 4; j++) {
			uint8_t share[SHAMIR_LEN];

			if (i == j)
				continue;
			lasting_share(s[i], members[j], share);
			lasting_keep(s[j], members[i], share);
		}
	for (size_t i = 0, n = 0; i < 4; i++) {
		if (members[i] == 3)
			continue;
		assert_ok(lasting_left(s[i], left, 3));
		lasting_answer(s[i], answer[n]);
		view[n] = answer[n];
		n++;
	}
	lasting_lift(64, 3, members, 4, left, 3, view, &list, &m);
	mask_add(m, got, N);
	mask_close(m);
	mask_free(list);
	assert_memory_equal(got, expected, sizeof(got));
	for (size_t i = 0; i < 4; i++)
		lasting_free(s[i]);
	leave(&f);
}

/* ---- what does not open ---- */

/* Whoever is said to be lost stays behind its own seed, though all have given the keys of their
 * masks with it. */
static void test_who_is_lost_stays_masked(void **state)
{
	static uint64_t open[N];
	uint8_t answer[MOST][MOST * SHAMIR_LEN];
	const uint8_t *view[MOST];
	struct federation f;
	struct mask *list = NULL, *m;
	struct sum sum;
	struct rng r;

	(void)state;
	rng_seed(&r, 8, 0);
	advertise(&f, 4, 64);
	agree(&f);
	open_sum(&sum, &f, &r);
	all_answer(&sum, 0xb, answer, view); /* 0, 1, 3: 2 is lost */
	memcpy(open, sum.masked[2], sizeof(open));
	m = mask_take(&list, 64);
	for (size_t i = 0; i < 3; i++) /* party 2's masks: plus for those behind it */
		mask_peer(m, answer[i] + 2 * SHAMIR_LEN, i == 2 ? MASK_MINUS : MASK_PLUS);
	mask_add(m, open, N);
	mask_close(m);
	mask_free(list);
	assert_memory_not_equal(open, sum.x[2], sizeof(open));
	close_sum(&sum);
	leave(&f);
}

/* Two lists: to 0 and 1 all are left, to 2, 3 and 4 all but 1. None of the two sums is had. */
static void test_two_lists(void **state)
{
	static uint64_t got[N], expected[N];
	const size_t all[] = { 0, 1, 2, 3, 4 }, some[] = { 0, 2, 3, 4 };
	uint8_t one[2][MOST * SHAMIR_LEN], other[3][MOST * SHAMIR_LEN];
	uint8_t none[MOST * SHAMIR_LEN] = { 0 };
	struct federation f;
	struct sum sum;
	struct rng r;

	(void)state;
	rng_seed(&r, 9, 0);
	advertise(&f, 5, 64);
	agree(&f);
	open_sum(&sum, &f, &r);
	for (size_t i = 0; i < 2; i++) {
		assert_ok(lasting_left(sum.s[i], all, 5));
		lasting_answer(sum.s[i], one[i]);
	}
	for (size_t i = 0; i < 3; i++) {
		assert_ok(lasting_left(sum.s[i + 2], some, 4));
		lasting_answer(sum.s[i + 2], other[i]);
	}
	{
		/* Over all: of 1's seed there are two shares, of three. */
		uint8_t made[3][MOST * SHAMIR_LEN];
		const uint8_t *view[] = { one[0], one[1], made[0], made[1], made[2] };

		for (size_t i = 0; i < 3; i++) {
			memcpy(made[i], other[i], SHAMIR_LEN);
			memset(made[i] + SHAMIR_LEN, 0, SHAMIR_LEN);
			memcpy(made[i] + 2 * SHAMIR_LEN, other[i] + SHAMIR_LEN + PRG_KEY_LEN,
			       3 * SHAMIR_LEN);
		}
		lift(&sum, 0x1f, view, got);
		want(&sum, 0x1f, expected);
		assert_memory_not_equal(got, expected, sizeof(got));
	}
	{
		/* Without 1: 0 has not given the key of its mask with it. */
		uint8_t made[MOST * SHAMIR_LEN];
		const uint8_t *view[] = { made, other[0], other[1], other[2] };

		memcpy(made, one[0], SHAMIR_LEN);
		memcpy(made + SHAMIR_LEN, none, PRG_KEY_LEN);
		memcpy(made + SHAMIR_LEN + PRG_KEY_LEN, one[0] + 2 * SHAMIR_LEN, 3 * SHAMIR_LEN);
		lift(&sum, 0x1d, view, got);
		want(&sum, 0x1d, expected);
		assert_memory_not_equal(got, expected, sizeof(got));
	}
	close_sum(&sum);
	leave(&f);
}

static void test_one_answer(void **state)
{
	const size_t all[] = { 0, 1, 2, 3, 4 }, three[] = { 0, 2, 3 }, two[] = { 0, 1 };
	const size_t falling[] = { 2, 0, 3 }, twice[] = { 0, 0, 1 }, beyond[] = { 0, 1, 7 };
	const size_t others[] = { 1, 2, 3 };
	uint8_t answer[MOST * SHAMIR_LEN];
	struct federation f;
	struct sum sum;
	struct rng r;

	(void)state;
	rng_seed(&r, 10, 0);
	advertise(&f, 5, 64);
	agree(&f);
	open_sum(&sum, &f, &r);
	assert_err(lasting_left(sum.s[0], two, 2), ERR_PEER,
		   "2 of 5 members are left, expected 3 or more");
	assert_err(lasting_left(sum.s[0], falling, 3), ERR_PEER, "party 0 is said to be left");
	assert_err(lasting_left(sum.s[0], twice, 3), ERR_PEER, "party 0 is said to be left");
	assert_err(lasting_left(sum.s[0], beyond, 3), ERR_PEER, "party 7 is said to be left");
	assert_err(lasting_left(sum.s[0], others, 3), ERR_PEER, "this party is said to be lost");
	assert_ok(lasting_left(sum.s[0], three, 3));
	assert_err(lasting_left(sum.s[0], all, 5), ERR_PEER, "answered once");
	lasting_answer(sum.s[0], answer);
	assert_err(lasting_left(sum.s[0], three, 3), ERR_PEER, "answered once");
	assert_int_equal(lasting_answer_len(5, 3), 3 * 32 + 2 * 16);
	close_sum(&sum);
	leave(&f);
}

/* Seeds are new in each sum, and so is what is on the words, were even the pairs' masks known. */
static void test_seeds_are_new(void **state)
{
	uint8_t a[SHAMIR_LEN], b[SHAMIR_LEN];
	struct federation f;
	struct sum one, two;
	struct rng r;

	(void)state;
	rng_seed(&r, 11, 0);
	advertise(&f, 3, 64);
	agree(&f);
	open_sum(&one, &f, &r);
	open_sum(&two, &f, &r);
	lasting_share(one.s[0], 1, a);
	lasting_share(two.s[0], 1, b);
	assert_memory_not_equal(a, b, sizeof(a));
	close_sum(&one);
	close_sum(&two);
	leave(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_list),
		cmocka_unit_test(test_fewer_and_fewer),
		cmocka_unit_test(test_who_is_lost_stays_masked),
		cmocka_unit_test(test_two_lists),
		cmocka_unit_test(test_one_answer),
		cmocka_unit_test(test_seeds_are_new),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
