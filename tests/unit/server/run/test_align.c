/* The coordinator refuses wrong lists of ids, and names the party that sent them. */
#include "tests/unit/server/run/fake.h"
#include "server/run/align.h"

static const char hashed[] = "{\"kind\":\"fedspectral\",\"clusters\":2}";
static const char plain[] = "{\"kind\":\"fedspectral\",\"clusters\":2,\"ids\":\"plain\"}";

static void send_ids(struct fake *f, size_t l, uint64_t count, uint64_t offset, const void *packed,
		     size_t len)
{
	struct msg m = { .type = MSG_IDS, .ids = { count, offset, { packed, len } } };

	fake_send(f, l, &m);
}

static void send_text(struct fake *f, size_t l, uint64_t count, const char *packed)
{
	send_ids(f, l, count, 0, packed, strlen(packed));
}

static void aligns_to(struct fake *f, size_t n)
{
	struct align a;

	assert_ok(server_align(&f->run, &a));
	assert_int_equal(f->run.n, n);
	align_release(&a);
	fake_close(f);
}

static void refuses(struct fake *f, const char *why)
{
	struct align a;

	assert_err(server_align(&f->run, &a), ERR_PEER, why);
	assert_null(a.row); /* all was freed */
	assert_null(a.nodes);
	fake_close(f);
}

/* Sends party b's list, which is valid; the test sends party a's. */
static void open_plain(struct fake *f)
{
	fake_open(f, 2, 0, plain);
	send_text(f, 1, 2, "\1b\1c");
}

