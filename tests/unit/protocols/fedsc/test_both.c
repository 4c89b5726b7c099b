/* Runs FedSC and federated k-means with real masks. The labels equal those of the same methods in
 * memory. */
#include "tests/unit/protocols/fedsc/points.h"

#include <math.h>

enum { K = 3, EACH = 40, N = K * EACH, M = 5, L_MAX = 8 };

/* Checks that two labellings have the same clusters. Clusters may have other numbers, which depend
 * on signs of eigenvectors, and rounding may change the signs. */
static void assert_same(const uint32_t *a, const uint32_t *b, size_t n, const char *what)
{
	uint32_t to[K] = { K, K, K }, from[K] = { K, K, K };

	for (size_t i = 0; i < n; i++) {
		assert_true(a[i] < K && b[i] < K);
		if (to[a[i]] == K && from[b[i]] == K) {
			to[a[i]] = b[i];
			from[b[i]] = a[i];
		}
		if (to[a[i]] != b[i] || from[b[i]] != a[i])
			fail_msg("%s: row %zu has label %u, expected %u", what, i, to[a[i]], b[i]);
	}
}

/* ---- labels of the run in memory ---- */

static void check_sizes(const struct federation *f, const uint32_t *label, size_t n)
{
	uint64_t size[K] = { 0 };

	for (size_t i = 0; i < n; i++)
		size[label[i]]++;
	assert_int_equal(f->server.record.clusters, K);
	assert_int_equal(f->server.record.rows, n);
	assert_memory_equal(f->server.record.cluster_size, size, sizeof(size));
}

static void check_record(const struct federation *f, const struct fedsc_report *report)
{
	const struct record *r = &f->server.record;

	assert_true(points_fact(r, "rows") == report->n);
	assert_true(fabs(points_fact(r, "scale") / report->scale - 1) < 1e-9);
	assert_true(points_fact(r, "dims") == (double)report->dims);
	assert_true(points_fact(r, "landmarks_dropped") == (double)report->dropped);
	if (report->value)
		assert_true(fabs(points_fact(r, "eigenvalues") - report->value[0]) < 1e-4);
	if (!(report->r > 0))
		return;
	assert_true(fabs(points_fact(r, "r") / report->r - 1) < 1e-6);
	assert_true(points_fact(r, "stage_1_rounds") == report->rounds);
	assert_true(fabs(points_fact(r, "stage_1_change") - report->change) < 1e-5);
	for (size_t l = 0; l < f->server.L; l++)
		assert_true(points_fact(&f->party[l].record, "r") == points_fact(r, "r"));
}

/* For any number of parties the labels equal those of the same parties without masks, and those of
 * one party with all rows. */
static void check_labels(const char *settings)
{
	struct job job = points_job(settings);
	uint32_t *central = NULL;

	for (size_t L = 1; L <= L_MAX; L *= 2) {
		struct fedsc_params params = points_params(&job, L);
		struct fedsc_report report;
		uint32_t *label, *expected;
		struct federation *f;
		struct points p;

		points_make(&p, K, EACH, M, 4, L, 1);
		label = points_run(&p, L, &job, &f);
		expected = points_twin(&p.X, p.part, L, &params, &report);
		assert_same(label, expected, N, settings);
		check_sizes(f, label, N);
		check_record(f, &report);
		assert_int_equal(f->server.labelled, params.variant == FEDSC_BY_PAPER);
		if (!central)
			central = label;
		assert_same(label, central, N, settings);
		if (label != central)
			free(label);
		free(expected);
		fedsc_report_release(&report);
		products_end(f);
		points_release(&p);
	}
	free(central);
}

TEST(test_labels_of_the_twin)
{
	check_labels("variant=anchor");
	check_labels("variant=anchor dims=20 min_cluster=5");
	check_labels("variant=dense");
	check_labels("variant=dense dims=12 rounds=3 tolerance=0.5 kernel.width=2");
	check_labels("variant=dense rounds=0");
	check_labels("variant=paper");
	check_labels("variant=paper dims=10 inner=2");
	check_labels("variant=paper dims=10 start=random");
	check_labels("kind=kmeans");
	check_labels("kind=kmeans iterations=1 min_cluster=1");
}

/* Parties may have very different numbers of rows, in any order. */
TEST(test_sizes_of_parties)
{
	static const char *const settings[] = { "variant=anchor", "variant=dense", "kind=kmeans" };
	struct points p;

	points_make(&p, K, EACH, M, 4, 2, 1);
	for (size_t s = 0; s < 3; s++) {
		struct job job = points_job(settings[s]);
		uint32_t *first = NULL;

		for (uint32_t order = 0; order < 3; order++) {
			uint32_t *label;

			for (size_t i = 0; i < N; i++)
				p.part[i] = ((i % 59 == 0) + 2 * (i % 7 == 3) + order) % 4;
			/* Each party gets two of these rows. Otherwise one party would have very
			 * few. */
			for (uint32_t i = 0; i < 8; i++)
				p.part[10 * i] = i % 4;
			label = points_run(&p, 4, &job, NULL);
			if (!first)
				first = label;
			assert_same(label, first, N, settings[s]);
			if (label != first)
				free(label);
		}
		free(first);
	}
	points_release(&p);
}

/* Scaling and shifting the columns changes no label, although raw sums are far too large or too
 * small for fixed point. */
