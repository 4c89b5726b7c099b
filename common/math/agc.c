#include "common/math/agc.h"
#include "common/math/kmeans.h"

enum err agc(struct features *X, const struct graph *g, const struct agc_params *p, uint32_t *label)
{
	struct embed_params how = {
		.filter = p->filter,
		.order = p->psi,
		.unit_basis = true,
		.dims = p->k,
		.threads = p->threads,
	};
	struct kmeans_params search = {
		.k = p->k,
		.restarts = p->restarts,
		.iterations = p->iterations,
		.seed = p->seed,
		.threads = p->threads,
	};
	struct mat Z;

	TRY(embed(X, g, &how, &Z));
	kmeans(&Z, NULL, &search, label, NULL, NULL);
	mat_release(&Z);
	return ERR_OK;
}
