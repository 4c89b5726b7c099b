/* Two parties exchange sealed batches. A party accepts whole batches from the other party and
 * refuses all other boxes. */
#include "tests/unit/crypto/lab.h"

#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "crypto/seal.h"
#include "party/work/exchange.h"
#include "proto/channel.h"

#include <endian.h>
#include <string.h>
#include <unistd.h>

enum { PARTIES = 2 };

static struct work work[PARTIES];
static struct record record[PARTIES];
static struct mailbox *hub_post[PARTIES];
static struct channel *hub[PARTIES]; /* the coordinator's ends; the test relays boxes */

static int meet(void **state)
{
	static const char *const names[PARTIES] = { "p0", "p1" };
	static struct identity *id[PARTIES];
	struct secagg_advert adverts[PARTIES];
	static uint8_t pins[PARTIES][SECAGG_HASH_LEN];
	char dir[64];

	(void)state;
	log_init("test", LOG_ERROR);
	log_set_stream(STDERR_FILENO, false);
	lab_dir(dir);
	for (int i = 0; i < PARTIES; i++) {
		id[i] = lab_identity(dir, i);
		identity_fingerprint(id[i], pins[i]);
	}
	lab_remove(dir);
	for (size_t i = 0; i < PARTIES; i++) {
		struct secagg_setup setup = { .job_id = { 7 },
					      .attempt = 1,
					      .group_bits = 2048,
					      .modulus_bits = 64,
					      .parties = PARTIES,
					      .names = names,
					      .own = i };

		work[i] = (struct work){ .L = PARTIES, .own = i, .record = &record[i] };
		for (size_t l = 0; l < PARTIES; l++)
			snprintf(work[i].name[l], sizeof(work[i].name[l]), "%s", names[l]);
		assert_ok(secagg_new(&work[i].secagg, &setup, id[i]));
		secagg_own_advert(work[i].secagg, &adverts[i]);
		record_init(&record[i], "party", names[i]);
		record_phase(&record[i], "walks");
		work[i].mailbox = mailbox_new(5);
		work[i].channel = channel_new(work[i].mailbox, PARTY, "hub");
		hub_post[i] = mailbox_new(5);
		hub[i] = channel_new(hub_post[i], COORD, names[i]);
		channel_pair(hub[i], work[i].channel);
	}
	for (size_t i = 0; i < PARTIES; i++)
		assert_ok(
		    secagg_agree(work[i].secagg, adverts, (const uint8_t(*)[SECAGG_HASH_LEN])pins));
	for (size_t i = 0; i < PARTIES; i++)
		identity_free(id[i]);
	return 0;
}

static int part(void **state)
{
	(void)state;
	for (size_t i = 0; i < PARTIES; i++) {
		secagg_free(work[i].secagg);
		channel_free(hub[i]);
		channel_free(work[i].channel);
		mailbox_free(hub_post[i]);
		mailbox_free(work[i].mailbox);
		record_release(&record[i]);
	}
	return 0;
}

/* Seals a text as p1, and sends the box to p0. The message states the purpose `what`, the sender
 * and the receiver. */
static void hand(enum sealed sealed_as, uint16_t what, uint32_t from, uint32_t to,
		 struct bytes text)
{
	struct buf box = { 0 };
	struct msg m = { .type = MSG_SEALED };

	seal_make(work[1].secagg, 0, (uint16_t)sealed_as, text, &box);
	m.sealed = (struct msg_sealed){ what, from, to, { box.p, box.n } };
	assert_ok(channel_send(hub[0], &m));
	buf_release(&box);
}

/* Makes the text of a batch: the length `said`, then n bytes, of which byte i is 7 i, then zeros up
 * to `whole` bytes. */
static struct buf batch(uint64_t said, size_t n, size_t whole)
{
	struct buf text = { 0 };
	uint64_t len = htole64(said);

	buf_add(&text, &len, sizeof(len));
	for (size_t i = 0; i < n; i++)
		buf_add(&text, &(uint8_t){ (uint8_t)(i * 7) }, 1);
	if (text.n < whole)
		memset(buf_extend(&text, whole - text.n), 0, whole - text.n);
	text.n = whole;
	return text;
}

static enum err receive(struct buf *in, size_t most)
{
	struct buf out[PARTIES] = { 0 }, all[PARTIES] = { 0 };
	enum err e;

