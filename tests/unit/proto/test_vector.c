/* Sends vectors of labels and of real numbers in chunks, and choices, over channels joined in
 * memory. */
#include "joined.h"

#include "common/parties/choice.h"
#include "proto/labels.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t messages_received(struct channel *ch)
{
	struct link_state link;
	size_t all = 0;

	channel_link(ch, &link);
	for (size_t i = 0; i < link.types; i++)
		all += link.type[i].messages_received;
	return all;
}

/* ---- labels ---- */

static void labels_there_and_back(uint32_t values, size_t count)
{
	uint32_t *label = alloc(count, 4), *back = alloc(count, 4);

	for (size_t i = 0; i < count; i++)
		label[i] = (uint32_t)((uint64_t)i * 2654435761U % ((uint64_t)values + 1));
	assert_ok(channel_send_labels(hub[A], MSG_CELLS, 9, values, label, count));
	assert_ok(channel_recv_labels(party[A], MSG_CELLS, 9, values, back, count));
	if (count)
		assert_memory_equal(label, back, 4 * count);
	free(label);
	free(back);
}

/* Sends vectors whose counts are near whole bytes or near a whole chunk. A vector takes one message
 * up to a chunk, and two above a chunk. */
static void test_labels_sizes(void **state)
{
	static const uint32_t values[] = { 1, 2, 3, 6, 28, 255, 300, 70000, UINT32_MAX };

	(void)state;
	for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
		size_t chunk = (size_t)CHANNEL_CHUNK / labels_bits(values[v]) * 8;

		for (size_t count = 0; count <= 17; count++)
			labels_there_and_back(values[v], count);
		for (int above = -8; above <= 8; above++) {
			size_t before = messages_received(party[A]);

			labels_there_and_back(values[v], chunk + (size_t)above);
			assert_int_equal(messages_received(party[A]) - before, above > 0 ? 2 : 1);
		}
		labels_there_and_back(values[v], 3 * chunk + 5);
	}
}

/* The sender chooses `values` within bounds. All chunks of a vector must have the first chunk's
 * `values`. */
static void test_labels_upto(void **state)
{
	static const uint32_t label[20] = { 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5 };
	static const uint8_t packed[20] = { 0 };
	uint32_t back[20], values = 20;

	(void)state;
	assert_ok(channel_send_labels(hub[A], MSG_CELLS, 9, 6, label, 20));
	assert_ok(channel_recv_labels_upto(party[A], MSG_CELLS, 9, 1, &values, back, 20));
	assert_int_equal(values, 6);
	assert_memory_equal(label, back, sizeof(back));
	for (uint32_t wrong = 0; wrong <= 21; wrong += 21) { /* `values` 1 .. 20 would be valid */
		values = 20;
		assert_ok(channel_send_labels(hub[A], MSG_CELLS, 9, wrong, back + 18, 2));
		assert_err(channel_recv_labels_upto(party[A], MSG_CELLS, 9, 1, &values, back, 2),
			   ERR_PEER, "values");
		again(state);
	}
	for (uint32_t i = 0; i < 2; i++) { /* the second of two chunks has 7 values, not 6 */
		m->type = MSG_CELLS;
		m->labels = (struct msg_labels){ 9, 6 + i, 16, 8 * i, { packed, 3 } };
		assert_ok(channel_send(hub[A], m));
	}
	values = 20;
	assert_err(channel_recv_labels_upto(party[A], MSG_CELLS, 9, 1, &values, back, 16), ERR_PEER,
		   "values 7, count 16, offset 8; expected 9, 6, 16, 8");
}

/* Accepts chunks as another implementation may send them: of any multiple of 8 labels (the last one
 * of any number), up to MSG_CHUNK_MAX bytes. */
