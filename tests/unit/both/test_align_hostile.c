/* A party refuses impossible rows, keys and messages from a coordinator that aligns ids. */
#include "tests/unit/both/meeting.h"
#include "tests/unit/proto/samples.h"

#include "common/base/clock.h"
#include "crypto/hmac.h"
#include "crypto/seal.h"
#include "proto/labels.h"

static void deliver(struct channel *ch, const struct msg *m)
{
	struct buf body = { 0 };

	msg_encode(&body, m);
	channel_deliver(ch, m->type, &body, clock_now_s());
	buf_release(&body);
}

/* Sets up two parties with the ids "a b c" and "b c d e"; the test runs one of them alone. */
static struct meeting *alone(const char *ids)
{
	struct meeting *m = alloc(1, sizeof(*m));

	names_are(&m->slot[0].d, "a\nb\nc\n");
	names_are(&m->slot[1].d, "b\nc\nd\ne\n");
	meet(m, 2, ids);
	return m;
}

static void tell_rows(struct slot *s, uint32_t group, uint32_t n, const uint32_t *row, size_t count)
{
	struct msg m = { .type = MSG_ROWS };
	uint8_t packed[64];

	labels_pack(packed, n, row, count);
	m.labels = (struct msg_labels){ .group = group,
					.values = n,
					.count = count,
					.packed = { packed, labels_bytes(n, count) } };
	deliver(s->work.channel, &m);
}

/* Puts DONE after the delivered messages. A party that has accepted all of these fails at DONE. */
static void attend_to_the_end(struct slot *s)
{
	struct msg m = { .type = MSG_DONE };

	deliver(s->work.channel, &m);
	attend(s);
}

static void refuses_rows(const uint32_t *row, size_t count, uint32_t group, uint32_t n,
			 const char *why)
{
	struct meeting *m = alone("plain");
	struct slot *s = &m->slot[0];

	tell_rows(s, group, n, row, count);
	attend_to_the_end(s);
	if (s->result != ERR_PEER || !strstr(s->why, why))
		fail_msg("%u rows of %u: \"%s\", expected \"%s\"", (unsigned)count, n, s->why, why);
	assert_int_equal(s->work.n, 3); /* the number of nodes is unchanged */
	leave(m);
}

TEST(rows_that_cannot_be)
{
	static const uint32_t good[] = { 4, 0, 2 }, twice[] = { 4, 0, 4 }, none[] = { 4, 5, 0 },
			      four[] = { 0, 1, 2, 3 };
	struct meeting *m = alone("plain");

	tell_rows(&m->slot[0], 0, 5, good, 3);
	attend_to_the_end(&m->slot[0]);
	/* Control: the party accepts valid rows. */
	assert_non_null(strstr(m->slot[0].why, "sent DONE, expected RESULT"));
	assert_int_equal(m->slot[0].work.n, 5);
	leave(m);
	refuses_rows(twice, 3, 0, 5, "row 4 twice");
	refuses_rows(none, 3, 0, 5, "an id in none of 5 rows");
	refuses_rows(good, 3, 1, 5, "group 1");
	refuses_rows(good, 2, 0, 5, "count 2");
	refuses_rows(four, 4, 0, 5, "count 4");
	/* Fewer rows than the party has nodes. */
	refuses_rows((const uint32_t[]){ 0, 1, 1 }, 3, 0, 2, "values 2");
	refuses_rows((const uint32_t[]){ 0, 1, 2 }, 3, 0, (1 << 30) + 1, "values 1073741825");
	refuses_rows((const uint32_t[]){ 0, 1, 2 }, 3, 0, UINT32_MAX, "values 4294967295");
}

/* Refuses the largest number of nodes that ROWS may state, because the memory does not suffice for
 * it. */
TEST(more_nodes_than_memory)
{
	double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

	if (have >= 128 * 0x1p30)
		skip();
	refuses_rows((const uint32_t[]){ 0, 1, 2 }, 3, 0, 1 << 30,
		     "of 1073741824 nodes, which take 137.4 GB at least");
}

