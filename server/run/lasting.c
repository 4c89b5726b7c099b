#include "server/run/lasting.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/progress.h"
#include "crypto/lasting.h"
#include "crypto/mask.h"
#include "crypto/prg.h"
#include "server/run/relay.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)PRG_KEY_LEN == (int)MSG_TOLD_LEN, "TOLD is the key of an ANSWER");

#define LOOK_S 0.05 /* while a connection is awaited */

/* What has come from one member. */
struct given {
	bool member, lost;
	uint8_t *boxes; /* for each other member; NULL: not here yet */
	uint64_t *words;
	size_t offset; /* of them that are here */
	uint8_t tag[TAG_LEN];
	uint8_t *answer;
};

struct gathering {
	struct run *run;
	const struct sum *s;
	size_t members[PARTIES_MAX], count, t;
	size_t left[PARTIES_MAX], left_count;
	size_t all; /* words of a vector, and behind it */
	struct given given[PARTIES_MAX];
};

static size_t boxes_len(const struct gathering *g)
{
	return (g->count - 1) * MSG_SHARE_LEN;
}

static enum err take_shares(struct gathering *g, size_t l, const struct msg_shares *m)
{
	struct given *from = &g->given[l];

	if (from->boxes || m->round != *g->s->round || m->boxes.n != boxes_len(g))
		return peer_fault(g->run->channel[l],
				  "sent SHARES with %zu bytes for round %" PRIu64
				  "; due once are %zu for round %" PRIu64,
				  m->boxes.n, m->round, boxes_len(g), *g->s->round);
	from->boxes = alloc(m->boxes.n, 1);
	memcpy(from->boxes, m->boxes.p, m->boxes.n);
	return ERR_OK;
}

static enum err take_words(struct gathering *g, size_t l, const struct msg_masked *m)
{
	struct given *from = &g->given[l];
	size_t words = m->words.n / sizeof(uint64_t);

	if (!from->boxes || m->group != g->s->group || m->round != *g->s->round ||
	    m->count != g->all || m->offset != from->offset || words == 0 ||
	    m->words.n % sizeof(uint64_t) || words > g->all - from->offset)
		return peer_fault(g->run->channel[l],
				  "sent MASKED with %zu bytes from word %" PRIu64 " of %" PRIu64
				  " for group %u, round %" PRIu64
				  "; due were words from %zu of %zu for group %u, round %" PRIu64
				  ", behind SHARES",
				  m->words.n, m->offset, m->count, m->group, m->round, from->offset,
				  g->all, g->s->group, *g->s->round);
	if (!from->words)
		from->words = alloc(g->all, sizeof(uint64_t));
	memcpy(from->words + from->offset, m->words.p, m->words.n);
	from->offset += words;
	progress_tick();
	return sum_take_tag(g->run->channel[l], g->s, m, from->offset == g->all, from->tag);
}

/* Until each member has given all, or is lost. */
static enum err gather(struct gathering *g)
{
	bool wanted[PARTIES_MAX] = { false };
	size_t waiting = g->count;

	for (size_t i = 0; i < g->count; i++)
		wanted[g->members[i]] = true;
	while (waiting) {
		struct msg m;
		bool lost;
		size_t l;

		TRY(channel_recv_or_lost(g->run->channel, wanted, g->run->L, MSG_MASKED, MSG_SHARES,
					 &l, &m, &lost));
		if (!lost && m.type == MSG_SHARES)
			TRY(take_shares(g, l, &m.shares));
		else if (!lost)
			TRY(take_words(g, l, &m.masked));
		g->given[l].lost |= lost;
		if (lost || g->given[l].offset == g->all) {
			wanted[l] = false;
			waiting--;
		}
	}
	return ERR_OK;
}

/* Who has given all, but is not there any more, could not answer. A connection that is awaited is
 * waited for. */
static enum err look_again(struct gathering *g)
{
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < g->count; i++) {
			size_t l = g->members[i];
			enum channel_stands stands = channel_stands(g->run->channel[l]);

			g->given[l].lost |= stands == CHANNEL_LOST;
			again |= stands == CHANNEL_AWAY;
		}
		if (again)
			TRY(channel_pause(g->run->channel[g->members[0]], LOOK_S));
	}
	return ERR_OK;
}

static enum err who_is_left(struct gathering *g)
{
	struct run *run = g->run;

	TRY(look_again(g));
	for (size_t i = 0; i < g->count; i++) {
		size_t l = g->members[i];

		if (!g->given[l].lost) {
			g->left[g->left_count++] = l;
			continue;
		}
		run->lost[l] = true;
		record_lost(run->record, run->name[l]);
		log_warn("%s is lost (during %s): the sum goes on without it", run->name[l],
			 record_now(run->record)->name);
	}
	if (g->left_count >= g->t)
		return ERR_OK;
	return err_set(ERR_PEER,
		       "%zu of %zu parties are left, and a sum goes on with %zu or more (on_loss; "
		       "during %s)",
		       g->left_count, run->L, g->t, record_now(run->record)->name);
}

