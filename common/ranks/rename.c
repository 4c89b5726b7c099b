#include "common/base/alloc.h"
#include "common/linalg/halo.h"
#include "common/ranks/lines.h"
#include "common/ranks/read.h"

#include <stdlib.h>
#include <string.h>

/* Renumbers neighbours by the new positions of their rows. */
static void rename_columns(const struct ranks *R, const uint32_t *place, struct csr *s)
{
	struct halo h;
	uint32_t *all;

	halo_init(&h, R, s);
	all = alloc(s->rows + h.count, sizeof(*all));
	memcpy(all, place, s->rows * sizeof(*all));
	halo_fetch(&h, sizeof(*all), place, all + s->rows);
	for (size_t e = 0; e < s->start[s->rows]; e++)
		s->index[e] = all[h.at[e]];
	free(all);
	halo_release(&h);
}

static void move_sparse(const struct ranks *R, const uint32_t *place, struct csr *s)
{
	size_t count = s->start[s->rows], cols = s->cols;
	struct triple *t = alloc(count, sizeof(*t));
	bool weighted = s->value != NULL;

	for (size_t i = 0; i < s->rows; i++)
		for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
			t[e] = (struct triple){ place[i], s->index[e], weighted ? s->value[e] : 1 };
	csr_release(s);
	t = ranks_to_owners(R, t, sizeof(*t), count, &count);
	ranks_lay_out(R, t, count, cols, weighted, s);
}

static void move_dense(const struct ranks *R, const uint32_t *place, struct mat *X)
{
	size_t bytes = X->cols * sizeof(double), unit = sizeof(double) + bytes, count = X->rows;
	size_t cols = X->cols;
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
		memcpy(ROW(X, to - ranks_first(R)), row + i * unit + sizeof(double), bytes);
	}
	free(row);
}

void ranks_rename(const struct ranks *R, const uint32_t *place, struct features *X,
		  struct csr *rows)
{
	if (rows->start) { /* every rank has edges, or none has */
		rename_columns(R, place, rows);
		move_sparse(R, place, rows);
	}
	if (X->is_sparse)
		move_sparse(R, place, &X->sparse);
	else
		move_dense(R, place, &X->dense);
}
