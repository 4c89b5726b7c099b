/* Tests kmeans.columns: its points, and labels equal to those of k-means on pooled columns. */
#include "tests/unit/protocols/kcagc/predict.h"
#include "tests/unit/linalg/sample.h"
#include "common/base/file.h"
#include "common/cluster/kmeans.h"
#include "common/cluster/metrics.h"
#include "common/data/dataset.h"
#include "protocols/kcagc/columns.h"

#include <fcntl.h>
#include <math.h>

/* ---- points ---- */

static struct features dense(size_t rows, size_t cols, const double *value)
{
	struct features X = { 0 };

	mat_init(&X.dense, rows, cols);
	memcpy(X.dense.a, value, rows * cols * sizeof(*value));
	return X;
}

TEST(test_standardized)
{
	static const double x[] = { 1, 7, 0, 2, 7, 0, 3, 7, 0, 4, 7, 8 }, mean[] = { 2.5, 7, 2 };
	struct features X = dense(4, 3, x), S = { .is_sparse = true };
	struct triple t[12];
	struct mat Z, Y;

	for (uint32_t e = 0; e < 12; e++)
		t[e] = (struct triple){ e / 3, e % 3, x[e] };
	csr_from_triples(&S.sparse, 4, 3, t, 12);
	assert_ok(columns_points(&X, true, NULL, &Z, NULL));
	assert_int_equal(Z.rows, 4);
	assert_int_equal(Z.cols, 2); /* the column of sevens is left out */
	for (size_t i = 0; i < 4; i++) {
		assert_near(MAT(&Z, i, 0), ((double)i - 1.5) / sqrt(1.25), 1e-15);
		assert_near(MAT(&Z, i, 1), (i == 3 ? 6 : -2) / sqrt(12), 1e-15);
	}
	assert_ok(columns_points(&S, true, NULL, &Y, NULL)); /* sparse columns keep their values */
	assert_int_equal(Y.cols, 3);
	assert_memory_equal(Y.a, x, sizeof(x));
	mat_release(&Y);
	mat_release(&Z);
	X = dense(4, 3, x);
	assert_ok(columns_points(&X, false, NULL, &Z, NULL));
	assert_int_equal(Z.cols, 3);
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < 3; j++)
			assert_true(MAT(&Z, i, j) == x[3 * i + j] - mean[j]);
	mat_release(&Z);
}

/* Squares neither overflow nor vanish for any unit. */
TEST(test_any_unit)
{
	static const double x[] = { 1e300, 1e-300, -1e300, 3e-300 };
	struct features X = dense(2, 2, x);
	struct mat Z;

	assert_ok(columns_points(&X, true, NULL, &Z, NULL));
	for (size_t e = 0; e < 4; e++)
		assert_near(fabs(Z.a[e]), 1, 1e-12);
	mat_release(&Z);
}

/* Columns are constant within rounding (0.1 + 0.2 equals 0.3), or all 0. */
TEST(test_nothing_varies)
{
	static const double x[] = { 0.1 + 0.2, 0, 0.3, 0 };
	struct features X = dense(2, 2, x), none = { 0 };
	struct mat Z;

	assert_err(columns_points(&X, true, NULL, &Z, NULL), ERR_INPUT,
		   "each of the 2 feature columns has the same value in all rows");
	assert_err(columns_points(&none, true, NULL, &Z, NULL), ERR_INPUT,
		   "0 x 0: nothing to cluster");
}

/* Returns the log of a slice with `alike` constant columns. The caller frees it. */
static char *said_of(size_t alike, size_t columns)
{
	char path[] = "/tmp/coterie-columns-XXXXXX";
	struct features X = { 0 };
	struct buf text = { 0 };
	int fd = mkstemp(path);
	struct mat Z;

	mat_init(&X.dense, 2, columns);
	for (size_t j = alike; j < columns; j++)
		MAT(&X.dense, 1, j) = 1;
	log_init("test", LOG_WARN);
	log_set_stream(fd, false);
	assert_ok(columns_points(&X, true, NULL, &Z, NULL));
	federation_quiet();
	mat_release(&Z);
	close(fd);
	assert_ok(file_read(path, 10000, &text));
	unlink(path);
	buf_add(&text, "", 1);
	return (char *)text.p;
}

