/* changed_sums.h -- changes, at random, every broadcast sum that a party of a federation in memory
 * accepts. It also makes one party send wrong terms whose tags are valid.
 *
 * Includes the party's secure.c. After a party has accepted a true sum, take_sum() of secure.c
 * receives `changed_each` changed sums for that party, each over a new channel. take_sum() must
 * refuse every one of them with an error that names the coordinator. */
#ifndef TESTS_UNIT_BOTH_CHANGED_SUMS_H
#define TESTS_UNIT_BOTH_CHANGED_SUMS_H

#include "crypto/fixed.h"
#include "crypto/tag.h"
#include "tests/unit/both/wire.h"

#include <stdatomic.h>

static bool note_tag(const uint8_t tag[static TAG_LEN]);
static void sum_was_taken(const struct fixed *f, const void *words, size_t n, double *x);
static enum err encode_term(const struct fixed *f, const double *x, size_t n, void *words,
			    double *bad);
#define fixed_encode  encode_term
#define tag_is_number note_tag
#define fixed_decode  sum_was_taken
#include "party/work/secure.c"
#undef fixed_decode
#undef fixed_encode
#undef tag_is_number

enum change {
	CHANGE_OLD_PRIME, /* adds multiples of the tag modulus of protocol version 6 */
	CHANGE_PRIME,
	CHANGE_POWER, /* adds 2^k or -2^k, 0 <= k < 64 */
	CHANGE_HALF,  /* adds 2^63, half of the modulus of sums */
	CHANGE_LEAST, /* sets a word to -2^63, which is never a sum */
	CHANGE_ONE,
	CHANGE_SWAP,
	CHANGE_REPEAT,
	CHANGE_ZEROS,
	CHANGE_CUT,
	CHANGE_LONGER,
	CHANGE_TAG,
	CHANGE_TAG_PRIME,
	CHANGE_TAG_SHORT,
	CHANGE_NO_TAG,
	CHANGES
};

/* The contents of one SUM message. */
struct changed_sum {
	uint64_t *word; /* has room for n + 1 words */
	size_t n, tag_n;
	uint8_t tag[TAG_LEN];
};

static size_t changed_each; /* number of changes of each sum; set before a federation runs */
/* changed_done counts the offered changes; changed_missed counts those that a party did not
 * refuse with the right error */
static _Atomic size_t changed_done;
static _Atomic size_t changed_missed[CHANGES];

static inline void add_to_tag(uint8_t tag[static TAG_LEN], unsigned __int128 d)
{
	unsigned __int128 t;

	memcpy(&t, tag, sizeof(t));
	t += d;
	memcpy(tag, &t, sizeof(t));
}

static inline uint64_t multiple(struct rng *rng, enum change c)
{
	uint64_t sign = rng_below(rng, 2) ? 1 : UINT64_MAX;

	if (c == CHANGE_OLD_PRIME)
		return sign * (1 + rng_below(rng, 1023)) * ((1ULL << 54) - 33);
	/* mod 2^64 the prime 2^127 - 1 is -1, so every number is a multiple of it */
	if (c == CHANGE_PRIME)
		return sign * (1 + rng_below(rng, INT64_MAX));
	return c == CHANGE_POWER  ? sign << rng_below(rng, 64)
	       : c == CHANGE_HALF ? 1ULL << 63
				  : UINT64_MAX;
}

