#include "tests/unit/protocols/fedspectral/planted_pool.h"
#include "protocols/kcagc/gcc.h"
#include "protocols/kcagc/landmark.h"
#include "common/linalg/la.h"
#include "common/linalg/ortho.h"

enum { WIDTH = 12 };

/* Finds the planted classes, with the announced numbers of rounds. Rows have most of their content
 * in common here, so assigning them to the centres of the previous embedding would lose two of the
 * four clusters. */
TEST(finds_planted_classes)
{
	struct gcc_report report;
	struct gcc_params p;
	uint32_t label[N];
	struct lab lab;

	gcc_defaults(&p, K, 1, 1);
	lab_init(&lab, &words, &graph, 1, 1);
	assert_ok(gcc_run(&lab.parties, lab.n, &p, label, &report));
	/* GCC's own rule chooses order 9. There all but 0.4 % of the rows' squared length lies
	 * along the degrees, and the classes are even clearer. */
	assert_int_equal(report.basis.order, 3);
	assert_int_equal(report.basis.rule, 9);
	assert_true(report.basis.share[3] < 0.93 && report.basis.share[4] > 0.93);
	assert_true(accuracy(label) > 0.95);
	lab_release(&lab);
	p.order = report.basis.rule;
	lab_init(&lab, &words, &graph, 1, 1);
	assert_ok(gcc_run(&lab.parties, lab.n, &p, label, &report));
	assert_int_equal(report.basis.rule, 0);
	assert_true(accuracy(label) > 0.97);
	assert_true(report.basis.idf);
	assert_int_equal(report.basis.width, PLANTED_WORDS);
	assert_true(report.iterations >= 2 && report.iterations < p.iterations);
	assert_int_equal(lab.asked, 2 + p.rounds + report.iterations);
	assert_int_equal(lab.words, 2 + N + 2 * SLICE_POWERS + p.rounds * N * (K + 10) + 2 +
					report.iterations * N * K);
	assert_true(!report.scaled);
	lab_release(&lab);
}

/* -- comparison with the method on plaintext X and W
 * ------------------------------------------------ */

/* Makes measurements around one point for each class. The overall mean is near 0. */
static void measurements(struct csr *X)
{
	struct triple t[N * WIDTH];
	struct rng rng;

	rng_seed(&rng, 1, 0);
	for (uint32_t i = 0; i < N; i++)
		for (uint32_t j = 0; j < WIDTH; j++)
			t[i * WIDTH + j] =
			    (struct triple){ i, j, rng_normal(&rng) + (j == truth[i] ? 1.5 : 0) };
	csr_from_triples(X, N, WIDTH, t, (size_t)N * WIDTH);
}

/* Computes T^order Y, where T is the filter and Y has the rows of `raw` at length 1. */
static void pooled(const struct csr *raw, unsigned order, struct mat *X)
{
	struct mat T, next;

	csr_to_dense(raw, X);
	for (size_t i = 0; i < N; i++) {
		double sum = 0;

		for (size_t j = 0; j < X->cols; j++)
			sum += MAT(X, i, j) * MAT(X, i, j);
		for (size_t j = 0; j < X->cols && sum > 0; j++)
			MAT(X, i, j) /= sqrt(sum);
	}
	sample_mean_filter(&graph, &T);
	for (unsigned t = 0; t < order; t++) {
		la_mul_nn(&T, X, 1, &next);
		mat_release(X);
		*X = next;
	}
	mat_release(&T);
}

/* Computes W, the matrix with orthonormal columns that is nearest to M (both m x K). */
static void nearest_orthonormal(const struct mat *M, struct mat *W)
{
	struct mat G, R;

	la_gram_columns(M, 1, &G);
	assert_ok(ortho_inverse_root(&G, 1e-12, &R));
	la_mul_nn(M, &R, 1, W);
	mat_release(&R);
	mat_release(&G);
}

/* Makes one iteration of GCC on pooled rows X (N x m). G are the indicators of `label`, F the K
 * centres. W is nearest to X'GF; labels and F are then those of the rows Z = X W. Returns ||X - G F
 * W'||. margin gets the margins of the labels in Z. */
static double literal_step(const struct mat *X, uint32_t *label, struct mat *F, double *margin)
{
	struct mat GF, M, W, Z, FW;
	double sum = 0, *D;

	mat_init(&GF, N, K);
	for (size_t i = 0; i < N; i++)
		memcpy(ROW(&GF, i), ROW(F, label[i]), K * sizeof(double));
	la_mul_tn(X, &GF, 1, &M);
	nearest_orthonormal(&M, &W);
	la_mul_nn(X, &W, 1, &Z);
	ALLOC(D, N * K);
	kmeans_distances(&Z, F, D);
	kmeans_assign(D, NULL, N, K, label, NULL);
	kmeans_margins(D, N, K, label, margin);
	kmeans_centres(&Z, NULL, label, F);
	la_mul_nt(F, &W, 1, &FW);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < X->cols; j++)
			sum += pow(MAT(X, i, j) - MAT(&FW, label[i], j), 2);
	free(D);
	mat_release(&FW);
	mat_release(&Z);
	mat_release(&W);
	mat_release(&M);
	mat_release(&GF);
	return sqrt(sum);
}