TEST(test_left_out_are_named)
{
	char *text = said_of(2, 4);

	assert_non_null(strstr(text, "2 of 4 feature columns have the same value in all rows and "
				     "are left out: 0, 1 (from 0)"));
	free(text);
	text = said_of(21, 22);
	assert_non_null(strstr(text, ", 18, 19, ... (from 0)"));
	free(text);
	text = said_of(0, 4);
	assert_string_equal(text, "");
	free(text);
}

/* columns_again() places rows with the stored means and deviations and skips the columns left out.
 * Rows of the run get their old places. */
TEST(test_other_rows)
{
	for (int standardize = 0; standardize < 2; standardize++)
		for (int sparse = 0; sparse < 2; sparse++) {
			struct features X = { 0 }, again = { 0 };
			struct standard_by by = { 0 };
			struct mat Z, Y;

			mat_init(&X.dense, 5, 3);
			for (size_t i = 0; i < 5; i++) {
				MAT(&X.dense, i, 0) = 1e6 * (double)(i * i);
				MAT(&X.dense, i, 1) = 7;
				MAT(&X.dense, i, 2) = 0.25 * (double)i;
			}
			mat_copy(&again.dense, &X.dense);
			if (sparse)
				make_sparse(&X, false);
			assert_ok(columns_points(&X, standardize, NULL, &Z, &by));
			columns_again(&again, &by, &Y);
			assert_true(Z.cols == (standardize && !sparse ? 2u : 3u));
			assert_true(Y.rows == Z.rows && Y.cols == Z.cols);
			assert_mat_near(&Y, &Z, 1e-12);
			assert_null(again.dense.a);
			mat_release(&Z);
			mat_release(&Y);
			standard_by_release(&by);
		}
}

/* ---- coordinator and parties ---- */

static struct job columns_job(const char *settings)
{
	static const char text[] = "{\"kind\":\"kmeans.columns\",\"clusters\":3,\"secure_sum\":{"
				   "\"group\":\"x25519\"},\"allow_single\":true}";

	return job_of(text, sizeof(text) - 1, settings);
}

/* Makes clouds around three centres that differ in each column. */
static void clouds(struct planted *p, size_t m, uint64_t seed)
{
	planted_make(p, &(struct plan){ .n = 240, .m = m, .seed = seed });
	for (size_t i = 0; i < p->n; i++)
		for (size_t j = 0; j < m; j++)
			MAT(&p->X, i, j) += 3 + 2 * ((p->truth[i] + j) % 3);
}

static void blur(struct planted *p, double noise, uint64_t seed)
{
	struct rng rng;

	rng_seed(&rng, seed, 1);
	for (size_t i = 0; i < p->n; i++)
		for (size_t j = 0; j < p->m; j++)
			MAT(&p->X, i, j) =
			    (MAT(&p->X, i, j) + noise * rng_normal(&rng)) * (j % 2 ? 1000 : 0.01);
}

static void federate(struct federation *f, const struct planted *p, size_t L, const struct job *job)
{
	federation_open(f, p, L, job);
	for (size_t l = 0; l < L; l++)
		f->party[l].g = NULL;
	federation_join(f);
	federation_run(f);
	federation_succeeded(f);
}

static double fact(const struct half *h, const char *name)
{
	for (size_t i = 0; i < h->record.facts.count; i++)
		if (!strcmp(h->record.facts.item[i].name, name))
			return h->record.facts.item[i].value[0];
	return NAN;
}

/* Makes the points of pooled columns, standardised or not. */
static void pool(const struct planted *p, bool standardize, struct mat *Z)
{
	struct features X = { 0 };

	mat_copy(&X.dense, &p->X);
	assert_ok(columns_points(&X, standardize, NULL, Z, NULL));
}

