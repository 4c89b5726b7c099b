/* A party's half of prediction: this party's part of the squared distances of all nodes to the k
 * centres of an earlier run. */
#include "party/kcagc/kcagc.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/kcagc/job.h"
#include "common/linalg/distance.h"
#include "party/kcagc/local.h"
#include "party/kcagc/model.h"
#include "party/work/secure.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- does the model fit? ---- */

/* A sum without one party's part, or with a stranger's, is no distance of that run. */
static enum err check_parties(const struct model *m, const struct work *work)
{
	if (strcmp(m->name[m->own], work->name[work->own]) != 0)
		return err_set(ERR_INPUT, "the model is that of %s, not of %s", m->name[m->own],
			       work->name[work->own]);
	for (size_t l = 0; l < m->L && l < work->L; l++)
		if (strcmp(m->name[l], work->name[l]) != 0)
			return err_set(ERR_INPUT,
				       "%s was in the run of job.model, and %s is in this job: it "
				       "takes the same parties",
				       m->name[l], work->name[l]);
	if (m->L != work->L)
		return err_set(ERR_INPUT,
			       "the run of job.model had %zu parties, this job has %zu: it takes "
			       "the same parties",
			       m->L, work->L);
	return ERR_OK;
}

static enum err check_model(const struct model *m, const struct work *work)
{
	const struct job *job = &work->job;
	size_t columns = features_cols(work->features);

	if (!m->kept && m->min_cell > 1)
		return err_set(
		    ERR_INPUT,
		    "the run of job.model had min_cell %u, so no centres of it were kept: "
		    "predicting sums over single nodes; run it with min_cell 1",
		    m->min_cell);
	if (!m->kept)
		return err_set(
		    ERR_INPUT,
		    "the run of job.model was of method %s, whose clusters have no centres that "
		    "new nodes could be compared with; run it with tree, flat or basic, or with "
		    "landmark and polish",
		    kcagc_method_names[m->method]);
	TRY(check_parties(m, work));
	if (m->clusters != job->clusters)
		return err_set(ERR_INPUT,
			       "job.clusters is %u, the run of job.model had %u: expected the same",
			       job->clusters, m->clusters);
	if (m->place.map.a && !job->kcagc.joint_norm)
		return err_set(ERR_INPUT, "job.joint_norm is false, and the run of job.model was "
					  "of method landmark, whose "
					  "rows have length 1 over all parties: expected true");
	if (m->joint_norm != job->kcagc.joint_norm)
		return err_set(ERR_INPUT,
			       "job.joint_norm is %s, in the run of job.model it was %s: expected "
			       "the same",
			       job->kcagc.joint_norm ? "true" : "false",
			       m->joint_norm ? "true" : "false");
	if (m->fraction_bits > job->fraction_bits)
		return err_set(ERR_INPUT,
			       "job.secure_sum.fraction_bits is %u, the run of job.model had %u: "
			       "expected at least as many, or near centres cannot be told apart",
			       job->fraction_bits, m->fraction_bits);
	if (model_columns(m) != columns)
		return err_set(ERR_INPUT,
			       "the features of %s have %zu columns, in the run of job.model they "
			       "had %zu: expected the same columns in the same order",
			       work->name[work->own], columns, model_columns(m));
	return ERR_OK;
}

enum err predict_prepare(struct work *work)
{
	struct model *m = NULL;
	enum err e;

	TRY(model_find(work->state, work->job.kcagc.model, &m));
	e = check_model(m, work);
	if (e != ERR_OK) {
		model_free(m);
		return e;
	}
	work->model = m;
	return ERR_OK;
}

/* ---- the protocol ---- */

/* Filtered with themselves alone, which says less than neighbours do. */
static void warn_of_lonely(const struct csr *g)
{
	size_t lonely = 0;

	for (size_t i = 0; i < g->rows; i++)
		lonely += g->start[i] == g->start[i + 1];
	if (lonely)
		log_warn("%zu of %zu nodes have no edge: the filter adds nothing to them, their "
			 "features alone decide",
			 lonely, g->rows);
}

