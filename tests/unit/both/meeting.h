/* meeting.h -- runs one alignment of ids in memory: both halves, with each party on its own thread.
 * It aligns all ids, or, if the job's `align` says so, only the ids that all parties have. */
#ifndef TESTS_UNIT_BOTH_MEETING_H
#define TESTS_UNIT_BOTH_MEETING_H

#include "crypto/secret.h"
#include "crypto/hmac.h"
#include "party/work/align.h"
#include "party/work/intersect.h"
#include "server/run/align.h"
#include "server/run/intersect.h"
#include "tests/unit/both/federation.h"

enum { MOST = 16, VALUES = 1000 };

struct slot {
	struct work work;
	struct dataset d;
	/* d.n entries each; after party_intersect(), row has `common` entries */
	uint32_t *row, *label;
	size_t common;
	uint8_t transcript[SECAGG_HASH_LEN]; /* the transcript for the sums after the alignment */
	enum err result;
	char why[ERR_DETAIL_MAX];
	void *(*attend)(void *); /* function of the thread; NULL: that of an honest party */
	pthread_t thread;
};

struct meeting {
	struct federation f;  /* names and keys */
	enum job_align align; /* set before meet(), like the next two fields */
	unsigned align_bound, min_common;
	size_t wired; /* the test itself joins the channels of the first `wired` parties */
	struct job job;
	struct run run;
	struct align a;
	uint32_t *label; /* labels of all rows */
	struct slot slot[MOST];
	struct buf heard; /* all that the coordinator received */
	enum err result;
	char why[ERR_DETAIL_MAX];
	pthread_t thread;
};

static inline struct job job_with(const char *ids)
{
	char text[160];
	struct job job;

	snprintf(text, sizeof(text),
		 "{\"kind\":\"fedspectral\",\"clusters\":3,\"allow_single\":true,\"ids\":\"%s\","
		 "\"secure_sum\":{\"group\":\"x25519\"}}",
		 ids);
	assert_ok(
	    job_parse(&job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "test", NULL));
	return job;
}

static inline void hear(void *arg, enum msg_type type, struct bytes body)
{
	struct meeting *m = arg;

	(void)type;
	buf_add(&m->heard, body.p, body.n);
}

static inline void sit_down(struct meeting *m, size_t l)
{
	struct federation *f = &m->f;
	struct slot *s = &m->slot[l];

	f->party[l].mailbox = mailbox_new(20);
	record_init(&f->party[l].record, "party", f->names[l]);
	s->work = (struct work){ .job = m->job,
				 .attempt = 1,
				 .L = f->server.L,
				 .own = l,
				 .channel = channel_new(f->party[l].mailbox, PARTY, "hub"),
				 .mailbox = f->party[l].mailbox,
				 .record = &f->party[l].record,
				 .secagg = f->party[l].secagg,
				 .n = s->d.n };
	for (size_t j = 0; j < f->server.L; j++)
		snprintf(s->work.name[j], sizeof(s->work.name[j]), "%s", f->names[j]);
	channel_observe(s->work.channel, work_observe, &s->work);
	ALLOC(s->row, s->d.n);
	ALLOC(s->label, s->d.n);
}

/* Sets up the coordinator and L parties. The caller has set the parties' datasets. */
static inline void meet(struct meeting *m, size_t L, const char *ids)
{
	struct federation *f = &m->f;

	m->job = job_with(ids);
	m->job.align = m->align;
	m->job.align_bound = m->align_bound;
	m->job.min_common = m->min_common;
	f->server.L = L;
	f->server.mailbox = mailbox_new(20);
	record_init(&f->server.record, "coordinator", "hub");
	for (size_t l = 0; l < L; l++) {
		snprintf(f->names[l], sizeof(f->names[l]), "p%zx", l);
		f->server.name[l] = f->names[l];
		f->server.channel[l] = channel_new(f->server.mailbox, COORD, f->names[l]);
		channel_observe(f->server.channel[l], hear, m);
	}
	federation_keys(f, L, &m->job);
	for (size_t l = 0; l < L; l++)
		sit_down(m, l);
	m->run = (struct run){ .job = m->job,
			       .attempt = 1,
			       .L = L,
			       .name = f->server.name,
			       .channel = f->server.channel,
			       .mailbox = f->server.mailbox,
			       .record = &f->server.record };
}

