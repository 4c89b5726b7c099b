/* Compares the joint k-means from one sum of inner products with plain Lloyd over the points. */
#include "protocols/kcagc/coordinator/joint.h"
#include "common/base/rng.h"
#include "protocols/kcagc/job.h"
#include "tests/unit/server/run/fake.h"

#include <math.h>

enum { MEMBERS = 2, ROOT = 2, FRACTION = 40 };

struct trial {
	size_t m, d;                    /* items, and their dimensions */
	unsigned K, R, Q, screen, keep; /* K clusters; see plain_lloyd() */
	double *Y, *weight;             /* Y: m x d; weight: m */
	uint32_t *start;                /* R x m: labels of the R starts; K means no cluster */
	struct rng rng;
	/* result of plain Lloyd */
	uint32_t *best;
	double inertia;
	size_t emptied; /* times that plain Lloyd found a cluster without items */
};

/* Makes partial starts: items may have no cluster, and clusters no item. */
static void trial_open(struct trial *t, uint64_t seed, size_t m, size_t d, unsigned K)
{
	*t = (struct trial){ .m = m, .d = d, .K = K, .R = 6, .Q = 4 };
	rng_seed(&t->rng, seed, 0);
	t->screen = seed % 3 ? 0 : 1;
	t->keep = t->screen ? 1 : t->R;
	ALLOC(t->Y, m * d);
	ALLOC(t->weight, m);
	ALLOC(t->start, t->R * m);
	ALLOC(t->best, m);
	for (size_t i = 0; i < m * d; i++)
		t->Y[i] = rng_normal(&t->rng);
	for (size_t i = 0; i < m; i++)
		t->weight[i] = (double)(1 + rng_below(&t->rng, 5));
	for (size_t i = 0; i < t->R * m; i++)
		t->start[i] = K;
	for (size_t i = 0; i < t->R * (K + 2); i++)
		t->start[i / (K + 2) * m + rng_below(&t->rng, m)] = (uint32_t)rng_below(&t->rng, K);
	for (unsigned r = 0; r < t->R; r++) /* at least one centre in each start */
		t->start[r * m + rng_below(&t->rng, m)] = 0;
}

static void trial_close(struct trial *t)
{
	free(t->Y);
	free(t->weight);
	free(t->start);
	free(t->best);
}

/* ---- plain Lloyd ---- */

/* Computes the mean of each cluster's items. A cluster without items keeps its centre and is
 * counted. */
static void plain_centres(struct trial *t, const uint32_t *label, double *mu)
{
	for (unsigned c = 0; c < t->K; c++) {
		double W = 0, *own = mu + c * t->d;

		for (size_t i = 0; i < t->m; i++)
			W += label[i] == c ? t->weight[i] : 0;
		t->emptied += W == 0;
		for (size_t j = 0; W > 0 && j < t->d; j++) {
			own[j] = 0;
			for (size_t i = 0; i < t->m; i++)
				if (label[i] == c)
					own[j] += t->weight[i] * t->Y[i * t->d + j] / W;
		}
	}
}

static double plain_distance(const struct trial *t, size_t i, const double *mu)
{
	double sum = 0;

	for (size_t j = 0; j < t->d; j++)
		sum += (t->Y[i * t->d + j] - mu[j]) * (t->Y[i * t->d + j] - mu[j]);
	return sum;
}

/* Runs one restart with up to `steps` steps of Lloyd. Returns the last inertia. */
static double plain_restart(struct trial *t, const uint32_t *start, unsigned steps, uint32_t *label)
{
	bool *exists = alloc(t->K, sizeof(*exists)), moved = true;
	double *mu = alloc(t->K * t->d, sizeof(*mu)), inertia = 0;

	memcpy(label, start, t->m * sizeof(*label));
	for (size_t i = 0; i < t->m; i++)
		if (label[i] < t->K)
			exists[label[i]] = true;
	for (unsigned q = 0; q <= steps && moved; q++) {
		plain_centres(t, label, mu);
		moved = q == 0;
		inertia = 0;
		for (size_t i = 0; i < t->m; i++) {
			double least = INFINITY, second = INFINITY;
			uint32_t nearest = t->K;

			for (unsigned c = 0; c < t->K; c++) {
				double d =
				    exists[c] ? plain_distance(t, i, mu + c * t->d) : INFINITY;

				second = d < least ? least : fmin(second, d);
				nearest = d < least ? c : nearest;
				least = fmin(least, d);
			}
			if (q == 0 && least > second / 9)
				nearest = t->K;
			moved = moved || label[i] != nearest;
			label[i] = nearest;
			inertia += t->weight[i] * least;
		}
	}
	free(exists);
	free(mu);
	return inertia;
}

/* Runs all R restarts with at most Q steps. Unless `screen` is 0, only the best `keep` continue
 * after `screen` steps. */
static void plain_lloyd(struct trial *t)
{
	uint32_t *label = alloc(t->m, sizeof(*label));
	bool *kept = alloc(t->R, sizeof(*kept));

	for (unsigned k = 0; k < t->keep; k++) {
		unsigned best = t->R;
		double least = INFINITY;

		for (unsigned r = 0; r < t->R; r++) {
			double v = plain_restart(t, t->start + r * t->m,
						 t->screen ? t->screen : t->Q, label);

			if (!kept[r] && v < least) {
				least = v;
				best = r;
			}
		}
		kept[best] = true;
	}
	t->inertia = INFINITY;
	for (unsigned r = 0; r < t->R; r++) {
		double v = plain_restart(t, t->start + r * t->m, t->Q, label);

		if (kept[r] && v < t->inertia) {
			t->inertia = v;
			memcpy(t->best, label, t->m * sizeof(*label));
		}
	}
	free(label);
	free(kept);
}

