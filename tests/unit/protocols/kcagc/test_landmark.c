#include "tests/unit/protocols/fedspectral/planted_pool.h"
#include "protocols/kcagc/job.h"
#include "common/linalg/la.h"
#include "protocols/kcagc/landmark.h"
#include "common/job/job.h"

static void params(struct landmark_params *p, unsigned k, unsigned local_clusters, uint64_t seed,
		   unsigned threads)
{
	static const char text[] =
	    "{\"kind\": \"kcagc\", \"method\": \"landmark\", \"clusters\": 2}";
	struct job job;

	assert_ok(
	    job_parse(&job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "job", NULL));
	job.clusters = kcagc_job(&job)->clusters = k;
	kcagc_job(&job)->local_clusters = (struct config_count){ .fixed = local_clusters };
	job.seed = kcagc_job(&job)->seed = seed;
	*p = landmark_params_of(kcagc_job(&job), threads);
}

static void begin(struct lab *lab, const struct landmark_params *p, size_t L)
{
	lab_init(lab, &words, &graph, L, p->threads);
}

/* Finds the planted classes for any number of parties, with the announced numbers of rounds. */
TEST(finds_planted_classes)
{
	for (size_t L = 1; L <= 8; L *= 2)
		for (int power = 0; power < 2; power++) {
			struct landmark_report report;
			struct landmark_params p;
			uint32_t label[N];
			size_t columns;
			struct lab lab;

			params(&p, K, 2 * K, 1, 1);
			p.power = power;
			/* The run tries only the given order. The rule chooses 3, too. */
			p.order = 3;
			begin(&lab, &p, L);
			assert_ok(landmark_run(&lab.parties, lab.n, &p, label, &report));
			assert_true(accuracy(label) > 0.95);
			assert_true(report.basis.idf && report.basis.width == PLANTED_WORDS);
			assert_true(report.sets <= 2 * K + 10 && report.sets > K);
			assert_true(report.rank <= report.sets && report.merged == 0);
			columns = report.rank < K + 10 ? report.rank : K + 10;
			assert_int_equal(lab.asked, 3 + 1 + (size_t)power + 1); /* + 1 for polish */
			assert_int_equal(lab.words, 2 + N + 2 * SLICE_POWERS + SLICE_EXPLAINED + 1 +
							N * report.sets +
							(power ? N * columns : 0) + 2 + N * K);
			lab_release(&lab);
		}
}

/* -- sets ---------------------------------------------------------------------------------------
 */

static bool same_partition(const uint32_t *a, const uint32_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if ((a[i] == a[j]) != (b[i] == b[j]))
				return false;
	return true;
}

/* Two nodes are in one set if every party has them in one cluster, and if that many sets are
 * allowed. */
TEST(sets_are_intersections)
{
	uint32_t cells[2 * N], set[N], expected[N];
	struct landmark_params p;
	size_t sets, merged;

	params(&p, 3, 5, 1, 1);
	for (uint32_t i = 0; i < N; i++) {
		cells[i] = i % 5;
		cells[N + i] = i % 7 % 4 == 3; /* three of five clusters are empty */
		expected[i] = cells[i] * 2 + cells[N + i];
	}
	p.set_restarts = 20;
	assert_ok(landmark_sets(cells, 2, N, 5, 10, &p, set, &sets, &merged));
	assert_int_equal(sets, 10);
	assert_int_equal(merged, 0);
	assert_true(same_partition(set, expected, N));
	/* Allows 16 sets, but only 5 exist. */
	assert_ok(landmark_sets(cells, 1, N, 5, 16, &p, set, &sets, &merged));
	assert_int_equal(sets, 5);
	assert_true(same_partition(set, cells, N));
}

