#include "protocols/fedspectral/party.h"
#include "common/base/alloc.h"
#include "protocols/fedspectral/private.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t fedspectral_party_row_of(const uint32_t *row, size_t i)
{
	return row ? row[i] : i;
}

void fedspectral_party_init(struct fedspectral_party *p, const struct csr *own, const uint32_t *row,
			    size_t n, unsigned threads)
{
	size_t *next;
	uint32_t *place; /* index of the own node at joint row r */
	struct csr *A = &p->A;

	assert(own->rows == own->cols && own->rows <= n);
	*p = (struct fedspectral_party){ 0 };
	csr_init(A, n, n, own->start[own->rows], own->value);
	for (size_t i = 0; i < own->rows; i++)
		A->start[fedspectral_party_row_of(row, i) + 1] = own->start[i + 1] - own->start[i];
	for (size_t r = 0; r < n; r++)
		A->start[r + 1] += A->start[r];

	/* Both ends of an edge list it. The loop visits rows in ascending order and writes each
	 * edge into the row of its other end. So the columns of each row ascend. */
	ALLOC(place, n);
	ALLOC(next, n);
	for (size_t r = 0; r < n; r++)
		place[r] = UINT32_MAX;
	for (size_t i = 0; i < own->rows; i++) {
		assert(fedspectral_party_row_of(row, i) < n &&
		       place[fedspectral_party_row_of(row, i)] == UINT32_MAX);
		place[fedspectral_party_row_of(row, i)] = (uint32_t)i;
	}
	memcpy(next, A->start, n * sizeof(*next));
	for (size_t r = 0; r < n; r++) {
		size_t i = place[r];

		if (i == UINT32_MAX)
			continue;
		for (size_t e = own->start[i]; e < own->start[i + 1]; e++) {
			size_t at = next[fedspectral_party_row_of(row, own->index[e])]++;

			A->index[at] = (uint32_t)r;
			if (A->value)
				A->value[at] = own->value[e];
		}
	}
	free(next);
	free(place);
	spectral_graph_init(&p->part, A, threads);
}

void fedspectral_party_release(struct fedspectral_party *p)
{
	spectral_graph_release(&p->part);
	csr_release(&p->A);
}

void fedspectral_party_degrees(const struct fedspectral_party *p, double *degree)
{
	for (size_t i = 0; i < p->A.rows; i++) {
		degree[i] = 0;
		for (size_t e = p->A.start[i]; e < p->A.start[i + 1]; e++)
			degree[i] += p->A.value ? p->A.value[e] : 1;
	}
}

size_t fedspectral_active(const double *degree, size_t n, uint32_t *active)
{
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		bool there = degree[i] > 0;

		if (active)
			active[i] = there ? (uint32_t)m : UINT32_MAX;
		m += there;
	}
	return m;
}

void fedspectral_regularize(double *degree, size_t n, double tau)
{
	double inverse = 0;
	size_t m = fedspectral_active(degree, n, NULL);

	for (size_t i = 0; i < n; i++)
		inverse += degree[i] > 0 ? 1 / degree[i] : 0;
	for (size_t i = 0; i < n; i++)
		if (degree[i] > 0)
			degree[i] += tau * (double)m / inverse;
}

void fedspectral_party_join(struct fedspectral_party *p, const double *degree)
{
	struct csr *A = &p->A;
	size_t n = A->rows;
	uint32_t *active = alloc(n, sizeof(*active));
	size_t m = fedspectral_active(degree, n, active);

	for (size_t e = 0; e < A->start[n]; e++) {
		A->index[e] = active[A->index[e]];
		assert(A->index[e] < m);
	}
	/* An omitted row has no edges, so it starts where the next row starts. */
	for (size_t i = 0; i < n; i++)
		if (active[i] != UINT32_MAX) {
			A->start[active[i]] = A->start[i];
			p->part.root[active[i]] = 1 / sqrt(degree[i]);
		}
	A->start[m] = A->start[n];
	A->rows = A->cols = m;
	free(active);
}

void fedspectral_party_powers(const struct fedspectral_party *p, unsigned iterations, struct mat *V)
{
	struct mat Y;

	mat_init(&Y, V->rows, V->cols);
	for (unsigned t = 0; t < iterations; t++) {
		double *before = V->a;

		spectral_graph_rows(&p->part, V, 0, V->rows, Y.a);
		V->a = Y.a;
		Y.a = before;
	}
	mat_release(&Y);
}

enum err fedspectral_party_cells(const struct fedspectral_party *p, size_t k, unsigned restarts,
				 uint64_t seed, uint32_t *label)
{
	size_t n = p->A.rows, m;
	double *degree = alloc(n, sizeof(*degree));
	uint32_t *active = alloc(n, sizeof(*active)), *found;
	struct fedspectral_party own;
	struct spectral_params how;
	enum err err = ERR_OK;

	fedspectral_party_degrees(p, degree);
	m = fedspectral_active(degree, n, active);
	ALLOC(found, m);
	if (m <= k) {
		for (size_t i = 0; i < m; i++)
			found[i] = (uint32_t)i;
	} else {
		fedspectral_party_init(&own, &p->A, NULL, n, p->part.threads);
		fedspectral_party_join(&own, degree);
		spectral_defaults(&how, m, k, seed, p->part.threads);
		how.tolerance = 1e-3;
		how.rounds = 1000;
		err = spectral_cluster(&own.A, &how, restarts, found, NULL);
		fedspectral_party_release(&own);
	}
	for (size_t i = 0; i < n; i++)
		label[i] = active[i] == UINT32_MAX ? (uint32_t)k : found[active[i]];
	free(found);
	free(active);
	free(degree);
	return err;
}

static enum err fedspectral_party_answer(void *party, size_t l, const void *question, double *x)
{
	const struct fedspectral_question *q = question;
	struct fedspectral_party *p = party;
	struct mat V;
	enum err err;

	(void)l;
	switch (q->kind) {
	case FEDSPECTRAL_DEGREES:
		fedspectral_party_degrees(p, x);
		break;
	case FEDSPECTRAL_JOIN:
		fedspectral_party_join(p, q->degree);
		break;
	case FEDSPECTRAL_PRODUCT:
		spectral_graph_rows(&p->part, q->V, 0, q->V->rows, x);
		break;
	case FEDSPECTRAL_POWERS:
		mat_copy(&V, q->V);
		fedspectral_party_powers(p, q->iterations, &V);
		memcpy(x, V.a, V.rows * V.cols * sizeof(*x));
		mat_release(&V);
		break;
	case FEDSPECTRAL_NOISY_DEGREES:
		return fedspectral_noisy_degrees(p, q->share, x);
	case FEDSPECTRAL_NOISY_PRODUCT:
		mat_copy(&V, q->V);
		err = fedspectral_noisy_product(p, &V, q->share, x);
		mat_release(&V);
		return err;
	case FEDSPECTRAL_CELLS:
		break;
	}
	return ERR_OK;
}

static enum err labels(void *party, const void *question, uint32_t *label)
{
	const struct fedspectral_question *q = question;

	return fedspectral_party_cells(party, q->k, q->restarts, q->seed, label);
}

const struct memory_kind fedspectral_in_memory = { .size = sizeof(struct fedspectral_party),
						   .answer = fedspectral_party_answer,
						   .labels = labels };
