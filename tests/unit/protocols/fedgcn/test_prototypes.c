/* Tests FedGCN's prototypes: the KDE of uploaded prototypes, and the final mixture. */
#include "tests/unit/protocols/fedgcn/fedgcn.h"
#include "common/base/rng.h"
#include "protocols/fedgcn/own.h"
#include "common/cluster/gmm.h"

#include <math.h>

/* The KDE places prototypes in two distant groups of uploads and ignores a withheld one. */
TEST(test_kde)
{
	enum { PARTIES = 4, K = 2 };
	struct fedgcn_params p;
	struct mat C;
	double *x;
	size_t words;

	quick(&p, K);
	words = fedgcn_upload_words(&p);
	ALLOC(x, PARTIES * words);
	for (size_t l = 0; l < PARTIES; l++) {
		for (size_t r = 0; r < K; r++) {
			for (size_t j = 0; j < FEDGCN_Z; j++)
				x[l * words + r * FEDGCN_Z + j] =
				    10 * (double)r + 0.1 * (double)((l + j) % 3);
			x[l * words + K * FEDGCN_Z + r] = 5;
		}
	}
	x[K * FEDGCN_Z + 1] = 0; /* withheld: the KDE must ignore its numbers */
	for (size_t j = 0; j < FEDGCN_Z; j++)
		x[FEDGCN_Z + j] = 1e6;
	mat_init(&C, K, FEDGCN_Z);
	for (size_t j = 0; j < FEDGCN_Z; j++)
		MAT(&C, 1, j) = 7;
	assert_ok(fedgcn_kde(&p, PARTIES, x, &C));
	for (size_t j = 0; j < FEDGCN_Z; j++) {
		assert_float_equal(MAT(&C, 0, j), 0.1, 0.15);
		assert_float_equal(MAT(&C, 1, j), 10.1, 0.15);
	}
	mat_release(&C);
	free(x);
}

/* Compares the KDE with a second implementation, tests/vectors/kde.py. */
TEST(test_kde_in_numpy)
{
	enum { PARTIES = 2, K = 3, EPOCHS = 2, ROWS = K * EPOCHS };
	static const double known[][3] = {
#include "tests/vectors/kde.inc"
	};
	struct fedgcn_params p;
	struct mat C;
	double *x;

	quick(&p, K);
	p.epochs = EPOCHS;
	for (size_t full = 0; full < 2; full++) {
		p.prototypes = full ? FEDGCN_PRINTED : FEDGCN_STACKED;
		assert_int_equal(fedgcn_upload_words(&p), ROWS * (FEDGCN_Z + 1) + 1);
		ALLOC(x, PARTIES * fedgcn_upload_words(&p));
		mat_init(&C, K, FEDGCN_Z);
		for (size_t i = 0; i < PARTIES * ROWS; i++) {
			double *to = x + i / ROWS * fedgcn_upload_words(&p);

			to[ROWS * FEDGCN_Z + i % ROWS] = 5;
			for (size_t j = 0; j < FEDGCN_Z; j++)
				to[i % ROWS * FEDGCN_Z + j] = 3 * sin((double)(1 + i % K + j)) +
							      sin((double)(7 * i + 3 * j)) +
							      cos((double)(i * j));
		}
		for (size_t r = 0; r < K; r++)
			for (size_t j = 0; j < FEDGCN_Z; j++)
				MAT(&C, r, j) = 3 * sin((double)(1 + r + j));
		assert_ok(fedgcn_kde(&p, PARTIES, x, &C));
		for (size_t r = 0; r < K; r++)
			for (size_t j = 0; j < 3; j++)
				assert_float_equal(MAT(&C, r, j < 2 ? j : FEDGCN_Z - 1),
						   known[full * K + r][j], 1e-9);
		mat_release(&C);
		free(x);
	}
}

/* The final mixture runs EM until it converges, as gmm_fit() does here with a much smaller
 * tolerance. For overlapping clusters, such as those of graphs, EM that ends at the first small
 * step gives another result. */
TEST(test_mixture_where_em_settles)
{
	enum { N = 800, AXES = 3 };
	struct fedgcn_model m = { .k = 2 };
	struct gmm_params how = {
		.k = 2, .restarts = 5, .iterations = 5000, .tolerance = 1e-12, .ridge = 1e-2
	};
	uint32_t label[N];
	struct fedgcn_params p;
	struct mat Z, X;
	struct gmm g;
	struct rng rng;

	quick(&p, 2);
	how.seed = p.seed;
	rng_seed(&rng, 5, 0);
	mat_init(&Z, N, FEDGCN_Z);
	mat_init(&m.C, 2, FEDGCN_Z);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < AXES; j++)
			MAT(&Z, i, j) = (i % 3 ? 0.5 : 1.2) * (double)(AXES - j) * rng_normal(&rng);
	assert_ok(fedgcn_cluster(&p, &Z, &m, label));
	mat_init(&X, N, AXES);
	for (size_t i = 0; i < N; i++)
		for (size_t a = 0; a < AXES; a++)
			for (size_t j = 0; j < FEDGCN_Z; j++)
				MAT(&X, i, a) +=
				    (MAT(&Z, i, j) - m.mean[j]) * m.axis[a * FEDGCN_Z + j];
	gmm_fit(&X, &how, &g);
	assert_float_equal(fmin(m.share[0], m.share[1]), fmin(g.share[0], g.share[1]), 0.01);
	gmm_release(&g);
	mat_release(&X);
	mat_release(&Z);
	fedgcn_model_release(&m);
}
