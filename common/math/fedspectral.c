#include "common/math/fedspectral.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/math/fedspectral_party.h"
#include "common/math/kmeans.h"
#include "common/math/kmeans_swap.h"
#include "common/math/la.h"
#include "common/math/parallel.h"
#include "common/math/spectral.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	SWAPS = 2,             /* for each restart of k-means */
	LLOYD = 100,           /* iterations of k-means at most */
	MORE = 6,              /* eigenvalues told beyond the k-th */
	STREAM = 0x66656470,   /* "fedp": of the first block of fedspectral+ */
	SAMPLING = 0x66656473, /* "feds" */
	ASSIGN_ROWS = 1 << 13,
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

static void phase(const struct fedspectral_pool *pool, const char *name)
{
	if (pool->phase)
		pool->phase(pool->ctx, name);
}

/* ---- k-means at the coordinator ---- */

struct assigning {
	const struct mat *Z, *centres;
	uint32_t *label;
	size_t *moved; /* of each block */
};

static void assign_rows(void *ctx, unsigned worker, size_t block)
{
	const struct assigning *a = ctx;
	size_t first = block * ASSIGN_ROWS, k = a->centres->rows;
	size_t rows = least(ASSIGN_ROWS, a->Z->rows - first);
	struct mat part = { rows, a->Z->cols, ROW(a->Z, first) };
	double *D = alloc(rows, k * sizeof(*D));

	(void)worker;
	kmeans_distances(&part, a->centres, D);
	a->moved[block] = kmeans_assign(D, NULL, rows, k, a->label + first, NULL);
	free(D);
}

/* Lloyd from the centres of a sample. */
static void go_on(const struct mat *Z, unsigned threads, struct mat *centres, uint32_t *label)
{
	size_t blocks = (Z->rows + ASSIGN_ROWS - 1) / ASSIGN_ROWS, moved = 1;
	struct assigning a = { Z, centres, label, alloc(blocks, sizeof(size_t)) };

	for (size_t i = 0; i < Z->rows; i++)
		label[i] = UINT32_MAX;
	for (unsigned t = 0; moved && t < LLOYD; t++) {
		if (t)
			kmeans_centres(Z, NULL, label, centres);
		parallel(threads, blocks, assign_rows, &a);
		moved = 0;
		for (size_t b = 0; b < blocks; b++)
			moved += a.moved[b];
	}
	free(a.moved);
}

static void sample_rows(const struct mat *Z, uint64_t seed, struct mat *S)
{
	struct rng rng;

	rng_seed(&rng, seed, SAMPLING);
	mat_init(S, FEDSPECTRAL_SAMPLE, Z->cols);
	for (size_t i = 0; i < S->rows; i++)
		memcpy(ROW(S, i), ROW(Z, rng_below(&rng, Z->rows)), Z->cols * sizeof(double));
}

/* label: one for each row of Z. */
static void cluster_rows(const struct mat *Z, const struct fedspectral_params *p, size_t k,
			 uint32_t *label)
{
	struct kmeans_params how = { .k = k,
				     .restarts = p->restarts,
				     .iterations = LLOYD,
				     .seed = p->seed,
				     .threads = p->threads };
	struct mat S, centres;
	uint32_t *some;

	if (Z->rows <= FEDSPECTRAL_SAMPLE) {
		kmeans(Z, NULL, &how, label, NULL, NULL);
		kmeans_swap(Z, k, SWAPS * p->restarts, p->seed, label);
		return;
	}
	sample_rows(Z, p->seed, &S);
	ALLOC(some, S.rows);
	kmeans(&S, NULL, &how, some, &centres, NULL);
	kmeans_swap(&S, k, SWAPS * p->restarts, p->seed, some);
	kmeans_centres(&S, NULL, some, &centres);
	free(some);
	mat_release(&S);
	go_on(Z, p->threads, &centres, label);
	mat_release(&centres);
}

/* ---- labels ---- */

struct named {
	size_t size, first;
	uint32_t cluster;
};

static int by_size(const void *a, const void *b)
{
	const struct named *s = a, *t = b;

	if (s->size != t->size)
		return s->size > t->size ? -1 : 1;
	return (s->first > t->first) - (s->first < t->first);
}

