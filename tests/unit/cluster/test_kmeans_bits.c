/* Compares k-means with plain loops bit by bit: the same draws, and sums in the order of rows. */
#include "tests/unit/linalg/sample.h"
#include "common/base/sanitized.h"
#include "common/linalg/distance.h"
#include "common/cluster/kmeans.h"

/* -- plain loops ---------------------------------------------------------------------------- */

struct plain {
	const struct mat *Z;
	const double *weight;
	size_t k;
	/* `products`: kmeans_distances() computes inner products instead of differences. The loops
	 * here then take its results. */
	bool products;
	double *D; /* an n x k matrix */
	uint32_t *label;
	struct mat c;
	double inertia;
};

static double weighs(const struct plain *p, size_t i)
{
	return p->weight ? p->weight[i] : 1;
}

static double gap(const double *a, const double *b, size_t d)
{
	double sum = 0;

	for (size_t j = 0; j < d; j++)
		sum += (a[j] - b[j]) * (a[j] - b[j]);
	return sum;
}

static void plain_distances(struct plain *p)
{
	if (p->products) {
		kmeans_distances(p->Z, &p->c, p->D);
		return;
	}
	for (size_t i = 0; i < p->Z->rows; i++)
		for (size_t r = 0; r < p->k; r++)
			p->D[i * p->k + r] = gap(ROW(p->Z, i), ROW(&p->c, r), p->Z->cols);
}

static void plain_centres(const struct plain *p, const uint32_t *label, struct mat *c)
{
	for (size_t r = 0; r < c->rows; r++) {
		double total = 0;

		for (size_t i = 0; i < p->Z->rows; i++)
			total += label[i] == r ? weighs(p, i) : 0;
		for (size_t j = 0; total > 0 && j < c->cols; j++) {
			double sum = 0;

			for (size_t i = 0; i < p->Z->rows; i++)
				if (label[i] == r)
					sum += weighs(p, i) * MAT(p->Z, i, j);
			MAT(c, r, j) = sum / total;
		}
	}
}

static size_t plain_draw(const struct plain *p, const double *near, struct rng *rng)
{
	size_t n = p->Z->rows, last = n;
	double total = 0, target, sum = 0;

	for (size_t i = 0; i < n; i++)
		total += weighs(p, i) * (near ? near[i] : 1);
	target = rng_unit(rng) * total;
	for (size_t i = 0; i < n; i++) {
		double mass = weighs(p, i) * (near ? near[i] : 1);

		if (mass <= 0)
			continue;
		last = i;
		sum += mass;
		if (sum > target)
			return i;
	}
	return last < n ? last : rng_below(rng, n);
}

static void plain_seed(struct plain *p, uint64_t seed, uint64_t stream)
{
	size_t n = p->Z->rows, d = p->Z->cols, trials = 2 + (size_t)log((double)p->k);
	double *near;
	struct rng rng;

	ALLOC(near, n);
	rng_seed(&rng, seed, stream);
	for (size_t i = 0; i < n; i++)
		near[i] = INFINITY;
	for (size_t r = 0; r < p->k; r++) {
		double least = INFINITY;
		size_t best = 0;

		for (size_t t = 0; t < (r ? trials : 1); t++) {
			size_t row = plain_draw(p, r ? near : NULL, &rng);
			double potential = 0;

			for (size_t i = 0; i < n; i++) {
				double d2 = gap(ROW(p->Z, i), ROW(p->Z, row), d);

				potential += weighs(p, i) * (near[i] < d2 ? near[i] : d2);
			}
			if (t == 0 || potential < least) {
				least = potential;
				best = row;
			}
		}
		memcpy(ROW(&p->c, r), ROW(p->Z, best), d * sizeof(double));
		for (size_t i = 0; i < n; i++)
			near[i] = fmin(near[i], gap(ROW(p->Z, i), ROW(p->Z, best), d));
	}
	free(near);
}

static size_t plain_assign(struct plain *p)
{
	size_t moved = 0;
	double sum = 0;

	p->inertia = 0;
	plain_distances(p);
	for (size_t i = 0; i < p->Z->rows; i++) {
		const double *row = p->D + i * p->k;
		uint32_t best = 0;

		for (uint32_t r = 1; r < p->k; r++)
			best = row[r] < row[best] ? r : best;
		moved += p->label[i] != best;
		p->label[i] = best;
		sum += weighs(p, i) * row[best];
		/* add inertia block by block */
		if (i % DISTANCE_ROWS == DISTANCE_ROWS - 1 || i == p->Z->rows - 1) {
			p->inertia += sum;
			sum = 0;
		}
	}
	return moved;
}

