/* Tests FedSC on real data: the accuracy of its clusters, and that variant `paper` discloses
 * rows. */
#include "tests/unit/protocols/fedsc/defaults.h"
#include "tests/unit/protocols/fedsc/rows.h"
#include "tests/unit/protocols/fedsc/trilaterate.h"
#include "common/cluster/metrics.h"

static void check_real(const char *set, enum fedsc_variant variant, unsigned seeds, double least,
		       double skew)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	double acc = 0;
	uint32_t *classes;
	struct mat rows;
	unsigned k;

	if (!rows_read(set, &rows, &classes, &k)) {
		free(lab);
		skip();
	}
	for (unsigned seed = 0; seed < seeds; seed++) {
		struct fedsc_report report;
		struct fedsc_params p;
		struct metrics m;
		uint32_t *label;

		assert_ok(fedsc_defaults(&p, variant, k, seed, 2));
		rows_lab_init(lab, &rows, classes, 8, skew, 2);
		label = rows_run(lab, &p, &report);
		assert_ok(metrics_of(classes, label, rows.rows, &m));
		acc += m.acc / seeds;
		free(label);
		fedsc_report_release(&report);
		rows_lab_release(lab);
	}
	mat_release(&rows);
	free(classes);
	free(lab);
	if (acc < least)
		fail_msg("%s: accuracy %.4f, expected %.4f or more", set, acc, least);
}

TEST(iris)
{
	check_real("iris", FEDSC_BY_ANCHORS, 10, 0.89, 0);
	check_real("iris", FEDSC_BY_PAPER, 10, 0.88, 0);
}

TEST(banknote)
{
	if (SANITIZED) /* the test of iris runs the same code */
		skip();
	check_real("banknote", FEDSC_BY_ANCHORS, 5, 0.87, 0);
	check_real("banknote", FEDSC_BY_PAPER, 10, 0.60, 0);
}

TEST(skewed)
{
	if (SANITIZED) /* other rows run the same code */
		skip();
	check_real("iris", FEDSC_BY_ANCHORS, 10, 0.89, 1);
	check_real("banknote", FEDSC_BY_ANCHORS, 5, 0.87, 1);
}

/* Trilateration recovers the rows that two parties upload. */
TEST(iris_comes_back)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;
	uint32_t *classes;
	struct mat rows;
	unsigned k;

	if (!rows_read("iris", &rows, &classes, &k)) {
		free(lab);
		skip();
	}
	assert_ok(fedsc_defaults(&p, FEDSC_BY_PAPER, k, 1, 1));
	rows_lab_init(lab, &rows, classes, 2, 0, 1);
	assert_ok(fedsc_run(&lab->parties, lab->m, &p, &report));
	for (size_t l = 0; l < 2; l++) {
		struct mat Z, C;

		mat_copy(&Z, &lab->party[l].Z);
		assert_ok(fedsc_upload(&lab->party[l], &Z, report.r, p.lambda, 0, 0, &C));
		assert_true(trilaterate(&Z, &C, report.r, p.lambda, &lab->party[l].X) < 1e-6);
		mat_release(&C);
		mat_release(&Z);
	}
	fedsc_report_release(&report);
	rows_lab_release(lab);
	mat_release(&rows);
	free(classes);
	free(lab);
}
