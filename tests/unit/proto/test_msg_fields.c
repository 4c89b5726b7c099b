/* Checks the bounds of single fields in message bodies that have all their bytes. */
#include "tests/test.h"

#include "proto/codec.h"
#include "proto/frame.h"
#include "proto/msg.h"

#include <stdlib.h>

#include "samples.h"

static struct msg *m; /* too large for the stack */

static void add_option(struct buf *body, uint16_t number, size_t n)
{
	put_u16(buf_extend(body, 2), number);
	put_u32(buf_extend(body, 4), (uint32_t)n);
	memset(buf_extend(body, n), 'x', n);
}

/* The decoder skips optional fields of a later release that follow the known fields: up to
 * MSG_OPTIONS_MAX, numbered in ascending order from 1, each up to a length. */
static void test_options(void **state)
{
	static const enum msg_type roomy[] = { MSG_HELLO, MSG_WELCOME, MSG_OFFER };

	(void)state;
	for (size_t i = 0; i < sizeof(roomy) / sizeof(*roomy); i++) {
		struct buf body = { 0 };
		size_t len, before;
		uint8_t *known = sample_body(roomy[i], true, &len);

		buf_add(&body, known, len);
		for (unsigned n = 1; n <= MSG_OPTIONS_MAX; n++) {
			add_option(&body, (uint16_t)(n == MSG_OPTIONS_MAX ? UINT16_MAX : 2 * n),
				   n % 2 ? MSG_OPTION_MAX : 0);
			assert_ok(
			    msg_decode(m, (uint16_t)roomy[i], (struct bytes){ body.p, body.n }));
		}
		assert_err(msg_decode(m, (uint16_t)roomy[i], (struct bytes){ body.p, body.n - 1 }),
			   ERR_PEER, "do not parse");
		body.n = len; /* one option more than allowed */
		for (unsigned n = 1; n <= MSG_OPTIONS_MAX + 1; n++)
			add_option(&body, (uint16_t)n, 0);
		assert_err(msg_decode(m, (uint16_t)roomy[i], (struct bytes){ body.p, body.n }),
			   ERR_PEER, "do not parse");
		body.n = len; /* too long an option; then number 0; then a number twice */
		add_option(&body, 1, MSG_OPTION_MAX + 1);
		assert_err(msg_decode(m, (uint16_t)roomy[i], (struct bytes){ body.p, body.n }),
			   ERR_PEER, "do not parse");
		body.n = len;
		add_option(&body, 0, 1);
		assert_err(msg_decode(m, (uint16_t)roomy[i], (struct bytes){ body.p, body.n }),
			   ERR_PEER, "do not parse");
		body.n = len;
		add_option(&body, 7, 1);
		before = body.n;
		add_option(&body, 7, 1);
		assert_err(msg_decode(m, (uint16_t)roomy[i], (struct bytes){ body.p, body.n }),
			   ERR_PEER, "do not parse");
		assert_ok(msg_decode(m, (uint16_t)roomy[i], (struct bytes){ body.p, before }));
		free(known);
		buf_release(&body);
	}
}

/* A DECLINE may name a parameter if its ending is UNKNOWN, and a party if its ending is PIN. With
 * any other ending it may name nothing. The characters are limited. */