/* The sets have 160, 80, 50, 9 and 1 nodes. */
TEST(small_sets_join_the_largest)
{
	static const uint32_t end[] = { 160, 240, 290, 299, 300 };
	static const struct {
		size_t min_cell, sets, merged;
	} cases[] = { { 1, 5, 0 },  { 2, 4, 1 },  { 9, 4, 1 },
		      { 10, 3, 2 }, { 81, 1, 4 }, { 400, 1, 4 } };
	uint32_t cells[N], set[N], expected[N];

	for (uint32_t i = 0, c = 0; i < N; i++) {
		c += i == end[c];
		cells[i] = c;
	}
	for (size_t t = 0; t < sizeof(cases) / sizeof(*cases); t++) {
		struct landmark_params p;
		size_t sets, merged, size[5] = { 0 };

		params(&p, 2, 5, 1, 1);
		p.min_cell = cases[t].min_cell;
		assert_ok(landmark_sets(cells, 1, N, 5, 14, &p, set, &sets, &merged));
		assert_int_equal(sets, cases[t].sets);
		assert_int_equal(merged, cases[t].merged);
		for (size_t i = 0; i < N; i++) {
			assert_true(set[i] < sets);
			size[set[i]]++;
			expected[i] = cells[i] < sets ? cells[i] : 0;
		}
		for (size_t c = 0; c < sets; c++)
			assert_true(size[c] > 0 && (size[c] >= p.min_cell || sets == 1));
		assert_true(same_partition(set, expected, N));
	}
}

/* -- projection ---------------------------------------------------------------------------------
 */

enum { ROWS = 30, COLS = 12 };

/* Computes Q = K G D^-1 for a labelling of the rows of X (ROWS x COLS). K = X X', G has the
 * clusters, and D has their sizes. */
static void joint_means(const struct mat *X, const uint32_t *label, size_t k, struct mat *Q)
{
	struct mat M;

	mat_init(&M, k, X->cols);
	kmeans_centres(X, NULL, label, &M);
	la_mul_nt(X, &M, 1, Q);
	mat_release(&M);
}

/* Checks that Phi of landmark_project() has Phi Phi' = X P X'. P projects on the span of the means,
 * which is computed here by Gram-Schmidt. */
TEST(projection)
{
	for (size_t sets = 4; sets <= ROWS; sets += ROWS - 4) {
		struct mat X, M, Q, Phi, A, expected, got;
		uint32_t set[ROWS];
		size_t rank = 0;

		sample_normal(&X, ROWS, COLS, 3);
		for (uint32_t i = 0; i < ROWS; i++)
			set[i] = i % (uint32_t)sets;
		mat_init(&M, sets, COLS);
		kmeans_centres(&X, NULL, set, &M);
		for (size_t r = 0; r < sets; r++) {
			double left = 0;

			for (int twice = 0; twice < 2; twice++)
				for (size_t t = 0; t < rank; t++) {
					double along = 0;

					for (size_t j = 0; j < COLS; j++)
						along += MAT(&M, r, j) * MAT(&M, t, j);
					for (size_t j = 0; j < COLS; j++)
						MAT(&M, r, j) -= along * MAT(&M, t, j);
				}
			for (size_t j = 0; j < COLS; j++)
				left += MAT(&M, r, j) * MAT(&M, r, j);
			for (size_t j = 0; j < COLS && left > 1e-20; j++)
				MAT(&M, rank, j) = MAT(&M, r, j) / sqrt(left);
			rank += left > 1e-20;
		}
		M.rows = rank;
		la_mul_nt(&X, &M, 1, &A);
		la_mul_nt(&A, &A, 1, &expected);
		joint_means(&X, set, sets, &Q);
		assert_ok(landmark_project(&Q, set, &Phi));
		assert_int_equal(Phi.cols, rank);
		la_mul_nt(&Phi, &Phi, 1, &got);
		assert_mat_near(&got, &expected, 1e-9);
		mat_release(&got);
		mat_release(&Phi);
		mat_release(&Q);
		mat_release(&expected);
		mat_release(&A);
		mat_release(&M);
		mat_release(&X);
	}
}

/* Polish moves each row to the nearest mean in all columns, as k-means does. No row moves to an
 * empty cluster. */
TEST(polish)
{
	uint32_t label[ROWS], expected[ROWS];
	double D[ROWS * 3];
	struct mat X, Q, c;
	size_t moved = 0;

	sample_normal(&X, ROWS, COLS, 4);
	for (uint32_t i = 0; i < ROWS; i++)
		label[i] = expected[i] = i % 3;
	mat_init(&c, 3, COLS);
	kmeans_centres(&X, NULL, label, &c);
	kmeans_distances(&X, &c, D);
	moved = kmeans_assign(D, NULL, ROWS, 3, expected, NULL);
	joint_means(&X, label, 5, &Q);
	assert_int_equal(landmark_polish(&Q, label), moved);
	assert_true(moved > 0);
	assert_memory_equal(label, expected, sizeof(label));
	mat_release(&Q);
	mat_release(&c);
	mat_release(&X);
}

/* With a and b the distances to the two nearest means, the margin 1 - a / b depends only on the
 * rows' part in the span of the means. An empty cluster is never second nearest. */
