#include "tests/test.h"

#include "common/parties/choice.h"
#include "proto/codec.h"
#include "proto/frame.h"
#include "proto/labels.h"
#include "proto/msg.h"

#include <stdio.h>
#include <stdlib.h>

#include "samples.h"

#ifdef __SANITIZE_ADDRESS__ /* of GCC */
#include <sanitizer/asan_interface.h>
#define FORBID(p, n) __asan_poison_memory_region(p, n)
#define ALLOW(p, n)  __asan_unpoison_memory_region(p, n)
#else
#define FORBID(p, n) ((void)(p))
#define ALLOW(p, n)  ((void)(p))
#endif

static struct msg *m; /* too large for the stack */

/* Each frame is a header, then a body. scripts/reference copies these bytes and their comments into
 * the examples of docs/reference/messages.md. */
static const uint8_t known_frames[] = {
	0x00, 0x00, 0x00, 0x2e,                         /* length: 16 + 30 */
	0x00, 0x1f, 0x00, 0x00,                         /* CELLS, no flags */
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, /* job */
	0x00, 0x00, 0x00, 0x02,                         /* sequence */
	0x00, 0x00, 0x00, 0x05,                         /* group 5 */
	0x00, 0x00, 0x00, 0x03,                         /* values 3: labels 0, 1, 2, and 3: none */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x06, /* count 6 */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* offset 0 */
	0x00, 0x00, 0x00, 0x02,                         /* 2 bytes of labels */
	0xe4, 0x09,                                     /* 0 1 2 3 | 1 2 */

	0x00, 0x00, 0x00, 0x1a,                         /* length: 16 + 10 */
	0x00, 0x12, 0x00, 0x00,                         /* CHOICE, no flags */
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, /* job */
	0x00, 0x00, 0x00, 0x03,                         /* sequence */
	0x00, 0x02,                                     /* the order of the filter */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, /* 12 */

	0x00, 0x00, 0x00, 0x38,                         /* length: 16 + 40 */
	0x00, 0x13, 0x00, 0x00,                         /* MATRIX, no flags */
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, /* job */
	0x00, 0x00, 0x00, 0x04,                         /* sequence */
	0x00, 0x00, 0x00, 0x05,                         /* group 5 */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, /* count 3 */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, /* offset 1 */
	0x00, 0x00, 0x00, 0x10,                         /* 16 bytes: 2 numbers */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf8, 0x3f, /* 1.5 */
	0x9a, 0x99, 0x99, 0x99, 0x99, 0x99, 0xb9, 0xbf, /* -0.1 */
};

static void add_frame(struct buf *out, const struct msg *msg, uint32_t sequence)
{
	struct frame f = { (uint16_t)msg->type, 0x0123456789abcdef, sequence };
	struct buf body = { 0 };

	msg_encode(&body, msg);
	frame_header(buf_extend(out, FRAME_HEADER_LEN), &f, body.n);
	buf_add(out, body.p, body.n);
	buf_release(&body);
}

static void test_known_bytes(void **state)
{
	static const uint32_t label[] = { 0, 1, 2, 3, 1, 2 };
	const uint8_t *two_reals = known_frames + sizeof(known_frames) - 16;
	uint8_t packed[2];
	struct buf out = { 0 };

	(void)state;
	labels_pack(packed, 3, label, 6);
	m->type = MSG_CELLS;
	m->labels = (struct msg_labels){ 5, 3, 6, 0, { packed, 2 } };
	add_frame(&out, m, 2);
	m->type = MSG_CHOICE;
	m->choice = (struct msg_choice){ CHOICE_ORDER, 12 };
	add_frame(&out, m, 3);
	m->type = MSG_MATRIX; /* test_vector.c checks that these bytes are 1.5 and -0.1 */
	m->reals = (struct msg_reals){ 5, 3, 1, { two_reals, 16 } };
	add_frame(&out, m, 4);
	assert_int_equal(out.n, sizeof(known_frames));
	assert_memory_equal(out.p, known_frames, out.n);
	buf_release(&out);
}

/* Returns the body of the i-th example. */
static struct bytes known_body(int i)
{
	const uint8_t *p = known_frames;
	size_t len;

	for (len = p[3]; i > 0; i--) {
		p += 4 + len;
		len = p[3];
	}
	return (struct bytes){ p + FRAME_HEADER_LEN, len + 4 - FRAME_HEADER_LEN };
}

