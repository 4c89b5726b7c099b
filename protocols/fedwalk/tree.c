#include "protocols/fedwalk/tree.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Clusters are stored in slots. The merge of slots i and j is stored in slot j. */
struct chains {
	struct triangle *h;
	double *size;
	uint32_t *slot; /* used slots, in no order */
	size_t live;
	uint32_t *chain; /* a chain of slots; each slot is the nearest one to its predecessor */
	size_t length;
};

struct merge {
	uint32_t a, b;
	float height;
	uint32_t number;
};

/* Returns the slot nearest to x. Of equally near slots takes `before`, then the lowest slot. */
static uint32_t fedwalk_tree_nearest(const struct chains *s, uint32_t x, uint32_t before,
				     float *height)
{
	uint32_t best = before;
	float least = before == UINT32_MAX ? INFINITY : *triangle_at(s->h, x, before);

	for (size_t i = 0; i < s->live; i++) {
		uint32_t y = s->slot[i];
		float d;

		if (y == x)
			continue;
		d = *triangle_at(s->h, x, y);
		if (d < least || (d == least && best != before && y < best)) {
			least = d;
			best = y;
		}
	}
	*height = least;
	return best;
}

/* Merges two slots by the formula of Lance and Williams: the mean over the leaves of both
 * clusters. */
static void fedwalk_tree_merge(struct chains *s, uint32_t gone, uint32_t kept)
{
	double a = s->size[gone], b = s->size[kept];
	size_t write = 0;

	for (size_t i = 0; i < s->live; i++) {
		uint32_t y = s->slot[i];
		float *to;

		if (y == gone)
			continue;
		s->slot[write++] = y;
		if (y == kept)
			continue;
		to = triangle_at(s->h, kept, y);
		*to =
		    (float)((a * (double)*triangle_at(s->h, gone, y) + b * (double)*to) / (a + b));
	}
	s->live = write;
	s->size[kept] = a + b;
}

