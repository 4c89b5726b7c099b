#include "common/fedwalk/encode.h"
#include "common/base/alloc.h"
#include "common/fedwalk/own.h"
#include "common/linalg/parallel.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64 }; /* vertices that one thread takes at a time */

struct candidate {
	float score; /* eps D |leaves|: the weight is exp(-score) */
	uint32_t v;
};

struct list {
	uint32_t *v, *upto;
	size_t n;
	double kept, dropped;
};

/* Of what one worker has seen: for each output r the least and the largest ln P(r|u) of any u. */
struct range {
	float *least, *most;
	float *row, *score; /* scratch, n each */
	struct candidate *near;
	double *weight;
};

struct plan {
	const struct fedwalk_tree *t;
	const struct fedwalk_dissimilarity *d;
	const float *across; /* if there is no half matrix */
	double eps;
	struct list *list;
	struct range *range; /* of each worker */
};

/* score[v] of all v, climbing from leaf u: at each parent the sibling's leaves are one range. */
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

static int by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? -1 : 1;
	return (x->v > y->v) - (x->v < y->v);
}

/* near (n of them, sorted), of whose weights the sum over all vertices is `sum`. */
static void make_list(struct range *r, const struct candidate *near, size_t n, uint32_t u,
		      double sum, struct list *list)
{
	double within = 0, upto = 0;

	list->n = n < FEDWALK_CANDIDATES_MAX ? n : FEDWALK_CANDIDATES_MAX;
	ALLOC(list->v, list->n);
	ALLOC(list->upto, list->n);
	for (size_t i = 0; i < list->n; i++)
		within += r->weight[i];
	for (size_t i = 0; i < list->n; i++) {
		upto += r->weight[i];
		list->v[i] = near[i].v;
		list->upto[i] = (uint32_t)fmin(upto / within * 0x1p32, UINT32_MAX);
		if (near[i].v == u)
			list->kept = r->weight[i] / within;
	}
	list->upto[list->n - 1] = UINT32_MAX;
	list->dropped = fmax(0, 1 - within / sum);
}

static void widen(struct range *r, const float *score, size_t n, double log_sum)
{
	for (size_t v = 0; v < n; v++) {
		float p = -score[v] - (float)log_sum;

		r->least[v] = p < r->least[v] ? p : r->least[v];
		r->most[v] = p > r->most[v] ? p : r->most[v];
	}
}

static void encode_vertex(const struct plan *p, struct range *r, uint32_t u)
{
	size_t n = p->t->n, near = 0;
	double sum = 0;

	if (p->across)
		fedwalk_l1_row(p->across, n, p->d->k, u, 0, r->row);
	else
		fedwalk_row(p->d, u, r->row);
	climb(p, u, r->row, r->score);
	for (size_t v = 0; v < n; v++)
		if (r->score[v] <= FEDWALK_CUT)
			r->near[near++] = (struct candidate){ r->score[v], (uint32_t)v };
	qsort(r->near, near, sizeof(*r->near), by_score);
	for (size_t i = 0; i < near; i++)
		sum += r->weight[i] = exp(-(double)r->near[i].score);
	/* Those beyond the cut are at most so many, of at most so much. */
	sum += (double)(n - near) * exp(-FEDWALK_CUT);
	make_list(r, r->near, near, u, sum, &p->list[u]);
	widen(r, r->score, n, log(sum));
}

static void encode_block(void *ctx, unsigned worker, size_t block)
{
	struct plan *p = ctx;
	size_t end = (block + 1) * ROWS < p->t->n ? (block + 1) * ROWS : p->t->n;

	for (size_t u = block * ROWS; u < end; u++)
		encode_vertex(p, &p->range[worker], (uint32_t)u);
}

static void range_init(struct range *r, size_t n)
{
	ALLOC(r->least, n);
	ALLOC(r->most, n);
	ALLOC(r->row, n);
	ALLOC(r->score, n);
	ALLOC(r->near, n);
	ALLOC(r->weight, n);
	for (size_t v = 0; v < n; v++) {
		r->least[v] = INFINITY;
		r->most[v] = -INFINITY;
	}
}

static void range_release(struct range *r)
{
	free(r->least);
	free(r->most);
	free(r->row);
	free(r->score);
	free(r->near);
	free(r->weight);
}

