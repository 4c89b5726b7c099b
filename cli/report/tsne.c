#include "cli/report/tsne.h"
#include "common/base/alloc.h"
#include "common/linalg/distance.h"
#include "common/linalg/parallel.h"
#include "common/linalg/simd.h"
#include "common/linalg/svd.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* -- principal components ------------------------------------------------------------------- */

/* A column that differs from its mean by no more than this part of it is constant: what is left of
 * it is the rounding of the mean, and would be blown up to a picture of noise. */
static const double CONSTANT = 1e-13;

enum err pca_plane(const struct mat *X, unsigned threads, struct mat *Y, double share[static 2])
{
	double *mean = alloc(X->cols, sizeof(*mean)), *spread = alloc(X->cols, sizeof(*spread));
	struct mat C, U = { 0 };
	double sigma[2] = { 0 }, whole = 0; /* variance: sums of squares */
	size_t d = X->rows < 2 || X->cols < 2 ? 1 : 2;
	enum err err;

	assert(X->rows > 0 && X->cols > 0);
	for (size_t i = 0; i < X->rows; i++)
		for (size_t j = 0; j < X->cols; j++)
			mean[j] += MAT(X, i, j) / (double)X->rows;
	mat_init(&C, X->rows, X->cols);
	for (size_t i = 0; i < X->rows; i++)
		for (size_t j = 0; j < X->cols; j++) {
			MAT(&C, i, j) = MAT(X, i, j) - mean[j];
			spread[j] = fmax(spread[j], fabs(MAT(&C, i, j)));
		}
	for (size_t i = 0; i < X->rows; i++)
		for (size_t j = 0; j < X->cols; j++) {
			if (spread[j] <= CONSTANT * fabs(mean[j]))
				MAT(&C, i, j) = 0;
			whole += MAT(&C, i, j) * MAT(&C, i, j);
		}
	free(spread);
	free(mean);
	err = svd_left(&C, d, threads, &U, sigma, NULL);
	mat_release(&C);
	if (err)
		return err;
	mat_init(Y, X->rows, 2);
	for (size_t j = 0; j < 2; j++) {
		share[j] = whole > 0 ? sigma[j] * sigma[j] / whole : 0;
		for (size_t i = 0; j < d && i < Y->rows; i++)
			MAT(Y, i, j) = MAT(&U, i, j) * sigma[j];
	}
	mat_release(&U);
	return ERR_OK;
}

/* -- one row's neighbours ------------------------------------------------------------------ */

enum { SEARCH_MAX = 1000 };          /* steps; some 8 do; a far outlier takes more */
static const double NEAR = 1e-10;    /* of the entropy, in nats */
static const double WEIGHT_END = 40; /* exp(-40) is nothing beside the nearest's weight of 1 */
static const double PROBABILITY_MIN = 1e-30; /* times q of 1e-8 still no subnormal float */

struct spread {
	double sum;     /* of the weights */
	double mean;    /* of beta gap; 0 if only ties of the nearest have a weight */
	double entropy; /* nats */
	double slope;   /* of the entropy, by ln beta */
};

/* p: weights exp(-beta gap). */
static struct spread weigh(const double *gap, size_t n, size_t from, double beta, double *p)
{
	double first = 0, second = 0;
	struct spread s = { 0 };

	for (size_t j = 0; j < n; j++) {
		double x = beta * gap[j];
		double w = j == from || x > WEIGHT_END ? 0 : exp(-x);

		p[j] = w;
		s.sum += w;
		if (w > 0) {
			first += w * x;
			second += w * x * x;
		}
	}
	s.mean = first / s.sum;
	s.entropy = log(s.sum) + s.mean;
	s.slope = s.mean * s.mean - second / s.sum;
	return s;
}

