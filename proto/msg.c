#include "proto/msg.h"
#include "proto/codec.h"

#include <string.h>

/* The rest of the body has fields of later releases: each a number and bytes, the numbers
 * ascending. This release knows none and skips them. */
static void walk_options(struct codec *c)
{
	uint16_t last = 0, number = 0;
	struct bytes value = { 0 };

	if (c->out)
		return;
	for (unsigned n = 0; !c->bad && c->pos != c->end; n++) {
		codec_u16(c, &number);
		codec_check(c, number > last && n < MSG_OPTIONS_MAX);
		codec_bytes(c, &value, 0, MSG_OPTION_MAX);
		last = number;
	}
}

static void walk_hello(struct codec *c, struct msg_hello *m)
{
	codec_u16(c, &m->version_min);
	codec_u16(c, &m->version_max);
	codec_check(c, m->version_min <= m->version_max);
	codec_bytes(c, &m->software, 0, MSG_NAME_MAX);
	walk_options(c);
}

static void walk_welcome(struct codec *c, struct msg_welcome *m)
{
	codec_u16(c, &m->version);
	codec_bytes(c, &m->software, 0, MSG_NAME_MAX);
	codec_u32(c, &m->heartbeat_ms);
	codec_check(c, m->heartbeat_ms >= MSG_HEARTBEAT_MIN_MS &&
			   m->heartbeat_ms <= MSG_HEARTBEAT_MAX_MS);
	walk_options(c);
}

/* The code of DECLINE and ABORT is an error, or MSG_AGAIN. */
static void walk_code(struct codec *c, uint16_t *code)
{
	codec_u16(c, code);
	codec_check(c, *code >= ERR_JOB && *code <= MSG_AGAIN);
}

/* The code of REFUSED may also be MSG_ALL_DONE, for a party that returns to a finished job. */
static void walk_refused(struct codec *c, struct msg_refused *m)
{
	codec_u16(c, &m->code);
	codec_check(c, m->code >= ERR_JOB && m->code <= MSG_ALL_DONE);
	codec_bytes(c, &m->text, 0, MSG_TEXT_MAX);
}

static void walk_heartbeat(struct codec *c, struct msg_heartbeat *m)
{
	codec_u64(c, &m->progress);
}

static void walk_ack(struct codec *c, struct msg_ack *m)
{
	codec_u32(c, &m->received);
}

static void walk_resume(struct codec *c, struct msg_resume *m)
{
	codec_fixed(c, m->job_id, JOB_ID_LEN);
	codec_u32(c, &m->attempt);
	codec_check(c, m->attempt >= 1);
	codec_u32(c, &m->received);
}

static bool rises(struct bytes a, struct bytes b)
{
	return a.p && b.p /* no earlier error */ && bytes_order(a, b) < 0;
}

static void walk_offer(struct codec *c, struct msg_offer *m)
{
	codec_fixed(c, m->job_id, JOB_ID_LEN);
	codec_u32(c, &m->attempt);
	codec_check(c, m->attempt >= 1);
	codec_bytes(c, &m->job, 1, MSG_JOB_MAX);
	codec_bytes(c, &m->submitter, 1, MSG_NAME_MAX);
	codec_u32(c, &m->parties);
	codec_check(c, m->parties >= 1 && m->parties <= PARTIES_MAX);
	for (uint32_t i = 0; !c->bad && i < m->parties; i++) {
		codec_bytes(c, &m->names[i], 1, MSG_NAME_MAX);
		/* rising in byte order */
		codec_check(c, i == 0 || rises(m->names[i - 1], m->names[i]));
	}
	codec_u32(c, &m->lefts);
	codec_check(c, m->lefts <= PARTIES_MAX - m->parties);
	for (uint32_t i = 0; !c->bad && i < m->lefts; i++) {
		struct msg_left *left = &m->left[i];

		codec_u32(c, &left->since);
		codec_check(c, left->since >= 2 && left->since <= m->attempt);
		codec_bytes(c, &left->name, 1, MSG_NAME_MAX);
		/* rising by `since`, then by name */
		codec_check(
		    c, i == 0 || left[-1].since < left->since ||
			   (left[-1].since == left->since && rises(left[-1].name, left->name)));
	}
	walk_options(c);
}

static void walk_accept(struct codec *c, struct msg_accept *m)
{
	codec_fixed(c, m->job_hash, HASH_LEN);
	codec_u64(c, &m->rows);
	codec_u32(c, &m->columns);
	codec_check(c, m->rows <= MSG_ITEMS_MAX && m->columns <= MSG_ITEMS_MAX);
	codec_fixed(c, m->ids_hash, HASH_LEN);
	codec_fixed(c, m->edges_hash, HASH_LEN);
}

