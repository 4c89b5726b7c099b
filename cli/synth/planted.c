#include "cli/synth/planted.h"
#include "common/base/sort.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_LABELS, STREAM_EDGES, STREAM_WORDS };
enum { STREAM_CENTRES = 0x6761757373, STREAM_CLOUDS, STREAM_ROWS };
/* FEATURES_PER_WORD is chosen as in cora, whose nodes have 1433 / 80 = 18 words on average. */
enum { WORDS_MIN = 4, WORDS_MAX = 60, FEATURES_PER_WORD = 80 };

/* Weights from which i is drawn with probability weight[i] / sum, in O(log n). rises: the
 * cumulative sums of the weights. */
struct draw {
	size_t n;
	double *rises;
};

static void planted_draw_init(struct draw *d, const double *weight, size_t n)
{
	*d = (struct draw){ .n = n };
	ALLOC(d->rises, n);
	for (size_t i = 0; i < n; i++)
		d->rises[i] = (i ? d->rises[i - 1] : 0) + weight[i];
}

static size_t draw_one(const struct draw *d, struct rng *r)
{
	double x = rng_unit(r) * d->rises[d->n - 1];
	size_t low = 0, high = d->n - 1;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (x < d->rises[mid])
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* The nodes of class r are member[first[r]] .. member[first[r + 1] - 1]. */
struct classes {
	size_t *first;
	uint32_t *member;
};

static void classes_init(struct classes *c, const uint32_t *label, size_t n, size_t k)
{
	size_t *at;

	ALLOC(c->first, k + 1);
	ALLOC(c->member, n);
	for (size_t i = 0; i < n; i++)
		c->first[label[i] + 1]++;
	for (size_t r = 0; r < k; r++)
		c->first[r + 1] += c->first[r];
	ALLOC(at, k);
	memcpy(at, c->first, k * sizeof(*at));
	for (size_t i = 0; i < n; i++)
		c->member[at[label[i]]++] = (uint32_t)i;
	free(at);
}

/* Sorts edges, and removes loops and duplicates. Returns the number of edges left. */
static size_t proper(uint64_t *a, size_t n)
{
	size_t kept = 0;

	sort_u64(a, n);
	for (size_t i = 0; i < n; i++) {
		bool loop = a[i] >> 32 == (a[i] & UINT32_MAX);

		if (!loop && (!kept || a[kept - 1] != a[i]))
			a[kept++] = a[i];
	}
	return kept;
}

static enum err draw_edges(const struct planted_params *p, const uint32_t *label,
			   const struct classes *c, const struct draw *all,
			   const struct draw *of_class, struct rng *rng, struct csr *adjacency)
{
	size_t wanted = (size_t)llround(p->degree * (double)p->nodes / 2), have = 0;
	struct triple *t;
	uint64_t *edge;

	ALLOC(edge, wanted);
	for (int round = 0; have < wanted; round++) {
		if (round == 100) {
			free(edge);
			return err_set(
			    ERR_INPUT,
			    "%zu nodes have no room for a mean degree of %g with homophily %g",
			    p->nodes, p->degree, p->homophily);
		}
		for (size_t i = have; i < wanted; i++) {
			uint64_t u = draw_one(all, rng), v; /* u and v may be equal */
			uint32_t r = label[u];

			if (rng_unit(rng) < p->homophily)
				v = c->member[c->first[r] + draw_one(&of_class[r], rng)];
			else
				v = draw_one(all, rng);
			edge[i] = u < v ? u << 32 | v : v << 32 | u;
		}
		have = proper(edge, wanted);
	}
	ALLOC(t, 2 * wanted);
	for (size_t i = 0; i < wanted; i++) {
		uint32_t u = (uint32_t)(edge[i] >> 32), v = (uint32_t)edge[i];

		t[2 * i] = (struct triple){ u, v, 1 };
		t[2 * i + 1] = (struct triple){ v, u, 1 };
	}
	csr_from_triples(adjacency, p->nodes, p->nodes, t, 2 * wanted);
	free(adjacency->value);
	adjacency->value = NULL;
	free(t);
	free(edge);
	return ERR_OK;
}

static enum err make_edges(const struct planted_params *p, const uint32_t *label,
			   struct csr *adjacency)
{
	double *weight, *some, most = sqrt((double)p->nodes);
	struct draw all, *of_class;
	struct classes c;
	struct rng rng;
	enum err err;

	rng_seed(&rng, p->seed, STREAM_EDGES);
	ALLOC(weight, p->nodes);
	ALLOC(some, p->nodes);
	ALLOC(of_class, p->classes);
	/* The attractiveness of a node follows a power law with exponent 2.5. It is truncated, so
	 * that no node has most edges. */
	for (size_t i = 0; i < p->nodes; i++) {
		weight[i] = pow(1 - rng_unit(&rng), -1 / 1.5);
		if (weight[i] > most)
			weight[i] = most;
	}
	classes_init(&c, label, p->nodes, p->classes);
	planted_draw_init(&all, weight, p->nodes);
	for (size_t r = 0; r < p->classes; r++) {
		size_t n = c.first[r + 1] - c.first[r];

		for (size_t i = 0; i < n; i++)
			some[i] = weight[c.member[c.first[r] + i]];
		planted_draw_init(&of_class[r], some, n);
	}
	err = draw_edges(p, label, &c, &all, of_class, &rng, adjacency);
	for (size_t r = 0; r < p->classes; r++)
		free(of_class[r].rises);
	free(of_class);
	free(all.rises);
	free(c.first);
	free(c.member);
	free(weight);
	free(some);
	return err;
}

/* `any`: all words, in a random order by which Zipf's law ranks them. `own`: all words in another
 * random order, of which each class has one part. */
static void make_words(const struct planted_params *p, const uint32_t *label, struct csr *features)
{
	size_t mean = p->features / FEATURES_PER_WORD, share = p->features / p->classes, count = 0;
	struct draw any_zipf, own_zipf;
	uint32_t *any, *own;
	struct triple *t;
	struct rng rng;
	double *zipf;

	mean = mean < WORDS_MIN ? WORDS_MIN : mean > WORDS_MAX ? WORDS_MAX : mean;
	rng_seed(&rng, p->seed, STREAM_WORDS);
	ALLOC(any, p->features);
	ALLOC(own, p->features);
	ALLOC(zipf, p->features);
	for (size_t j = 0; j < p->features; j++) {
		any[j] = own[j] = (uint32_t)j;
		zipf[j] = 1 / (double)(j + 10);
	}
	rng_shuffle(&rng, any, p->features);
	rng_shuffle(&rng, own, p->features);
	planted_draw_init(&any_zipf, zipf, p->features);
	planted_draw_init(&own_zipf, zipf, share);
	ALLOC(t, p->nodes * 2 * mean);
	for (size_t i = 0; i < p->nodes; i++)
		for (size_t words = 1 + rng_below(&rng, 2 * mean - 1); words; words--) {
			bool signal = rng_unit(&rng) < p->signal;
			uint32_t word = signal ? own[label[i] * share + draw_one(&own_zipf, &rng)]
					       : any[draw_one(&any_zipf, &rng)];

			t[count++] = (struct triple){ (uint32_t)i, word, 1 };
		}
	csr_from_triples(features, p->nodes, p->features, t, count);
	free(features->value); /* a word drawn twice counts once */
	features->value = NULL;
	free(t);
	free(any_zipf.rises);
	free(own_zipf.rises);
	free(zipf);
	free(any);
	free(own);
}

enum err planted_make(const struct planted_params *p, struct planted *g)
{
	double sum = 0, risen = 0;
	struct rng rng;
	size_t node = 0;
	enum err err;

	*g = (struct planted){ 0 };
	if (p->classes > p->nodes)
		return err_set(ERR_INPUT, "%zu classes, expected at most as many as nodes, %zu",
			       p->classes, p->nodes);
	if (p->features && p->classes > p->features)
		return err_set(ERR_INPUT, "%zu classes, expected at most as many as features, %zu",
			       p->classes, p->features);
	ALLOC(g->label, p->nodes);
	/* Sizes are proportional to 1 / (1 + r/2), with at least one node each. The order of nodes
	 * is random. */
	for (size_t r = 0; r < p->classes; r++)
		sum += 1 / (1 + 0.5 * (double)r);
	for (size_t r = 0; r < p->classes; r++) {
		size_t left = p->classes - r - 1, to;

		risen += 1 / (1 + 0.5 * (double)r);
		to = (size_t)llround(risen / sum * (double)p->nodes);
		if (to <= node)
			to = node + 1;
		if (to > p->nodes - left)
			to = p->nodes - left;
		if (!left)
			to = p->nodes;
		while (node < to)
			g->label[node++] = (uint32_t)r;
	}
	rng_seed(&rng, p->seed, STREAM_LABELS);
	rng_shuffle(&rng, g->label, p->nodes);
	err = make_edges(p, g->label, &g->adjacency);
	if (err)
		planted_release(g);
	else if (p->features)
		make_words(p, g->label, &g->features);
	return err;
}

void planted_release(struct planted *g)
{
	csr_release(&g->features);
	csr_release(&g->adjacency);
	free(g->label);
	*g = (struct planted){ 0 };
}

static bool near_another(const struct mat *centres, size_t c, double apart)
{
	for (size_t other = 0; other < c; other++) {
		double d = 0;

		for (size_t j = 0; j < centres->cols; j++) {
			double x = MAT(centres, c, j) - MAT(centres, other, j);

			d += x * x;
		}
		if (d < apart * apart)
			return true;
	}
	return false;
}

enum err gauss_make(const struct gauss_params *p, struct mat *X, uint32_t **label)
{
	double width = p->apart > 0 ? p->apart / sqrt((double)p->columns) : 1;
	struct mat centres;
	struct rng rng;

	*X = (struct mat){ 0 };
	*label = NULL;
	assert(p->clusters >= 1 && p->clusters <= GAUSS_CLUSTERS_MAX && p->columns >= 1);
	if (p->clusters > p->rows)
		return err_set(ERR_INPUT, "%zu clusters of %zu rows, expected at most as many",
			       p->clusters, p->rows);
	if (p->rows > GAUSS_VALUES_MAX / p->columns)
		return err_set(ERR_INPUT, "%zu x %zu values, expected at most %zu", p->rows,
			       p->columns, GAUSS_VALUES_MAX);
	/* With the initial width, the distance of two centres is about 1.4 p->apart. Each redraw
	 * widens it, so that the loop also ends in one dimension. */
	rng_seed(&rng, p->seed, STREAM_CENTRES);
	mat_init(&centres, p->clusters, p->columns);
	for (size_t c = 0; c < p->clusters; c++)
		for (;; width *= 1.05) {
			for (size_t j = 0; j < p->columns; j++)
				MAT(&centres, c, j) = width * rng_normal(&rng);
			if (!near_another(&centres, c, p->apart))
				break;
		}
	ALLOC(*label, p->rows);
	for (size_t i = 0; i < p->rows; i++)
		(*label)[i] = (uint32_t)(i % p->clusters);
	rng_seed(&rng, p->seed, STREAM_CLOUDS);
	rng_shuffle(&rng, *label, p->rows);
	rng_seed(&rng, p->seed, STREAM_ROWS);
	mat_init(X, p->rows, p->columns);
	for (size_t i = 0; i < p->rows; i++)
		for (size_t j = 0; j < p->columns; j++)
			MAT(X, i, j) =
			    (double)(float)(MAT(&centres, (*label)[i], j) + rng_normal(&rng));
	mat_release(&centres);
	return ERR_OK;
}
