/* Tests a random start of the dictionary, as in FedSC's Algorithm 1, and a dictionary of one
 * point. */
#include "tests/unit/protocols/fedsc/defaults.h"
#include "tests/unit/protocols/fedsc/rows.h"
#include "common/cluster/metrics.h"

#include <math.h>

enum { EACH = 120, N = 2 * EACH };

static uint32_t truth[N];

/* Makes two concentric circles of radius 2 and 4. */
static void make_circles(struct mat *X)
{
	mat_init(X, N, 2);
	for (size_t i = 0; i < N; i++) {
		double radius = i < EACH ? 2 : 4, angle = 2 * M_PI * (double)i / EACH;

		truth[i] = i >= EACH;
		MAT(X, i, 0) = 5 + radius * cos(angle);
		MAT(X, i, 1) = radius * sin(angle) - 3;
	}
}

static double start_accuracy(const struct fedsc_params *p, size_t *counted)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct metrics m;
	uint32_t *label;
	struct mat X;

	make_circles(&X);
	rows_lab_init(lab, &X, truth, 3, 0, 1);
	label = rows_run(lab, p, &report);
	assert_int_equal(report.dims, p->dims);
	assert_ok(metrics_of(truth, label, N, &m));
	*counted = 0;
	for (size_t i = 0; i < lab->asked_count && lab->asked[i].kind != FEDSC_DICTIONARY; i++)
		*counted += lab->asked[i].kind == FEDSC_CLUSTERS;
	free(label);
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
	mat_release(&X);
	return m.acc;
}

/* A dictionary of one point moves to the middle of the circles, so that similarities depend on the
 * radius. With two points the embedding's unit rows are angles, which split both circles in
 * halves. */
TEST(one_point_tells_radius)
{
	struct fedsc_params p;
	size_t counted;

	assert_ok(fedsc_defaults(&p, FEDSC_BY_DENSE, 2, 1, 1));
	p.start = FEDSC_AT_RANDOM;
	p.rounds = 20;
	p.dims = 1;
	assert_near(start_accuracy(&p, &counted), 1, 0);
	p.dims = 2;
	assert_true(start_accuracy(&p, &counted) < 0.7);
}

/* A random start requests no sums over clusters before Stage I. */
TEST(random_start_asks_for_no_landmarks)
{
	struct fedsc_params p;
	size_t counted;

	assert_ok(fedsc_defaults(&p, FEDSC_BY_PAPER, 2, 1, 1));
	p.dims = 12;
	start_accuracy(&p, &counted);
	assert_true(counted > 0);
	p.start = FEDSC_AT_RANDOM;
	assert_true(start_accuracy(&p, &counted) > 0.9);
	assert_int_equal(counted, 0);
}
