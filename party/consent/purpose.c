#include "party/consent/purpose.h"
#include "party/work/kind.h"
#include "proto/labels.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 8 }; /* members of a sum that are named one by one */

static const struct purpose {
	enum msg_type type;
	const char *text;
} purposes[] = {
	{ MSG_DECLINE, "that this party does not take part, and why" },
	{ MSG_ASKING, "that a person is asked whether this party takes part" },
	{ MSG_KEY, "this party's public key for the job, signed" },
	{ MSG_LOCAL_CLUSTERS, "local cluster of each node, in clear" },
	{ MSG_PROBE, "zeros by which the link is measured" },
	{ MSG_UPLOAD, "coefficients of each row, in clear" },
	{ MSG_DEGREES, "noisy degree vectors of own vertices, in clear" },
	{ MSG_TIES, "ties by which others may know own vertices, in clear" },
	{ MSG_WALKS, "tokens of finished walks, in clear" },
	{ MSG_PROTOTYPES, "prototypes of own graphs, in clear" },
	{ MSG_DONE, "that results are written; how far this ledger reaches" },
	{ MSG_ABORT, "that the job ends, and why" },
};

static const char *const sealed[] = {
	[SEALED_ID_KEY] = ": key of the hashed ids",
	[SEALED_DIRECTORY] = ": which vertices are here, by salted hash",
	[SEALED_TIES] = ": ties to its vertices",
	[SEALED_WALKS] = ": walks that go on there",
	[SEALED_TOLD] = ": hash of what the coordinator has told",
};
enum { SEALED_KNOWN = sizeof(sealed) / sizeof(*sealed) };

static void put(char *text, const char *format, ...) PRINTF(2, 3);
static void put(char *text, const char *format, ...)
{
	size_t n = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + n, PURPOSE_MAX - n, format, ap);
	va_end(ap);
}

static void name_members(const struct work *work, char *text)
{
	size_t first = work->sum.first, last = work->sum.last;

	if (last - first > NAMES_MAX && last - first == work->L) {
		put(text, "all %zu parties", work->L);
		return;
	}
	for (size_t l = first; l < last && l < first + NAMES_MAX; l++)
		put(text, "%s%s", l > first ? ", " : "", work->name[l]);
	if (last - first > NAMES_MAX)
		put(text, " and %zu more", last - first - NAMES_MAX);
}

void purpose_of(const struct work *work, const struct msg *m, char text[static PURPOSE_MAX])
{
	unsigned what;

	*text = 0;
	switch (m->type) {
	case MSG_ACCEPT:
		put(text, "that this party takes part: hash of the job%s", work->half->accept);
		return;
	case MSG_MASKED:
		put(text, "masked term of a sum over ");
		name_members(work, text);
		return;
	case MSG_SEALED:
		what = m->sealed.what;
		put(text, "sealed for %s, which alone can open it%s",
		    m->sealed.to < work->L ? work->name[m->sealed.to] : "nobody",
		    what < SEALED_KNOWN && sealed[what] ? sealed[what] : "");
		return;
	case MSG_IDS:
		put(text, work->job.ids == IDS_PLAIN ? "id of each node, in clear"
						     : "hashed id of each node");
		return;
	default:
		for (size_t i = 0; i < sizeof(purposes) / sizeof(*purposes); i++)
			if (purposes[i].type == m->type)
				put(text, "%s", purposes[i].text);
		if (!*text)
			put(text, "%s", msg_name(m->type));
	}
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t purpose_words(const struct work *work, const struct msg *m)
{
	switch (m->type) {
	case MSG_MASKED:
		return work->sum.word ? m->masked.words.n / work->sum.word : 0;
	case MSG_LOCAL_CLUSTERS:
	case MSG_TIES:
	case MSG_WALKS:
		return least(m->labels.count - m->labels.offset,
			     m->labels.packed.n * 8 / labels_bits(m->labels.values));
	case MSG_UPLOAD:
	case MSG_DEGREES:
	case MSG_PROTOTYPES:
		return m->reals.values.n / sizeof(double);
	case MSG_IDS: /* hashed; in clear no chunk has more than it has bytes */
		return work->job.ids == IDS_PLAIN
			   ? least(m->ids.count - m->ids.offset, m->ids.packed.n)
			   : m->ids.packed.n / MSG_ID_HASH_LEN;
	default:
		return 0;
	}
}