TEST(plain_lists)
{
	static const struct {
		uint64_t count;
		const char *packed, *why; /* why: NULL if the list is accepted */
	} cases[] = {
		{ 0, "", NULL },
		{ 1, "\1a", NULL },
		{ 3, "\1a\2ab\1b", NULL },
		{ 2, "\1b\1a", "a sent IDS in which id 1 is below the one before" },
		{ 2, "\2ab\1a", "a sent IDS in which id 1 is below the one before" },
		{ 3, "\1a\1b\1b", "a sent IDS in which id 2 is the one before" },
		{ 1, "\3ab", "a sent IDS in which id 0 is cut or empty" },
		{ 2, "\1a\1", "a sent IDS in which id 1 is cut or empty" },
		{ 1, "\1a\1b", "a sent IDS with 2 ids after 0 of 1" },
		{ 0, "\1a", "a sent IDS with 1 ids after 0 of 0" },
		{ 1, "", "a sent IDS with 0 ids after 0 of 1" },
		{ MSG_IDS_MAX, "", "a sent IDS with 0 ids after 0 of 67108864" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fake f;

		open_plain(&f);
		send_text(&f, 0, cases[i].count, cases[i].packed);
		if (cases[i].why)
			refuses(&f, cases[i].why);
		else
			aligns_to(&f, i == 0 ? 2 : i == 1 ? 3 : 4);
	}
}

TEST(empty_ids)
{
	struct fake f;

	open_plain(&f);
	send_ids(&f, 0, 2, 0, "\0\1a", 3);
	refuses(&f, "a sent IDS in which id 0 is cut or empty");
}

TEST(chunks)
{
	static const struct {
		uint64_t count, offset;
		const char *packed, *why;
	} second[] = {
		{ 4, 2, "\1c\1d", NULL },
		{ 4, 2, "\1b\1c", "a sent IDS in which id 2 is the one before" },
		{ 4, 2, "\1a\1c", "a sent IDS in which id 2 is below the one before" },
		{ 4, 2, "\1c\1d\1e", "a sent IDS with 3 ids after 2 of 4" },
		{ 4, 2, "", "a sent IDS with 0 ids after 2 of 4" },
		{ 5, 2, "\1c\1d", "a sent IDS of count 5, offset 2; expected 4, 2" },
		{ 4, 3, "\1c", "a sent IDS of count 4, offset 3; expected 4, 2" },
		{ 4, 0, "\1c\1d", "a sent IDS of count 4, offset 0; expected 4, 2" },
	};

	for (size_t i = 0; i < sizeof(second) / sizeof(*second); i++) {
		struct fake f;

		open_plain(&f);
		send_text(&f, 0, 4, "\1a\1b");
		send_ids(&f, 0, second[i].count, second[i].offset, second[i].packed,
			 strlen(second[i].packed));
		if (second[i].why)
			refuses(&f, second[i].why);
		else
			aligns_to(&f, 4);
	}
}

/* The error names the party that sent the wrong list, after valid lists of other parties. */
TEST(the_other_party)
{
	struct fake f;

	fake_open(&f, 3, 0, plain);
	send_text(&f, 0, 1, "\1a");
	send_text(&f, 1, 1, "\1a");
	send_text(&f, 2, 2, "\1x\1x");
	refuses(&f, "c sent IDS in which id 1 is the one before");
}

static void send_sealed(struct fake *f, size_t l, uint16_t what, uint32_t from, uint32_t to)
{
	static const uint8_t box[48] = { 7 };
	struct msg m = { .type = MSG_SEALED, .sealed = { what, from, to, { box, sizeof(box) } } };

	fake_send(f, l, &m);
}

/* Relays each sealed key unchanged to its receiver. Refuses a wrong purpose, sender or receiver. */
TEST(sealed_keys)
{
	static const struct {
		uint16_t what;
		uint32_t from, to;
		const char *why;
	} cases[] = {
		{ SEALED_ID_KEY, 0, 2, NULL },
		{ 2, 0, 2, "a sent SEALED 2 of party 0 to party 2; expected 1, 0, 2" },
		{ SEALED_ID_KEY, 1, 2, "a sent SEALED 1 of party 1 to party 2" },
		{ SEALED_ID_KEY, 0, 1, "a sent SEALED 1 of party 0 to party 1" },
		{ SEALED_ID_KEY, 0, 3, "a sent SEALED 1 of party 0 to party 3" },
		{ SEALED_ID_KEY, 0, PARTIES_MAX - 1, "to party 255" },
	};
	static const uint8_t ids[32] = { 1, [16] = 2 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		enum msg_type type;
		struct buf body = { 0 };
		struct fake f;
		struct align a;
		struct msg m;

		fake_open(&f, 3, 0, hashed);
		send_sealed(&f, 0, SEALED_ID_KEY, 0, 1);
		send_sealed(&f, 0, cases[i].what, cases[i].from, cases[i].to);
		send_ids(&f, 0, 2, 0, ids, 32);
		send_ids(&f, 1, 1, 0, ids + 16, 16);
		send_ids(&f, 2, 1, 0, ids + 8, 16); /* an id that no other party has */
		if (cases[i].why) {
			refuses(&f, cases[i].why);
			continue;
		}
		assert_ok(server_align(&f.run, &a));
		assert_int_equal(f.run.n, 3);
		for (size_t l = 1; l < 3; l++) {
			assert_true(channel_take(f.channel[l], &type, &body));
			assert_int_equal(type, MSG_SEALED);
			assert_ok(msg_decode(&m, MSG_SEALED, (struct bytes){ body.p, body.n }));
			assert_int_equal(m.sealed.to, l);
			assert_int_equal(m.sealed.box.p[0], 7);
		}
		buf_release(&body);
		assert_int_equal(a.nodes[0], 2);
		assert_int_equal(a.nodes[2], 1);
		align_release(&a);
		fake_close(&f);
	}
}

TEST(hashes)
{
	static const uint8_t twice[32] = { 1, [16] = 1 }, falling[32] = { 2, [16] = 1 };
	struct fake f;

	fake_open(&f, 1, 0, hashed);
	send_ids(&f, 0, 2, 0, twice, 32);
	refuses(&f, "a sent IDS in which id 1 is the one before");
	fake_open(&f, 1, 0, hashed);
	send_ids(&f, 0, 2, 0, falling, 32);
	refuses(&f, "a sent IDS in which id 1 is below");
	fake_open(&f, 1, 0, hashed);
	send_ids(&f, 0, 2, 0, falling, 31);
	refuses(&f, "a sent IDS in which id 1 is cut");
}
