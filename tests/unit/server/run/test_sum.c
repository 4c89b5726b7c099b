#include "server/run/sum.h"
#include "common/base/rng.h"
#include "tests/unit/server/run/fake.h"

/* There are two groups, {a, b} and {c, d, e}, with vectors of several chunks. */
enum { L = 5, SMALL = 1000, LARGE = 300001, CHUNK = 40000 };
static const size_t count_of[L] = { SMALL, SMALL, LARGE, LARGE, LARGE };
static const uint32_t group_of[L] = { 5, 5, 6, 6, 6 };
static const char job64[] = "{\"kind\":\"kcagc\",\"method\":\"tree\",\"clusters\":2,\"filter\":{"
			    "\"order\":1},\"secure_sum\":"
			    "{\"modulus_bits\":64}}";
static const char job32[] = "{\"kind\":\"kcagc\",\"method\":\"tree\",\"clusters\":2,\"filter\":{"
			    "\"order\":1},\"secure_sum\":"
			    "{\"modulus_bits\":32,\"fraction_bits\":12}}";

struct vectors {
	uint8_t *words[L];
};

static void vectors_draw(struct vectors *v, size_t word, struct rng *rng)
{
	for (size_t l = 0; l < L; l++) {
		v->words[l] = alloc(count_of[l], word);
		for (size_t i = 0; i < count_of[l] * word; i += 4) {
			uint32_t part = (uint32_t)rng_u64(rng);

			memcpy(v->words[l] + i, &part, 4);
		}
	}
}

/* Sends chunks of uneven sizes, from the parties in random order. */
static void vectors_send(const struct vectors *v, struct fake *f, uint64_t round, struct rng *rng)
{
	size_t sent[L] = { 0 }, left = L;

	while (left) {
		size_t l = rng_below(rng, L), n = 1 + rng_below(rng, CHUNK);

		if (sent[l] == count_of[l])
			continue;
		if (n > count_of[l] - sent[l])
			n = count_of[l] - sent[l];
		fake_send_words(f, l, group_of[l], round, v->words[l], sent[l], n, count_of[l]);
		sent[l] += n;
		left -= sent[l] == count_of[l];
	}
}

/* Compares the sum word by word, mod 2^64 or 2^32. */
static void assert_sum(const struct vectors *v, size_t first, size_t last, size_t word,
		       const uint8_t *acc)
{
	for (size_t i = 0; i < count_of[first] * word; i += word) {
		uint64_t sum = 0, got = 0;

		for (size_t l = first; l < last; l++) {
			uint64_t x = 0;

			memcpy(&x, v->words[l] + i, word);
			sum += x;
		}
		memcpy(&got, acc + i, word);
		assert_int_equal(got, word == 4 ? (uint32_t)sum : sum);
	}
}

static void check_rounds(const char *job)
{
	struct vectors v;
	struct fake f;
	struct rng rng;
	uint64_t round[2] = { 0 };
	uint8_t *acc[2];
	size_t word;

	fake_open(&f, L, 10, job);
	run_phase(&f.run, "test");
	rng_seed(&rng, 1, 0);
	word = f.run.job.modulus_bits / 8;
	acc[0] = alloc(SMALL, word);
	acc[1] = alloc(LARGE, word);
	for (unsigned r = 0; r < 2; r++) { /* the second round uses the accumulators again */
		struct sum sums[] = { { 5, 0, 2, &round[0], SMALL, acc[0], false, false },
				      { 6, 2, 5, &round[1], LARGE, acc[1], false, false } };

		vectors_draw(&v, word, &rng);
		vectors_send(&v, &f, r, &rng);
		assert_ok(secure_sums(&f.run, sums, 2));
		assert_sum(&v, 0, 2, word, acc[0]);
		assert_sum(&v, 2, 5, word, acc[1]);
		assert_int_equal(round[0], r + 1);
		assert_int_equal(round[1], r + 1);
		assert_int_equal(record_now(&f.record)->rounds, r + 1);
		for (size_t l = 0; l < L; l++)
			free(v.words[l]);
	}
	free(acc[0]);
	free(acc[1]);
	fake_close(&f);
}

TEST(test_sums_of_64_bits)
{
	check_rounds(job64);
}

TEST(test_sums_of_32_bits)
{
	check_rounds(job32);
}

/* The coordinator leaves unread the words of a party that is in no group of the batch. The party
 * may have sent the words of the next batch already. */