static void test_subject_of_decline(void **state)
{
	static const struct {
		uint16_t ending;
		const char *subject;
		enum err result;
	} of[] = {
		{ ENDING_UNKNOWN, "secure_sum.A-Z_09", ERR_OK },
		{ ENDING_UNKNOWN, "", ERR_OK },
		{ ENDING_PIN, "bank-a", ERR_OK },
		{ ENDING_PIN, "bank a", ERR_PEER },
		{ ENDING_POLICY, "", ERR_OK },
		{ ENDING_POLICY, "x", ERR_PEER },
		{ ENDING_UNKNOWN, "a b", ERR_PEER },
		{ ENDING_UNKNOWN, "a\n", ERR_PEER },
		{ ENDING_UNKNOWN, "\xc3\xa4", ERR_PEER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct buf body = { 0 };
		size_t n = strlen(of[i].subject);

		put_u16(buf_extend(&body, 2), ERR_PEER);
		put_u16(buf_extend(&body, 2), of[i].ending);
		put_u32(buf_extend(&body, 4), (uint32_t)n);
		buf_add(&body, of[i].subject, n);
		if (msg_decode(m, MSG_DECLINE, (struct bytes){ body.p, body.n }) != of[i].result)
			fail_msg("row %zu", i);
		buf_release(&body);
	}
}

/* Accepts whole markers of pre-shared keys only, at most one for each party. */
static void test_markers(void **state)
{
	const size_t before = 3 * (4 + 1) + NONCE_LEN, most = MSG_MARKERS_MAX;
	const size_t lengths[] = { 0, 1, 7, 8, 9, 16, most - 1, most, most + 1, most + 8 };
	uint8_t *body = alloc(before + 4 + most + 8, 1);

	(void)state;
	put_u32(body, 1);
	put_u32(body + 5 + NONCE_LEN, 1);
	put_u32(body + 10 + NONCE_LEN, 1);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct bytes in = { body, before + 4 + lengths[i] };

		put_u32(body + before, (uint32_t)lengths[i]);
		assert_int_equal(msg_decode(m, MSG_KEY, in),
				 lengths[i] % 8 || lengths[i] > most ? ERR_PEER : ERR_OK);
	}
	free(body);
}

/* Accepts SUM and MASKED with no tag or with a whole one. */
static void test_tag_of_a_sum(void **state)
{
	enum { WORDS = 28, TAG = WORDS + 4 + 8 };
	uint8_t body[TAG + 4 + 2 * MSG_SUM_TAG_LEN] = { 0 };

	(void)state;
	put_u32(body + WORDS, 8);
	for (uint32_t n = 0; n <= 2 * MSG_SUM_TAG_LEN; n++) {
		struct bytes in = { body, TAG + 4 + n };
		enum err e = n == 0 || n == MSG_SUM_TAG_LEN ? ERR_OK : ERR_PEER;

		put_u32(body + TAG, n);
		assert_int_equal(msg_decode(m, MSG_SUM, in), e);
		assert_int_equal(msg_decode(m, MSG_MASKED, in), e);
	}
}

/* The keys of the largest number of parties, with all optional fields, fit into one frame. */
static void test_keys_fit(void **state)
{
	size_t len;

	(void)state;
	free(sample_body(MSG_KEYS, true, &len));
	assert_true(len + FRAME_HEADER_LEN <= FRAME_MAX);
}

/* Refuses a DONE with one ledger head more than the limit, although all its bytes are present. */
static void test_heads_alone(void **state)
{
	size_t len = 4 + (PARTIES_MAX + 1) * (8 + HASH_LEN);
	uint8_t *body = alloc(len, 1);

	(void)state;
	put_u32(body, PARTIES_MAX);
	assert_ok(msg_decode(m, MSG_DONE, (struct bytes){ body, len - 8 - HASH_LEN }));
	assert_int_equal(m->done.heads, PARTIES_MAX);
	put_u32(body, PARTIES_MAX + 1);
	assert_err(msg_decode(m, MSG_DONE, (struct bytes){ body, len }), ERR_PEER, "do not parse");
	free(body);
}

/* Refuses a length just above its bound; all its bytes are present, so only the bound can refuse
 * it. */