static bool is_of_name(uint8_t byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || byte == '_' || byte == '.' || byte == '-';
}

static void walk_decline(struct codec *c, struct msg_decline *m)
{
	walk_code(c, &m->code);
	codec_u16(c, &m->ending);
	codec_check(c, m->ending >= 1 && m->ending < ENDINGS);
	codec_bytes(c, &m->subject, 0, MSG_SUBJECT_MAX);
	/* empty unless the ending is UNKNOWN or PIN */
	codec_check(c, !m->subject.n || m->ending == ENDING_UNKNOWN || m->ending == ENDING_PIN);
	/* bytes A-Z a-z 0-9 _ . - */
	for (size_t i = 0; i < m->subject.n; i++)
		codec_check(c, is_of_name(m->subject.p[i]));
}

static void walk_key(struct codec *c, struct msg_key *m)
{
	codec_bytes(c, &m->public_key, 1, MSG_KEY_MAX);
	codec_fixed(c, m->nonce, NONCE_LEN);
	codec_bytes(c, &m->spki, 1, MSG_SPKI_MAX);
	codec_bytes(c, &m->signature, 1, MSG_SIGNATURE_MAX);
	codec_bytes(c, &m->markers, 0, MSG_MARKERS_MAX);
	codec_check(c, m->markers.n % MSG_MARKER_LEN == 0);
}

static void walk_keys(struct codec *c, struct msg_keys *m)
{
	codec_u32(c, &m->parties);
	codec_check(c, m->parties >= 1 && m->parties <= PARTIES_MAX);
	for (uint32_t i = 0; !c->bad && i < m->parties; i++)
		walk_key(c, &m->key[i]);
}

static void walk_told(struct codec *c, struct msg_told *m)
{
	codec_bytes(c, &m->words, MSG_TOLD_LEN, (PARTIES_MAX - 1) * MSG_TOLD_LEN);
	codec_check(c, m->words.n % MSG_TOLD_LEN == 0);
}

static void walk_masked(struct codec *c, struct msg_masked *m)
{
	codec_u32(c, &m->group);
	codec_u64(c, &m->round);
	codec_u64(c, &m->count);
	codec_check(c, m->count <= MSG_WORDS_MAX);
	codec_u64(c, &m->offset);
	codec_check(c, m->offset <= m->count);
	codec_bytes(c, &m->words, 0, MSG_CHUNK_MAX);
	codec_bytes(c, &m->tag, 0, MSG_SUM_TAG_LEN);
	/* none or all of its bytes */
	codec_check(c, m->tag.n == 0 || m->tag.n == MSG_SUM_TAG_LEN);
}

static void walk_labels(struct codec *c, struct msg_labels *m)
{
	codec_u32(c, &m->group);
	codec_u32(c, &m->values);
	codec_u64(c, &m->count);
	codec_check(c, m->count <= MSG_ITEMS_MAX);
	codec_u64(c, &m->offset);
	codec_check(c, m->offset <= m->count && m->offset % 8 == 0);
	codec_bytes(c, &m->packed, 0, MSG_CHUNK_MAX);
}

static void walk_choice(struct codec *c, struct msg_choice *m)
{
	codec_u16(c, &m->what);
	codec_u64(c, &m->value);
}

static void walk_numbers(struct codec *c, struct msg_reals *m, size_t size)
{
	codec_u32(c, &m->group);
	codec_u64(c, &m->count);
	codec_check(c, m->count <= MSG_REALS_MAX);
	codec_u64(c, &m->offset);
	codec_check(c, m->offset <= m->count);
	codec_bytes(c, &m->values, 0, MSG_CHUNK_MAX);
	codec_check(c, m->values.n % size == 0);
}

static void walk_reals(struct codec *c, struct msg_reals *m)
{
	walk_numbers(c, m, sizeof(double));
}

static void walk_reals32(struct codec *c, struct msg_reals *m)
{
	walk_numbers(c, m, sizeof(float));
}

static void walk_padding(struct codec *c, struct msg_padding *m)
{
	codec_bytes(c, &m->zeros, 0, MSG_CHUNK_MAX);
}

