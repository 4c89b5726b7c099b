/* Consistency of broadcast values: members of a group compare them, without an extra round trip.
 *
 *   after its term of the first sum of each phase, and before DONE, each member sends TOLD, with
 *   a word for each other member j:
 *       HKDF-Expand(K_ij, "coterie told v2" || i || j || number || history of the two ||
 *                         transcript of the group)
 *   before its next message the coordinator sends TOLD, with the exclusive or of the words of all
 *   others for this party
 *
 *   K_ij: the pair's key; i, j: the names of sender and receiver; number: number of words that the
 *   two have exchanged before; history: hash of the broadcasts to their earlier groups
 *   (secagg_history)
 *
 * Each party can compute the words of all members that received the same values; the coordinator
 * cannot. The word of a member that received other values is random, whatever others add to it. So
 * the coordinator can add the words and return one, instead of one per member. docs/secure-sum.md
 * lists the attacks that this detects. */
#include "party/work/work.h"
#include "crypto/hash.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static bool is_member(const struct work *work, size_t j)
{
	const struct broadcasts *t = &work->broadcasts;

	return t->last == 0 || (j >= t->first && j < t->last);
}

void work_group(struct work *work, const struct tree_node *node)
{
	struct broadcasts *t = &work->broadcasts;
	size_t members[PARTIES_MAX], count = 0;
	struct sha256 *h = sha256_new();

	if (t->received) {
		for (size_t j = 0; j < work->L; j++)
			if (is_member(work, j))
				members[count++] = j;
		secagg_history(work->secagg, members, count, work->transcript);
	}
	t->received = false;
	t->first = node->first;
	t->last = node->last;
	sha256_add_text(h, "coterie group v1");
	sha256_add_u32(h, node->id);
	sha256_end(h, work->transcript);
}

static void chain_message(uint8_t hash[static SHA256_LEN], enum msg_type type, struct bytes body)
{
	struct sha256 *h = sha256_new();

	sha256_add(h, hash, SHA256_LEN);
	sha256_add_u32(h, type);
	sha256_add_u64(h, body.n);
	sha256_add(h, body.p, body.n);
	sha256_end(h, hash);
}

static void chain_value(uint8_t hash[static SHA256_LEN], const char *label, const void *p, size_t n)
{
	struct sha256 *h = sha256_new();

	sha256_add(h, hash, SHA256_LEN);
	sha256_add_text(h, label);
	sha256_add_u64(h, n);
	sha256_add(h, p, n);
	sha256_end(h, hash);
}

/* Returns true for messages whose received bytes do not enter work->received. SEALED and the tag of
 * SUM depend on keys of this attempt; secure_sum_verified() adds the numbers of a SUM. ROWS are in
 * the order of hashed ids; party_align() adds them in the order of own ids. */
static bool is_of_session(enum msg_type type)
{
	return type == MSG_SEALED || type == MSG_SUM || type == MSG_ROWS;
}

void work_observe(void *arg, enum msg_type type, struct bytes body)
{
	struct work *work = arg;

	if (!is_of_session(type))
		chain_message(work->received, type, body);
	/* SUM is not compared: each party checks its tag, and the job ends if the tag is wrong. */
	if (work->broadcasts.per_party || type == MSG_SUM)
		return;
	work->broadcasts.received = true;
	chain_message(work->transcript, type, body);
}

void work_bind(struct work *work, const void *p, size_t n)
{
	chain_value(work->transcript, "coterie bind v1", p, n);
	work_note_received(work, p, n);
}

void work_note_received(struct work *work, const void *p, size_t n)
{
	chain_value(work->received, "coterie heard v1", p, n);
}

/* Computes the word of TOLD from member `from` to member `to` for the case that `from` received the
 * same values as this party. This party is one of the two. */
static void word_of(const struct work *work, size_t from, size_t to,
		    uint8_t word[static MSG_TOLD_LEN])
{
	static const char label[] = "coterie told v2";
	static const uint8_t none[SECAGG_HASH_LEN];
	size_t other = from == work->own ? to : from;
	uint64_t number = __builtin_bswap64(work->broadcasts.number[other]);
	uint8_t key[SECAGG_HASH_LEN];
	struct buf info = { 0 };

	buf_add(&info, label, sizeof(label) - 1);
	for (int i = 0; i < 2; i++) {
		const char *name = work->name[i ? to : from];
		uint32_t len = __builtin_bswap32((uint32_t)strlen(name));

		buf_add(&info, &len, sizeof(len));
		buf_add(&info, name, strlen(name));
	}
	buf_add(&info, &number, sizeof(number));
	buf_add(&info, secagg_history_with(work->secagg, other), SECAGG_HASH_LEN);
	buf_add(&info, is_member(work, other) ? work->transcript : none, SECAGG_HASH_LEN);
	secagg_pair_expand(work->secagg, other, (struct bytes){ info.p, info.n }, key);
	memcpy(word, key, MSG_TOLD_LEN);
	buf_release(&info);
}