static inline void change_sum(struct rng *rng, enum change c, struct changed_sum *s)
{
	size_t i = rng_below(rng, s->n), j = rng_below(rng, s->n);
	uint64_t at_i = s->word[i];

	switch (c) {
	case CHANGE_LEAST:
		s->word[i] = 1ULL << 63;
		break;
	case CHANGE_SWAP:
		s->word[i] = s->word[j];
		s->word[j] = at_i;
		break;
	case CHANGE_REPEAT:
		s->word[i] = s->word[j];
		break;
	case CHANGE_ZEROS:
		memset(s->word, 0, s->n * sizeof(*s->word));
		break;
	case CHANGE_CUT:
		s->n -= s->n > 1 ? 1 + rng_below(rng, s->n - 1) : 0;
		break;
	case CHANGE_LONGER:
		s->word[s->n++] = at_i;
		break;
	case CHANGE_TAG:
		add_to_tag(s->tag, (unsigned __int128)1 << rng_below(rng, 128));
		break;
	case CHANGE_TAG_PRIME: /* adds p = 2^127 - 1, which leaves the tag the same mod p */
		add_to_tag(s->tag, ((unsigned __int128)1 << 127) - 1);
		break;
	case CHANGE_TAG_SHORT:
		s->tag_n = TAG_LEN - 1;
		break;
	case CHANGE_NO_TAG:
		s->tag_n = 0;
		break;
	default:
		s->word[i] += multiple(rng, c);
		break;
	}
}

static inline void deliver_sum(struct channel *ch, uint32_t group, uint64_t number,
			       const struct changed_sum *s)
{
	const size_t most = CHANNEL_CHUNK / sizeof(uint64_t);

	for (size_t at = 0, now; at < s->n; at += now) {
		struct msg m = { .type = MSG_SUM };
		struct buf body = { 0 };

		now = s->n - at < most ? s->n - at : most;
		m.masked =
		    (struct msg_masked){ group,
					 number,
					 s->n,
					 at,
					 { (const uint8_t *)(s->word + at), now * 8 },
					 { s->tag, at + now == s->n && s->tag_n ? TAG_LEN : 0 } };
		msg_encode(&body, &m);
		/* shortens the encoded tag, since msg_encode() refuses a short one */
		if (m.masked.tag.n > s->tag_n) {
			body.p[body.n - TAG_LEN - 1] = (uint8_t)s->tag_n;
			body.n -= TAG_LEN - s->tag_n;
		}
		channel_deliver(ch, MSG_SUM, &body, clock_now_s());
		buf_release(&body);
	}
}

/* Gives the changed sum to take_sum() of the same party, which must refuse it. */
static inline void offer_changed(const struct secure *s, const struct changed_sum *sum,
				 enum change c)
{
	struct work *work = alloc(1, sizeof(*work));
	struct secure again = *s;
	double *x = alloc(s->count, sizeof(*x));
	enum err e;

	*work = *s->work;
	work->mailbox = mailbox_new(5);
	work->channel = channel_new(work->mailbox, PARTY, "hub");
	channel_step(work->channel, record_now(work->record)->name);
	again.work = work;
	again.tag = tag_new(work->group_key, secagg_session(work->secagg), s->node->id,
			    work->sums_opened, s->count - 1);
	deliver_sum(work->channel, s->node->id, work->sums_opened, sum);
	e = take_sum(&again, x);
	if (e != ERR_PEER || !strstr(err_detail(), "hub") || !strstr(err_detail(), "SUM")) {
		if (!changed_missed[c]++)
			print_message("change %d: %s\n", c, e ? err_detail() : "taken");
	}
	changed_done++;
	tag_free(again.tag);
	channel_free(work->channel);
	mailbox_free(work->mailbox);
	free(x);
	free(work);
}

static _Thread_local struct {
	bool busy;
	uint8_t tag[TAG_LEN]; /* tag of the sum under check */
	struct rng rng;
} changing;

static bool note_tag(const uint8_t tag[static TAG_LEN])
{
	if (!changing.busy)
		memcpy(changing.tag, tag, TAG_LEN);
	return tag_is_number(tag);
}

static bool is_changed(const struct changed_sum *s, const void *words, size_t n)
{
	return s->n != n || s->tag_n != TAG_LEN || memcmp(s->tag, changing.tag, TAG_LEN) != 0 ||
	       memcmp(s->word, words, n * sizeof(*s->word)) != 0;
}

