/* lists.h -- Lists of vertices that parties send for each of their own vertices. */
#ifndef PROTOCOLS_FEDWALK_COORDINATOR_LISTS_H
#define PROTOCOLS_FEDWALK_COORDINATOR_LISTS_H

#include "server/run/align.h"

struct fedwalk_lists {
	size_t *at;      /* n: index in `item` at which a row's list starts */
	uint32_t *count; /* n: length of a row's list */
	uint32_t *item;  /* `items` entries: rows; each list ascends */
	size_t items;
};

/* Vertices that a list may contain: all other vertices, or only vertices with higher numbers. */
enum fedwalk_whom { FEDWALK_ALL, FEDWALK_HIGHER };

/* Receives two messages of TIES from each party: the length of each row's list, then the items.
 * ERR_PEER, naming the party: a list does not ascend or contains a forbidden vertex, or the lengths
 * are not those of the items. */
enum err fedwalk_gather_lists(struct run *run, const struct align *a, enum fedwalk_whom whom,
			      struct fedwalk_lists *lists) MUST_CHECK;
void fedwalk_lists_release(struct fedwalk_lists *lists);

#endif
