/* samples.h -- a smallest and a largest valid message of every type. */
#ifndef TESTS_UNIT_PROTO_SAMPLES_H
#define TESTS_UNIT_PROTO_SAMPLES_H

#include "common/base/alloc.h"
#include "proto/msg.h"

#include <stdlib.h>
#include <string.h>

/* Returns n bytes for any field; their content does not matter. */
static inline struct bytes filler(size_t n)
{
	static uint8_t bytes[MSG_CHUNK_MAX];

	if (!bytes[1])
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)(i * 31 + 7);
	return (struct bytes){ bytes, n };
}

/* Returns the i-th of 256 ascending names of the given length (>= 3 if i > 0). */
static inline struct bytes sample_name(size_t i, size_t len)
{
	static char names[PARTIES_MAX][MSG_NAME_MAX + 1];

	memset(names[i], 'x', MSG_NAME_MAX);
	names[i][0] = (char)('0' + i / 100);
	names[i][1] = (char)('0' + i / 10 % 10);
	names[i][2] = (char)('0' + i % 10);
	return (struct bytes){ (const uint8_t *)names[i], len };
}

static inline void sample_key(struct msg_key *k, bool largest)
{
	k->public_key = filler(largest ? MSG_KEY_MAX : 1);
	k->spki = filler(largest ? MSG_SPKI_MAX : 1);
	k->signature = filler(largest ? MSG_SIGNATURE_MAX : 1);
	k->markers = filler(largest ? MSG_MARKERS_MAX : 0);
	memset(k->nonce, largest ? 0xff : 0, NONCE_LEN);
}

static inline void sample_offer(struct msg_offer *o, bool largest)
{
	memset(o->job_id, largest ? 0xff : 0, JOB_ID_LEN);
	o->attempt = largest ? UINT32_MAX : 1;
	o->job = filler(largest ? MSG_JOB_MAX : 1);
	o->submitter = filler(largest ? MSG_NAME_MAX : 1);
	o->parties = largest ? PARTIES_MAX - 1 : 1;
	o->lefts = largest;
	o->left[0] = (struct msg_left){ UINT32_MAX, filler(MSG_NAME_MAX) };
	for (size_t i = 0; i < o->parties; i++)
		o->names[i] = sample_name(i, largest ? MSG_NAME_MAX : 1);
}

static inline void sample_accept(struct msg_accept *a, bool largest)
{
	memset(a, largest ? 0xff : 0, sizeof(*a));
	a->rows = largest ? MSG_ITEMS_MAX : 0;
	a->columns = largest ? MSG_ITEMS_MAX : 0;
}

static inline void sample_labels(struct msg_labels *l, bool largest)
{
	*l = (struct msg_labels){ 0 };
	if (largest)
		*l = (struct msg_labels){ UINT32_MAX, UINT32_MAX, MSG_ITEMS_MAX, MSG_ITEMS_MAX - 8,
					  filler(MSG_CHUNK_MAX) };
}

