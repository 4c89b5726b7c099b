/* Tests the profiles of clusters over all parties: compares sums with pooled rows, and checks which
 * clusters are shown and their noise. */
#include "tests/test.h"
#include "common/data/profile.h"
#include "protocols/fedsc/own.h"
#include "rows.h"

#include <math.h>

enum { K = 3, EACH = 60, N = K * EACH, M = 12, L = 3 };

static struct mat X;
static uint32_t truth[N], part[N];

/* Column 1 has another unit, and column 2 is nonzero in few rows only. */
static int open_rows(void **state)
{
	(void)state;
	rows_balls(&X, truth, K, EACH, M, 12, 3);
	for (size_t i = 0; i < N; i++) {
		part[i] = (uint32_t)(i % L);
		MAT(&X, i, 1) = MAT(&X, i, 1) * 100 + 3000;
		MAT(&X, i, 2) = truth[i] == 1 && i % 4 ? 1 : 0;
	}
	return 0;
}

static int close_rows(void **state)
{
	(void)state;
	mat_release(&X);
	return 0;
}

/* ---- comparison with pooled rows ---- */

static struct fedsc_params params_of(enum fedsc_variant variant, double noise)
{
	return (struct fedsc_params){ .variant = variant,
				      .k = K,
				      .restarts = 5,
				      .lloyd = 50,
				      .least = 3,
				      .tolerance = variant == FEDSC_BY_KMEANS ? 1e-6 : 0,
				      .dims = variant == FEDSC_BY_KMEANS ? 0 : 20,
				      .near = 4,
				      .share = 0.99,
				      .dims_most = 40,
				      .width_factor = 1,
				      .lambda = 0.01,
				      .rounds = 2,
				      .inner = 2,
				      .standardize = STANDARDIZE_JOINT,
				      .profile = true,
				      .profile_noise = noise,
				      .seed = 2,
				      .threads = 1 };
}

/* Computes the mean of column j and its share of nonzero values over the rows of cluster c (K: all
 * rows). */
static void pooled(const uint32_t *label, uint32_t c, size_t j, double *mean, double *share)
{
	double rows = 0;

	*mean = *share = 0;
	for (size_t i = 0; i < N; i++) {
		bool of = c == K || label[i] == c;

		rows += of;
		*mean += of ? MAT(&X, i, j) : 0;
		*share += of && MAT(&X, i, j) != 0;
	}
	*mean /= rows;
	*share /= rows;
}

static double deviation(size_t j)
{
	double mean, share, sum = 0;

	pooled(NULL, K, j, &mean, &share);
	for (size_t i = 0; i < N; i++)
		sum += (MAT(&X, i, j) - mean) * (MAT(&X, i, j) - mean) / N;
	return sqrt(sum);
}

static void check_line(const struct profile_line *l, const uint32_t *label, double within)
{
	double mean, share, all, everywhere, d = deviation(l->column);

	pooled(label, l->cluster, l->column, &mean, &share);
	pooled(label, K, l->column, &all, &everywhere);
	assert_near(l->mean, mean, within * d);
	assert_near(l->mean_of_all, all, 1e-9 * (1 + fabs(all)));
	assert_near(l->share, share, within);
	assert_near(l->lift, share / everywhere, 10 * within);
	assert_near(l->z, (mean - all) / d, within);
}

