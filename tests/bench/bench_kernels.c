/* bench_kernels -- compares each numerical kernel with its bound, measured in the same run: bytes
 * over memcpy's bandwidth, or floating-point operations over dgemm's rate. Times are CPU time of
 * one thread.
 *
 *   bench_kernels [KERNEL...]      filter, kmeans, restarts, projection, spectral, hungarian;
 *                                  default all
 *
 * Prints lines for each kernel: name, shape, name=value. over_bound is time over bound: 1 is as
 * fast as the bound; below 1, caches were used. scripts/bench kernels runs the same work in SciPy
 * and scikit-learn (scripts/bench.d/kernels.py, which has the same names of shapes). */
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/graph/filter.h"
#include "common/cluster/kmeans.h"
#include "common/linalg/la.h"
#include "common/cluster/metrics.h"
#include "common/linalg/svd.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 5 };

static double bytes_per_s, flops_per_s;

static double median_s(bench_work *prepare, bench_work *run, void *ctx)
{
	return bench_time(RUNS, prepare, run, ctx);
}

/* bound: name of the bound, without spaces */
static void report(const char *what, const char *shape, double s, double bound_s, const char *bound)
{
	printf("%-18s %-24s ms=%-10.3f bound_ms=%-9.3f over_bound=%-6.2f bound=%s\n", what, shape,
	       1e3 * s, 1e3 * bound_s, s / bound_s, bound);
	fflush(stdout);
}

static void sample(struct mat *m, size_t rows, size_t cols)
{
	struct rng rng;

	rng_seed(&rng, rows, cols);
	mat_init(m, rows, cols);
	for (size_t i = 0; i < rows * cols; i++)
		m->a[i] = rng_normal(&rng);
}

static enum err failed; /* checked, since a failed kernel would look fast */

/* -- the bounds ------------------------------------------------------------------------------ */

struct copy {
	char *to, *from;
	size_t n;
};

static void copy_run(void *ctx)
{
	struct copy *c = ctx;

	memcpy(c->to, c->from, c->n);
}

struct pair {
	struct mat A, B, C;
};

static void product_run(void *ctx)
{
	struct pair *p = ctx;

	mat_release(&p->C);
	la_mul_nn(&p->A, &p->B, 1, &p->C);
}

static void measure_bounds(void)
{
	struct copy c = { .n = 128 << 20 };
	struct pair p = { 0 };

	c.to = alloc(c.n, 1);
	c.from = alloc(c.n, 1);
	memset(c.from, 1, c.n);
	bytes_per_s = 2 * (double)c.n / median_s(NULL, copy_run, &c);
	free(c.from);
	free(c.to);
	sample(&p.A, 1024, 1024);
	sample(&p.B, 1024, 1024);
	flops_per_s = 2 * 1024. * 1024 * 1024 / median_s(NULL, product_run, &p);
	mat_release(&p.C);
	mat_release(&p.B);
	mat_release(&p.A);
	printf("bounds, one core   %-24s memcpy_gb_s=%.1f dgemm_gflop_s=%.1f\n", "read-and-written",
	       1e-9 * bytes_per_s, 1e-9 * flops_per_s);
}

/* -- filter ---------------------------------------------------------------------------------- */

static char graph_name[8];

enum { NODES = 19717, EDGES = 44324, COLUMNS = 500, PSI = 60, PSI_NAIVE = 6 };

/* Reads PubMed's graph if the data exist. Otherwise makes a graph of the same size, whose edges
 * mostly stay within blocks of 50 nodes. */
