#include "server/run/relay.h"

#include "common/base/alloc.h"
#include "crypto/seal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TOLD_LEN = SECAGG_HASH_LEN + SEAL_TAG_LEN };

static enum err receive(struct run *run, enum sealed what, size_t from, size_t to, struct msg *m)
{
	TRY(channel_recv(run->channel[from], MSG_SEALED, m));
	if (m->sealed.what != what || m->sealed.from != from || m->sealed.to != to)
		return peer_fault(run->channel[from],
				  "sent SEALED %u of party %" PRIu32 " to party %" PRIu32
				  "; expected %d, %zu, %zu",
				  m->sealed.what, m->sealed.from, m->sealed.to, what, from, to);
	return ERR_OK;
}

enum err relay_sealed(struct run *run, enum sealed what, size_t from, size_t to)
{
	struct msg m;

	TRY(receive(run, what, from, to, &m));
	return channel_send(run->channel[to], &m);
}

/* All are here before the first goes on: an answer in between would count as another round trip. */
static enum err take_all(struct run *run, size_t first, size_t last, struct relayed_told *told)
{
	size_t members = last - first;
	uint8_t *box = alloc(members * members, TOLD_LEN);

	*told = (struct relayed_told){ first, last, box };
	for (size_t from = first; from < last; from++)
		for (size_t to = first; to < last; to++) {
			struct msg m;

			if (to == from)
				continue;
			TRY(receive(run, SEALED_TOLD, from, to, &m));
			if (m.sealed.box.n != TOLD_LEN)
				return peer_fault(run->channel[from],
						  "sent SEALED of %zu bytes, expected %d",
						  m.sealed.box.n, TOLD_LEN);
			memcpy(box, m.sealed.box.p, TOLD_LEN);
			box += TOLD_LEN;
		}
	return ERR_OK;
}

enum err relay_give_last(struct run *run, const struct relayed_told *told)
{
	const uint8_t *box = told->boxes;

	for (size_t from = told->first; from < told->last; from++)
		for (size_t to = told->first; to < told->last; to++) {
			struct msg m = { .type = MSG_SEALED,
					 .sealed = { SEALED_TOLD,
						     (uint32_t)from,
						     (uint32_t)to,
						     { box, TOLD_LEN } } };

			if (to == from)
				continue;
			TRY(channel_send(run->channel[to], &m));
			box += TOLD_LEN;
		}
	return ERR_OK;
}

enum err relay_told(struct run *run, uint32_t group, size_t first, size_t last)
{
	struct relayed_told told;
	enum err e;

	assert(group < TREE_NODES_MAX);
	if (!run->tell || run->told[group] == run->phase)
		return ERR_OK;
	run->told[group] = run->phase;
	e = take_all(run, first, last, &told);
	if (e == ERR_OK)
		e = relay_give_last(run, &told);
	relayed_told_release(&told);
	return e;
}

enum err relay_take_last(struct run *run, struct relayed_told *told)
{
	*told = (struct relayed_told){ 0 };
	return run->tell ? take_all(run, 0, run->L, told) : ERR_OK;
}

void relayed_told_release(struct relayed_told *told)
{
	free(told->boxes);
}