double tsne_row(const double *d2, size_t n, size_t from, double perplexity, double *p)
{
	double *gap = alloc(n, sizeof(*gap)), target = log(perplexity), least = INFINITY, mean = 0;
	double low = 0, high = INFINITY, beta = 1;
	struct spread s = { .sum = 1 };

	/* Gaps to the nearest, in units of their mean; that is 0 if all are equal. */
	for (size_t j = 0; j < n; j++)
		if (j != from)
			least = fmin(least, d2[j]);
	for (size_t j = 0; j < n; j++) {
		gap[j] = j == from ? 0 : d2[j] - least;
		mean += gap[j] / (double)(n - 1);
	}
	for (size_t j = 0; mean > 0 && j < n; j++)
		gap[j] /= mean;
	for (int step = 0; step < SEARCH_MAX; step++) {
		double next;

		s = weigh(gap, n, from, beta, p);
		if (!(mean > 0) || fabs(s.entropy - target) < NEAR)
			break;
		if (s.entropy > target && s.mean == 0)
			break;
		if (s.entropy > target)
			low = beta;
		else
			high = beta;
		next = beta * exp(fmax(-3, fmin(3, (target - s.entropy) / s.slope)));
		if (!(next > low && next < high)) /* also if it is NaN */
			next = high < INFINITY ? (low + high) / 2 : 4 * beta;
		beta = next;
	}
	for (size_t j = 0; j < n; j++)
		p[j] /= s.sum;
	free(gap);
	return exp(s.entropy);
}

/* -- all pairs ----------------------------------------------------------------------------- */

enum { ROWS = 64 }; /* rows whose distances are taken at once; whole panels */

struct making {
	const struct mat *X;
	struct tsne_pairs *pairs;
	struct distance *distance; /* one for each worker, as is: */
	double *room;              /* distances, ROWS x n; a row's probabilities, n */
};

static float *pair(const struct tsne_pairs *s, size_t i, size_t j)
{
	return &s->p[(i / TSNE_PANEL * s->n + j) * TSNE_PANEL + i % TSNE_PANEL];
}

static void make_rows(void *ctx, unsigned worker, size_t block)
{
	struct making *m = ctx;
	const size_t n = m->X->rows, first = block * ROWS,
		     end = first + ROWS < n ? first + ROWS : n;
	double *d2 = m->room + worker * (ROWS + 1) * n, *p = d2 + ROWS * n;

	distance_block(&m->distance[worker], ROW(m->X, first), end - first, d2);
	for (size_t i = first; i < end; i++) {
		tsne_row(d2 + (i - first) * n, n, i, m->pairs->perplexity, p);
		for (size_t j = 0; j < n; j++)
			*pair(m->pairs, i, j) = (float)p[j];
	}
}

/* Tiles (a, b) and (b, a) for all b >= a: nobody else has them. */
static void join_panel(void *ctx, unsigned worker, size_t a)
{
	const struct tsne_pairs *s = ctx;
	const size_t end = (a + 1) * TSNE_PANEL < s->n ? (a + 1) * TSNE_PANEL : s->n;

	(void)worker;
	for (size_t j = a * TSNE_PANEL; j < s->n; j++)
		for (size_t i = a * TSNE_PANEL; i < end && i <= j; i++) {
			float *one = pair(s, i, j), *other = pair(s, j, i);
			double p = ((double)*one + (double)*other) / (2 * (double)s->n);

			*one = *other = p < PROBABILITY_MIN ? 0 : (float)p;
		}
}

void tsne_pairs_make(const struct mat *X, double perplexity, unsigned threads,
		     struct tsne_pairs *pairs)
{
	const size_t n = X->rows, blocks = (n + ROWS - 1) / ROWS;
	const unsigned workers = parallel_workers(threads, blocks);
	struct making m = { .X = X, .pairs = pairs };

	assert(n >= 2 && n <= TSNE_ROWS_MAX);
	*pairs = (struct tsne_pairs){ .n = n, .panels = (n + TSNE_PANEL - 1) / TSNE_PANEL };
	pairs->perplexity = fmax(1, fmin(perplexity, (double)(n - 1) / 3));
	ALLOC(pairs->p, pairs->panels * n * TSNE_PANEL);
	ALLOC(m.distance, workers);
	ALLOC(m.room, workers * (ROWS + 1) * n);
	for (unsigned w = 0; w < workers; w++) {
		distance_init(&m.distance[w], n, X->cols);
		distance_set(&m.distance[w], X->a);
	}
	parallel(threads, blocks, make_rows, &m);
	parallel(threads, pairs->panels, join_panel, pairs);
	for (unsigned w = 0; w < workers; w++)
		distance_release(&m.distance[w]);
	free(m.distance);
	free(m.room);
}

