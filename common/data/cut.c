#include "common/data/cut.h"
#include "common/base/alloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- features ---- */

/* Reorders in place, by the cycles of a permutation that moves the dropped rows to the end. Needs
 * memory for one row, and 5 bytes for each row of m. */
static void cut_dense(struct mat *m, const uint32_t *row, size_t n)
{
	size_t bytes = m->cols * sizeof(*m->a), last = n;
	double *aside = alloc(m->cols, sizeof(*aside));
	uint32_t *from = alloc(m->rows, sizeof(*from));
	bool *done = alloc(m->rows, sizeof(*done));

	for (size_t i = 0; i < n; i++)
		done[from[i] = row[i]] = true;
	for (size_t i = 0; i < m->rows; i++)
		if (!done[i])
			from[last++] = (uint32_t)i;
	assert(last == m->rows);
	memset(done, 0, m->rows * sizeof(*done));
	for (size_t start = 0; start < m->rows; start++) {
		size_t i = start;

		if (done[start])
			continue;
		memcpy(aside, ROW(m, start), bytes);
		for (; from[i] != start; i = from[i]) {
			memcpy(ROW(m, i), ROW(m, from[i]), bytes);
			done[i] = true;
		}
		memcpy(ROW(m, i), aside, bytes);
		done[i] = true;
	}
	if (n < m->rows)
		m->a = alloc_again(m->a, n * m->cols, sizeof(*m->a));
	m->rows = n;
	free(aside);
	free(from);
	free(done);
}

static void cut_sparse(struct csr *s, const uint32_t *row, size_t n)
{
	size_t entries = 0;
	struct csr c;

	for (size_t i = 0; i < n; i++)
		entries += s->start[row[i] + 1] - s->start[row[i]];
	csr_init(&c, n, s->cols, entries, s->value);
	for (size_t i = 0; i < n; i++) {
		size_t first = s->start[row[i]], count = s->start[row[i] + 1] - first;

		memcpy(c.index + c.start[i], s->index + first, count * sizeof(*c.index));
		if (s->value)
			memcpy(c.value + c.start[i], s->value + first, count * sizeof(*c.value));
		c.start[i + 1] = c.start[i] + count;
	}
	csr_release(s);
	*s = c;
}

void features_cut(struct features *X, const uint32_t *row, size_t n)
{
	assert(n <= features_rows(X));
	if (X->is_sparse)
		cut_sparse(&X->sparse, row, n);
	else
		cut_dense(&X->dense, row, n);
}

/* ---- edges ---- */

/* Sets *c to the edges between the nodes row[0] .. row[n - 1] of s, renumbered 0 .. n - 1. The
 * graph is symmetric, so node r adds itself to each neighbour's row. It does so in ascending order
 * of r, so that neighbours ascend. */
static void induce(const struct csr *s, const uint32_t *row, size_t n, struct csr *c)
{
	uint32_t *place = alloc(s->rows, sizeof(*place)); /* counted from 1; 0: dropped */
	size_t *next = alloc(n + 1, sizeof(*next)), entries = 0;

	for (size_t r = 0; r < n; r++) {
		assert(!place[row[r]]);
		place[row[r]] = (uint32_t)r + 1;
	}
	for (size_t r = 0; r < n; r++) {
		next[r] = entries;
		for (size_t e = s->start[row[r]]; e < s->start[row[r] + 1]; e++)
			entries += place[s->index[e]] != 0;
	}
	csr_init(c, n, n, entries, s->value);
	memcpy(c->start, next, n * sizeof(*next));
	c->start[n] = entries;
	for (size_t r = 0; r < n; r++)
		for (size_t e = s->start[row[r]]; e < s->start[row[r] + 1]; e++) {
			uint32_t to = place[s->index[e]];
			size_t at;

			if (!to)
				continue;
			at = next[to - 1]++;
			c->index[at] = (uint32_t)r;
			if (s->value)
				c->value[at] = s->value[e];
		}
	free(place);
	free(next);
}

/* ---- a whole dataset ---- */

struct cut dataset_cut(struct dataset *d, const uint32_t *row, size_t n)
{
	struct cut left = { .rows = d->n - n };

	assert(n <= d->n && d->has_ids && !d->hosted);
	if (features_rows(&d->X))
		features_cut(&d->X, row, n);
	if (d->g.adjacency.rows) {
		struct csr cut;

		induce(&d->g.adjacency, row, n, &cut);
		left.edges = (d->g.adjacency.start[d->n] - cut.start[n]) / 2;
		graph_release(&d->g);
		graph_init(&d->g, &cut);
	}
	ids_cut(&d->ids, row, n);
	d->n = n;
	return left;
}
