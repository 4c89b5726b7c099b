#include "common/linalg/halo.h"
#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>

void rows_by_rank_init(struct rows_by_rank *l, const struct ranks *R, size_t most)
{
	ALLOC(l->count, R->count);
	ALLOC(l->item, most);
}

void rows_by_rank_release(struct rows_by_rank *l)
{
	free(l->count);
	free(l->item);
	*l = (struct rows_by_rank){ 0 };
}

size_t rows_by_rank_all(const struct rows_by_rank *l, const struct ranks *R)
{
	size_t all = 0;

	for (size_t q = 0; q < R->count; q++)
		all += l->count[q];
	return all;
}

void rows_by_rank_exchange(const struct ranks *R, const struct rows_by_rank *from,
			   struct rows_by_rank *to)
{
	size_t all;

	ALLOC(to->count, R->count);
	to->item = ranks_exchange(R, sizeof(uint32_t), from->item, from->count, to->count);
	all = rows_by_rank_all(to, R);
	for (size_t i = 0; i < all; i++)
		to->item[i] -= (uint32_t)ranks_first(R);
}

static bool is_own(const struct halo *h, uint32_t row)
{
	size_t first = ranks_first(h->R);

	return row >= first && row < first + h->rows;
}

/* Lists the rows of other ranks that `a` refers to, without duplicates. */
static void find_rows(struct halo *h, const struct csr *a)
{
	size_t entries = a->start[a->rows], all = 0;

	ALLOC(h->row, entries);
	for (size_t e = 0; e < entries; e++)
		if (!is_own(h, a->index[e]))
			h->row[all++] = a->index[e];
	if (all)
		qsort(h->row, all, sizeof(*h->row), ranks_by_number);
	for (size_t i = 0; i < all; i++)
		if (i == 0 || h->row[i] != h->row[i - 1])
			h->row[h->count++] = h->row[i];
	h->row = alloc_again(h->row, h->count, sizeof(*h->row));
}

static uint32_t halo_place_of(const struct halo *h, uint32_t row)
{
	const uint32_t *found;

	if (is_own(h, row))
		return row - (uint32_t)ranks_first(h->R);
	found = bsearch(&row, h->row, h->count, sizeof(row), ranks_by_number);
	return (uint32_t)(h->rows + (size_t)(found - h->row));
}

void halo_init(struct halo *h, const struct ranks *R, const struct csr *a)
{
	struct rows_by_rank want;

	*h = (struct halo){ .R = R, .rows = a->rows, .at = a->index };
	if (!R)
		return;
	find_rows(h, a);
	ALLOC(h->at, a->start[a->rows]);
	for (size_t e = 0; e < a->start[a->rows]; e++)
		h->at[e] = halo_place_of(h, a->index[e]);
	ALLOC(h->want, R->count);
	for (size_t i = 0; i < h->count; i++)
		h->want[ranks_owner(R, h->row[i])]++;
	want = (struct rows_by_rank){ h->want, h->row };
	rows_by_rank_exchange(R, &want, &h->give);
}

void halo_release(struct halo *h)
{
	if (h->R) {
		free(h->at);
		free(h->want);
		free(h->row);
		rows_by_rank_release(&h->give);
	}
	*h = (struct halo){ 0 };
}

void halo_fetch(const struct halo *h, size_t bytes, const void *own, void *halo)
{
	size_t given;
	char *out;

	if (!h->R)
		return;
	given = rows_by_rank_all(&h->give, h->R);
	out = alloc(given, bytes);
	for (size_t i = 0; i < given; i++)
		memcpy(out + i * bytes, (const char *)own + h->give.item[i] * bytes, bytes);
	h->R->exchange(h->R->ctx, bytes, out, h->give.count, halo, h->want);
	free(out);
}