static void test_labels_of_other_chunks(void **state)
{
	enum { COUNT = 8 * MSG_CHUNK_MAX + 80 };
	static const size_t cut[][4] = { { 8 * MSG_CHUNK_MAX, COUNT },
					 { 8, 16, 8 * MSG_CHUNK_MAX, COUNT } };
	uint32_t *label = alloc(COUNT, 4), *back = alloc(COUNT, 4);
	uint8_t *packed = alloc(MSG_CHUNK_MAX, 1);

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		label[i] = i % 3 == 0;
	for (int c = 0; c < 2; c++) {
		for (size_t i = 0, done = 0; done < COUNT; done = cut[c][i++]) {
			size_t now = cut[c][i] - done;

			labels_pack(packed, 1, label + done, now);
			m->type = MSG_CELLS;
			m->labels = (struct msg_labels){
				0, 1, COUNT, done, { packed, labels_bytes(1, now) }
			};
			assert_ok(channel_send(hub[A], m));
		}
		assert_ok(channel_recv_labels(party[A], MSG_CELLS, 0, 1, back, COUNT));
		assert_memory_equal(label, back, sizeof(*label) * COUNT);
	}
	free(label);
	free(back);
	free(packed);
}

/* Refuses every wrong field in a chunk of 20 labels 0 .. 5 (3 bits) of group 9. */
static void test_labels_checks(void **state)
{
	static const uint8_t good[8] = { 0 }, seven[8] = { 0xff },
			     tail[8] = { 0, 0, 0, 0, 0, 0, 0, 0x10 };
	static const struct {
		struct msg_labels l;
		const char *says;
	} c[] = {
		/* 0 */ { { 9, 5, 20, 0, { good, 8 } }, NULL },
		/* 1 */ { { 8, 5, 20, 0, { good, 8 } }, "bank-a sent LOCAL_CLUSTERS of group 8" },
		/* 2 */ { { 9, 6, 20, 0, { good, 8 } }, "values 6" },
		/* 3 */ { { 9, 5, 21, 0, { good, 8 } }, "count 21" },
		/* 4 */
		{ { 9, 5, 20, 8, { good, 5 } },
		  "offset 8; expected 9, 5, 20, 0 (during clusters)" },
		/* 5 */ { { 9, 5, 20, 0, { good, 7 } }, "7 bytes for 20 entries" },
		/* 6 */ { { 9, 5, 20, 0, { good, 0 } }, "0 bytes for 20 entries" },
		/* 7 */ { { 9, 5, 20, 0, { good, 9 } }, "9 bytes for 20 entries" },
		/* 8 */ { { 9, 5, 20, 0, { seven, 8 } }, "entry 0 = 7, expected 0 to 5" },
		/* 9 */ { { 9, 5, 20, 0, { tail, 8 } }, "bits set after the last entry" },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		uint32_t label[20];

		m->type = MSG_LOCAL_CLUSTERS;
		m->labels = c[i].l;
		if (i == 7)
			m->labels.packed = filler(9);
		channel_step(hub[A], "clusters");
		assert_ok(channel_send(party[A], m));
		if (!c[i].says) {
			assert_ok(channel_recv_labels(hub[A], MSG_LOCAL_CLUSTERS, 9, 5, label, 20));
			continue;
		}
		assert_err(channel_recv_labels(hub[A], MSG_LOCAL_CLUSTERS, 9, 5, label, 20),
			   ERR_PEER, c[i].says);
		assert_err(channel_recv(hub[A], MSG_KEY, m), ERR_PEER, c[i].says);
		again(state);
	}
}

/* ---- real numbers ---- */

enum { REALS_CHUNK = CHANNEL_CHUNK / 8, MOST_REALS = MSG_CHUNK_MAX / 8 };

/* Returns number i of a series with all kinds of finite numbers. They must arrive bitwise
 * identical. */
static double sample_real(size_t i)
{
	static const double special[] = { 0.0,      -0.0,     1.0,     -1.0 / 3,    DBL_MIN,
					  -DBL_MAX, 4.9e-324, DBL_MAX, DBL_EPSILON, M_PI };
	size_t kinds = sizeof(special) / sizeof(*special);

	return i % 64 < kinds ? special[i % 64] : (double)i * -1.0000000001;
}

