#include "tests/unit/math/rows.h"
#include "tests/unit/math/trilaterate.h"
#include "common/math/fedsc.h"
#include "common/math/fedsc_paper.h"
#include "common/math/kmeans.h"
#include "common/math/knn.h"
#include "common/math/metrics.h"
#include "common/math/spectral.h"

enum { K = 4, EACH = 75, N = K * EACH, M = 6 };

static struct mat X;
static uint32_t truth[N];

static int make(void **state)
{
	(void)state;
	rows_balls(&X, truth, K, EACH, M, 3, 1);
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

static void params(struct fedsc_params *p, enum fedsc_variant variant)
{
	fedsc_defaults(p, variant, K, 1, 1);
	p->dims_most = 40;
}

/* The whole, in one place: X as it is scaled, so that parties' rows can be compared. */
static void scaled(struct mat *S)
{
	double mean = 0, square = 0, *column = alloc(M, sizeof(*column));

	mat_copy(S, &X);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < M; j++) {
			mean += MAT(S, i, j) / (N * M);
			column[j] += MAT(S, i, j) / N;
		}
	for (size_t e = 0; e < N * M; e++)
		square += (S->a[e] - mean) * (S->a[e] - mean) / (N * M);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < M; j++)
			MAT(S, i, j) = (MAT(S, i, j) - column[j]) / sqrt(square);
	free(column);
}

/* -- what is found --------------------------------------------------------------------------- */

static const enum fedsc_variant variants[] = { FEDSC_BY_ANCHORS, FEDSC_BY_DENSE, FEDSC_BY_PAPER,
					       FEDSC_BY_KMEANS };

/* The planted balls, by every variant, any number of parties, in doubles and in fixed point;
 * cluster sizes are the labels'. */
static void finds_balls(void **state)
{
	(void)state;
	for (size_t v = 0; v < 4; v++)
		for (size_t parties = 1; parties <= 8; parties *= 2) {
			struct rows_lab *lab = alloc(1, sizeof(*lab));
			struct fedsc_report report;
			struct fedsc_params p;
			uint32_t *label;

			params(&p, variants[v]);
			rows_lab_init(lab, &X, truth, parties, 0, 1);
			lab->memory.step = parties > 2 ? 0x1p-20 : 0;
			label = rows_run(lab, &p, &report);
			assert_true(accuracy(label) > 0.97);
			for (uint32_t c = 0; c < K; c++) {
				size_t own = 0;

				for (size_t i = 0; i < N; i++)
					own += label[i] == c;
				assert_near(report.size[c], (double)own, 0);
			}
			assert_near(report.n, N, 0);
			free(label);
			fedsc_report_release(&report);
			rows_lab_release(lab);
			free(lab);
		}
}

/* Only sums leave a party, so who holds which rows changes rounding alone. Stage I is another
 * matter: its mean of dictionaries depends on the split, and so does r. */
static void any_split(void **state)
{
	(void)state;
	for (size_t v = 0; v < 4; v += 3) {
		uint32_t *first = NULL;
		struct metrics same;

		for (int split = 0; split < 5; split++) {
			struct rows_lab *lab = alloc(1, sizeof(*lab));
			struct fedsc_report report;
			struct fedsc_params p;
			uint32_t *label;

			params(&p, variants[v]);
			p.threads = split == 4 ? 3 : 1;
			rows_lab_init(lab, &X, truth, split ? 2 * (size_t)split : 1, split % 2, 1);
			label = rows_run(lab, &p, &report);
			if (!first)
				first = label;
			assert_ok(metrics_of(first, label, N, &same));
			assert_near(same.acc, 1, 0); /* rounding may number them otherwise */
			if (label != first)
				free(label);
			fedsc_report_release(&report);
			rows_lab_release(lab);
			free(lab);
		}
		free(first);
	}
}

/* -- anchor, centrally ----------------------------------------------------------------------- */

/* Landmarks, the n x d matrix of weights, its n x d left singular vectors, and k-means on those: an
 * anchor graph clustering that knows nothing of parties. */