TEST(margins)
{
	uint32_t before[ROWS], label[ROWS];
	double D[ROWS * 3], expected[ROWS], got[ROWS];
	struct mat X, far, Q, c;

	sample_normal(&X, ROWS, COLS, 4);
	for (size_t i = 0; i < ROWS; i++)
		for (size_t j = 3; j < COLS; j++) /* the means span the first three columns */
			MAT(&X, i, j) = 0;
	for (uint32_t i = 0; i < ROWS; i++)
		before[i] = label[i] = i % 3;
	mat_init(&c, 3, COLS);
	kmeans_centres(&X, NULL, before, &c);
	kmeans_distances(&X, &c, D);
	kmeans_assign(D, NULL, ROWS, 3, label, NULL);
	kmeans_margins(D, ROWS, 3, label, expected);
	mat_copy(&far, &X);
	for (uint32_t i = 0; i < ROWS; i++) /* moves six rows of each cluster, but not its mean */
		if (i < 18)
			MAT(&far, i, 3 + i % 3) = i % 6 < 3 ? 5 : -5;
	joint_means(&far, before, 5, &Q);
	assert_ok(landmark_margins(&Q, before, label, got));
	for (size_t i = 0; i < ROWS; i++) {
		assert_near(got[i], expected[i], 1e-6);
		assert_true(got[i] >= 0 && got[i] <= 1);
	}
	mat_release(&Q);
	mat_release(&far);
	mat_release(&c);
	mat_release(&X);
}

/* Rows with wrong labels have less confidence, with and without polish. */
TEST(wrong_labels_are_less_sure)
{
	for (unsigned polish = 0; polish < 3; polish++) {
		double sure[N], mean[2] = { 0, 0 };
		size_t count[2] = { 0, 0 };
		struct landmark_params p;
		uint32_t label[N];
		struct lab lab;

		params(&p, K, 2 * K, 1, 1);
		p.polish = polish;
		p.confidence = sure;
		memset(sure, 0xff, sizeof(sure)); /* bytes of NaN */
		begin(&lab, &p, 2);
		assert_ok(landmark_run(&lab.parties, lab.n, &p, label, NULL));
		lab_release(&lab);
		for (size_t i = 0; i < N; i++) {
			/* In each cluster the most frequent class counts as right. */
			size_t votes[K] = { 0 }, most = 0;
			bool right;

			assert_true(sure[i] >= 0 && sure[i] <= 1);
			for (size_t j = 0; j < N; j++)
				votes[truth[j]] += label[j] == label[i];
			for (size_t c = 1; c < K; c++)
				most = votes[c] > votes[most] ? c : most;
			right = truth[i] == most;
			mean[right] += sure[i];
			count[right]++;
		}
		assert_true(mean[1] / (double)count[1] > 0.3);
		if (count[0])
			assert_true(mean[0] / (double)count[0] < mean[1] / (double)count[1]);
	}
}

/* -- whole runs ---------------------------------------------------------------------------------
 */

/* Equal local clusters give equal labels for any split of the columns. */
TEST(any_split)
{
	static uint32_t cells[3 * N];
	struct landmark_params p;
	uint32_t label[N], again[N];
	struct lab lab;

	params(&p, 6, 12, 2, 1);
	p.order = 1;
	p.guard = 16;                        /* no scaled rows: no modularity differs by 16 */
	for (uint32_t i = 0; i < 3 * N; i++) /* splits each true class into 3 clusters */
		cells[i] = (truth[i % N] * 3 + i / 7 % 3) % 12;
	for (size_t L = 1; L <= 16; L *= 2) {
		begin(&lab, &p, L);
		lab.fixed = L > 1;
		lab.cells = cells;
		lab.parties.count = 3;
		assert_ok(landmark_run(&lab.parties, lab.n, &p, L == 1 ? label : again, NULL));
		lab_release(&lab);
		if (L > 1)
			assert_memory_equal(label, again, sizeof(label));
	}
}

TEST(threads_do_not_matter)
{
	struct landmark_report one, more;
	uint32_t label[N], again[N];
	struct landmark_params p;
	struct lab lab;

	for (unsigned threads = 1; threads <= 4; threads++) {
		params(&p, 6, 24, 5, threads);
		begin(&lab, &p, 2);
		assert_ok(landmark_run(&lab.parties, lab.n, &p, threads == 1 ? label : again,
				       threads == 1 ? &one : &more));
		lab_release(&lab);
		if (threads == 1)
			continue;
		assert_memory_equal(label, again, sizeof(label));
		assert_true(one.inertia == more.inertia);
	}
}

