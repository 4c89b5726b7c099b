/* FedGCN: what its sums come to, against the same thing without a federation; what it refuses. */
#include "tests/test.h"
#include "tests/unit/math/graphs.h"

#include "common/base/rng.h"
#include "common/math/dec.h"
#include "common/math/fedgcn_own.h"
#include "common/math/fedgcn_pool.h"
#include "common/math/gmm.h"
#include "common/math/la.h"
#include "common/math/metrics.h"

#include <math.h>
#include <string.h>

enum { PARTIES_MOST = 3 };

struct federation {
	struct graphs g[PARTIES_MOST];
	struct fedgcn_party party[PARTIES_MOST];
	struct fedgcn_memory memory;
	struct fedgcn_pool pool;
	struct fedgcn_report report;
};

static void quick(struct fedgcn_params *p, unsigned k)
{
	fedgcn_defaults(p, k, 1, 2);
	p->rounds = 3;
	p->epochs = 2;
	p->batch = 16;
	p->min_cluster = 2;
}

static void open_federation(struct federation *f, const struct fedgcn_params *p, size_t parties,
			    uint64_t seed)
{
	for (size_t l = 0; l < parties; l++) {
		random_graphs(&f->g[l], 30 + 7 * l, 6 + 10 * l, 0.3, seed + l);
		assert_ok(fedgcn_party_init(&f->party[l], &f->g[l], p));
	}
	f->memory = (struct fedgcn_memory){ f->party, parties, 24 };
	fedgcn_in_memory(&f->pool, &f->memory);
	f->report = (struct fedgcn_report){ 0 };
}

static void close_federation(struct federation *f)
{
	fedgcn_report_release(&f->report);
	for (size_t l = 0; l < f->memory.parties; l++) {
		fedgcn_party_release(&f->party[l]);
		graphs_release(&f->g[l]);
	}
}

static void run_federation(struct federation *f, const struct fedgcn_params *p, size_t parties,
			   uint64_t seed)
{
	open_federation(f, p, parties, seed);
	assert_ok(fedgcn_run(&f->pool, p, &f->report));
}

/* ---- the loss ---- */

