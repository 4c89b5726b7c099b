/* seal.h -- messages between parties that the coordinator relays and cannot read.
 *
 *   key    HKDF-Expand-SHA256(K_ij, "coterie seal v1" || text(sender) || text(receiver)), one for
 *          each direction; K_ij is the pair's key (crypto/secagg.h), and the label separates this
 *          key from the masks'; text(x) is the length of x in 4 bytes, then x
 *   box    AES-256-GCM of the text; nonce: the number of the direction's message, from 0;
 *          associated data: job id || attempt || purpose || text(sender) || text(receiver)
 *
 * The messages of a direction can be opened once each, in the order in which they were sealed.
 * Opening fails if a box was repeated, omitted, changed, or sealed for another receiver. CT in key
 * and text.
 */
#ifndef CRYPTO_SEAL_H
#define CRYPTO_SEAL_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "crypto/secagg.h"

#include <stddef.h>
#include <stdint.h>

enum { SEAL_TAG_LEN = 16 };

/* Seals text to party `to` and appends text.n + SEAL_TAG_LEN bytes to *box. Keys must be agreed.
 * purpose: kind of the text; both sides must use the same. */
void seal_make(struct secagg *sa, size_t to, uint16_t purpose, struct bytes text, struct buf *box);

/* Opens the next box of party `from` into text, box.n - SEAL_TAG_LEN bytes. ERR_PEER if it is not
 * exactly the next box. The next call then still expects the same box, and text has no
 * plaintext. */
enum err seal_open(struct secagg *sa, size_t from, uint16_t purpose, struct bytes box,
		   uint8_t *text) MUST_CHECK;

#endif
