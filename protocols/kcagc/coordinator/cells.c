#include "protocols/kcagc/coordinator/cells.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Adds the labellings one by one: nodes with equal (cell, label) pairs get the same new cell
 * number. The hash table uses open addressing. It has at least 2n slots for at most n distinct
 * pairs, so it never fills. */
size_t cells_intersect(const uint32_t *const *labels, size_t count, size_t n, uint32_t *cell)
{
	size_t slots = 16;
	uint32_t *slot, m = n ? 1 : 0;
	uint64_t *key;

	while (slots < 2 * n)
		slots *= 2;
	ALLOC(key, slots);
	ALLOC(slot, slots);
	memset(cell, 0, n * sizeof(*cell));
	for (size_t c = 0; c < count; c++) {
		m = 0;
		memset(slot, 0xff, slots * sizeof(*slot));
		for (size_t i = 0; i < n; i++) {
			uint64_t k = (uint64_t)cell[i] << 32 | labels[c][i];
			size_t h = (size_t)(k * 0x9e3779b97f4a7c15u >> 20) & (slots - 1);

			while (slot[h] != UINT32_MAX && key[h] != k)
				h = (h + 1) & (slots - 1);
			if (slot[h] == UINT32_MAX) {
				slot[h] = m++;
				key[h] = k;
			}
			cell[i] = slot[h];
		}
	}
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

size_t cells_merge(uint32_t *cell, size_t n, size_t m, const uint32_t *first, size_t least)
{
	double *size = alloc(m, sizeof(*size));
	uint32_t *cluster = alloc(m, sizeof(*cluster)), *to = alloc(m, sizeof(*to));
	uint32_t clusters = 0, *largest, all = 0, next = 0;

	cells_sizes(cell, n, m, size);
	for (size_t i = 0; i < n; i++) {
		cluster[cell[i]] = first[i];
		clusters = first[i] >= clusters ? first[i] + 1 : clusters;
	}

	/* A small cell joins the largest cell that has the same cluster in `first`. */
	ALLOC(largest, clusters);
	memset(largest, 0xff, clusters * sizeof(*largest));
	for (uint32_t c = 0; c < m; c++) {
		uint32_t *l = &largest[cluster[c]];

		if (*l == UINT32_MAX || size[c] > size[*l])
			*l = c;
	}
	for (uint32_t c = 0; c < m; c++)
		to[c] = size[c] < (double)least ? largest[cluster[c]] : c;
	for (size_t i = 0; i < n; i++)
		cell[i] = to[cell[i]];

	/* A cell that is still too small joins the largest cell of all. */
	cells_sizes(cell, n, m, size);
	for (uint32_t c = 0; c < m; c++)
		all = size[c] > size[all] ? c : all;
	for (size_t i = 0; i < n; i++)
		if (size[cell[i]] < (double)least)
			cell[i] = all;

	memset(to, 0xff, m * sizeof(*to));
	for (size_t i = 0; i < n && n >= least; i++) {
		if (to[cell[i]] == UINT32_MAX)
			to[cell[i]] = next++;
		cell[i] = to[cell[i]];
	}
	free(size);
	free(cluster);
	free(to);
	free(largest);
	return next;
}

void starts_uniform(uint32_t *label, size_t m, unsigned K, unsigned R, uint64_t seed,
		    uint32_t stream)
{
	assert(m > K);
	for (unsigned r = 0; r < R; r++) {
		uint32_t *start = label + r * m;
		struct rng rng;

		rng_seed(&rng, seed, (uint64_t)stream << 32 | r);
		for (uint32_t c = 0; c < K;) {
			size_t i = rng_below(&rng, m);

			if (start[i] == K)
				start[i] = c++;
		}
	}
}

/* Draws an index with probability mass[i] / total. */
static size_t cells_draw_index(struct rng *rng, const double *mass, size_t m)
{
	double total = 0, x;
	size_t last = 0;

	for (size_t i = 0; i < m; i++)
		total += mass[i];
	x = rng_unit(rng) * total;
	for (size_t i = 0; i < m; i++) {
		if (mass[i] <= 0)
			continue;
		last = i;
		x -= mass[i];
		if (x < 0)
			break;
	}
	return last; /* reached if rounding leaves x slightly above 0 */
}

static uint32_t hamming(const uint32_t *a, const uint32_t *b, size_t n)
{
	uint32_t differ = 0;

	for (size_t i = 0; i < n; i++)
		differ += a[i] != b[i];
	return differ;
}

void starts_spread(uint32_t *label, size_t m, unsigned K, unsigned R, const double *weight,
		   const uint32_t *tuple, size_t children, uint64_t seed, uint32_t stream)
{
	double *mass = alloc(m, sizeof(*mass));
	uint32_t *h = alloc(m, sizeof(*h));

	assert(m > K);
	for (unsigned r = 0; r < R; r++) {
		struct rng rng;

		rng_seed(&rng, seed, (uint64_t)stream << 32 | r);
		for (size_t i = 0; i < m; i++) {
			mass[i] = weight[i];
			h[i] = (uint32_t)children + 1;
		}
		for (uint32_t c = 0; c < K; c++) {
			size_t chosen = cells_draw_index(&rng, mass, m);

			label[r * m + chosen] = c;
			for (size_t i = 0; i < m; i++) {
				uint32_t differ = hamming(tuple + i * children,
							  tuple + chosen * children, children);

				h[i] = differ < h[i] ? differ : h[i];
				/* Cells that were chosen have h = 0. */
				mass[i] = weight[i] * h[i] * h[i];
			}
		}
		progress_tick();
	}
	free(mass);
	free(h);
}
