/* desk.h -- a party p0 whose messages pass its policy and its ledger, and then go to a hub.
 *
 *     p0 (work, config, ledger) ---- channel ---- hub, which receives the messages */
#ifndef TESTS_UNIT_PARTY_DESK_H
#define TESTS_UNIT_PARTY_DESK_H

#include "party/consent/leaving.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/job/kinds.h"
#include "party/daemon/kinds.h"
#include "party/consent/policy.h"
#include "tests/unit/crypto/lab.h"

#define PIN "sha256:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

struct desk {
	char dir[64], path[96];
	struct party_config config;
	struct work work;
	struct record record;
	struct channel *hub;
	struct mailbox *hub_post;
	uint8_t data[SHA256_LEN];
};

static struct desk *d;

/* Connects p0 to the hub by new channels; no message has been sent and no ledger is open. For
 * another job a test calls connect_desk() again. */
static inline void connect_desk(void)
{
	leaving_close(d->work.leaving);
	d->work.leaving = NULL;
	if (d->hub) {
		channel_free(d->work.channel);
		channel_free(d->hub);
		mailbox_free(d->work.mailbox);
		mailbox_free(d->hub_post);
	}
	d->hub_post = mailbox_new(20);
	d->work.mailbox = mailbox_new(20);
	d->hub = channel_new(d->hub_post, COORD, "p0");
	d->work.channel = channel_new(d->work.mailbox, PARTY, "hub");
	channel_pair(d->hub, d->work.channel);
}

/* Makes `d`: party p0 with this policy, to which `job` of p0, p1 and p2 is offered. */
static inline void open_desk(const char *policy, const char *job)
{
	FILE *f;

	ALLOC(d, 1);
	log_init("p0", LOG_ERROR);
	lab_dir(d->dir);
	snprintf(d->path, sizeof(d->path), "%s/party.json", d->dir);
	f = fopen(d->path, "w");
	fprintf(f,
		"{\"name\":\"p0\",\"coordinator\":\"localhost:7431\",\"identity\":{"
		"\"certificate\":\"c\",\"key\":\"k\",\"ca\":\"a\"},\"peers\":{\"hub\":\"" PIN
		"\",\"p1\":\"" PIN "\",\"p2\":\"" PIN "\"},\"data\":{\"features\":\"f.npy\"},"
		"\"output\":\"%s\",\"policy\":{%s}}",
		d->dir, policy);
	fclose(f);
	assert_ok(party_config_read(&d->config, d->path, NULL));
	assert_ok(job_parse(&d->work.job, (struct bytes){ (const uint8_t *)job, strlen(job) },
			    "test", NULL));
	d->work.side = party_kind_of(d->work.job.kind);
	connect_desk();
	d->work.L = 3;
	d->work.attempt = 1;
	d->work.job_id[0] = 0xa1;
	for (size_t l = 0; l < 3; l++)
		snprintf(d->work.name[l], sizeof(d->work.name[l]), "p%zu", l);
	record_init(&d->record, "party", "p0");
	d->work.record = &d->record;
	work_phase(&d->work, "level-1");
	d->data[0] = 9;
}

static inline void close_desk(void)
{
	leaving_close(d->work.leaving);
	channel_free(d->work.channel);
	channel_free(d->hub);
	mailbox_free(d->work.mailbox);
	mailbox_free(d->hub_post);
	record_release(&d->record);
	party_config_release(&d->config);
	lab_remove(d->dir);
	free(d);
}

#define KCAGC "{\"kind\":\"kcagc\",\"method\":\"tree\",\"clusters\":3,\"filter\":{\"order\":2}}"

static inline void begin_job(void)
{
	assert_ok(leaving_open(&d->work.leaving, &d->config, &d->work, true, d->data));
}

/* Sends a masked vector of `words` words, in chunks of `chunk` words; returns the first error. */
static inline enum err send_sum(size_t words, size_t chunk)
{
	uint8_t *w = alloc(words, 8);
	enum err e = ERR_OK;

	d->work.sum = (struct work_sum){ { 1, 2 }, 2, 8 };
	for (size_t at = 0; at < words && e == ERR_OK; at += chunk) {
		size_t n = words - at < chunk ? words - at : chunk;
		struct msg m = { .type = MSG_MASKED,
				 .masked = {
				     .count = words, .offset = at, .words = { w, 8 * n } } };

		e = channel_send(d->work.channel, &m);
	}
	free(w);
	return e;
}

/* ---- contents of the ledger ---- */

struct seen {
	size_t rows;
	struct ledger_row row[16];
	char purpose[16][128];
};

static inline enum err see(void *arg, const struct ledger_line *line)
{
	struct seen *s = arg;

	s->row[s->rows] = line->row;
	snprintf(s->purpose[s->rows++], 128, "%s", line->row.purpose);
	assert_string_equal(line->row.step, "level-1");
	assert_string_equal(line->job.coordinator, "hub");
	assert_string_equal(line->job.parties, "p0 p1 p2");
	assert_int_equal(line->job.key[1], 0x11);
	assert_int_equal(line->job.data[0], 9);
	return ERR_OK;
}

static inline struct seen look(void)
{
	struct seen s = { 0 };

	assert_ok(ledger_read(d->work.leaving->ledger, "", 0, see, &s));
	return s;
}

#endif