/* Returns the inertia around the means of the clusters in `label`, each row at its nearest mean.
 * Writes the silhouette, too, unless `silhouette` is NULL. */
static double inertia_of(const struct mat *Z, const uint32_t *label, size_t k, double *silhouette)
{
	uint32_t *nearest = alloc(Z->rows, sizeof(*nearest));
	double *D = alloc(Z->rows * k, sizeof(*D)), sum = 0;
	struct mat c;

	mat_init(&c, k, Z->cols);
	kmeans_centres(Z, NULL, label, &c);
	kmeans_distances(Z, &c, D);
	kmeans_assign(D, NULL, Z->rows, k, nearest, &sum);
	if (silhouette)
		*silhouette = kmeans_silhouette(D, NULL, Z->rows, k, nearest);
	mat_release(&c);
	free(D);
	free(nearest);
	return sum;
}

/* Returns the mean confidence of 240 rows, which is the simplified silhouette. */
static double mean_of(const double *confidence)
{
	double sum = 0;

	assert_non_null(confidence);
	for (size_t i = 0; i < 240; i++)
		sum += confidence[i] / 240;
	return sum;
}

/* For each method and 1 to 8 parties, with units that differ by 10^5, labels equal those of k-means
 * on pooled columns, and inertia and silhouette agree. With min_cell only 95 % of the labels need
 * to be equal. */
TEST(test_labels_as_pooled)
{
	static const char *const settings[] = { "method=tree", "method=flat", "method=basic",
						"exchange=gram", "method=flat min_cell=2" };
	const struct kmeans_params how = {
		.k = 3, .restarts = 20, .iterations = 100, .seed = 1, .threads = 1
	};

	for (size_t L = 1; L <= 8; L = L < 4 ? L + 1 : L + 4)
		for (int i = 0; i < 5; i++) {
			struct federation *f = alloc(1, sizeof(*f));
			struct job job = columns_job(settings[i]);
			uint32_t label[240];
			double silhouette;
			struct planted p;
			struct metrics m;
			struct mat Z;

			clouds(&p, L + 2 * (L == 2), 1 + L);
			blur(&p, 0.3, 1 + L);
			federate(f, &p, L, &job);
			pool(&p, true, &Z);
			kmeans(&Z, NULL, &how, label, NULL, NULL);
			assert_ok(metrics_of(label, f->server.label, 240, &m));
			if (m.acc < (i == 4 ? 0.95 : 1)) /* min_cell merges small cells */
				fail_msg("L=%zu %s: %.4f of the labels", L, settings[i], m.acc);
			if (i < 4 && L > 1) {
				assert_near(fact(&f->server, "inertia"),
					    inertia_of(&Z, label, 3, &silhouette),
					    1e-2 + (double)L * 240 * 0x1p-16);
				assert_near(fact(&f->server, "silhouette"), silhouette, 1e-3);
				assert_near(mean_of(f->server.confidence),
					    fact(&f->server, "silhouette"), 1e-12);
			} else if (L > 1) {
				assert_true(fact(&f->server, "silhouette_of_cells") > 0.5);
				/* with min_cell single rows have no confidence */
				assert_null(f->server.confidence);
			}
			mat_release(&Z);
			planted_release(&p);
			federation_release(f);
			free(f);
		}
}

/* With standardize "none" the column of large numbers alone decides; with "local" both columns
 * count. */