static void central_anchors(const struct fedsc_params *p, const struct mat *Z, uint32_t *label)
{
	size_t d = Z->rows;
	struct mat S, B, G, V, E, R, unit, centres;
	double *lam = alloc(d, sizeof(*lam)), value[K], *D = alloc(N * d, sizeof(*D));
	struct kmeans_params how = {
		.k = K, .restarts = p->restarts, .iterations = 100, .seed = p->seed, .threads = 1
	};
	uint32_t *landmark_label = alloc(d, sizeof(*landmark_label));

	scaled(&S);
	kmeans_distances(&S, Z, D);
	mat_init(&B, N, d);
	for (size_t i = 0; i < N; i++) {
		double near[5], sum = 0;
		size_t at[5];

		for (size_t s = 0; s < 5; s++) {
			at[s] = d;
			for (size_t j = 0; j < d; j++) {
				bool taken = false;

				for (size_t t = 0; t < s; t++)
					taken |= at[t] == j;
				if (!taken && (at[s] == d || D[i * d + j] < D[i * d + at[s]]))
					at[s] = j;
			}
			near[s] = D[i * d + at[s]];
		}
		for (size_t s = 0; s < 4; s++)
			sum += near[4] - near[s];
		for (size_t s = 0; s < 4; s++) {
			MAT(&B, i, at[s]) = (near[4] - near[s]) / sum;
			lam[at[s]] += MAT(&B, i, at[s]);
		}
	}
	mat_copy(&R, &B);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < d; j++)
			MAT(&R, i, j) /= lam[j] > 0 ? sqrt(lam[j]) : 1;
	la_gram_columns(&R, 1, &G);
	mat_release(&R);
	assert_ok(la_eigen_top(&G, K, value, &V));
	mat_init(&R, d, K);
	for (size_t j = 0; j < d; j++)
		for (size_t r = 0; r < K; r++)
			MAT(&R, j, r) = lam[j] > 0 ? MAT(&V, r, j) / sqrt(lam[j] * value[r]) : 0;
	la_mul_nn(&B, &R, 1, &E);
	spectral_unit_rows(&E);
	mat_copy(&unit, &R);
	spectral_unit_rows(&unit);
	kmeans(&unit, lam, &how, landmark_label, &centres, NULL);
	for (unsigned t = 0; t <= p->lloyd; t++) {
		kmeans_distances(&E, &centres, D);
		kmeans_assign(D, NULL, N, K, label, NULL);
		if (t < p->lloyd)
			kmeans_centres(&E, NULL, label, &centres);
	}
	mat_release(&centres);
	mat_release(&unit);
	mat_release(&E);
	mat_release(&R);
	mat_release(&V);
	mat_release(&G);
	mat_release(&B);
	mat_release(&S);
	free(landmark_label);
	free(D);
	free(lam);
}

/* Keeps the landmarks that were asked about. */
struct keeper {
	struct fedsc_pool below;
	struct mat Z;
};

static enum err keep_landmarks(void *ctx, const struct fedsc_question *q, const bool *member,
			       double *x)
{
	struct keeper *k = ctx;

	if (q->kind == FEDSC_ANCHOR)
		mat_copy(&k->Z, q->Z);
	return k->below.ask(k->below.ctx, q, member, x);
}

static void one_party_is_central(void **state)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;
	struct keeper keeper = { 0 };
	struct fedsc_pool pool;
	struct metrics same;
	uint32_t label[N], *found;

	(void)state;
	params(&p, FEDSC_BY_ANCHORS);
	rows_lab_init(lab, &X, truth, 1, 0, 1);
	keeper.below = lab->pool;
	pool = lab->pool;
	pool.ctx = &keeper;
	pool.ask = keep_landmarks;
	assert_ok(fedsc_run(&pool, &p, &report));
	found = fedsc_gather(&lab->memory, lab->part, N);
	central_anchors(&p, &keeper.Z, label);
	assert_ok(metrics_of(found, label, N, &same));
	assert_near(same.acc, 1, 0); /* which number a cluster has depends on rounding */
	free(found);
	mat_release(&keeper.Z);
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

/* -- dense, n x n ---------------------------------------------------------------------------- */

