/* Tests the parameters, data and questions that FedSC refuses. */
#include "tests/unit/cluster/balls.h"
#include "protocols/fedsc/coordinator.h"

TEST(wrong_parameters)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;

	rows_lab_init(lab, &X, truth, 2, 0, 1);
#define REFUSED(change, text)                                                                      \
	do {                                                                                       \
		params(&p, FEDSC_BY_DENSE);                                                        \
		change;                                                                            \
		assert_err(fedsc_run(&lab->parties, lab->m, &p, &report), ERR_INPUT, text);        \
		fedsc_report_release(&report);                                                     \
	} while (0)
	REFUSED(p.k = 0, "0 clusters");
	REFUSED(p.k = N + 1, "job.clusters is 301, of 300 rows");
	REFUSED(p.dims = N + 1, "job.dims is 301, of 300 rows");
	REFUSED(p.least = 0, "0 rows or more");
	REFUSED(p.near = 65, "65 nearest");
	REFUSED(p.beta = -1, "noise of -1");
	REFUSED(p.noise_c = NAN, "nan, 0, 0: none may be negative");
	REFUSED(p.lambda = -1, "lambda -1");
	REFUSED(p.width_factor = 0, "factor 0");
#undef REFUSED
	rows_lab_release(lab);
	free(lab);
}

TEST(wrong_data)
{
	double same[] = { 3, 3, 3, 3, 3, 3, 3, 3 }, bad[] = { 1, 2, NAN, 4 }, one[] = { 1, 2 };
	struct mat equal = { 4, 2, same }, copy;
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;
	struct fedsc_party party;

	rows_lab_init(lab, &equal, truth, 2, 0, 1);
	params(&p, FEDSC_BY_ANCHORS);
	assert_err(fedsc_run(&lab->parties, lab->m, &p, &report), ERR_INPUT,
		   "all 4 rows are equal");
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
	mat_copy(&copy, &(struct mat){ 2, 2, bad });
	assert_err(fedsc_party_init(&party, &copy, 0, NULL, 1), ERR_INPUT,
		   "row 1, column 0 is nan");
	fedsc_party_release(&party);
	mat_copy(&copy, &(struct mat){ 1, 2, one });
	assert_err(fedsc_party_init(&party, &copy, 0, NULL, 1), ERR_INPUT, "at least 2 rows");
	fedsc_party_release(&party);
}

/* Refuses a run in which too few landmarks have `least` rows: fewer than there are clusters, or
 * than each row uses. */
TEST(too_few_landmarks)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;

	params(&p, FEDSC_BY_ANCHORS);
	p.least = 100;
	rows_lab_init(lab, &X, truth, 2, 0, 1);
	assert_err(fedsc_run(&lab->parties, lab->m, &p, &report), ERR_JOB,
		   "landmarks have 100 rows or more");
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

/* A row far from all others has degree 0 and cannot be normalised. The error names its party. */
TEST(no_degree)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	uint32_t part[N];
	struct fedsc_report report;
	struct fedsc_params p;
	struct mat far;

	mat_copy(&far, &X);
	for (size_t i = 0; i < N; i++)
		part[i] = i == 7 || i % 2;
	MAT(&far, 7, 0) = 1e5;
	params(&p, FEDSC_BY_DENSE);
	p.width = 0.01; /* a multiple of the deviation, which row 7 makes large */
	rows_deal(lab, &far, part, 2, 1);
	assert_err(fedsc_run(&lab->parties, lab->m, &p, &report), ERR_JOB,
		   "party 1: row 3 has degree");
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
	mat_release(&far);
}

/* A party blames the peer for a question that does not fit the party's rows or the questions
 * before. */
TEST(questions_that_do_not_fit)
{
	double x[1024], mean[M] = { 0 }, z[2 * M] = { 0 }, r[2] = { 1, NAN }, t[2] = { 1, 1 };
	struct mat Z = { 2, M, z }, narrow = { 2, M - 1, z }, R = { 2, 1, r };
	struct fedsc_question q = { .kind = FEDSC_SPREAD, .mean = mean };
	struct fedsc_party p;
	struct mat copy;

	mat_copy(&copy, &X);
	assert_ok(fedsc_party_init(&p, &copy, 0, NULL, 1));
	q.kind = FEDSC_TOTALS;
	assert_ok(fedsc_answer(&p, &q, x));
	assert_near(x[0], N, 0);
	q.kind = FEDSC_SPREAD;
	assert_ok(fedsc_answer(&p, &q, x));
	q = (struct fedsc_question){ .kind = FEDSC_SCALE, .scale = 2 };
	assert_ok(fedsc_answer(&p, &q, x));
	q = (struct fedsc_question){ .kind = FEDSC_ANCHOR, .Z = &Z, .near = 2 };
	assert_err(fedsc_answer(&p, &q, x), ERR_PEER, "the 2 nearest of 2 landmarks");
	q.Z = &narrow;
	assert_err(fedsc_answer(&p, &q, x), ERR_PEER, "dictionary of 2 x 5 for rows of 6");
	q = (struct fedsc_question){ .kind = FEDSC_EMBED, .R = &R };
	assert_err(fedsc_answer(&p, &q, x), ERR_PEER, "embedding of 2 x 1 for sums of 0");
	q = (struct fedsc_question){ .kind = FEDSC_DENSE, .t = t, .d = 2 };
	assert_err(fedsc_answer(&p, &q, x), ERR_PEER, "dense sum of 2 when degrees were of 0");
	q = (struct fedsc_question){ .kind = FEDSC_DEGREES, .Z = &Z, .r = -1 };
	assert_err(fedsc_answer(&p, &q, x), ERR_PEER, "r -1");
	q.r = 1;
	z[3] = INFINITY;
	assert_err(fedsc_answer(&p, &q, x), ERR_PEER, "value 3 of 12 is inf");
	z[3] = 1;
	q = (struct fedsc_question){
		.kind = FEDSC_DICTIONARY, .Z = &Z, .r = 1, .lambda = 1, .n = N - 1
	};
	assert_err(fedsc_answer(&p, &q, x), ERR_PEER, "299 rows in all");
	q = (struct fedsc_question){ .kind = FEDSC_ANCHOR, .Z = &Z, .near = 1 };
	assert_ok(fedsc_answer(&p, &q, x));
	q = (struct fedsc_question){ .kind = FEDSC_EMBED, .R = &R };
	assert_err(fedsc_answer(&p, &q, x), ERR_PEER, "value 1 of 2 is nan");
	fedsc_party_release(&p);
}

TESTS_BETWEEN(make, unmake)
