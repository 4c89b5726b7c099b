#include "protocols/fedwalk/encode.h"
#include "common/base/alloc.h"
#include "common/base/sort.h"
#include "common/linalg/parallel.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64 };

struct list {
	uint32_t *v, *upto;
	size_t n;
	double kept, dropped;
};

/* Memory of a worker. least, most (n): the least and largest ln P(r|u) of each output r over the
 * worker's vertices u. row, score (n): for the current u. */
struct range {
	float *least, *most;
	float *row, *score;
	/* Candidates in the order of their score, eps D |leaves|; the weight of one is
	 * exp(-score). */
	struct keyed *near;
	double *weight;
};

struct plan {
	const struct fedwalk_tree *t;
	const struct fedwalk_dissimilarity *d;
	const float *across; /* fedwalk_across(); NULL with a half matrix */
	double eps;
	struct list *list;
	struct range *range;
};

/* Sets score[v] for all v. Climbs the tree from leaf u; at each parent the sibling's leaves form
 * one range. */
static void climb(const struct plan *p, uint32_t u, const float *row, float *score)
{
	const struct fedwalk_tree *t = p->t;

	score[u] = 0;
	for (uint32_t x = u; t->parent[x] != UINT32_MAX; x = t->parent[x]) {
		uint32_t up = t->parent[x];
		const uint32_t *child = t->child + 2 * (up - t->n);
		uint32_t sibling = child[0] == x ? child[1] : child[0];
		float by = (float)p->eps * (float)t->count[up];
		const uint32_t *v = t->order + t->first[sibling];

		for (size_t i = 0; i < t->count[sibling]; i++)
			score[v[i]] = by * row[v[i]];
	}
}

static void encode_vertex(const struct plan *p, struct range *r, uint32_t u)
{
	struct list *list = &p->list[u];
	size_t n = p->t->n, near = 0;
	double sum = 0, within = 0, upto = 0;
	float log_sum;

	if (p->across)
		fedwalk_l1_row(p->across, n, p->d->k, u, 0, r->row);
	else
		fedwalk_row(p->d, u, r->row);
	climb(p, u, r->row, r->score);
	for (size_t v = 0; v < n; v++)
		if (r->score[v] <= FEDWALK_CUT)
			r->near[near++] = (struct keyed){ r->score[v], (uint32_t)v };
	sort_keyed(r->near, near);
	for (size_t i = 0; i < near; i++)
		sum += r->weight[i] = exp(-r->near[i].key);
	/* Each of the other n - near vertices has at most the weight at the cut. */
	sum += (double)(n - near) * exp(-FEDWALK_CUT);

	list->n = near < FEDWALK_CANDIDATES_MAX ? near : FEDWALK_CANDIDATES_MAX;
	ALLOC(list->v, list->n);
	ALLOC(list->upto, list->n);
	for (size_t i = 0; i < list->n; i++)
		within += r->weight[i];
	for (size_t i = 0; i < list->n; i++) {
		upto += r->weight[i];
		list->v[i] = r->near[i].item;
		list->upto[i] = (uint32_t)fmin(upto / within * 0x1p32, UINT32_MAX);
		if (r->near[i].item == u)
			list->kept = r->weight[i] / within;
	}
	list->upto[list->n - 1] = UINT32_MAX;
	list->dropped = fmax(0, 1 - within / sum);

	log_sum = (float)log(sum);
	for (size_t v = 0; v < n; v++) {
		float log_p = -r->score[v] - log_sum;

		r->least[v] = log_p < r->least[v] ? log_p : r->least[v];
		r->most[v] = log_p > r->most[v] ? log_p : r->most[v];
	}
}

static void encode_block(void *ctx, unsigned worker, size_t block)
{
	struct plan *p = ctx;
	size_t end = (block + 1) * ROWS < p->t->n ? (block + 1) * ROWS : p->t->n;

	for (size_t u = block * ROWS; u < end; u++)
		encode_vertex(p, &p->range[worker], (uint32_t)u);
}