/* D^-1/2 K D^-1/2 with K = F F' whole; its k leading eigenvectors as columns, unit rows. */
static void whole_eigenproblem(const struct mat *rows, const struct mat *Z, double r, double lambda,
			       double *value, struct mat *E)
{
	size_t n = rows->rows;
	struct fedsc_basis b;
	struct mat C, F, G, V;
	double *degree = alloc(n, sizeof(*degree));

	assert_ok(fedsc_basis_init(&b, Z, r, lambda, 1));
	assert_ok(fedsc_basis_root(&b, 1));
	mat_init(&C, n, Z->rows);
	assert_ok(fedsc_coefficients(&b, rows->a, n, C.a));
	la_mul_nn(&C, &b.root, 1, &F);
	la_gram_rows(&F, 1, &G);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			degree[i] += MAT(&G, i, j);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			MAT(&G, i, j) /= sqrt(degree[i] * degree[j]);
	assert_ok(la_eigen_top(&G, K, value, &V));
	mat_init(E, n, K);
	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < K; c++)
			MAT(E, i, c) = MAT(&V, c, i);
	spectral_unit_rows(E);
	mat_release(&V);
	mat_release(&G);
	mat_release(&F);
	mat_release(&C);
	fedsc_basis_release(&b);
	free(degree);
}

/* Asks three parties what by_dense() would, and compares their embeddings with that of the n x n
 * problem: inner products of unit rows, which no sign or rotation changes. */
static void dense_is_the_whole_problem(void **state)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;
	struct mat Z, whole, E, expected, found;
	double value[K];
	size_t at = 0;

	(void)state;
	params(&p, FEDSC_BY_DENSE);
	rows_lab_init(lab, &X, truth, 3, 0.5, 1);
	assert_ok(fedsc_run(&lab->pool, &p, &report));
	mat_copy(&Z, &lab->party[0].Z);
	mat_init(&whole, N, M);
	mat_init(&E, N, K);
	for (size_t l = 0; l < 3; l++) {
		memcpy(ROW(&whole, at), lab->party[l].X.a, lab->party[l].X.rows * M * 8);
		memcpy(ROW(&E, at), lab->party[l].embedding.a, lab->party[l].X.rows * K * 8);
		at += lab->party[l].X.rows;
	}
	assert_int_equal(at, N);
	la_gram_rows(&E, 1, &found);
	mat_release(&E);
	whole_eigenproblem(&whole, &Z, report.r, p.lambda, value, &E);
	la_gram_rows(&E, 1, &expected);
	assert_mat_near(&found, &expected, 1e-10);
	for (size_t r = 0; r < K; r++)
		assert_near(report.value[r], value[r], 1e-10);
	mat_release(&expected);
	mat_release(&found);
	mat_release(&E);
	mat_release(&whole);
	mat_release(&Z);
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

static void given(void *ctx, size_t first, size_t count, double *S)
{
	const struct mat *whole = ctx;

	memcpy(S, ROW(whole, first), count * whole->cols * sizeof(*S));
}

/* Variant paper from Z and C by its definition, C Kzz C' whole, where the answer is not clear. */
static void paper_by_definition(void **state)
{
	struct fedsc_paper how = {
		.k = K, .neighbours = 6, .restarts = 20, .r = 1.5, .lambda = 1e-2, .seed = 3
	};
	struct knn_source source = { .n = N, .block = given };
	struct spectral_params top;
	struct mat Z, C, Kzz, CK, whole;
	uint32_t label[N], expected[N];
	struct metrics same;
	struct csr S;

	(void)state;
	how.threads = 1;
	sample_normal(&Z, 15, M, 5);
	sample_normal(&C, N, 15, 6);
	assert_ok(fedsc_paper(&Z, &C, &how, label));
	kernel_gaussian(&Z, &Z, how.r, 1, &Kzz);
	la_mul_nn(&C, &Kzz, 1, &CK);
	la_mul_nt(&CK, &C, 1, &whole);
	source.ctx = &whole;
	knn_graph(&source, 6, 1, &S);
	spectral_defaults(&top, N, K, 3, 1);
	assert_ok(spectral_cluster(&S, &top, 20, expected, NULL));
	assert_ok(metrics_of(expected, label, N, &same));
	assert_near(same.acc, 1, 0);
	csr_release(&S);
	mat_release(&whole);
	mat_release(&CK);
	mat_release(&Kzz);
	mat_release(&C);
	mat_release(&Z);
}

/* -- what leaves a party --------------------------------------------------------------------- */

/* Every sum of rows is of `least` rows or more, although counts of fewer came up; nothing is as
 * wide as there are rows, and nothing is uploaded but in `paper`. */
