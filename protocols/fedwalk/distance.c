#include "protocols/fedwalk/distance.h"
#include "common/base/alloc.h"
#include "protocols/fedwalk/tree.h"
#include "common/linalg/parallel.h"
#include "common/learn/sgns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRIP = 1024, ROWS = 16 };

float *fedwalk_across(const float *c, size_t n, unsigned k)
{
	float *across;

	ALLOC(across, n * k);
	for (size_t v = 0; v < n; v++)
		for (unsigned j = 0; j < k; j++)
			across[j * n + v] = c[v * k + j];
	return across;
}

void fedwalk_l1_row(const float *across, size_t n, unsigned k, size_t u, size_t from, float *row)
{
	for (size_t strip = from; strip < n; strip += STRIP) {
		size_t end = strip + STRIP < n ? strip + STRIP : n;

		for (size_t v = strip; v < end; v++)
			row[v] = 0;
		for (unsigned j = 0; j < k; j++) {
			const float *x = across + j * n, own = x[u];

			for (size_t v = strip; v < end; v++)
				row[v] += fabsf(x[v] - own);
		}
	}
}

void fedwalk_row(const struct fedwalk_dissimilarity *d, size_t u, float *row)
{
	if (d->triangle) {
		triangle_get_row(d->triangle, u, row);
		return;
	}
	for (size_t v = 0; v < d->n; v++) {
		row[v] = 0;
		for (unsigned j = 0; j < d->k; j++)
			row[v] += fabsf(d->c[v * d->k + j] - d->c[u * d->k + j]);
	}
}

struct l1 {
	const float *across;
	unsigned k;
	struct triangle *h;
};

static void l1_rows(void *ctx, unsigned worker, size_t block)
{
	struct l1 *p = ctx;
	size_t n = p->h->n, end = (block + 1) * ROWS < n ? (block + 1) * ROWS : n;
	float *row;

	(void)worker;
	ALLOC(row, n);
	for (size_t u = block * ROWS; u + 1 < n && u < end; u++) {
		fedwalk_l1_row(p->across, n, p->k, u, u + 1, row);
		memcpy(p->h->a + triangle_row(n, u) + u + 1, row + u + 1,
		       (n - u - 1) * sizeof(*row));
	}
	free(row);
}

void fedwalk_l1(const float *c, size_t n, unsigned k, unsigned threads, struct triangle *h)
{
	float *across = fedwalk_across(c, n, k);
	struct l1 p = { across, k, h };

	triangle_init(h, n);
	parallel(threads, (n + ROWS - 1) / ROWS, l1_rows, &p);
	free(across);
}

enum fedwalk_how fedwalk_tree_how(const struct fedwalk_job *job, size_t n)
{
	if (job->dissimilarity == DISSIMILARITY_DTW)
		return FEDWALK_DTW;
	return n > FEDWALK_EXACT_MAX ? FEDWALK_LANDMARKS : FEDWALK_L1;
}

double fedwalk_tree_bytes(size_t n, unsigned k, enum fedwalk_how how, double rows)
{
	/* the tree, the lists of the encoder and of the pools, and the transposed dictionary */
	double lists = (double)n * (6 * 4 + 2 * 8 + 8 * 8 + 4 * k);
	double group = triangle_bytes(n < FEDWALK_GROUP_MAX ? n : FEDWALK_GROUP_MAX);

	if (how == FEDWALK_LANDMARKS)
		return lists + 2 * group * 2 + (double)n * k * sizeof(double);
	return lists + (how == FEDWALK_DTW ? 2 : 1) * triangle_bytes(n) +
	       (how == FEDWALK_DTW ? 2.2 * rows * k * sizeof(float) : 0);
}

double fedwalk_train_bytes(size_t n, unsigned gamma, unsigned l, unsigned threads)
{
	double walks = (double)n * gamma, attack = walks * 4 * l + (double)n * 4 * threads;
	double vectors = (double)n * SGNS_DIMS * sizeof(float) * (2 + 2 * SGNS_SHARDS);

	return walks * (4.0 * l + 4) + (attack > vectors ? attack : vectors);
}