static void walk_sealed(struct codec *c, struct msg_sealed *m)
{
	codec_u16(c, &m->what);
	codec_u32(c, &m->from);
	codec_u32(c, &m->to);
	codec_check(c, m->from < PARTIES_MAX && m->to < PARTIES_MAX);
	/* not `from` */
	codec_check(c, m->from != m->to);
	codec_bytes(c, &m->box, MSG_TAG_LEN, MSG_CHUNK_MAX);
}

static void walk_ids(struct codec *c, struct msg_ids *m)
{
	codec_u64(c, &m->count);
	codec_check(c, m->count <= MSG_IDS_MAX);
	codec_u64(c, &m->offset);
	codec_check(c, m->offset <= m->count);
	codec_bytes(c, &m->packed, 0, MSG_CHUNK_MAX);
}

static void walk_abort(struct codec *c, struct msg_abort *m)
{
	walk_code(c, &m->code);
	codec_u16(c, &m->ending);
	codec_check(c, m->ending < ENDINGS);
	codec_bytes(c, &m->text, 0, MSG_TEXT_MAX);
	/* empty unless the ending is 0 */
	codec_check(c, !m->ending || !m->text.n);
}

static void walk_done(struct codec *c, struct msg_done *m)
{
	codec_u32(c, &m->heads);
	codec_check(c, m->heads <= PARTIES_MAX);
	for (uint32_t i = 0; !c->bad && i < m->heads; i++) {
		codec_u64(c, &m->head[i].count);
		codec_check(c, m->head[i].count <= MSG_LEDGER_MAX);
		codec_fixed(c, m->head[i].hash, HASH_LEN);
	}
}

static void walk_asking(struct codec *c, struct msg_asking *m)
{
	codec_u32(c, &m->within_s);
	codec_check(c, m->within_s >= 1 && m->within_s <= MSG_ASKING_MAX_S);
}

static void msg_walk(struct codec *c, struct msg *m)
{
	switch (m->type) {
#define MSG(NAME, number, sender, body)                                                            \
	case MSG_##NAME:                                                                           \
		walk_##body(c, &m->body);                                                          \
		return;
#include "proto/messages.def"
#undef MSG
	}
	codec_check(c, false);
}

const char *msg_name(enum msg_type type)
{
	switch (type) {
#define MSG(NAME, number, sender, body)                                                            \
	case MSG_##NAME:                                                                           \
		return #NAME;
#include "proto/messages.def"
#undef MSG
	}
	return "?";
}

enum sender msg_sender(enum msg_type type)
{
	switch (type) {
#define MSG(NAME, number, sender, body)                                                            \
	case MSG_##NAME:                                                                           \
		return sender;
#include "proto/messages.def"
#undef MSG
	}
	return NOBODY;
}

const char *msg_ending(uint16_t ending)
{
	switch (ending) {
#define ENDING(NAME, number, sentence)                                                             \
	case number:                                                                               \
		return sentence;
#include "proto/endings.def"
#undef ENDING
	}
	return NULL;
}

enum ending msg_ending_of(enum err e)
{
	switch (e) {
	case ERR_PEER:
		return ENDING_CHECK;
	case ERR_DEADLINE:
		return ENDING_DEADLINE;
	case ERR_INPUT:
		return ENDING_INPUT;
	case ERR_INTERNAL:
		return ENDING_INTERNAL;
	case ERR_CANCELLED:
		return ENDING_STOPPED;
	case ERR_OK:
	case ERR_JOB:
		break;
	}
	return ENDING_FAILED;
}

struct bytes msg_text(const char *text)
{
	return (struct bytes){ (const uint8_t *)text, strnlen(text, MSG_TEXT_MAX) };
}

bool msg_is_link(enum msg_type type)
{
	return (unsigned)type < MSG_FIRST_OF_JOB;
}

void msg_encode(struct buf *out, const struct msg *m)
{
	struct codec c = { .out = out };

	/* Encoding changes nothing. msg_walk() takes a non-const message because decoding fills
	 * it. */
	msg_walk(&c, (struct msg *)(uintptr_t)m);
}

enum err msg_decode(struct msg *m, uint16_t type, struct bytes in)
{
	/* The pointer of an empty body may be NULL, and C does not define NULL + 0. */
	const uint8_t *p = in.p ? in.p : (const uint8_t *)"";
	struct codec c = { .pos = p, .end = p + in.n };

	memset(m, 0, sizeof(*m));
	m->type = (enum msg_type)type;
	msg_walk(&c, m);
	if (c.bad || c.pos != c.end)
		return err_set(ERR_PEER, "%s (message type %u): its %zu bytes do not parse",
			       msg_name(m->type), type, in.n);
	return ERR_OK;
}
