/* parts.h -- Deals a graph to parties by edge or by region, for tests of FedSpectral. */
#ifndef TESTS_UNIT_FEDSPECTRAL_PARTS_H
#define TESTS_UNIT_FEDSPECTRAL_PARTS_H

#include "tests/unit/graph/data.h"
#include "protocols/fedspectral/coordinator.h"
#include "protocols/fedspectral/party.h"
#include "common/cluster/kmeans.h"
#include "common/linalg/la.h"
#include "common/cluster/metrics.h"

enum { PARTS_MAX = 20 };

struct parts {
	size_t n, count;
	struct fedspectral_party party[PARTS_MAX];
	struct memory memory;
	struct parties parties;
};

/* Makes a graph of k classes. Each of `edges` draws picks two ends. An end in another class is
 * accepted with probability `out`, else drawn again. The last `isolated` nodes have no edges. */
static inline void parts_planted(struct csr *A, size_t n, uint32_t k, size_t edges, double out,
				 size_t isolated, uint32_t *truth)
{
	struct triple *t = alloc(2 * edges, sizeof(*t));
	size_t count = 0, linked = n - isolated;
	struct rng rng;

	rng_seed(&rng, 7, n);
	for (size_t i = 0; i < n; i++)
		truth[i] = i < linked ? (uint32_t)(i * k / linked) : k;
	for (size_t e = 0; e < edges; e++) {
		uint32_t u = (uint32_t)rng_below(&rng, linked), v;

		do
			v = (uint32_t)rng_below(&rng, linked);
		while (truth[u] != truth[v] && rng_unit(&rng) >= out);
		if (u == v)
			continue;
		t[count++] = (struct triple){ u, v, 1 };
		t[count++] = (struct triple){ v, u, 1 };
	}
	csr_from_triples(A, n, n, t, count);
	for (size_t e = 0; e < A->start[n]; e++)
		A->value[e] = 1;
	free(t);
}

/* Reads a real graph; false if its file is missing. */
static inline bool parts_read(const char *set, struct csr *A)
{
	FILE *f = data_file(set, "edges.tsv");
	struct triple *t = NULL;
	size_t count = 0, n = 0;
	uint32_t i, j;
	char line[256];

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%u %u", &i, &j) == 2 && i != j) {
			t = alloc_again(t, count + 2, sizeof(*t));
			t[count++] = (struct triple){ i, j, 1 };
			t[count++] = (struct triple){ j, i, 1 };
			n = i >= n ? i + 1 : n;
			n = j >= n ? j + 1 : n;
		}
	fclose(f);
	csr_from_triples(A, n, n, t, count);
	for (size_t e = 0; e < A->start[n]; e++)
		A->value[e] = 1;
	free(t);
	return true;
}

/* Deals each edge to `held` parties at random. If held is 0, the party of the lower end's region
 * gets it. */
static inline void parts_deal(struct parts *p, const struct csr *A, size_t count, size_t held,
			      uint64_t seed, unsigned threads)
{
	struct triple *t = alloc(A->start[A->rows], sizeof(*t));

	*p = (struct parts){ .n = A->rows, .count = count };
	for (size_t l = 0; l < count; l++) {
		size_t mine = 0;
		struct rng rng;
		struct csr own;

		rng_seed(&rng, seed, 3);
		for (uint32_t i = 0; i < A->rows; i++)
			for (size_t e = A->start[i]; e < A->start[i + 1]; e++) {
				uint32_t j = A->index[e], order[PARTS_MAX];
				bool has = held == 0 && i * count / A->rows == l;
				double w = A->value ? A->value[e] : 1;

				if (j < i)
					continue;
				for (uint32_t o = 0; o < count; o++)
					order[o] = o;
				rng_shuffle(&rng, order, count);
				for (size_t o = 0; o < held; o++)
					has |= order[o] == l;
				if (!has)
					continue;
				t[mine++] = (struct triple){ i, j, w };
				t[mine++] = (struct triple){ j, i, w };
			}
		csr_from_triples(&own, A->rows, A->rows, t, mine);
		fedspectral_party_init(&p->party[l], &own, NULL, A->rows, threads);
		csr_release(&own);
	}
	free(t);
	p->memory =
	    (struct memory){ .kind = &fedspectral_in_memory, .party = p->party, .count = count };
	parties_in_memory(&p->parties, &p->memory);
}

static inline void parts_release(struct parts *p)
{
	for (size_t l = 0; l < p->count; l++)
		fedspectral_party_release(&p->party[l]);
}

/* Clusters the graph by central spectral clustering with a dense eigensolver. It does not call the
 * tested methods. Nodes without edges get label k. */
static inline void parts_central(const struct csr *A, size_t k, uint32_t *label)
{
	struct kmeans_params how = {
		.k = k, .restarts = 100, .iterations = 100, .seed = 9, .threads = 2
	};
	double *degree = alloc(A->rows, sizeof(*degree)), *value = alloc(k, sizeof(*value));
	uint32_t *active = alloc(A->rows, sizeof(*active)), *found;
	size_t m = 0;
	struct mat N, E, Z;

	for (size_t i = 0; i < A->rows; i++) {
		for (size_t e = A->start[i]; e < A->start[i + 1]; e++)
			degree[i] += A->value ? A->value[e] : 1;
		active[i] = degree[i] > 0 ? (uint32_t)m++ : UINT32_MAX;
	}
	mat_init(&N, m, m);
	for (size_t i = 0; i < A->rows; i++)
		for (size_t e = A->start[i]; e < A->start[i + 1]; e++) {
			size_t j = A->index[e];

			MAT(&N, active[i], active[j]) =
			    (A->value ? A->value[e] : 1) / sqrt(degree[i] * degree[j]);
		}
	assert_ok(la_eigen_top(&N, k, value, &E));
	mat_init(&Z, m, k);
	for (size_t i = 0; i < m; i++)
		for (size_t c = 0; c < k; c++)
			MAT(&Z, i, c) = MAT(&E, c, i);
	spectral_unit_rows(&Z);
	ALLOC(found, m);
	kmeans(&Z, NULL, &how, found, NULL, NULL);
	kmeans_swap(&Z, k, 500, 9, found);
	for (size_t i = 0; i < A->rows; i++)
		label[i] = active[i] == UINT32_MAX ? (uint32_t)k : found[active[i]];
	free(found);
	free(active);
	free(value);
	free(degree);
	mat_release(&Z);
	mat_release(&E);
	mat_release(&N);
}

static inline void assert_agree(const uint32_t *a, const uint32_t *b, size_t n, double least,
				const char *what)
{
	struct metrics m;

	assert_ok(metrics_of(a, b, n, &m));
	if (m.ari < least)
		fail_msg("%s: ARI %.6f, expected %.6f at least", what, m.ari, least);
}

#endif
