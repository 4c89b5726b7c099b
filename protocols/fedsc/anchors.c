/* Variant "anchor": uses landmarks and sums only. */
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/cluster/kmeans.h"
#include "common/cluster/stability.h"
#include "common/cluster/spectral.h"
#include "protocols/fedsc/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LLOYD_AT_COORDINATOR = 100 };

static void fedsc_anchors_leading_columns(const struct mat *R, size_t k, struct mat *out)
{
	mat_init(out, R->rows, k);
	for (size_t i = 0; i < R->rows; i++)
		memcpy(ROW(out, i), ROW(R, i), k * sizeof(double));
}

/* Fills c with as many clusters as R has columns. Starts from a k-means of the landmarks'
 * embedding, weighted by lam (anchor.h), and then runs Lloyd rounds on all parties' rows. */
static enum err fedsc_anchors_find_clusters(struct fedsc_run *run, struct fedkmeans *loop,
					    const struct mat *R, const double *lam,
					    struct fedkmeans_centres *c)
{
	struct kmeans_params how = { .k = R->cols,
				     .restarts = run->p->restarts,
				     .iterations = LLOYD_AT_COORDINATOR,
				     .seed = run->p->seed,
				     .threads = run->p->threads };
	struct mat unit, centres;
	uint32_t *label;

	TRY(fedsc_embed(run, R));
	mat_copy(&unit, R);
	spectral_unit_rows(&unit);
	ALLOC(label, R->rows);
	kmeans(&unit, lam, &how, label, &centres, NULL);
	free(label);
	mat_release(&unit);
	fedkmeans_centres_init(c, &centres);
	mat_release(&centres);
	parties_phase(run->parties, "kmeans");
	TRY(fedkmeans_lloyd(loop, run->p->least, run->p->lloyd, 0, c, NULL));
	return fedkmeans_count(loop, c);
}

/* Tries each k of the range with the same landmarks and eigenvectors. At the end embeds rows again
 * for the chosen k. */
static enum err fedsc_anchors_select_clusters(struct fedsc_run *run, struct fedkmeans *loop,
					      const struct mat *R, const double *lam,
					      struct fedkmeans_centres *best)
{
	struct fedkmeans_centres tried[SELECTION_MAX] = { 0 };
	struct selection *s = &run->report->selection;
	struct mat part;
	enum err err = ERR_OK;

	s->from = run->p->k_from;
	for (unsigned k = run->p->k_from, i = 0; k <= run->p->k && !err; k++, i++) {
		struct selection_point point = { 0 };

		fedsc_anchors_leading_columns(R, k, &part);
		err = fedsc_anchors_find_clusters(run, loop, &part, lam, &tried[i]);
		if (!err)
			err = fedkmeans_measure(loop, &tried[i], &point);
		if (!err) {
			selection_add(s, point);
			spectral_unit_rows(&part);
			selection_stability(
			    s, stability_of(&part, lam, k, run->p->seed, run->p->threads));
		}
		mat_release(&part);
		progress_tick();
	}
	fedkmeans_take_chosen(s, tried, best);
	TRY(err);
	fedsc_anchors_leading_columns(R, best->Z.rows, &part);
	err = fedsc_embed(run, &part);
	mat_release(&part);
	return err ? err : fedkmeans_count(loop, best);
}

/* Stores the ties in the model, which uses Nystroem's method: it ties new rows to the landmarks and
 * embeds them like the rows of the run. */
void fedsc_keep_ties(struct fedsc_report *report, unsigned near, const struct mat *Z,
		     const struct mat *R)
{
	struct fedsc_model *to = &report->model;

	to->near = near;
	mat_copy(&to->Z, Z);
	fedsc_anchors_leading_columns(R, to->centre.cols, &to->R);
}

static enum err fedsc_anchors_finish(struct fedsc_run *run, const struct mat *Z,
				     const struct mat *R, const double *lam)
{
	struct fedkmeans loop = { .parties = run->parties, .n = run->report->n };
	struct fedkmeans_centres c = { 0 };
	enum err err = run->p->k_from ? fedsc_anchors_select_clusters(run, &loop, R, lam, &c)
				      : fedsc_anchors_find_clusters(run, &loop, R, lam, &c);

	if (!err)
		fedsc_keep_sizes(run, &c);
	if (!err && run->p->clip == 0) { /* a model cannot shorten rows after it has scaled them */
		fedsc_keep_model(run->report, run->m, &c.Z);
		fedsc_keep_ties(run->report, run->p->near, Z, R);
	}
	fedkmeans_centres_release(&c);
	return err;
}

/* Returns the number of eigenvalues to compute: k. For a range of k, one more than its largest k,
 * if there are more landmarks: so the record shows the gap after each k-th. */
static size_t eigenvalues_of(const struct fedsc_params *p, size_t landmarks)
{
	return (size_t)p->k + (p->k_from && p->k < landmarks);
}

enum err fedsc_by_anchors(struct fedsc_run *run)
{
	struct fedsc_question q = { .kind = FEDSC_ANCHOR, .near = run->p->near };
	struct fedkmeans_centres c = { 0 };
	struct mat M = { 0 }, N = { 0 }, U = { 0 }, R = { 0 };
	double *lam = NULL, n, sum = 0, least = 0;
	size_t values;
	enum err err;

	TRY(fedsc_totals(run->parties, run->m, run->p, false, run->report));
	n = run->report->n;
	err = fedsc_find_landmarks(run, fedsc_landmarks_most(run->p, run->report->n), &c);
	if (err)
		goto out;
	ALLOC(lam, c.Z.rows);
	values = eigenvalues_of(run->p, c.Z.rows);
	ALLOC(run->report->value, values);
	run->report->values = values;
	q.Z = &c.Z;
	parties_phase(run->parties, "anchor");
	err = fedsc_sum_triangle(run, &q, c.Z.rows, &M);
	if (err)
		goto out;
	/* Checks M = B'B: weights are not negative and those of each row add up to 1, so the
	 * entries of M are not negative and add up to n. */
	for (size_t e = 0; e < M.rows * M.cols; e++) {
		sum += M.a[e];
		least = fmin(least, M.a[e]);
	}
	if (least < 0 || fabs(sum - n) > 1e-3 * n)
		err = err_set(ERR_PEER,
			      "the parties' weights of %zu landmarks add to %.6g for %g rows, the "
			      "least of them to %.3g (during %s)",
			      M.rows, sum, n, least, run->parties->phase);
	if (!err) {
		fedsc_anchor_normal(&M, lam, &N);
		err = fedsc_leading(run, &N, values, run->report->value, &U);
	}
	if (!err) {
		struct mat first = { .rows = run->p->k, .cols = U.cols, .a = U.a };

		err = fedsc_anchor_basis(lam, &first, run->report->value, &R);
	}
	if (!err)
		err = fedsc_anchors_finish(run, &c.Z, &R, lam);
	if (!err && run->p->k_from)
		selection_gaps(&run->report->selection, run->report->value, values);
out:
	free(lam);
	mat_release(&M);
	mat_release(&N);
	mat_release(&U);
	mat_release(&R);
	fedkmeans_centres_release(&c);
	return err;
}
