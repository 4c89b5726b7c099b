/* balls.h -- balls of rows that FedSC must find; make() creates them once per test program. */
#ifndef TESTS_UNIT_CLUSTER_BALLS_H
#define TESTS_UNIT_CLUSTER_BALLS_H

#include "tests/unit/protocols/fedsc/defaults.h"
#include "tests/unit/protocols/fedsc/rows.h"
#include "common/cluster/metrics.h"

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

static inline void params(struct fedsc_params *p, enum fedsc_variant variant)
{
	assert_ok(fedsc_defaults(p, variant, K, 1, 1));
	p->dims_most = 40;
}

/* Sets S to X as FedSC scales it, so that tests can compare rows of parties with it. */
static inline void scaled(struct mat *S)
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

#endif