static enum err broadcasts_send_words(struct work *work, size_t first, size_t last)
{
	struct msg m = { .type = MSG_TOLD };
	struct broadcasts *t = &work->broadcasts;
	struct buf words = { 0 };
	enum err e;

	/* Receives TOLD of the last sum, unless it has already arrived before another message. */
	while (t->waiting)
		TRY(channel_recv_aside(work->channel));
	memset(t->expect, 0, sizeof(t->expect));
	for (size_t j = first; j < last; j++) {
		uint8_t word[MSG_TOLD_LEN];

		if (j == work->own)
			continue;
		word_of(work, work->own, j, buf_extend(&words, sizeof(word)));
		word_of(work, j, work->own, word);
		for (size_t i = 0; i < sizeof(word); i++)
			t->expect[i] ^= word[i];
		t->number[j]++;
	}
	t->waiting = last - first > 1;
	t->with[0] = first;
	t->with[1] = last;
	m.told.words = (struct bytes){ words.p, words.n };
	e = t->waiting ? channel_send(work->channel, &m) : ERR_OK;
	buf_release(&words);
	return e;
}

enum err broadcasts_confirm(struct work *work)
{
	struct broadcasts *t = &work->broadcasts;

	if (!t->on || t->confirmed)
		return ERR_OK;
	t->confirmed = true;
	assert(t->last > 0);
	return broadcasts_send_words(work, t->first, t->last);
}

enum err broadcasts_confirm_all(struct work *work)
{
	return work->broadcasts.on ? broadcasts_send_words(work, 0, work->L) : ERR_OK;
}

/* ---- the words of the other members ---- */

static const char *broadcasts_phase_name(const struct work *work)
{
	return record_now(work->record)->name;
}

enum { NAMES = 8, OTHERS = NAMES * (MSG_NAME_MAX + 2) + 64 };

/* Writes the names of the other members: "bank-b", "one of bank-b and shop", or "one of a, b, ...,
 * h and 12 more". */
static void others(const struct work *work, char text[static OTHERS])
{
	size_t first = work->broadcasts.with[0], last = work->broadcasts.with[1],
	       count = last - first - 1;
	size_t shown = count > NAMES ? NAMES : count;
	int n = snprintf(text, OTHERS, "%s", count > 1 ? "one of " : "");

	for (size_t j = first, at = 0; at < shown; j++) {
		const char *before = at == 0 ? "" : at + 1 == count ? " and " : ", ";

		if (j == work->own)
			continue;
		n += snprintf(text + n, OTHERS - (size_t)n, "%s%s", before, work->name[j]);
		at++;
	}
	if (count > shown)
		snprintf(text + n, OTHERS - (size_t)n, " and %zu more", count - shown);
}

static enum err broadcasts_compare_words(struct work *work, const struct msg_told *m)
{
	struct broadcasts *t = &work->broadcasts;
	char who[OTHERS];

	if (!t->waiting || m->words.n != MSG_TOLD_LEN)
		return peer_fault(work->channel, "sent TOLD of %zu bytes, which is not due",
				  m->words.n);
	others(work, who);
	if (memcmp(m->words.p, t->expect, MSG_TOLD_LEN) != 0)
		return err_set(ERR_PEER,
			       "%s broadcast other values to %s than to this party, or a member's "
			       "TOLD was altered (during %s): one of them cannot be trusted",
			       channel_peer(work->channel), who, broadcasts_phase_name(work));
	t->waiting = false;
	return ERR_OK;
}

static enum err broadcasts_take_message(void *arg, enum msg_type type, struct bytes body,
					bool *taken)
{
	struct work *work = arg;
	char who[OTHERS];
	struct msg m;

	if (type == MSG_TOLD) {
		enum err e = msg_decode(&m, (uint16_t)type, body);

		*taken = true;
		return e == ERR_OK ? broadcasts_compare_words(work, &m.told)
				   : err_prefix(e, "%s (during %s)", channel_peer(work->channel),
						broadcasts_phase_name(work));
	}
	if (!work->broadcasts.waiting)
		return ERR_OK;
	others(work, who);
	return peer_fault(work->channel, "sent %s before TOLD, in which %s confirms the broadcasts",
			  msg_name(type), who);
}

void broadcasts_begin(struct work *work)
{
	work->broadcasts.on = work->L > 1;
	channel_observe(work->channel, work_observe, work);
	channel_set_aside(work->channel, broadcasts_take_message, work);
}

void broadcasts_stop(struct work *work)
{
	channel_observe(work->channel, NULL, NULL);
	channel_set_aside(work->channel, NULL, NULL);
}
