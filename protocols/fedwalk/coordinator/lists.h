/* lists.h -- what parties say of each of their vertices' ties: vertices by vertex. */
#ifndef PROTOCOLS_FEDWALK_COORDINATOR_LISTS_H
#define PROTOCOLS_FEDWALK_COORDINATOR_LISTS_H

#include "server/run/align.h"

struct fedwalk_lists {
	size_t *at;      /* n: where in item the list of a row begins */
	uint32_t *count; /* n */
	uint32_t *item;  /* items rows, each list rising */
	size_t items;
};

/* Whom a list may name: any other vertex, or higher ones alone. */
enum fedwalk_whom { FEDWALK_ALL, FEDWALK_HIGHER };

/* Two messages of TIES from each party: how many for each of its rows, and which. ERR_PEER, naming
 * the party: a list that does not rise, or names whom it may not. */
enum err fedwalk_gather_lists(struct run *run, const struct align *a, enum fedwalk_whom whom,
			      struct fedwalk_lists *lists) MUST_CHECK;
void fedwalk_lists_release(struct fedwalk_lists *lists);

#endif
