#include "protocols/kcagc/party/points.h"
#include "common/base/alloc.h"
#include "protocols/kcagc/embed.h"
#include "common/linalg/distance.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct points points_here(const struct mat *Z)
{
	return (struct points){ .here = *Z };
}

struct points points_away(struct workers *w)
{
	struct ranks_sizes s = workers_sizes(w);

	return (struct points){ .here = { s.n, s.dims, NULL }, .workers = w };
}

struct points points_only(const struct points *p, const uint32_t *row, size_t count)
{
	size_t cols = p->here.cols;
	struct points some = { .here = { count, cols, NULL } };

	if (p->workers) {
		some.workers = p->workers;
		some.only = row;
		return some;
	}
	mat_init(&some.here, count, cols);
	for (size_t i = 0; i < count; i++)
		memcpy(ROW(&some.here, i), ROW(&p->here, row[i]), cols * sizeof(double));
	return some;
}

void points_release(struct points *p)
{
	mat_release(&p->here);
	p->workers = NULL;
	p->only = NULL;
}

/* The rows of ranks outside p form an extra cluster, which is discarded. */
static enum err centres_of_some(const struct points *p, const uint32_t *label, struct mat *c)
{
	size_t n = workers_sizes(p->workers).n;
	uint32_t *all = alloc(n, sizeof(*all));
	struct mat more;
	enum err e;

	for (size_t i = 0; i < n; i++)
		all[i] = (uint32_t)c->rows;
	for (size_t i = 0; i < p->here.rows; i++)
		all[p->only[i]] = label[i];
	mat_init(&more, c->rows + 1, c->cols);
	e = workers_centres(p->workers, all, &more);
	memcpy(c->a, more.a, c->rows * c->cols * sizeof(*c->a));
	mat_release(&more);
	free(all);
	return e;
}

enum err points_centres(const struct points *p, const double *weight, const uint32_t *label,
			struct mat *c)
{
	if (p->workers) {
		assert(!weight);
		return p->only ? centres_of_some(p, label, c)
			       : workers_centres(p->workers, label, c);
	}
	kmeans_centres(&p->here, weight, label, c);
	return ERR_OK;
}

enum err points_clusters(const struct points *p, const struct kmeans_params *how, uint32_t *label,
			 struct mat *centres)
{
	assert(!p->only);
	if (p->workers)
		return workers_clusters(p->workers, how, label, centres);
	kmeans(&p->here, NULL, how, label, centres, NULL);
	return ERR_OK;
}

/* Rows that enter a sum at once: n x k is never held. Whole blocks of distance.h. */
enum { BLOCK_ROWS = 16 * DISTANCE_ROWS };

static enum err points_add_to_sum(void *sum, const double *x, size_t count)
{
	return secure_add(sum, x, count);
}

struct some {
	const uint32_t *only;
	size_t count, next; /* into only */
	size_t row, k;      /* first row of the next piece; words of a row */
	struct secure *sum;
};

static enum err add_some(void *arg, const double *x, size_t count)
{
	struct some *s = arg;
	size_t rows = count / s->k;
	enum err e = ERR_OK;

	for (; e == ERR_OK && s->next < s->count && s->only[s->next] < s->row + rows; s->next++)
		e = secure_add(s->sum, x + (s->only[s->next] - s->row) * s->k, s->k);
	s->row += rows;
	return e;
}

enum err points_add_distances(const struct points *p, const struct mat *c, struct secure *s)
{
	size_t n = p->here.rows;
	enum err e = ERR_OK;
	double *D;

	if (p->only) {
		struct some some = {
			.only = p->only, .count = p->here.rows, .k = c->rows, .sum = s
		};

		return workers_distances(p->workers, c, add_some, &some);
	}
	if (p->workers)
		return workers_distances(p->workers, c, points_add_to_sum, s);
	D = alloc(min_size(n, BLOCK_ROWS) * c->rows, sizeof(*D));
	for (size_t i = 0; i < n && e == ERR_OK; i += BLOCK_ROWS) {
		struct mat part = { min_size(n - i, BLOCK_ROWS), p->here.cols, ROW(&p->here, i) };

		kmeans_distances(&part, c, D);
		e = secure_add(s, D, part.rows * c->rows);
	}
	free(D);
	return e;
}

enum err points_norms(const struct points *p, double *norm)
{
	assert(!p->only);
	if (p->workers)
		return workers_norms(p->workers, norm);
	embed_norms(&p->here, norm);
	return ERR_OK;
}

enum err points_longest(const struct points *p, double *square)
{
	double *norm = alloc(p->here.rows, sizeof(*norm)), longest = 0;
	enum err e = points_norms(p, norm);

	for (size_t i = 0; i < p->here.rows; i++)
		longest = fmax(longest, norm[i]);
	*square = longest * longest;
	free(norm);
	return e;
}

enum err points_scale(struct points *p, const double *norm, double mean, double power)
{
	assert(!p->only);
	if (p->workers)
		return workers_scale(p->workers, norm, mean, power);
	embed_scale(&p->here, norm, mean, power);
	return ERR_OK;
}