/* ---- comparison with gram ---- */

static const char job[] =
    "{\"kind\":\"kcagc\",\"method\":\"tree\",\"clusters\":2,\"filter\":{\"order\":1},\"exchange\":"
    "\"gram\",\"secure_sum\":{\"modulus_bits\":64,\"fraction_bits\":40}}";

/* Sends party l's part of the products: columns l, l + 2, ... */
static void send_products(struct fake *f, const struct trial *t, size_t l)
{
	size_t words = t->m * (t->m + 1) / 2, at = 0;
	uint64_t *word = alloc(words, sizeof(*word));

	for (size_t i = 0; i < t->m; i++)
		for (size_t j = 0; j <= i; j++) {
			double sum = 0;

			for (size_t c = l; c < t->d; c += MEMBERS)
				sum += t->Y[i * t->d + c] * t->Y[j * t->d + c];
			word[at++] = (uint64_t)llrint(ldexp(sum, FRACTION));
		}
	fake_send_words(f, l, ROOT, 0, word, 0, words, words);
	free(word);
}

static void group_open(struct joint *j, const struct trial *t, const struct tree *tree,
		       uint64_t *round)
{
	joint_init(j, &tree->node[ROOT], round, t->m, t->K, t->R, t->Q, t->weight);
	j->screen = t->screen;
	j->keep = t->keep;
	memcpy(j->label, t->start, t->R * t->m * sizeof(*t->start));
}

static void check(struct trial *t)
{
	uint64_t round = 0;
	struct buf body = { 0 };
	struct tree tree;
	struct joint j;
	struct fake f;

	fake_open(&f, MEMBERS, t->m, job);
	tree_build(&tree, MEMBERS, true);
	run_phase(&f.run, "level-1");
	group_open(&j, t, &tree, &round);
	for (size_t l = 0; l < MEMBERS; l++)
		send_products(&f, t, l);
	assert_ok(gram_kmeans(&f.run, &j, 1));
	plain_lloyd(t);
	assert_memory_equal(j.best, t->best, t->m * sizeof(*t->best));
	assert_int_equal(f.record.sums, 1);
	assert_true(fabs(f.record.sum[0].inertia - t->inertia) <= 1e-6 * (1 + t->inertia));
	assert_int_equal(f.record.phase[0].rounds, 1);
	for (size_t l = 0; l < MEMBERS; l++) { /* members get the clusters only */
		enum msg_type type;
		struct msg m;

		fake_receive(&f, l, MSG_CLUSTERS, &body, &m);
		assert_false(channel_take(f.channel[l], &type, &body));
	}
	buf_release(&body);
	joint_release(&j);
	fake_close(&f);
}

TEST(test_against_plain_lloyd)
{
	size_t emptied = 0;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct trial t;

		trial_open(&t, seed, 8 + seed % 25, 1 + seed % 4, 2 + (unsigned)seed % 6);
		check(&t);
		emptied += t.emptied;
		trial_close(&t);
	}
	assert_true(emptied > 100); /* so that kept centres were tested */
}

/* With as many items as clusters the coordinator requests no sums. */
TEST(test_as_many_items_as_clusters)
{
	uint64_t round = 0;
	struct tree tree;
	struct trial t;
	struct joint j;
	struct fake f;

	trial_open(&t, 1, 5, 2, 5);
	fake_open(&f, MEMBERS, t.m, job);
	tree_build(&tree, MEMBERS, true);
	run_phase(&f.run, "level-1");
	group_open(&j, &t, &tree, &round);
	assert_ok(gram_kmeans(&f.run, &j, 1));
	for (size_t i = 0; i < t.m; i++)
		assert_int_equal(j.best[i], i);
	assert_int_equal(round, 0);
	joint_release(&j);
	fake_close(&f);
	trial_close(&t);
}

/* Refuses too many items before it requests or allocates anything. */
TEST(test_too_many_items)
{
	uint64_t round = 0;
	struct tree tree;
	struct joint j;
	struct fake f;

	fake_open(&f, MEMBERS, GRAM_ITEMS_MAX + 1, job);
	tree_build(&tree, MEMBERS, true);
	run_phase(&f.run, "level-1");
	joint_init(&j, &tree.node[ROOT], &round, GRAM_ITEMS_MAX + 1, 2, 1, 1, NULL);
	assert_err(gram_kmeans(&f.run, &j, 1), ERR_JOB,
		   "gram of 16385 virtual nodes: at most 16384 are summed at once; take exchange "
		   "\"distances\" or fewer local_clusters");
	joint_release(&j);
	fake_close(&f);
}

/* Refuses a sum whose length belongs to another number of items. */
TEST(test_other_products_are_refused)
{
	uint64_t round = 0, words[36] = { 0 };
	struct tree tree;
	struct trial t;
	struct joint j;
	struct fake f;

	trial_open(&t, 2, 8, 2, 3);
	fake_open(&f, MEMBERS, t.m, job);
	tree_build(&tree, MEMBERS, true);
	run_phase(&f.run, "level-1");
	group_open(&j, &t, &tree, &round);
	send_products(&f, &t, 0);
	fake_send_words(&f, 1, ROOT, 0, words, 0, 28, 28); /* the 28 products of 7 items */
	assert_err(gram_kmeans(&f.run, &j, 1), ERR_PEER,
		   "b sent MASKED with words from 0 of 29 for group 2, round 0; due were words "
		   "from 0 of 37");
	joint_release(&j);
	fake_close(&f);
	trial_close(&t);
}
