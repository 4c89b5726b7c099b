#include "common/fedspectral/pool.h"
#include "common/base/alloc.h"

#include <stdlib.h>

static enum err degrees(void *ctx, double *degree)
{
	struct fedspectral_memory *m = ctx;
	double *own = alloc(m->n, sizeof(*own));

	for (size_t i = 0; i < m->n; i++)
		degree[i] = 0;
	for (size_t l = 0; l < m->parties; l++) {
		fedspectral_party_degrees(&m->party[l], own);
		for (size_t i = 0; i < m->n; i++)
			degree[i] += own[i];
	}
	for (size_t l = 0; l < m->parties; l++)
		fedspectral_party_join(&m->party[l], degree);
	free(own);
	return ERR_OK;
}

static void add(struct mat *Y, const struct mat *term)
{
	for (size_t i = 0; i < Y->rows * Y->cols; i++)
		Y->a[i] += term->a[i];
}

static enum err products(void *ctx, const struct mat *V, struct mat *Y)
{
	struct fedspectral_memory *m = ctx;
	struct mat term;

	mat_init(Y, V->rows, V->cols);
	mat_init(&term, m->parties > 1 ? V->rows : 0, V->cols);
	for (size_t l = 0; l < m->parties; l++) {
		struct mat *to = l ? &term : Y;

		spectral_graph_rows(&m->party[l].part, V, 0, V->rows, to->a);
		if (l)
			add(Y, &term);
	}
	mat_release(&term);
	return ERR_OK;
}

static enum err powers(void *ctx, const struct mat *V, struct mat *Y)
{
	struct fedspectral_memory *m = ctx;

	mat_init(Y, V->rows, V->cols);
	for (size_t l = 0; l < m->parties; l++) {
		struct mat term;

		mat_copy(&term, V);
		fedspectral_party_powers(&m->party[l], m->iterations, &term);
		add(Y, &term);
		mat_release(&term);
	}
	return ERR_OK;
}

static enum err cells(void *ctx, size_t k, uint32_t *label)
{
	struct fedspectral_memory *m = ctx;

	for (size_t l = 0; l < m->parties; l++)
		TRY(fedspectral_party_cells(&m->party[l], k, m->restarts, m->seed,
					    label + l * m->n));
	return ERR_OK;
}

void fedspectral_in_memory(struct fedspectral_pool *pool, struct fedspectral_memory *m)
{
	*pool = (struct fedspectral_pool){ .n = m->n,
					   .parties = m->parties,
					   .ctx = m,
					   .degrees = degrees,
					   .products = products,
					   .powers = powers,
					   .cells = cells };
}