static void test_bound_alone(void **state)
{
	static const struct {
		enum msg_type type;
		/* before: bytes before the length; max: its bound; above: excess over the bound */
		size_t before, max, above;
		size_t after; /* bytes after the field, all 0 */
	} c[] = {
		{ MSG_MASKED, 28, MSG_CHUNK_MAX, 1, 4 }, { MSG_RESULT, 24, MSG_CHUNK_MAX, 1, 0 },
		{ MSG_MATRIX, 20, MSG_CHUNK_MAX, 8, 0 }, { MSG_BLOCK, 20, MSG_CHUNK_MAX, 4, 0 },
		{ MSG_PADDING, 0, MSG_CHUNK_MAX, 1, 0 }, { MSG_REFUSED, 2, MSG_TEXT_MAX, 1, 0 },
		{ MSG_HELLO, 4, MSG_NAME_MAX, 1, 0 },    { MSG_SEALED, 10, MSG_CHUNK_MAX, 1, 0 },
		{ MSG_IDS, 16, MSG_CHUNK_MAX, 1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		size_t len = c[i].before + 4 + c[i].max + c[i].above + c[i].after;
		uint8_t *body = alloc(len, 1);

		if (c[i].before < 10) {
			body[1] = 1; /* sets REFUSED's code, or HELLO's versions, to 1 */
			body[3] = 1;
		}
		if (c[i].type == MSG_SEALED)
			body[9] = 1; /* from party 0 to party 1 */
		put_u32(body + c[i].before, (uint32_t)c[i].max);
		assert_ok(
		    msg_decode(m, (uint16_t)c[i].type, (struct bytes){ body, len - c[i].above }));
		put_u32(body + c[i].before, (uint32_t)(c[i].max + c[i].above));
		assert_err(msg_decode(m, (uint16_t)c[i].type, (struct bytes){ body, len }),
			   ERR_PEER, "do not parse");
		free(body);
	}
}

/* Accepts whole numbers of 8 bytes only: of the lengths from 0 to 32 bytes, the multiples of 8. */
static void test_reals_are_whole(void **state)
{
	(void)state;
	for (size_t n = 0; n <= 32; n++) {
		uint8_t body[24 + 32] = { [11] = 9 }; /* count 9 */
		enum err e;

		body[23] = (uint8_t)n;
		e = msg_decode(m, MSG_MATRIX, (struct bytes){ body, 24 + n });
		assert_int_equal(e, n % 8 ? ERR_PEER : ERR_OK);
	}
}

/* Requires a tag in a sealed message, even if its text is empty. */
static void test_sealed_has_a_tag(void **state)
{
	(void)state;
	for (size_t n = 0; n <= MSG_TAG_LEN; n++) {
		uint8_t body[14 + MSG_TAG_LEN] = { [9] = 1 }; /* from party 0 to party 1 */
		enum err e;

		body[13] = (uint8_t)n;
		e = msg_decode(m, MSG_SEALED, (struct bytes){ body, 14 + n });
		assert_int_equal(e, n < MSG_TAG_LEN ? ERR_PEER : ERR_OK);
	}
}

/* Requires at least one word in TOLD, and whole words only. */
static void test_told_is_whole(void **state)
{
	(void)state;
	for (size_t n = 0; n <= 3 * MSG_TOLD_LEN; n++) {
		uint8_t body[4 + 3 * MSG_TOLD_LEN] = { 0 };
		enum err e;

		body[3] = (uint8_t)n;
		e = msg_decode(m, MSG_TOLD, (struct bytes){ body, 4 + n });
		assert_int_equal(e, n == 0 || n % MSG_TOLD_LEN ? ERR_PEER : ERR_OK);
	}
}

static void offer_names(const char *a, const char *b, bool good);

/* Refuses a KEY with an empty part, and an OFFER with an empty name. All bytes are present, so only
 * the lower bound of a length can refuse them. */
static void test_empty_parts(void **state)
{
	(void)state;
	for (int empty = 0; empty < 4; empty++) {
		uint8_t body[3 * 5 + 4 + NONCE_LEN] = { 0 }, *p = body;

		for (int part = 0; part < 3; part++) {
			put_u32(p, part != empty);
			p += 4 + (part != empty) + (part == 0 ? NONCE_LEN : 0);
		}
		p += 4; /* a KEY may have no markers */
		if (empty == 3)
			assert_ok(msg_decode(m, MSG_KEY, (struct bytes){ body, sizeof(body) }));
		else
			assert_err(
			    msg_decode(m, MSG_KEY, (struct bytes){ body, (size_t)(p - body) }),
			    ERR_PEER, "KEY");
	}
	offer_names("", "b", false);
}

static void offer_names(const char *a, const char *b, bool good)
{
	size_t len = JOB_ID_LEN + 4 + 5 + 5 + 4 + 4 + strlen(a) + 4 + strlen(b) + 4;
	uint8_t *body = alloc(len, 1), *p = body + JOB_ID_LEN + 4;

	put_u32(p - 4, 1); /* the attempt */
	put_u32(p, 1);     /* the lengths of the job, and of the submitter below */
	put_u32(p + 5, 1);
	p += 5;
	put_u32(p + 5, 2);
	put_u32(p + 9, (uint32_t)strlen(a));
	memcpy(p + 13, a, strlen(a));
	put_u32(p + 13 + strlen(a), (uint32_t)strlen(b));
	memcpy(p + 17 + strlen(a), b, strlen(b));
	if (good)
		assert_ok(msg_decode(m, MSG_OFFER, (struct bytes){ body, len }));
	else
		assert_err(msg_decode(m, MSG_OFFER, (struct bytes){ body, len }), ERR_PEER,
			   "OFFER");
	free(body);
}

/* Decodes an OFFER of attempt 5. It names a party a that attempt `first` left out, and a party b
 * that attempt `second` left out. Attempts must ascend, and so must the names of one attempt. */
static void offer_left(uint32_t first, const char *a, uint32_t second, const char *b, bool good)
{
	uint8_t body[JOB_ID_LEN + 4 + 5 + 5 + 4 + 5 + 4 + 2 * 9] = { 0 }, *p = body + JOB_ID_LEN;

	put_u32(p, 5); /* attempt */
	put_u32(p + 4, 1);
	put_u32(p + 9, 1);
	put_u32(p + 14, 1);
	put_u32(p + 18, 1);
	p += 23;
	put_u32(p, 2);
	put_u32(p + 4, first);
	put_u32(p + 8, 1);
	p[12] = (uint8_t)*a;
	put_u32(p + 13, second);
	put_u32(p + 17, 1);
	p[21] = (uint8_t)*b;
	if (good)
		assert_ok(msg_decode(m, MSG_OFFER, (struct bytes){ body, sizeof(body) }));
	else
		assert_err(msg_decode(m, MSG_OFFER, (struct bytes){ body, sizeof(body) }), ERR_PEER,
			   "OFFER");
}

static void test_who_is_left_out(void **state)
{
	(void)state;
	offer_left(2, "a", 2, "b", true);
	offer_left(2, "b", 5, "a", true);
	offer_left(2, "b", 2, "a", false);
	offer_left(2, "a", 2, "a", false);
	offer_left(3, "a", 2, "b", false);
	offer_left(1, "a", 2, "b", false); /* the first attempt has all parties */
	offer_left(2, "a", 6, "b", false); /* names a later attempt */
}

static void test_names_rise(void **state)
{
	(void)state;
	offer_names("a", "b", true);
	offer_names("a", "ab", true);
	offer_names("ab", "b", true);
	offer_names("a", "a", false);
	offer_names("b", "a", false);
	offer_names("ab", "a", false);
}

static void test_version_range(void **state)
{
	static const uint8_t upside_down[] = { 0, 2, 0, 1, 0, 0, 0, 0 };

	(void)state;
	assert_err(msg_decode(m, MSG_HELLO, (struct bytes){ upside_down, 8 }), ERR_PEER, "HELLO");
}

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),          cmocka_unit_test(test_subject_of_decline),
		cmocka_unit_test(test_markers),          cmocka_unit_test(test_tag_of_a_sum),
		cmocka_unit_test(test_keys_fit),         cmocka_unit_test(test_heads_alone),
		cmocka_unit_test(test_bound_alone),      cmocka_unit_test(test_reals_are_whole),
		cmocka_unit_test(test_sealed_has_a_tag), cmocka_unit_test(test_told_is_whole),
		cmocka_unit_test(test_empty_parts),      cmocka_unit_test(test_who_is_left_out),
		cmocka_unit_test(test_names_rise),       cmocka_unit_test(test_version_range),
	};
	int failed;

	ALLOC(m, 1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(m);
	return failed;
}