/* Fills in a message of m->type. */
static inline void sample(struct msg *m, bool largest)
{
	struct bytes name = filler(largest ? MSG_NAME_MAX : 0);
	struct bytes text = filler(largest ? MSG_TEXT_MAX : 0);
	uint16_t code = largest ? MSG_AGAIN : ERR_JOB; /* REFUSED also allows MSG_ALL_DONE */

	switch (m->type) {
	case MSG_HELLO:
		m->hello = (struct msg_hello){ 0, largest ? UINT16_MAX : 0, name };
		break;
	case MSG_WELCOME:
		m->welcome =
		    (struct msg_welcome){ largest ? UINT16_MAX : 0, name,
					  largest ? MSG_HEARTBEAT_MAX_MS : MSG_HEARTBEAT_MIN_MS };
		break;
	case MSG_REFUSED:
		m->refused = (struct msg_refused){ code, text };
		break;
	case MSG_HEARTBEAT:
		m->heartbeat.progress = largest ? UINT64_MAX : 0;
		break;
	case MSG_ACK:
		m->ack.received = largest ? UINT32_MAX : 0;
		break;
	case MSG_RESUME:
		m->resume = (struct msg_resume){ .attempt = 1 };
		if (largest)
			memset(&m->resume, 0xff, sizeof(m->resume));
		break;
	case MSG_OFFER:
		sample_offer(&m->offer, largest);
		break;
	case MSG_ACCEPT:
		sample_accept(&m->accept, largest);
		break;
	case MSG_DECLINE:
		m->decline = (struct msg_decline){ code, largest ? ENDING_UNKNOWN : 1, { 0 } };
		if (largest)
			m->decline.subject = sample_name(1, MSG_SUBJECT_MAX);
		break;
	case MSG_KEY:
		sample_key(&m->key, largest);
		break;
	case MSG_KEYS:
		m->keys.parties = largest ? PARTIES_MAX : 1;
		for (size_t i = 0; i < m->keys.parties; i++)
			sample_key(&m->keys.key[i], largest);
		break;
	case MSG_MASKED:
	case MSG_SUM:
		m->masked = (struct msg_masked){ 0 };
		if (largest)
			m->masked = (struct msg_masked){ UINT32_MAX,
							 UINT64_MAX,
							 MSG_WORDS_MAX,
							 MSG_WORDS_MAX,
							 filler(MSG_CHUNK_MAX),
							 filler(MSG_SUM_TAG_LEN) };
		break;
	case MSG_CHOICE:
		m->choice = (struct msg_choice){ 0 };
		if (largest)
			m->choice = (struct msg_choice){ UINT16_MAX, UINT64_MAX };
		break;
	case MSG_MATRIX:
	case MSG_BLOCK:
	case MSG_UPLOAD:
	case MSG_DEGREES:
	case MSG_EMBEDDING:
	case MSG_PROTOTYPES:
		m->reals = (struct msg_reals){ 0 };
		if (largest)
			m->reals = (struct msg_reals){ UINT32_MAX, MSG_REALS_MAX, MSG_REALS_MAX,
						       filler(MSG_CHUNK_MAX) };
		break;
	case MSG_PADDING:
		m->padding.zeros = largest ? filler(MSG_CHUNK_MAX) : (struct bytes){ 0 };
		break;
	case MSG_SEALED:
		m->sealed = (struct msg_sealed){ .to = 1, .box = filler(MSG_TAG_LEN) };
		if (largest)
			m->sealed = (struct msg_sealed){ UINT16_MAX, PARTIES_MAX - 1,
							 PARTIES_MAX - 2, filler(MSG_CHUNK_MAX) };
		break;
	case MSG_TOLD:
		m->told.words = filler(MSG_TOLD_LEN * (largest ? PARTIES_MAX - 1 : 1));
		break;
	case MSG_IDS:
	case MSG_COMMON:
		m->ids = (struct msg_ids){ 0 };
		if (largest)
			m->ids =
			    (struct msg_ids){ MSG_IDS_MAX, MSG_IDS_MAX, filler(MSG_CHUNK_MAX) };
		break;
	case MSG_ABORT:
		m->abort = (struct msg_abort){ code, 0, text };
		break;
	case MSG_DONE:
		m->done = (struct msg_done){ 0 };
		for (int l = 0; largest && l < PARTIES_MAX; l++) {
			m->done.heads++;
			m->done.head[l].count = MSG_LEDGER_MAX;
			memset(m->done.head[l].hash, 0xff, HASH_LEN);
		}
		break;
	case MSG_ASKING:
		m->asking.within_s = largest ? MSG_ASKING_MAX_S : 1;
		break;
	case MSG_LOCAL_CLUSTERS:
	case MSG_CELLS:
	case MSG_STARTS:
	case MSG_ASSIGNMENT:
	case MSG_CLUSTERS:
	case MSG_RESULT:
	case MSG_KEPT:
	case MSG_LANDMARKS:
	case MSG_ROWS:
	case MSG_TREE:
	case MSG_TIES:
	case MSG_LISTS:
	case MSG_WALKS:
		sample_labels(&m->labels, largest);
		break;
	}
}

static const enum msg_type all_types[] = {
#define MSG(NAME, number, sender, body) MSG_##NAME,
#include "proto/messages.def"
#undef MSG
};
enum { ALL_TYPES = sizeof(all_types) / sizeof(all_types[0]) };

/* Returns the body of a sample, in a heap block of exactly its size. */
static inline uint8_t *sample_body(enum msg_type type, bool largest, size_t *len)
{
	struct msg *m;
	struct buf out = { 0 };
	uint8_t *exact;

	ALLOC(m, 1);
	m->type = type;
	sample(m, largest);
	msg_encode(&out, m);
	exact = alloc(out.n, 1);
	if (out.n)
		memcpy(exact, out.p, out.n);
	*len = out.n;
	buf_release(&out);
	free(m);
	return exact;
}

#endif