static void test_known_bytes_are_read(void **state)
{
	(void)state;
	assert_ok(msg_decode(m, MSG_CELLS, known_body(0)));
	assert_int_equal(m->labels.group, 5);
	assert_int_equal(m->labels.values, 3);
	assert_int_equal(m->labels.count, 6);
	assert_int_equal(m->labels.offset, 0);
	assert_int_equal(m->labels.packed.n, 2);
	assert_memory_equal(m->labels.packed.p, "\xe4\x09", 2);
	assert_ok(msg_decode(m, MSG_CHOICE, known_body(1)));
	assert_int_equal(m->choice.what, CHOICE_ORDER);
	assert_int_equal(m->choice.value, 12);
	assert_ok(msg_decode(m, MSG_MATRIX, known_body(2)));
	assert_int_equal(m->reals.group, 5);
	assert_int_equal(m->reals.count, 3);
	assert_int_equal(m->reals.offset, 1);
	assert_int_equal(m->reals.values.n, 16);
	assert_ptr_equal(m->reals.values.p, known_frames + sizeof(known_frames) - 16);
}

/* Decodes and encodes every message, smallest and largest: the bytes are the same. */
static void test_round_trip(void **state)
{
	(void)state;
	for (size_t i = 0; i < ALL_TYPES; i++)
		for (int largest = 0; largest <= 1; largest++) {
			size_t len;
			uint8_t *body = sample_body(all_types[i], largest, &len);
			struct buf again = { 0 };

			assert_ok(
			    msg_decode(m, (uint16_t)all_types[i], (struct bytes){ body, len }));
			assert_int_equal(m->type, all_types[i]);
			msg_encode(&again, m);
			assert_int_equal(again.n, len);
			if (len)
				assert_memory_equal(again.p, body, len);
			buf_release(&again);
			free(body);
		}
}

static void refuse(enum msg_type type, const uint8_t *body, size_t len)
{
	/* exact size, so that the sanitizer finds a read past the end */
	uint8_t *exact = malloc(len);

	if (len)
		memcpy(exact, body, len);
	assert_err(msg_decode(m, (uint16_t)type, (struct bytes){ exact, len }), ERR_PEER,
		   msg_name(type));
	free(exact);
}

/* Returns the next shorter length. It steps by 1 below 2997 and in the last 997 bytes, otherwise by
 * 997. */
static size_t previous_prefix(size_t n, size_t len)
{
	return n <= 2000 || n + 997 > len || n < 2997 ? n - 1 : n - 997;
}

/* Refuses proper prefixes of every message, of the lengths that previous_prefix() returns, and
 * reads nothing after them. Goes from the longest to the shortest, and poisons each byte that is
 * cut off for the sanitizer. */
static void test_prefixes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ALL_TYPES; i++)
		for (int largest = 0; largest <= 1; largest++) {
			size_t len, n;
			uint8_t *body = sample_body(all_types[i], largest, &len);

			for (n = len; n; n = previous_prefix(n, len)) {
				size_t next = previous_prefix(n, len);

				FORBID(body + next, n - next);
				assert_err(msg_decode(m, (uint16_t)all_types[i],
						      (struct bytes){ body, next }),
					   ERR_PEER, msg_name(all_types[i]));
			}
			ALLOW(body, len);
			free(body);
		}
}

static void test_trailing_byte(void **state)
{
	(void)state;
	for (size_t i = 0; i < ALL_TYPES; i++)
		for (int largest = 0; largest <= 1; largest++) {
			size_t len;
			uint8_t *body = sample_body(all_types[i], largest, &len);

			body = alloc_again(body, len + 1, 1);
			body[len] = 0;
			refuse(all_types[i], body, len + 1);
			free(body);
		}
}

static void test_unknown_type(void **state)
{
	static const uint16_t unknown[] = { 0, 7, 9, 28, 29, 99, 0xffff };

	(void)state;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		assert_err(msg_decode(m, unknown[i], (struct bytes){ NULL, 0 }), ERR_PEER, "?");
		assert_string_equal(msg_name(unknown[i]), "?");
		assert_int_equal(msg_sender(unknown[i]), NOBODY);
	}
}

/* Places of fields in the bodies of messages. */
enum {
	LABELS_COUNT = 8,
	LABELS_OFFSET = 16,
	LABELS_LEN = 24,
	MASKED_OFFSET = 20,
	MASKED_LEN = 28,
	REALS_COUNT = 4,
	REALS_LEN = 20,
	SEALED_LEN = 10,
	IDS_LEN = 16
};
/* Each row sets the `width` bytes from byte `at` of a largest valid body to `value`. The field is
 * then out of its bounds, or contradicts another field; row 1 stays valid. */
