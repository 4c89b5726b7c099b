#include "common/data/limits.h"
#include "worker/link.h"
#include "worker/state.h"
#include "worker/pipes.h"

#include <stdlib.h>

enum { LABELLINGS_MAX = 2 };

void command_costs(struct state *s)
{
	struct ranks_cost own = link_cost(), *each;

	own.memory_begun = s->begun.memory;
	own.memory_read = s->read.memory;
	own.memory_embedded = s->embedded.memory;
	own.cpu_read_s = s->read.cpu_s;
	own.cpu_embedded_s = s->embedded.cpu_s;
	each = ranks_all(s->R, sizeof(own), &own);
	if (state_reply(s, ERR_OK))
		state_send_common(s, each, s->R->count * sizeof(*each));
	free(each);
}

enum needs { ANY, READ, GRAPH_READ, SEARCHED, EMBEDDED, ASKED, COUNTED, FILTERED, WEIGHED };
static const struct {
	enum needs needs;
	void (*follow)(struct state *s);
} commands[] = {
#define COMMAND(NAME, name, needs) { needs, command_##name },
#include "common/ranks/commands.def"
#undef COMMAND
};

static bool has(const struct state *s, enum needs needs)
{
	bool graph = s->g.adjacency.start != NULL;

	switch (needs) {
	case READ:
		return s->X.dense.a || s->X.sparse.start;
	case GRAPH_READ:
		return graph;
	case SEARCHED:
		return graph && (s->command.begins || s->search.run);
	case EMBEDDED:
		return s->Z.a != NULL;
	case ASKED:
		return s->party.X.a && command_is_answerable(s);
	case COUNTED:
		return s->party.clusters.label != NULL;
	case FILTERED:
		return s->slice.is_filtered;
	case WEIGHED:
		return graph && s->place.map.a;
	default:
		return true;
	}
}

/* Returns false if the command is invalid; a party of this release never sends such a command. */
static bool is_possible(const struct state *s)
{
	const struct ranks_command *o = &s->command;

	return o->op < sizeof(commands) / sizeof(*commands) && o->k <= ROWS_MAX &&
	       o->clusters.k <= ROWS_MAX && o->dims <= COLS_MAX && o->how.map.cols <= COLS_MAX &&
	       o->question.k <= ROWS_MAX && o->question.labellings <= LABELLINGS_MAX &&
	       o->question.dims <= COLS_MAX && has(s, commands[o->op].needs);
}

void commands_follow(struct ranks *R)
{
	struct state s = { .R = R, .begun = link_cost() };
	bool more = true;

	for (;;) {
		if (R->own == 0)
			more = pipes_receive_command(&s.command);
		ranks_broadcast(R, 0, &more, sizeof(more));
		if (!more)
			break;
		ranks_broadcast(R, 0, &s.command, sizeof(s.command));
		if (!is_possible(&s))
			link_abort("rank 0 was given an order that cannot be followed");
		s.command.clusters.ranks = R;
		s.reply = (struct ranks_reply){ 0 };
		commands[s.command.op].follow(&s);
	}
	state_drop(&s);
}
