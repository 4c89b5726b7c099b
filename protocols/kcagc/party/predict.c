/* The party's side of prediction: its part of the squared distances of all nodes to the k centres
 * of an earlier run. */
#include "protocols/kcagc/party/kcagc.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "protocols/kcagc/columns.h"
#include "protocols/kcagc/job.h"
#include "common/linalg/distance.h"
#include "protocols/kcagc/party/local.h"
#include "protocols/kcagc/party/model.h"
#include "protocols/kcagc/party/points.h"
#include "party/work/bound.h"
#include "party/work/secure.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Checks that the parties are those of the run. If a party's part is missing from a sum, or another
 * party's part is in it, the sum is not a distance of that run. */
static enum err party_predict_check_parties(const struct model *m, const struct work *work)
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

static const char *party_predict_kind_of(const struct model *m)
{
	return model_is_of_columns(m) ? kind_kmeans_columns.name : kind_kcagc.name;
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
		    "landmark and polish, without standardize and degrees",
		    kcagc_method_names[m->method]);
	TRY(party_predict_check_parties(m, work));
	if (model_is_of_columns(m) != (job->kind == &kind_kmeans_columns_predict))
		return err_set(ERR_INPUT,
			       "job.kind is %s, and the run of job.model was of kind %s: expected "
			       "%s.predict",
			       job->kind->name, party_predict_kind_of(m), party_predict_kind_of(m));
	if (m->clusters != job->clusters)
		return err_set(ERR_INPUT,
			       "job.clusters is %u, the run of job.model had %u: expected the same",
			       job->clusters, m->clusters);
	if (m->place.map.a && !kcagc_job(job)->joint_norm)
		return err_set(ERR_INPUT, "job.joint_norm is false, and the run of job.model was "
					  "of method landmark, whose "
					  "rows have length 1 over all parties: expected true");
	if (m->joint_norm != kcagc_job(job)->joint_norm)
		return err_set(ERR_INPUT,
			       "job.joint_norm is %s, in the run of job.model it was %s: expected "
			       "the same",
			       kcagc_job(job)->joint_norm ? "true" : "false",
			       m->joint_norm ? "true" : "false");
	if (job->fraction_bits != JOB_AUTO && m->fraction_bits > job->fraction_bits)
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

	TRY(model_find(work->state, kcagc_job(&work->job)->model, &m));
	e = check_model(m, work);
	if (e != ERR_OK) {
		model_free(m);
		return e;
	}
	kcagc_party(work)->model = m;
	return ERR_OK;
}

static const struct model *predict_model(const struct work *work)
{
	return ((const struct kcagc_party *)work->protocol)->model;
}

/* Warns about nodes without edges, because the filter adds nothing to their features. */
static void warn_of_lonely(const struct csr *g)
{
	size_t lonely = 0;

	for (size_t i = 0; i < g->rows; i++)
		lonely += g->start[i] == g->start[i + 1];
	if (lonely)
		log_warn("%zu of %zu nodes have no edge: the filter has no effect on them, and "
			 "their features alone decide",
			 lonely, g->rows);
}

/* Embeds new rows by lines 1-4 of Protocol 1, or prepares new columns, with the parameters of the
 * run. */
static enum err party_predict_place(struct work *work, const struct tree_node *all,
				    struct points *Z)
{
	const struct embedding *how = &predict_model(work)->how;
	double *norm, *own, mean_of_these;
	enum err e;

	if (model_is_of_columns(predict_model(work))) {
		columns_again(work->features, &predict_model(work)->by, &Z->here);
		return ERR_OK;
	}
	if (work->workers) {
		TRY(workers_embed_again(work->workers, how));
		*Z = points_distributed(work->workers);
	} else {
		TRY(embed_again(work->features, work->graph, how, work->threads, &Z->here));
	}
	if (!kcagc_job(&work->job)->joint_norm)
		return ERR_OK;
	ALLOC(norm, work->n);
	ALLOC(own, work->n);
	e = points_norms(Z, own);
	if (e == ERR_OK)
		e = party_prepare_norms(work, all, own, norm, &mean_of_these);
	if (e == ERR_OK)
		e = points_scale(Z, norm, how->mean_norm, how->row_power);
	free(own);
	free(norm);
	return e;
}

/* Unless the job gives the fraction bits, agrees on a bound 2^e of squared lengths, and sets *away
 * to 2^e (otherwise 1). Squared distances of rows to centres are then at most 4 2^e over all
 * parties, and put_empty_clusters() adds *away at each party. With landmark (Z is NULL), joint rows
 * have length at most 1, so each party proposes 1. */
static enum err party_predict_agree_words(struct work *work, const struct tree_node *all,
					  const struct points *Z, double *away)
{
	const struct mat *mu = &predict_model(work)->centre;
	double rows = 1, centres = 1;
	int bound;

	*away = 1;
	if (work->job.fraction_bits != JOB_AUTO)
		return ERR_OK;
	if (Z) {
		struct points of_centres = points_local(mu);

		TRY(points_longest(Z, &rows));
		TRY(points_longest(&of_centres, &centres));
	}
	TRY(party_bound(work, all, fmax(rows, centres), &bound));
	*away = ldexp(1, bound);
	work->fraction =
	    fixed_fraction(work->job.modulus_bits, work->L, (4 + (double)work->L) * *away);
	return ERR_OK;
}