static void reals_there_and_back(size_t count)
{
	double *x = alloc(count + 1, sizeof(*x)), *back = alloc(count + 1, sizeof(*back));

	for (size_t i = 0; i < count; i++)
		x[i] = sample_real(i);
	back[count] = 17;
	assert_ok(channel_send_reals(hub[A], MSG_MATRIX, 9, x, count));
	assert_ok(channel_recv_reals(party[A], MSG_MATRIX, 9, back, count));
	if (count)
		assert_memory_equal(x, back, count * sizeof(*x));
	assert_true(back[count] == 17);
	free(x);
	free(back);
}

/* Sends vectors of 0 to 70 numbers, and vectors whose counts are near whole chunks. An empty vector
 * takes one empty message. A vector above a whole chunk takes one message more. */
static void test_reals_sizes(void **state)
{
	(void)state;
	for (size_t count = 0; count <= 70; count++) {
		size_t before = messages_received(party[A]);

		reals_there_and_back(count);
		assert_int_equal(messages_received(party[A]) - before, 1);
	}
	for (size_t chunks = 1; chunks <= 3; chunks++)
		for (int above = -1; above <= 1; above++) {
			size_t before = messages_received(party[A]);

			reals_there_and_back(chunks * REALS_CHUNK + (size_t)above);
			assert_int_equal(messages_received(party[A]) - before,
					 chunks + (above > 0));
		}
	assert_ok(channel_send_reals(hub[A], MSG_MATRIX, 9, NULL, 0));
	assert_ok(channel_recv_reals(party[A], MSG_MATRIX, 9, NULL, 0));
}

static void keep_body(void *arg, enum msg_type type, struct bytes body)
{
	struct buf *kept = arg;

	(void)type;
	buf_add(kept, body.p, body.n);
}

/* Writes the lowest byte of each number first, on any processor. */
static void test_reals_on_the_wire(void **state)
{
	static const uint8_t expect[] = {
		0,    0,    0,    9,                            /* group */
		0,    0,    0,    0,    0,    0,    0,    2,    /* count */
		0,    0,    0,    0,    0,    0,    0,    0,    /* offset */
		0,    0,    0,    16,                           /* bytes */
		0,    0,    0,    0,    0,    0,    0xf8, 0x3f, /* 1.5 */
		0x9a, 0x99, 0x99, 0x99, 0x99, 0x99, 0xb9, 0xbf, /* -0.1 */
	};
	static const double x[] = { 1.5, -0.1 };
	struct buf kept = { 0 };
	double back[2];

	(void)state;
	channel_observe(party[A], keep_body, &kept);
	assert_ok(channel_send_reals(hub[A], MSG_MATRIX, 9, x, 2));
	assert_ok(channel_recv_reals(party[A], MSG_MATRIX, 9, back, 2));
	assert_int_equal(kept.n, sizeof(expect));
	assert_memory_equal(kept.p, expect, sizeof(expect));
	assert_memory_equal(back, x, sizeof(x));
	buf_release(&kept);
}

/* Accepts chunks as another implementation may send them: of any count of numbers, up to
 * MSG_CHUNK_MAX bytes. */
static void test_reals_of_other_chunks(void **state)
{
	enum { COUNT = MOST_REALS + 3 };
	static const size_t cut[][4] = { { MOST_REALS, COUNT },
					 { 1, 3, MOST_REALS + 2, COUNT },
					 { 3, COUNT } };
	double *x = alloc(COUNT, sizeof(*x)), *back = alloc(COUNT, sizeof(*back));
	uint8_t *odd = alloc(COUNT * 8 + 1, 1); /* numbers at unaligned addresses */

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		x[i] = sample_real(i);
	memcpy(odd + 1, x, COUNT * 8);
	for (size_t c = 0; c < sizeof(cut) / sizeof(*cut); c++) {
		for (size_t i = 0, done = 0; done < COUNT; done = cut[c][i++]) {
			m->type = MSG_MATRIX;
			m->reals = (struct msg_reals){
				0, COUNT, done, { odd + 1 + 8 * done, 8 * (cut[c][i] - done) }
			};
			assert_ok(channel_send(hub[A], m));
		}
		memset(back, 0, COUNT * sizeof(*back));
		assert_ok(channel_recv_reals(party[A], MSG_MATRIX, 0, back, COUNT));
		assert_memory_equal(x, back, COUNT * sizeof(*x));
	}
	free(x);
	free(back);
	free(odd);
}