static int by_height(const void *a, const void *b)
{
	const struct merge *x = a, *y = b;

	if (x->height != y->height)
		return x->height < y->height ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Sorts merges between slots by height and turns them into links between clusters. Rounding may
 * make a merge lower than its parts by an ulp. Such a merge is raised to the height of its parts.
 * Merges of equal height keep the order in which they were found. */
static void to_links(struct merge *m, size_t n, struct link *link)
{
	uint32_t *cluster;
	float *height;

	ALLOC(cluster, n);
	ALLOC(height, n);
	for (size_t i = 0; i + 1 < n; i++) {
		m[i].number = (uint32_t)i;
		m[i].height = fmaxf(m[i].height, fmaxf(height[m[i].a], height[m[i].b]));
		height[m[i].b] = m[i].height;
	}
	qsort(m, n ? n - 1 : 0, sizeof(*m), by_height);
	for (size_t i = 0; i < n; i++)
		cluster[i] = (uint32_t)i;
	for (size_t i = 0; i + 1 < n; i++) {
		uint32_t a = cluster[m[i].a], b = cluster[m[i].b];

		link[i] = (struct link){ a < b ? a : b, a < b ? b : a, m[i].height };
		cluster[m[i].b] = (uint32_t)(n + i);
	}
	free(cluster);
	free(height);
}

void linkage_average(struct triangle *h, const double *weight, struct link *link)
{
	struct chains s = { .h = h, .live = h->n };
	struct merge *m;

	ALLOC(s.size, h->n);
	ALLOC(s.slot, h->n);
	ALLOC(s.chain, h->n + 1);
	ALLOC(m, h->n);
	for (size_t i = 0; i < h->n; i++) {
		s.size[i] = weight ? weight[i] : 1;
		s.slot[i] = (uint32_t)i;
	}
	for (size_t i = 0; i + 1 < h->n; i++) {
		if (!s.length)
			s.chain[s.length++] = s.slot[0];
		for (;;) {
			uint32_t x = s.chain[s.length - 1];
			uint32_t before = s.length > 1 ? s.chain[s.length - 2] : UINT32_MAX;
			uint32_t y = fedwalk_tree_nearest(&s, x, before, &m[i].height);

			if (y == before) {
				m[i].a = x < y ? x : y;
				m[i].b = x < y ? y : x;
				break;
			}
			s.chain[s.length++] = y;
		}
		s.length -= 2;
		fedwalk_tree_merge(&s, m[i].a, m[i].b);
		if (i % 64 == 0)
			progress_tick();
	}
	to_links(m, h->n, link);
	free(m);
	free(s.chain);
	free(s.slot);
	free(s.size);
}

static void tree_alloc(struct fedwalk_tree *t, size_t n)
{
	*t = (struct fedwalk_tree){ .n = n };
	ALLOC(t->child, 2 * (n - 1));
	ALLOC(t->parent, 2 * n - 1);
	ALLOC(t->first, 2 * n - 1);
	ALLOC(t->count, 2 * n - 1);
	ALLOC(t->order, n);
	ALLOC(t->place, n);
}

void fedwalk_tree_release(struct fedwalk_tree *t)
{
	free(t->child);
	free(t->height);
	free(t->parent);
	free(t->first);
	free(t->count);
	free(t->order);
	free(t->place);
	*t = (struct fedwalk_tree){ 0 };
}

/* Derives parents, counts and the layout of leaves from children that form a tree. */
static void fedwalk_tree_lay_out(struct fedwalk_tree *t)
{
	size_t n = t->n, nodes = 2 * n - 1;

	for (size_t x = 0; x < n; x++)
		t->count[x] = 1;
	for (size_t x = n; x < nodes; x++) {
		const uint32_t *child = t->child + 2 * (x - n);

		t->count[x] = t->count[child[0]] + t->count[child[1]];
		t->parent[child[0]] = t->parent[child[1]] = (uint32_t)x;
	}
	t->parent[nodes - 1] = UINT32_MAX;
	t->first[nodes - 1] = 0;
	for (size_t x = nodes; x-- > n;) {
		const uint32_t *child = t->child + 2 * (x - n);

		t->first[child[0]] = t->first[x];
		t->first[child[1]] = t->first[x] + t->count[child[0]];
	}
	for (size_t x = 0; x < n; x++) {
		t->place[x] = t->first[x];
		t->order[t->first[x]] = (uint32_t)x;
	}
}

void fedwalk_tree_from_links(struct fedwalk_tree *t, size_t n, const struct link *link)
{
	tree_alloc(t, n);
	ALLOC(t->height, n - 1);
	for (size_t i = 0; i + 1 < n; i++) {
		t->child[2 * i] = link[i].a;
		t->child[2 * i + 1] = link[i].b;
		t->height[i] = link[i].height;
	}
	fedwalk_tree_lay_out(t);
}

void fedwalk_tree_average(struct fedwalk_tree *t, struct triangle *h)
{
	struct link *link;

	assert(h->n >= 1);
	ALLOC(link, h->n);
	linkage_average(h, NULL, link);
	fedwalk_tree_from_links(t, h->n, link);
	free(link);
}

enum err fedwalk_tree_from(struct fedwalk_tree *t, size_t n, const uint32_t *child)
{
	bool *taken;
	enum err err = ERR_OK;

	assert(n >= 1 && n <= UINT32_MAX / 2);
	ALLOC(taken, 2 * n);
	for (size_t i = 0; i < 2 * (n - 1) && !err; i++) {
		uint32_t x = child[i];

		if (x >= n + i / 2)
			err = err_set(ERR_PEER, "a tree of %zu leaves: node %zu has child %u", n,
				      n + i / 2, x);
		else if (taken[x])
			err = err_set(ERR_PEER, "a tree of %zu leaves: node %u is a child twice", n,
				      x);
		else
			taken[x] = true;
	}
	free(taken);
	if (err) {
		*t = (struct fedwalk_tree){ 0 };
		return err;
	}
	tree_alloc(t, n);
	memcpy(t->child, child, 2 * (n - 1) * sizeof(*child));
	fedwalk_tree_lay_out(t);
	return ERR_OK;
}
