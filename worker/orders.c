#include "worker/orders.h"
#include "common/data/limits.h"
#include "worker/link.h"
#include "worker/state.h"
#include "worker/talk.h"

#include <stdio.h>
#include <stdlib.h>

enum { LABELLINGS_MAX = 2 };

static void send_costs(struct state *s)
{
	struct ranks_cost own = link_cost(), *each;

	own.memory_begun = s->begun.memory;
	own.memory_read = s->read.memory;
	own.memory_embedded = s->embedded.memory;
	own.cpu_read_s = s->read.cpu_s;
	own.cpu_embedded_s = s->embedded.cpu_s;
	each = ranks_all(s->R, sizeof(own), &own);
	state_send_told(s, each, s->R->count * sizeof(*each));
	free(each);
}

static enum err nothing(struct state *s)
{
	(void)s;
	return ERR_OK;
}

static const struct {
	enum { ANY, READ, GRAPH_READ, EMBEDDED, SEARCHED, SLICED, FILTERED, WEIGHED, ROWS } needs;
	enum err (*make)(struct state *s);
	void (*follow)(struct state *s); /* or NULL */
} orders[] = {
	[RANKS_READ] = { ANY, order_read_files, NULL },
	[RANKS_GRAPH] = { GRAPH_READ, nothing, order_send_graph },
	[RANKS_EMBED] = { GRAPH_READ, order_embed_rows, order_send_embedding },
	[RANKS_AGAIN] = { GRAPH_READ, order_embed_again_rows, NULL },
	[RANKS_NORMS] = { EMBEDDED, nothing, order_send_norms },
	[RANKS_SCALE] = { EMBEDDED, order_scale_rows, NULL },
	[RANKS_CLUSTERS] = { EMBEDDED, order_find_clusters, order_send_clusters },
	[RANKS_CENTRES] = { EMBEDDED, order_find_centres, order_send_centres },
	[RANKS_DISTANCES] = { EMBEDDED, order_take_centres, order_send_distances },
	[RANKS_COSTS] = { ANY, nothing, send_costs },
	[RANKS_FEATURES] = { READ, nothing, order_send_features },
	[RANKS_RENAME] = { READ, order_rename_rows, NULL },
	[RANKS_ROWS] = { READ, order_begin_rows, NULL },
	[RANKS_ASK_ROWS] = { ROWS, order_ask_rows, order_send_sums },
	[RANKS_NEAREST] = { ROWS, nothing, order_send_nearest },
	[RANKS_EDGES] = { GRAPH_READ, nothing, order_send_edges },
	[RANKS_TERMS] = { SEARCHED, order_find_terms, order_send_terms },
	[RANKS_FILTER] = { SLICED, order_filter, NULL },
	[RANKS_ASK] = { SLICED, order_answer, order_send_answer },
	[RANKS_CELLS] = { SLICED, order_find_cells, order_send_labels },
	[RANKS_MEANS] = { FILTERED, order_find_means, order_send_means },
	[RANKS_WEIGH] = { GRAPH_READ, order_weigh_rows, order_send_lengths },
	[RANKS_PLACE] = { WEIGHED, order_place_rows, order_send_placed },
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
	case SLICED:
		return graph;
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

/* An order that cannot be followed is not this party's program's. */
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
		enum err e;

		if (state_is_first(&s))
			more = talk_order(&s.order);
		ranks_tell(R, 0, &more, sizeof(more));
		if (!more)
			break;
		ranks_tell(R, 0, &s.order, sizeof(s.order));
		s.order.clusters.ranks = R;
		if (!is_possible(&s))
			link_abort("rank 0 was given an order that cannot be followed");
		s.reply = (struct ranks_reply){ 0 };
		e = ranks_agree(R, orders[s.order.op].make(&s));
		s.reply.code = e;
		if (e != ERR_OK)
			snprintf(s.reply.why, sizeof(s.reply.why), "%s", err_detail());
		if (state_is_first(&s))
			talk_say(RANKS_REPLY, &s.reply, sizeof(s.reply));
		if (e == ERR_OK && orders[s.order.op].follow)
			orders[s.order.op].follow(&s);
	}
	order_drop_data(&s);
}