TEST(test_others_wait)
{
	uint64_t words[3] = { 1, 2, 3 }, acc[3] = { 9, 9, 9 }, round = 7, other = 0;
	struct sum sum = { 5, 0, 2, &round, 3, acc, false, false };
	struct fake f;

	fake_open(&f, 3, 10, job64);
	run_phase(&f.run, "test");
	fake_send_words(&f, 2, 6, 0, words, 0, 3, 3);
	fake_send_words(&f, 0, 5, 7, words, 0, 3, 3);
	fake_send_words(&f, 1, 5, 7, words, 0, 3, 3);
	assert_ok(secure_sums(&f.run, &sum, 1));
	assert_true(acc[0] == 2 && acc[1] == 4 && acc[2] == 6 && round == 8);
	sum = (struct sum){ 6, 2, 3, &other, 3, acc, false, false };
	assert_ok(secure_sums(&f.run, &sum, 1));
	assert_memory_equal(acc, words, sizeof(acc));
	fake_close(&f);
}

/* Refuses a sum whose masks do not cancel: the members' canaries do not add up to their number. */
TEST(test_canary)
{
	static const char *const jobs[] = { job64, job32 };
	static const uint64_t third[] = { 0, 2, UINT32_MAX, 0x100000000 };

	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < 4; k++) {
			uint64_t words[] = { 1, 2, 3 }, acc[3], round = 7;
			struct sum sum = { 5, 0, 3, &round, 3, acc, false, false };
			struct fake f;

			fake_open(&f, 3, 10, jobs[i]);
			run_phase(&f.run, "level-1");
			for (size_t l = 0; l < 3; l++)
				fake_send_words_and(&f, l, 5, 7, words, 0, 3, 3,
						    l < 2 ? 1 : third[k]);
			assert_err(secure_sums(&f.run, &sum, 1), ERR_PEER,
				   "the masks of group 5, round 7, over a, b and c do not cancel "
				   "(during level-1): its members received different broadcasts, "
				   "or the masks of one of them differ");
			fake_close(&f);
		}
}

/* Refuses a vector without its last word, the canary. */
TEST(test_words_without_canary)
{
	uint64_t words[] = { 1, 2, 3 }, acc[3], round = 7;
	struct sum sum = { 5, 0, 1, &round, 3, acc, false, false };
	struct msg m = { .type = MSG_MASKED,
			 .masked = { .group = 5,
				     .round = 7,
				     .count = 3,
				     .words = { (const uint8_t *)words, sizeof(words) } } };
	struct fake f;

	fake_open(&f, 1, 10, job64);
	run_phase(&f.run, "test");
	fake_send(&f, 0, &m);
	assert_err(secure_sums(&f.run, &sum, 1), ERR_PEER,
		   "a sent MASKED with words from 0 of 3 for group 5, round 7; due were words from "
		   "0 of 4 for group 5, round 7 (during test)");
	fake_close(&f);
}

/* Requires a tag in the only chunk of a broadcast sum: 16 bytes, below p = 2^127 - 1. Refuses a tag
 * in other sums. */
TEST(test_tags_in_range)
{
	static const char tagged[] = "due was a number below 2^127 - 1 of 16 bytes";
	uint64_t words[] = { 1, 2, 1 }, acc[2], round = 7;
	uint8_t tag[TAG_LEN] = { 0xfe };
	struct sum sum = { 5, 0, 1, &round, 2, acc, true, true };
	struct msg m = { .type = MSG_MASKED,
			 .masked = { .group = 5,
				     .round = 7,
				     .count = 3,
				     .words = { (const uint8_t *)words, sizeof(words) } } };

	memset(tag + 1, 0xff, sizeof(tag) - 1);
	tag[TAG_LEN - 1] = 0x7f;
	for (int i = 0; i < 4; i++) { /* tags p - 1 and p, no tag, an unexpected tag */
		struct fake f;
		enum err e;

		fake_open(&f, 1, 10, job64);
		run_phase(&f.run, "test");
		tag[0] = i == 1 ? 0xff : 0xfe;
		m.masked.tag = (struct bytes){ tag, i == 2 ? 0 : sizeof(tag) };
		sum.opened = i < 3;
		fake_send(&f, 0, &m);
		e = secure_sums(&f.run, &sum, 1);
		if (i == 0) {
			struct buf body = { 0 };

			assert_ok(e);
			fake_receive(&f, 0, MSG_SUM, &body, &m);
			assert_int_equal(m.masked.count, 2);
			assert_memory_equal(m.masked.words.p, words, 16);
			assert_int_equal(m.masked.tag.n, TAG_LEN);
			assert_memory_equal(m.masked.tag.p, tag, TAG_LEN);
			buf_release(&body);
			m.type = MSG_MASKED;
			m.masked.round = round = 7;
			m.masked.count = 3;
			m.masked.words = (struct bytes){ (const uint8_t *)words, sizeof(words) };
		} else {
			assert_int_equal(e, ERR_PEER);
			assert_non_null(strstr(err_detail(), i < 3 ? tagged : "due were none"));
		}
		fake_close(&f);
	}
}