/* Sends every message of the catalogue, smallest and largest, when SEALED or ROWS is due. */
TEST(other_messages)
{
	for (int hashed = 0; hashed <= 1; hashed++)
		for (size_t t = 0; t < ALL_TYPES; t++)
			for (int largest = 0; largest <= 1; largest++) {
				struct meeting *m;
				struct slot *s;
				struct buf body = { 0 };
				size_t len;

				if (all_types[t] == MSG_PADDING) /* allowed at any time */
					continue;
				m = alone(hashed ? "hashed" : "plain");
				s = &m->slot[1];
				body.p = sample_body(all_types[t], largest, &len);
				body.n = body.cap = len;
				channel_deliver(s->work.channel, all_types[t], &body,
						clock_now_s());
				buf_release(&body);
				attend_to_the_end(s);
				assert_true(s->result != ERR_OK);
				if (all_types[t] != MSG_ABORT && !strstr(s->why, "hub"))
					fail_msg("%s: %s", msg_name(all_types[t]), s->why);
				leave(m);
			}
}

/* Sends party 1 a key that party 0 has sealed for it, with these fields. If bit >= 0, flips this
 * bit of the sealed key. */
static void sealed_with(uint16_t what, uint32_t from, uint32_t to, size_t len, int bit,
			const char *why)
{
	struct meeting *m = alone("hashed");
	struct slot *s = &m->slot[1];
	uint8_t key[64] = { 1, 2, 3 };
	struct buf box = { 0 };
	struct msg sealed = { .type = MSG_SEALED };

	seal_make(m->f.party[0].secagg, 1, SEALED_ID_KEY, (struct bytes){ key, len }, &box);
	if (bit >= 0)
		box.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
	sealed.sealed = (struct msg_sealed){ what, from, to, { box.p, box.n } };
	deliver(s->work.channel, &sealed);
	attend_to_the_end(s);
	assert_int_equal(s->result, ERR_PEER);
	if (!strstr(s->why, why))
		fail_msg("\"%s\", expected \"%s\"", s->why, why);
	buf_release(&box);
	leave(m);
}

TEST(keys_that_are_not_sealed_for_us)
{
	/* Control: the party accepts a valid key. */
	sealed_with(SEALED_ID_KEY, 0, 1, 32, -1, "sent DONE, expected ROWS");
	sealed_with(SEALED_ID_KEY + 1, 0, 1, 32, -1, "passed on SEALED 2 of party 0 to party 1");
	sealed_with(SEALED_ID_KEY, 1, 0, 32, -1, "of party 1 to party 0");
	sealed_with(SEALED_ID_KEY, 0, 2, 32, -1, "of party 0 to party 2");
	sealed_with(SEALED_ID_KEY, 0, 1, 31, -1, "with 47 bytes");
	sealed_with(SEALED_ID_KEY, 0, 1, 33, -1, "with 49 bytes");
	sealed_with(SEALED_ID_KEY, 0, 1, 32, 0, "sealed message of p0: it does not open");
	sealed_with(SEALED_ID_KEY, 0, 1, 32, 8 * 47 + 7, "sealed message of p0: it does not open");
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, MSG_ID_HASH_LEN);
}

/* Compares a party's message byte by byte with the sorted hashes of its ids. A hash is the first
 * half of an HMAC-SHA256 under the received key. */
TEST(hashes_as_specified)
{
	static const char *const own[] = { "b", "c", "d", "e" };
	struct meeting *m = alone("hashed");
	struct slot *s = &m->slot[1];
	uint8_t key[32] = { 1, 2, 3 }, want[4][MSG_ID_HASH_LEN], mac[HMAC_LEN];
	struct hmac *h = hmac_new((struct bytes){ key, sizeof(key) });
	struct buf body = { 0 };
	struct msg sealed = { .type = MSG_SEALED }, ids;
	enum msg_type type;

	for (int i = 0; i < 4; i++) {
		hmac_add(h, own[i], 1);
		hmac_end(h, mac);
		memcpy(want[i], mac, MSG_ID_HASH_LEN);
	}
	qsort(want, 4, MSG_ID_HASH_LEN, by_bytes);
	seal_make(m->f.party[0].secagg, 1, SEALED_ID_KEY, (struct bytes){ key, sizeof(key) },
		  &body);
	sealed.sealed = (struct msg_sealed){ SEALED_ID_KEY, 0, 1, { body.p, body.n } };
	deliver(s->work.channel, &sealed);
	attend_to_the_end(s);
	assert_true(channel_take(s->work.channel, &type, &body));
	assert_int_equal(type, MSG_IDS);
	assert_ok(msg_decode(&ids, MSG_IDS, (struct bytes){ body.p, body.n }));
	assert_int_equal(ids.ids.count, 4);
	assert_int_equal(ids.ids.offset, 0);
	assert_int_equal(ids.ids.packed.n, sizeof(want));
	assert_memory_equal(ids.ids.packed.p, want, sizeof(want));
	buf_release(&body);
	hmac_free(h);
	leave(m);
}
