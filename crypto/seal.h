/* seal.h -- messages from party to party that the coordinator passes on and cannot read.
 *
 *   key    HKDF-Expand-SHA256(K_ij, "coterie seal v1" || text(sender) || text(receiver)), one for
 *          each direction; K_ij is the pair's of crypto/secagg.h, which the label sets apart from
 *          the masks'
 *   box    AES-256-GCM of the text; nonce: the number of the direction's message, from 0;
 *          associated data: job id || attempt || purpose || text(sender) || text(receiver)
 *
 * Messages of a direction are opened in the order in which they were sealed, each once: one that is
 * repeated, left out, changed or meant for somebody else does not open. CT in key and text.
 */
#ifndef CRYPTO_SEAL_H
#define CRYPTO_SEAL_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "crypto/secagg.h"

#include <stddef.h>
#include <stdint.h>

enum { SEAL_TAG_LEN = 16 };

/* Seals text to party `to`, once keys are agreed; appends text.n + SEAL_TAG_LEN bytes to *box.
 * purpose: what the text is, which both sides must mean alike. */
void seal_make(struct secagg *sa, size_t to, uint16_t purpose, struct bytes text, struct buf *box);

/* Opens the next box of party `from` into text, box.n - SEAL_TAG_LEN bytes. ERR_PEER, with nothing
 * written, if it is not that one, whole; the same box is still the next one then. */
enum err seal_open(struct secagg *sa, size_t from, uint16_t purpose, struct bytes box,
		   uint8_t *text) MUST_CHECK;

#endif
