#include "common/math/order.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/math/psi.h"

#include <stdlib.h>

enum err order_begin(struct order_search *s, const struct features *X, const struct graph *g,
		     const struct embed_params *how, const struct kmeans_params *clusters)
{
	*s = (struct order_search){ .g = g, .how = *how, .clusters = *clusters };
	return embed_weighed(X, how, &s->F);
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

enum err order_next(struct order_search *s, double *intra)
{
	uint32_t *label = alloc(s->F.rows, sizeof(*label));
	enum err e = ERR_OK;

	for (int t = 0; t < ORDER_BLOCK && e == ERR_OK; t++) {
		struct mat Z;

		e = graph_filter(s->g, s->how.filter, 1, s->how.threads, &s->F);
		if (e == ERR_OK)
			e = embed_project(&s->F, &s->how, &Z);
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
