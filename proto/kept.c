#include "proto/kept.h"
#include "common/base/alloc.h"
#include "proto/frame.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

static struct kept_frame *at(const struct kept *k, size_t i)
{
	return &k->frame[(k->first + i) % k->cap];
}

static void grow(struct kept *k)
{
	size_t cap = k->cap ? 2 * k->cap : 64;
	struct kept_frame *frame;

	ALLOC(frame, cap);
	for (size_t i = 0; i < k->count; i++)
		frame[i] = *at(k, i);
	free(k->frame);
	k->frame = frame;
	k->cap = cap;
	k->first = 0;
}

void kept_push(struct kept *k, enum msg_type type, struct buf *body)
{
	if (k->count == k->cap)
		grow(k);
	*at(k, k->count++) = (struct kept_frame){ type, *body };
	k->bytes += FRAME_HEADER_LEN + body->n;
	*body = (struct buf){ 0 };
}

const struct kept_frame *kept_due(const struct kept *k, uint32_t *seq)
{
	if (k->left == k->count)
		return NULL;
	*seq = k->acked + (uint32_t)k->left + 1;
	return at(k, k->left);
}

void kept_went(struct kept *k)
{
	assert(k->left < k->count);
	k->left++;
}

bool kept_pop(struct kept *k, uint32_t seq, struct buf *body)
{
	if (k->count == 0 || k->acked >= seq)
		return false;
	*body = at(k, 0)->body;
	k->bytes -= FRAME_HEADER_LEN + body->n;
	k->first = (k->first + 1) % k->cap;
	k->count--;
	if (k->left)
		k->left--;
	k->acked++;
	return true;
}

enum err kept_check(const struct kept *k, uint32_t seq, bool left_only)
{
	size_t most = left_only ? k->left : k->count;

	if (seq >= k->acked && seq - k->acked <= most)
		return ERR_OK;
	return err_set(ERR_PEER,
		       "an acknowledgement of frame %" PRIu32 ", expected %" PRIu32 " to %" PRIu32,
		       seq, k->acked, k->acked + (uint32_t)most);
}

void kept_again(struct kept *k)
{
	k->left = 0;
}

void kept_release(struct kept *k)
{
	for (size_t i = 0; i < k->count; i++)
		buf_release(&at(k, i)->body);
	free(k->frame);
	*k = (struct kept){ 0 };
}
