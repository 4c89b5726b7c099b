/* parts_planted.h -- Makes a planted graph and its central clustering once for all tests of a
 * program. */
#ifndef TESTS_UNIT_FEDSPECTRAL_PARTS_PLANTED_H
#define TESTS_UNIT_FEDSPECTRAL_PARTS_PLANTED_H

#include "tests/unit/protocols/fedspectral/parts.h"

enum { N = 240, K = 4, EDGES = 1400, ALONE = 6 };

static struct csr graph;
static uint32_t truth[N], central[N];

static int plant(void **state)
{
	(void)state;
	parts_planted(&graph, N, K, EDGES, 0.08, ALONE, truth);
	parts_central(&graph, K, central);
	return 0;
}

static int uproot(void **state)
{
	(void)state;
	csr_release(&graph);
	return 0;
}

#endif
