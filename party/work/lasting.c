#include "party/work/lasting.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "crypto/prg.h"
#include "crypto/seal.h"
#include "crypto/secret.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)PRG_KEY_LEN == (int)MSG_TOLD_LEN, "TOLD is the key of an ANSWER");
_Static_assert(SHAMIR_LEN + SEAL_TAG_LEN == MSG_SHARE_LEN, "a box holds a share");

static enum err send_shares(struct work *work, const struct lasting *l, uint64_t round)
{
	struct msg m = { .type = MSG_SHARES, .shares.round = round };
	uint8_t share[SHAMIR_LEN];
	struct buf boxes = { 0 };
	enum err e;

	for (size_t i = 0; i < work->sum.count; i++) {
		size_t j = work->sum.members[i];

		if (j == work->own)
			continue;
		lasting_share(l, j, share);
		seal_make(work->secagg, j, SEALED_SHARE, (struct bytes){ share, sizeof(share) },
			  &boxes);
	}
	wipe(share, sizeof(share));
	m.shares.boxes = (struct bytes){ boxes.p, boxes.n };
	e = channel_send(work->channel, &m);
	buf_release(&boxes);
	return e;
}

enum err party_lasting_open(struct work *work, struct mask **m, uint64_t *round, struct lasting **l)
{
	enum err e;

	assert(work->told.on && work->sum.count > 1);
	TRY(lasting_open(work->secagg, work->sum.members, work->sum.count, lasting_least(work->L),
			 work->transcript, m, round, l));
	e = send_shares(work, *l, *round);
	if (e != ERR_OK) {
		mask_close(*m);
		lasting_free(*l);
		*l = NULL;
	}
	return e;
}

/* ---- who is left ---- */

static void forget_the_lost(struct work *work, const size_t *left, size_t count)
{
	struct work_sum *sum = &work->sum;

	for (size_t i = 0, at = 0; i < sum->count; i++) {
		size_t j = sum->members[i];

		if (at < count && left[at] == j) {
			at++;
			continue;
		}
		work->lost[j] = true;
		record_lost(work->record, work->name[j]);
		log_warn("%s is lost, says %s (during %s): the sum goes on without it",
			 work->name[j], channel_peer(work->channel),
			 record_now(work->record)->name);
	}
	memcpy(sum->members, left, count * sizeof(*left));
	sum->count = count;
}

static enum err hear_who_is_left(struct work *work, struct lasting *l, uint64_t round)
{
	struct msg *m = alloc(1, sizeof(*m));
	size_t left[PARTIES_MAX], count = 0;
	enum err e = channel_recv(work->channel, MSG_REMAIN, m);

	for (; e == ERR_OK && count < m->remain.parties; count++)
		left[count] = m->remain.party[count];
	if (e == ERR_OK && m->remain.round != round)
		e = peer_fault(work->channel, "sent REMAIN of round %" PRIu64 ", expected %" PRIu64,
			       m->remain.round, round);
	free(m);
	TRY(e);
	if (count < work->least_left) {
		work->ending = ENDING_POLICY;
		return step_fault(work->channel,
				  "a sum would go on with %zu of %zu parties, policy.allow_loss of "
				  "%s is %u",
				  count, work->L, work->name[work->own], work->least_left);
	}
	if (lasting_left(l, left, count) != ERR_OK)
		return peer_fault(work->channel, "sent REMAIN, and %s", err_detail());
	forget_the_lost(work, left, count);
	return ERR_OK;
}

/* ---- the answer ---- */

static enum err take_shares(struct work *work, struct lasting *l, uint64_t round)
{
	const struct work_sum *sum = &work->sum;
	uint8_t share[SHAMIR_LEN];
	const uint8_t *box;
	enum err e = ERR_OK;
	struct msg m;

	TRY(channel_recv(work->channel, MSG_SHARES, &m));
	if (m.shares.round != round || m.shares.boxes.n != (sum->count - 1) * MSG_SHARE_LEN)
		return peer_fault(work->channel,
				  "sent SHARES of %zu bytes for round %" PRIu64
				  "; due were %zu for round %" PRIu64,
				  m.shares.boxes.n, m.shares.round,
				  (sum->count - 1) * MSG_SHARE_LEN, round);
	box = m.shares.boxes.p;
	for (size_t i = 0; i < sum->count && e == ERR_OK; i++) {
		size_t j = sum->members[i];

		if (j == work->own)
			continue;
		e = seal_open(work->secagg, j, SEALED_SHARE, (struct bytes){ box, MSG_SHARE_LEN },
			      share);
		if (e == ERR_OK)
			lasting_keep(l, j, share);
		box += MSG_SHARE_LEN;
	}
	wipe(share, sizeof(share));
	return e == ERR_OK ? e : err_prefix(e, "as %s passed it on", channel_peer(work->channel));
}

/* Under what all others who are left say by TOLD, if they were told what this party was: nobody
 * else can open it, and the coordinator only when all have said so. */
static enum err send_answer(struct work *work, struct lasting *l, size_t members, uint64_t round)
{
	size_t len = MSG_ANSWER_ZEROS + lasting_answer_len(members, work->sum.count);
	struct msg m = { .type = MSG_ANSWER, .answer.round = round };
	uint8_t *answer = alloc(len, 1), *stream = alloc(len, 1);
	struct prg *prg = prg_new();
	enum err e;

	lasting_answer(l, answer + MSG_ANSWER_ZEROS);
	prg_start(prg, work->told.expect);
	prg_next(prg, stream, len);
	prg_free(prg);
	for (size_t i = 0; i < len; i++)
		answer[i] ^= stream[i];
	m.answer.sealed = (struct bytes){ answer, len };
	e = channel_send(work->channel, &m);
	wipe(answer, len);
	wipe(stream, len);
	free(answer);
	free(stream);
	return e;
}

enum err party_lasting_answer(struct work *work, struct lasting *l, uint64_t round)
{
	size_t members = work->sum.count;

	TRY(hear_who_is_left(work, l, round));
	TRY(take_shares(work, l, round));
	TRY(told_say_now(work));
	return send_answer(work, l, members, round);
}
