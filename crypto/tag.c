#include "crypto/tag.h"
#include "crypto/hmac.h"
#include "crypto/prg.h"
#include "crypto/secret.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

static const char LABEL[] = "coterie tag v3";

enum { BLOCK = 256 }; /* number of words in a block, and number of factors a_j */

typedef unsigned __int128 u128;

static const u128 P = ((u128)1 << 127) - 1;
static const uint64_t TOP = UINT64_C(1) << 63;

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are little-endian in memory");
_Static_assert(sizeof(u128) == TAG_LEN, "a number fills a tag");

struct tag {
	struct prg *stream; /* yields a_0 .. a_255, R, b_0, b_1, ... */
	uint8_t key[PRG_KEY_LEN];
	size_t count, words; /* number of words of the vector, and number of words added so far */
	u128 R, power;       /* power: R^q of the current block q */
	u128 sum;            /* sum over the finished blocks */
	u128 low;            /* For the current block, sum_j a_j (x_j + 2^63) = low + 2^128 high. */
	uint64_t high;
	uint64_t a[BLOCK];
	u128 whole; /* tag_excess() of a full block */
};

/* ---- numbers mod p: CT, values canonical ---- */

/* Returns x mod p, by 2^127 = 1 mod p. */
static u128 tag_fold(u128 x)
{
	u128 once = (x & P) + (x >> 127), less = once - P;

	return less + (P & -(less >> 127));
}

/* Returns x y mod p, where x y = 2^128 x1 y1 + 2^64 (x1 y0 + x0 y1) + x0 y0, for x1, y1 < 2^63. */
static u128 times(u128 x, u128 y)
{
	uint64_t x0 = (uint64_t)x, x1 = (uint64_t)(x >> 64);
	uint64_t y0 = (uint64_t)y, y1 = (uint64_t)(y >> 64);
	u128 middle = (u128)x1 * y0 + (u128)x0 * y1;
	u128 upper = 2 * (u128)x1 * y1 + (middle >> 63);
	u128 lower = tag_fold((u128)x0 * y0) + ((middle & (TOP - 1)) << 64);

	return tag_fold(tag_fold(upper) + tag_fold(lower));
}

static u128 tag_load(const uint8_t x[static TAG_LEN])
{
	u128 number;

	memcpy(&number, x, sizeof(number));
	return number;
}

bool tag_is_number(const uint8_t x[static TAG_LEN])
{
	return tag_load(x) < P;
}

void tag_plus(uint8_t acc[static TAG_LEN], const uint8_t x[static TAG_LEN])
{
	u128 sum = tag_fold(tag_load(acc) + tag_load(x));

	memcpy(acc, &sum, sizeof(sum));
}

void tag_minus(uint8_t acc[static TAG_LEN], const uint8_t x[static TAG_LEN])
{
	u128 sum = tag_fold(tag_load(acc) + (P - tag_load(x)));

	memcpy(acc, &sum, sizeof(sum));
}

void tag_uniform(uint8_t x[static TAG_LEN])
{
	u128 number = tag_fold(tag_load(x) & P);

	memcpy(x, &number, sizeof(number));
}

static u128 tag_draw(struct prg *stream)
{
	uint8_t bytes[TAG_LEN];
	u128 number;

	prg_next(stream, bytes, sizeof(bytes));
	tag_uniform(bytes);
	number = tag_load(bytes);
	wipe(bytes, sizeof(bytes));
	return number;
}

/* Returns the sum of the offsets of these parties (ascending numbers). */
static u128 offsets(struct tag *t, const size_t *members, size_t count)
{
	u128 sum = 0;

	prg_start_at(t->stream, t->key, sizeof(t->a) + TAG_LEN * (1 + members[0]));
	for (size_t l = members[0], next = 0; next < count; l++) {
		u128 b = tag_draw(t->stream);

		if (l != members[next])
			continue;
		sum = tag_fold(sum + b);
		next++;
	}
	return sum;
}

/* acc += a (x + 2^63): both factors are below 2^64, so the sum of 256 products is below 2^136. */
static inline void add_word(u128 *low, uint64_t *high, uint64_t a, uint64_t x)
{
	*high += __builtin_add_overflow(*low, (u128)a * (x ^ TOP), low);
}