static void fedwalk_encode_collect(struct fedwalk_encoder *e, const struct plan *p,
				   unsigned workers, struct fedwalk_encoder_report *report)
{
	size_t n = p->t->n;

	*report = (struct fedwalk_encoder_report){ .kept_least = 1 };
	for (size_t v = 0; v < n; v++) {
		float least = INFINITY, most = -INFINITY;

		for (unsigned w = 0; w < workers; w++) {
			least = fminf(least, p->range[w].least[v]);
			most = fmaxf(most, p->range[w].most[v]);
		}
		report->eps0 = fmax(report->eps0, (double)most - (double)least);
	}
	e->n = n;
	ALLOC(e->start, n + 1);
	for (size_t u = 0; u < n; u++)
		e->start[u + 1] = e->start[u] + p->list[u].n;
	ALLOC(e->v, e->start[n]);
	ALLOC(e->upto, e->start[n]);
	for (size_t u = 0; u < n; u++) {
		const struct list *list = &p->list[u];

		memcpy(e->v + e->start[u], list->v, list->n * sizeof(*e->v));
		memcpy(e->upto + e->start[u], list->upto, list->n * sizeof(*e->upto));
		report->kept += list->kept / (double)n;
		report->kept_least = fmin(report->kept_least, list->kept);
		report->dropped = fmax(report->dropped, list->dropped);
		report->longest = list->n > report->longest ? list->n : report->longest;
		free(list->v);
		free(list->upto);
	}
}

void fedwalk_encoder_init(struct fedwalk_encoder *e, const struct fedwalk_tree *t,
			  const struct fedwalk_dissimilarity *d, double eps, unsigned threads,
			  struct fedwalk_encoder_report *report)
{
	struct plan p = { .t = t, .d = d, .eps = eps };
	size_t blocks = (t->n + ROWS - 1) / ROWS;
	unsigned workers = parallel_workers(threads, blocks);
	float *across = d->triangle ? NULL : fedwalk_across(d->c, d->n, d->k);

	assert(t->n == d->n);
	p.across = across;
	ALLOC(p.list, t->n);
	ALLOC(p.range, workers);
	for (unsigned w = 0; w < workers; w++) {
		struct range *r = &p.range[w];

		ALLOC(r->least, t->n);
		ALLOC(r->most, t->n);
		ALLOC(r->row, t->n);
		ALLOC(r->score, t->n);
		ALLOC(r->near, t->n);
		ALLOC(r->weight, t->n);
		for (size_t v = 0; v < t->n; v++) {
			r->least[v] = INFINITY;
			r->most[v] = -INFINITY;
		}
	}
	parallel(threads, blocks, encode_block, &p);
	fedwalk_encode_collect(e, &p, workers, report);
	for (unsigned w = 0; w < workers; w++) {
		free(p.range[w].least);
		free(p.range[w].most);
		free(p.range[w].row);
		free(p.range[w].score);
		free(p.range[w].near);
		free(p.range[w].weight);
	}
	free(p.range);
	free(p.list);
	free(across);
}

void fedwalk_encoder_release(struct fedwalk_encoder *e)
{
	free(e->start);
	free(e->v);
	free(e->upto);
	*e = (struct fedwalk_encoder){ 0 };
}

enum err fedwalk_encoder_from(struct fedwalk_encoder *e, size_t n, const uint32_t *count,
			      const uint32_t *v, const uint32_t *upto, size_t total)
{
	enum err err = ERR_OK;

	*e = (struct fedwalk_encoder){ .n = n };
	ALLOC(e->start, n + 1);
	for (size_t u = 0; u < n && !err; u++) {
		size_t at = e->start[u], end = at + count[u];

		if (count[u] > total - at)
			err = err_set(ERR_PEER,
				      "the encoder's lists have %zu candidates in all, fewer than "
				      "those of vertex %zu need",
				      total, u);
		else if (!count[u] || upto[end - 1] != UINT32_MAX)
			err = err_set(ERR_PEER, "the encoder's list of vertex %zu has no end", u);
		for (size_t i = at; i < end && !err; i++)
			if (v[i] >= n || (i > at && upto[i] < upto[i - 1]))
				err = err_set(ERR_PEER,
					      "the encoder's list of vertex %zu is wrong at %zu", u,
					      i - at);
		e->start[u + 1] = end;
	}
	if (!err && e->start[n] != total)
		err = err_set(ERR_PEER, "the encoder's lists have %zu candidates, expected %zu",
			      total, e->start[n]);
	if (err) {
		fedwalk_encoder_release(e);
		return err;
	}
	ALLOC(e->v, total);
	ALLOC(e->upto, total);
	memcpy(e->v, v, total * sizeof(*v));
	memcpy(e->upto, upto, total * sizeof(*upto));
	return ERR_OK;
}

uint32_t fedwalk_encode(const struct fedwalk_encoder *e, uint32_t u, struct draw *d)
{
	size_t low = e->start[u], high = e->start[u + 1] - 1;
	uint32_t x;

	if (low == high)
		return e->v[low];
	x = (uint32_t)(draw_u64(d) >> 32);
	/* Find the first candidate whose upto is above x; otherwise take the last. */
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (e->upto[mid] > x)
			high = mid;
		else
			low = mid + 1;
	}
	return e->v[low];
}