TEST(test_units_count_unless_standardized)
{
	struct planted p;

	clouds(&p, 2, 9);
	for (size_t i = 0; i < p.n; i++) /* a column of large numbers, unrelated to the clusters */
		MAT(&p.X, i, 1) = 1e6 * (double)(i % 3);
	for (int i = 0; i < 2; i++) {
		struct federation *f = alloc(1, sizeof(*f));
		struct job job =
		    columns_job(i ? "standardize=none method=basic" : "clusters=9 method=basic");
		uint32_t wide[240];
		struct metrics m;

		for (size_t r = 0; r < p.n; r++)
			wide[r] = (uint32_t)(r % 3);
		federate(f, &p, 2, &job);
		assert_ok(metrics_of(wide, f->server.label, p.n, &m));
		if (i)
			assert_true(m.acc == 1);
		else
			assert_true(m.acc < 0.6); /* both columns form nine groups */
		federation_release(f);
		free(f);
	}
	planted_release(&p);
}

TEST(test_party_says_what_it_left_out)
{
	struct federation *f = alloc(1, sizeof(*f));
	struct job job = columns_job("");
	struct planted p;

	clouds(&p, 4, 3);
	blur(&p, 0.3, 3);
	for (size_t i = 0; i < p.n; i++)
		MAT(&p.X, i, 3) = 5; /* column 3 belongs to party 1, as column 1 does */
	federate(f, &p, 2, &job);
	assert_true(isnan(fact(&f->party[0], "columns_left_out")));
	assert_true(fact(&f->party[1], "columns_left_out") == 1);
	federation_release(f);
	free(f);
	for (size_t i = 0; i < p.n; i++)
		MAT(&p.X, i, 1) = 5;
	f = alloc(1, sizeof(*f));
	federation_init(f, &p, 2, &job);
	federation_run(f);
	assert_int_equal(f->party[1].result, ERR_INPUT);
	assert_non_null(strstr(f->party[1].why, "each of the 2 feature columns"));
	assert_int_not_equal(f->server.result, ERR_OK);
	federation_release(f);
	free(f);
	planted_release(&p);
}

/* ---- real data ---- */

/* Reads each `step`-th row of a set of points; false if it is missing. */
static bool read_points(const char *set, size_t step, struct planted *p)
{
	const char *root = getenv("COTERIE_DATA");
	struct features X = { 0 };
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s/features.npy", root ? root : "../shared/data", set);
	if (!file_exists(path))
		return false;
	assert_ok(features_read(path, &X));
	*p = (struct planted){ .n = X.dense.rows / step, .m = X.dense.cols };
	mat_init(&p->X, p->n, p->m);
	for (size_t i = 0; i < p->n; i++)
		memcpy(ROW(&p->X, i), ROW(&X.dense, i * step), p->m * sizeof(double));
	features_release(&X);
	return true;
}

/* Checks that the inertia exceeds that of k-means on pooled columns by at most the share `within`.
 */
static void as_pooled(const char *set, size_t step, unsigned k, size_t L, double within)
{
	const struct kmeans_params how = {
		.k = k, .restarts = 20, .iterations = 100, .seed = 1, .threads = 1
	};
	struct federation *f;
	double here, pooled;
	uint32_t *label;
	struct job job;
	char text[64];
	struct planted p;
	struct mat Z;

	if (!read_points(set, step, &p))
		skip();
	f = alloc(1, sizeof(*f));
	snprintf(text, sizeof(text), "clusters=%u", k);
	job = columns_job(text);
	pool(&p, true, &Z);
	ALLOC(label, p.n);
	kmeans(&Z, NULL, &how, label, NULL, NULL);
	pooled = inertia_of(&Z, label, k, NULL);
	federate(f, &p, L, &job);
	here = inertia_of(&Z, f->server.label, k, NULL);
	if (here > pooled * (1 + within))
		fail_msg("%s over %zu parties: inertia %.6g, pooled %.6g", set, L, here, pooled);
	federation_release(f);
	free(f);
	free(label);
	mat_release(&Z);
	planted_release(&p);
}

TEST(test_iris)
{
	for (size_t L = 2; L <= 4; L++)
		as_pooled("iris", 1, 3, L, 0.005);
}

TEST(test_banknote)
{
	as_pooled("banknote", 1, 2, 2, 0.005);
}

TEST(test_digits)
{
	as_pooled("usps", 8, 10, 2, 0.02);
}
