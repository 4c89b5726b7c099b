/* exchange.h -- exchanges sealed batches between parties: the party side of server/run/relay.h.
 *
 * A batch consists of its length (8 bytes, little-endian), its bytes, and padding with zeros.
 * Padding rounds the size up to a multiple of 4096 in which only zeros follow the three leading
 * binary digits, so the size discloses little. A batch is sent in boxes of RELAY_BOX bytes and a
 * shorter last one.
 */
#ifndef PARTY_WORK_EXCHANGE_H
#define PARTY_WORK_EXCHANGE_H

#include "party/work/work.h"

/* Sends out[l] to party l, and fills in[l] with the batch from party l. Buffers of `in` are empty
 * at first. out[own] is unused and in[own] stays empty; the other buffers of out are emptied.
 * ERR_PEER: a box is not the expected one, does not open, or does not end as announced; or a batch
 * has more than `most` bytes. */
enum err party_exchange(struct work *work, enum sealed what, struct buf *out, struct buf *in,
			size_t most) MUST_CHECK;

/* Returns the size of a batch of n bytes after padding, before it is divided into boxes. */
size_t exchange_padded(size_t n);

#endif
