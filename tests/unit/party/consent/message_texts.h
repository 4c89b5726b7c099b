/* message_texts.h -- the purpose that the ledger records for each message that leaves a party. */
#ifndef TESTS_UNIT_PARTY_MESSAGE_TEXTS_H
#define TESTS_UNIT_PARTY_MESSAGE_TEXTS_H

#include "party/consent/leaving.h"
#include "texts.h"

#include <inttypes.h>

#define PURPOSES "purposes of messages, and how many numbers they carry"

static const struct {
	enum msg_type type;
	const char *name, *body;
} messages[] = {
#define MSG(NAME, number, sender, body) { MSG_##NAME, #NAME, #body },
#include "proto/messages.def"
#undef MSG
};

static inline void add_purpose(struct texts *t, const struct work *work, const char *base,
			       const char *name, const struct msg *m)
{
	char purpose[PURPOSE_MAX], text[PURPOSE_MAX + 64], subject[128];

	purpose_of(work, m, purpose);
	snprintf(text, sizeof(text), "%s, %" PRIu64 " numbers", purpose, purpose_words(work, m));
	snprintf(subject, sizeof(subject), "%s %s", base, name);
	texts_add(t, PURPOSES, "", subject, text, NULL);
}

/* Makes a message of this type. `body` is its kind of body; a body with a field of bytes gets 64 of
 * them. */
static inline struct msg message(enum msg_type type, const char *body)
{
	static const uint8_t bytes[64];
	const struct bytes some = { bytes, sizeof(bytes) };
	struct msg m = { .type = type };

	if (!strcmp(body, "masked"))
		m.masked.words = some;
	else if (!strcmp(body, "labels"))
		m.labels = (struct msg_labels){ .values = 3, .count = 300, .packed = some };
	else if (!strcmp(body, "reals") || !strcmp(body, "reals32"))
		m.reals.values = some;
	else if (!strcmp(body, "ids"))
		m.ids = (struct msg_ids){ .count = 50, .packed = some };
	else if (!strcmp(body, "padding"))
		m.padding.zeros = some;
	else if (!strcmp(body, "sealed"))
		m.sealed = (struct msg_sealed){ .what = SEALED_ID_KEY, .to = 2, .box = some };
	return m;
}

/* Adds the purpose of each type of message in the offered job, which is called `name`. */
static inline void add_purposes(struct texts *t, struct work *work, const char *name)
{
	work->sum = (struct work_sum){ { 0, 1 }, 2, 8 };
	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); i++) {
		struct msg m = message(messages[i].type, messages[i].body);

		add_purpose(t, work, name, messages[i].name, &m);
	}
}

/* Adds the purposes of MASKED for sums of several groups of parties, and of SEALED for each kind of
 * contents. `job` may be of any kind. */
static inline void add_purposes_of_members(struct texts *t, struct work *work, const char *base,
					   const struct job *job,
					   void (*offer)(const struct job *job, size_t parties))
{
	static const struct {
		size_t parties, first, last, word;
	} sums[] = { { 3, 0, 3, 4 }, { 3, 1, 3, 0 },   { 8, 0, 8, 8 },
		     { 9, 0, 9, 8 }, { 12, 0, 10, 8 }, { 12, 3, 12, 8 } };
	struct msg m = message(MSG_MASKED, "masked");
	char name[64];

	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
		offer(job, sums[i].parties);
		work->sum.word = sums[i].word;
		work->sum.count = sums[i].last - sums[i].first;
		for (size_t k = 0; k < work->sum.count; k++)
			work->sum.members[k] = sums[i].first + k;
		snprintf(name, sizeof(name), "MASKED %zu to %zu of %zu", sums[i].first,
			 sums[i].last, sums[i].parties);
		add_purpose(t, work, base, name, &m);
	}
	m = message(MSG_SEALED, "sealed");
	for (uint16_t what = 0; what <= SEALED_WALKS + 1; what++) {
		m.sealed.what = what;
		m.sealed.to = what == 3 ? 12 : 2;
		snprintf(name, sizeof(name), "SEALED %u", what);
		add_purpose(t, work, base, name, &m);
	}
}

#endif