/* Clusters are numbered by falling size, for rows have no order that means anything. */
static void name_clusters(uint32_t *label, size_t n, size_t k)
{
	struct named *name = alloc(k, sizeof(*name));
	uint32_t *number = alloc(k, sizeof(*number));

	for (size_t c = 0; c < k; c++)
		name[c] = (struct named){ 0, n, (uint32_t)c };
	for (size_t i = 0; i < n; i++) {
		struct named *c = &name[label[i]];

		c->first = c->size++ ? c->first : i;
	}
	qsort(name, k, sizeof(*name), by_size);
	for (size_t c = 0; c < k; c++)
		number[name[c].cluster] = (uint32_t)c;
	for (size_t i = 0; i < n; i++)
		label[i] = number[label[i]];
	free(number);
	free(name);
}

/* found: of the rows that active[] numbers. */
static void spread_labels(const uint32_t *active, const uint32_t *found, size_t n,
			  const struct fedspectral_report *r, uint32_t *label)
{
	for (size_t i = 0; i < n; i++)
		label[i] = active[i] == UINT32_MAX ? r->k : found[active[i]];
}

/* Z's rows are those of active nodes alone; k-means on them, and all n labels. */
static void cluster(const struct fedspectral_pool *pool, const struct fedspectral_params *p,
		    const struct mat *Z, const uint32_t *active, struct fedspectral_report *r,
		    uint32_t *label)
{
	uint32_t *found = alloc(Z->rows, sizeof(*found));

	phase(pool, "kmeans");
	cluster_rows(Z, p, r->k, found);
	name_clusters(found, Z->rows, r->k);
	spread_labels(active, found, pool->n, r, label);
	free(found);
}

static enum err check_nodes(size_t m, size_t n, unsigned k, struct fedspectral_report *r)
{
	r->isolated = n - m;
	if (m >= k && m >= 2)
		return ERR_OK;
	return err_set(ERR_JOB,
		       "%zu of %zu nodes have edges, which cannot be put into %u clusters: nodes "
		       "without edges are left aside",
		       m, n, k ? k : 2);
}

