#include "lab/pooled/agc.h"
#include "common/cluster/kmeans.h"
#include "protocols/kcagc/embed.h"
#include "protocols/kcagc/order_search.h"

#include <string.h>

static struct embed_params agc_embedding(const struct agc_params *p)
{
	return (struct embed_params){
		.filter = p->filter,
		.order = p->psi,
		.unit_basis = true,
		.dims = p->k,
		.threads = p->threads,
	};
}

static struct kmeans_params agc_search(const struct agc_params *p)
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
	struct embed_params how = agc_embedding(p);
	struct kmeans_params clusters = agc_search(p);
	struct order_search s;
	double intra[ORDER_CAP], term[ORDER_WORDS];
	unsigned rule;
	enum err e = order_begin(&s, X, g, &how, &clusters);

	s.alone = true;
	*psi = 0;
	for (size_t known = ORDER_BLOCK; e == ERR_OK && !*psi; known += ORDER_BLOCK) {
		e = order_next(&s, term);
		if (e != ERR_OK)
			break;
		memcpy(intra + known - ORDER_BLOCK, term, ORDER_BLOCK * sizeof(*intra));
		e = order_decide(intra, NULL, known, &rule, psi);
	}
	order_end(&s);
	return e;
}

enum err agc(struct features *X, const struct graph *g, const struct agc_params *p, uint32_t *label)
{
	struct embed_params how = agc_embedding(p);
	struct kmeans_params clusters = agc_search(p);
	struct mat Z;

	TRY(embed(X, g, &how, &Z));
	kmeans(&Z, NULL, &clusters, label, NULL, NULL);
	mat_release(&Z);
	return ERR_OK;
}
