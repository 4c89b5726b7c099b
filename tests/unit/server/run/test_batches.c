/* The coordinator relays batches in order and whole, from and to the named parties. It gathers the
 * parties' lists of ties. */
#include "tests/unit/server/run/fake.h"

#include "protocols/fedwalk/coordinator/lists.h"
#include "server/run/relay.h"

static const char job[] = "{\"kind\": \"fedwalk\"}";

static uint8_t bytes[RELAY_BOX + 1];

static void box(struct fake *f, size_t l, enum sealed what, uint32_t from, uint32_t to, size_t n)
{
	struct msg m = { .type = MSG_SEALED, .sealed = { (uint16_t)what, from, to, { bytes, n } } };

	fake_send(f, l, &m);
}

/* The receiving ends of the parties. */
struct heard {
	struct channel *party[3];
	struct mailbox *mailbox[3];
};

static void hear_open(struct heard *h, struct fake *f)
{
	for (size_t l = 0; l < f->run.L; l++) {
		h->mailbox[l] = mailbox_new(5);
		h->party[l] = channel_new(h->mailbox[l], PARTY, "hub");
		channel_pair(f->channel[l], h->party[l]);
	}
}

static void hear_close(struct heard *h, size_t L)
{
	for (size_t l = 0; l < L; l++) {
		channel_free(h->party[l]);
		mailbox_free(h->mailbox[l]);
	}
}

static void gets(struct heard *h, size_t l, uint32_t from, size_t n)
{
	struct msg m;

	assert_ok(channel_recv(h->party[l], MSG_SEALED, &m));
	assert_int_equal(m.sealed.from, from);
	assert_int_equal(m.sealed.to, l);
	assert_int_equal(m.sealed.box.n, n);
}

TEST(test_passed_on)
{
	struct batch_totals sum = { 0 };
	struct heard h;
	struct fake f;

	fake_open(&f, 3, 10, job);
	record_phase(&f.record, "walks");
	hear_open(&h, &f);
	box(&f, 0, SEALED_WALKS, 0, 1, RELAY_BOX); /* more boxes follow */
	box(&f, 0, SEALED_WALKS, 0, 1, 16);
	box(&f, 0, SEALED_WALKS, 0, 2, 100);
	box(&f, 2, SEALED_WALKS, 2, 0, 300);
	box(&f, 2, SEALED_WALKS, 2, 1, 17);
	box(&f, 1, SEALED_WALKS, 1, 0, 20);
	box(&f, 1, SEALED_WALKS, 1, 2, 21);
	assert_ok(relay_batches(&f.run, SEALED_WALKS, &sum));
	gets(&h, 0, 1, 20);
	gets(&h, 0, 2, 300);
	gets(&h, 1, 0, RELAY_BOX);
	gets(&h, 1, 0, 16);
	gets(&h, 1, 2, 17);
	gets(&h, 2, 0, 100);
	gets(&h, 2, 1, 21);
	assert_int_equal(sum.boxes, 7);
	assert_int_equal(sum.bytes, RELAY_BOX + 16 + 100 + 300 + 17 + 20 + 21);
	fake_close(&f);
	hear_close(&h, 3);
}

static void refuses(enum sealed what, uint32_t from, uint32_t to, size_t n)
{
	struct batch_totals sum = { 0 };
	struct fake f;

	fake_open(&f, 2, 10, job);
	record_phase(&f.record, "walks");
	box(&f, 1, what, from, to, n);
	assert_err(relay_batches(&f.run, SEALED_WALKS, &sum), ERR_PEER, "b sent SEALED");
	fake_close(&f);
}

TEST(test_refused)
{
	refuses(SEALED_TIES, 1, 0, 20);
	refuses(SEALED_WALKS, 2, 0, 20);
	refuses(SEALED_WALKS, 1, 7, 20);
	refuses(SEALED_WALKS, 1, 0, RELAY_BOX + 1);
}

TEST(test_alone)
{
	struct batch_totals sum = { 0 };
	struct fake f;

	fake_open(&f, 1, 10, job);
	assert_ok(relay_batches(&f.run, SEALED_WALKS, &sum));
	assert_int_equal(sum.boxes, 0);
	fake_close(&f);
}

/* ---- lists of ties ---- */

static void labels(struct fake *f, size_t l, const uint32_t *label, size_t count)
{
	uint32_t n = (uint32_t)f->run.n;
	struct buf packed = { 0 };
	struct msg m = { .type = MSG_TIES,
			 .labels = { .group = (uint32_t)l, .values = n, .count = count } };

	labels_pack(buf_extend(&packed, labels_bytes(n, count)), n, label, count);
	m.labels.packed = (struct bytes){ packed.p, packed.n };
	fake_send(f, l, &m);
	buf_release(&packed);
}

/* Gathers the lists of two parties. Of six rows, party 0 has rows 1 and 4, and party 1 has the
 * others. */
static enum err lists(enum fedwalk_whom whom, const uint32_t *count, const uint32_t *item,
		      size_t items, struct fedwalk_lists *out)
{
	static uint32_t rows0[] = { 1, 4 }, rows1[] = { 0, 2, 3, 5 }, none[4];
	static size_t nodes[] = { 2, 4 };
	static uint32_t *row[] = { rows0, rows1 };
	const struct align a = { 2, nodes, row };
	struct fake f;
	enum err e;

	fake_open(&f, 2, 6, job);
	record_phase(&f.record, "tree");
	labels(&f, 0, count, 2);
	labels(&f, 0, item, items);
	labels(&f, 1, none, 4);
	labels(&f, 1, none, 0);
	e = fedwalk_gather_lists(&f.run, &a, whom, out);
	fake_close(&f);
	return e;
}

static void lists_refused(enum fedwalk_whom whom, uint32_t count0, uint32_t count1,
			  const uint32_t item[static 3], size_t items)
{
	const uint32_t count[] = { count0, count1 };
	struct fedwalk_lists l;

	assert_err(lists(whom, count, item, items, &l), ERR_PEER, "a sent TIES");
	assert_null(l.item);
}

TEST(test_lists)
{
	const uint32_t count[] = { 2, 1 }, item[] = { 0, 5, 5 };
	struct fedwalk_lists l;

	assert_ok(lists(FEDWALK_ALL, count, item, 3, &l));
	assert_int_equal(l.items, 3);
	assert_int_equal(l.count[1], 2);
	assert_int_equal(l.count[4], 1);
	assert_int_equal(l.count[0] + l.count[2] + l.count[3] + l.count[5], 0);
	assert_int_equal(l.item[l.at[1] + 1], 5);
	assert_int_equal(l.item[l.at[4]], 5);
	fedwalk_lists_release(&l);
	lists_refused(FEDWALK_HIGHER, 2, 1, item, 3); /* row 1 names row 0, which is not higher */
	lists_refused(FEDWALK_ALL, 1, 1, item, 3);    /* one item is left over */
	lists_refused(FEDWALK_ALL, 3, 1, item, 3);    /* one item is missing */
	lists_refused(FEDWALK_ALL, 2, 1, (const uint32_t[]){ 5, 0, 5 }, 3); /* items must rise */
	lists_refused(FEDWALK_ALL, 2, 1, (const uint32_t[]){ 5, 5, 5 }, 3);
	lists_refused(FEDWALK_ALL, 2, 1, (const uint32_t[]){ 1, 5, 5 }, 3); /* row 1 names itself */
	lists_refused(FEDWALK_ALL, 2, 1, (const uint32_t[]){ 0, 6, 5 }, 3); /* there is no row 6 */
}
