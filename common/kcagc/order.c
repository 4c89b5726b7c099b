#include "common/kcagc/order.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/graph/filtered.h"
#include "common/kcagc/psi.h"

#include <stdlib.h>

/* How many entries are not 0; all, if they are too many for a sparse matrix. */
static size_t entries_of(const struct mat *F)
{
	size_t all = F->rows * F->cols, count = 0;

	for (size_t e = 0; e < all; e++)
		count += F->a[e] != 0;
	return count <= all / 4 ? count : all;
}

enum err order_begin(struct order_search *s, const struct features *X, const struct graph *g,
		     const struct embed_params *how, const struct kmeans_params *clusters)
{
	*s = (struct order_search){ .X = X, .g = g, .how = *how, .clusters = *clusters };
	s->how.order = 0;
	TRY(embed_weighed(X, how, &s->F));
	s->entries = entries_of(&s->F);
	return ERR_OK;
}

void order_end(struct order_search *s)
{
	mat_release(&s->F);
}

enum err order_decide(const double *intra, size_t known, unsigned *order)
{
	*order = psi_agc(intra, known);
	if (!*order && known >= ORDER_CAP)
		return err_set(
		    ERR_JOB,
		    "filter.order \"auto\": the intra-cluster distance falls up to order "
		    "%d, where the search ends; give job.filter.order as a number",
		    ORDER_CAP);
	return ERR_OK;
}

/* Z of the order reached. F is there, but where it pays its singular vectors come from products
 * with X all the same. */
static enum err project(const struct order_search *s, struct mat *Z)
{
	size_t n = s->F.rows, m = s->F.cols, d = n < m ? n : m;
	struct features copy = { .is_sparse = s->X->is_sparse };

	d = s->how.dims < d ? s->how.dims : d;
	if (!filtered_pays(n, m, s->entries, s->g, s->how.filter, s->how.order, d))
		return embed_project(&s->F, &s->how, Z);
	if (s->X->is_sparse)
		csr_copy(&copy.sparse, &s->X->sparse);
	else
		mat_copy(&copy.dense, &s->X->dense);
	return embed(&copy, s->g, &s->how, Z);
}

enum err order_next(struct order_search *s, double *intra)
{
	uint32_t *label = alloc(s->F.rows, sizeof(*label));
	enum err e = ERR_OK;

	for (int t = 0; t < ORDER_BLOCK && e == ERR_OK; t++) {
		struct mat Z;

		s->how.order++;
		e = graph_filter(s->g, s->how.filter, 1, s->how.threads, &s->F);
		if (e == ERR_OK)
			e = project(s, &Z);
		if (e != ERR_OK)
			break;
		kmeans(&Z, NULL, &s->clusters, label, NULL, NULL);
		intra[t] = psi_intra(&s->F, label, s->clusters.k);
		mat_release(&Z);
		progress_tick();
	}
	free(label);
	return e;
}
