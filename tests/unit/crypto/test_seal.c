/* Opens valid sealed messages and refuses all other messages. test_secagg_bytes.c tests the bytes
 * of sealed messages. */
#include "tests/unit/crypto/lab.h"
#include "common/base/alloc.h"
#include "crypto/seal.h"

enum { PARTIES = 3, PURPOSE = 1 };

static char dir[64];
static struct identity *ids[PARTIES];
static uint8_t pins[PARTIES][SECAGG_HASH_LEN];
static struct secagg *sa[PARTIES];

static int make(void **state)
{
	(void)state;
	lab_dir(dir);
	for (int i = 0; i < PARTIES; i++) {
		ids[i] = lab_identity(dir, i);
		identity_fingerprint(ids[i], pins[i]);
	}
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	for (int i = 0; i < PARTIES; i++)
		identity_free(ids[i]);
	lab_remove(dir);
	return 0;
}

/* Makes new keys for one job. */
static int meet(void **state)
{
	static const char *const names[PARTIES] = { "p0", "p1", "p2" };
	struct secagg_advert adverts[PARTIES];

	(void)state;
	for (size_t i = 0; i < PARTIES; i++) {
		struct secagg_setup setup = { .job_id = { 1, 2, 3 },
					      .attempt = 1,
					      .group_bits = 2048,
					      .modulus_bits = 64,
					      .parties = PARTIES,
					      .names = names,
					      .own = i };

		assert_ok(secagg_new(&sa[i], &setup, ids[i]));
		secagg_own_advert(sa[i], &adverts[i]);
	}
	for (size_t i = 0; i < PARTIES; i++)
		assert_ok(secagg_agree(sa[i], adverts, (const uint8_t(*)[SECAGG_HASH_LEN])pins));
	return 0;
}

static int part(void **state)
{
	(void)state;
	for (size_t i = 0; i < PARTIES; i++)
		secagg_free(sa[i]);
	return 0;
}

static struct bytes boxed(size_t from, size_t to, const char *text)
{
	struct buf box = { 0 };

	seal_make(sa[from], to, PURPOSE, (struct bytes){ (const uint8_t *)text, strlen(text) },
		  &box);
	assert_int_equal(box.n, strlen(text) + SEAL_TAG_LEN);
	return (struct bytes){ box.p, box.n };
}

static void drop(struct bytes box)
{
	free((void *)(uintptr_t)box.p);
}

static void assert_opens(size_t from, size_t to, struct bytes box, const char *want)
{
	uint8_t text[4096];

	assert_ok(seal_open(sa[to], from, PURPOSE, box, text));
	assert_int_equal(box.n - SEAL_TAG_LEN, strlen(want));
	assert_memory_equal(text, want, strlen(want));
}

/* Requires that the box does not open, and that its plaintext is wiped. */
static void assert_shut(size_t from, size_t to, uint16_t purpose, struct bytes box)
{
	uint8_t text[4096];

	memset(text, 0x55, sizeof(text));
	assert_err(seal_open(sa[to], from, purpose, box, text), ERR_PEER, "does not open");
	for (size_t i = 0; i < box.n - SEAL_TAG_LEN; i++)
		assert_true(text[i] == 0 || text[i] == 0x55);
}

TEST_WITH(both_ways_and_in_order, meet, part)
{
	char text[1001], numbered[1020];

	memset(text, 'x', sizeof(text));
	for (int k = 0; k < 50; k++) {
		text[20 * k] = 0; /* k = 0: an empty text */
		for (size_t from = 0; from < PARTIES; from++)
			for (size_t to = 0; to < PARTIES; to++) {
				struct bytes box;

				if (from == to)
					continue;
				snprintf(numbered, sizeof(numbered), "%s%s", k ? "a " : "", text);
				box = boxed(from, to, numbered);
				assert_opens(from, to, box, numbered);
				drop(box);
			}
		text[20 * k] = 'x';
	}
}

