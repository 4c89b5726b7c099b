#include "common/fedspectral/coordinator.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/fedspectral/own.h"
#include "common/fedspectral/party.h"
#include "common/linalg/la.h"
#include "common/cluster/spectral.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	MORE = 6,            /* eigenvalues told beyond the k-th */
	STREAM = 0x66656470, /* "fedp": of the first block of fedspectral+ */
};
static const size_t SPACE_BYTES = (size_t)4 << 30;
static const double ONE = 1e-5; /* an eigenvalue this near to 1 is another component's */

void fedspectral_defaults(struct fedspectral_params *p, unsigned k, uint64_t seed, unsigned threads)
{
	*p = (struct fedspectral_params){ .k = k,
					  .rounds = FEDSPECTRAL_ROUNDS,
					  .tolerance = 5e-4,
					  .restarts = 100,
					  .seed = seed,
					  .threads = threads };
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* ---- exact ---- */

/* Eigenpairs that are wanted of m rows. */
static size_t pairs(unsigned k, size_t m)
{
	return k ? k : least(FEDSPECTRAL_AUTO_MAX + 1, m);
}

/* With max(16, k + 6) columns and a residual of 1e-3 one run in thirty of email-eu-core ended at
 * ARI .997; these and 5e-4 take no more rounds, and end there at 1. */
static size_t columns(unsigned block, size_t k)
{
	return block ? block : k + 10 > 20 ? k + 10 : 20;
}

static void lanczos_params(const struct fedspectral_params *p, size_t m,
			   struct spectral_params *how)
{
	size_t k = pairs(p->k, m), b;

	spectral_defaults(how, m, k, p->seed, p->threads);
	how->block = columns(p->block, k);
	how->rounds = p->rounds;
	how->tolerance = p->tolerance;
	b = spectral_block(how);
	how->values = least(least(p->k ? k + MORE : k, 2 * FEDSPECTRAL_AUTO_MAX), m);
	how->values = how->values < k ? k : how->values;
	how->space = SPACE_BYTES / (m * sizeof(double));
	if (how->space < 2 * k + 8 * b)
		how->space = 2 * k + 8 * b;
}

size_t fedspectral_block(unsigned k, unsigned block, size_t m)
{
	struct spectral_params how = { .n = m,
				       .k = pairs(k, m),
				       .block = columns(block, pairs(k, m)) };

	return spectral_block(&how);
}

/* The k after which the eigenvalues fall most, the first on ties. */
static unsigned widest_gap(const double *value, size_t values)
{
	unsigned best = 2;

	for (size_t k = 3; k < values; k++)
		if (value[k - 1] - value[k] > value[best - 1] - value[best])
			best = (unsigned)k;
	return best;
}

static void tell_values(const double *value, size_t values, struct fedspectral_report *r)
{
	r->values = least(values, sizeof(r->value) / sizeof(*r->value));
	memcpy(r->value, value, r->values * sizeof(*value));
	r->gap = r->k < values ? value[r->k - 1] - value[r->k] : 0;
	while (r->components < values && value[r->components] > 1 - ONE)
		r->components++;
}

struct rounds {
	const struct fedspectral_pool *pool;
	unsigned done;
};

static enum err times(void *ctx, const struct mat *V, struct mat *Y)
{
	struct rounds *r = ctx;

	TRY(r->pool->products(r->pool->ctx, V, Y));
	if (r->pool->progress)
		r->pool->progress(r->pool->ctx, r->done + 1);
	r->done++;
	return ERR_OK;
}

static void keep_columns(struct mat *V, size_t k)
{
	for (size_t i = 0; i < V->rows; i++)
		memmove(V->a + i * k, ROW(V, i), k * sizeof(*V->a));
	V->cols = k;
}

/* weight (m): sqrt(degree) of those that are above 0: neighbours have like entries of s o v. */
static enum err exact(const struct fedspectral_pool *pool, const struct fedspectral_params *p,
		      size_t m, const double *weight, const uint32_t *active,
		      struct fedspectral_report *r, uint32_t *label)
{
	struct rounds rounds = { .pool = pool };
	struct ortho_operator N = { &rounds, times };
	struct spectral_report done;
	struct spectral_params how;
	double *value;
	struct mat V;
	enum err err;

	lanczos_params(p, m, &how);
	how.weight = weight;
	ALLOC(value, how.values);
	fedspectral_phase(pool, "lanczos");
	err = spectral_top(&N, &how, value, &V, &done);
	r->rounds = done.rounds;
	r->residual = done.residual;
	if (!err) {
		fedspectral_settle(r, p->k ? p->k : widest_gap(value, done.values));
		tell_values(value, done.values, r);
		keep_columns(&V, r->k);
		spectral_unit_rows(&V);
		fedspectral_cluster(pool, p, &V, active, r, label);
		mat_release(&V);
	}
	free(value);
	return err;
}

enum err fedspectral_exact(const struct fedspectral_pool *pool, const struct fedspectral_params *p,
			   uint32_t *label, struct fedspectral_report *report)
{
	double *degree = alloc(pool->n, sizeof(*degree));
	uint32_t *active = alloc(pool->n, sizeof(*active));
	struct fedspectral_report unused;
	size_t m = 0;
	enum err err;

	report = report ? report : &unused;
	*report = (struct fedspectral_report){ .k = p->k };
	fedspectral_phase(pool, "degrees");
	err = pool->degrees(pool->ctx, degree);
	if (!err) {
		m = fedspectral_active(degree, pool->n, active);
		err = fedspectral_check_nodes(m, pool->n, p->k, report);
	}
	for (size_t i = 0, at = 0; !err && i < pool->n; i++)
		if (degree[i] > 0)
			degree[at++] = sqrt(degree[i]);
	if (!err)
		err = exact(pool, p, m, degree, active, report, label);
	free(degree);
	free(active);
	return err;
}

/* ---- fedspectral+ ---- */

/* V's columns become an orthonormal basis of a space that has them. */
static enum err orthonormal(struct mat *V)
{
	struct mat T;
	enum err err;

	mat_init(&T, V->cols, V->rows);
	for (size_t i = 0; i < V->rows; i++)
		for (size_t j = 0; j < V->cols; j++)
			MAT(&T, j, i) = MAT(V, i, j);
	err = la_orthonormal_rows(&T);
	for (size_t i = 0; i < V->rows; i++)
		for (size_t j = 0; j < V->cols; j++)
			MAT(V, i, j) = MAT(&T, j, i);
	mat_release(&T);
	return err;
}

/* Nodes that no party has an edge of: their rows are 0 after each power. Returns how many others
 * there are. */
static size_t rows_there(const struct mat *Y, uint32_t *active)
{
	size_t m = 0;

	for (size_t i = 0; i < Y->rows; i++) {
		bool there = false;

		for (size_t j = 0; j < Y->cols; j++)
			there |= MAT(Y, i, j) != 0;
		active[i] = there ? (uint32_t)m++ : UINT32_MAX;
	}
	return m;
}

/* The rounds of Algorithm 4. An average is a sum but for its length, which QR takes away. The first
 * V is made orthonormal too: what comes of it spans the same. */
static enum err power_rounds(const struct fedspectral_pool *pool,
			     const struct fedspectral_params *p, struct mat *V, uint32_t *active,
			     struct fedspectral_report *r)
{
	TRY(orthonormal(V));
	for (unsigned t = 1; t <= p->rounds; t++) {
		struct mat Y;

		TRY(pool->powers(pool->ctx, V, &Y));
		mat_release(V);
		*V = Y;
		if (t == 1)
			TRY(fedspectral_check_nodes(rows_there(V, active), pool->n, p->k, r));
		TRY(orthonormal(V));
		r->rounds = t;
		if (pool->progress)
			pool->progress(pool->ctx, t);
	}
	return ERR_OK;
}

/* Rows of isolated nodes out. */
static void keep_rows(struct mat *V, const uint32_t *active)
{
	size_t m = 0;

	for (size_t i = 0; i < V->rows; i++)
		if (active[i] != UINT32_MAX)
			memmove(V->a + m++ * V->cols, ROW(V, i), V->cols * sizeof(*V->a));
	V->rows = m;
}

enum err fedspectral_plus(const struct fedspectral_pool *pool, const struct fedspectral_params *p,
			  uint32_t *label, struct fedspectral_report *report)
{
	struct fedspectral_report unused;
	uint32_t *active;
	struct rng rng;
	struct mat V;
	enum err err;

	report = report ? report : &unused;
	*report = (struct fedspectral_report){ .k = p->k };
	TRY(fedspectral_check_nodes(pool->n, pool->n, p->k, report));
	ALLOC(active, pool->n);
	rng_seed(&rng, p->seed, STREAM);
	mat_init(&V, pool->n, p->k);
	for (size_t i = 0; i < V.rows * V.cols; i++)
		V.a[i] = rng_normal(&rng);
	fedspectral_phase(pool, "power");
	err = power_rounds(pool, p, &V, active, report);
	if (!err) {
		fedspectral_settle(report, p->k);
		keep_rows(&V, active);
		spectral_unit_rows(&V);
		fedspectral_cluster(pool, p, &V, active, report, label);
	}
	mat_release(&V);
	free(active);
	return err;
}