/* The run uses scaled rows only if they raise the parties' mean modularity by more than the margin,
 * .02 unless the test sets 2. */
TEST(guard)
{
	static const double even[] = { 0.3, 0.3199 }, clear[] = { 0.3, 0.3201 };
	struct landmark_report report;
	uint32_t label[N], plain[N];
	struct landmark_params p;
	struct lab lab;

	for (int t = 0; t < 3; t++) {
		params(&p, 9, 18, 3, 1);
		p.polish = 0;
		begin(&lab, &p, 2);
		lab.quality = t < 2 ? even : clear;
		if (t == 0) /* never uses scaled rows */
			p.guard = 2;
		assert_ok(landmark_run(&lab.parties, lab.n, &p, t ? label : plain, &report));
		lab_release(&lab);
		assert_true(report.scaled == (t == 2));
		if (t)
			assert_true(!memcmp(label, plain, sizeof(label)) == (t == 1));
	}
}

TEST(local_parameters)
{
	struct kmeans_params p = landmark_local(7, 55, 3, 2);

	assert_true(p.k == 55 && p.restarts == 5 && p.iterations == 10 && p.ninth && p.seed == 3);
	assert_int_equal(landmark_local(7, 56, 3, 2).restarts, 2);
}

TEST(edges_of_the_possible)
{
	struct triple t[] = { { 0, 0, 1 }, { 1, 0, 1 }, { 2, 1, 1 }, { 3, 1, 1 }, { 4, 1, 1 } };
	struct landmark_params p;
	uint32_t label[6];
	struct graph g;
	struct csr X;
	struct lab lab;

	sample_graph(&g, 6, 5, 1, false, 3);
	csr_from_triples(&X, 6, 2, t, 5);
	for (unsigned k = 1; k <= 7; k++) {
		params(&p, k, k, 1, 1);
		lab_init(&lab, &X, &g, 2, 1);
		if (k > 6) {
			assert_err(landmark_run(&lab.parties, lab.n, &p, label, NULL), ERR_INPUT,
				   "7 clusters of 6 nodes");
		} else {
			assert_ok(landmark_run(&lab.parties, lab.n, &p, label, NULL));
			for (size_t i = 0; i < 6; i++)
				assert_true(label[i] < k);
		}
		lab_release(&lab);
	}
	csr_release(&X);
	graph_release(&g);
}

/* -- real data ----------------------------------------------------------------------------------
 */

static void check_accuracy(const char *set, unsigned k, unsigned order, double acc)
{
	uint32_t *classes = NULL, *label;
	struct landmark_report report;
	struct landmark_params p;
	struct features X;
	struct metrics m;
	struct graph g;
	struct lab lab;

	if (!read_cited(set, &X, &g, &classes))
		skip();
	ALLOC(label, X.sparse.rows);
	params(&p, k, 2 * k, 1, 2);
	lab_init(&lab, &X.sparse, &g, 8, 2);
	lab.fixed = true;
	assert_ok(landmark_run(&lab.parties, lab.n, &p, label, &report));
	lab_release(&lab);
	assert_int_equal(report.basis.order, order);
	assert_ok(metrics_of(classes, label, X.sparse.rows, &m));
	assert_true(100 * m.acc > acc);
	features_release(&X);
	graph_release(&g);
	free(label);
	free(classes);
}

TEST(cora)
{
	check_accuracy("cora", 7, 12, 73);
}

TEST(citeseer)
{
	if (SANITIZED) /* the test of cora runs the same code */
		skip();
	check_accuracy("citeseer", 6, 5, 68.8);
}

/* Above 10^5 rows the restarts of k-means on all rows cost no more than restarts on 10^5 rows, but
 * there are at least 10, or as many as requested if these are fewer. */
TEST(restarts_are_bounded)
{
	assert_int_equal(sums_restarts(100, 2), 100);
	assert_int_equal(sums_restarts(100, 100000), 100);
	assert_int_equal(sums_restarts(100, 200000), 50);
	assert_int_equal(sums_restarts(200, 1000000), 20);
	assert_int_equal(sums_restarts(100, 1000000000), 10);
	assert_int_equal(sums_restarts(5, 1000000000), 5);
}

TESTS_BETWEEN(plant, uproot)