static void plain_restart(struct plain *p, const struct kmeans_params *how, uint64_t number)
{
	plain_seed(p, how->seed, number);
	if (how->ninth) {
		plain_distances(p);
		kmeans_assign_ninth(p->D, p->Z->rows, p->k, p->label);
		plain_centres(p, p->label, &p->c);
	}
	memset(p->label, 255, p->Z->rows * sizeof(*p->label));
	for (unsigned t = 0; t < how->iterations && plain_assign(p) > 0; t++)
		plain_centres(p, p->label, &p->c);
	if (how->iterations == 0)
		plain_assign(p);
}

/* -- comparison with the plain loops -------------------------------------------------------- */

static void check(const struct mat *Z, const double *weight, struct kmeans_params how,
		  bool products)
{
	size_t n = Z->rows;
	struct plain p = { .Z = Z, .weight = weight, .k = how.k, .products = products };
	double inertia, least = INFINITY;
	uint32_t *label, *best;
	struct mat c, best_c;

	ALLOC(label, n);
	ALLOC(best, n);
	ALLOC(p.label, n);
	ALLOC(p.D, n * how.k);
	mat_init(&best_c, how.k, Z->cols);
	for (unsigned number = 0; number < how.restarts; number++) {
		mat_init(&p.c, how.k, Z->cols);
		plain_restart(&p, &how, number);
		if (p.inertia < least) {
			least = p.inertia;
			memcpy(best, p.label, n * sizeof(*best));
			memcpy(best_c.a, p.c.a, how.k * Z->cols * sizeof(double));
		}
		mat_release(&p.c);
	}
	kmeans(Z, weight, &how, label, &c, &inertia);
	assert_memory_equal(label, best, n * sizeof(*label));
	assert_same_bits(&c, &best_c);
	assert_memory_equal(&inertia, &least, sizeof(least));
	mat_release(&c);
	mat_release(&best_c);
	free(p.D);
	free(p.label);
	free(best);
	free(label);
}

/* Runs with and without weights (some zero) and the 1/9 step (kmeans.h), with one restart and
 * several, with one thread and two, to convergence and with few iterations. */
static void check_all(const struct mat *Z, size_t k, bool products)
{
	double *weight;

	ALLOC(weight, Z->rows);
	for (size_t i = 0; i < Z->rows; i++)
		weight[i] = (double)((i + 1) % 4) / 3;
	for (unsigned way = 0; way < 8; way++) {
		struct kmeans_params how = { .k = k, .seed = way, .ninth = way & 1 };

		how.restarts = way & 2 ? 1 : 3;
		how.threads = way & 2 ? 1 : 2;
		how.iterations = way & 4 ? 7 : way & 1;
		check(Z, NULL, how, products);
		check(Z, weight, how, products);
	}
	free(weight);
}

/* The number of rows is below, at and above DISTANCE_ROWS. The numbers of centres and columns fill
 * vector registers wholly or in part. */
TEST(equals_plain_loops)
{
	static const size_t rows[] = { 1, 2, 7, 255, 256, 257, 530 };
	static const size_t centres[] = { 1, 2, 3, 4, 5, 8, 17 };
	static const size_t columns[] = { 1, 2, 3, 4, 7, 24 };

	for (size_t a = 0; a < 7; a++)
		for (size_t b = 0; b < 7; b++)
			for (size_t e = SANITIZED ? (a + b) % 3 : 0; e < 6;
			     e += SANITIZED ? 3 : 1) {
				struct mat Z;

				sample_normal(&Z, rows[a], columns[e], a + b);
				check_all(&Z, centres[b], false);
				mat_release(&Z);
			}
}

/* Rows of 70 columns are too wide for the loop over columns (`BESIDE_DIMS` in distance.c), rows of
 * 64 columns are not. In the cases with `products`, distances come from products, not differences.
 */
TEST(equals_plain_loops_when_wide)
{
	struct mat Z;

	sample_normal(&Z, 300, 70, 1);
	check_all(&Z, 3, false);
	check_all(&Z, 17, true);
	mat_release(&Z);
	sample_normal(&Z, 300, 64, 1);
	check_all(&Z, 17, false);
	check_all(&Z, 65, true);
	mat_release(&Z);
}