static void settle(struct fedspectral_report *r, unsigned k)
{
	r->k = k;
	r->clusters = k + (r->isolated > 0);
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
	phase(pool, "lanczos");
	err = spectral_top(&N, &how, value, &V, &done);
	r->rounds = done.rounds;
	r->residual = done.residual;
	if (!err) {
		settle(r, p->k ? p->k : widest_gap(value, done.values));
		tell_values(value, done.values, r);
		keep_columns(&V, r->k);
		spectral_unit_rows(&V);
		cluster(pool, p, &V, active, r, label);
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
	phase(pool, "degrees");
	err = pool->degrees(pool->ctx, degree);
	if (!err) {
		m = fedspectral_active(degree, pool->n, active);
		err = check_nodes(m, pool->n, p->k, report);
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
			TRY(check_nodes(rows_there(V, active), pool->n, p->k, r));
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
	TRY(check_nodes(pool->n, pool->n, p->k, report));
	ALLOC(active, pool->n);
	rng_seed(&rng, p->seed, STREAM);
	mat_init(&V, pool->n, p->k);
	for (size_t i = 0; i < V.rows * V.cols; i++)
		V.a[i] = rng_normal(&rng);
	phase(pool, "power");
	err = power_rounds(pool, p, &V, active, report);
	if (!err) {
		settle(report, p->k);
		keep_rows(&V, active);
		spectral_unit_rows(&V);
		cluster(pool, p, &V, active, report, label);
	}
	mat_release(&V);
	free(active);
	return err;
}

/* ---- fedspectral ---- */

/* The indicator B of the parties' clusters, m x P k; N = D^-1/2 B B' D^-1/2 with D the row sums of
 * B B' (P times the paper's, which N does not notice). */
struct together {
	size_t m, parties, k;
	const uint32_t *cell; /* parties x m, k: in none */
	double *root;         /* m */
};

/* S (P k x cols) = B' (w o M); M NULL: B' 1. */
static void into_cells(const struct together *t, const struct mat *M, const double *w,
		       struct mat *S)
{
	mat_init(S, t->parties * t->k, M ? M->cols : 1);
	for (size_t l = 0; l < t->parties; l++)
		for (size_t i = 0; i < t->m; i++) {
			uint32_t c = t->cell[l * t->m + i];

			for (size_t j = 0; c < t->k && j < S->cols; j++)
				MAT(S, l * t->k + c, j) += M ? w[i] * MAT(M, i, j) : 1;
		}
}

/* Y (m x cols) = w o B S; w NULL: B S. */
static void out_of_cells(const struct together *t, const struct mat *S, const double *w,
			 struct mat *Y)
{
	mat_init(Y, t->m, S->cols);
	for (size_t l = 0; l < t->parties; l++)
		for (size_t i = 0; i < t->m; i++) {
			uint32_t c = t->cell[l * t->m + i];

			for (size_t j = 0; c < t->k && j < S->cols; j++)
				MAT(Y, i, j) += (w ? w[i] : 1) * MAT(S, l * t->k + c, j);
		}
}

static enum err times_together(void *ctx, const struct mat *V, struct mat *Y)
{
	const struct together *t = ctx;
	struct mat S;

	into_cells(t, V, t->root, &S);
	out_of_cells(t, &S, t->root, Y);
	mat_release(&S);
	return ERR_OK;
}

static void root_degrees(struct together *t)
{
	struct mat S, d;

	into_cells(t, NULL, NULL, &S);
	out_of_cells(t, &S, NULL, &d);
	ALLOC(t->root, t->m);
	for (size_t i = 0; i < t->m; i++)
		t->root[i] = 1 / sqrt(d.a[i]);
	mat_release(&d);
	mat_release(&S);
}

/* cell (parties x n) keeps the rows that are in a cluster anywhere, and becomes parties x m. */
static size_t keep_cells(uint32_t *cell, size_t parties, size_t n, size_t k, uint32_t *active)
{
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		bool there = false;

		for (size_t l = 0; l < parties; l++)
			there |= cell[l * n + i] < k;
		active[i] = there ? (uint32_t)m++ : UINT32_MAX;
	}
	for (size_t l = 0; l < parties; l++)
		for (size_t i = 0; i < n; i++)
			if (active[i] != UINT32_MAX)
				cell[l * m + active[i]] = cell[l * n + i];
	return m;
}

static enum err cluster_together(const struct fedspectral_pool *pool,
				 const struct fedspectral_params *p, struct together *t,
				 const uint32_t *active, struct fedspectral_report *r,
				 uint32_t *label)
{
	struct ortho_operator N = { t, times_together };
	struct spectral_params how;
	double *value = alloc(t->k, sizeof(*value));
	struct mat V;
	enum err err;

	root_degrees(t);
	spectral_defaults(&how, t->m, t->k, p->seed, p->threads);
	err = spectral_top(&N, &how, value, &V, NULL);
	if (!err) {
		settle(r, p->k);
		spectral_unit_rows(&V);
		cluster(pool, p, &V, active, r, label);
		mat_release(&V);
	}
	free(t->root);
	free(value);
	return err;
}

enum err fedspectral_plain(const struct fedspectral_pool *pool, const struct fedspectral_params *p,
			   uint32_t *label, struct fedspectral_report *report)
{
	uint32_t *cell = alloc(pool->parties * pool->n, sizeof(*cell));
	uint32_t *active = alloc(pool->n, sizeof(*active));
	struct fedspectral_report unused;
	struct together t = { .parties = pool->parties, .k = p->k, .cell = cell };
	enum err err;

	report = report ? report : &unused;
	*report = (struct fedspectral_report){ .k = p->k };
	phase(pool, "local");
	err = pool->cells(pool->ctx, p->k, cell);
	if (!err) {
		t.m = keep_cells(cell, pool->parties, pool->n, p->k, active);
		err = check_nodes(t.m, pool->n, p->k, report);
	}
	if (!err)
		err = cluster_together(pool, p, &t, active, report, label);
	free(active);
	free(cell);
	return err;
}