/* Computes the first F: the means of the clusters in `label`, along the K leading principal
 * directions V of X. */
static void first_centres(const struct mat *X, const uint32_t *label, struct mat *F)
{
	struct mat C, G, V, Z;
	double value[K];

	mat_copy(&C, X);
	ortho_centre(&C);
	la_gram_columns(&C, 1, &G);
	assert_ok(la_eigen_top(&G, K, value, &V));
	la_mul_nt(X, &V, 1, &Z);
	mat_init(F, K, K);
	kmeans_centres(&Z, NULL, label, F);
	mat_release(&Z);
	mat_release(&V);
	mat_release(&G);
	mat_release(&C);
}

TEST(follows_the_method)
{
	uint32_t label[N], expected[N];
	double before = INFINITY, confidence[N], margin[N];
	struct gcc_report report;
	struct gcc_params p;
	struct csr raw;
	struct mat X, F;

	measurements(&raw);
	gcc_defaults(&p, K, 3, 1);
	p.order = 1;
	p.rounds = 40; /* makes the first space exact to the last digits */
	p.restarts = 1;
	p.confidence = confidence;
	p.lloyd = 1; /* after one step of Lloyd the iterations still have rows to move */
	pooled(&raw, p.order, &X);
	for (p.iterations = 0; p.iterations <= 4; p.iterations++) {
		struct lab lab;
		double loss;

		lab_init(&lab, &raw, &graph, 1, 1);
		assert_ok(gcc_run(&lab.parties, lab.n, &p, label, &report));
		lab_release(&lab);
		assert_int_equal(report.basis.order, 1);
		if (p.iterations == 0) {
			memcpy(expected, label, sizeof(label));
			first_centres(&X, label, &F);
			continue;
		}
		loss = literal_step(&X, expected, &F, margin);
		for (size_t i = 0; i < N; i++)
			assert_near(confidence[i], margin[i], 1e-6);
		assert_memory_equal(label, expected, sizeof(label));
		assert_near(report.loss, loss, 1e-9);
		assert_true(loss < before);
		before = loss;
	}
	mat_release(&F);
	mat_release(&X);
	csr_release(&raw);
}

/* `label` has the labels of a run with *p. A run without iterations gives the clusters of scaled
 * rows, and from these one step of landmark_polish() must give `label`. */
static void check_step(struct lab *used, const struct gcc_params *p, const uint32_t *label)
{
	struct gcc_params without = *p;
	uint32_t before[N];
	struct mat Q;
	struct lab lab;

	without.iterations = 0;
	lab_init(&lab, &words, &graph, 2, 1);
	lab.quality = used->quality;
	assert_ok(gcc_run(&lab.parties, lab.n, &without, before, NULL));
	lab_release(&lab);
	assert_ok(sums_means(&used->parties, p->order, before, N, p->k, &Q));
	assert_true(landmark_polish(&Q, before) > 0);
	assert_memory_equal(label, before, sizeof(before));
	mat_release(&Q);
}

/* The run uses scaled rows only if they raise the parties' mean modularity by more than the margin,
 * .02 unless the test sets 2, and if degrees are no feature. Then it moves each row to the nearest
 * joint mean and does not iterate. */
TEST(guard)
{
	static const double even[] = { 0.3, 0.3199 }, clear[] = { 0.3, 0.3201 };
	uint32_t plain[N], label[N];
	struct gcc_report report;
	struct gcc_params p;

	for (int t = 0; t < 4; t++) {
		double sure[N];
		struct lab lab;

		gcc_defaults(&p, 9, 3, 1);
		p.order = 1;
		p.confidence = sure;
		p.degrees = t == 3 ? DEGREES_BESIDE : DEGREES_OFF;
		if (t == 0)
			p.guard = 2; /* the run never uses scaled rows */
		lab_init(&lab, &words, &graph, 2, 1);
		lab.slice[0].degrees = lab.slice[1].degrees = p.degrees;
		lab.quality = t == 1 ? even : clear;
		assert_ok(gcc_run(&lab.parties, lab.n, &p, t ? label : plain, &report));
		assert_true(report.scaled == (t == 2));
		assert_int_equal(report.iterations > 0, t != 2);
		assert_int_equal(lab.asked, 2 + p.rounds + (t == 2 ? 2 : report.iterations));
		if (t == 2)
			check_step(&lab, &p, label);
		lab_release(&lab);
		if (t == 1 || t == 2)
			assert_true(!memcmp(label, plain, sizeof(label)) == (t == 1));
		for (size_t i = 0; i < N; i++)
			assert_true(sure[i] >= 0 && sure[i] <= 1);
	}
}