	buf_add(&out[1], "hello", 5);
	e = party_exchange(&work[0], SEALED_WALKS, out, all, most);
	assert_int_equal(out[1].n, 0);
	*in = all[1];
	return e;
}

/* Exchanges batches of many sizes: each is padded, split into boxes, and received whole. */
static void test_there_and_back(void **state)
{
	static const size_t sizes[] = { 0, 1, 4088, 4089, 100000, 262120, 300000, 600000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size_t n = sizes[i], whole = exchange_padded(n), at = 0, text_max;
		struct buf text = batch(n, n, whole), in;

		text_max = RELAY_BOX - SEAL_TAG_LEN;
		assert_true(whole >= n + 8 && whole % 4096 == 0);
		assert_true(whole <= 8 * 4096 ? whole - n - 8 < 4096
					      : 4 * (whole - n - 8) <= n + 8);
		for (bool more = true; more; at += text_max) {
			size_t now = whole - at < text_max ? whole - at : text_max;

			hand(SEALED_WALKS, SEALED_WALKS, 1, 0, (struct bytes){ text.p + at, now });
			more = now == text_max;
		}
		assert_ok(receive(&in, n));
		assert_int_equal(in.n, n);
		assert_true(n == 0 || memcmp(in.p, text.p + 8, n) == 0);
		buf_release(&in);
		buf_release(&text);
	}
}

static void refuses(enum sealed sealed_as, uint16_t what, uint32_t from, uint32_t to,
		    struct buf text, const char *why)
{
	struct buf in;

	hand(sealed_as, what, from, to, (struct bytes){ text.p, text.n });
	assert_err(receive(&in, 1000), ERR_PEER, why);
	buf_release(&in);
	buf_release(&text);
}

static void test_another_use(void **state)
{
	(void)state;
	refuses(SEALED_TIES, SEALED_TIES, 1, 0, batch(10, 10, 4096), "passed on SEALED 11");
}

static void test_another_sender(void **state)
{
	(void)state;
	refuses(SEALED_WALKS, SEALED_WALKS, 2, 0, batch(10, 10, 4096), "of party 2 to party 0");
}

static void test_another_receiver(void **state)
{
	(void)state;
	refuses(SEALED_WALKS, SEALED_WALKS, 1, 2, batch(10, 10, 4096), "of party 1 to party 2");
}

static void test_sealed_for_another_use(void **state)
{
	(void)state;
	refuses(SEALED_TIES, SEALED_WALKS, 1, 0, batch(10, 10, 4096), "it does not open");
}

static void test_no_length(void **state)
{
	(void)state;
	refuses(SEALED_WALKS, SEALED_WALKS, 1, 0, batch(0, 0, 7),
		"p1 sent a batch of 7 bytes that does not end as it says");
}

static void test_longer_than_it_is(void **state)
{
	(void)state;
	refuses(SEALED_WALKS, SEALED_WALKS, 1, 0, batch(4089, 4088, 4096),
		"does not end as it says");
}

static void test_padded_otherwise(void **state)
{
	(void)state;
	refuses(SEALED_WALKS, SEALED_WALKS, 1, 0, batch(10, 10, 8192), "does not end as it says");
}

static void test_too_much(void **state)
{
	struct buf text = batch(600000, 600000, exchange_padded(600000)), in;
	size_t text_max = RELAY_BOX - SEAL_TAG_LEN;

	(void)state;
	for (size_t at = 0; at + text_max <= text.n; at += text_max)
		hand(SEALED_WALKS, SEALED_WALKS, 1, 0, (struct bytes){ text.p + at, text_max });
	assert_err(receive(&in, 1000), ERR_PEER, "p1 sent a batch of more than the 1000 bytes");
	buf_release(&in);
	buf_release(&text);
}

#define IN_PAIR(f) cmocka_unit_test_setup_teardown(f, meet, part)

int tests_run(void)
{
	const struct CMUnitTest tests[] = {
		IN_PAIR(test_there_and_back),
		IN_PAIR(test_another_use),
		IN_PAIR(test_another_sender),
		IN_PAIR(test_another_receiver),
		IN_PAIR(test_sealed_for_another_use),
		IN_PAIR(test_no_length),
		IN_PAIR(test_longer_than_it_is),
		IN_PAIR(test_padded_otherwise),
		IN_PAIR(test_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