static inline void *serve(void *arg)
{
	struct meeting *m = arg;
	struct msg abort = { .type = MSG_ABORT, .abort = { .code = ERR_PEER } };

	m->result = m->align ? server_intersect(&m->run) : server_align(&m->run, &m->a);
	if (m->result == ERR_OK && !m->align) {
		ALLOC(m->label, m->run.n);
		for (size_t i = 0; i < m->run.n; i++)
			m->label[i] = (uint32_t)(7 * i % VALUES);
		m->result = server_own_labels(&m->run, &m->a, MSG_RESULT, 9, VALUES, m->label);
	}
	snprintf(m->why, sizeof(m->why), "%s", m->result ? err_detail() : "");
	for (size_t l = 0; l < m->run.L && m->result != ERR_OK; l++)
		(void)!channel_send(m->run.channel[l], &abort);
	return NULL;
}

static inline void *attend(void *arg)
{
	struct slot *s = arg;

	bool common = s->work.job.align != ALIGN_SAME;

	if (common) {
		free(s->row);
		s->result = party_intersect(&s->work, &s->d, &s->row, &s->common);
	} else {
		s->result = party_align(&s->work, &s->d, s->row);
	}
	memcpy(s->transcript, s->work.transcript, sizeof(s->transcript));
	if (s->result == ERR_OK && !common)
		s->result =
		    party_own_labels(&s->work, s->row, s->d.n, MSG_RESULT, 9, VALUES, s->label);
	snprintf(s->why, sizeof(s->why), "%s", s->result ? err_detail() : "");
	return NULL;
}

static inline void *attend_or_abort(void *arg)
{
	struct msg abort = { .type = MSG_ABORT, .abort = { .code = ERR_PEER } };
	struct slot *s = arg;

	attend(s);
	if (s->result != ERR_OK)
		(void)!channel_send(s->work.channel, &abort);
	return NULL;
}

/* Runs the meeting until it succeeds or fails. `serving` is the coordinator's thread function. */
static inline void hold_with(struct meeting *m, void *(*serving)(void *))
{
	for (size_t l = m->wired; l < m->run.L; l++)
		channel_pair(m->run.channel[l], m->slot[l].work.channel);
	pthread_create(&m->thread, NULL, serving, m);
	for (size_t l = 0; l < m->run.L; l++)
		pthread_create(&m->slot[l].thread, NULL,
			       m->slot[l].attend ? m->slot[l].attend : attend_or_abort,
			       &m->slot[l]);
	pthread_join(m->thread, NULL);
	for (size_t l = 0; l < m->run.L; l++)
		pthread_join(m->slot[l].thread, NULL);
}

static inline void hold_anyhow(struct meeting *m)
{
	hold_with(m, serve);
}

static inline void hold(struct meeting *m)
{
	hold_anyhow(m);
	if (m->result != ERR_OK)
		fail_msg("coordinator: %s", m->why);
	for (size_t l = 0; l < m->run.L; l++)
		if (m->slot[l].result != ERR_OK)
			fail_msg("party %zu: %s", l, m->slot[l].why);
}

static inline void leave(struct meeting *m)
{
	for (size_t l = 0; l < m->run.L; l++) {
		channel_free(m->run.channel[l]);
		channel_free(m->slot[l].work.channel);
		mailbox_free(m->f.party[l].mailbox);
		record_release(&m->f.party[l].record);
		secagg_free(m->f.party[l].secagg);
		secret_free(m->slot[l].work.group_key, SECAGG_HASH_LEN);
		dataset_release(&m->slot[l].d);
		free(m->slot[l].row);
		free(m->slot[l].label);
	}
	mailbox_free(m->f.server.mailbox);
	record_release(&m->f.server.record);
	align_release(&m->a);
	buf_release(&m->heard);
	free(m->label);
	free(m);
}

/* Computes the pseudonym of an id from the parties' group key, as PROTOCOL.md specifies. Call it
 * after the alignment, which sets the key and counts the tries. */
static inline void pseudonym(const struct meeting *m, const char *id, uint8_t out[static HMAC_LEN])
{
	/* the last byte of label is the number of the try to build tables, 0 for the first */
	uint8_t key[KDF_KEY_LEN], label[] = "coterie align ids v1";
	struct hmac *h;

	/* rounds_before counts two broadcast sums, the sum of tables, and one sum for each further
	 * try */
	label[sizeof(label) - 1] = (uint8_t)(m->run.rounds_before - 3);
	kdf_expand(m->slot[0].work.group_key, (struct bytes){ label, sizeof(label) }, key,
		   sizeof(key));
	h = hmac_new((struct bytes){ key, sizeof(key) });
	hmac_add(h, id, strlen(id));
	hmac_end(h, out);
	hmac_free(h);
}

static inline void names_are(struct dataset *d, const char *lines)
{
	*d = (struct dataset){ .has_ids = true };
	if (*lines)
		assert_ok(ids_parse((struct bytes){ (const uint8_t *)lines, strlen(lines) }, "x",
				    &d->ids));
	d->n = d->ids.n;
}

#endif
