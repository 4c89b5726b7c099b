#include "party/kcagc/points.h"
#include "common/base/alloc.h"
#include "common/kcagc/embed.h"

#include <assert.h>
#include <stdlib.h>

struct points points_here(const struct mat *Z)
{
	return (struct points){ .here = *Z };
}

struct points points_away(struct workers *w)
{
	struct workers_sizes s = workers_sizes(w);

	return (struct points){ .here = { s.n, s.dims, NULL }, .workers = w };
}

void points_release(struct points *p)
{
	mat_release(&p->here);
	p->workers = NULL;
}

enum err points_centres(const struct points *p, const double *weight, const uint32_t *label,
			struct mat *c)
{
	if (p->workers) {
		assert(!weight);
		return workers_centres(p->workers, label, c);
	}
	kmeans_centres(&p->here, weight, label, c);
	return ERR_OK;
}

enum err points_clusters(const struct points *p, const struct kmeans_params *how, uint32_t *label,
			 struct mat *centres)
{
	if (p->workers)
		return workers_clusters(p->workers, how, label, centres);
	kmeans(&p->here, NULL, how, label, centres, NULL);
	return ERR_OK;
}

static enum err add(void *sum, const double *x, size_t count)
{
	return secure_add(sum, x, count);
}

enum err points_add_distances(const struct points *p, const struct mat *c, struct secure *s)
{
	size_t words = p->here.rows * c->rows;
	double *D;
	enum err e;

	if (p->workers)
		return workers_distances(p->workers, c, add, s);
	D = alloc(words, sizeof(*D));
	kmeans_distances(&p->here, c, D);
	e = secure_add(s, D, words);
	free(D);
	return e;
}

enum err points_norms(const struct points *p, double *norm)
{
	if (p->workers)
		return workers_norms(p->workers, norm);
	embed_norms(&p->here, norm);
	return ERR_OK;
}

enum err points_scale(struct points *p, const double *norm, double mean, double power)
{
	if (p->workers)
		return workers_scale(p->workers, norm, mean, power);
	embed_scale(&p->here, norm, mean, power);
	return ERR_OK;
}
