/* pursuit.h -- Attack: finds the edges of an unknown sparse matrix W from known products.
 *
 * V (n x m) and Y = W V are known. Each row of Y is a combination of few rows of V: the rows of the
 * node's neighbours. Orthogonal matching pursuit (Pati, Rezaiifar, Krishnaprasad 1993) takes the
 * row of V that fits best and subtracts the part that all taken rows explain. It repeats until
 * nothing is left. An exact explanation is the right one if the node has fewer neighbours than half
 * the columns.
 *
 * W is symmetric, so the edges found for one node are subtracted from its neighbours' rows. Further
 * passes then have fewer edges to find in the neighbours' rows. */
#ifndef TESTS_UNIT_FEDSPECTRAL_PURSUIT_H
#define TESTS_UNIT_FEDSPECTRAL_PURSUIT_H

#include "common/base/alloc.h"
#include "common/linalg/csr.h"
#include "common/linalg/la.h"
#include "common/linalg/mat.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct pursuit {
	size_t n, m;
	struct mat V, Y;   /* n x m each; owned */
	double *tolerance; /* n: a row counts as explained if its remainder is at most this long */
	double *weight;    /* n: row sums of W, whose entries are whole numbers; NULL: unknown */
	struct mat W;      /* n x n: the entries found, 0 elsewhere */
	bool *done;        /* n: whether the row is explained */
};

static inline void pursuit_init(struct pursuit *p, size_t n, size_t m)
{
	*p = (struct pursuit){ .n = n, .m = m };
	mat_init(&p->V, n, m);
	mat_init(&p->Y, n, m);
	mat_init(&p->W, n, n);
	ALLOC(p->tolerance, n);
	ALLOC(p->done, n);
}

static inline void pursuit_release(struct pursuit *p)
{
	mat_release(&p->V);
	mat_release(&p->Y);
	mat_release(&p->W);
	free(p->tolerance);
	free(p->weight);
	free(p->done);
}

static inline double pursuit_dot(const double *a, const double *b, size_t m)
{
	double sum = 0;

	for (size_t c = 0; c < m; c++)
		sum += a[c] * b[c];
	return sum;
}

static inline void pursuit_less(double *a, double times, const double *b, size_t m)
{
	for (size_t c = 0; c < m; c++)
		a[c] -= times * b[c];
}

/* Makes the columns of V orthonormal and applies the same operations to Y, so that W V = Y holds.
 * Drops a column if less than 1e-6 of it is independent of earlier columns. */
static inline void pursuit_condition(struct pursuit *p)
{
	struct mat v, y;
	size_t kept = 0;

	mat_init(&v, p->m, p->n); /* v and y have the columns of V and Y as rows */
	mat_init(&y, p->m, p->n);
	for (size_t c = 0; c < p->m; c++) {
		double *a = ROW(&v, kept), *b = ROW(&y, kept), before, left;

		for (size_t i = 0; i < p->n; i++) {
			a[i] = MAT(&p->V, i, c);
			b[i] = MAT(&p->Y, i, c);
		}
		before = sqrt(pursuit_dot(a, a, p->n));
		for (int twice = 0; twice < 2; twice++)
			for (size_t k = 0; k < kept; k++) {
				double h = pursuit_dot(a, ROW(&v, k), p->n);

				pursuit_less(a, h, ROW(&v, k), p->n);
				pursuit_less(b, h, ROW(&y, k), p->n);
			}
		left = sqrt(pursuit_dot(a, a, p->n));
		if (left < 1e-6 * before)
			continue;
		for (size_t i = 0; i < p->n; i++) {
			a[i] /= left;
			b[i] /= left;
		}
		kept++;
	}
	mat_release(&p->V);
	mat_release(&p->Y);
	mat_init(&p->V, p->n, kept);
	mat_init(&p->Y, p->n, kept);
	for (size_t i = 0; i < p->n; i++)
		for (size_t c = 0; c < kept; c++) {
			MAT(&p->V, i, c) = MAT(&v, c, i);
			MAT(&p->Y, i, c) = MAT(&y, c, i);
		}
	p->m = kept;
	mat_release(&v);
	mat_release(&y);
}

