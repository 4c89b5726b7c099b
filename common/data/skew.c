#include "common/data/skew.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"

#include <assert.h>
#include <stdlib.h>

enum { STREAM = 0x736b6577 };

struct item {
	/* place: position in the random order, so that the order of the sort is unique */
	uint32_t class, place, row;
};

static int skew_by_class(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

/* Draws a random order of the rows. Its first rows, sorted by class, fill the first places of each
 * party. The other rows fill the remaining places in the random order. */
void skew_parts(const uint32_t *truth, size_t n, size_t parties, double skew, uint64_t seed,
		uint32_t *part)
{
	size_t sorted = (size_t)(skew * (double)n + 0.5), by = 0, at_random;
	struct item *item;
	uint32_t *order;
	struct rng rng;

	assert(parties >= 1 && parties <= n && skew >= 0 && skew <= 1);
	rng_seed(&rng, seed, STREAM);
	ALLOC(order, n);
	ALLOC(item, sorted);
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	rng_shuffle(&rng, order, n);
	for (size_t i = 0; i < sorted; i++)
		item[i] = (struct item){ truth ? truth[order[i]] : 0, (uint32_t)i, order[i] };
	qsort(item, sorted, sizeof(*item), skew_by_class);
	at_random = sorted;
	for (size_t l = 0; l < parties; l++) {
		size_t end = n * (l + 1) / parties, first = n * l / parties;
		size_t end_sorted = sorted * (l + 1) / parties;

		for (; first < end; first++)
			if (by < sorted && (by < end_sorted || at_random == n))
				part[item[by++].row] = (uint32_t)l;
			else
				part[order[at_random++]] = (uint32_t)l;
	}
	free(item);
	free(order);
}
