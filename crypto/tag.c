#include "crypto/tag.h"
#include "common/base/alloc.h"
#include "crypto/hmac.h"
#include "crypto/secret.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

static const char LABEL[] = "coterie tag v1";

/* Words of a block: sums of as many products below 2^118 stay in 127 bits, and are reduced once. */
enum { BLOCK = 256 };

typedef __int128 wide;
typedef unsigned __int128 uwide;

struct tag {
	uint8_t key[TAG_KEY_LEN];
	uint32_t group;
	uint64_t number;
	size_t held; /* words of the block under way */
	struct {
		int64_t power[BLOCK]; /* r, r^2, ... */
		uint64_t before;      /* r^(words of the blocks that are over) */
		uint64_t sum;         /* of those blocks */
		wide block;           /* of the one under way, as if it were the first */
	} of[TAG_WORDS];
};

/* x mod p for x < 2^127: 2^55 = 55 mod p, twice. */
static uint64_t reduce(uwide x)
{
	const uint64_t low = (1ULL << 55) - 1;
	uwide once = (x >> 55) * 55 + ((uint64_t)x & low);                     /* < 2^78 */
	uint64_t twice = (uint64_t)(once >> 55) * 55 + ((uint64_t)once & low); /* < 2^56 */
	uint64_t less = twice - TAG_PRIME;

	return less + (TAG_PRIME & -(less >> 63));
}

static uint64_t times(uint64_t a, uint64_t b)
{
	return reduce((uwide)a * b);
}

/* x mod p of either sign, |x| < 2^126 - 55 2^71, which 256 products are. */
static uint64_t reduce_signed(wide x)
{
	return reduce((uwide)(x + ((wide)TAG_PRIME << 71)));
}

/* Two numbers below p: 16 bytes each are uniform but for 2^-73. */
static void draw(const struct tag *t, uint32_t what, uint64_t out[static TAG_WORDS])
{
	uint32_t group = htobe32(t->group), of = htobe32(what);
	uint64_t number = htobe64(t->number), bytes[2 * TAG_WORDS];
	struct buf info = { 0 };

	buf_add(&info, LABEL, sizeof(LABEL) - 1);
	buf_add(&info, &group, sizeof(group));
	buf_add(&info, &number, sizeof(number));
	buf_add(&info, &of, sizeof(of));
	kdf_expand(t->key, (struct bytes){ info.p, info.n }, (uint8_t *)bytes, sizeof(bytes));
	for (size_t i = 0; i < TAG_WORDS; i++) {
		uint64_t high = be64toh(bytes[2 * i]), low = be64toh(bytes[2 * i + 1]);

		out[i] = reduce((uwide)reduce(high) * (1ULL << 32) * (1ULL << 32) + low);
	}
	wipe(bytes, sizeof(bytes));
	buf_release(&info);
}

struct tag *tag_new(const uint8_t key[static TAG_KEY_LEN], uint32_t group, uint64_t number,
		    size_t count)
{
	struct tag *t = secret_new(sizeof(*t));
	size_t powers = count < BLOCK ? count : BLOCK;
	uint64_t r[TAG_WORDS];

	memcpy(t->key, key, TAG_KEY_LEN);
	t->group = group;
	t->number = number;
	draw(t, UINT32_MAX, r);
	for (size_t i = 0; i < TAG_WORDS; i++) {
		uint64_t power = 1;

		t->of[i].before = 1;
		for (size_t j = 0; j < powers; j++)
			t->of[i].power[j] = (int64_t)(power = times(power, r[i]));
	}
	wipe(r, sizeof(r));
	return t;
}

static void end_block(struct tag *t)
{
	for (size_t i = 0; i < TAG_WORDS; i++) {
		uint64_t last = (uint64_t)t->of[i].power[BLOCK - 1];
		uint64_t block = reduce_signed(t->of[i].block);

		t->of[i].sum = reduce((uwide)t->of[i].sum + times(t->of[i].before, block));
		t->of[i].before = times(t->of[i].before, last);
		t->of[i].block = 0;
	}
	t->held = 0;
}

void tag_add(struct tag *t, const uint64_t *x, size_t n)
{
	while (n) {
		size_t take = n < BLOCK - t->held ? n : BLOCK - t->held;
		const int64_t *a = t->of[0].power + t->held, *b = t->of[1].power + t->held;
		wide first = t->of[0].block, second = t->of[1].block;

		for (size_t j = 0; j < take; j++) {
			first += (wide)a[j] * (int64_t)x[j];
			second += (wide)b[j] * (int64_t)x[j];
		}
		t->of[0].block = first;
		t->of[1].block = second;
		t->held += take;
		x += take;
		n -= take;
		if (t->held == BLOCK)
			end_block(t);
	}
}

/* sum_j r_t^(j+1) x_j. */
static uint64_t polynomial(const struct tag *t, size_t i)
{
	uint64_t block = reduce_signed(t->of[i].block);

	return reduce((uwide)t->of[i].sum + times(t->of[i].before, block));
}

void tag_make(const struct tag *t, size_t party, uint64_t tau[static TAG_WORDS])
{
	uint64_t beta[TAG_WORDS];

	draw(t, (uint32_t)party, beta);
	for (size_t i = 0; i < TAG_WORDS; i++)
		tau[i] = reduce((uwide)beta[i] + polynomial(t, i));
	wipe(beta, sizeof(beta));
}

bool tag_holds(const struct tag *t, size_t first, size_t last,
	       const uint64_t told[static TAG_WORDS])
{
	uint64_t sum[TAG_WORDS], beta[TAG_WORDS], differ = 0;

	for (size_t i = 0; i < TAG_WORDS; i++)
		sum[i] = polynomial(t, i);
	for (size_t l = first; l < last; l++) {
		draw(t, (uint32_t)l, beta);
		for (size_t i = 0; i < TAG_WORDS; i++)
			sum[i] = reduce((uwide)sum[i] + beta[i]);
	}
	for (size_t i = 0; i < TAG_WORDS; i++)
		differ |= sum[i] ^ reduce(told[i]);
	wipe(beta, sizeof(beta));
	wipe(sum, sizeof(sum));
	return differ == 0;
}

void tag_free(struct tag *t)
{
	secret_free(t, sizeof(*t));
}