/* Lines 1-4 of Protocol 1 as the run had them. */
static enum err place(struct work *work, const struct tree_node *all, struct mat *Z)
{
	const struct embedding *how = &work->model->how;
	double *norm, *own, mean_of_these;
	enum err e;

	TRY(embed_again(work->features, work->graph, how, work->threads, Z));
	if (!work->job.kcagc.joint_norm)
		return ERR_OK;
	ALLOC(norm, work->n);
	ALLOC(own, work->n);
	embed_norms(Z, own);
	e = party_prepare_norms(work, all, own, norm, &mean_of_these);
	if (e == ERR_OK)
		embed_scale(Z, norm, how->mean_norm, how->row_power);
	else
		mat_release(Z);
	free(own);
	free(norm);
	return e;
}

/* Landmark projection: this party's part of all distances at once. */
static enum err place_by_means(struct work *work, const struct tree_node *all, struct mat *D)
{
	const struct placing *p = &work->model->place;
	double *norm = alloc(work->n, sizeof(*norm)), *own = alloc(work->n, sizeof(*own)), mean;
	enum err e = placing_weigh(p, work->features, own);

	if (e == ERR_OK)
		e = party_prepare_norms(work, all, own, norm, &mean);
	if (e == ERR_OK)
		e = placing_distances(p, work->features, work->graph, norm, work->threads, D);
	free(own);
	free(norm);
	return e;
}

/* The distances to a cluster that ended without nodes, which has no centre: farther than the first
 * that there is, at every party, and so in the sum. They tell nothing that those do not. */
static void put_away(const uint64_t *size, size_t k, double *D, size_t rows)
{
	size_t first = 0;

	while (first < k && !size[first])
		first++;
	assert(first < k);
	for (size_t i = 0; i < rows; i++)
		for (size_t r = 0; r < k; r++)
			if (!size[r])
				D[i * k + r] = D[i * k + first] + 1;
}

/* One sum: k words for each of rows [first, last). to: NULL, Z has the distances. */
static enum err send_rows(struct work *work, const struct tree_node *all, const struct mat *Z,
			  struct distance *to, size_t first, size_t last)
{
	size_t k = work->model->clusters;
	double *D = alloc(DISTANCE_ROWS * k, sizeof(*D));
	struct secure *s = NULL;
	enum err e = secure_begin(work, all, (last - first) * k, false, &s);

	for (size_t i = first; i < last && e == ERR_OK; i += DISTANCE_ROWS) {
		size_t rows = last - i < DISTANCE_ROWS ? last - i : DISTANCE_ROWS;

		if (to)
			distance_block(to, ROW(Z, i), rows, D);
		else
			memcpy(D, ROW(Z, i), rows * k * sizeof(*D));
		put_away(work->model->size, k, D, rows);
		e = secure_add(s, D, rows * k);
	}
	if (e == ERR_OK)
		e = secure_end(s);
	secure_free(s);
	free(D);
	return e;
}

enum err party_predict(struct work *work, uint32_t *label)
{
	const struct mat *mu = &work->model->centre;
	bool by_means = work->model->place.map.a;
	size_t step = predict_rows(work->model->clusters), n;
	const struct tree_node *all;
	struct distance to;
	struct tree tree;
	struct mat Z;
	enum err e = ERR_OK;

	tree_build(&tree, work->L, job_is_flat(&work->job));
	all = &tree.node[tree.count - 1];
	work_group(work, all);
	work_phase(work, "local");
	warn_of_lonely(&work->graph->adjacency);
	TRY(by_means ? place_by_means(work, all, &Z) : place(work, all, &Z));
	n = Z.rows;
	work_phase(work, "predict");
	if (!by_means) {
		distance_init(&to, mu->rows, mu->cols);
		distance_set(&to, mu->a);
	}
	for (size_t i = 0; i < n && e == ERR_OK; i += step)
		e = send_rows(work, all, &Z, by_means ? NULL : &to, i, n - i < step ? n : i + step);
	if (!by_means)
		distance_release(&to);
	mat_release(&Z);
	TRY(e);
	work_phase(work, "result");
	return work_recv_clusters(work, MSG_RESULT, all, work->job.clusters, label, work->n);
}
