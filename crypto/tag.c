#include "crypto/tag.h"
#include "common/base/alloc.h"
#include "crypto/hmac.h"
#include "crypto/prg.h"
#include "crypto/secret.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

static const char LABEL[] = "coterie tag v2";

/* Words of a block: sums of as many products below 2^117 stay in 127 bits, and are reduced once. */
enum { BLOCK = 256 };

typedef __int128 wide;
typedef unsigned __int128 uwide;

struct tag {
	uint8_t key[PRG_KEY_LEN]; /* of this sum's points and offsets */
	size_t held;              /* words of the block under way */
	struct {
		int64_t power[BLOCK]; /* r, r^2, ... */
		uint64_t before;      /* r^(words of the blocks that are over) */
		uint64_t sum;         /* of those blocks */
		wide block;           /* of the one under way, as if it were the first */
	} of[TAG_WORDS];
};

/* x mod p for x < 2^127: 2^54 = 33 mod p, twice. */
static uint64_t reduce(uwide x)
{
	const uint64_t low = (1ULL << 54) - 1;
	uwide once = (x >> 54) * 33 + ((uint64_t)x & low);                     /* < 2^79 */
	uint64_t twice = (uint64_t)(once >> 54) * 33 + ((uint64_t)once & low); /* < 2^55 */
	uint64_t less = twice - TAG_PRIME;

	return less + (TAG_PRIME & -(less >> 63));
}

static uint64_t times(uint64_t a, uint64_t b)
{
	return reduce((uwide)a * b);
}

/* x mod p of either sign, |x| < 2^126 - 33 2^72, which 256 products are. */
static uint64_t reduce_signed(wide x)
{
	return reduce((uwide)(x + ((wide)TAG_PRIME << 72)));
}

/* The next two numbers below p: 16 bytes each are uniform but for 2^-74. */
static void draw(struct prg *stream, uint64_t out[static TAG_WORDS])
{
	uint64_t bytes[2 * TAG_WORDS];

	prg_next(stream, bytes, sizeof(bytes));
	for (size_t i = 0; i < TAG_WORDS; i++) {
		uint64_t high = be64toh(bytes[2 * i]), low = be64toh(bytes[2 * i + 1]);

		out[i] = reduce((uwide)reduce(high) * (1ULL << 32) * (1ULL << 32) + low);
	}
	wipe(bytes, sizeof(bytes));
}

/* The points, with which the stream begins; behind them come the offsets of party 0, 1, ... */
static struct prg *begin(const struct tag *t, uint64_t r[static TAG_WORDS])
{
	struct prg *stream = prg_new();

	prg_start(stream, t->key);
	draw(stream, r);
	return stream;
}

/* Of these parties, whose numbers rise, the sum of their offsets. */
static void offsets(const struct tag *t, const size_t *members, size_t count,
		    uint64_t sum[static TAG_WORDS])
{
	uint64_t beta[TAG_WORDS];
	struct prg *stream = begin(t, beta);

	memset(sum, 0, TAG_WORDS * sizeof(*sum));
	for (size_t l = 0, next = 0; next < count; l++) {
		draw(stream, beta);
		if (members[next] != l)
			continue;
		for (size_t i = 0; i < TAG_WORDS; i++)
			sum[i] = reduce((uwide)sum[i] + beta[i]);
		next++;
	}
	wipe(beta, sizeof(beta));
	prg_free(stream);
}

struct tag *tag_new(const uint8_t key[static TAG_KEY_LEN], uint32_t group, uint64_t number,
		    size_t count)
{
	struct tag *t = secret_new(sizeof(*t));
	size_t powers = count < BLOCK ? count : BLOCK;
	uint8_t info[sizeof(LABEL) - 1 + sizeof(group) + sizeof(number)], *at = info;
	uint64_t r[TAG_WORDS];

	group = htobe32(group);
	number = htobe64(number);
	at = mempcpy(at, LABEL, sizeof(LABEL) - 1);
	at = mempcpy(at, &group, sizeof(group));
	memcpy(at, &number, sizeof(number));
	kdf_expand(key, (struct bytes){ info, sizeof(info) }, t->key, sizeof(t->key));
	prg_free(begin(t, r));
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

	offsets(t, &party, 1, beta);
	for (size_t i = 0; i < TAG_WORDS; i++)
		tau[i] = reduce((uwide)beta[i] + polynomial(t, i));
	wipe(beta, sizeof(beta));
}

bool tag_holds(const struct tag *t, const size_t *members, size_t count,
	       const uint64_t told[static TAG_WORDS])
{
	uint64_t sum[TAG_WORDS], differ = 0;

	offsets(t, members, count, sum);
	for (size_t i = 0; i < TAG_WORDS; i++)
		differ |= reduce((uwide)sum[i] + polynomial(t, i)) ^ reduce(told[i]);
	wipe(sum, sizeof(sum));
	return differ == 0;
}

void tag_free(struct tag *t)
{
	secret_free(t, sizeof(*t));
}