TEST(test_large_and_small)
{
	static const double factor[] = { 1e9, 1, 1e-9 }, offset[] = { 1e12, 1e6, 1e-3 };
	struct job job = points_job("variant=anchor");
	uint32_t *first = NULL;

	for (size_t s = 0; s < 3; s++) {
		struct federation *f;
		struct points p;
		uint32_t *label;

		points_make(&p, K, EACH, M, 4, 4, 1);
		for (size_t e = 0; e < N * M; e++)
			p.X.a[e] = factor[s] * p.X.a[e] + offset[s];
		label = points_run(&p, 4, &job, &f);
		if (!first)
			first = label;
		assert_same(label, first, N, "scaled rows");
		if (label != first)
			free(label);
		products_end(f);
		points_release(&p);
	}
	free(first);
}

TEST(test_sparse_features)
{
	struct job job = points_job("variant=anchor");
	uint32_t *label, *dense;
	struct federation *f;
	struct points p;

	points_make(&p, K, EACH, M, 4, 3, 1);
	dense = points_run(&p, 3, &job, NULL);
	f = points_federation(&p, 3, &job);
	make_sparse(&f->party[1].X, false);
	federation_run(f);
	assert_all_done(f);
	label = points_labels(f, p.part, N);
	assert_same(label, dense, N, "sparse features");
	free(label);
	free(dense);
	products_end(f);
	points_release(&p);
}

/* ---- Lloyd ---- */

/* The centres of k clusters, in order, as parties compute them from each pair of broadcast counts
 * and sums. */
struct centres {
	struct mat *C;
	size_t count;
	double rows[K]; /* number of rows in each cluster, from the latest counts */
};

static void keep_centres(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct centres *c = arg;
	size_t count;
	double *x;

	if (l != 0 || type != MSG_SUM)
		return;
	x = points_sum_told(type, body, &count);
	if (count == K)
		memcpy(c->rows, x, sizeof(c->rows));
	if (count == K * (M + 1)) {
		c->C = alloc_again(c->C, c->count + 1, sizeof(*c->C));
		mat_init(&c->C[c->count], K, M);
		for (size_t e = 0; e < K * M; e++)
			c->C[c->count].a[e] = x[e / M * (M + 1) + e % M] / c->rows[e / M];
		c->count++;
	}
	free(x);
}

/* Makes one step of Lloyd's algorithm on pooled rows. */
static void lloyd(const struct mat *S, const struct mat *C, double next[K][M])
{
	size_t count[K] = { 0 };

	memset(next, 0, K * M * sizeof(double));
	for (size_t i = 0; i < N; i++) {
		double least = INFINITY;
		size_t nearest = 0;

		for (size_t c = 0; c < K; c++) {
			double d = 0;

			for (size_t j = 0; j < M; j++)
				d += (MAT(S, i, j) - MAT(C, c, j)) * (MAT(S, i, j) - MAT(C, c, j));
			nearest = d < least ? c : nearest;
			least = fmin(d, least);
		}
		count[nearest]++;
		for (size_t j = 0; j < M; j++)
			next[nearest][j] += MAT(S, i, j);
	}
	for (size_t c = 0; c < K; c++)
		for (size_t j = 0; j < M; j++)
			next[c][j] /= (double)count[c];
}

/* Each broadcast set of centres gives the next by one Lloyd step on pooled rows, within the
 * rounding of fixed point. */
TEST(test_lloyd_of_pooled_rows)
{
	struct job job = points_job("kind=kmeans restarts=1");
	struct centres c = { 0 };
	struct federation *f;
	struct points p;
	struct mat S;
	size_t steps = 0;

	points_make(&p, K, EACH, M, 0.5, 4, 1); /* such close balls need several rounds */
	f = points_federation(&p, 4, &job);
	f->party[0].saw = keep_centres;
	f->party[0].saw_arg = &c;
	federation_run(f);
	assert_all_done(f);
	points_scaled(&p.X, &S);
	/* Goes backwards, because the search for landmarks before Lloyd broadcasts centres, too,
	 * but splits them. */
	for (size_t t = c.count; t-- > 1;) {
		double next[K][M], off = 0;

		lloyd(&S, &c.C[t - 1], next);
		for (size_t e = 0; e < K * M; e++)
			off = fmax(off, fabs(c.C[t].a[e] - (&next[0][0])[e]));
		if (off > 1e-6)
			break;
		steps++;
	}
	/* There is one step fewer than rounds, because each round ends with centres. */
	assert_true(steps >= 4 &&
		    (double)steps + 1 >= points_fact(&f->server.record, "lloyd_rounds"));
	for (size_t t = 0; t < c.count; t++)
		mat_release(&c.C[t]);
	free(c.C);
	mat_release(&S);
	products_end(f);
	points_release(&p);
}

/* ---- noise ---- */

/* Parties draw noise from their own generators, so two runs differ. Both find the planted balls. */
TEST(test_noise)
{
	static const char *const settings[] = {
		"variant=anchor noise.on=data noise.beta=0.3",
		"variant=dense dims=12 noise.on=factors noise.beta=0.1",
		"kind=kmeans noise.on=data noise.eps=500 noise.delta=1e-5 noise.clip=40",
	};
	struct points p;

	points_make(&p, K, EACH, M, 8, 3, 1);
	for (size_t s = 0; s < 3; s++) {
		struct job job = points_job(settings[s]);
		double value[2];

		for (int t = 0; t < 2; t++) {
			struct federation *f;
			struct metrics m;
			uint32_t *label = points_run(&p, 3, &job, &f);

			assert_ok(metrics_of(p.truth, label, N, &m));
			if (m.acc < 0.9)
				fail_msg("%s: accuracy %.3f", settings[s], m.acc);
			value[t] = points_fact(&f->server.record, s == 2   ? "scale"
								  : s == 1 ? "stage_1_change"
									   : "eigenvalues");
			free(label);
			products_end(f);
		}
		if (s)
			assert_true(value[0] != value[1]);
	}
	points_release(&p);
}
