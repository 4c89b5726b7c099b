/* Tests standardize "joint", which divides by each column's deviation over all parties: known
 * answers, and false sums. */
#include "tests/test.h"
#include "rows.h"

#include <math.h>

enum { N = 300, M = 4, K = 3, L = 3 };

static struct mat X;
static uint32_t truth[N], part[N];
static double lie; /* number that spoil() adds to one word of the SPREAD sum */
static size_t lie_at;

static enum err spoil(void *watcher, const void *question, double *x, size_t n)
{
	const struct fedsc_question *q = question;

	(void)watcher;
	if (q->kind == FEDSC_SPREAD && lie != 0) {
		assert_true(lie_at < n);
		x[lie_at] += lie;
	}
	return ERR_OK;
}

static int open_rows(void **state)
{
	(void)state;
	rows_balls(&X, truth, K, N / K, M, 10, 3);
	for (size_t i = 0; i < N; i++) {
		part[i] = (uint32_t)(i % L);
		MAT(&X, i, 1) = MAT(&X, i, 1) * 1024 + 4096; /* other units */
		MAT(&X, i, 2) = i % 2;                       /* a category */
		MAT(&X, i, 3) = 0.1;                         /* constant */
	}
	return 0;
}

static int close_rows(void **state)
{
	(void)state;
	mat_release(&X);
	return 0;
}

static enum err run(struct rows_lab *lab, const bool *const *unscaled, struct fedsc_report *report)
{
	struct fedsc_params p = { .variant = FEDSC_BY_KMEANS,
				  .k = K,
				  .restarts = 5,
				  .lloyd = 50,
				  .least = 3,
				  .tolerance = 1e-6,
				  .standardize = STANDARDIZE_JOINT,
				  .seed = 2,
				  .threads = 1 };

	rows_deal(lab, &X, part, L, 1);
	lab->memory.watch = spoil;
	for (size_t l = 0; l < L; l++)
		lab->party[l].unscaled = unscaled[l];
	return fedsc_run(&lab->parties, M, &p, report);
}

/* Computes the mean and deviation of column j over all rows. */
static void pooled(size_t j, double *mean, double *deviation)
{
	*mean = *deviation = 0;
	for (size_t i = 0; i < N; i++)
		*mean += MAT(&X, i, j) / N;
	for (size_t i = 0; i < N; i++)
		*deviation += (MAT(&X, i, j) - *mean) * (MAT(&X, i, j) - *mean) / N;
	*deviation = sqrt(*deviation);
}

static const bool third[M] = { [2] = true }, none[M] = { 0 };

/* The category keeps its unit, the constant column becomes 0, and the other columns get deviation
 * 1. All columns are divided by the joint scale. Rows equal (x - mean) / unit, with the mean and
 * the unit that the report has. */
TEST(test_known)
{
	const bool *const unscaled[L] = { third, third, third };
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	double mean, deviation, scale = sqrt((1 + 1 + 0.25) / M);
	struct fedsc_report report;
	size_t at[L] = { 0 };

	assert_ok(run(lab, unscaled, &report));
	assert_near(report.scale, scale, 1e-9);
	for (size_t j = 0; j < M; j++) {
		pooled(j, &mean, &deviation);
		assert_near(report.mean[j], mean, 1e-9 * (1 + fabs(mean)));
		assert_near(report.unit[j], scale * (j < 2 ? deviation : 1),
			    1e-9 * (1 + deviation));
	}
	for (size_t i = 0; i < N; i++) {
		const double *row = ROW(&lab->party[part[i]].X, at[part[i]]++);

		for (size_t j = 0; j < M; j++)
			assert_near(row[j], (MAT(&X, i, j) - report.mean[j]) / report.unit[j],
				    1e-9);
	}
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

/* A column in a large unit does no harm. Without `standardize` it alone would decide the clusters.
 */
TEST(test_unit_of_one_column)
{
	const bool *const unscaled[L] = { third, third, third };
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	uint32_t *label;

	assert_ok(run(lab, unscaled, &report));
	label = fedsc_gather(lab->party, L, lab->part, N);
	for (size_t i = 0; i < N; i++) /* balls are far apart in columns 0 and 1 */
		assert_int_equal(label[i], label[i / (N / K) * (N / K)]);
	free(label);
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

static void refused(const bool *const *unscaled, size_t at, double by, enum err code,
		    const char *message)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;

	lie_at = at;
	lie = by;
	assert_err(run(lab, unscaled, &report), code, message);
	lie = 0;
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

/* Refuses parties with different categories, and impossible sums. */
TEST(test_refusals)
{
	const bool *const some[L] = { third, none, third }, *const all[L] = { third, third, third };

	refused(some, 0, 0, ERR_INPUT,
		"column 2 (from 0) is a category or sparse at 2 of 3 parties: give all the same "
		"columns.json");
	refused(all, M + 2, 1, ERR_PEER, "4 of 3 parties leave column 2 as it is");
	refused(all, M + 1, 0.5, ERR_PEER, "0.5 of 3 parties leave column 1 as it is");
	refused(all, M + 1, -1, ERR_PEER, "-1 of 3 parties leave column 1 as it is");
}

/* A party refuses units that it cannot divide by. */
TEST(test_units_that_cannot_be)
{
	double x[2 * M], mean[M] = { 0 }, unit[M] = { 1, 1, 0, 1 };
	struct fedsc_question q = { .kind = FEDSC_SPREAD, .mean = mean, .columns = true };
	struct fedsc_party p;
	struct mat copy;

	mat_copy(&copy, &X);
	assert_ok(fedsc_party_init(&p, &copy, 0, NULL, 1));
	p.unscaled = third;
	assert_int_equal(fedsc_words(&q, M), 2 * M);
	assert_ok(fedsc_answer(&p, &q, x));
	for (size_t j = 0; j < M; j++)
		assert_near(x[M + j], j == 2, 0);
	q = (struct fedsc_question){ .kind = FEDSC_SCALE, .scale = 1, .unit = unit };
	assert_err(fedsc_answer(&p, &q, x), ERR_PEER, "the unit of column 2 is 0");
	unit[2] = NAN;
	assert_err(fedsc_answer(&p, &q, x), ERR_PEER, "the unit of column 2 is");
	fedsc_party_release(&p);
}

TESTS_BETWEEN(open_rows, close_rows)
