/* vertices.h -- FedWalk: which vertex is hosted where, and the ties of this party's own.
 *
 *   align      each party's own vertices are agreed on (server/run/align.h) and numbered
 *   directory  each tells each other its own, sealed: a salt of 16 bytes, then HMAC-SHA256(salt, id)
 *              cut to 16 bytes, rising, with the row (4 bytes, little-endian). Who knows an id finds
 *              its row and host; the coordinator sees none of it
 *   ties       each tells each other, sealed, the ties between their vertices (own row, other row):
 *              a tie that one of the two knows is a tie
 *
 * A tie to a vertex that nobody hosts is left out, with a warning.
 */
#ifndef PROTOCOLS_FEDWALK_PARTY_VERTICES_H
#define PROTOCOLS_FEDWALK_PARTY_VERTICES_H

#include "common/data/dataset.h"
#include "party/work/work.h"

struct vertices {
	size_t own;          /* hosted here, in the order of their rows */
	uint32_t *node;      /* own: of the dataset */
	uint32_t *row;       /* own, rising */
	uint32_t *place;     /* n: which of the own a row is; UINT32_MAX: none */
	uint16_t *host;      /* n: the party of a row */
	size_t *start;       /* own + 1 */
	uint32_t *neighbour; /* start[own] rows, rising for each */
	size_t isolated;     /* own vertices without ties */
	size_t one_sided;    /* ties that one of two parties told the other */
	size_t unhosted;     /* ties left out */
};

/* Sets work->n. d must have d->hosted. ERR_PEER: others' words do not fit, as in party_align(). */
enum err party_vertices(struct work *work, const struct dataset *d, struct vertices *v) MUST_CHECK;
void vertices_release(struct vertices *v);

#endif