/* The whole loss, KL and reconstruction, by the weights of every layer and by C. */
static void test_gradient(void **state)
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

	(void)state;
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
	fedgcn_loss_f64(&b, &p, W, &C, &P, gradient);
	for (size_t i = 0; i < net.weights + K * FEDGCN_Z; i += 41) {
		double *w = i < net.weights ? &W[i] : &C.a[i - net.weights], was = *w;
		double best = INFINITY;

		for (double h = 1e-4; h > 1e-7; h /= 20) {
			double up, down;

			*w = was + h;
			up = fedgcn_loss_f64(&b, &p, W, &C, &P, NULL);
			*w = was - h;
			down = fedgcn_loss_f64(&b, &p, W, &C, &P, NULL);
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

/* What training really does: Adam's first step has the length of the rate, against the gradient, in
 * floats. */
static void test_first_step(void **state)
{
	enum { GRAPHS = 10, K = 2, N = 45664 + K * FEDGCN_Z };
	struct gin_batch_f64 b = { 0 };
	struct fedgcn_params p;
	struct fedgcn_training t;
	struct graphs g;
	struct gin net;
	struct mat C, P = { 0 };
	double *W, *gradient, kl, reconstruction, loss;
	size_t checked = 0;
	float *F, *w;

	(void)state;
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
	loss = fedgcn_loss_f64(&b, &p, W, &C, &P, gradient);
	t = (struct fedgcn_training){ &net, &g, F, &p, NULL, 1 };
	assert_ok(fedgcn_train(&t, w, &kl, &reconstruction));
	assert_float_equal(kl + p.lambda * reconstruction, loss, 1e-4 * loss);
	for (size_t i = 0; i < N; i++) {
		double was = i < 45664 ? W[i] : C.a[i - 45664];

		if (fabs(gradient[i]) < 1e-4)
			continue;
		assert_float_equal((double)w[i] - was, gradient[i] > 0 ? -p.rate : p.rate, 1e-5);
		checked += i >= 45664 ? 1000000 : 1;
	}
	assert_true(checked > 1000000 + 5000); /* weights and prototypes */
	gin_release_f64(&b);
	graphs_release(&g);
	mat_release(&C);
	mat_release(&P);
	free(F);
	free(W);
	free(w);
	free(gradient);
}

/* ---- sums ---- */

/* A federation of one is a party that trains alone: what fixed point takes from the weights is less
 * than what floats do. */
static void test_one_party(void **state)
{
	struct federation one, alone;
	struct fedgcn_params p;

	(void)state;
	quick(&p, 2);
	run_federation(&one, &p, 1, 5);
	p.sharing = FEDGCN_LOCAL;
	run_federation(&alone, &p, 1, 5);
	for (size_t i = 0; i < 45664; i++)
		assert_float_equal(one.report.W[i], alone.report.W[i], 2e-5);
	for (unsigned t = 0; t < p.rounds; t++) {
		assert_float_equal(one.report.kl[t], alone.report.kl[t], 1e-5);
		assert_float_equal(one.report.changed[t], alone.report.changed[t], 0);
	}
	assert_memory_equal(one.party[0].label, alone.party[0].label,
			    one.g[0].count * sizeof(uint32_t));
	close_federation(&one);
	close_federation(&alone);
}

/* A pool that keeps what each party says in TRAIN, and adds it up in doubles. */
struct keeping {
	struct federation *f;
	double *said[PARTIES_MOST];
};

static enum err ask_and_keep(void *ctx, const struct fedgcn_question *q, double *x)
{
	struct keeping *k = ctx;
	size_t n = fedgcn_up(&k->f->party[0].p, q->kind);

	memset(x, 0, n * sizeof(*x));
	for (size_t l = 0; l < k->f->memory.parties; l++) {
		double *term = alloc(n, sizeof(*term));

		assert_ok(fedgcn_answer(&k->f->party[l], q, term));
		for (size_t i = 0; i < n; i++)
			x[i] += term[i];
		if (q->kind == FEDGCN_TRAIN) {
			free(k->said[l]);
			k->said[l] = term;
		} else {
			free(term);
		}
	}
	return ERR_OK;
}

/* FedAvg: joint weights are the parties' own, weighted by graphs; matched prototypes theirs,
 * weighted by the graphs of each cluster. And fixed point with 24 bits gives the same to 1e-6. */
static void test_mean(void **state)
{
	enum { W = 45664, K = 2 };
	struct federation f, fixed;
	struct fedgcn_params p;
	struct keeping keep = { &f, { NULL } };
	struct fedgcn_pool pool = { .parties = 3, .ctx = &keep, .ask = ask_and_keep };
	double n = 0, apart = 0;

	(void)state;
	quick(&p, K);
	p.rounds = 1;
	open_federation(&f, &p, 3, 7);
	assert_ok(fedgcn_run(&pool, &p, &f.report));
	run_federation(&fixed, &p, 3, 7);
	for (size_t l = 0; l < 3; l++)
		n += (double)f.g[l].count;
	for (size_t i = 0; i < W; i++) {
		double sum = 0;

		for (size_t l = 0; l < 3; l++)
			sum += keep.said[l][i];
		assert_float_equal(f.report.W[i], sum / n, 1e-12);
		assert_float_equal(fixed.report.W[i], sum / n, 1e-6);
		apart = fmax(apart, fabs(keep.said[0][i] / (double)f.g[0].count -
					 keep.said[1][i] / (double)f.g[1].count));
	}
	assert_true(apart > 1e-3); /* parties do differ */
	for (size_t r = 0; r < K; r++) {
		double graphs = 0, sum = 0;

		for (size_t l = 0; l < 3; l++) {
			graphs += keep.said[l][W + 4 + r];
			sum += keep.said[l][W + 4 + K + r * FEDGCN_Z];
		}
		assert_float_equal(MAT(&f.report.C, r, 0), sum / graphs, 1e-12);
	}
	for (size_t l = 0; l < 3; l++)
		free(keep.said[l]);
	close_federation(&f);
	close_federation(&fixed);
}

/* Steps of EM on prototypes by sums over parties, against one that has them all. */
static void test_em(void **state)
{
	enum { N = 12, K = 3 };
	size_t words = K * (1 + FEDGCN_Z + FEDGCN_TRIANGLE);
	double *component, *other, *pooled, *sum, *term;
	struct mat U, C, D;
	struct rng rng;

	(void)state;
	mat_init(&U, N, FEDGCN_Z);
	rng_seed(&rng, 8, 0);
	for (size_t i = 0; i < N * FEDGCN_Z; i++)
		U.a[i] = rng_normal(&rng) + 3 * (double)(i / FEDGCN_Z % K);
	mat_init(&C, K, FEDGCN_Z);
	memcpy(C.a, U.a, K * FEDGCN_Z * sizeof(double));
	mat_copy(&D, &C);
	ALLOC(component, K * FEDGCN_COMPONENT);
	ALLOC(other, K * FEDGCN_COMPONENT);
	ALLOC(pooled, words);
	ALLOC(sum, words);
	ALLOC(term, words);
	fedgcn_em_begin(&C, 2, component);
	fedgcn_em_begin(&D, 2, other);
	for (int t = 0; t < 8; t++) {
		memset(pooled, 0, words * sizeof(double));
		memset(sum, 0, words * sizeof(double));
		for (size_t i = 0; i < N; i++)
			fedgcn_em_terms(K, component, ROW(&U, i), pooled);
		for (size_t l = 0; l < N / K; l++) { /* parties of K prototypes */
			memset(term, 0, words * sizeof(double));
			for (size_t r = 0; r < K; r++)
				fedgcn_em_terms(K, other, ROW(&U, l * K + r), term);
			for (size_t i = 0; i < words; i++)
				sum[i] += nearbyint(ldexp(term[i], 24)) / ldexp(1, 24);
		}
		assert_ok(fedgcn_em_step(K, pooled, 0.1, &C, component));
		assert_ok(fedgcn_em_step(K, sum, 0.1, &D, other));
	}
	for (size_t i = 0; i < K * FEDGCN_Z; i++)
		assert_float_equal(C.a[i], D.a[i], 1e-5);
	for (size_t r = 0; r < K; r++) { /* and it has found the three places */
		double mean = 0;

		for (size_t j = 0; j < FEDGCN_Z; j++)
			mean += MAT(&C, r, j) / FEDGCN_Z;
		assert_float_equal(mean, 3 * (double)r, 0.3);
	}
	mat_release(&U);
	mat_release(&C);
	mat_release(&D);
	free(component);
	free(other);
	free(pooled);
	free(sum);
	free(term);
}

/* The density of a component is that of a Gaussian of its covariance, tempered. */
static void test_component(void **state)
{
	double sum[1 + FEDGCN_Z + FEDGCN_TRIANGLE] = { 0 }, c[FEDGCN_COMPONENT] = { 0 };
	const double *P = c + 2 + FEDGCN_Z;
	struct mat C;

	(void)state;
	mat_init(&C, 1, FEDGCN_Z);
	sum[0] = 2; /* prototypes at +-1 in the first dimension: variance 1 there, else the floor */
	sum[1 + FEDGCN_Z] = 2;
	assert_ok(fedgcn_em_step(1, sum, 0.5, &C, c));
	assert_float_equal(P[0], 4.0 / 64 / 1.5, 1e-9);
	assert_float_equal(P[1], 0, 1e-9);
	assert_float_equal(P[2], 4.0 / 64 / 0.5, 1e-9);
	assert_float_equal(c[0], -4.0 / 64 / 2 * (log(1.5) + 63 * log(0.5)), 1e-9);
	assert_true(c[1] == 1);
	mat_release(&C);
}

/* ---- prototypes in clear ---- */

/* Two groups of uploads far apart: KDE puts the prototypes there, whatever is withheld. */
static void test_kde(void **state)
{
	enum { PARTIES = 4, K = 2 };
	struct fedgcn_params p;
	struct mat C;
	double *x;
	size_t words;

	(void)state;
	quick(&p, K);
	words = fedgcn_upload_words(&p);
	ALLOC(x, PARTIES * words);
	for (size_t l = 0; l < PARTIES; l++) {
		for (size_t r = 0; r < K; r++) {
			for (size_t j = 0; j < FEDGCN_Z; j++)
				x[l * words + r * FEDGCN_Z + j] =
				    10 * (double)r + 0.1 * (double)((l + j) % 3);
			x[l * words + K * FEDGCN_Z + r] = 5;
		}
		x[l * words + words - 1] = 0.1 * (double)l;
	}
	x[K * FEDGCN_Z + 1] = 0; /* withheld: its numbers mean nothing */
	for (size_t j = 0; j < FEDGCN_Z; j++)
		x[FEDGCN_Z + j] = 1e6;
	mat_init(&C, K, FEDGCN_Z);
	for (size_t j = 0; j < FEDGCN_Z; j++)
		MAT(&C, 1, j) = 7;
	fedgcn_kde(&p, PARTIES, x, &C);
	for (size_t j = 0; j < FEDGCN_Z; j++) {
		assert_float_equal(MAT(&C, 0, j), 0.1, 0.15);
		assert_float_equal(MAT(&C, 1, j), 10.1, 0.15);
	}
	x[3 * words + K * FEDGCN_Z] = 0; /* the clearest party withholds its first */
	fedgcn_best(&p, PARTIES, x, &C);
	for (size_t j = 0; j < FEDGCN_Z; j++) {
		assert_float_equal(MAT(&C, 0, j), 0.1, 0.15);
		assert_true(MAT(&C, 1, j) == x[3 * words + FEDGCN_Z + j]);
	}
	mat_release(&C);
	free(x);
}

/* ---- runs ---- */

/* Each way of sharing, each kind of prototype, both final clusterings: a good end, labels below k,
 * sizes that add up, and a model that says of the same graphs what the run said. */
static void test_all_ways(void **state)
{
	(void)state;
	for (int way = 0; way < 20; way++) {
		struct federation f;
		struct fedgcn_params p;
		double sum = 0;

		quick(&p, 2 + (unsigned)way % 2);
		p.rounds = 2;
		p.em = 3;
		p.prototypes = (enum fedgcn_prototypes)(way % 5);
		p.sharing = (enum fedgcn_sharing)(way / 5);
		p.final = way % 3 ? FEDGCN_MIXTURE : FEDGCN_KMEANS;
		run_federation(&f, &p, 2, 11);
		assert_int_equal(f.report.rounds, 2);
		for (size_t r = 0; r < p.k; r++)
			sum += f.report.size[r];
		assert_true(sum == f.report.n);
		for (size_t l = 0; l < 2; l++) {
			struct fedgcn_model m;
			uint32_t *label;

			ALLOC(label, f.g[l].count);
			assert_ok(fedgcn_party_model(&f.party[l], &m));
			assert_ok(fedgcn_model_check(&m));
			assert_ok(fedgcn_assign(&m, &f.g[l], 1, label));
			assert_memory_equal(label, f.party[l].label, f.g[l].count * sizeof(*label));
			for (size_t i = 0; i < f.g[l].count; i++)
				assert_true(label[i] < p.k);
			free(label);
			fedgcn_model_release(&m);
		}
		close_federation(&f);
	}
}

/* The same bits for any threads; other bits for another seed. */
static void test_same_bits(void **state)
{
	struct federation a, b;
	struct fedgcn_params p;

	(void)state;
	quick(&p, 3);
	run_federation(&a, &p, 2, 20);
	p.threads = 1;
	run_federation(&b, &p, 2, 20);
	assert_memory_equal(a.report.W, b.report.W, 45664 * sizeof(double));
	assert_memory_equal(a.report.C.a, b.report.C.a, 3 * FEDGCN_Z * sizeof(double));
	assert_memory_equal(a.party[1].label, b.party[1].label, a.g[1].count * sizeof(uint32_t));
	close_federation(&b);
	p.seed = 2;
	run_federation(&b, &p, 2, 20);
	assert_true(memcmp(a.report.W, b.report.W, 45664 * sizeof(double)) != 0);
	close_federation(&a);
	close_federation(&b);
}

/* Paths of 4 to 7 nodes and cliques of 12 to 15: two kinds that anybody can tell apart. */
static void test_two_kinds(void **state)
{
	struct fedgcn_params p;
	struct fedgcn_party party;
	struct fedgcn_memory memory = { &party, 1, 24 };
	struct fedgcn_report report;
	struct fedgcn_pool pool;
	struct graphs both = { .count = 80 };
	struct triple *t;
	struct metrics score;
	uint32_t truth[80];
	size_t nodes, edges = 0;

	(void)state;
	ALLOC(both.first, 81);
	for (size_t i = 0; i < 80; i++)
		both.first[i + 1] = both.first[i] + (i < 40 ? 4 : 12) + i % 4;
	nodes = both.first[80];
	ALLOC(t, nodes * 16);
	for (size_t i = 0; i < 80; i++) {
		truth[i] = i >= 40;
		for (size_t u = both.first[i]; u < both.first[i + 1]; u++)
			for (size_t v = both.first[i]; v < both.first[i + 1]; v++)
				if (u != v && (truth[i] || u + 1 == v || v + 1 == u))
					t[edges++] = (struct triple){ (uint32_t)u, (uint32_t)v, 1 };
	}
	csr_from_triples(&both.A, nodes, nodes, t, edges);
	quick(&p, 2);
	assert_ok(fedgcn_party_init(&party, &both, &p));
	fedgcn_in_memory(&pool, &memory);
	assert_ok(fedgcn_run(&pool, &p, &report));
	assert_ok(metrics_of(truth, party.label, 80, &score));
	assert_true(score.acc > 0.95);
	assert_true(report.reconstruction[2] < report.reconstruction[0]);
	fedgcn_report_release(&report);
	fedgcn_party_release(&party);
	graphs_release(&both);
	free(t);
}

/* ---- what is refused ---- */

/* A rate far too large: the sentence has the round and the value; the party keeps its last model.
 */
static void test_explosion(void **state)
{
	struct federation f;
	struct fedgcn_params p;
	struct fedgcn_model m;

	(void)state;
	quick(&p, 2);
	p.rate = 1;
	p.rounds = 10;
	p.epochs = 200;
	open_federation(&f, &p, 1, 30);
	assert_err(fedgcn_party_model(&f.party[0], &m), ERR_JOB, "no round has begun");
	assert_err(fedgcn_run(&f.pool, &p, &f.report), ERR_JOB, "explodes");
	assert_non_null(strstr(err_detail(), "party 0: round "));
	assert_ok(fedgcn_party_model(&f.party[0], &m));
	assert_ok(fedgcn_model_check(&m));
	assert_non_null(f.report.W);
	for (size_t i = 0; i < 45664; i++)
		assert_true(isfinite(f.report.W[i]));
	fedgcn_model_release(&m);
	close_federation(&f);
}

static enum err ask(struct fedgcn_party *party, enum fedgcn_kind kind, unsigned round, double first)
{
	size_t down = fedgcn_down(&party->p, kind);
	double *x = alloc(fedgcn_up(&party->p, kind), sizeof(*x)), *y = alloc(down, sizeof(*y));
	struct fedgcn_question q = { kind, round, y };
	enum err err;

	y[0] = first;
	err = fedgcn_answer(party, &q, x);
	free(x);
	free(y);
	return err;
}

static void test_questions(void **state)
{
	struct fedgcn_party party;
	struct fedgcn_params p;
	struct graphs g;

	(void)state;
	quick(&p, 2);
	p.rounds = 1;
	random_graphs(&g, 20, 6, 0.5, 1);
	assert_ok(fedgcn_party_init(&party, &g, &p));
	assert_err(ask(&party, FEDGCN_TRAIN, 1, 0), ERR_PEER, "train of round 1 is not due");
	assert_err(ask(&party, FEDGCN_START, 0, NAN), ERR_PEER, "number 0 of 45664 is nan");
	assert_err(ask(&party, FEDGCN_START, 0, -1e9), ERR_PEER, "beyond");
	assert_ok(ask(&party, FEDGCN_START, 0, 0.1));
	assert_err(ask(&party, FEDGCN_START, 0, 0.1), ERR_PEER, "start of round 0 is not due");
	assert_err(ask(&party, FEDGCN_CENTRES, 0, 3), ERR_PEER, "3 centres of at most 2");
	assert_err(ask(&party, FEDGCN_CENTRES, 0, 0.5), ERR_PEER, "0.5 centres");
	for (unsigned t = 0; t < fedgcn_centre_rounds(&p); t++)
		assert_ok(ask(&party, FEDGCN_CENTRES, 0, 2));
	assert_err(ask(&party, FEDGCN_CENTRES, 0, 2), ERR_PEER, "centres of round 0 is not due");
	assert_err(ask(&party, FEDGCN_FINAL, 0, 0), ERR_PEER, "final of round 0 is not due");
	assert_err(ask(&party, FEDGCN_TRAIN, 2, 0), ERR_PEER, "train of round 2 is not due");
	assert_ok(ask(&party, FEDGCN_TRAIN, 1, 0.1));
	assert_err(ask(&party, FEDGCN_EM, 1, 0), ERR_PEER, "em of round 1 is not due");
	assert_err(ask(&party, FEDGCN_TRAIN, 2, 0), ERR_PEER, "train of round 2 is not due");
	assert_ok(ask(&party, FEDGCN_FINAL, 1, 0.1));
	assert_err(ask(&party, FEDGCN_FINAL, 1, 0.1), ERR_PEER, "final of round 1 is not due");
	fedgcn_party_release(&party);
	graphs_release(&g);
}

static void test_refused(void **state)
{
	struct fedgcn_party party;
	struct fedgcn_params p;
	struct graphs g;

	(void)state;
	random_graphs(&g, 3, 4, 0.5, 1);
	quick(&p, 4);
	assert_err(fedgcn_party_init(&party, &g, &p), ERR_INPUT, "3 graphs for 4 clusters");
	fedgcn_party_release(&party);
	quick(&p, 2);
	p.features = GRAPHS_DRAWING;
	mat_release(&g.attribute);
	assert_err(fedgcn_party_init(&party, &g, &p), ERR_INPUT, "two coordinates");
	fedgcn_party_release(&party);
	p.features = GRAPHS_STRUCTURE;
	p.rate = NAN;
	assert_err(fedgcn_params_check(&p), ERR_INPUT, "rate nan");
	graphs_release(&g);
}

/* Prototypes of few graphs stay at home: with a least of all graphs but one nobody says anything.
 */
static void test_min_cluster(void **state)
{
	struct federation f;
	struct fedgcn_params p;

	(void)state;
	quick(&p, 3);
	p.min_cluster = 29;
	run_federation(&f, &p, 1, 40);
	assert_true(f.report.withheld >= 2);
	close_federation(&f);
}

/* The final mixture stands where EM settles, not where it became slow: of clusters that overlap, as
 * those of graphs do, that is elsewhere. */
static void test_settled(void **state)
{
	enum { N = 800, AXES = 3 };
	struct fedgcn_model m = { .k = 2 };
	struct gmm_params how = {
		.k = 2, .restarts = 5, .iterations = 5000, .tolerance = 1e-12, .ridge = 1e-2
	};
	uint32_t label[N];
	struct fedgcn_params p;
	struct mat Z, X;
	struct gmm g;
	struct rng rng;

	(void)state;
	quick(&p, 2);
	how.seed = p.seed;
	rng_seed(&rng, 5, 0);
	mat_init(&Z, N, FEDGCN_Z);
	mat_init(&m.C, 2, FEDGCN_Z);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < AXES; j++)
			MAT(&Z, i, j) = (i % 3 ? 0.5 : 1.2) * (double)(AXES - j) * rng_normal(&rng);
	assert_ok(fedgcn_cluster(&p, &Z, &m, label));
	mat_init(&X, N, AXES);
	for (size_t i = 0; i < N; i++)
		for (size_t a = 0; a < AXES; a++)
			for (size_t j = 0; j < FEDGCN_Z; j++)
				MAT(&X, i, a) +=
				    (MAT(&Z, i, j) - m.mean[j]) * m.axis[a * FEDGCN_Z + j];
	gmm_fit(&X, &how, &g);
	assert_float_equal(fmin(m.share[0], m.share[1]), fmin(g.share[0], g.share[1]), 0.01);
	gmm_release(&g);
	mat_release(&X);
	mat_release(&Z);
	fedgcn_model_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gradient),  cmocka_unit_test(test_first_step),
		cmocka_unit_test(test_one_party), cmocka_unit_test(test_mean),
		cmocka_unit_test(test_em),        cmocka_unit_test(test_component),
		cmocka_unit_test(test_kde),       cmocka_unit_test(test_all_ways),
		cmocka_unit_test(test_same_bits), cmocka_unit_test(test_two_kinds),
		cmocka_unit_test(test_explosion), cmocka_unit_test(test_questions),
		cmocka_unit_test(test_refused),   cmocka_unit_test(test_min_cluster),
		cmocka_unit_test(test_settled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
