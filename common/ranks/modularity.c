#include "common/ranks/modularity.h"
#include "common/base/alloc.h"
#include "common/graph/modularity.h"

#include <stdlib.h>

static bool is_own(const struct ranks *R, uint32_t row)
{
	return row >= R->cut[R->own] && row < R->cut[R->own + 1];
}

/* Rows of others that these are joined to, rising, each once; owned by the caller. */
static uint32_t *joined(const struct ranks *R, const struct csr *rows, size_t *count)
{
	size_t entries = rows->start[rows->rows], all = 0;
	uint32_t *row = alloc(entries, sizeof(*row));

	for (size_t e = 0; e < entries; e++)
		if (!is_own(R, rows->index[e]))
			row[all++] = rows->index[e];
	if (all)
		qsort(row, all, sizeof(*row), ranks_by_number);
	*count = 0;
	for (size_t i = 0; i < all; i++)
		if (i == 0 || row[i] != row[i - 1])
			row[(*count)++] = row[i];
	return row;
}

/* Their labels, by their owners; owned by the caller. */
static uint32_t *labels_of(const struct ranks *R, const uint32_t *row, size_t count,
			   const uint32_t *label)
{
	size_t *want, *asked, all = 0, first = R->cut[R->own];
	uint32_t *out, *in = alloc(count, sizeof(*in));

	ALLOC(want, R->count);
	ALLOC(asked, R->count);
	for (size_t i = 0; i < count; i++)
		want[ranks_owner(R, row[i])]++;
	out = ranks_exchange(R, sizeof(*row), row, want, asked);
	for (size_t q = 0; q < R->count; q++)
		all += asked[q];
	for (size_t i = 0; i < all; i++)
		out[i] = label[out[i] - first];
	R->exchange(R->ctx, sizeof(*out), out, asked, in, want);
	free(out);
	free(asked);
	free(want);
	return in;
}

/* Labels of all rows that an edge of this rank leads to. */
struct labels {
	const struct ranks *R;
	const uint32_t *own;
	uint32_t *row, *theirs; /* of others, rising, each once; and theirs */
	size_t count;
};

static uint32_t label_at(const void *labels, uint32_t j)
{
	const struct labels *l = labels;

	if (is_own(l->R, j))
		return l->own[j - l->R->cut[l->R->own]];
	return l->theirs[(uint32_t *)bsearch(&j, l->row, l->count, sizeof(j), ranks_by_number) -
			 l->row];
}

double ranks_modularity(const struct ranks *R, const struct csr *rows, const uint32_t *label,
			size_t k)
{
	struct labels l = { .R = R, .own = label };
	double *ends = alloc(k + 1, sizeof(*ends)), result;
	struct rowsum sum;

	l.row = joined(R, rows, &l.count);
	l.theirs = labels_of(R, l.row, l.count, label);
	rowsum_init(&sum, k + 1, NULL, NULL);
	rowsum_begin_at(&sum, R->cut[R->own] / ROWSUM_ROWS);
	modularity_add(rows, label, label_at, &l, k, &sum);
	ranks_sum(R, &sum, ends);
	result = modularity_of_ends(ends, k, ends[k]);
	rowsum_release(&sum);
	free(ends);
	free(l.theirs);
	free(l.row);
	return result;
}
