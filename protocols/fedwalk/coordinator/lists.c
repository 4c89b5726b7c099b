#include "protocols/fedwalk/coordinator/lists.h"
#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Sets where each list of party l begins in `item`, and checks the lists. Their items start at
 * `first`. */
static enum err fedwalk_lists_place(const struct run *run, const struct align *a, size_t l,
				    enum fedwalk_whom whom, const uint32_t *count, size_t first,
				    struct fedwalk_lists *lists)
{
	size_t at = first;

	for (size_t i = 0; i < a->nodes[l]; i++) {
		uint32_t row = a->row[l][i], *item = lists->item + at;
		bool good = count[i] <= lists->items - at;

		for (size_t j = 0; good && j < count[i]; j++)
			good = item[j] < run->n && item[j] != row &&
			       (!j || item[j] > item[j - 1]) &&
			       (whom == FEDWALK_ALL || item[j] > row);
		if (!good)
			return peer_fault(run->channel[l],
					  "sent TIES whose list %zu is cut, does not rise, or "
					  "names what it must not",
					  i);
		lists->at[row] = at;
		lists->count[row] = count[i];
		at += count[i];
	}
	if (at == lists->items)
		return ERR_OK;
	return peer_fault(run->channel[l], "sent TIES of %zu vertices, expected %zu",
			  lists->items - first, at - first);
}

static enum err fedwalk_lists_gather(struct run *run, const struct align *a, size_t l,
				     enum fedwalk_whom whom, struct fedwalk_lists *lists)
{
	uint32_t n = (uint32_t)run->n, *count = alloc(a->nodes[l], sizeof(*count)), *item = NULL;
	size_t items = 0, first = lists->items;
	enum err e =
	    channel_recv_labels(run->channel[l], MSG_TIES, (uint32_t)l, n, count, a->nodes[l]);

	if (e == ERR_OK)
		e = channel_recv_labels_some(run->channel[l], MSG_TIES, (uint32_t)l, n,
					     MSG_ITEMS_MAX, &item, &items);
	if (e == ERR_OK && items) {
		lists->item = alloc_again(lists->item, first + items, sizeof(*item));
		memcpy(lists->item + first, item, items * sizeof(*item));
		lists->items += items;
	}
	free(item);
	if (e == ERR_OK)
		e = fedwalk_lists_place(run, a, l, whom, count, first, lists);
	free(count);
	return e;
}

enum err fedwalk_gather_lists(struct run *run, const struct align *a, enum fedwalk_whom whom,
			      struct fedwalk_lists *lists)
{
	enum err e = ERR_OK;

	*lists = (struct fedwalk_lists){ 0 };
	ALLOC(lists->at, run->n);
	ALLOC(lists->count, run->n);
	for (size_t l = 0; l < run->L && e == ERR_OK; l++)
		e = fedwalk_lists_gather(run, a, l, whom, lists);
	if (e != ERR_OK)
		fedwalk_lists_release(lists);
	return e;
}

void fedwalk_lists_release(struct fedwalk_lists *lists)
{
	free(lists->at);
	free(lists->count);
	free(lists->item);
	*lists = (struct fedwalk_lists){ 0 };
}
