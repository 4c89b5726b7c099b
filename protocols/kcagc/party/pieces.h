/* pieces.h -- encodes and decodes cached results (local.h). They are in this host's format, because
 * no other host reads them. Writing does not change its input. Parsing treats the bytes as
 * untrusted: it returns true if they are complete and fit, and the caller then owns the result.
 * Otherwise the result stays empty. */
#ifndef PROTOCOLS_KCAGC_PARTY_PIECES_H
#define PROTOCOLS_KCAGC_PARTY_PIECES_H

#include "common/base/buf.h"
#include "protocols/kcagc/embed.h"

#include <stdbool.h>

void embedding_write(struct mat *Z, struct embedding *how, struct buf *to);
/* Decodes an embedding. Z and how must be empty. Z gets n rows; the features had `columns`
 * columns. */
bool embedding_parse(struct bytes piece, size_t n, size_t columns, struct mat *Z,
		     struct embedding *how);

void clusters_write(uint32_t *label, size_t n, size_t k, struct mat *centre, struct buf *to);
/* Decodes clusters. label: Z->rows entries, below k. centre must be empty, and becomes k x
 * Z->cols. */
bool clusters_parse(struct bytes piece, const struct mat *Z, size_t k, uint32_t *label,
		    struct mat *centre);

#endif