/* The same text gives different boxes: a second time, for another receiver, and in the other
 * direction. */
TEST_WITH(boxes_differ, meet, part)
{
	struct bytes box[4] = { boxed(0, 1, "the same text"), boxed(0, 1, "the same text"),
				boxed(0, 2, "the same text"), boxed(1, 0, "the same text") };

	for (int a = 0; a < 4; a++)
		for (int b = 0; b < a; b++)
			assert_memory_not_equal(box[a].p, box[b].p, 13);
	for (int a = 0; a < 4; a++)
		drop(box[a]);
}

TEST_WITH(every_changed_bit_is_seen, meet, part)
{
	struct bytes box = boxed(0, 1, "a key of some sort");
	uint8_t *changed = alloc(box.n, 1);

	for (size_t bit = 0; bit < 8 * box.n; bit++) {
		memcpy(changed, box.p, box.n);
		changed[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_shut(0, 1, PURPOSE, (struct bytes){ changed, box.n });
	}
	for (size_t n = SEAL_TAG_LEN; n < box.n; n++)
		assert_shut(0, 1, PURPOSE, (struct bytes){ box.p, n });
	assert_err(seal_open(sa[1], 0, PURPOSE, (struct bytes){ box.p, SEAL_TAG_LEN - 1 }, changed),
		   ERR_PEER, "15 bytes, expected at least the 16 of a tag");
	assert_opens(0, 1, box, "a key of some sort"); /* the unchanged box still opens */
	free(changed);
	drop(box);
}

TEST_WITH(for_one_receiver_and_purpose, meet, part)
{
	struct bytes box = boxed(0, 1, "for p1"), own;

	assert_shut(0, 2, PURPOSE, box);     /* another receiver */
	assert_shut(2, 1, PURPOSE, box);     /* another sender */
	assert_shut(1, 0, PURPOSE, box);     /* sent back */
	assert_shut(0, 1, PURPOSE + 1, box); /* another purpose */
	assert_shut(0, 1, PURPOSE + 256, box);
	assert_opens(0, 1, box, "for p1");
	own = boxed(1, 0, "for p0");
	assert_shut(0, 1, PURPOSE, own); /* a party's own box, sent back to it */
	drop(own);
	drop(box);
}

TEST_WITH(opened_once_and_in_order, meet, part)
{
	struct bytes first = boxed(0, 1, "first"), second = boxed(0, 1, "second");

	assert_shut(0, 1, PURPOSE, second);
	assert_opens(0, 1, first, "first");
	assert_shut(0, 1, PURPOSE, first);
	assert_opens(0, 1, second, "second");
	assert_shut(0, 1, PURPOSE, second);
	drop(first);
	drop(second);
}

/* Refuses a box of earlier keys: each job, and each attempt at a job, draws new ones. */
TEST_WITH(other_jobs, meet, part)
{
	struct bytes box = boxed(0, 1, "of the first job");

	part(state);
	meet(state);
	assert_shut(0, 1, PURPOSE, box);
	drop(box);
}

/* The label separates the key of a sealed message from the key of a mask. A coordinator that
 * guesses the plaintext learns nothing of a mask's stream. */
TEST_WITH(apart_from_masks, meet, part)
{
	static const uint8_t transcript[SECAGG_HASH_LEN];
	static const size_t pair[] = { 0, 1 };
	uint8_t zeros[64] = { 0 }, words[64] = { 0 };
	struct buf box = { 0 };
	struct mask *m;
	uint64_t round;

	seal_make(sa[0], 1, PURPOSE, (struct bytes){ zeros, sizeof(zeros) }, &box);
	assert_ok(secagg_open(sa[0], pair, 2, transcript, &m, &round));
	mask_add(m, words, sizeof(words) / 8);
	mask_close(m);
	for (size_t i = 0; i + 8 <= sizeof(words); i += 8)
		assert_memory_not_equal(words + i, box.p + i, 8);
	buf_release(&box);
}

TESTS_BETWEEN(make, unmake)