static double widest(const struct range *range, unsigned workers, size_t n)
{
	double eps0 = 0;

	for (size_t v = 0; v < n; v++) {
		float least = INFINITY, most = -INFINITY;

		for (unsigned w = 0; w < workers; w++) {
			least = fminf(least, range[w].least[v]);
			most = fmaxf(most, range[w].most[v]);
		}
		eps0 = fmax(eps0, (double)most - (double)least);
	}
	return eps0;
}

static void collect(struct fedwalk_encoder *e, struct list *list, size_t n,
		    struct fedwalk_encoder_report *report)
{
	e->n = n;
	ALLOC(e->start, n + 1);
	for (size_t u = 0; u < n; u++)
		e->start[u + 1] = e->start[u] + list[u].n;
	ALLOC(e->v, e->start[n]);
	ALLOC(e->upto, e->start[n]);
	report->kept_least = 1;
	for (size_t u = 0; u < n; u++) {
		memcpy(e->v + e->start[u], list[u].v, list[u].n * sizeof(*e->v));
		memcpy(e->upto + e->start[u], list[u].upto, list[u].n * sizeof(*e->upto));
		report->kept += list[u].kept / (double)n;
		report->kept_least = fmin(report->kept_least, list[u].kept);
		report->dropped = fmax(report->dropped, list[u].dropped);
		report->longest = list[u].n > report->longest ? list[u].n : report->longest;
		free(list[u].v);
		free(list[u].upto);
	}
}

void fedwalk_encoder_init(struct fedwalk_encoder *e, const struct fedwalk_tree *t,
			  const struct fedwalk_dissimilarity *d, double eps, unsigned threads,
			  struct fedwalk_encoder_report *report)
{
	struct plan p = { .t = t, .d = d, .eps = eps };
	size_t blocks = (t->n + ROWS - 1) / ROWS;
	unsigned workers = parallel_workers(threads, blocks);
	float *across = d->half ? NULL : fedwalk_across(d->c, d->n, d->k);

	assert(t->n == d->n);
	p.across = across;
	ALLOC(p.list, t->n);
	ALLOC(p.range, workers);
	for (unsigned w = 0; w < workers; w++)
		range_init(&p.range[w], t->n);
	parallel(threads, blocks, encode_block, &p);
	*report = (struct fedwalk_encoder_report){ .eps0 = widest(p.range, workers, t->n) };
	collect(e, p.list, t->n, report);
	for (unsigned w = 0; w < workers; w++)
		range_release(&p.range[w]);
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

static enum err check_list(size_t n, const uint32_t *v, const uint32_t *upto, size_t count,
			   size_t u)
{
	if (!count || upto[count - 1] != UINT32_MAX)
		return err_set(ERR_PEER, "the encoder's list of vertex %zu has no end", u);
	for (size_t i = 0; i < count; i++)
		if (v[i] >= n || (i && upto[i] < upto[i - 1]))
			return err_set(ERR_PEER, "the encoder's list of vertex %zu is wrong at %zu",
				       u, i);
	return ERR_OK;
}

enum err fedwalk_encoder_from(struct fedwalk_encoder *e, size_t n, const uint32_t *count,
			      const uint32_t *v, const uint32_t *upto, size_t total)
{
	enum err err = ERR_OK;

	*e = (struct fedwalk_encoder){ .n = n };
	ALLOC(e->start, n + 1);
	for (size_t u = 0; u < n && !err; u++) {
		size_t at = e->start[u];

		if (count[u] > total - at)
			err = err_set(ERR_PEER,
				      "the encoder's lists have %zu candidates in all, fewer than "
				      "those of vertex %zu need",
				      total, u);
		else
			err = check_list(n, v + at, upto + at, count[u], u);
		e->start[u + 1] = at + count[u];
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
	while (low < high) { /* the first whose upto is above x; the last, whatever x is */
		size_t mid = low + (high - low) / 2;

		if (e->upto[mid] > x)
			high = mid;
		else
			low = mid + 1;
	}
	return e->v[low];
}

double fedwalk_encoder_probability(const struct fedwalk_encoder *e, uint32_t u, uint32_t v)
{
	double sum = 0, before = 0;

	for (size_t i = e->start[u]; i < e->start[u + 1]; i++) {
		double upto = i + 1 < e->start[u + 1] ? e->upto[i] * 0x1p-32 : 1;

		if (e->v[i] == v)
			sum += upto - before;
		before = upto;
	}
	return sum;
}
