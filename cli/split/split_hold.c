#include "cli/split/split_hold.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"

#include <math.h>
#include <stdlib.h>

enum { STREAM_COPIES = 0x636f70696573, STREAM_REGIONS = 0x726567696f6e, STREAM_BETWEEN };
enum { PASSES = 10 }; /* number of passes over all nodes that make regions denser */

size_t split_copies(double overlap, size_t parties)
{
	long long copies = llround(overlap * (double)parties);

	return copies < 1 ? 1 : (size_t)copies;
}

/* A region's queue of nodes whose neighbours were not visited yet. */
struct frontier {
	uint32_t first, last; /* UINT32_MAX: the queue is empty */
	size_t ends;          /* sum of the degrees in the region */
};

struct growth {
	const struct csr *S;
	uint32_t *region, *next;
	struct frontier *frontier;
	size_t claimed;
};

static void split_claim_node(struct growth *g, size_t r, uint32_t node)
{
	struct frontier *f = &g->frontier[r];

	g->region[node] = (uint32_t)r;
	g->next[node] = UINT32_MAX;
	if (f->first == UINT32_MAX)
		f->first = node;
	else
		g->next[f->last] = node;
	f->last = node;
	f->ends += g->S->start[node + 1] - g->S->start[node];
	g->claimed++;
}

/* Moves a node to the region that has most of its neighbours, if that is not its own region. The
 * new region may have at most 5/4 of the equal share of ends, and the old one must keep half of a
 * share. links: one entry per region, all zero. */
static bool split_settle_node(struct growth *g, uint32_t node, size_t parties, size_t share,
			      size_t *links)
{
	const struct csr *S = g->S;
	size_t here = g->region[node], best = here, ends = S->start[node + 1] - S->start[node];

	for (size_t e = S->start[node]; e < S->start[node + 1]; e++)
		links[g->region[S->index[e]]]++;
	for (size_t r = 0; r < parties; r++)
		if (links[r] > links[best] && g->frontier[r].ends <= share * 5 / 4)
			best = r;
	for (size_t e = S->start[node]; e < S->start[node + 1]; e++)
		links[g->region[S->index[e]]] = 0;
	if (best == here || g->frontier[here].ends < ends + share / 2)
		return false;
	g->frontier[here].ends -= ends;
	g->frontier[best].ends += ends;
	g->region[node] = (uint32_t)best;
	return true;
}

void split_regions(const struct csr *S, size_t parties, uint64_t seed, uint32_t *region)
{
	struct growth g = { .S = S, .region = region };
	size_t n = S->rows, fresh = 0, *links;
	bool moved = true;
	uint32_t *order;
	struct rng rng;

	ALLOC(order, n + 1);
	ALLOC(g.next, n + 1);
	ALLOC(g.frontier, parties);
	rng_seed(&rng, seed, STREAM_REGIONS);
	for (size_t i = 0; i < n; i++) {
		order[i] = (uint32_t)i;
		region[i] = UINT32_MAX;
	}
	rng_shuffle(&rng, order, n);
	for (size_t r = 0; r < parties; r++)
		g.frontier[r] = (struct frontier){ UINT32_MAX, UINT32_MAX, 0 };
	while (g.claimed < n) {
		size_t r = 0;
		uint32_t node;

		for (size_t other = 1; other < parties; other++)
			if (g.frontier[other].ends < g.frontier[r].ends)
				r = other;
		node = g.frontier[r].first;
		if (node == UINT32_MAX) { /* starts at a node that is in no region */
			while (region[order[fresh]] != UINT32_MAX)
				fresh++;
			split_claim_node(&g, r, order[fresh]);
			continue;
		}
		for (size_t e = S->start[node]; e < S->start[node + 1]; e++)
			if (region[S->index[e]] == UINT32_MAX)
				split_claim_node(&g, r, S->index[e]);
		g.frontier[r].first = g.next[node];
	}
	ALLOC(links, parties);
	for (int pass = 0; pass < PASSES && moved; pass++) {
		moved = false;
		for (size_t i = 0; i < n; i++)
			moved |=
			    split_settle_node(&g, order[i], parties, S->start[n] / parties, links);
	}
	free(links);
	free(g.frontier);
	free(g.next);
	free(order);
}

static void first_by_region(const struct csr *S, const struct split_params *p,
			    struct split_holders *h)
{
	uint32_t *region;
	struct rng rng;
	size_t edge = 0;

	ALLOC(region, S->rows + 1);
	split_regions(S, p->parties, p->seed, region);
	rng_seed(&rng, p->seed, STREAM_BETWEEN);
	for (size_t u = 0; u < S->rows; u++) {
		for (size_t e = S->start[u]; e < S->start[u + 1]; e++) {
			uint32_t v = S->index[e], r = region[u];

			if (v < u)
				continue;
			if (region[v] != r && rng_below(&rng, 2))
				r = region[v];
			h->party[h->copies * edge++] = (uint8_t)r;
		}
	}
	free(region);
}

/* Draws the other holders of each edge, by a partial shuffle. */
static void add_copies(const struct split_params *p, struct split_holders *h)
{
	/* all parties in shuffled order, and the position of each party */
	uint8_t deck[256], place[256];
	struct rng rng;

	for (size_t l = 0; l < p->parties; l++)
		deck[l] = place[l] = (uint8_t)l;
	rng_seed(&rng, p->seed, STREAM_COPIES);
	for (size_t e = 0; e < h->edges; e++) {
		uint8_t *party = h->party + h->copies * e;

		for (size_t c = 0; c < h->copies; c++) {
			size_t from = c ? c + rng_below(&rng, p->parties - c) : place[party[0]];
			uint8_t card = deck[from], other = deck[c];

			deck[c] = card;
			deck[from] = other;
			place[card] = (uint8_t)c;
			place[other] = (uint8_t)from;
			party[c] = card;
		}
	}
}

enum err split_hold(const struct csr *S, const struct split_params *p, struct split_holders *h)
{
	bool has[256] = { false };
	uint32_t *part;

	*h = (struct split_holders){ .edges = S->start[S->rows] / 2,
				     .copies = split_copies(p->overlap, p->parties) };
	ALLOC(h->party, h->edges * h->copies + 1);
	if (p->regions) {
		first_by_region(S, p, h);
	} else {
		ALLOC(part, h->edges + 1);
		split_parts(h->edges, p->parties, p->seed, part);
		for (size_t e = 0; e < h->edges; e++)
			h->party[h->copies * e] = (uint8_t)part[e];
		free(part);
	}
	add_copies(p, h);
	for (size_t i = 0; i < h->edges * h->copies; i++)
		has[h->party[i]] = true;
	for (size_t l = 0; l < p->parties; l++) {
		enum err err;

		if (has[l])
			continue;
		err = err_set(ERR_INPUT,
			      "party %zu of %zu would hold none of the %zu edges: take fewer "
			      "parties, or another seed",
			      l, p->parties, h->edges);
		split_holders_release(h);
		return err;
	}
	return ERR_OK;
}

void split_holders_release(struct split_holders *h)
{
	free(h->party);
	*h = (struct split_holders){ 0 };
}

void split_held(const struct split_holders *h, size_t l, bool *kept)
{
	for (size_t e = 0; e < h->edges; e++) {
		kept[e] = false;
		for (size_t c = 0; c < h->copies; c++)
			kept[e] |= h->party[h->copies * e + c] == l;
	}
}
