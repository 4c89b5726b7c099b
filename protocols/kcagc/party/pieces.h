/* pieces.h -- what local.h keeps in the cache, as bytes: numbers as this host has them, for nobody else
 * reads them. Written, what is given stays as it is. Parsed, it is untrusted: true if it is whole and
 * fits, and is then the caller's; else nothing is left. */
#ifndef PROTOCOLS_KCAGC_PARTY_PIECES_H
#define PROTOCOLS_KCAGC_PARTY_PIECES_H

#include "common/base/buf.h"
#include "protocols/kcagc/embed.h"

#include <stdbool.h>

void embedding_write(struct mat *Z, struct embedding *how, struct buf *to);
/* Z and how are empty; they become n rows, of features that had so many columns. */
bool embedding_parse(struct bytes piece, size_t n, size_t columns, struct mat *Z,
		     struct embedding *how);

void clusters_write(uint32_t *label, size_t n, size_t k, struct mat *centre, struct buf *to);
/* label has Z->rows entries, below k; centre is empty and becomes k x Z->cols. */
bool clusters_parse(struct bytes piece, const struct mat *Z, size_t k, uint32_t *label,
		    struct mat *centre);

#endif
