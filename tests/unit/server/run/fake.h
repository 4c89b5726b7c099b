/* fake.h -- a coordinator whose parties the test plays. They send the test's messages, without
 * masks. */
#ifndef TESTS_UNIT_SERVER_RUN_FAKE_H
#define TESTS_UNIT_SERVER_RUN_FAKE_H

#include "tests/test.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "proto/labels.h"
#include "server/run/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAKE_MAX = 5 };

struct fake {
	struct run run;
	struct record record;
	struct channel *channel[FAKE_MAX];
	const char *name[FAKE_MAX];
};

static inline void fake_open(struct fake *f, size_t L, size_t n, const char *job)
{
	static const char *const names[FAKE_MAX] = { "a", "b", "c", "d", "e" };

	log_init("test", LOG_ERROR);
	log_set_stream(STDERR_FILENO, false);
	*f = (struct fake){ .run = { .L = L, .n = n, .attempt = 1 } };
	assert_ok(job_parse(&f->run.job, (struct bytes){ (const uint8_t *)job, strlen(job) },
			    "test", NULL));
	memcpy(f->name, names, sizeof(names));
	record_init(&f->record, "coordinator", "hub");
	f->run.mailbox = mailbox_new(5);
	for (size_t l = 0; l < L; l++)
		f->channel[l] = channel_new(f->run.mailbox, COORD, f->name[l]);
	f->run.name = f->name;
	f->run.channel = f->channel;
	f->run.record = &f->record;
}

static inline void fake_close(struct fake *f)
{
	for (size_t l = 0; l < f->run.L; l++)
		channel_free(f->channel[l]);
	mailbox_free(f->run.mailbox);
	record_release(&f->record);
	free(f->run.confidence);
}

static inline void fake_send(struct fake *f, size_t l, const struct msg *m)
{
	struct buf body = { 0 };

	msg_encode(&body, m);
	channel_deliver(f->channel[l], m->type, &body, clock_now_s());
	buf_release(&body);
}

static inline void fake_send_clusters(struct fake *f, size_t l, uint32_t k, const uint32_t *label)
{
	size_t len = labels_bytes(k, f->run.n);
	struct buf packed = { 0 };
	struct msg m = { .type = MSG_LOCAL_CLUSTERS,
			 .labels = { .group = (uint32_t)l, .values = k, .count = f->run.n } };

	labels_pack(buf_extend(&packed, len), k, label, f->run.n);
	m.labels.packed = (struct bytes){ packed.p, len };
	fake_send(f, l, &m);
	buf_release(&packed);
}

/* Sends words [offset, offset + n) of a vector of `count` words. After the last word it sends
 * `canary`, this party's part of the sum's last number, which shows whether masks cancel. */
static inline void fake_send_words_and(struct fake *f, size_t l, uint32_t group, uint64_t round,
				       const void *words, size_t offset, size_t n, size_t count,
				       uint64_t canary)
{
	size_t word = f->run.job.modulus_bits / 8;
	struct msg m = {
		.type = MSG_MASKED,
		.masked = { .group = group, .round = round, .count = count + 1, .offset = offset }
	};
	struct buf chunk = { 0 };

	buf_add(&chunk, (const uint8_t *)words + offset * word, n * word);
	if (offset + n == count)
		buf_add(&chunk, &canary, word);
	m.masked.words = (struct bytes){ chunk.p, chunk.n };
	fake_send(f, l, &m);
	buf_release(&chunk);
}

static inline void fake_send_words(struct fake *f, size_t l, uint32_t group, uint64_t round,
				   const void *words, size_t offset, size_t n, size_t count)
{
	fake_send_words_and(f, l, group, round, words, offset, n, count, 1);
}

/* Receives the next message that the coordinator has queued for party l, and decodes it into m,
 * which borrows from body. */
static inline void fake_receive(struct fake *f, size_t l, enum msg_type expect, struct buf *body,
				struct msg *m)
{
	enum msg_type type;
	bool any = channel_take(f->channel[l], &type, body);

	if (!any || type != expect)
		fail_msg("%s got %s, expected %s", f->name[l], any ? msg_name(type) : "nothing",
			 msg_name(expect));
	assert_ok(msg_decode(m, (uint16_t)type, (struct bytes){ body->p, body->n }));
}

#endif
