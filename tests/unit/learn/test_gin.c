/* Tests the network of FedGCN: gradients versus finite differences, and invariances. */
#include "tests/test.h"
#include "tests/unit/graph/graphs.h"

#include "common/learn/gin.h"

#include <math.h>
#include <string.h>

enum { GRAPHS = 9, MOST = 14 };

struct fixture {
	struct graphs g;
	struct gin net;
	float *F;
	double *W, *dZ, *gradient; /* `gradient` is that of value() with respect to W */
	struct gin_batch_f64 b;
};

static void open_fixture(struct fixture *x, uint64_t seed)
{
	struct rng rng;

	random_graphs(&x->g, GRAPHS, MOST, 0.3, seed);
	assert_ok(graphs_features(&x->g, GRAPHS_STRUCTURE, 1, &x->F));
	gin_init(&x->net, GRAPHS_STRUCTURE);
	ALLOC(x->W, x->net.weights);
	ALLOC(x->gradient, x->net.weights);
	gin_draw(&x->net, seed, x->W);
	ALLOC(x->dZ, GRAPHS * GIN_Z);
	rng_seed(&rng, seed, 1);
	for (size_t i = 0; i < GRAPHS * GIN_Z; i++)
		x->dZ[i] = rng_normal(&rng);
	x->b = (struct gin_batch_f64){ 0 };
	gin_open_f64(&x->b, &x->net, &x->g, x->F, NULL, GRAPHS, 1);
}

static void close_fixture(struct fixture *x)
{
	gin_release_f64(&x->b);
	graphs_release(&x->g);
	free(x->F);
	free(x->W);
	free(x->gradient);
	free(x->dZ);
}

static double d_square(const struct fixture *x)
{
	return 0.7 / (double)x->b.nodes;
}

static double value(struct fixture *x)
{
	double sum = 0;

	gin_forward_f64(&x->b, x->W, true);
	for (size_t i = 0; i < GRAPHS * GIN_Z; i++)
		sum += x->dZ[i] * x->b.Z[i];
	return sum + d_square(x) * x->b.square;
}

/* Checks some weights and biases of every layer. If a ReLU changes sign within a step, that step
 * width and wider ones are inaccurate, so the smallest error of three widths counts. */
TEST(test_gradients)
{
	struct fixture x;

	open_fixture(&x, 5);
	value(&x);
	gin_backward_f64(&x.b, x.dZ, d_square(&x), x.gradient);
	for (int i = 0; i < GIN_PARTS; i++) {
		const struct gin_part *p = &x.net.part[i];
		size_t count = (p->in + 1) * p->out;
		double largest = 0, worst = 0;

		for (size_t j = 0; j < count; j++)
			largest = fmax(largest, fabs(x.gradient[p->at + j]));
		assert_true(largest > 1e-6); /* the layer has an effect */
		for (size_t j = 0; j < count; j += j < p->in * p->out ? 97 : 5) {
			double *w = &x.W[p->at + j], was = *w, best = INFINITY;

			for (double h = 1e-4; h > 1e-7; h /= 20) {
				double up, down;

				*w = was + h;
				up = value(&x);
				*w = was - h;
				down = value(&x);
				*w = was;
				best =
				    fmin(best, fabs((up - down) / (2 * h) - x.gradient[p->at + j]));
			}
			worst = fmax(worst, best / largest);
		}
		if (worst > 1e-6)
			fail_msg("part %d: the gradient is off by %g of its largest entry", i,
				 worst);
	}
	close_fixture(&x);
}

/* Results in floats agree with those in doubles. */
TEST(test_floats)
{
	struct gin_batch b = { 0 };
	struct fixture x;
	float *W, *dZ, *gradient;
	double largest = 0;

	open_fixture(&x, 6);
	ALLOC(W, x.net.weights);
	ALLOC(gradient, x.net.weights);
	ALLOC(dZ, GRAPHS * GIN_Z);
	for (size_t i = 0; i < x.net.weights; i++)
		W[i] = (float)x.W[i];
	for (size_t i = 0; i < GRAPHS * GIN_Z; i++)
		dZ[i] = (float)x.dZ[i];
	value(&x);
	gin_backward_f64(&x.b, x.dZ, d_square(&x), x.gradient);
	gin_open(&b, &x.net, &x.g, x.F, NULL, GRAPHS, 2);
	gin_forward(&b, W, true);
	gin_backward(&b, dZ, d_square(&x), gradient);
	for (size_t i = 0; i < GRAPHS * GIN_Z; i++)
		assert_float_equal(b.Z[i], x.b.Z[i], 1e-5);
	assert_true(fabs(b.square / x.b.square - 1) < 1e-5);
	for (size_t i = 0; i < x.net.weights; i++)
		largest = fmax(largest, fabs(x.gradient[i]));
	for (size_t i = 0; i < x.net.weights; i++)
		assert_float_equal(gradient[i] / largest, x.gradient[i] / largest, 1e-5);
	gin_release(&b);
	free(W);
	free(dZ);
	free(gradient);
	close_fixture(&x);
}