void tsne_pairs_release(struct tsne_pairs *pairs)
{
	free(pairs->p);
	*pairs = (struct tsne_pairs){ 0 };
}

/* -- the gradient -------------------------------------------------------------------------- */

enum { RUN = 256 }; /* floats are summed so far, then doubles */

struct force {
	double pull[2], push[2]; /* sum_j p q (y_i - y_j), sum_j q^2 (y_i - y_j), q unnormalised */
	double z;                /* sum_j q, its own 1 among them */
};

/* Floats: twice the lanes and half of the memory to stream, and a picture needs no more. */
typedef float vecf4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float vecf8 __attribute__((vector_size(32), aligned(4), may_alias));

struct plan {
	size_t n;
	const float *p;
	float *x, *y; /* padded to whole panels */
	struct force *force;
};

#define FORCES forces
#define VEC    vecf4
#define TARGET
#include "cli/report/tsne_forces.inc"
#ifdef SIMD_AVX2
#undef FORCES
#undef VEC
#undef TARGET
#define FORCES forces_avx2
#define VEC    vecf8
#define TARGET __attribute__((target("avx2")))
#include "cli/report/tsne_forces.inc"
#endif

static void force_panel(void *ctx, unsigned worker, size_t panel)
{
	(void)worker;
#ifdef SIMD_AVX2
	if (simd_avx2()) {
		forces_avx2(ctx, panel);
		return;
	}
#endif
	forces(ctx, panel);
}

void tsne_gradient(const struct tsne_pairs *pairs, const struct mat *Y, double exaggeration,
		   unsigned threads, struct mat *G)
{
	const size_t n = pairs->n, padded = pairs->panels * TSNE_PANEL;
	struct plan f = { .n = n, .p = pairs->p };
	double z = 0;

	assert(Y->rows == n && Y->cols == 2 && G->rows == n && G->cols == 2);
	ALLOC(f.x, padded);
	ALLOC(f.y, padded);
	ALLOC(f.force, padded);
	for (size_t i = 0; i < n; i++) {
		f.x[i] = (float)MAT(Y, i, 0);
		f.y[i] = (float)MAT(Y, i, 1);
	}
	parallel(threads, pairs->panels, force_panel, &f);
	for (size_t i = 0; i < n; i++)
		z += f.force[i].z - 1;
	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < 2; c++)
			MAT(G, i, c) =
			    4 * (exaggeration * f.force[i].pull[c] - f.force[i].push[c] / z);
	free(f.x);
	free(f.y);
	free(f.force);
}

/* -- the divergence ------------------------------------------------------------------------ */

struct divergence {
	const struct tsne_pairs *pairs;
	const struct mat *Y;
	struct part {
		double cross, p, z; /* sums of p ln(p / q), p, q over a panel's pairs */
	} * part;
};

static void divergence_panel(void *ctx, unsigned worker, size_t panel)
{
	struct divergence *d = ctx;
	const size_t n = d->pairs->n, end = (panel + 1) * TSNE_PANEL;
	struct part *out = &d->part[panel];

	(void)worker;
	for (size_t j = 0; j < n; j++)
		for (size_t i = panel * TSNE_PANEL; i < end && i < n; i++) {
			double dx = MAT(d->Y, i, 0) - MAT(d->Y, j, 0);
			double dy = MAT(d->Y, i, 1) - MAT(d->Y, j, 1);
			double wide = 1 + (dx * dx + dy * dy), p = (double)*pair(d->pairs, i, j);

			if (i == j)
				continue;
			out->z += 1 / wide;
			out->p += p;
			if (p > 0)
				out->cross += p * log(p * wide);
		}
}

double tsne_divergence(const struct tsne_pairs *pairs, const struct mat *Y, unsigned threads)
{
	struct divergence d = { .pairs = pairs, .Y = Y };
	struct part all = { 0 };

	ALLOC(d.part, pairs->panels);
	parallel(threads, pairs->panels, divergence_panel, &d);
	for (size_t b = 0; b < pairs->panels; b++) {
		all.cross += d.part[b].cross;
		all.p += d.part[b].p;
		all.z += d.part[b].z;
	}
	free(d.part);
	return all.cross + all.p * log(all.z);
}