static const struct {
	enum msg_type type;
	size_t at, width;
	uint64_t value;
} over[] = {
	/* 0 */ { MSG_HELLO, 4, 4, MSG_NAME_MAX + 1 },
	/* 1 */ { MSG_HELLO, 0, 2, 0 }, /* valid: the test must accept it */
	/* 2 */ { MSG_WELCOME, 2, 4, MSG_NAME_MAX + 1 },
	/* 3 */ { MSG_WELCOME, 6 + MSG_NAME_MAX, 4, MSG_HEARTBEAT_MAX_MS + 1 },
	/* 4 */ { MSG_WELCOME, 6 + MSG_NAME_MAX, 4, MSG_HEARTBEAT_MIN_MS - 1 },
	/* 5 */ { MSG_REFUSED, 0, 2, ERR_OK },
	/* 6 */ { MSG_REFUSED, 0, 2, MSG_ALL_DONE + 1 },
	/* 7 */ { MSG_REFUSED, 2, 4, MSG_TEXT_MAX + 1 },
	/* 8 */ { MSG_OFFER, JOB_ID_LEN + 4, 4, MSG_JOB_MAX + 1 },
	/* 9 */ { MSG_OFFER, JOB_ID_LEN + 4, 4, 0 },
	/* 10 */
	{ MSG_OFFER, JOB_ID_LEN + 12 + MSG_JOB_MAX + MSG_NAME_MAX, 4, PARTIES_MAX + 1 },
	/* 11 */ { MSG_OFFER, JOB_ID_LEN + 12 + MSG_JOB_MAX + MSG_NAME_MAX, 4, UINT32_MAX },
	/* 12 */ { MSG_OFFER, JOB_ID_LEN + 12 + MSG_JOB_MAX + MSG_NAME_MAX, 4, 0 },
	/* 13 */
	{ MSG_OFFER, JOB_ID_LEN + 16 + MSG_JOB_MAX + MSG_NAME_MAX, 4, MSG_NAME_MAX + 1 },
	/* 14 */ { MSG_OFFER, JOB_ID_LEN + 16 + MSG_JOB_MAX + MSG_NAME_MAX, 4, 0 },
	/* 15 */ { MSG_DECLINE, 0, 2, 0 },
	/* 16 */ { MSG_DECLINE, 2, 2, ENDINGS },
	/* 17 */ { MSG_KEY, 0, 4, MSG_KEY_MAX + 1 },
	/* 18 */ { MSG_KEY, 0, 4, 0 },
	/* 19 */ { MSG_KEY, 4 + MSG_KEY_MAX + NONCE_LEN, 4, MSG_SPKI_MAX + 1 },
	/* 20 */
	{ MSG_KEY, 8 + MSG_KEY_MAX + NONCE_LEN + MSG_SPKI_MAX, 4, MSG_SIGNATURE_MAX + 1 },
	/* 21 */ { MSG_KEYS, 0, 4, PARTIES_MAX + 1 },
	/* 22 */ { MSG_KEYS, 0, 4, UINT32_MAX },
	/* 23 */ { MSG_KEYS, 0, 4, 0 },
	/* 24 */ { MSG_MASKED, MASKED_LEN, 4, MSG_CHUNK_MAX + 1 },
	/* 25 */ { MSG_MASKED, MASKED_LEN, 4, UINT32_MAX },
	/* 26 */ { MSG_MASKED, MASKED_OFFSET - 8, 8, MSG_WORDS_MAX - 1 }, /* count < offset */
	/* 27 */ { MSG_CELLS, LABELS_COUNT, 8, MSG_ITEMS_MAX + 1 },
	/* 28 */ { MSG_CELLS, LABELS_COUNT, 8, UINT64_MAX },
	/* 29 */ { MSG_CELLS, LABELS_COUNT, 8, MSG_ITEMS_MAX - 9 },  /* count < offset */
	/* 30 */ { MSG_CELLS, LABELS_OFFSET, 8, MSG_ITEMS_MAX - 7 }, /* not a multiple of 8
								      */
	/* 31 */ { MSG_CELLS, LABELS_LEN, 4, MSG_CHUNK_MAX + 1 },
	/* 32 */ { MSG_ABORT, 0, 2, 0 },
	/* 33 */ { MSG_ABORT, 2, 2, 1 }, /* an ending beside a text */
	/* 34 */ { MSG_ABORT, 4, 4, MSG_TEXT_MAX + 1 },
	/* 35 */ { MSG_MATRIX, REALS_COUNT, 8, MSG_REALS_MAX + 1 },
	/* 36 */ { MSG_MATRIX, REALS_COUNT, 8, UINT64_MAX },
	/* 37 */ { MSG_MATRIX, REALS_COUNT, 8, MSG_REALS_MAX - 1 }, /* count < offset */
	/* 38 */ { MSG_MATRIX, REALS_LEN, 4, MSG_CHUNK_MAX + 8 },
	/* 39 */ { MSG_MATRIX, REALS_LEN, 4, MSG_CHUNK_MAX - 1 },
	/* 40 */ { MSG_MATRIX, REALS_LEN, 4, UINT32_MAX },
	/* 41 */ { MSG_PADDING, 0, 4, MSG_CHUNK_MAX + 1 },
	/* 42 */ { MSG_BLOCK, REALS_COUNT, 8, MSG_REALS_MAX + 1 },
	/* 43 */ { MSG_BLOCK, REALS_LEN, 4, MSG_CHUNK_MAX + 4 },
	/* 44 */ { MSG_BLOCK, REALS_LEN, 4, MSG_CHUNK_MAX - 2 },
	/* 45 */ { MSG_SEALED, SEALED_LEN, 4, MSG_CHUNK_MAX + 1 },
	/* 46 */ { MSG_SEALED, SEALED_LEN, 4, MSG_TAG_LEN - 1 },
	/* 47 */ { MSG_IDS, 0, 8, MSG_IDS_MAX + 1 },
	/* 48 */ { MSG_IDS, 0, 8, MSG_IDS_MAX - 1 }, /* count < offset */
	/* 49 */ { MSG_IDS, IDS_LEN, 4, MSG_CHUNK_MAX + 1 },
	{ MSG_COMMON, 0, 8, MSG_IDS_MAX + 1 },
	{ MSG_COMMON, 0, 8, MSG_IDS_MAX - 1 },      /* count < offset */
	/* 52 */ { MSG_ABORT, 0, 2, MSG_ALL_DONE }, /* this code is valid in REFUSED only */
	/* 53 */ { MSG_DECLINE, 0, 2, MSG_ALL_DONE },
	/* 54 */ { MSG_DECLINE, 2, 2, 0 },
	{ MSG_DECLINE, 4, 4, MSG_SUBJECT_MAX + 1 },
	/* 56 */ { MSG_OFFER, JOB_ID_LEN + 8 + MSG_JOB_MAX, 4, MSG_NAME_MAX + 1 },
	/* 57 */ { MSG_OFFER, JOB_ID_LEN + 8 + MSG_JOB_MAX, 4, 0 },
	{ MSG_OFFER, JOB_ID_LEN, 4, 0 },
	{ MSG_RESUME, JOB_ID_LEN, 4, 0 },
	{ MSG_ACCEPT, HASH_LEN, 8, MSG_ITEMS_MAX + 1 },
	{ MSG_ACCEPT, HASH_LEN + 8, 4, MSG_ITEMS_MAX + 1 },
	{ MSG_MASKED, MASKED_OFFSET - 8, 8, MSG_WORDS_MAX + 1 },
	{ MSG_SUM, MASKED_OFFSET - 8, 8, MSG_WORDS_MAX + 1 },
	{ MSG_SEALED, 2, 4, PARTIES_MAX },
	{ MSG_SEALED, 6, 4, PARTIES_MAX },
	{ MSG_SEALED, 6, 4, PARTIES_MAX - 1 }, /* the sender seals for itself */
	{ MSG_DONE, 4, 8, MSG_LEDGER_MAX + 1 },
	{ MSG_ASKING, 0, 4, 0 },
	{ MSG_ASKING, 0, 4, MSG_ASKING_MAX_S + 1 },
};