/* f must be the member `fixed` of the struct secure that has accepted the sum. */
static void sum_was_taken(const struct fixed *f, const void *words, size_t n, double *x)
{
	const struct secure *s = (const void *)((const char *)f - offsetof(struct secure, fixed));

	fixed_decode(f, words, n, x);
	if (changing.busy)
		return;
	changing.busy = true;
	rng_seed(&changing.rng, s->work->own, s->work->sums_opened);
	for (size_t i = 0; i < changed_each; i++) {
		struct changed_sum sum = { alloc(n + 1, sizeof(*sum.word)), n, TAG_LEN, { 0 } };
		enum change c = (enum change)(i % CHANGES);

		memcpy(sum.word, words, n * sizeof(*sum.word));
		memcpy(sum.tag, changing.tag, TAG_LEN);
		change_sum(&changing.rng, c, &sum);
		if (is_changed(&sum, words, n))
			offer_changed(s, &sum, c);
		free(sum.word);
	}
	changing.busy = false;
}

/* Requires that parties refused every changed sum and that there were at least `least` of them. */
static inline void assert_changes_found(const char *what, size_t least)
{
	size_t done = atomic_exchange(&changed_done, 0);

	print_message("%s: %zu changed sums\n", what, done);
	for (enum change c = 0; c < CHANGES; c++)
		if (atomic_exchange(&changed_missed[c], 0))
			fail_msg("%s: a change of kind %d was missed", what, c);
	if (done < least)
		fail_msg("%s: %zu changes, expected %zu or more", what, done, least);
	changed_each = 0;
}

/* ---- a dishonest party ---- */

/* Party `party` adds `by` to word `word` of its term of sum `number`, and computes the tag of that
 * changed term. LAST_WORD stands for the last word before the canary, a check word at the end of
 * each sum. With party = FED_MAX no party does so. */
enum { LAST_WORD = -1 };
static struct {
	size_t party, word;
	uint64_t number;
	int64_t by;
} wrong_term = { .party = FED_MAX };

static enum err encode_term(const struct fixed *f, const double *x, size_t n, void *words,
			    double *bad)
{
	const struct secure *s = (const void *)((const char *)f - offsetof(struct secure, fixed));
	size_t first = s->sent + s->held;
	/* the sum's last entry is the canary, and its last word is the entry before */
	size_t word = wrong_term.word == (size_t)LAST_WORD ? s->count - 2 : wrong_term.word;
	enum err e = fixed_encode(f, x, n, words, bad);

	if (s->tag && s->work->own == wrong_term.party &&
	    s->work->sums_opened == wrong_term.number && word >= first && word < first + n)
		((uint64_t *)words)[word - first] += (uint64_t)wrong_term.by;
	return e;
}

/* ---- over a wire ---- */

/* Applies `change`, one of those before CHANGE_CUT, to the at-th SUM to the victim. Counts, in
 * `after`, the messages with terms that the victim sends after that. */
struct sum_liar {
	size_t victim, at, seen, after;
	enum change change;
	struct rng rng;
	bool told;
};

static inline void lie_in_sum(void *arg, size_t l, enum msg_type type, struct buf *body)
{
	struct sum_liar *liar = arg;
	struct changed_sum sum = { .tag_n = TAG_LEN };
	struct msg m;

	if (l != liar->victim)
		return;
	liar->after += liar->told && type == MSG_MASKED;
	if (type != MSG_SUM || liar->seen++ != liar->at)
		return;
	assert_ok(msg_decode(&m, MSG_SUM, (struct bytes){ body->p, body->n }));
	sum.n = m.masked.words.n / sizeof(*sum.word);
	sum.word = alloc(sum.n + 1, sizeof(*sum.word));
	memcpy(sum.word, m.masked.words.p, m.masked.words.n);
	change_sum(&liar->rng, liar->change, &sum);
	liar->told = memcmp(sum.word, m.masked.words.p, m.masked.words.n) != 0;
	m.masked.words.p = (const uint8_t *)sum.word;
	body->n = 0;
	{
		struct buf changed = { 0 };

		msg_encode(&changed, &m);
		buf_add(body, changed.p, changed.n);
		buf_release(&changed);
	}
	free(sum.word);
}

#endif
