#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/learn/gin.h"
#include "common/cluster/dec.h"
#include "protocols/fedgcn/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct working {
	const struct fedgcn_training *t;
	float *W; /* the weights, then C */
	size_t weights, count;
	struct gin_batch batch;
	struct mat C;
	float *gradient, *dZ;
	struct adam adam;
};

/* Returns the KL divergence of the soft assignment of Z to C from its targets P; sets its gradients
 * dZ and dC. Computes P if P->a is NULL. */
static double draw_together(const struct mat *Z, const struct mat *C, struct mat *P, struct mat *dZ,
			    struct mat *dC)
{
	struct mat Q;
	double kl;

	dec_soft(Z, C, &Q);
	if (!P->a)
		dec_targets(&Q, P);
	kl = dec_loss(Z, C, &Q, P, dZ, dC);
	mat_release(&Q);
	return kl;
}

static enum err train_batch(struct working *w, const uint32_t *graph, size_t count, double *kl,
			    double *reconstruction)
{
	const struct fedgcn_training *t = w->t;
	struct mat Z, dZ, dC, P = { 0 };
	double nodes;

	gin_open(&w->batch, t->net, t->g, t->F, graph, count, t->p->threads);
	gin_forward(&w->batch, w->W, true);
	nodes = (double)w->batch.nodes;
	mat_init(&Z, count, FEDGCN_Z);
	mat_init(&dZ, count, FEDGCN_Z);
	mat_init(&dC, w->C.rows, FEDGCN_Z);
	for (size_t i = 0; i < Z.rows * Z.cols; i++)
		Z.a[i] = w->batch.Z[i];
	for (size_t i = 0; i < w->C.rows * FEDGCN_Z; i++)
		w->C.a[i] = w->W[w->weights + i];
	*kl = draw_together(&Z, &w->C, &P, &dZ, &dC);
	for (size_t i = 0; i < Z.rows * Z.cols; i++)
		w->dZ[i] = (float)dZ.a[i];
	for (size_t i = 0; i < w->C.rows * FEDGCN_Z; i++)
		w->gradient[w->weights + i] = (float)dC.a[i];
	mat_release(&Z);
	mat_release(&dZ);
	mat_release(&dC);
	mat_release(&P);
	*reconstruction = w->batch.square / (2 * nodes);
	if (!isfinite(*kl) || !isfinite(*reconstruction))
		return err_set(ERR_JOB,
			       "round %u: the loss explodes: KL %g, reconstruction %g; a smaller "
			       "rate than %g may help",
			       t->round, *kl, *reconstruction, t->p->rate);
	gin_backward(&w->batch, w->dZ, t->p->lambda / (2 * nodes), w->gradient);
	for (size_t i = 0; t->joint && i < w->weights; i++) /* FedProx: mu/2 ||W - W_joint||^2 */
		w->gradient[i] += (float)t->p->mu * (w->W[i] - t->joint[i]);
	adam_step(&w->adam, t->p->rate, w->gradient, w->W);
	progress_tick();
	return progress_check();
}

static enum err check_weights(const struct working *w)
{
	for (size_t i = 0; i < w->count; i++) {
		bool weight = i < w->weights;
		double most = weight ? FEDGCN_WEIGHT_MAX : FEDGCN_Z_MAX;

		if (!(fabs((double)w->W[i]) <= most))
			return err_set(ERR_JOB,
				       "round %u: %s %zu explodes to %g, beyond %g; a smaller rate "
				       "than %g may help",
				       w->t->round, weight ? "weight" : "prototypes' entry",
				       weight ? i : i - w->weights, (double)w->W[i], most,
				       w->t->p->rate);
	}
	return ERR_OK;
}

enum err fedgcn_train(const struct fedgcn_training *t, float *W, double *kl, double *reconstruction)
{
	struct working w = { .t = t, .W = W, .weights = t->net->weights };
	size_t n = t->g->count, batch = t->p->batch, batches = (n + batch - 1) / batch;
	enum err err = ERR_OK;
	uint32_t *order;
	struct rng rng;

	w.count = w.weights + t->p->k * (size_t)FEDGCN_Z;
	mat_init(&w.C, t->p->k, FEDGCN_Z);
	adam_init(&w.adam, w.count);
	ALLOC(w.gradient, w.count);
	ALLOC(w.dZ, (size_t)t->p->batch * FEDGCN_Z);
	ALLOC(order, n);
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	rng_seed(&rng, t->p->seed, 0x100000 + t->round);
	for (unsigned e = 0; e < t->p->epochs && !err; e++) {
		rng_shuffle(&rng, order, n);
		*kl = *reconstruction = 0;
		for (size_t first = 0; first < n && !err; first += batch) {
			size_t count = n - first < batch ? n - first : batch;
			double a, b;

			err = train_batch(&w, order + first, count, &a, &b);
			*kl += a;
			*reconstruction += b;
		}
		*kl /= (double)batches;
		*reconstruction /= (double)batches;
		if (!err && t->epoch && e + 1 < t->p->epochs)
			t->epoch(t->arg, e, W);
	}
	if (!err)
		err = check_weights(&w);
	gin_release(&w.batch);
	mat_release(&w.C);
	adam_release(&w.adam);
	free(w.gradient);
	free(w.dZ);
	free(order);
	return err;
}