static void citation_graph(struct graph *g)
{
	const char *root = getenv("COTERIE_DATA");
	struct triple *t;
	char path[4096];
	uint32_t i, j;
	size_t count = 0;
	struct rng rng;
	struct csr a;
	FILE *f;

	ALLOC(t, 2 * EDGES);
	snprintf(path, sizeof(path), "%s/pubmed/edges.tsv", root ? root : "../shared/data");
	f = fopen(path, "r");
	snprintf(graph_name, sizeof(graph_name), "%s", f ? "pubmed" : "random");
	rng_seed(&rng, 1, 0);
	while (count < 2 * EDGES) {
		if (!f) {
			i = (uint32_t)rng_below(&rng, NODES);
			j = rng_below(&rng, 10) ? i / 50 * 50 + (uint32_t)rng_below(&rng, 50)
						: (uint32_t)rng_below(&rng, NODES);
		} else if (fscanf(f, "%u %u", &i, &j) != 2) {
			break;
		}
		if (i >= NODES || j >= NODES || i == j)
			continue;
		t[count++] = (struct triple){ i, j, 1 };
		t[count++] = (struct triple){ j, i, 1 };
	}
	if (f)
		fclose(f);
	csr_from_triples(&a, NODES, NODES, t, count);
	for (size_t e = 0; e < a.start[NODES]; e++)
		a.value[e] = 1;
	graph_init(g, &a);
	free(t);
}

struct filtering {
	struct graph g;
	struct mat X, Y;
};

static void filter_run(void *ctx)
{
	struct filtering *f = ctx;

	failed |= graph_filter(&f->g, FILTER_HALF, PSI, 1, &f->X);
}

/* Filters in the simplest order: one step for all columns, then the next step. */
static void naive_run(void *ctx)
{
	struct filtering *f = ctx;
	const struct csr *a = &f->g.adjacency;

	for (unsigned t = 0; t < PSI_NAIVE; t++) {
		struct mat swap = f->X;

		for (size_t i = 0; i < NODES; i++) {
			double d = f->g.inv_sqrt_deg[i], *out = ROW(&f->Y, i);

			for (size_t j = 0; j < COLUMNS; j++)
				out[j] = (1 + d * d) * MAT(&f->X, i, j) / 2;
			for (size_t e = a->start[i]; e < a->start[i + 1]; e++) {
				double w = d * f->g.inv_sqrt_deg[a->index[e]] / 2;
				const double *x = ROW(&f->X, a->index[e]);

				for (size_t j = 0; j < COLUMNS; j++)
					out[j] += w * x[j];
			}
		}
		f->X = f->Y;
		f->Y = swap;
	}
}

static void bench_filter(void)
{
	struct filtering f;
	double s, naive, touched;
	char shape[64];

	citation_graph(&f.g);
	sample(&f.X, NODES, COLUMNS);
	mat_init(&f.Y, NODES, COLUMNS);
	/* for each node a step reads the rows of its neighbours and of the node, and writes a
	 * row */
	touched = (double)(f.g.adjacency.start[NODES] + 2 * NODES) * COLUMNS * sizeof(double) * PSI;
	s = median_s(NULL, filter_run, &f);
	naive = median_s(NULL, naive_run, &f) * PSI / PSI_NAIVE;
	snprintf(shape, sizeof(shape), "19717x500,psi=60,%s", graph_name);
	report("filter", shape, s, touched / bytes_per_s, "memcpy-of-all-it-touches");
	report("filter-naive-order", shape, naive, touched / bytes_per_s,
	       "memcpy-of-all-it-touches");
	mat_release(&f.Y);
	mat_release(&f.X);
	graph_release(&f.g);
}

/* -- distances and k-means ------------------------------------------------------------------- */

struct points {
	struct mat Z, c;
	double *D;
	uint32_t *label;
	struct kmeans_params p;
};

static void distances_run(void *ctx)
{
	struct points *p = ctx;

	kmeans_distances(&p->Z, &p->c, p->D);
}

static void assign_run(void *ctx)
{
	struct points *p = ctx;

	kmeans_assign(p->D, NULL, p->Z.rows, p->c.rows, p->label, NULL);
}

static void both_run(void *ctx)
{
	distances_run(ctx);
	assign_run(ctx);
}

static void kmeans_run(void *ctx)
{
	struct points *p = ctx;

	kmeans(&p->Z, NULL, &p->p, p->label, NULL, NULL);
}

