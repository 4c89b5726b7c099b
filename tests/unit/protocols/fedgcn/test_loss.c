/* Checks the gradient of FedGCN's loss against finite differences, and one training step. */
#include "tests/unit/protocols/fedgcn/fedgcn.h"
#include "common/base/rng.h"
#include "common/cluster/dec.h"
#include "protocols/fedgcn/train.c" /* draw_together() is static */

#include <math.h>
#include <string.h>

/* Returns the whole loss of a batch as training computes it, but in doubles. Writes the gradient by
 * the weights W and the prototypes C unless `gradient` is NULL. The targets P are held constant:
 * they are the caller's *P, or are made here if *P is empty. */
static double loss_f64(struct gin_batch_f64 *b, const struct fedgcn_params *p, const double *W,
		       const struct mat *C, struct mat *P, double *gradient)
{
	struct mat Z = { b->count, FEDGCN_Z, NULL }, dZ, dC;
	double kl, nodes;

	gin_forward_f64(b, W, true);
	nodes = (double)b->nodes;
	Z.a = b->Z;
	mat_init(&dZ, b->count, FEDGCN_Z);
	mat_init(&dC, C->rows, FEDGCN_Z);
	kl = draw_together(&Z, C, P, &dZ, &dC);
	if (gradient) {
		gin_backward_f64(b, dZ.a, p->lambda / (2 * nodes), gradient);
		memcpy(gradient + b->net->weights, dC.a, C->rows * FEDGCN_Z * sizeof(double));
	}
	mat_release(&dZ);
	mat_release(&dC);
	return kl + p->lambda * b->square / (2 * nodes);
}

/* Checks the gradient of the whole loss (KL and reconstruction) by the weights W of all layers and
 * by the prototypes C. */
TEST(test_gradient)
{
	enum { GRAPHS = 8, K = 3 };
	struct gin_batch_f64 b = { 0 };
	struct fedgcn_params p;
	struct graphs g;
	struct gin net;
	struct mat C, P = { 0 }, Q, Z = { GRAPHS, FEDGCN_Z, NULL };
	double *W, *gradient;
	struct rng rng;
	float *F;

	quick(&p, K);
	random_graphs(&g, GRAPHS, 10, 0.4, 3);
	assert_ok(graphs_features(&g, GRAPHS_STRUCTURE, 1, &F));
	gin_init(&net, GRAPHS_STRUCTURE);
	ALLOC(W, net.weights);
	ALLOC(gradient, net.weights + K * FEDGCN_Z);
	gin_draw(&net, 9, W);
	gin_open_f64(&b, &net, &g, F, NULL, GRAPHS, 1);
	gin_forward_f64(&b, W, false);
	Z.a = b.Z;
	mat_init(&C, K, FEDGCN_Z);
	rng_seed(&rng, 2, 0);
	for (size_t i = 0; i < K * FEDGCN_Z; i++)
		C.a[i] = MAT(&Z, i / FEDGCN_Z, i % FEDGCN_Z) + 0.3 * rng_normal(&rng);
	dec_soft(&Z, &C, &Q);
	dec_targets(&Q, &P);
	loss_f64(&b, &p, W, &C, &P, gradient);
	for (size_t i = 0; i < net.weights + K * FEDGCN_Z; i += 41) {
		double *w = i < net.weights ? &W[i] : &C.a[i - net.weights], was = *w;
		double best = INFINITY;

		for (double h = 1e-4; h > 1e-7; h /= 20) {
			double up, down;

			*w = was + h;
			up = loss_f64(&b, &p, W, &C, &P, NULL);
			*w = was - h;
			down = loss_f64(&b, &p, W, &C, &P, NULL);
			*w = was;
			best = fmin(best, fabs((up - down) / (2 * h) - gradient[i]));
		}
		assert_true(best < 1e-7 * (1 + fabs(gradient[i])));
	}
	gin_release_f64(&b);
	graphs_release(&g);
	mat_release(&C);
	mat_release(&P);
	mat_release(&Q);
	free(F);
	free(W);
	free(gradient);
}

/* In the first training step Adam moves each number by the rate, against the gradient. */
TEST(test_first_step)
{
	enum { GRAPHS = 10, K = 2, N = 45664 + K * FEDGCN_Z };
	struct gin_batch_f64 b = { 0 };
	struct fedgcn_params p;
	struct fedgcn_training t;
	struct graphs g;
	struct gin net;
	struct mat C, P = { 0 };
	double *W, *gradient, kl, reconstruction, loss;
	size_t weights = 0, prototypes = 0;
	float *F, *w;

	quick(&p, K);
	p.epochs = 1;
	random_graphs(&g, GRAPHS, 12, 0.4, 13);
	assert_ok(graphs_features(&g, GRAPHS_STRUCTURE, 1, &F));
	gin_init(&net, GRAPHS_STRUCTURE);
	ALLOC(W, N);
	ALLOC(w, N);
	ALLOC(gradient, N);
	gin_draw(&net, 3, W);
	gin_open_f64(&b, &net, &g, F, NULL, GRAPHS, 1);
	gin_forward_f64(&b, W, false);
	mat_init(&C, K, FEDGCN_Z);
	memcpy(C.a, b.Z, K * FEDGCN_Z * sizeof(double));
	for (size_t i = 0; i < N; i++)
		w[i] = (float)(i < 45664 ? W[i] : (C.a[i - 45664] += 0.1));
	loss = loss_f64(&b, &p, W, &C, &P, gradient);
	t = (struct fedgcn_training){ .net = &net, .g = &g, .F = F, .p = &p, .round = 1 };
	assert_ok(fedgcn_train(&t, w, &kl, &reconstruction));
	assert_float_equal(kl + p.lambda * reconstruction, loss, 1e-4 * loss);
	for (size_t i = 0; i < N; i++) {
		double was = i < 45664 ? W[i] : C.a[i - 45664];

		if (fabs(gradient[i]) < 1e-4)
			continue;
		assert_float_equal((double)w[i] - was, gradient[i] > 0 ? -p.rate : p.rate, 1e-5);
		if (i < 45664)
			weights++;
		else
			prototypes++;
	}
	assert_true(weights > 5000 && prototypes > 0);
	gin_release_f64(&b);
	graphs_release(&g);
	mat_release(&C);
	mat_release(&P);
	free(F);
	free(W);
	free(w);
	free(gradient);
}
