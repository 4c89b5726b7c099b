#include "common/kcagc/agc.h"
#include "common/cluster/kmeans.h"
#include "common/kcagc/order.h"

static struct embed_params embedding(const struct agc_params *p)
{
	return (struct embed_params){
		.filter = p->filter,
		.order = p->psi,
		.unit_basis = true,
		.dims = p->k,
		.threads = p->threads,
	};
}

static struct kmeans_params search(const struct agc_params *p)
{
	return (struct kmeans_params){
		.k = p->k,
		.restarts = p->restarts,
		.iterations = p->iterations,
		.seed = p->seed,
		.threads = p->threads,
	};
}

enum err agc_order(const struct features *X, const struct graph *g, const struct agc_params *p,
		   unsigned *psi)
{
	struct embed_params how = embedding(p);
	struct kmeans_params clusters = search(p);
	struct order_search s;
	double intra[ORDER_CAP];
	enum err e = order_begin(&s, X, g, &how, &clusters);

	*psi = 0;
	for (size_t known = ORDER_BLOCK; e == ERR_OK && !*psi; known += ORDER_BLOCK) {
		e = order_next(&s, intra + known - ORDER_BLOCK);
		if (e == ERR_OK)
			e = order_decide(intra, known, psi);
	}
	order_end(&s);
	return e;
}

enum err agc(struct features *X, const struct graph *g, const struct agc_params *p, uint32_t *label)
{
	struct embed_params how = embedding(p);
	struct kmeans_params clusters = search(p);
	struct mat Z;

	TRY(embed(X, g, &how, &Z));
	kmeans(&Z, NULL, &clusters, label, NULL, NULL);
	mat_release(&Z);
	return ERR_OK;
}