static void add_words(struct tag *t, const uint64_t *a, const uint64_t *x, size_t n)
{
	u128 low = t->low;
	uint64_t high = t->high;
	size_t j = 0;

	for (; j + 4 <= n; j += 4) {
		add_word(&low, &high, a[j], x[j]);
		add_word(&low, &high, a[j + 1], x[j + 1]);
		add_word(&low, &high, a[j + 2], x[j + 2]);
		add_word(&low, &high, a[j + 3], x[j + 3]);
	}
	for (; j < n; j++)
		add_word(&low, &high, a[j], x[j]);
	t->low = low;
	t->high = high;
}

/* Returns the excess that add_word() adds for the first n words of a block: 2^63 sum_j a_j. */
static u128 tag_excess(const struct tag *t, size_t n)
{
	u128 all = 0;

	for (size_t j = 0; j < n; j++)
		all += t->a[j];
	return tag_fold((all >> 64) + ((all & UINT64_MAX) << 63));
}

/* Ends the current block after n words. 2^128 high = 2 high mod p. */
static void end_block(struct tag *t, size_t n)
{
	u128 less = P - (n == BLOCK ? t->whole : tag_excess(t, n));
	u128 block = tag_fold(tag_fold(tag_fold(t->low) + 2 * (u128)t->high) + less);

	t->sum = tag_fold(t->sum + times(t->power, block));
	t->power = times(t->power, t->R);
	t->low = t->high = 0;
}

static void start_vector(struct tag *t)
{
	t->words = 0;
	t->power = 1;
	t->sum = t->low = t->high = 0;
}

struct tag *tag_new(const uint8_t key[static TAG_KEY_LEN],
		    const uint8_t session[static TAG_SESSION_LEN], uint32_t group, uint64_t number,
		    size_t count)
{
	uint8_t info[sizeof(LABEL) - 1 + TAG_SESSION_LEN + sizeof(group) + 2 * sizeof(number)];
	struct tag *t = secret_new(sizeof(*t));
	uint64_t n = htobe64(count);
	uint8_t *at = info;

	assert(count > 0);
	group = htobe32(group);
	number = htobe64(number);
	at = mempcpy(at, LABEL, sizeof(LABEL) - 1);
	at = mempcpy(at, session, TAG_SESSION_LEN);
	at = mempcpy(at, &group, sizeof(group));
	at = mempcpy(at, &number, sizeof(number));
	memcpy(at, &n, sizeof(n));
	kdf_expand(key, (struct bytes){ info, sizeof(info) }, t->key, sizeof(t->key));
	t->stream = prg_new();
	prg_start(t->stream, t->key);
	prg_next(t->stream, t->a, sizeof(t->a));
	t->R = tag_draw(t->stream);
	t->whole = tag_excess(t, BLOCK);
	t->count = count;
	start_vector(t);
	return t;
}

void tag_add(struct tag *t, const uint64_t *x, size_t n)
{
	assert(n <= t->count - t->words);
	while (n) {
		size_t held = t->words % BLOCK, take = n < BLOCK - held ? n : BLOCK - held;

		add_words(t, t->a + held, x, take);
		t->words += take;
		x += take;
		n -= take;
		if (t->words % BLOCK == 0)
			end_block(t, BLOCK);
	}
}

/* Returns H(x) and resets for the next vector. */
static u128 end_vector(struct tag *t)
{
	u128 sum;

	assert(t->words == t->count);
	end_block(t, t->words % BLOCK);
	sum = t->sum;
	start_vector(t);
	return sum;
}

bool tag_in_range(const uint64_t *x, size_t n)
{
	size_t outside = 0;

	for (size_t i = 0; i < n; i++)
		outside += x[i] == TOP;
	return !outside;
}

void tag_make(struct tag *t, size_t party, uint8_t tau[static TAG_LEN])
{
	u128 sum = tag_fold(end_vector(t) + offsets(t, &party, 1));

	memcpy(tau, &sum, sizeof(sum));
}

bool tag_holds(struct tag *t, const size_t *members, size_t count,
	       const uint8_t told[static TAG_LEN])
{
	u128 sum = tag_fold(end_vector(t) + offsets(t, members, count));

	return (sum ^ tag_load(told)) == 0;
}

void tag_free(struct tag *t)
{
	if (t)
		prg_free(t->stream);
	secret_free(t, sizeof(*t));
}
