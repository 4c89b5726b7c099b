/* predict.h -- Runs jobs that leave models, and predictions by them, with coordinator and parties
 * in memory. */
#ifndef TESTS_UNIT_KCAGC_PREDICT_H
#define TESTS_UNIT_KCAGC_PREDICT_H

#include "protocols/kcagc/job.h"
#include "tests/unit/both/federation.h"

static inline bool predicts(const struct job *job)
{
	return job->kind == &kind_kcagc_predict || job->kind == &kind_kmeans_columns_predict;
}

/* Returns a job that predicts. settings are those of planted_job(). */
static inline struct job predict_job(const char *settings)
{
	static const char text[] =
	    "{\"kind\":\"kcagc.predict\",\"clusters\":3,"
	    "\"model\":\"74657374000000000000000000000000\",\"allow_single\":true,"
	    "\"secure_sum\":{\"group\":\"x25519\"}}";

	return job_of(text, sizeof(text) - 1, settings);
}

/* Makes a slice's dense columns sparse. If `ones` is set, drops their values, which then are all
 * 1. */
static inline void make_sparse(struct features *X, bool ones)
{
	size_t n = X->dense.rows, m = X->dense.cols, count = 0;
	struct triple *t = alloc(n * m, sizeof(*t));

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++)
			if (MAT(&X->dense, i, j) != 0)
				t[count++] = (struct triple){ (uint32_t)i, (uint32_t)j,
							      MAT(&X->dense, i, j) };
	X->is_sparse = true;
	csr_from_triples(&X->sparse, n, m, t, count);
	if (ones) {
		free(X->sparse.value);
		X->sparse.value = NULL;
	}
	mat_release(&X->dense);
	free(t);
}

/* Sets each feature to 0 or 1. */
static inline void planted_words(struct planted *p)
{
	for (size_t i = 0; i < p->n * p->m; i++)
		p->X.a[i] = p->X.a[i] > 0.8;
}

/* Copies the first n nodes and the edges between them to p. */
static inline void planted_first(const struct planted *all, size_t n, struct planted *p)
{
	const struct csr *a = &all->g.adjacency;
	struct triple *t = alloc(a->start[n], sizeof(*t));
	size_t count = 0;
	struct csr part;

	*p = (struct planted){ .n = n, .m = all->m };
	mat_init(&p->X, n, all->m);
	memcpy(p->X.a, all->X.a, n * all->m * sizeof(double));
	ALLOC(p->truth, n);
	memcpy(p->truth, all->truth, n * sizeof(*p->truth));
	for (uint32_t i = 0; i < n; i++)
		for (size_t e = a->start[i]; e < a->start[i + 1]; e++)
			if (a->index[e] < n)
				t[count++] = (struct triple){ i, a->index[e], 1 };
	csr_from_triples(&part, n, n, t, count);
	free(part.value);
	part.value = NULL;
	graph_init(&p->g, &part);
	free(t);
}

/* The storage of a party's slice. */
enum form { DENSE, SPARSE, SPARSE_ONES };

/* Runs a job over p and writes its labels (p->n). `models` has L entries. A job that predicts takes
 * its models from there; any other job stores its models there, unless `models` is NULL. */
static inline void run_job(const struct planted *p, size_t L, const struct job *job, enum form form,
			   struct model **models, uint32_t *label)
{
	struct federation *f = alloc(1, sizeof(*f));

	federation_init(f, p, L, job);
	for (size_t l = 0; l < L; l++) {
		if (form != DENSE)
			make_sparse(&f->party[l].X, form == SPARSE_ONES);
		if (!(job->kind->needs & NEEDS_EDGES))
			f->party[l].g = NULL;
		if (predicts(job))
			f->party[l].model = models[l];
	}
	federation_run(f);
	federation_succeeded(f);
	memcpy(label, f->server.label, p->n * sizeof(*label));
	for (size_t l = 0; l < L && models && !predicts(job); l++) {
		models[l] = f->party[l].model;
		f->party[l].model = NULL;
	}
	federation_release(f);
	free(f);
}

/* Returns the share of equal labels. */
static inline double agreement(const uint32_t *a, const uint32_t *b, size_t n)
{
	size_t same = 0;

	for (size_t i = 0; i < n; i++)
		same += a[i] == b[i];
	return (double)same / (double)n;
}

#endif