/* The state of the search for the neighbours of one node. */
struct pursuit_row {
	size_t taken;
	uint32_t *node;      /* nodes taken so far */
	struct mat basis;    /* orthonormal basis of the taken nodes' rows of V */
	struct mat triangle; /* row k: the k-th taken node's row of V in this basis */
	double *along;       /* coordinates of the target row in this basis */
	double *rest, *fit;  /* m: the target row's unexplained part; n: its product with V */
};

static inline void pursuit_row_init(struct pursuit_row *r, const struct pursuit *p)
{
	size_t most = p->m / 2;

	*r = (struct pursuit_row){ 0 };
	ALLOC(r->node, most);
	mat_init(&r->basis, most, p->m);
	mat_init(&r->triangle, most, most);
	ALLOC(r->along, most);
	ALLOC(r->rest, p->m);
	ALLOC(r->fit, p->n);
}

static inline void pursuit_row_release(struct pursuit_row *r)
{
	free(r->node);
	mat_release(&r->basis);
	mat_release(&r->triangle);
	free(r->along);
	free(r->rest);
	free(r->fit);
}

/* Returns the node whose row of V, at unit length, fits the rest best. Taken nodes fit 0. */
static inline uint32_t pursuit_best(const struct pursuit *p, struct pursuit_row *r,
				    const double *length)
{
	uint32_t best = 0;
	double most = -1;

	la_block_nt(1, p->n, p->m, r->rest, p->V.a, r->fit, p->n);
	for (uint32_t j = 0; j < p->n; j++) {
		double fit = length[j] > 0 ? fabs(r->fit[j]) / length[j] : 0;

		if (fit > most) {
			most = fit;
			best = j;
		}
	}
	return best;
}

/* Takes a node. Returns false if its row is in the span of the taken rows. */
static inline bool pursuit_take(const struct pursuit *p, struct pursuit_row *r, uint32_t node)
{
	double *q = ROW(&r->basis, r->taken), left, before;

	memcpy(q, ROW(&p->V, node), p->m * sizeof(*q));
	before = sqrt(pursuit_dot(q, q, p->m));
	for (size_t k = 0; k < r->taken; k++)
		MAT(&r->triangle, r->taken, k) = 0;
	for (int twice = 0; twice < 2; twice++)
		for (size_t k = 0; k < r->taken; k++) {
			double h = pursuit_dot(q, ROW(&r->basis, k), p->m);

			MAT(&r->triangle, r->taken, k) += h;
			pursuit_less(q, h, ROW(&r->basis, k), p->m);
		}
	left = sqrt(pursuit_dot(q, q, p->m));
	if (left <= 1e-10 * before)
		return false;
	for (size_t c = 0; c < p->m; c++)
		q[c] /= left;
	MAT(&r->triangle, r->taken, r->taken) = left;
	r->along[r->taken] = pursuit_dot(r->rest, q, p->m);
	pursuit_less(r->rest, r->along[r->taken], q, p->m);
	r->node[r->taken++] = node;
	return true;
}

/* Replaces `along` by the weights of the taken nodes in the target row. */
static inline void pursuit_weigh(struct pursuit_row *r)
{
	for (size_t k = r->taken; k-- > 0;) {
		r->along[k] /= MAT(&r->triangle, k, k);
		for (size_t j = 0; j < k; j++)
			r->along[j] -= r->along[k] * MAT(&r->triangle, k, j);
	}
}

/* If row sums are unknown, sets negligible weights to 0. If they are known, rounds the weights, and
 * returns false if one is not nearly a whole number >= 0, or if their sum is not `left`. */
static inline bool pursuit_plausible(const struct pursuit *p, struct pursuit_row *r, double left)
{
	double sum = 0;

	for (size_t k = 0; k < r->taken; k++) {
		double whole = round(r->along[k]);

		if (!p->weight) {
			if (fabs(r->along[k]) < 1e-5)
				r->along[k] = 0;
			continue;
		}
		if (whole < 0 || fabs(r->along[k] - whole) > 0.2)
			return false;
		sum += whole;
		r->along[k] = whole;
	}
	return !p->weight || sum == left;
}

