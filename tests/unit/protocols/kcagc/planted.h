/* planted.h -- A graph with planted clusters, its columns dealt to parties, and jobs over it. */
#ifndef TESTS_UNIT_KCAGC_PLANTED_H
#define TESTS_UNIT_KCAGC_PLANTED_H

#include "tests/test.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/job/job.h"

#include <stdlib.h>
#include <string.h>

enum { PLANTED_K = 3, PLANTED_DEGREE = 8 };

struct plan {
	size_t n, m; /* nodes; columns of all parties */
	uint64_t seed;
	double noise;    /* deviation of each feature's noise; the signal is 0 or 1 */
	size_t isolated; /* number of nodes without edges; they come last */
	size_t degree;   /* mean degree before edges between clusters are cut; 0: PLANTED_DEGREE */
};

struct planted {
	size_t n, m;
	struct mat X;
	struct graph g;
	uint32_t *truth;
};

static inline void planted_edges(struct planted *p, const struct plan *plan, struct rng *rng)
{
	size_t degree = plan->degree ? plan->degree : PLANTED_DEGREE;
	struct triple *t = alloc(p->n * degree, sizeof(*t));
	size_t edges = 0, linked = p->n - plan->isolated;
	struct csr a;

	for (size_t e = 0; e < p->n * degree / 2; e++) {
		uint32_t u = (uint32_t)rng_below(rng, linked), v = (uint32_t)rng_below(rng, linked);

		if (u == v || (p->truth[u] != p->truth[v] && rng_unit(rng) < 0.9))
			continue;
		t[edges++] = (struct triple){ u, v, 1 };
		t[edges++] = (struct triple){ v, u, 1 };
	}
	csr_from_triples(&a, p->n, p->n, t, edges);
	free(a.value); /* unweighted: duplicate edges count once */
	a.value = NULL;
	free(t);
	graph_init(&p->g, &a);
}

static inline void planted_make(struct planted *p, const struct plan *plan)
{
	struct rng rng;

	*p = (struct planted){ .n = plan->n, .m = plan->m };
	rng_seed(&rng, plan->seed, 0);
	mat_init(&p->X, p->n, p->m);
	ALLOC(p->truth, p->n);
	for (size_t i = 0; i < p->n; i++)
		p->truth[i] = (uint32_t)rng_below(&rng, PLANTED_K);
	for (size_t i = 0; i < p->n; i++)
		for (size_t j = 0; j < p->m; j++)
			MAT(&p->X, i, j) =
			    (j * PLANTED_K / p->m == p->truth[i]) + plan->noise * rng_normal(&rng);
	planted_edges(p, plan, &rng);
}

static inline void planted_release(struct planted *p)
{
	mat_release(&p->X);
	graph_release(&p->g);
	free(p->truth);
}

/* Gives all L parties the same columns. */
static inline void planted_repeat(struct planted *p, size_t L)
{
	for (size_t i = 0; i < p->n; i++)
		for (size_t j = 0; j < p->m; j++)
			MAT(&p->X, i, j) = MAT(&p->X, i, j - j % L);
}

/* Makes party l's columns: l, l + L, l + 2 L, ... */
static inline void planted_slice(const struct planted *p, size_t l, size_t L, struct features *X)
{
	size_t width = (p->m - l + L - 1) / L;

	*X = (struct features){ 0 };
	mat_init(&X->dense, p->n, width);
	for (size_t i = 0; i < p->n; i++)
		for (size_t j = 0; j < width; j++)
			MAT(&X->dense, i, j) = MAT(&p->X, i, l + j * L);
}

/* Parses a job. settings is "path=value path=value ..." and may be empty. */
static inline struct job job_of(const char *text, size_t len, const char *settings)
{
	char words[512], *set[16] = { NULL }, *rest = words;
	size_t count = 0;
	struct job job;

	assert_true(strlen(settings) < sizeof(words));
	strcpy(words, settings);
	for (char *word; (word = strtok_r(rest, " ", &rest)); set[count++] = word)
		assert_true(count + 1 < sizeof(set) / sizeof(*set));
	assert_ok(job_parse(&job, (struct bytes){ (const uint8_t *)text, len }, "test", set));
	return job;
}

/* Returns a kcagc job for planted data. */
static inline struct job planted_job(const char *settings)
{
	static const char text[] =
	    "{\"kind\":\"kcagc\",\"method\":\"tree\",\"clusters\":3,\"filter\":{\"order\":2},"
	    "\"secure_sum\":{\"group\":\"x25519\",\"fraction_bits\":16},\"allow_single\":true}";

	return job_of(text, sizeof(text) - 1, settings);
}

#endif
