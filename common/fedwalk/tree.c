#include "common/fedwalk/tree.h"
#include "common/base/alloc.h"
#include "common/fedwalk/linkage.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

/* Parents, counts and the leaves' layout, of children that are known to be a tree. */
static void lay_out(struct fedwalk_tree *t)
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
	lay_out(t);
}

void fedwalk_tree_average(struct fedwalk_tree *t, struct half *h)
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
	lay_out(t);
	return ERR_OK;
}

size_t fedwalk_tree_leaves(const struct fedwalk_tree *t, size_t u, size_t v)
{
	uint32_t x = (uint32_t)u;

	while (t->place[v] - t->first[x] >= t->count[x])
		x = t->parent[x];
	return t->count[x];
}