/* -- splits and threads ---------------------------------------------------------------------------
 */

/* The classes are so unclear that some labels are nearly ties. An effect of the split would change
 * these labels. */
TEST(any_number_of_parties)
{
	uint32_t label[N], again[N];
	struct gcc_params p;
	struct lab lab;

	for (uint64_t seed = 1; seed <= 4; seed++) {
		gcc_defaults(&p, 7, seed, 1);
		p.order = 1;
		lab_init(&lab, &words, &graph, 1, 1);
		assert_ok(gcc_run(&lab.parties, lab.n, &p, label, NULL));
		lab_release(&lab);
		for (size_t L = 1; L <= 16; L *= 2) {
			lab_init(&lab, &words, &graph, L, 1 + L % 3);
			lab.fixed = true;
			p.threads = 1 + (unsigned)L % 4;
			assert_ok(gcc_run(&lab.parties, lab.n, &p, again, NULL));
			assert_memory_equal(label, again, sizeof(label));
			lab_release(&lab);
		}
	}
}

TEST(threads_do_not_matter)
{
	struct gcc_report one, more;
	uint32_t label[N], again[N];
	struct gcc_params p;
	struct lab lab;

	for (unsigned threads = 1; threads <= 4; threads++) {
		gcc_defaults(&p, 6, 5, threads);
		lab_init(&lab, &words, &graph, 2, threads);
		assert_ok(gcc_run(&lab.parties, lab.n, &p, threads == 1 ? label : again,
				  threads == 1 ? &one : &more));
		lab_release(&lab);
		if (threads == 1)
			continue;
		assert_memory_equal(label, again, sizeof(label));
		assert_true(one.loss == more.loss);
	}
}

TEST(bad_input)
{
	uint32_t label[N];
	struct gcc_params p;
	struct lab lab;

	gcc_defaults(&p, N + 1, 1, 1);
	lab_init(&lab, &words, &graph, 1, 1);
	assert_err(gcc_run(&lab.parties, lab.n, &p, label, NULL), ERR_INPUT,
		   "301 clusters of 300 nodes");
	p.k = 2;
	p.order = 16;
	assert_err(gcc_run(&lab.parties, lab.n, &p, label, NULL), ERR_INPUT, "at most 15");
	lab_release(&lab);
}

/* GCC returns labels if there are as many clusters as nodes, fewer features than clusters, or nodes
 * without features. */
TEST(edges_of_the_possible)
{
	struct triple t[] = { { 0, 0, 1 }, { 1, 0, 1 }, { 2, 1, 1 }, { 3, 1, 1 }, { 4, 1, 1 } };
	uint32_t label[6];
	struct gcc_params p;
	struct graph g;
	struct csr X;
	struct lab lab;

	sample_graph(&g, 6, 5, 1, false, 3);
	csr_from_triples(&X, 6, 2, t, 5);
	for (unsigned k = 1; k <= 6; k++) {
		gcc_defaults(&p, k, 1, 1);
		lab_init(&lab, &X, &g, 2, 1);
		assert_ok(gcc_run(&lab.parties, lab.n, &p, label, NULL));
		for (size_t i = 0; i < 6; i++)
			assert_true(label[i] < k);
		lab_release(&lab);
	}
	csr_release(&X);
	graph_release(&g);
}

/* -- real data: the published accuracies ---------------------------------------------------------
 */

static void check_published(const char *set, unsigned k, unsigned order, double acc, size_t L)
{
	uint32_t *classes = NULL, *label, *again;
	struct gcc_report report;
	struct features X;
	struct gcc_params p;
	struct metrics m;
	struct graph g;
	struct lab lab;

	if (!read_cited(set, &X, &g, &classes))
		skip();
	ALLOC(label, X.sparse.rows);
	ALLOC(again, X.sparse.rows);
	gcc_defaults(&p, k, 1, 2);
	lab_init(&lab, &X.sparse, &g, 1, 2);
	assert_ok(gcc_run(&lab.parties, lab.n, &p, label, &report));
	lab_release(&lab);
	assert_int_equal(report.basis.order, order);
	assert_ok(metrics_of(classes, label, X.sparse.rows, &m));
	assert_true(100 * m.acc > acc);
	lab_init(&lab, &X.sparse, &g, L, 2);
	lab.fixed = true;
	assert_ok(gcc_run(&lab.parties, lab.n, &p, again, NULL));
	lab_release(&lab);
	assert_memory_equal(label, again, X.sparse.rows * sizeof(*label));
	features_release(&X);
	graph_release(&g);
	free(again);
	free(label);
	free(classes);
}

TEST(cora)
{
	check_published("cora", 7, 12, 74.1, 4);
}

TEST(citeseer)
{
	if (SANITIZED) /* the test of cora runs the same code */
		skip();
	check_published("citeseer", 6, 5, 69, 2);
}

TESTS_BETWEEN(plant, uproot)
