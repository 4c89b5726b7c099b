/* exchange.h -- batches from party to party, sealed: the exchange of server/run/relay.h.
 *
 * A batch is its length (8 bytes, little-endian), its bytes, and zeros up to a size that tells
 * little: the next with two significant bits after the first one. It travels in boxes of RELAY_BOX
 * bytes and one that is shorter.
 */
#ifndef PARTY_WORK_EXCHANGE_H
#define PARTY_WORK_EXCHANGE_H

#include "party/work/work.h"

/* Sends out[l] to party l, and fills in[l], empty before, with the batch from l; out[own] stays,
 * in[own] stays empty. out's are emptied. ERR_PEER: a box that is not the one due, does not open,
 * or does not end as it says; or a batch of more than `most` bytes. */
enum err party_exchange(struct work *work, enum sealed what, struct buf *out, struct buf *in,
			size_t most) MUST_CHECK;

/* Bytes that a batch of n takes before it is cut into boxes. */
size_t exchange_padded(size_t n);

#endif