/* Rounds the numbers of a block to floats of four bytes, lowest byte first. */
static void test_blocks(void **state)
{
	enum { COUNT = 3 * (CHANNEL_CHUNK / 4) + 5 };
	static const uint8_t wire[] = { 0, 0, 0xc0, 0x3f, 0xcd, 0xcc, 0xcc, 0xbd };
	double *x = alloc(COUNT, sizeof(*x)), *back = alloc(COUNT, sizeof(*x));
	struct msg got;

	(void)state;
	x[0] = 1.5;
	x[1] = -0.1;
	assert_ok(channel_send_reals(hub[A], MSG_BLOCK, 9, x, 2));
	assert_ok(channel_recv(party[A], MSG_BLOCK, &got));
	assert_int_equal(got.reals.values.n, sizeof(wire));
	assert_memory_equal(got.reals.values.p, wire, sizeof(wire));
	for (size_t i = 0; i < COUNT; i++)
		x[i] = sin((double)i) * ldexp(1, (int)(i % 60) - 30);
	assert_ok(channel_send_reals(hub[A], MSG_BLOCK, 9, x, COUNT));
	assert_ok(channel_recv_reals(party[A], MSG_BLOCK, 9, back, COUNT));
	for (size_t i = 0; i < COUNT; i++)
		assert_true(back[i] == (double)(float)x[i]);
	x[3] = 1e300; /* too large for a float */
	assert_ok(channel_send_reals(hub[A], MSG_BLOCK, 9, x, 5));
	refused(party[A], channel_recv_reals(party[A], MSG_BLOCK, 9, back, 5),
		"hub sent BLOCK with entry 3 that is no finite number");
	free(x);
	free(back);
}

/* Refuses every wrong field in a chunk of 4 numbers of group 9. */
static void test_reals_checks(void **state)
{
	static const double five[5] = { 1, 2, 3, 4, 5 };
	static const struct {
		uint32_t group;
		uint64_t count, offset, numbers;
		const char *says;
	} c[] = {
		/* 0 */ { 9, 4, 0, 4, NULL },
		/* 1 */
		{ 8, 4, 0, 4,
		  "hub sent MATRIX of group 8, count 4, offset 0 with 4 numbers; expected 9, 4, 0 "
		  "with at most 4 (during embedding)" },
		/* 2 */ { 9, 3, 0, 3, "count 3" },
		/* 3 */ { 9, 5, 0, 5, "count 5" },
		/* 4 */ { 9, 4, 1, 3, "offset 1" },
		/* 5 */ { 9, 4, 0, 5, "with 5 numbers" },
		/* 6 */ { 9, 4, 0, 0, "with 0 numbers" },
		/* 7 */ { 9, 4, 4, 0, "offset 4" },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		double x[6] = { [4] = 17 };

		print_message("case %zu\n", i);
		m->type = MSG_MATRIX;
		m->reals = (struct msg_reals){ c[i].group,
					       c[i].count,
					       c[i].offset,
					       { (const uint8_t *)five, 8 * c[i].numbers } };
		channel_step(party[A], "embedding");
		assert_ok(channel_send(hub[A], m));
		if (!c[i].says) {
			assert_ok(channel_recv_reals(party[A], MSG_MATRIX, 9, x, 4));
			continue;
		}
		refused(party[A], channel_recv_reals(party[A], MSG_MATRIX, 9, x, 4), c[i].says);
		assert_true(x[4] == 17);
		again(state);
	}
}

/* Refuses the same wrong fields in a later chunk. That chunk must continue where the first chunk
 * ended. */
