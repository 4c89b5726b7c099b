#include "common/data/limits.h"
#include "worker/link.h"
#include "worker/state.h"
#include "worker/talk.h"

#include <stdlib.h>

enum { LABELLINGS_MAX = 2 };

static void order_costs(struct state *s)
{
	struct ranks_cost own = link_cost(), *each;

	own.memory_begun = s->begun.memory;
	own.memory_read = s->read.memory;
	own.memory_embedded = s->embedded.memory;
	own.cpu_read_s = s->read.cpu_s;
	own.cpu_embedded_s = s->embedded.cpu_s;
	each = ranks_all(s->R, sizeof(own), &own);
	if (state_reply(s, ERR_OK))
		state_send_told(s, each, s->R->count * sizeof(*each));
	free(each);
}

static const struct {
	enum { ANY, READ, GRAPH_READ, EMBEDDED, SEARCHED, FILTERED, WEIGHED, ROWS } needs;
	void (*follow)(struct state *s);
} orders[] = {
	[RANKS_READ] = { ANY, order_read },
	[RANKS_GRAPH] = { GRAPH_READ, order_graph },
	[RANKS_EMBED] = { GRAPH_READ, order_embed },
	[RANKS_AGAIN] = { GRAPH_READ, order_again },
	[RANKS_NORMS] = { EMBEDDED, order_norms },
	[RANKS_SCALE] = { EMBEDDED, order_scale },
	[RANKS_CLUSTERS] = { EMBEDDED, order_clusters },
	[RANKS_CENTRES] = { EMBEDDED, order_centres },
	[RANKS_DISTANCES] = { EMBEDDED, order_distances },
	[RANKS_COSTS] = { ANY, order_costs },
	[RANKS_FEATURES] = { READ, order_features },
	[RANKS_RENAME] = { READ, order_rename },
	[RANKS_ROWS] = { READ, order_rows },
	[RANKS_ASK_ROWS] = { ROWS, order_ask_rows },
	[RANKS_NEAREST] = { ROWS, order_nearest },
	[RANKS_EDGES] = { GRAPH_READ, order_edges },
	[RANKS_TERMS] = { SEARCHED, order_terms },
	[RANKS_FILTER] = { GRAPH_READ, order_filter },
	[RANKS_ASK] = { GRAPH_READ, order_ask },
	[RANKS_CELLS] = { GRAPH_READ, order_cells },
	[RANKS_MEANS] = { FILTERED, order_means },
	[RANKS_WEIGH] = { GRAPH_READ, order_weigh },
	[RANKS_PLACE] = { WEIGHED, order_place },
};

static bool has(const struct state *s, int needs)
{
	bool graph = s->g.adjacency.start != NULL;

	switch (needs) {
	case READ:
		return s->X.dense.a || s->X.sparse.start;
	case GRAPH_READ:
		return graph;
	case EMBEDDED:
		return s->Z.a != NULL;
	case SEARCHED:
		return graph && (s->order.begins || s->search.run);
	case FILTERED:
		return s->slice.is_filtered;
	case WEIGHED:
		return graph && s->place.map.a;
	case ROWS:
		return s->party.X.a && (s->order.op != RANKS_NEAREST || s->party.clusters.label);
	default:
		return true;
	}
}

/* An order that cannot be followed is not from a party of this release. */
static bool is_possible(const struct state *s)
{
	const struct ranks_order *o = &s->order;

	if (o->op < RANKS_READ || o->op >= sizeof(orders) / sizeof(*orders) || o->k > ROWS_MAX ||
	    o->clusters.k > ROWS_MAX || o->dims > COLS_MAX || o->question.k > ROWS_MAX ||
	    o->question.labellings > LABELLINGS_MAX || o->question.dims > COLS_MAX ||
	    (o->op == RANKS_ASK_ROWS && !order_is_answerable(s)))
		return false;
	return has(s, orders[o->op].needs);
}

void orders_follow(struct ranks *R)
{
	struct state s = { .R = R, .begun = link_cost() };
	bool more = true;

	for (;;) {
		if (R->own == 0)
			more = talk_order(&s.order);
		ranks_tell(R, 0, &more, sizeof(more));
		if (!more)
			break;
		ranks_tell(R, 0, &s.order, sizeof(s.order));
		if (!is_possible(&s))
			link_abort("rank 0 was given an order that cannot be followed");
		s.order.clusters.ranks = R;
		s.reply = (struct ranks_reply){ 0 };
		orders[s.order.op].follow(&s);
	}
	state_drop(&s);
}