/* Tries to explain row i, and returns whether that succeeded. */
static inline bool pursuit_node(struct pursuit *p, struct pursuit_row *r, const double *length,
				size_t i)
{
	double left = p->weight ? p->weight[i] : HUGE_VAL;

	r->taken = 0;
	memcpy(r->rest, ROW(&p->Y, i), p->m * sizeof(*r->rest));
	for (size_t j = 0; j < p->n; j++)
		if (MAT(&p->W, i, j) != 0) {
			pursuit_less(r->rest, MAT(&p->W, i, j), ROW(&p->V, j), p->m);
			left -= MAT(&p->W, i, j);
		}
	while (sqrt(pursuit_dot(r->rest, r->rest, p->m)) > p->tolerance[i]) {
		if (r->taken == p->m / 2 || !pursuit_take(p, r, pursuit_best(p, r, length)))
			return false;
	}
	pursuit_weigh(r);
	if (!pursuit_plausible(p, r, left))
		return false;
	for (size_t k = 0; k < r->taken; k++)
		if (r->along[k] != 0)
			MAT(&p->W, i, r->node[k]) = MAT(&p->W, r->node[k], i) = r->along[k];
	p->done[i] = true;
	return true;
}

/* Makes one pass over the given nodes (NULL: all). Returns the number of newly explained nodes. */
static inline size_t pursuit_pass(struct pursuit *p, const uint32_t *node, size_t count)
{
	double *length = alloc(p->n, sizeof(*length));
	struct pursuit_row r;
	size_t explained = 0;

	for (size_t j = 0; j < p->n; j++)
		length[j] = sqrt(pursuit_dot(ROW(&p->V, j), ROW(&p->V, j), p->m));
	pursuit_row_init(&r, p);
	for (size_t i = 0; i < count; i++) {
		size_t at = node ? node[i] : i;

		if (!p->done[at])
			explained += pursuit_node(p, &r, length, at);
	}
	pursuit_row_release(&r);
	free(length);
	return explained;
}

/* Guesses one neighbour for each row. Returns the number of guesses that are neighbours in A. */
static inline size_t pursuit_guesses(const struct pursuit *p, const struct csr *A)
{
	double *length = alloc(p->n, sizeof(*length));
	struct pursuit_row r;
	size_t right = 0;

	for (size_t j = 0; j < p->n; j++)
		length[j] = sqrt(pursuit_dot(ROW(&p->V, j), ROW(&p->V, j), p->m));
	pursuit_row_init(&r, p);
	for (size_t i = 0; i < p->n; i++) {
		uint32_t best;

		memcpy(r.rest, ROW(&p->Y, i), p->m * sizeof(*r.rest));
		best = pursuit_best(p, &r, length);
		for (size_t e = A->start[i]; e < A->start[i + 1]; e++)
			right += A->index[e] == best;
	}
	pursuit_row_release(&r);
	free(length);
	return right;
}

/* Compares the found edges with A: edges of A that were found, and found edges that A lacks. */
struct pursuit_score {
	size_t edges, found, wrong, explained;
};

static inline struct pursuit_score pursuit_score(const struct pursuit *p, const struct csr *A)
{
	struct pursuit_score s = { .edges = A->start[A->rows] / 2 };
	bool *there = alloc(p->n, sizeof(*there));

	for (size_t i = 0; i < p->n; i++) {
		for (size_t e = A->start[i]; e < A->start[i + 1]; e++)
			there[A->index[e]] = true;
		for (size_t j = 0; j < i; j++) {
			s.found += MAT(&p->W, i, j) != 0 && there[j];
			s.wrong += MAT(&p->W, i, j) != 0 && !there[j];
		}
		for (size_t e = A->start[i]; e < A->start[i + 1]; e++)
			there[A->index[e]] = false;
		s.explained += p->done[i];
	}
	free(there);
	return s;
}

#endif