static void test_reals_checks_later(void **state)
{
	static const double five[5] = { 1, 2, 3, 4, 5 };
	static const struct {
		uint64_t offset, numbers;
		const char *says;
	} c[] = {
		/* 0 */ { 3, 2, NULL },
		/* 1 */ { 2, 2, "offset 2 with 2 numbers; expected 9, 5, 3 with at most 2" },
		/* 2 */ { 4, 1, "offset 4" },
		/* 3 */ { 0, 5, "offset 0" },
		/* 4 */ { 3, 3, "with 3 numbers" },
		/* 5 */ { 3, 0, "with 0 numbers" },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		double x[5];

		print_message("case %zu\n", i);
		m->type = MSG_MATRIX;
		m->reals = (struct msg_reals){ 9, 5, 0, { (const uint8_t *)five, 8 * 3 } };
		assert_ok(channel_send(hub[A], m));
		m->reals = (struct msg_reals){
			9, 5, c[i].offset, { (const uint8_t *)five, 8 * c[i].numbers }
		};
		assert_ok(channel_send(hub[A], m));
		if (c[i].says)
			refused(party[A], channel_recv_reals(party[A], MSG_MATRIX, 9, x, 5),
				c[i].says);
		else
			assert_ok(channel_recv_reals(party[A], MSG_MATRIX, 9, x, 5));
		again(state);
	}
}

/* Accepts any number of whole rows within bounds; refuses all other counts. */
static void test_rows_within_bounds(void **state)
{
	static const double x[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	double back[9];
	size_t rows;

	for (size_t n = 2; n <= 3; n++) {
		assert_ok(channel_send_reals(hub[A], MSG_MATRIX, 9, x, 3 * n));
		assert_ok(channel_recv_rows(party[A], MSG_MATRIX, 9, 3, 2, 3, back, &rows));
		assert_int_equal(rows, n);
		assert_memory_equal(back, x, 3 * n * sizeof(*x));
	}
	assert_ok(channel_send_reals(hub[A], MSG_MATRIX, 9, x, 3));
	refused(party[A], channel_recv_rows(party[A], MSG_MATRIX, 9, 3, 2, 3, back, &rows),
		"count 3, offset 0 with 3 numbers; expected 9, 6, 0 with at most 6");
	again(state);
	assert_ok(channel_send_reals(hub[A], MSG_MATRIX, 9, x, 12));
	refused(party[A], channel_recv_rows(party[A], MSG_MATRIX, 9, 3, 2, 3, back, &rows),
		"count 12, offset 0 with 12 numbers; expected 9, 9, 0 with at most 9");
	again(state);
	assert_ok(channel_send_reals(hub[A], MSG_MATRIX, 9, x, 8));
	refused(party[A], channel_recv_rows(party[A], MSG_MATRIX, 9, 3, 2, 3, back, &rows),
		"count 8, offset 0 with 8 numbers; expected 9, 6, 0 with at most 6");
}

/* A receiver that expects no numbers accepts an empty message and no other. */
static void test_reals_none(void **state)
{
	static const double one = 1;
	double x = 17;

	m->type = MSG_MATRIX;
	m->reals = (struct msg_reals){ 9, 0, 0, { (const uint8_t *)&one, 8 } };
	assert_ok(channel_send(hub[A], m));
	refused(party[A], channel_recv_reals(party[A], MSG_MATRIX, 9, &x, 0),
		"count 0, offset 0 with 1 numbers; expected 9, 0, 0 with at most 0");
	assert_true(x == 17);
	again(state);
	assert_ok(channel_send_reals(hub[A], MSG_MATRIX, 9, &one, 1));
	refused(party[A], channel_recv_reals(party[A], MSG_MATRIX, 9, &x, 0), "count 1");
	again(state);
	assert_ok(channel_send_choice(hub[A], CHOICE_ORDER, 3));
	refused(party[A], channel_recv_reals(party[A], MSG_MATRIX, 9, &x, 1),
		"hub sent CHOICE, expected MATRIX");
}

/* Refuses every kind of number that is not finite, at the first and last places of the first chunk
 * and in the second chunk. */
static void test_reals_are_finite(void **state)
{
	static const uint64_t wrong[] = {
		0x7ff8000000000000,                                         /* quiet NaN */
		0x7ff0000000000001,                                         /* signalling NaN */
		0xfff8000000000000, 0x7ff0000000000000, 0xfff0000000000000, /* infinities */
	};
	static const size_t at[] = { 0, 1, REALS_CHUNK - 1, REALS_CHUNK, REALS_CHUNK + 6 };
	enum { COUNT = REALS_CHUNK + 7 };
	double *x = alloc(COUNT, sizeof(*x));
	char says[80];

	for (size_t w = 0; w < sizeof(wrong) / sizeof(*wrong); w++)
		for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++) {
			memset(x, 0, COUNT * sizeof(*x));
			memcpy(&x[at[i]], &wrong[w], 8);
			assert_ok(channel_send_reals(hub[A], MSG_MATRIX, 9, x, COUNT));
			snprintf(says, sizeof(says),
				 "hub sent MATRIX with entry %zu that is no finite number", at[i]);
			refused(party[A], channel_recv_reals(party[A], MSG_MATRIX, 9, x, COUNT),
				says);
			again(state);
		}
	free(x);
}