/* An empty cluster has no centre. Its distances become the distances to the first non-empty cluster
 * plus `away`. All parties do this, so the sums have this property too and disclose nothing
 * more. */
static void put_empty_clusters(const uint64_t *size, size_t k, double away, double *D, size_t rows)
{
	size_t first = 0;

	while (first < k && !size[first])
		first++;
	assert(first < k);
	for (size_t i = 0; i < rows; i++)
		for (size_t r = 0; r < k; r++)
			if (!size[r])
				D[i * k + r] = D[i * k + first] + away;
}

/* Sends sums of k numbers for each row, in groups of `step` rows. The last group has the remaining
 * rows. */
struct sums {
	struct work *work;
	const struct tree_node *all;
	size_t n, k, step, row; /* row: index of the next row */
	double away;
	struct secure *open;
};

/* Adds distances of whole rows to the sums. */
static enum err party_predict_add_rows(void *arg, const double *distances, size_t count)
{
	struct sums *s = arg;
	double *D = alloc(count, sizeof(*D));
	size_t rows = count / s->k, done = 0;
	enum err e = ERR_OK;

	memcpy(D, distances, count * sizeof(*D));
	put_empty_clusters(predict_model(s->work)->size, s->k, s->away, D, rows);
	while (done < rows && e == ERR_OK) {
		size_t at = s->row % s->step, left = s->n - (s->row - at);
		size_t size = left < s->step ? left : s->step;
		size_t next = rows - done < size - at ? rows - done : size - at;

		if (at == 0)
			e = secure_begin(s->work, s->all, size * s->k, false, &s->open);
		if (e == ERR_OK)
			e = secure_add(s->open, D + done * s->k, next * s->k);
		if (e == ERR_OK && at + next == size) {
			e = secure_end(s->open);
			secure_free(s->open);
			s->open = NULL;
		}
		s->row += next;
		done += next;
	}
	free(D);
	return e;
}

/* Landmark projection: sends this party's part of all distances. norm: joint lengths of the
 * rows. */
static enum err send_placed(struct sums *s, const double *norm)
{
	struct work *work = s->work;
	const struct placing *p = &predict_model(work)->place;
	struct mat D;
	enum err e;

	if (work->workers)
		return workers_place(work->workers, p, norm, party_predict_add_rows, s);
	TRY(placing_distances(p, work->features, work->graph, norm, work->threads, &D));
	e = party_predict_add_rows(s, D.a, D.rows * s->k);
	mat_release(&D);
	return e;
}

static enum err send_by_means(struct sums *s)
{
	struct work *work = s->work;
	const struct placing *p = &predict_model(work)->place;
	double *norm = alloc(work->n, sizeof(*norm)), *own = alloc(work->n, sizeof(*own)), mean;
	enum err e = work->workers ? workers_place_weigh(work->workers, p, own)
				   : placing_weigh(p, work->features, own);

	if (e == ERR_OK)
		e = party_prepare_norms(work, s->all, own, norm, &mean);
	if (e == ERR_OK) {
		work_phase(work, "predict");
		e = party_predict_agree_words(work, s->all, NULL, &s->away);
	}
	if (e == ERR_OK)
		e = send_placed(s, norm);
	free(own);
	free(norm);
	return e;
}

/* Adds distances block by block. Wherever blocks are computed, they start at multiples of the block
 * size, as distance_block() requires. */
static enum err send_distances(const struct points *Z, const struct mat *mu, struct sums *s)
{
	struct distance to;
	double *D;
	enum err e = ERR_OK;

	if (Z->workers)
		return workers_distances(Z->workers, mu, party_predict_add_rows, s);
	distance_init(&to, mu->rows, mu->cols);
	distance_set(&to, mu->a);
	ALLOC(D, DISTANCE_ROWS * mu->rows);
	for (size_t i = 0; i < Z->here.rows && e == ERR_OK; i += DISTANCE_ROWS) {
		size_t rows = distance_count(Z->here.rows, i);

		distance_block(&to, ROW(&Z->here, i), rows, D);
		e = party_predict_add_rows(s, D, rows * mu->rows);
	}
	free(D);
	distance_release(&to);
	return e;
}

enum err party_predict(struct work *work, uint32_t *label)
{
	const struct mat *mu = &predict_model(work)->centre;
	size_t k = predict_model(work)->clusters;
	struct sums s = { .work = work, .k = k, .step = predict_rows(k), .n = work->n };
	struct points Z = { 0 };
	struct tree tree;
	bool by_means = predict_model(work)->place.map.a;
	enum err e;

	tree_build(&tree, work->L, job_is_flat(&work->job));
	s.all = &tree.node[tree.count - 1];
	work_group(work, s.all);
	work_phase(work, "local");
	if (!work->workers && !model_is_of_columns(predict_model(work)))
		warn_of_lonely(&work->graph->adjacency);
	e = by_means ? send_by_means(&s) : party_predict_place(work, s.all, &Z);
	if (e == ERR_OK && !by_means) {
		work_phase(work, "predict");
		e = party_predict_agree_words(work, s.all, &Z, &s.away);
		if (e == ERR_OK)
			e = send_distances(&Z, mu, &s);
	}
	secure_free(s.open);
	points_release(&Z);
	TRY(e);
	work_phase(work, "result");
	return work_recv_clusters(work, MSG_RESULT, s.all, work->job.clusters, label, work->n);
}
