/* planted_pool.h -- Makes planted data for tests of methods on a pool, once for all tests of a
 * program. */
#ifndef TESTS_UNIT_FEDSPECTRAL_PLANTED_POOL_H
#define TESTS_UNIT_FEDSPECTRAL_PLANTED_POOL_H

#include "tests/unit/protocols/kcagc/pools.h"
#include "common/cluster/metrics.h"

enum { N = PLANTED_NODES, K = PLANTED_CLASSES };

static struct csr words;
static struct graph graph;
static uint32_t truth[N];

static int plant(void **state)
{
	struct features X;

	(void)state;
	planted(&X, &graph, truth);
	words = X.sparse;
	return 0;
}

static int uproot(void **state)
{
	(void)state;
	csr_release(&words);
	graph_release(&graph);
	return 0;
}

static double accuracy(const uint32_t *label)
{
	struct metrics m;

	assert_ok(metrics_of(truth, label, N, &m));
	return m.acc;
}

#endif
