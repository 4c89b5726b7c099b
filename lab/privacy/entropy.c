#include "lab/privacy/entropy.h"
#include "common/base/alloc.h"
#include "common/linalg/parallel.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { BLOCK = 64 };

/* Returns psi(i), the digamma function, for i = 1 .. n: psi(1) = -gamma, psi(i + 1) = psi(i) +
 * 1/i. */
static double *digammas(size_t n)
{
	double *psi;

	ALLOC(psi, n + 1);
	psi[1] = -0.57721566490153286;
	for (size_t i = 1; i < n; i++)
		psi[i + 1] = psi[i] + 1 / (double)i;
	return psi;
}

static double distance(const struct mat *m, size_t i, size_t j)
{
	double most = 0;

	for (size_t c = 0; c < m->cols; c++)
		most = fmax(most, fabs(MAT(m, i, c) - MAT(m, j, c)));
	return most;
}

/* Inserts x into the k least values, which are ascending. */
static void offer(double *least, unsigned k, double x)
{
	unsigned at = k - 1;

	if (x >= least[at])
		return;
	for (; at > 0 && least[at - 1] > x; at--)
		least[at] = least[at - 1];
	least[at] = x;
}

/* State of one pass over all samples, in blocks. Each sample has its own term, so the sum does not
 * depend on which thread computes a block. */
struct pass {
	const struct mat *X, *Y; /* X is NULL for the entropy of Y alone */
	unsigned k;
	const double *psi;
	/* For each worker: distances from one sample to all samples, in X and in Y, and the k
	 * nearest. */
	double *room;
	double *term; /* n: the term of each sample */
};

/* Returns the term of sample i. For the entropy of Y it is ln of twice the distance to the k-th
 * neighbour. For mutual information it is psi(n_x + 1) + psi(n_y + 1), where n_x and n_y count the
 * samples nearer than that distance in X alone and in Y alone. */
static double term_of(const struct pass *p, unsigned worker, size_t i)
{
	size_t n = p->Y->rows, nx = 0, ny = 0;
	double *dx = p->room + worker * (2 * n + p->k), *dy = dx + n, *least = dy + n, reach;

	for (unsigned a = 0; a < p->k; a++)
		least[a] = INFINITY;
	for (size_t j = 0; j < n; j++) {
		dy[j] = distance(p->Y, i, j);
		dx[j] = p->X ? distance(p->X, i, j) : 0;
		if (j != i)
			offer(least, p->k, fmax(dx[j], dy[j]));
	}
	reach = least[p->k - 1];
	if (!p->X)
		return log(2 * reach);
	for (size_t j = 0; j < n; j++) {
		nx += j != i && dx[j] < reach;
		ny += j != i && dy[j] < reach;
	}
	return p->psi[nx + 1] + p->psi[ny + 1];
}

static void one_block(void *ctx, unsigned worker, size_t block)
{
	struct pass *p = ctx;
	size_t n = p->Y->rows, end = (block + 1) * BLOCK < n ? (block + 1) * BLOCK : n;

	for (size_t i = block * BLOCK; i < end; i++)
		p->term[i] = term_of(p, worker, i);
}

static double mean_term(const struct mat *X, const struct mat *Y, unsigned k, const double *psi,
			unsigned threads)
{
	size_t n = Y->rows, blocks = (n + BLOCK - 1) / BLOCK;
	unsigned workers = parallel_workers(threads, blocks);
	struct pass p = { .X = X, .Y = Y, .k = k, .psi = psi };
	double sum = 0;

	assert(k >= 1 && k < n);
	ALLOC(p.room, workers * (2 * n + k));
	ALLOC(p.term, n);
	parallel(threads, blocks, one_block, &p);
	for (size_t i = 0; i < n; i++)
		sum += p.term[i];
	free(p.room);
	free(p.term);
	return sum / (double)n;
}

enum err entropy_of(const struct mat *Y, unsigned k, unsigned threads, double *bits)
{
	double *psi = digammas(Y->rows), mean = mean_term(NULL, Y, k, psi, threads);

	*bits = (psi[Y->rows] - psi[k] + (double)Y->cols * mean) / M_LN2;
	free(psi);
	if (!isfinite(*bits))
		return err_set(ERR_INPUT,
			       "more than %u of %zu samples are equal, so they have no density; "
			       "leave out repeated ones, or ask for more neighbours",
			       k, Y->rows);
	return ERR_OK;
}

double entropy_mutual(const struct mat *X, const struct mat *Y, unsigned k, unsigned threads)
{
	double *psi = digammas(Y->rows), nats;

	assert(X->rows == Y->rows);
	nats = psi[k] + psi[Y->rows] - mean_term(X, Y, k, psi, threads);
	free(psi);
	return nats / M_LN2;
}

/* -- a class and a scalar ------------------------------------------------------------------- */

/* Returns the distance from z[i] (z ascending) to the k-th nearest other value, on either side. */
static double reach_of(const double *z, size_t n, size_t i, unsigned k)
{
	double best = INFINITY;

	for (size_t below = 0; below <= k && below <= i; below++) {
		size_t above = k - below;

		if (i + above < n)
			best = fmin(best, fmax(z[i] - z[i - below], z[i + above] - z[i]));
	}
	return best;
}

/* Counts values of y (ascending) below x; with `equal`, also those equal to it. */
static size_t count_below(const double *y, size_t n, double x, bool equal)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (y[middle] < x || (equal && y[middle] == x))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

double entropy_mutual_class(const uint8_t *x, const double *y, size_t n, unsigned k)
{
	double *psi = digammas(n), *own, sum = 0;

	ALLOC(own, n);
	for (uint8_t c = 0; c < 2; c++) {
		size_t count = 0;

		for (size_t i = 0; i < n; i++)
			if (x[i] == c)
				own[count++] = y[i];
		assert(count > k);
		for (size_t i = 0; i < count; i++) {
			double reach = reach_of(own, count, i, k);
			/* m: number of neighbours in all of y up to the k-th neighbour of the own
			 * class. It includes this neighbour, so it is at least k; the maximum
			 * guards against rounding. */
			size_t m = count_below(y, n, own[i] + reach, true) -
				   count_below(y, n, own[i] - reach, false) - 1;

			sum += psi[count] + psi[m > k ? m : k];
		}
	}
	sum = psi[n] + psi[k] - sum / (double)n;
	free(own);
	free(psi);
	return sum / M_LN2;
}