/* Which of party l's boxes is party j's. */
static const uint8_t *box_for(const struct gathering *g, size_t l, size_t j)
{
	size_t at = 0;

	for (size_t i = 0; g->members[i] != j; i++)
		at += g->members[i] != l;
	return g->given[l].boxes + at * MSG_SHARE_LEN;
}

static enum err say_who_is_left(struct gathering *g)
{
	struct run *run = g->run;
	struct msg m = { .type = MSG_REMAIN };

	m.remain.round = *g->s->round;
	m.remain.parties = (uint32_t)g->left_count;
	for (size_t i = 0; i < g->left_count; i++)
		m.remain.party[i] = (uint32_t)g->left[i];
	TRY(run_broadcast(run, g->s->first, g->s->last, &m));
	for (size_t i = 0; i < g->left_count; i++) {
		struct msg shares = { .type = MSG_SHARES, .shares.round = *g->s->round };
		struct buf boxes = { 0 };
		enum err e;

		for (size_t k = 0; k < g->left_count; k++)
			if (k != i)
				buf_add(&boxes, box_for(g, g->left[k], g->left[i]), MSG_SHARE_LEN);
		shares.shares.boxes = (struct bytes){ boxes.p, boxes.n };
		e = channel_send(run->channel[g->left[i]], &shares);
		buf_release(&boxes);
		TRY(e);
	}
	return ERR_OK;
}

/* Their answers, opened by what all others of them have said. */
static enum err take_answers(struct gathering *g, const struct relayed_told *told)
{
	static const uint8_t zeros[MSG_ANSWER_ZEROS];
	size_t len = lasting_answer_len(g->count, g->left_count);
	struct prg *prg = prg_new();
	enum err e = ERR_OK;

	for (size_t i = 0; i < g->left_count && e == ERR_OK; i++) {
		struct channel *ch = g->run->channel[g->left[i]];
		uint8_t stream[MSG_ANSWER_MAX];
		uint8_t *answer;
		struct msg m;

		e = channel_recv(ch, MSG_ANSWER, &m);
		if (e != ERR_OK)
			break;
		if (m.answer.round != *g->s->round || m.answer.sealed.n != sizeof(zeros) + len) {
			e = peer_fault(ch,
				       "sent ANSWER of %zu bytes for round %" PRIu64
				       "; due were %zu for round %" PRIu64,
				       m.answer.sealed.n, m.answer.round, sizeof(zeros) + len,
				       *g->s->round);
			break;
		}
		answer = alloc(m.answer.sealed.n, 1);
		g->given[g->left[i]].answer = answer;
		prg_start(prg, told->word[i]);
		prg_next(prg, stream, m.answer.sealed.n);
		for (size_t j = 0; j < m.answer.sealed.n; j++)
			answer[j] = m.answer.sealed.p[j] ^ stream[j];
		if (memcmp(answer, zeros, sizeof(zeros)) != 0)
			e = step_fault(ch,
				       "the answer of %s for round %" PRIu64
				       " does not open: its members were told different things, or "
				       "one of them says so",
				       g->run->name[g->left[i]], *g->s->round);
	}
	prg_free(prg);
	return e;
}

static void add_up(const struct gathering *g, uint64_t *acc, uint8_t tag[static TAG_LEN])
{
	struct fixed f = run_fixed_wide(g->left_count);
	const uint8_t *answer[PARTIES_MAX];
	struct mask *list = NULL, *m;

	memset(acc, 0, g->all * sizeof(*acc));
	memset(tag, 0, TAG_LEN);
	for (size_t i = 0; i < g->left_count; i++) {
		fixed_add(&f, acc, g->given[g->left[i]].words, g->all);
		tag_plus(tag, g->given[g->left[i]].tag);
		answer[i] = g->given[g->left[i]].answer + MSG_ANSWER_ZEROS;
	}
	lasting_lift(64, g->t, g->members, g->count, g->left, g->left_count, answer, &list, &m);
	mask_add(m, acc, g->all);
	mask_tag(m, tag);
	mask_close(m);
	mask_free(list);
}

enum err lasting_sum(struct run *run, const struct sum *s, uint64_t *acc,
		     uint8_t tag[static TAG_LEN])
{
	struct gathering *g;
	struct relayed_told told = { 0 };
	enum err e;

	assert(run->tell && s->wide);
	post_outlast(run->post);
	ALLOC(g, 1);
	*g = (struct gathering){ .run = run, .s = s, .all = s->count + 1 };
	g->count = tree_members(run->lost, s->first, s->last, g->members);
	g->t = lasting_least(run->L);
	e = gather(g);
	if (e == ERR_OK)
		e = who_is_left(g);
	if (e == ERR_OK)
		e = say_who_is_left(g);
	if (e == ERR_OK)
		e = relay_take_told(run, s->first, s->last, &told);
	if (e == ERR_OK)
		e = take_answers(g, &told);
	if (e == ERR_OK)
		add_up(g, acc, tag);
	if (e == ERR_OK)
		e = relay_give_last(run, &told);
	relayed_told_release(&told);
	for (size_t i = 0; i < run->L; i++) {
		free(g->given[i].boxes);
		free(g->given[i].words);
		free(g->given[i].answer);
	}
	free(g);
	return e;
}
