#include "protocols/fedsc/points.h"
#include "common/base/alloc.h"
#include "common/base/warnings.h"
#include "common/graph/knn.h"
#include "common/cluster/spectral.h"
#include "protocols/fedsc/dictionary.h"
#include "common/linalg/la.h"

#include <math.h>
#include <stdlib.h>

/* Bounds: squared length of a row of F, and largest 1 - cosine of a row to the mean direction. On
 * three clouds 8 apart, labels are right for r of 0.05 to 100 times a cloud's deviation, with these
 * bounds too. */
#define SPANNED 1e-6
#define APART   1e-6

/* Checks that labels are not arbitrary: rows that resemble no row of the dictionary, or all each
 * other, would get labels by chance. A row of F has length 1 if the dictionary spans it; the sum of
 * all rows is the main direction. */
static enum err rows_are_told_apart(const struct mat *F, double r)
{
	double *sum = alloc(F->cols, sizeof(*sum)), square = 0, least = 1, shortest = INFINITY,
	       longest = 0;
	size_t none = 0;

	for (size_t i = 0; i < F->rows; i++)
		for (size_t j = 0; j < F->cols; j++)
			sum[j] += MAT(F, i, j);
	for (size_t j = 0; j < F->cols; j++)
		square += sum[j] * sum[j];
	for (size_t i = 0; i < F->rows; i++) {
		double own = 0, along = 0;

		for (size_t j = 0; j < F->cols; j++) {
			own += MAT(F, i, j) * MAT(F, i, j);
			along += MAT(F, i, j) * sum[j];
		}
		none += !(own > SPANNED);
		least = fmin(least, along / sqrt(own * square));
		shortest = fmin(shortest, sqrt(own));
		longest = fmax(longest, sqrt(own));
	}
	free(sum);
	if (2 * none > F->rows)
		return err_set(ERR_JOB,
			       "r %g: %zu of %zu rows are like none of the dictionary; a larger "
			       "r or more of it is needed",
			       r, none, F->rows);
	if (F->cols == 1) /* one direction: lengths tell rows apart */
		least = shortest / longest;
	if (1 - least < APART)
		return err_set(ERR_JOB, "r %g: all %zu rows are alike; a smaller r is needed", r,
			       F->rows);
	if (none)
		warnings_add(WARNING_UNLIKE_ROWS, (double)none,
			     "r %g: %zu of %zu rows are like none of the dictionary, and their "
			     "labels are by chance",
			     r, none, F->rows);
	return ERR_OK;
}

enum err points_paper(const struct mat *Z, const struct mat *C, double r, double lambda,
		      const struct points_params *p, uint32_t *label)
{
	struct spectral_params how;
	struct fedsc_basis basis;
	struct mat F = { 0 };
	struct csr S;
	enum err err;

	if (p->k > C->rows)
		return err_set(ERR_INPUT, "%u clusters of %zu rows", p->k, C->rows);
	err = fedsc_basis_init(&basis, Z, r, lambda, p->threads);
	if (!err)
		err = fedsc_basis_root(&basis, p->threads);
	if (!err)
		la_mul_nn(C, &basis.root, p->threads, &F);
	fedsc_basis_release(&basis);
	if (!err)
		err = rows_are_told_apart(&F, r);
	if (err) {
		mat_release(&F);
		return err;
	}
	knn_products(&F, knn_rule(C->rows), p->threads, &S);
	mat_release(&F);
	spectral_defaults(&how, C->rows, p->k, p->seed, p->threads);
	err = spectral_cluster(&S, &how, p->restarts, label, NULL);
	csr_release(&S);
	return err;
}