/* Another order of each graph's nodes gives the same embeddings, up to rounding. */
TEST(test_relabelling)
{
	struct gin_batch_f64 b = { 0 };
	struct fixture x;
	struct graphs h = { 0 };
	struct triple *t;
	uint32_t *to;
	size_t nodes, edges = 0;
	float *F;

	open_fixture(&x, 7);
	nodes = graphs_nodes(&x.g);
	h.count = x.g.count;
	ALLOC(h.first, h.count + 1);
	memcpy(h.first, x.g.first, (h.count + 1) * sizeof(*h.first));
	ALLOC(to, nodes);
	for (size_t i = 0; i < h.count; i++) /* reverse the nodes of each graph */
		for (size_t v = h.first[i]; v < h.first[i + 1]; v++)
			to[v] = (uint32_t)(h.first[i] + h.first[i + 1] - 1 - v);
	ALLOC(t, x.g.A.start[nodes]);
	for (size_t v = 0; v < nodes; v++)
		for (size_t e = x.g.A.start[v]; e < x.g.A.start[v + 1]; e++)
			t[edges++] = (struct triple){ to[v], to[x.g.A.index[e]], 1 };
	csr_from_triples(&h.A, nodes, nodes, t, edges);
	assert_ok(graphs_features(&h, GRAPHS_STRUCTURE, 2, &F));
	gin_open_f64(&b, &x.net, &h, F, NULL, GRAPHS, 1);
	gin_forward_f64(&b, x.W, true);
	value(&x);
	for (size_t i = 0; i < GRAPHS * GIN_Z; i++)
		assert_float_equal(b.Z[i], x.b.Z[i], 1e-6);
	assert_float_equal(b.square, x.b.square, 1e-5);
	gin_release_f64(&b);
	graphs_release(&h);
	free(F);
	free(t);
	free(to);
	close_fixture(&x);
}

/* Results have the same bits with one thread and with four. gin_embed() gives the embeddings of one
 * batch of all graphs, up to rounding. */
TEST(test_threads_and_batches)
{
	struct gin_batch one = { 0 }, four = { 0 };
	struct graphs g;
	struct gin net;
	float *F, *w, *dZ, *first, *second;
	struct mat Z;
	double *W;

	random_graphs(&g, 200, 30, 0.2, 8);
	assert_ok(graphs_features(&g, GRAPHS_STRUCTURE, 1, &F));
	gin_init(&net, GRAPHS_STRUCTURE);
	ALLOC(W, net.weights);
	ALLOC(w, net.weights);
	ALLOC(first, net.weights);
	ALLOC(second, net.weights);
	gin_draw(&net, 3, W);
	for (size_t i = 0; i < net.weights; i++)
		w[i] = (float)W[i];
	gin_open(&one, &net, &g, F, NULL, g.count, 1);
	gin_open(&four, &net, &g, F, NULL, g.count, 4);
	gin_forward(&one, w, true);
	gin_forward(&four, w, true);
	assert_memory_equal(one.Z, four.Z, g.count * GIN_Z * sizeof(float));
	assert_true(one.square == four.square);
	ALLOC(dZ, g.count * GIN_Z);
	for (size_t i = 0; i < g.count * GIN_Z; i++)
		dZ[i] = one.Z[i] - 0.1F;
	gin_backward(&one, dZ, 1e-3, first);
	gin_backward(&four, dZ, 1e-3, second);
	assert_memory_equal(first, second, net.weights * sizeof(float));
	gin_embed(&net, &g, F, w, 2, &Z);
	for (size_t i = 0; i < g.count * GIN_Z; i++)
		assert_float_equal(Z.a[i], one.Z[i], 1e-5);
	mat_release(&Z);
	gin_release(&one);
	gin_release(&four);
	graphs_release(&g);
	free(F);
	free(W);
	free(w);
	free(dZ);
	free(first);
	free(second);
}

TEST(test_layout)
{
	struct gin net;
	size_t at = 0;

	gin_init(&net, GRAPHS_STRUCTURE);
	assert_int_equal(net.weights, 45664);
	for (int i = 0; i < GIN_PARTS; i++) {
		assert_int_equal(net.part[i].at, at);
		at += (net.part[i].in + 1) * net.part[i].out;
	}
	assert_int_equal(net.shared, 45664 - 65 * 32 - 65 * 64);
}
