#include "tests/unit/protocols/fedsc/rows.h"
#include "common/cluster/metrics.h"
#include "common/graph/knn.h"
#include "common/linalg/distance.h"
#include "lab/pooled/central.h"

enum { K = 4, EACH = 75, N = K * EACH };

static struct mat X;
static uint32_t truth[N];

static int make(void **state)
{
	(void)state;
	rows_balls(&X, truth, K, EACH, 6, 3, 1);
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	mat_release(&X);
	return 0;
}

static double accuracy(const uint32_t *label)
{
	struct metrics m;

	assert_ok(metrics_of(truth, label, N, &m));
	return m.acc;
}

static void given(void *ctx, size_t first, size_t count, double *S)
{
	const struct mat *kernel = ctx;

	memcpy(S, ROW(kernel, first), count * kernel->cols * sizeof(*S));
}

/* Computing the kernel by blocks gives the neighbours of the whole kernel. */
TEST(neighbours)
{
	struct knn_source whole = { N, NULL, given };
	struct mat kernel, dense, expected;
	struct csr S;

	kernel_gaussian(&X, &X, 1.3, 1, &kernel);
	whole.ctx = &kernel;
	knn_graph(&whole, 5, 1, &S);
	csr_to_dense(&S, &expected);
	csr_release(&S);
	central_neighbours(&X, 1.3, 5, 2, &S);
	csr_to_dense(&S, &dense);
	assert_mat_near(&dense, &expected, 1e-12);
	csr_release(&S);
	mat_release(&expected);
	mat_release(&dense);
	mat_release(&kernel);
}

TEST(spectral)
{
	struct central_params p;
	uint32_t one[N], three[N];

	central_defaults(&p, K, 1, 1);
	assert_ok(central_spectral(&X, &p, one));
	assert_true(accuracy(one) > 0.97);
	p.threads = 3;
	assert_ok(central_spectral(&X, &p, three));
	assert_memory_equal(one, three, sizeof(one));
}

/* Spectral clustering finds two rings with one centre, which k-means would cut across. */
TEST(rings)
{
	struct central_params p;
	uint32_t label[N];
	struct mat ring;

	mat_init(&ring, N, 2);
	for (size_t i = 0; i < N; i++) {
		double radius = i % 2 ? 4 : 1.5, angle = 2 * M_PI * (double)i / N;

		MAT(&ring, i, 0) = radius * cos(angle);
		MAT(&ring, i, 1) = radius * sin(angle);
	}
	central_defaults(&p, 2, 1, 1);
	assert_ok(central_spectral(&ring, &p, label));
	for (size_t i = 2; i < N; i++)
		assert_int_equal(label[i], label[i % 2]);
	assert_true(label[0] != label[1]);
	mat_release(&ring);
}

/* With one party, DSC is plain spectral clustering up to label numbers. With several parties, DSC
 * finds the balls if the parties' labels are matched. Without matching, the labels agree only by
 * chance. */
TEST(dsc)
{
	struct central_params p;
	uint32_t part[N] = { 0 }, label[N], alone[N];
	struct metrics m;

	central_defaults(&p, K, 1, 1);
	assert_ok(central_spectral(&X, &p, alone));
	assert_ok(central_dsc(&X, part, 1, false, &p, label));
	assert_memory_equal(label, alone, sizeof(label));
	assert_ok(central_dsc(&X, part, 1, true, &p, label));
	assert_ok(metrics_of(alone, label, N, &m));
	assert_near(m.acc, 1, 0);
	skew_parts(truth, N, 4, 0, 1, part);
	assert_ok(central_dsc(&X, part, 4, true, &p, label));
	assert_true(accuracy(label) > 0.95);
	assert_ok(central_dsc(&X, part, 4, false, &p, label));
	assert_true(accuracy(label) < 0.9);
}

/* Some parties have fewer rows than clusters, or none. */
TEST(small_parties)
{
	struct central_params p;
	uint32_t part[N] = { 0 }, label[N];

	part[0] = part[100] = part[200] = 1;
	part[250] = 3;
	central_defaults(&p, K, 1, 1);
	assert_ok(central_dsc(&X, part, 4, true, &p, label));
	assert_true(accuracy(label) > 0.95);
}

TEST(errors)
{
	struct mat same;
	struct central_params p;
	uint32_t part[N] = { 0 }, label[N];

	central_defaults(&p, 0, 1, 1);
	assert_err(central_spectral(&X, &p, label), ERR_INPUT, "0 clusters of 300 rows");
	p.k = N + 1;
	assert_err(central_spectral(&X, &p, label), ERR_INPUT, "301 clusters of 300 rows");
	assert_err(central_dsc(&X, part, 1, true, &p, label), ERR_INPUT,
		   "301 clusters of 300 rows");
	mat_init(&same, N, 3);
	p.k = 2;
	assert_err(central_spectral(&same, &p, label), ERR_INPUT, "all 300 rows are equal");
	assert_err(central_dsc(&same, part, 1, true, &p, label), ERR_INPUT, "party 0: r is 0");
	mat_release(&same);
}

TESTS_BETWEEN(make, unmake)