static void test_reals_of_a_broken_channel(void **state)
{
	double x[2] = { 1, 2 };

	(void)state;
	channel_fail(hub[A], ERR_PEER, "bank-a: connection reset");
	assert_err(channel_send_reals(hub[A], MSG_MATRIX, 9, x, 2), ERR_PEER, "connection reset");
	assert_err(channel_send_choice(hub[A], CHOICE_ORDER, 2), ERR_PEER, "connection reset");
}

/* ---- choices ---- */

static void test_choices(void **state)
{
	static const struct {
		uint64_t sent, most;
	} good[] = { { 0, 0 }, { 0, 1 }, { 1, 1 }, { 60, 10000 }, { UINT64_MAX, UINT64_MAX } };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		uint64_t value = 17;

		assert_ok(channel_send_choice(hub[A], CHOICE_ORDER, good[i].sent));
		assert_ok(channel_recv_choice(party[A], CHOICE_ORDER, good[i].most, &value));
		assert_int_equal(value, good[i].sent);
	}
}

static void test_choices_checks(void **state)
{
	static const struct {
		enum choice what;
		uint64_t value;
		const char *says;
	} c[] = {
		/* 0 */
		{ CHOICE_WORDS, 4,
		  "hub sent CHOICE 1 = 4; expected 2, from 0 to 15 (during order)" },
		/* 1 */ { CHOICE_WIDTH, 4, "CHOICE 5 = 4; expected 2," },
		/* 2 */ { (enum choice)0, 4, "CHOICE 0 = 4" },
		/* 3 */ { (enum choice)0xffff, 4, "CHOICE 65535 = 4" },
		/* 4 */ { CHOICE_ORDER, 16, "CHOICE 2 = 16; expected 2, from 0 to 15" },
		/* 5 */ { CHOICE_ORDER, UINT64_MAX, "CHOICE 2 = 18446744073709551615;" },
		/* 6 */ { CHOICE_ORDER, (uint64_t)1 << 32, "CHOICE 2 = 4294967296;" },
	};
	uint64_t value;

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		print_message("case %zu\n", i);
		channel_step(party[A], "order");
		assert_ok(channel_send_choice(hub[A], c[i].what, c[i].value));
		refused(party[A], channel_recv_choice(party[A], CHOICE_ORDER, 15, &value),
			c[i].says);
		again(state);
	}
	assert_ok(channel_send_reals(hub[A], MSG_MATRIX, 9, NULL, 0));
	refused(party[A], channel_recv_choice(party[A], CHOICE_ORDER, 15, &value),
		"hub sent MATRIX, expected CHOICE");
}

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		IN(set_up, test_labels_sizes),
		IN(set_up, test_labels_upto),
		IN(set_up, test_labels_of_other_chunks),
		IN(set_up, test_labels_checks),
		IN(set_up, test_reals_sizes),
		IN(set_up, test_reals_on_the_wire),
		IN(set_up, test_reals_of_other_chunks),
		IN(set_up, test_blocks),
		IN(set_up, test_reals_checks),
		IN(set_up, test_reals_checks_later),
		IN(set_up, test_reals_none),
		IN(set_up, test_rows_within_bounds),
		IN(set_up, test_reals_are_finite),
		IN(set_up, test_reals_of_a_broken_channel),
		IN(set_up, test_choices),
		IN(set_up, test_choices_checks),
	};
	int failed;

	ALLOC(m, 1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(m);
	return failed;
}