/* -- the descent --------------------------------------------------------------------------- */

enum { LEAST_ROWS = 4 };               /* below, every layout has the same neighbours */
static const double START = 1e-4;      /* deviation of the first coordinates along x */
static const double EXAGGERATION = 12; /* in the first quarter of the steps */
static const double VALUE_MAX = 1e150; /* squares of such are doubles */

/* The PCA plane made tiny. Points on a line would never leave it, as no force points away from it:
 * they get heights from a sequence that is spread evenly (multiples of the golden ratio). */
static void make_start(struct mat *Y)
{
	double square[2] = { 0 }, scale;

	for (size_t i = 0; i < Y->rows; i++)
		for (size_t c = 0; c < 2; c++)
			square[c] += MAT(Y, i, c) * MAT(Y, i, c);
	if (square[0] == 0) /* all points are one */
		return;
	scale = START / sqrt(square[0] / (double)Y->rows);
	for (size_t i = 0; i < Y->rows; i++) {
		double turn = 0.6180339887498949 * (double)i;

		MAT(Y, i, 0) *= scale;
		MAT(Y, i, 1) *= scale;
		if (square[1] <= 1e-16 * square[0])
			MAT(Y, i, 1) = START * (turn - floor(turn) - 0.5);
	}
}

/* Section 3.4: momentum 0.5, later 0.8; gains after Jacobs 1988. */
static void descend(const struct tsne_pairs *pairs, unsigned steps, unsigned threads, struct mat *Y)
{
	const double length = fmax((double)Y->rows / EXAGGERATION, 1);
	struct mat G, speed, gain;

	mat_init(&G, Y->rows, 2);
	mat_init(&speed, Y->rows, 2);
	mat_init(&gain, Y->rows, 2);
	for (size_t e = 0; e < 2 * Y->rows; e++)
		gain.a[e] = 1;
	for (unsigned t = 0; t < steps; t++) {
		const bool early = t < steps / 4;
		const double momentum = early ? 0.5 : 0.8;

		tsne_gradient(pairs, Y, early ? EXAGGERATION : 1, threads, &G);
		for (size_t e = 0; e < 2 * Y->rows; e++) {
			bool onward = (G.a[e] > 0) != (speed.a[e] > 0);

			gain.a[e] = onward ? gain.a[e] + 0.2 : fmax(0.01, 0.8 * gain.a[e]);
			speed.a[e] = momentum * speed.a[e] - length * gain.a[e] * G.a[e];
			Y->a[e] += speed.a[e];
		}
		for (size_t c = 0; c < 2; c++) {
			double mean = 0;

			for (size_t i = 0; i < Y->rows; i++)
				mean += MAT(Y, i, c) / (double)Y->rows;
			for (size_t i = 0; i < Y->rows; i++)
				MAT(Y, i, c) -= mean;
		}
	}
	mat_release(&gain);
	mat_release(&speed);
	mat_release(&G);
}

enum err tsne(const struct mat *X, double perplexity, unsigned steps, unsigned threads,
	      struct mat *Y, struct tsne_result *r)
{
	struct tsne_pairs pairs;
	double share[2];

	*r = (struct tsne_result){ 0 };
	if (X->rows == 0 || X->cols == 0 || X->rows > TSNE_ROWS_MAX)
		return err_set(ERR_INPUT, "t-SNE of %zu x %zu values: expected 1 to %d rows",
			       X->rows, X->cols, TSNE_ROWS_MAX);
	for (size_t i = 0; i < X->rows * X->cols; i++)
		if (!(fabs(X->a[i]) < VALUE_MAX))
			return err_set(ERR_INPUT,
				       "t-SNE: row %zu has the value %g, expected one below %g",
				       i / X->cols, X->a[i], VALUE_MAX);
	TRY(pca_plane(X, threads, Y, share));
	if (X->rows < LEAST_ROWS)
		return ERR_OK;
	make_start(Y);
	tsne_pairs_make(X, perplexity, threads, &pairs);
	r->perplexity = pairs.perplexity;
	r->before = tsne_divergence(&pairs, Y, threads);
	descend(&pairs, steps, threads, Y);
	r->after = tsne_divergence(&pairs, Y, threads);
	tsne_pairs_release(&pairs);
	return ERR_OK;
}
