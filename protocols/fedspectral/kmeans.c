#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "protocols/fedspectral/own.h"
#include "common/cluster/kmeans.h"
#include "common/cluster/spectral.h"
#include "common/linalg/parallel.h"

#include <stdlib.h>
#include <string.h>

enum {
	SWAPS = 2, /* swaps per restart of k-means */
	LLOYD = 100,
	SAMPLING = 0x66656473,
	ASSIGN_ROWS = 1 << 13,
};

struct assigning {
	const struct mat *Z, *centres;
	uint32_t *label;
	size_t *moved;
};

static void fedspectral_kmeans_assign_rows(void *ctx, unsigned worker, size_t block)
{
	const struct assigning *a = ctx;
	size_t first = block * ASSIGN_ROWS, k = a->centres->rows;
	size_t left = a->Z->rows - first, rows = left < ASSIGN_ROWS ? left : ASSIGN_ROWS;
	struct mat part = { rows, a->Z->cols, ROW(a->Z, first) };
	double *D = alloc(rows, k * sizeof(*D));

	(void)worker;
	kmeans_distances(&part, a->centres, D);
	a->moved[block] = kmeans_assign(D, NULL, rows, k, a->label + first, NULL);
	free(D);
}

/* Clusters the rows of Z. label: one entry per row. */
static void fedspectral_kmeans_cluster_rows(const struct mat *Z, const struct fedspectral_params *p,
					    size_t k, uint32_t *label)
{
	struct kmeans_params how = { .k = k,
				     .restarts = p->restarts,
				     .iterations = LLOYD,
				     .seed = p->seed,
				     .threads = p->threads };
	struct mat S, centres;
	struct assigning a = { Z, &centres, label, NULL };
	size_t blocks = (Z->rows + ASSIGN_ROWS - 1) / ASSIGN_ROWS, moved = 1;
	uint32_t *some;
	struct rng rng;

	if (Z->rows <= FEDSPECTRAL_SAMPLE) {
		kmeans(Z, NULL, &how, label, NULL, NULL);
		kmeans_swap(Z, k, SWAPS * p->restarts, p->seed, label);
		return;
	}
	rng_seed(&rng, p->seed, SAMPLING);
	mat_init(&S, FEDSPECTRAL_SAMPLE, Z->cols);
	for (size_t i = 0; i < S.rows; i++)
		memcpy(ROW(&S, i), ROW(Z, rng_below(&rng, Z->rows)), Z->cols * sizeof(double));
	ALLOC(some, S.rows);
	kmeans(&S, NULL, &how, some, &centres, NULL);
	kmeans_swap(&S, k, SWAPS * p->restarts, p->seed, some);
	kmeans_centres(&S, NULL, some, &centres);
	free(some);
	mat_release(&S);

	/* Run Lloyd's steps on all rows, from the sample's centres. */
	ALLOC(a.moved, blocks);
	for (size_t i = 0; i < Z->rows; i++)
		label[i] = UINT32_MAX;
	for (unsigned t = 0; moved && t < LLOYD; t++) {
		if (t)
			kmeans_centres(Z, NULL, label, &centres);
		parallel(p->threads, blocks, fedspectral_kmeans_assign_rows, &a);
		moved = 0;
		for (size_t b = 0; b < blocks; b++)
			moved += a.moved[b];
	}
	free(a.moved);
	mat_release(&centres);
}

struct named {
	size_t size, first;
	uint32_t cluster;
};

static int fedspectral_kmeans_by_size(const void *a, const void *b)
{
	const struct named *s = a, *t = b;

	if (s->size != t->size)
		return s->size > t->size ? -1 : 1;
	return (s->first > t->first) - (s->first < t->first);
}

/* Renumbers clusters by size. If two clusters have equal size, the one with the first row comes
 * first. */
void fedspectral_name_clusters(uint32_t *label, size_t n, size_t k)
{
	struct named *name = alloc(k, sizeof(*name));
	uint32_t *number = alloc(k, sizeof(*number));

	for (size_t c = 0; c < k; c++)
		name[c] = (struct named){ 0, n, (uint32_t)c };
	for (size_t i = 0; i < n; i++) {
		struct named *c = &name[label[i]];

		c->first = c->size++ ? c->first : i;
	}
	qsort(name, k, sizeof(*name), fedspectral_kmeans_by_size);
	for (size_t c = 0; c < k; c++)
		number[name[c].cluster] = (uint32_t)c;
	for (size_t i = 0; i < n; i++)
		label[i] = number[label[i]];
	free(number);
	free(name);
}

void fedspectral_cluster(struct parties *parties, const struct fedspectral_params *p, struct mat *Z,
			 const uint32_t *active, size_t n, struct fedspectral_report *r,
			 uint32_t *label)
{
	uint32_t *found = alloc(Z->rows, sizeof(*found));

	parties_phase(parties, "kmeans");
	if (p->unit_rows)
		spectral_unit_rows(Z);
	fedspectral_kmeans_cluster_rows(Z, p, r->k, found);
	fedspectral_name_clusters(found, Z->rows, r->k);
	for (size_t i = 0; i < n; i++)
		label[i] = active[i] == UINT32_MAX ? r->k : found[active[i]];
	free(found);
}

enum err fedspectral_check_nodes(size_t m, size_t n, unsigned k, struct fedspectral_report *r)
{
	r->isolated = n - m;
	if (m >= k && m >= 2)
		return ERR_OK;
	return err_set(ERR_JOB,
		       "%zu of %zu nodes have edges, which cannot be put into %u clusters: nodes "
		       "without edges are left aside",
		       m, n, k ? k : 2);
}

void fedspectral_settle(struct fedspectral_report *r, unsigned k)
{
	r->k = k;
	r->clusters = k + (r->isolated > 0);
}
