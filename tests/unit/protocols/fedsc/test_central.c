/* Compares FedSC's variants with their definitions, computed on all rows in one place. */
#include "tests/unit/cluster/balls.h"
#include "protocols/fedsc/points.h"
#include "common/linalg/distance.h"
#include "common/cluster/kmeans.h"
#include "common/graph/knn.h"
#include "common/linalg/la.h"
#include "common/cluster/spectral.h"

/* Runs anchor graph clustering without parties: landmarks, the n x d matrix of weights, its left
 * singular vectors, and k-means on them. */
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

/* Copies the landmarks from the question. */
static enum err keep_landmarks(void *Z, const void *question, double *x, size_t n)
{
	const struct fedsc_question *q = question;

	(void)x;
	(void)n;
	if (q->kind == FEDSC_ANCHOR)
		mat_copy(Z, q->Z);
	return ERR_OK;
}

TEST(one_party_is_central)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;
	struct mat Z = { 0 };
	struct metrics same;
	uint32_t label[N], *found;

	params(&p, FEDSC_BY_ANCHORS);
	rows_lab_init(lab, &X, truth, 1, 0, 1);
	lab->memory.watch = keep_landmarks;
	lab->memory.watcher = &Z;
	assert_ok(fedsc_run(&lab->parties, lab->m, &p, &report));
	found = fedsc_gather(lab->party, 1, lab->part, N);
	central_anchors(&p, &Z, label);
	assert_ok(metrics_of(found, label, N, &same));
	assert_near(same.acc, 1, 0); /* rounding may renumber the clusters */
	free(found);
	mat_release(&Z);
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

/* Computes the K leading eigenvectors of D^-1/2 G D^-1/2, with all similarities G = F F' and their
 * row sums D. They are the columns of E, whose rows get unit length. */
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

/* Compares the embeddings of three parties with the n x n problem. It compares inner products of
 * unit rows, because signs and rotations do not change them. */
TEST(dense_is_the_whole_problem)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;
	struct mat Z, whole, E, expected, found;
	double value[K];
	size_t at = 0;

	params(&p, FEDSC_BY_DENSE);
	rows_lab_init(lab, &X, truth, 3, 0.5, 1);
	assert_ok(fedsc_run(&lab->parties, lab->m, &p, &report));
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

/* Compares points_paper() with its definition: spectral clustering of the nearest neighbours by the
 * similarities C Kzz C', where Kzz is the kernel between the rows of Z. The data have no clear
 * clusters. */
TEST(paper_by_definition)
{
	struct points_params how = { .k = K, .restarts = 20, .seed = 3 };
	struct knn_source source = { .n = N, .block = given };
	struct spectral_params top;
	struct mat Z, C, Kzz, CK, whole;
	uint32_t label[N], expected[N];
	struct metrics same;
	struct csr S;

	how.threads = 1;
	sample_normal(&Z, 15, M, 5);
	sample_normal(&C, N, 15, 6);
	assert_ok(points_paper(&Z, &C, 1.5, 1e-2, &how, label));
	kernel_gaussian(&Z, &Z, 1.5, 1, &Kzz);
	la_mul_nn(&C, &Kzz, 1, &CK);
	la_mul_nt(&CK, &C, 1, &whole);
	source.ctx = &whole;
	knn_graph(&source, knn_rule(N), 1, &S);
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

TESTS_BETWEEN(make, unmake)
