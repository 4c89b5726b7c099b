/* Tests FedSC's noise on rows, and on the factors that variant `paper` uploads. */
#include "tests/unit/protocols/fedsc/trilaterate.h"
#include "tests/unit/cluster/balls.h"

/* Noise of deviation beta raises the rows' mean square by beta^2. */
TEST(noisy_rows)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;
	double square = 0, clean = 0;
	struct mat S;

	scaled(&S);
	for (size_t e = 0; e < N * M; e++)
		clean += S.a[e] * S.a[e] / (N * M);
	mat_release(&S);
	params(&p, FEDSC_BY_KMEANS);
	p.beta = 0.7;
	rows_lab_init(lab, &X, truth, 4, 0, 1);
	assert_ok(fedsc_run(&lab->parties, lab->m, &p, &report));
	for (size_t l = 0; l < 4; l++)
		for (size_t e = 0; e < lab->party[l].X.rows * M; e++)
			square += lab->party[l].X.a[e] * lab->party[l].X.a[e] / (N * M);
	assert_near(square, clean + 0.49, 0.08);
	assert_true(report.scale > 0);
	fedsc_report_release(&report);
	rows_lab_release(lab);
	rows_lab_init(lab, &X, truth, 4, 0, 1);
	lab->party[1].noise = NULL;
	assert_err(fedsc_run(&lab->parties, lab->m, &p, &report), ERR_PEER,
		   "party 1: asked for noise of 0.7");
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

/* Trilateration recovers rows from an upload without noise, but not from one with noise. */
TEST(noisy_factors)
{
	for (int noisy = 0; noisy < 2; noisy++) {
		struct rows_lab *lab = alloc(1, sizeof(*lab));
		struct mat Z, C, S;
		double error;

		rows_lab_init(lab, &X, truth, 1, 0, 1);
		scaled(&S);
		mat_release(&lab->party[0].X);
		lab->party[0].X = S;
		mat_init(&Z, 12, M);
		for (size_t i = 0; i < 12; i++)
			memcpy(ROW(&Z, i), ROW(&S, 25 * i + 7), M * sizeof(double));
		assert_ok(fedsc_upload(&lab->party[0], &Z, 2, 1e-2, noisy * 0.05, 0, &C));
		error = trilaterate(&Z, &C, 2, 1e-2, &S);
		assert_true(noisy ? error > 0.01 : error < 1e-9);
		mat_release(&C);
		mat_release(&Z);
		rows_lab_release(lab);
		free(lab);
	}
}

TESTS_BETWEEN(make, unmake)
