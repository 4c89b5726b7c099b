/* Algorithms 1 and 2 of FedSpectral: the parties' own clusters, and a clustering of nodes by how
 * often parties put them into the same cluster. */
#include "common/base/alloc.h"
#include "protocols/fedspectral/own.h"
#include "protocols/fedspectral/party.h"
#include "common/cluster/spectral.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Indicator B of the parties' clusters, m x P k. N = D^-1/2 B B' D^-1/2, with D the row sums of B
 * B'. The paper divides B B' and D by P, which gives the same N. */
struct together {
	size_t m, parties, k;
	const uint32_t *cell; /* parties x m; k: the node is in no cluster of that party */
	double *root;         /* m */
};

/* Sets S (P k x cols) = B' (w o M), where w o M multiplies row i of M by w_i. If M is NULL, S = B'
 * 1. */
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

/* Sets Y (m x cols) = w o B S, which multiplies row i of B S by w_i. If w is NULL, Y = B S. */
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

struct saying {
	const uint32_t *cell; /* parties x n */
	size_t parties, n;
};

static int by_cells(const void *a, const void *b, void *ctx)
{
	const struct saying *s = ctx;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	for (size_t l = 0; l < s->parties; l++) {
		uint32_t x = s->cell[l * s->n + i], y = s->cell[l * s->n + j];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return (i > j) - (i < j);
}

/* Reduces *cell (parties x n) to parties x m: keeps the rows that have a cluster at some party,
 * sorted by their clusters. Rows with equal clusters are interchangeable, so the result does not
 * depend on row numbers. active: new position of each row, or UINT32_MAX. */
static size_t keep_cells(uint32_t **cell, size_t parties, size_t n, size_t k, uint32_t *active)
{
	struct saying s = { *cell, parties, n };
	uint32_t *order = alloc(n, sizeof(*order)), *kept;
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		bool there = false;

		for (size_t l = 0; l < parties; l++)
			there |= (*cell)[l * n + i] < k;
		if (there)
			order[m++] = (uint32_t)i;
		active[i] = UINT32_MAX;
	}
	qsort_r(order, m, sizeof(*order), by_cells, &s);
	kept = alloc(parties * m, sizeof(*kept));
	for (size_t i = 0; i < m; i++) {
		active[order[i]] = (uint32_t)i;
		for (size_t l = 0; l < parties; l++)
			kept[l * m + i] = (*cell)[l * n + order[i]];
	}
	free(order);
	free(*cell);
	*cell = kept;
	return m;
}

enum err fedspectral_plain(struct parties *parties, size_t n, const struct fedspectral_params *p,
			   uint32_t *label, struct fedspectral_report *report)
{
	struct fedspectral_question cells = {
		.kind = FEDSPECTRAL_CELLS, .k = p->k, .restarts = p->restarts, .seed = p->seed
	};
	uint32_t *cell = alloc(parties->count * n, sizeof(*cell));
	uint32_t *active = alloc(n, sizeof(*active));
	struct together t = { .parties = parties->count, .k = p->k };
	struct ortho_operator N = { &t, times_together };
	struct fedspectral_report unused;
	struct spectral_params how;
	struct mat V, S, d;
	double *value;
	enum err err;

	report = report ? report : &unused;
	*report = (struct fedspectral_report){ .k = p->k };
	parties_phase(parties, "local");
	err = parties_collect_labels(parties, &cells, p->k, cell, n);
	if (err)
		goto out;
	t.m = keep_cells(&cell, parties->count, n, p->k, active);
	t.cell = cell;
	err = fedspectral_check_nodes(t.m, n, p->k, report);
	if (err)
		goto out;
	/* Algorithm 2: spectral clustering of the similarity graph (equation 1) */
	into_cells(&t, NULL, NULL, &S);
	out_of_cells(&t, &S, NULL, &d);
	for (size_t i = 0; i < t.m; i++)
		d.a[i] = 1 / sqrt(d.a[i]);
	t.root = d.a;
	spectral_defaults(&how, t.m, t.k, p->seed, p->threads);
	ALLOC(value, t.k);
	err = spectral_top(&N, &how, value, &V, NULL);
	free(value);
	mat_release(&d);
	mat_release(&S);
	if (!err) {
		fedspectral_settle(report, p->k);
		fedspectral_cluster(parties, p, &V, active, n, report, label);
		mat_release(&V);
	}
out:
	free(active);
	free(cell);
	return err;
}