static void bench_kmeans(size_t n, size_t d, size_t k)
{
	struct points p = { .p = { .k = k, .restarts = 5, .iterations = 10, .ninth = true } };
	double products = 2 * (double)n * (double)d * (double)k / flops_per_s, passes;
	char shape[64];

	sample(&p.Z, n, d);
	sample(&p.c, k, d);
	passes = 2 + floor(log((double)k)) + 1 + 10; /* seeding, 1/9 step, Lloyd: see kmeans.h */
	ALLOC(p.D, n * k);
	ALLOC(p.label, n);
	snprintf(shape, sizeof(shape), "%zux%zu,k=%zu", n, d, k);
	report("distances", shape, median_s(NULL, distances_run, &p), products,
	       "dgemm-of-its-products");
	report("argmin", shape, median_s(NULL, assign_run, &p),
	       (double)(n * k * sizeof(double)) / bytes_per_s, "memcpy-of-the-distances");
	report("assignment", shape, median_s(NULL, both_run, &p), products,
	       "dgemm-of-its-products");
	report("kmeans", shape, median_s(NULL, kmeans_run, &p), 5 * passes * products,
	       "dgemm-of-all-its-products");
	free(p.label);
	free(p.D);
	mat_release(&p.c);
	mat_release(&p.Z);
}

/* -- restarts -------------------------------------------------------------------------------- */

/* Makes rows around k centres; the centres have the same spread as rows around a centre. Writes the
 * rows to BENCH_ROWS/rows-SHAPE, so that scripts/bench.d/kernels.py clusters the same rows. */
static void clouds(struct mat *Z, size_t n, size_t d, size_t k, const char *shape)
{
	const char *dir = getenv("BENCH_ROWS");
	struct mat centre;
	char path[4096];
	FILE *f;

	sample(Z, n, d);
	sample(&centre, k, d);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < d; j++)
			MAT(Z, i, j) += MAT(&centre, i % k, j);
	mat_release(&centre);
	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/rows-%s", dir, shape);
	f = fopen(path, "w");
	failed |= !f || fwrite(Z->a, sizeof(*Z->a), n * d, f) != n * d;
	failed |= !f || fclose(f) != 0;
}

static void bench_restarts(size_t n, size_t d, size_t k)
{
	static const unsigned restarts[] = { 1, 20 };
	uint32_t *label = alloc(n, sizeof(*label));
	char shape[64];
	struct mat Z;

	snprintf(shape, sizeof(shape), "%zux%zu,k=%zu", n, d, k);
	clouds(&Z, n, d, k, shape);
	for (size_t r = 0; r < 2; r++) {
		struct kmeans_params p = {
			.k = k, .restarts = restarts[r], .iterations = 300, .seed = 1
		};
		double inertia, start = bench_cpu_s();

		kmeans(&Z, NULL, &p, label, NULL, &inertia);
		printf("restarts-%-9u %-24s s=%.3f inertia=%.9g\n", restarts[r], shape,
		       bench_cpu_s() - start, inertia);
		fflush(stdout);
	}
	mat_release(&Z);
	free(label);
}

static void all_restarts(void)
{
	bench_restarts(2708, 7, 7);
	bench_restarts(2405, 17, 136);
	bench_restarts(2405, 136, 136);
	bench_restarts(100000, 16, 16);
	bench_restarts(400000, 32, 8);
}

/* -- projection ------------------------------------------------------------------------------ */

struct projection {
	struct mat X, U;
	double sigma[64];
	size_t d;
};

static void gram_run(void *ctx)
{
	struct projection *p = ctx;

	mat_release(&p->U);
	la_gram_columns(&p->X, 1, &p->U);
}

static void svd_run(void *ctx)
{
	struct projection *p = ctx;

	mat_release(&p->U);
	failed |= svd_left(&p->X, p->d, 1, &p->U, p->sigma, NULL);
}

