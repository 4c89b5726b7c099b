/* vertices.h -- FedWalk: finds the host of each vertex and the ties of this party's vertices.
 *
 *     align      own vertices of all parties are aligned (server/run/align.h) and numbered
 *     directory  each party sends every other, sealed: a salt of 16 bytes, then
 *                HMAC-SHA256(salt, id) cut to 16 bytes, rising, each with its row (4 bytes,
 *                little-endian). With an id, a party finds its row and host; the coordinator
 *                sees none of it
 *     ties       each party sends every other, sealed, the ties between their vertices
 *                (own row, other row). A tie counts even if only one of the two lists it
 *
 * Ties to vertices that no party hosts are left out, with a warning. */
#ifndef PROTOCOLS_FEDWALK_PARTY_VERTICES_H
#define PROTOCOLS_FEDWALK_PARTY_VERTICES_H

#include "common/data/dataset.h"
#include "party/work/work.h"

struct vertices {
	size_t own;          /* vertices hosted here, in the order of their rows */
	uint32_t *node;      /* own: nodes of the dataset */
	uint32_t *row;       /* own: rows, rising */
	uint32_t *place;     /* n: index of a row among the own; UINT32_MAX: not hosted here */
	uint16_t *host;      /* n: the party that hosts a row */
	size_t *start;       /* own + 1 */
	uint32_t *neighbour; /* start[own] rows, rising for each */
	size_t isolated;     /* own vertices without ties */
	size_t one_sided;    /* ties that only one of two parties listed */
	size_t unhosted;     /* ties left out */
};

/* Sets work->n. d must have d->hosted. ERR_PEER: inconsistent messages of others, as in
 * party_align(). */
enum err party_vertices(struct work *work, const struct dataset *d, struct vertices *v) MUST_CHECK;
void vertices_release(struct vertices *v);

#endif