static void only_sums_leave(void **state)
{
	(void)state;
	for (size_t v = 0; v < 2; v++) {
		struct rows_lab *lab = alloc(1, sizeof(*lab));
		struct fedsc_report report;
		struct fedsc_params p;
		bool fewer = false, sums = false;

		params(&p, variants[v]);
		rows_lab_init(lab, &X, truth, 4, 0, 1);
		lab->pool.upload = NULL; /* would crash */
		lab->pool.hand_back = NULL;
		assert_ok(fedsc_run(&lab->pool, &p, &report));
		for (size_t i = 0; i < lab->asked_count; i++) {
			const struct asked *a = &lab->asked[i];

			if (a->kind != FEDSC_CLUSTERS)
				continue;
			fewer |= a->clusters == FEDKMEANS_COUNTS && a->least_count < p.least;
			sums |= a->clusters == FEDKMEANS_SUMS;
			if (a->clusters == FEDKMEANS_SUMS)
				assert_true(a->least_count >= p.least);
		}
		assert_true(fewer && sums);
		assert_true(v > 0 || report.dropped > 0);
		fedsc_report_release(&report);
		rows_lab_release(lab);
		free(lab);
	}
}

/* A party's policy is asked, not the job. */
static void policy_refuses(void **state)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;

	(void)state;
	params(&p, FEDSC_BY_ANCHORS);
	rows_lab_init(lab, &X, truth, 4, 0, 1);
	lab->party[2].min_cluster = 10;
	assert_err(
	    fedsc_run(&lab->pool, &p, &report), ERR_PEER,
	    "party 2: asked for sums of 3 rows or more; this party gives none of fewer than 10");
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

/* -- partial participation ------------------------------------------------------------------- */

static void members(void **state)
{
	bool first[8], member[8];
	size_t times[8] = { 0 };

	(void)state;
	for (unsigned s = 0; s < 400; s++) {
		size_t count = 0;

		fedsc_members(11, s, 8, 3, member);
		fedsc_members(11, s, 8, 3, first);
		assert_memory_equal(member, first, sizeof(member));
		for (size_t l = 0; l < 8; l++) {
			count += member[l];
			times[l] += member[l];
		}
		assert_int_equal(count, 3);
	}
	for (size_t l = 0; l < 8; l++) /* 150 in the mean, 9.7 the deviation */
		assert_true(times[l] > 100 && times[l] < 200);
}

static void some_take_part(void **state)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;
	size_t rounds = 0;
	uint32_t *label;

	(void)state;
	params(&p, FEDSC_BY_DENSE);
	p.participants = 3;
	p.draw = 99;
	rows_lab_init(lab, &X, truth, 8, 0, 1);
	label = rows_run(lab, &p, &report);
	for (size_t i = 0; i < lab->asked_count; i++) {
		bool partial = lab->asked[i].kind == FEDSC_DICTIONARY;

		rounds += partial;
		assert_int_equal(lab->asked[i].members, partial ? 3 : 8);
	}
	assert_int_equal(rounds, p.rounds);
	assert_true(accuracy(label) > 0.95);
	free(label);
	fedsc_report_release(&report);
	p.participants = 9;
	assert_err(fedsc_run(&lab->pool, &p, &report), ERR_INPUT, "9 participants of 8");
	rows_lab_release(lab);
	free(lab);
}

/* Eight parties with the same rows: whoever takes part, the mean of their dictionaries is the same.
 */
static void some_stand_for_all(void **state)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;
	struct mat copies, all = { 0 };
	uint32_t *part;

	(void)state;
	mat_init(&copies, 8 * N, M);
	ALLOC(part, 8 * N);
	for (size_t i = 0; i < 8 * N; i++) {
		part[i] = (uint32_t)(i / N);
		memcpy(ROW(&copies, i), ROW(&X, i % N), M * sizeof(double));
	}
	for (int some = 0; some < 2; some++) {
		params(&p, FEDSC_BY_DENSE);
		p.dims = 20;
		p.rounds = 2;
		p.participants = some ? 3 : 0;
		rows_deal(lab, &copies, part, 8, 1);
		assert_ok(fedsc_run(&lab->pool, &p, &report));
		if (some)
			assert_mat_near(&lab->party[0].Z, &all, 1e-10);
		else
			mat_copy(&all, &lab->party[0].Z);
		fedsc_report_release(&report);
		rows_lab_release(lab);
	}
	mat_release(&all);
	free(part);
	mat_release(&copies);
	free(lab);
}

