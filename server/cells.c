#include "server/cells.h"
#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Refines cell by one more labelling: equal (cell, label) pairs share a number. Open addressing
 * over at most n distinct pairs, so the table of 2n slots never fills. */
static size_t refine(uint32_t *cell, const uint32_t *label, size_t n, uint64_t *key, uint32_t *slot,
		     size_t slots)
{
	uint32_t m = 0;

	memset(slot, 0xff, slots * sizeof(*slot));
	for (size_t i = 0; i < n; i++) {
		uint64_t k = (uint64_t)cell[i] << 32 | label[i];
		size_t h = (size_t)(k * 0x9e3779b97f4a7c15u >> 20) & (slots - 1);

		while (slot[h] != UINT32_MAX && key[h] != k)
			h = (h + 1) & (slots - 1);
		if (slot[h] == UINT32_MAX) {
			slot[h] = m++;
			key[h] = k;
		}
		cell[i] = slot[h];
	}
	return m;
}

size_t cells_intersect(const uint32_t *const *labels, size_t count, size_t n, uint32_t *cell)
{
	size_t slots = 16, m = n ? 1 : 0;
	uint64_t *key;
	uint32_t *slot;

	while (slots < 2 * n)
		slots *= 2;
	ALLOC(key, slots);
	ALLOC(slot, slots);
	memset(cell, 0, n * sizeof(*cell));
	for (size_t c = 0; c < count; c++)
		m = refine(cell, labels[c], n, key, slot, slots);
	free(key);
	free(slot);
	return m;
}

uint32_t *cells_tuples(const uint32_t *const *labels, size_t count, const uint32_t *cell, size_t n,
		       size_t m)
{
	uint32_t *tuple = alloc(m, count * sizeof(*tuple));

	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < count; c++)
			tuple[cell[i] * count + c] = labels[c][i];
	return tuple;
}

void cells_sizes(const uint32_t *cell, size_t n, size_t m, double *size)
{
	for (size_t c = 0; c < m; c++)
		size[c] = 0;
	for (size_t i = 0; i < n; i++)
		size[cell[i]]++;
}
