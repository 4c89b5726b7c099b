/* FedSC by landmarks with noise in aggregates. */
#include "common/base/alloc.h"
#include "common/cluster/kmeans.h"
#include "common/cluster/spectral.h"
#include "protocols/fedsc/own.h"
#include "protocols/fedsc/private.h"
#include "common/kind/kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of k-means steps on the landmarks, which need no sums. */
enum { LLOYD = 100 };
static const double TIE = 2; /* entries of B'B up to TIE standard deviations may be noise alone */

enum err fedsc_noisy_gram_of(const struct fedsc_params *p, size_t parties,
			     struct discrete_share *share, double *deviation)
{
	double v = M_SQRT2 * p->gram, s = p->near;

	TRY(discrete_share_of(v, parties, p->colluders, exp2(-JOB_WIDE_FRACTION), share));
	/* Rounding to steps changes the s (s + 1) / 2 products of weights of each row. */
	share->steps =
	    (uint32_t)ceil(share->steps * (1 + share->step * sqrt(s * (s + 1)) / (2 * M_SQRT2)));
	if (deviation)
		*deviation = share->step * share->steps * sqrt((double)parties);
	return ERR_OK;
}

/* Adds w w' of row i to x, with w scaled to length 1. The replacement of a row then changes x by at
 * most sqrt(2), which is reached if both rows have one landmark each. The scaling lets rows with
 * several landmarks contribute as much as rows with one. */
static void fedsc_private_anchor_add_row(const struct fedsc_anchor *b, size_t i,
					 const struct discrete_share *share, double *x)
{
	const uint32_t *at = b->landmark + i * b->s;
	const double *w = b->weight + i * b->s;
	double square = 0;

	for (unsigned a = 0; a < b->s; a++)
		square += w[a] * w[a];
	for (unsigned a = 0; a < b->s; a++)
		for (unsigned c = 0; c < b->s; c++)
			if (at[c] <= at[a])
				x[(size_t)at[a] * (at[a] + 1) / 2 + at[c]] +=
				    discrete_in_steps(share, w[a] * w[c] / square);
}

enum err fedsc_answer_noisy_anchor(struct fedsc_party *p, const struct fedsc_question *q, double *x)
{
	size_t words = fedsc_words(q, p->X.cols);

	if (!p->noise)
		return err_set(ERR_PEER, "asked for noise in sums when none was agreed");
	TRY(fedsc_tie(p, q));
	memset(x, 0, words * sizeof(*x));
	for (size_t i = 0; i < p->X.rows; i++)
		fedsc_private_anchor_add_row(&p->anchor, i, q->share, x);
	return discrete_add(p->noise, q->share, x, words);
}

/* Sets entries that may be noise alone to 0. True entries are never negative, since weights are
 * not. */
static void denoise(struct mat *M, double deviation)
{
	for (size_t i = 0; i < M->rows; i++)
		for (size_t j = 0; j < M->cols; j++)
			if (MAT(M, i, j) < TIE * deviation)
				MAT(M, i, j) = i == j ? fmax(MAT(M, i, j), 0) : 0;
}

/* Initialises R (d x k), and fills lam (d), from the noisy B'B of the landmarks run->Z. */
static enum err fedsc_private_anchor_embed(struct fedsc_run *f, struct fedsc_rounds *run,
					   double *lam, struct mat *R)
{
	struct discrete_share share;
	const struct fedsc_question q = {
		.kind = FEDSC_NOISY_ANCHOR, .Z = &run->Z, .near = f->p->near, .share = &share
	};
	struct mat M = { 0 }, N = { 0 }, U = { 0 };
	size_t positive = 0;
	double deviation;
	enum err err;

	TRY(fedsc_noisy_gram_of(f->p, f->parties->count, &share, &deviation));
	parties_phase(f->parties, "anchor");
	ALLOC(f->report->value, f->p->k);
	f->report->values = f->p->k;
	err = fedsc_sum_triangle(f, &q, run->Z.rows, &M);
	if (!err) {
		denoise(&M, deviation);
		fedsc_anchor_normal(&M, lam, &N);
		err = fedsc_leading(f, &N, f->p->k, f->report->value, &U);
	}
	/* Noise may leave fewer positive eigenvalues than clusters. k-means then uses only the
	 * eigenvectors of the positive ones. */
	while (!err && positive < f->p->k && f->report->value[positive] > 0)
		positive++;
	if (!err) {
		struct mat first = { .rows = positive ? positive : 1, .cols = U.cols, .a = U.a };

		err = fedsc_anchor_basis(lam, &first, f->report->value, R);
	}
	mat_release(&M);
	mat_release(&N);
	mat_release(&U);
	return err ? err : fedsc_embed(f, R);
}

/* Labels rows by k-means of the landmarks' own embedding, weighted by lam. */
static enum err cluster_embedded(struct fedsc_run *f, const struct fedsc_rounds *run,
				 const double *lam, const struct mat *R)
{
	const struct kmeans_params how = { .k = f->p->k,
					   .restarts = f->p->restarts,
					   .iterations = LLOYD,
					   .seed = f->p->seed,
					   .threads = f->p->threads };
	double *weight = alloc(R->rows, sizeof(*weight)), *count;
	uint32_t *label = alloc(R->rows, sizeof(*label));
	struct mat unit, Z;
	enum err err;

	parties_phase(f->parties, "kmeans");
	for (size_t j = 0; j < R->rows; j++)
		weight[j] = fmax(lam[j], 1); /* at least 1, also for landmarks without ties */
	mat_copy(&unit, R);
	spectral_unit_rows(&unit);
	kmeans(&unit, weight, &how, label, &Z, NULL);
	ALLOC(count, Z.rows);
	for (size_t j = 0; j < R->rows; j++)
		count[label[j]] += run->count[j];
	err = fedsc_noisy_end(f->parties, &Z, count, f->report);
	if (!err) {
		fedsc_keep_clipped(f->report, f->m, &Z, f->p->clip);
		fedsc_keep_ties(f->report, f->p->near, &run->Z, R);
	}
	mat_release(&unit);
	mat_release(&Z);
	free(count);
	free(weight);
	free(label);
	return err;
}

enum err fedsc_private_anchors(struct parties *parties, size_t m, const struct fedsc_params *p,
			       struct fedsc_report *report)
{
	struct fedsc_run f = { .parties = parties, .m = m, .p = p, .report = report };
	struct fedsc_rounds run;
	struct mat R = { 0 };
	double *lam = NULL;
	enum err err = fedsc_rounds_init(&run, parties, m, p, report);

	if (!err)
		err = fedsc_noisy_landmarks(&run, p->lloyd);
	if (!err && (run.Z.rows < p->k || run.Z.rows <= p->near))
		err = err_set(ERR_JOB,
			      "only %zu landmarks in so few rounds, for %u clusters and the %u "
			      "nearest: more job.iterations, or fewer of those are needed",
			      run.Z.rows, p->k, p->near);
	if (!err) {
		report->dims = run.Z.rows;
		ALLOC(lam, run.Z.rows);
		err = fedsc_private_anchor_embed(&f, &run, lam, &R);
	}
	if (!err)
		err = cluster_embedded(&f, &run, lam, &R);
	report->rounds = run.done;
	free(lam);
	mat_release(&R);
	fedsc_rounds_release(&run);
	return err;
}