static void stops_by_tolerance(void **state)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;

	(void)state;
	params(&p, FEDSC_BY_DENSE);
	p.rounds = 1000;
	p.tolerance = 1e-2;
	rows_lab_init(lab, &X, truth, 2, 0, 1);
	assert_ok(fedsc_run(&lab->pool, &p, &report));
	assert_true(report.rounds > 1 && report.rounds < 200);
	assert_true(report.change <= 1e-2 && report.change > 0);
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

/* -- noise ----------------------------------------------------------------------------------- */

/* beta: the rows' mean square rises by beta^2. */
static void noisy_rows(void **state)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;
	double square = 0, clean = 0;
	struct mat S;

	(void)state;
	scaled(&S);
	for (size_t e = 0; e < N * M; e++)
		clean += S.a[e] * S.a[e] / (N * M);
	mat_release(&S);
	params(&p, FEDSC_BY_KMEANS);
	p.beta = 0.7;
	rows_lab_init(lab, &X, truth, 4, 0, 1);
	assert_ok(fedsc_run(&lab->pool, &p, &report));
	for (size_t l = 0; l < 4; l++)
		for (size_t e = 0; e < lab->party[l].X.rows * M; e++)
			square += lab->party[l].X.a[e] * lab->party[l].X.a[e] / (N * M);
	assert_near(square, clean + 0.49, 0.08);
	assert_true(report.scale > 0);
	fedsc_report_release(&report);
	rows_lab_release(lab);
	rows_lab_init(lab, &X, truth, 4, 0, 1);
	lab->party[1].noise = NULL;
	assert_err(fedsc_run(&lab->pool, &p, &report), ERR_PEER, "party 1: asked for noise of 0.7");
	rows_lab_release(lab);
	free(lab);
}

/* Rows of the upload without noise come back by trilateration; with it they do not. */
static void noisy_factors(void **state)
{
	(void)state;
	for (int noisy = 0; noisy < 2; noisy++) {
		struct rows_lab *lab = alloc(1, sizeof(*lab));
		struct mat Z, C, S;
		double error;

		rows_lab_init(lab, &X, truth, 1, 0, 1);
		scaled(&S);
		mat_release(&lab->party[0].X);
		lab->party[0].X = S;
		lab->party[0].asked = FEDSC_SCALE;
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

/* -- real data ------------------------------------------------------------------------------- */

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

		fedsc_defaults(&p, variant, k, seed, 2);
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

static void iris(void **state)
{
	(void)state;
	check_real("iris", FEDSC_BY_ANCHORS, 10, 0.89, 0);
	check_real("iris", FEDSC_BY_PAPER, 10, 0.88, 0);
}

static void banknote(void **state)
{
	(void)state;
	check_real("banknote", FEDSC_BY_ANCHORS, 5, 0.87, 0);
	check_real("banknote", FEDSC_BY_PAPER, 10, 0.60, 0);
}

static void skewed(void **state)
{
	(void)state;
	check_real("iris", FEDSC_BY_ANCHORS, 10, 0.89, 1);
	check_real("banknote", FEDSC_BY_ANCHORS, 5, 0.87, 1);
}

/* The attack, on what two parties really upload. */
static void iris_comes_back(void **state)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;
	uint32_t *classes;
	struct mat rows;
	unsigned k;

	(void)state;
	if (!rows_read("iris", &rows, &classes, &k)) {
		free(lab);
		skip();
	}
	fedsc_defaults(&p, FEDSC_BY_PAPER, k, 1, 1);
	rows_lab_init(lab, &rows, classes, 2, 0, 1);
	assert_ok(fedsc_run(&lab->pool, &p, &report));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_balls),
		cmocka_unit_test(any_split),
		cmocka_unit_test(one_party_is_central),
		cmocka_unit_test(dense_is_the_whole_problem),
		cmocka_unit_test(only_sums_leave),
		cmocka_unit_test(policy_refuses),
		cmocka_unit_test(members),
		cmocka_unit_test(some_take_part),
		cmocka_unit_test(some_stand_for_all),
		cmocka_unit_test(paper_by_definition),
		cmocka_unit_test(stops_by_tolerance),
		cmocka_unit_test(noisy_rows),
		cmocka_unit_test(noisy_factors),
		cmocka_unit_test(iris),
		cmocka_unit_test(banknote),
		cmocka_unit_test(skewed),
		cmocka_unit_test(iris_comes_back),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