static void test_over_limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(over) / sizeof(over[0]); i++) {
		size_t len;
		uint8_t *body = sample_body(over[i].type, true, &len);
		struct bytes in = { body, len };

		for (size_t k = 0; k < over[i].width; k++)
			body[over[i].at + k] =
			    (uint8_t)(over[i].value >> 8 * (over[i].width - 1 - k));
		if (i == 1)
			assert_ok(msg_decode(m, (uint16_t)over[i].type, in));
		else if (msg_decode(m, (uint16_t)over[i].type, in) != ERR_PEER)
			fail_msg("row %zu: %s was accepted", i, msg_name(over[i].type));
		free(body);
	}
}

static void test_catalogue(void **state)
{
	(void)state;
	assert_string_equal(msg_name(MSG_MASKED), "MASKED");
	assert_int_equal(msg_sender(MSG_MASKED), PARTY);
	assert_int_equal(msg_sender(MSG_ABORT), BOTH);
	assert_string_equal(msg_name(MSG_CHOICE), "CHOICE");
	assert_int_equal(msg_sender(MSG_CHOICE), COORD);
	assert_string_equal(msg_name(MSG_MATRIX), "MATRIX");
	assert_int_equal(msg_sender(MSG_MATRIX), COORD);
	assert_false(msg_is_link(MSG_CHOICE));
	assert_true(msg_is_link(MSG_HEARTBEAT));
	assert_false(msg_is_link(MSG_OFFER));
}

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_bytes),   cmocka_unit_test(test_known_bytes_are_read),
		cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_trailing_byte), cmocka_unit_test(test_unknown_type),
		cmocka_unit_test(test_over_limits),   cmocka_unit_test(test_catalogue),
	};
	int failed;

	ALLOC(m, 1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(m);
	return failed;
}
