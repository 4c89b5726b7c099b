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
	/* Number of vertices hosted here; they are in the order of their rows. */
	size_t own;
	uint32_t *node; /* own entries: node of the dataset */
	uint32_t *row;  /* own entries: row of each vertex, ascending */
	/* n entries: index of a row among the own vertices; UINT32_MAX: not hosted here. */
	uint32_t *place;
	uint16_t *host;      /* n entries: the party that hosts a row */
	size_t *start;       /* own + 1 */
	uint32_t *neighbour; /* start[own] rows, ascending for each vertex */
	size_t isolated;     /* number of own vertices without ties */
	size_t one_sided;    /* number of ties that only one of two parties listed */
	size_t unhosted;     /* number of ties to vertices that no party hosts */
};

/* Finds hosts and ties. Sets work->n. d must have d->hosted. ERR_PEER: other parties' messages are
 * inconsistent, as in party_align(). */
enum err party_vertices(struct work *work, const struct dataset *d, struct vertices *v) MUST_CHECK;
void vertices_release(struct vertices *v);

#endif
