#include "protocols/kcagc/party/points.h"
#include "common/base/alloc.h"
#include "protocols/kcagc/embed.h"
#include "common/linalg/distance.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct points points_local(const struct mat *Z)
{
	return (struct points){ .here = *Z };
}

struct points points_distributed(struct workers *w)
{
	struct ranks_sizes s = workers_sizes(w);

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

/* Number of rows that enter a sum at once, so that n x k numbers are never held. It is a multiple
 * of the blocks of distance.h. */
enum { BLOCK_ROWS = 16 * DISTANCE_ROWS };

static enum err points_add_to_sum(void *sum, const double *x, size_t count)
{
	return secure_add(sum, x, count);
}

enum err points_add_distances(const struct points *p, const struct mat *c, struct secure *s)
{
	size_t n = p->here.rows;
	enum err e = ERR_OK;
	double *D;

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
	if (p->workers)
		return workers_scale(p->workers, norm, mean, power);
	embed_scale(&p->here, norm, mean, power);
	return ERR_OK;
}
