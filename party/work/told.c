/* Has everybody been told the same? Members of a group ask each other, in sealed messages.
 *
 *   behind the words of the first sum of each phase, and before DONE: to each other member
 *       SEALED, 32 bytes: SHA-256("coterie told v1", history of the two, transcript of the group)
 *   before the coordinator's next message: the same of each other member, which must be equal
 *
 * The coordinator passes them on (server/run/relay.h) and can neither read nor make them. They
 * travel with what is sent anyway: no round trip is added. docs/secure-sum.md says what this
 * catches. */
#include "party/work/work.h"
#include "crypto/hash.h"
#include "crypto/seal.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static bool is_member(const struct work *work, size_t j)
{
	const struct told *t = &work->told;

	return t->last == 0 || (j >= t->first && j < t->last);
}

void work_group(struct work *work, const struct tree_node *node)
{
	struct told *t = &work->told;
	size_t members[PARTIES_MAX], count = 0;
	struct sha256 *h = sha256_new();

	if (t->heard) {
		for (size_t j = 0; j < work->L; j++)
			if (is_member(work, j))
				members[count++] = j;
		secagg_history(work->secagg, members, count, work->transcript);
	}
	t->heard = false;
	t->first = node->first;
	t->last = node->last;
	sha256_add_text(h, "coterie group v1");
	sha256_add_u32(h, node->id);
	sha256_end(h, work->transcript);
}

void work_observe(void *arg, enum msg_type type, struct bytes body)
{
	struct work *work = arg;
	struct sha256 *h;

	/* A SUM is what its tags say, or the job ends: nobody can be told another. */
	if (work->told.apart || type == MSG_SUM)
		return;
	work->told.heard = true;
	h = sha256_new();
	sha256_add(h, work->transcript, sizeof(work->transcript));
	sha256_add_u32(h, type);
	sha256_add_u64(h, body.n);
	sha256_add(h, body.p, body.n);
	sha256_end(h, work->transcript);
}

void work_bind(struct work *work, const void *p, size_t n)
{
	struct sha256 *h = sha256_new();

	sha256_add(h, work->transcript, sizeof(work->transcript));
	sha256_add_text(h, "coterie bind v1");
	sha256_add_u64(h, n);
	sha256_add(h, p, n);
	sha256_end(h, work->transcript);
}

static enum err say(struct work *work, size_t first, size_t last)
{
	static const uint8_t none[SECAGG_HASH_LEN];
	struct told *t = &work->told;

	/* Of a sum that no message followed. */
	while (t->waiting)
		TRY(channel_recv_aside(work->channel));
	for (size_t j = first; j < last; j++) {
		struct sha256 *h;

		if (j == work->own)
			continue;
		/* All that both were told, if they were told the same. */
		h = sha256_new();
		sha256_add_text(h, "coterie told v1");
		sha256_add(h, secagg_history_with(work->secagg, j), SECAGG_HASH_LEN);
		sha256_add(h, is_member(work, j) ? work->transcript : none, SECAGG_HASH_LEN);
		sha256_end(h, t->expect[j]);
		t->due[j] = true;
		t->waiting++;
		TRY(work_send_sealed(work, j, SEALED_TOLD,
				     (struct bytes){ t->expect[j], SECAGG_HASH_LEN }));
	}
	return ERR_OK;
}

enum err told_say(struct work *work)
{
	struct told *t = &work->told;

	if (!t->on || t->said)
		return ERR_OK;
	t->said = true;
	assert(t->last > 0);
	return say(work, t->first, t->last);
}

enum err told_say_all(struct work *work)
{
	return work->told.on ? say(work, 0, work->L) : ERR_OK;
}

/* ---- the others' ---- */

static const char *phase(const struct work *work)
{
	return record_now(work->record)->name;
}

static enum err compare(struct work *work, const struct msg_sealed *s)
{
	struct told *t = &work->told;
	uint8_t hash[SECAGG_HASH_LEN];
	size_t j = s->from;
	enum err e;

	if (j >= work->L || !t->due[j] || s->to != work->own ||
	    s->box.n != SECAGG_HASH_LEN + SEAL_TAG_LEN)
		return peer_fault(work->channel,
				  "passed on SEALED %d of party %" PRIu32 " to party %" PRIu32
				  " with %zu bytes, which is not due",
				  SEALED_TOLD, s->from, s->to, s->box.n);
	e = seal_open(work->secagg, j, SEALED_TOLD, s->box, hash);
	if (e != ERR_OK)
		return err_prefix(e, "what %s was told, as %s passed it on (during %s)",
				  work->name[j], channel_peer(work->channel), phase(work));
	if (memcmp(hash, t->expect[j], sizeof(hash)) != 0)
		return err_set(ERR_PEER,
			       "%s says that %s has told it other things than this party (during "
			       "%s): one of the two cannot be trusted",
			       work->name[j], channel_peer(work->channel), phase(work));
	t->due[j] = false;
	t->waiting--;
	return ERR_OK;
}

static enum err take(void *arg, enum msg_type type, struct bytes body, bool *taken)
{
	struct work *work = arg;
	struct msg m;
	size_t j = 0;

	if (type == MSG_SEALED) {
		enum err e = msg_decode(&m, (uint16_t)type, body);

		if (e != ERR_OK)
			return err_prefix(e, "%s (during %s)", channel_peer(work->channel),
					  phase(work));
		if (m.sealed.what == SEALED_TOLD) {
			*taken = true;
			return compare(work, &m.sealed);
		}
	}
	if (!work->told.waiting)
		return ERR_OK;
	while (!work->told.due[j])
		j++;
	return peer_fault(work->channel,
			  "sent %s before it passed on what %s says that it was told",
			  msg_name(type), work->name[j]);
}

void told_begin(struct work *work)
{
	work->told.on = work->L > 1;
	channel_observe(work->channel, work_observe, work);
	channel_set_aside(work->channel, take, work);
}

void told_stop(struct work *work)
{
	channel_observe(work->channel, NULL, NULL);
	channel_set_aside(work->channel, NULL, NULL);
}