static void bench_svd(size_t n, size_t m, size_t d)
{
	struct projection p = { .d = d };
	size_t least = n < m ? n : m;
	double area = (double)n * (double)m, flops;
	bool exact = least <= SVD_EXACT_MAX;
	char shape[64];

	sample(&p.X, n, m);
	snprintf(shape, sizeof(shape), "%zux%zu,d=%zu", n, m, d);
	if (exact) {
		flops = area * (double)m;
		report("gram", shape, median_s(NULL, gram_run, &p), flops / flops_per_s,
		       "dgemm-of-its-half");
		/* dsyevr reduces the matrix of `least` rows to tridiagonal form; then X times d
		 * vectors */
		flops += 4. / 3 * (double)least * (double)least * (double)least;
		flops += 2 * area * (double)d;
	} else {
		/* If Krylov steps end at the first look (svd.c), after 8 steps: 15 products with a
		 * block of d + 16 columns, and one with all 8 blocks. */
		flops = 2 * area * (double)(d + 16) * (15 + 8);
	}
	report("projection", shape, median_s(NULL, svd_run, &p), flops / flops_per_s,
	       exact ? "dgemm-of-its-products,Gram" : "dgemm-of-its-products,Krylov");
	mat_release(&p.U);
	mat_release(&p.X);
}

/* -- spectral: the leading eigenvectors of a dense symmetric matrix --------------------------- */

struct eigen {
	/* G = A A' is computed for each run, since la_eigen_top() overwrites it. */
	struct mat A, G, V;
	double value[64];
	size_t d;
};

static void eigen_prepare(void *ctx)
{
	struct eigen *p = ctx;

	mat_release(&p->V);
	mat_release(&p->G);
	la_gram_rows(&p->A, 1, &p->G);
}

static void eigen_run(void *ctx)
{
	struct eigen *p = ctx;

	failed |= la_eigen_top(&p->G, p->d, p->value, &p->V);
}

static void bench_eigen(size_t n, size_t d)
{
	struct eigen p = { .d = d };
	char shape[64];

	sample(&p.A, n, n);
	snprintf(shape, sizeof(shape), "%zux%zu,d=%zu", n, n, d);
	report("spectral", shape, median_s(eigen_prepare, eigen_run, &p),
	       4. / 3 * (double)n * (double)n * (double)n / flops_per_s,
	       "dgemm-of-the-tridiagonal-form");
	mat_release(&p.V);
	mat_release(&p.G);
	mat_release(&p.A);
}

/* -- metrics --------------------------------------------------------------------------------- */

struct assignment {
	double *cost;
	size_t n, *column;
};

static void hungarian_run(void *ctx)
{
	struct assignment *a = ctx;

	hungarian(a->cost, a->n, a->column);
}

static void bench_hungarian(size_t n)
{
	struct assignment a = { .n = n };
	struct mat cost;
	char shape[64];

	sample(&cost, n, n);
	a.cost = cost.a;
	ALLOC(a.column, n);
	snprintf(shape, sizeof(shape), "%zux%zu", n, n);
	report("hungarian", shape, median_s(NULL, hungarian_run, &a),
	       2 * (double)(n * n * n) / flops_per_s, "dgemm-of-n^3-pairs");
	free(a.column);
	mat_release(&cost);
}

static void all_kmeans(void)
{
	bench_kmeans(2708, 7, 7);
	bench_kmeans(2405, 17, 136);
	bench_kmeans(2405, 136, 136);
	bench_kmeans(100000, 16, 16);
}

static void all_projection(void)
{
	bench_svd(2708, 716, 7);
	bench_svd(2405, 310, 17);
	bench_svd(3327, 3703, 6);
	bench_svd(200000, 64, 16);
}

static void all_spectral(void)
{
	bench_eigen(716, 7);
	bench_eigen(1433, 7);
}

static void all_hungarian(void)
{
	bench_hungarian(136);
}

static const struct {
	const char *name;
	void (*run)(void);
} kernels[] = {
	{ "filter", bench_filter },   { "kmeans", all_kmeans },
	{ "restarts", all_restarts }, { "projection", all_projection },
	{ "spectral", all_spectral }, { "hungarian", all_hungarian },
};
enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };

static bool named(const char *name, char **names)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names;
}

int main(int argc, char **argv)
{
	for (int a = 1; a < argc; a++) {
		bool known = false;

		for (size_t i = 0; i < KERNELS; i++)
			known |= !strcmp(argv[a], kernels[i].name);
		if (!known)
			need(err_set(ERR_INPUT, "%s: no such kernel", argv[a]));
	}
	measure_bounds();
	for (size_t i = 0; i < KERNELS; i++)
		if (argc == 1 || named(kernels[i].name, argv + 1))
			kernels[i].run();
	need(failed);
	return 0;
}