static void run_and_compare(enum fedsc_variant variant, double noise, double within)
{
	struct fedsc_params p = params_of(variant, noise);
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	uint32_t *label;
	bool seen[K] = { 0 };

	rows_deal(lab, &X, part, L, 1);
	for (size_t l = 0; l < L; l++)
		fedsc_party_mark(&lab->party[l]);
	assert_ok(fedsc_run(&lab->parties, M, &p, &report));
	label = fedsc_gather(lab->party, L, lab->part, N);
	assert_int_equal(report.profile.n, K * PROFILE_MOST);
	for (size_t i = 0; i < report.profile.n; i++) {
		const struct profile_line *l = &report.profile.line[i];

		assert_int_equal(l->rows, (size_t)report.size[l->cluster]);
		check_line(l, label, within);
		seen[l->cluster] |= l->column == 2;
		assert_true(i % PROFILE_MOST == 0 || fabs(l->z) <= fabs(l[-1].z));
	}
	assert_true(seen[0] || seen[1] || seen[2]);
	free(label);
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

TEST(test_beside_pooled)
{
	static const enum fedsc_variant variant[] = { FEDSC_BY_KMEANS, FEDSC_BY_ANCHORS,
						      FEDSC_BY_DENSE, FEDSC_BY_PAPER };

	for (size_t v = 0; v < sizeof(variant) / sizeof(*variant); v++)
		run_and_compare(variant[v], 0, 1e-6);
}

/* With 60 rows in each cluster, noise of deviation 1 changes means and shares little. */
TEST(test_noise_costs_little)
{
	run_and_compare(FEDSC_BY_KMEANS, 1, 0.12);
}

/* ---- clusters shown ---- */

struct watched {
	size_t asked, words;
	double x[2 * M * (K + 2)];
};

static enum err see(void *watcher, const void *question, double *x, size_t n)
{
	const struct fedsc_question *q = question;
	struct watched *w = watcher;

	if (q->kind != FEDSC_PROFILE)
		return ERR_OK;
	w->asked++;
	w->words = n;
	memcpy(w->x, x, n * sizeof(*x));
	return ERR_OK;
}

/* Profiles clusters of these sizes, with unscaled rows. */
static void profile_with(const size_t *size, size_t k, double noise, bool marked,
			 struct rows_lab *lab, struct watched *w, struct fedsc_report *report,
			 enum err *result)
{
	struct fedsc_params p = { .k = (unsigned)k, .least = 3, .profile_noise = noise };
	struct fedsc_run run = { &lab->parties, M, &p, report };
	uint32_t label[L][N] = { 0 };
	size_t at[L] = { 0 }, i = 0;

	rows_deal(lab, &X, part, L, 1);
	*w = (struct watched){ 0 };
	lab->memory.watch = see;
	lab->memory.watcher = w;
	for (size_t c = 0; c < k; c++)
		for (size_t t = 0; t < size[c]; t++, i++)
			label[part[i]][at[part[i]]++] = (uint32_t)c;
	assert_int_equal(i, N);
	for (size_t l = 0; l < L; l++) {
		assert_ok(fedsc_take_labels(&lab->party[l], label[l], at[l]));
		if (marked)
			fedsc_party_mark(&lab->party[l]);
	}
	*report = (struct fedsc_report){ .n = N };
	ALLOC(report->mean, M);
	ALLOC(report->unit, M);
	for (size_t j = 0; j < M; j++)
		report->unit[j] = 1;
	*result = fedsc_profile(&run);
}

static void shows(const size_t *size, size_t k, const char *clusters)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct watched w;
	char got[K + 2] = "";
	enum err e;

	profile_with(size, k, 0, true, lab, &w, &report, &e);
	assert_ok(e);
	for (size_t i = 0; i < report.profile.n; i++)
		if (i == 0 || report.profile.line[i].cluster != report.profile.line[i - 1].cluster)
			got[strlen(got)] = (char)('0' + report.profile.line[i].cluster);
	assert_string_equal(got, clusters);
	assert_int_equal(w.words, *clusters ? 2 * M * (1 + strlen(clusters)) : 0);
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

/* The sums of hidden clusters can be derived from the totals. If hidden clusters together have
 * rows, but fewer than min_cluster, the smallest shown cluster is hidden too. */
TEST(test_small_clusters)
{
	shows((const size_t[]){ 60, 60, 60 }, 3, "012");
	shows((const size_t[]){ 100, 2, 78 }, 3, "0");
	shows((const size_t[]){ 100, 0, 80 }, 3, "02");
	shows((const size_t[]){ 2, 90, 2, 86 }, 4, "13");
	shows((const size_t[]){ 178, 2 }, 2, "");
	shows((const size_t[]){ 174, 3, 3 }, 3, "012");
}

/* ---- noise ---- */

TEST(test_noise)
{
	const size_t size[] = { 60, 60, 60 };
	struct rows_lab *lab = alloc(2, sizeof(*lab));
	struct watched exact, noisy;
	struct fedsc_report report;
	double square = 0;
	enum err e;

	profile_with(size, K, 0, true, &lab[0], &exact, &report, &e);
	assert_ok(e);
	fedsc_report_release(&report);
	profile_with(size, K, 5, true, &lab[1], &noisy, &report, &e);
	assert_ok(e);
	fedsc_report_release(&report);
	for (size_t i = 0; i < exact.words; i++)
		square += pow(noisy.x[i] - exact.x[i], 2) / (double)exact.words;
	/* There are 96 numbers. The noise of all three parties has deviation 5: each adds a third
	 * of the variance. */
	assert_true(square > 0.6 * 25 && square < 1.5 * 25);
	rows_lab_release(&lab[0]);
	rows_lab_release(&lab[1]);
	free(lab);
}

TEST(test_refused)
{
	const size_t size[] = { 60, 60, 60 };
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct watched w;
	enum err e;

	profile_with(size, K, 0, false, lab, &w, &report, &e);
	assert_err(e, ERR_PEER, "asked for a profile when none was agreed");
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

TESTS_BETWEEN(open_rows, close_rows)
