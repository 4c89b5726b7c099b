#include "common/ranks/rename.h"
#include "common/base/alloc.h"
#include "common/data/mtx.h"
#include "common/ranks/lines.h"

#include <stdlib.h>
#include <string.h>

/* Where rows of any rank go, which their owners know; owned by the caller. */
static uint32_t *places_of(const struct ranks *R, const uint32_t *place, const uint32_t *row,
			   size_t count)
{
	size_t *each, *at, *asked, all = 0;
	uint32_t *out = alloc(count, sizeof(*out)), *in, *got;

	ALLOC(each, R->count);
	ALLOC(at, R->count);
	ALLOC(asked, R->count);
	for (size_t i = 0; i < count; i++)
		each[ranks_owner(R, row[i])]++;
	for (size_t q = 1; q < R->count; q++)
		at[q] = at[q - 1] + each[q - 1];
	for (size_t i = 0; i < count; i++)
		out[at[ranks_owner(R, row[i])]++] = row[i];
	in = ranks_exchange(R, sizeof(*in), out, each, asked);
	for (size_t q = 0; q < R->count; q++)
		all += asked[q];
	for (size_t i = 0; i < all; i++)
		in[i] = place[in[i] - R->cut[R->own]];
	got = out;
	R->exchange(R->ctx, sizeof(*in), in, asked, got, each);
	/* As they were asked for: each owner's in the order of the rows. */
	for (size_t q = R->count; q-- > 0;)
		at[q] -= each[q];
	out = alloc(count, sizeof(*out));
	for (size_t i = 0; i < count; i++)
		out[i] = got[at[ranks_owner(R, row[i])]++];
	free(got);
	free(in);
	free(asked);
	free(at);
	free(each);
	return out;
}

/* column: what each entry's is called; NULL: as it was. */
static void rename_csr(const struct ranks *R, const uint32_t *place, const uint32_t *column,
		       struct csr *s)
{
	size_t count = s->start[s->rows], cols = s->cols;
	struct triple *t = alloc(count, sizeof(*t));
	bool weighted = s->value != NULL;

	for (size_t i = 0; i < s->rows; i++)
		for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
			t[e] = (struct triple){ place[i], column ? column[e] : s->index[e],
						weighted ? s->value[e] : 1 };
	csr_release(s);
	t = ranks_to_owners(R, t, sizeof(*t), count, &count);
	triples_sort(t, count);
	ranks_lay_out(R, t, count, cols, weighted, s);
}

static void rename_dense(const struct ranks *R, const uint32_t *place, struct mat *X)
{
	size_t bytes = X->cols * sizeof(double), unit = sizeof(double) + bytes, count = X->rows;
	size_t first = R->cut[R->own], cols = X->cols;
	char *row = alloc(count, unit);

	for (size_t i = 0; i < count; i++) {
		memcpy(row + i * unit, &place[i], sizeof(*place));
		memcpy(row + i * unit + sizeof(double), ROW(X, i), bytes);
	}
	mat_release(X);
	row = ranks_to_owners(R, row, unit, count, &count);
	mat_init(X, count, cols);
	for (size_t i = 0; i < count; i++) {
		uint32_t to;

		memcpy(&to, row + i * unit, sizeof(to));
		memcpy(ROW(X, to - first), row + i * unit + sizeof(double), bytes);
	}
	free(row);
}

void ranks_rename(const struct ranks *R, const uint32_t *place, struct features *X,
		  struct csr *rows)
{
	uint32_t *column;

	if (rows->start) { /* at each rank, or at none */
		column = places_of(R, place, rows->index, rows->start[rows->rows]);
		rename_csr(R, place, column, rows);
		free(column);
	}
	if (X->is_sparse)
		rename_csr(R, place, NULL, &X->sparse);
	else
		rename_dense(R, place, &X->dense);
}