/* Runs to convergence over several blocks of ROWSUM_ROWS rows. kmeans() keeps bounds on distances,
 * which spare it those of most rows, and few blocks change. Single steps from the same seeds, which
 * compute all distances, give the same result. */
TEST(equals_steps_to_the_end)
{
	enum { N = 10000, K = 6, D = 5 };
	struct kmeans_params how = { .k = K, .restarts = 1, .seed = 1, .threads = 1 };
	uint32_t *label, *steps;
	double *distance, *weight, inertia;
	struct mat Z, c, end;
	unsigned t = 0;

	sample_normal(&Z, N, D, 1);
	ALLOC(label, N);
	ALLOC(steps, N);
	ALLOC(weight, N);
	ALLOC(distance, N * K);
	for (size_t i = 0; i < N; i++)
		weight[i] = i % 7 ? 1 : 0.25;
	for (int weighted = 0; weighted < 2; weighted++) {
		const double *w = weighted ? weight : NULL;

		how.iterations = 0;
		kmeans(&Z, w, &how, label, &c, NULL);
		memset(steps, 255, N * sizeof(*steps));
		for (t = 0;; t++) {
			kmeans_distances(&Z, &c, distance);
			if (kmeans_assign(distance, NULL, N, K, steps, NULL) == 0)
				break;
			kmeans_centres(&Z, w, steps, &c);
		}
		how.iterations = 10000;
		kmeans(&Z, w, &how, label, &end, &inertia);
		assert_memory_equal(label, steps, N * sizeof(*label));
		assert_same_bits(&c, &end);
		assert_true(t > 20 && inertia > 0);
		mat_release(&end);
		mat_release(&c);
	}
	mat_release(&Z);
	free(label);
	free(steps);
	free(weight);
	free(distance);
}

/* kmeans() ends a restart early only if it would not become the best. Clouds are near 0 and far
 * from 0. */
TEST(equals_plain_loops_of_all_restarts)
{
	enum { N = 400, D = 4 };

	for (unsigned way = 0; way < (SANITIZED ? 8 : 60); way++) {
		struct kmeans_params how = {
			.k = 3 + way % 9, .restarts = 14, .seed = way, .threads = 1 + way % 2
		};
		struct mat Z, centre;

		how.iterations = way % 3 ? 300 : 10;
		sample_normal(&Z, N, D, way);
		sample_normal(&centre, how.k, D, way + 1);
		for (size_t i = 0; i < N; i++)
			for (size_t j = 0; j < D; j++)
				MAT(&Z, i, j) +=
				    (way % 4) * MAT(&centre, i % how.k, j) + (way % 5 ? 0 : 1e5);
		check(&Z, NULL, how, false);
		mat_release(&centre);
		mat_release(&Z);
	}
}

/* Few distinct values give equal rows, rows equally near two centres, and seeds at distance 0. */
TEST(equals_plain_loops_on_ties)
{
	for (size_t values = 1; values <= 3; values++)
		for (size_t k = 1; k <= 9; k++) {
			struct mat Z;

			mat_init(&Z, 300, 2);
			for (size_t i = 0; i < 600; i++)
				Z.a[i] = (double)(i * 7 / 5 % values) - 1;
			check_all(&Z, k, false);
			mat_release(&Z);
		}
}

/* Covers labels of no cluster, zeros of both signs, and NaN in rows of no cluster. */
TEST(centres_of_any_labels)
{
	enum { N = 261 };
	uint32_t label[N];
	double weight[N];

	for (size_t k = 1; k <= 9; k++)
		for (size_t d = 1; d <= 9; d++)
			for (int weighted = 0; weighted < 2; weighted++) {
				struct plain p = { .weight = weighted ? weight : NULL, .k = k };
				struct mat Z, c, expected;

				sample_normal(&Z, N, d, k + d);
				sample_normal(&c, k, d, 3);
				mat_copy(&expected, &c);
				for (size_t i = 0; i < N; i++) {
					label[i] =
					    i % 11 ? (uint32_t)(i * i % (k + 2)) : UINT32_MAX;
					weight[i] = (double)(i % 3) / 7;
					for (size_t j = 0; j < d; j++)
						MAT(&Z, i, j) = label[i] >= k ? NAN
								: i % 5       ? MAT(&Z, i, j)
									      : -0.0;
				}
				p.Z = &Z;
				plain_centres(&p, label, &expected);
				kmeans_centres(&Z, p.weight, label, &c);
				assert_same_bits(&c, &expected);
				mat_release(&expected);
				mat_release(&c);
				mat_release(&Z);
			}
}
