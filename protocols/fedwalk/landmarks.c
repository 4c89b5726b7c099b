/* Makes the tree if there are too many vertices for a half matrix of dissimilarities. */
#include "common/base/alloc.h"
#include "protocols/fedwalk/distance.h"
#include "protocols/fedwalk/tree.h"
#include "common/cluster/kmeans.h"
#include "common/linalg/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 20, DEPTH_MAX = 8 };

/* Groups of vertices; group g is member[start[g]] .. member[start[g+1] - 1]. */
struct groups {
	size_t count;
	size_t *start;
	uint32_t *member;
};

struct plan {
	const float *c;
	unsigned k;
	uint64_t seed;
	unsigned threads;
	struct groups groups;
	struct link **link; /* one list per group: the links between its members */
};

/* Sorts v stably by label; count (labels) becomes the number of vertices with each label. */
static void sort_by_label(uint32_t *v, const uint32_t *label, size_t n, size_t labels,
			  size_t *count)
{
	size_t *at;
	uint32_t *copy;

	ALLOC(at, labels + 1);
	ALLOC(copy, n);
	memset(count, 0, labels * sizeof(*count));
	memcpy(copy, v, n * sizeof(*v));
	for (size_t i = 0; i < n; i++)
		count[label[i]]++;
	for (size_t l = 0; l < labels; l++)
		at[l + 1] = at[l] + count[l];
	for (size_t i = 0; i < n; i++)
		v[at[label[i]]++] = copy[i];
	free(copy);
	free(at);
}

/* Splits v (n) into about `parts` groups. Splits groups above FEDWALK_GROUP_MAX again. From depth
 * DEPTH_MAX on, splits by position, because k-means does not separate the vertices. */
static void fedwalk_landmarks_split_group(struct plan *p, uint32_t *v, size_t n, size_t parts,
					  unsigned depth)
{
	struct kmeans_params how = { .k = parts,
				     .restarts = 1,
				     .iterations = ITERATIONS,
				     .seed = p->seed + depth,
				     .threads = p->threads };
	struct groups *g = &p->groups;
	uint32_t *label;
	size_t *count, at = 0;
	struct mat Z;

	ALLOC(label, n);
	ALLOC(count, parts);
	mat_init(&Z, n, p->k);
	for (size_t i = 0; i < n; i++)
		for (unsigned j = 0; j < p->k; j++)
			MAT(&Z, i, j) = (double)p->c[(size_t)v[i] * p->k + j];
	if (depth < DEPTH_MAX)
		kmeans(&Z, NULL, &how, label, NULL, NULL);
	else
		for (size_t i = 0; i < n; i++)
			label[i] = (uint32_t)(i * parts / n);
	mat_release(&Z);
	sort_by_label(v, label, n, parts, count);
	free(label);
	for (size_t l = 0; l < parts; at += count[l++]) {
		if (count[l] > FEDWALK_GROUP_MAX)
			fedwalk_landmarks_split_group(
			    p, v + at, count[l], 2 * (count[l] / FEDWALK_GROUP_MAX + 1), depth + 1);
		else if (count[l]) {
			g->start[g->count + 1] = g->start[g->count] + count[l];
			g->count++;
		}
	}
	free(count);
}

static void link_group(void *ctx, unsigned worker, size_t g)
{
	struct plan *p = ctx;
	const uint32_t *v = p->groups.member + p->groups.start[g];
	size_t n = p->groups.start[g + 1] - p->groups.start[g];
	struct triangle h;
	float *c;

	(void)worker;
	ALLOC(c, n * p->k);
	for (size_t i = 0; i < n; i++)
		memcpy(c + i * p->k, p->c + (size_t)v[i] * p->k, p->k * sizeof(*c));
	fedwalk_l1(c, n, p->k, 1, &h);
	free(c);
	ALLOC(p->link[g], n);
	linkage_average(&h, NULL, p->link[g]);
	triangle_release(&h);
}

static void link_groups(const struct plan *p, struct link *link)
{
	const struct groups *g = &p->groups;
	double *weight;
	struct triangle h;
	float *centre;

	ALLOC(centre, g->count * p->k);
	ALLOC(weight, g->count);
	for (size_t i = 0; i < g->count; i++) {
		weight[i] = (double)(g->start[i + 1] - g->start[i]);
		for (unsigned j = 0; j < p->k; j++) {
			double sum = 0;

			for (size_t m = g->start[i]; m < g->start[i + 1]; m++)
				sum += (double)p->c[(size_t)g->member[m] * p->k + j];
			centre[i * p->k + j] = (float)(sum / weight[i]);
		}
	}
	fedwalk_l1(centre, g->count, p->k, p->threads, &h);
	linkage_average(&h, weight, link);
	triangle_release(&h);
	free(weight);
	free(centre);
}

/* Lists the merges within each group, one group after another. Then lists the merges between
 * groups. */
static void fedwalk_landmarks_join_groups(const struct plan *p, const struct link *between,
					  size_t n, struct link *link)
{
	const struct groups *g = &p->groups;
	uint32_t *top; /* root of each group, then of each merge of groups */
	size_t merges = 0;

	ALLOC(top, 2 * g->count);
	for (size_t i = 0; i < g->count; i++) {
		const uint32_t *v = g->member + g->start[i];
		size_t size = g->start[i + 1] - g->start[i], base = n + merges;

		for (size_t m = 0; m + 1 < size; m++) {
			struct link l = p->link[i][m];

			l.a = l.a < size ? v[l.a] : (uint32_t)(base + l.a - size);
			l.b = l.b < size ? v[l.b] : (uint32_t)(base + l.b - size);
			link[merges++] = l;
		}
		top[i] = size > 1 ? (uint32_t)(n + merges - 1) : v[0];
	}
	for (size_t m = 0; m + 1 < g->count; m++) {
		top[g->count + m] = (uint32_t)(n + merges);
		link[merges++] =
		    (struct link){ top[between[m].a], top[between[m].b], between[m].height };
	}
	free(top);
}

void fedwalk_tree_landmarks(struct fedwalk_tree *t, const float *c, size_t n, unsigned k,
			    uint64_t seed, unsigned threads)
{
	struct plan p = { .c = c, .k = k, .seed = seed, .threads = threads };
	struct link *link, *between;

	ALLOC(p.groups.start, n + 1);
	ALLOC(p.groups.member, n);
	for (size_t v = 0; v < n; v++)
		p.groups.member[v] = (uint32_t)v;
	fedwalk_landmarks_split_group(&p, p.groups.member, n, (size_t)ceil(sqrt((double)n)), 0);
	ALLOC(p.link, p.groups.count);
	parallel(threads, p.groups.count, link_group, &p);
	ALLOC(between, p.groups.count);
	link_groups(&p, between);
	ALLOC(link, n);
	fedwalk_landmarks_join_groups(&p, between, n, link);
	fedwalk_tree_from_links(t, n, link);
	free(t->height); /* heights within groups are not comparable with those between groups */
	t->height = NULL;
	for (size_t g = 0; g < p.groups.count; g++)
		free(p.link[g]);
	free(p.link);
	free(between);
	free(link);
	free(p.groups.start);
	free(p.groups.member);
}
