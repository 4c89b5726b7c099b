#include "protocols/kcagc/party/kcagc.h"
#include "common/job/kinds.h"
#include "common/base/alloc.h"
#include "common/data/dataset.h"
#include "protocols/kcagc/job.h"
#include "crypto/hash.h"
#include "crypto/hmac.h"
#include "protocols/kcagc/party/model.h"
#include "party/ranks/workers.h"

#include <stdlib.h>
#include <string.h>

struct kcagc_party *kcagc_party(struct work *work)
{
	struct kcagc_party *mine;

	if (!work->protocol) {
		ALLOC(mine, 1);
		work->protocol = mine;
	}
	return work->protocol;
}

static struct party_sums party_kcagc_sums(const struct work *work)
{
	const struct job *job = &work->job;
	struct party_sums s = { work->L, "method", kcagc_method_names[kcagc_job(job)->method],
				"; the other methods sum over all parties" };
	struct tree t;

	tree_build(&t, work->L, job_is_flat(job));
	for (size_t i = t.parties; i < t.count; i++)
		if (t.node[i].last - t.node[i].first < s.least)
			s.least = t.node[i].last - t.node[i].first;
	return s;
}

/* Checks a name against the policy's list `allowed`. what: "method" or "exchange". */
static enum err check_named(const struct party_config *config, const struct config_strings *allowed,
			    const char *what, const char *name)
{
	if (!allowed->count || config_strings_has(allowed, name))
		return ERR_OK;
	return err_set(ERR_PEER, "the offered %s is %s, which policy.%ss of %s does not name", what,
		       name, what, config->common.name);
}

/* Checks `least` against policy.min_cell. `least` is the smallest number of nodes behind a number
 * of the job: the nodes of a cell, or one node in a prediction. */
static enum err party_kcagc_allow_cells(const struct party_config *config, const struct job *job,
					unsigned least)
{
	if (least >= config->policy.min_cell)
		return ERR_OK;
	return err_set(ERR_PEER,
		       "the offered job of kind %s has cells of %u nodes (job.min_cell), "
		       "policy.min_cell of %s is %u",
		       job->kind->name, least, config->common.name, config->policy.min_cell);
}

static enum err party_kcagc_allow(const struct party_config *config, const struct work *work)
{
	const struct kcagc_job *job = kcagc_job(&work->job);

	TRY(check_named(config, &config->policy.methods, "method",
			kcagc_method_names[job->method]));
	TRY(check_named(config, &config->policy.exchanges, "exchange",
			kcagc_exchange_names[job->exchange]));
	return party_kcagc_allow_cells(config, &work->job, job->min_cell);
}

static enum err allow_predict(const struct party_config *config, const struct work *work)
{
	return party_kcagc_allow_cells(config, &work->job, 1);
}

static const char *party_kcagc_off_ranks(const struct work *work)
{
	const struct kcagc_job *job = kcagc_job(&work->job);

	if (job->align != ALIGN_SAME)
		return "it matches rows (align)";
	if (job->filter_kind != FILTER_HALF)
		return "its filter is not the half one (filter.kind)";
	return job->standardize == STANDARDIZE_NONE ? NULL
						    : "it standardizes columns (standardize)";
}

static const char *predict_off_ranks(const struct work *work)
{
	return kcagc_job(&work->job)->align == ALIGN_SAME ? NULL : "it matches rows (align)";
}

static void party_kcagc_feed_hash(void *hash, const void *p, size_t n)
{
	sha256_add(hash, p, n);
}

/* Fills ACCEPT with the number of rows, and hashes of the sorted ids and edges. The hashes are
 * salted with the job, so that they cannot be linked across jobs. */
static enum err party_kcagc_describe(const struct work *work, struct msg_accept *a)
{
	const struct dataset *d = work->dataset;
	struct sha256 *ids = sha256_new(), *edges = sha256_new();
	enum err e = ERR_OK;

	a->rows = d->n;
	sha256_add(ids, work->job_id, JOB_ID_LEN);
	sha256_add_text(ids, "ids");
	dataset_feed_ids(d, party_kcagc_feed_hash, ids);
	sha256_end(ids, a->ids_hash);
	sha256_add(edges, work->job_id, JOB_ID_LEN);
	sha256_add_text(edges, "edges");
	if (kcagc_job(&work->job)->graphs == GRAPHS_SHARED && work->workers)
		e = workers_feed_edges(work->workers, party_kcagc_feed_hash, edges);
	else if (kcagc_job(&work->job)->graphs == GRAPHS_SHARED)
		dataset_feed_edges(d, party_kcagc_feed_hash, edges);
	sha256_end(edges, a->edges_hash);
	return e;
}

static void feed_keyed(void *hmac, const void *p, size_t n)
{
	hmac_add(hmac, p, n);
}

/* Compares the graphs after rows are matched; before the match this is impossible. Parties seal
 * hashes for each other, so the coordinator, which relays them, cannot read them. */
static enum err compare_cut_graphs(struct work *work)
{
	uint8_t shown[PARTIES_MAX][SECAGG_HASH_LEN];
	struct buf others = { 0 };
	struct hmac *h;
	enum err e = ERR_OK;

	if (!kcagc_compares_later(kcagc_job(&work->job)))
		return ERR_OK;
	h = hmac_new((struct bytes){ work->group_key, SECAGG_HASH_LEN });
	dataset_feed_edges(work->dataset, feed_keyed, h);
	hmac_end(h, shown[work->own]);
	hmac_free(h);
	TRY(work_show_all(work, SEALED_GRAPH, shown));
	for (size_t l = 0; l < work->L; l++)
		if (memcmp(shown[l], shown[work->own], SECAGG_HASH_LEN) != 0)
			buf_printf(&others, "%s%s", others.n ? ", " : "", work->name[l]);
	if (others.n) {
		work->ending = ENDING_GRAPHS;
		e = err_set(ERR_PEER,
			    "between the nodes that all parties have, %s has other edges than %.*s "
			    "(set graphs to \"own\" in the job if that is meant)",
			    work->name[work->own], (int)others.n, (const char *)others.p);
	}
	buf_release(&others);
	return e;
}

static enum err party_kcagc_begin(struct work *work, uint32_t *label)
{
	TRY(compare_cut_graphs(work));
	return kcagc_job(&work->job)->method == METHOD_LANDMARK ? party_landmark_begin(work, label)
								: ERR_OK;
}

static enum err begin_predict(struct work *work, uint32_t *label)
{
	(void)label;
	return compare_cut_graphs(work);
}

static enum err party_kcagc_run_method(struct work *work, uint32_t *label)
{
	if (kcagc_job(&work->job)->method == METHOD_LANDMARK)
		return party_landmark(work, label);
	if (kcagc_job(&work->job)->method == METHOD_GCC)
		return party_gcc(work, label);
	return party_kcagc(work, label);
}

/* Keeps the labels, and the model for kcagc.predict. After a run without centres, the model cannot
 * predict. */
static enum err party_kcagc_keep_labels(struct work *work, const uint32_t *label)
{
	struct kcagc_party *mine = kcagc_party(work);

	TRY(party_keep_labels(work, label));
	if (work->graph->adjacency.start && !work->workers)
		record_modularity(work->record, modularity(work->graph, label, work->job.clusters),
				  kcagc_communities(kcagc_job(&work->job)));
	if (!mine->model)
		mine->model = model_new(work);
	return model_keep(mine->model, work->state);
}

/* Removes the model, since no model may remain after a failed run. */
static void party_kcagc_forget_model(struct work *work)
{
	model_forget(work->state, work->job_id);
}

static void party_kcagc_release_pieces(struct work *work)
{
	struct kcagc_party *mine = work->protocol;

	if (!mine)
		return;
	answers_free(mine->begun);
	model_free(mine->model);
	free(mine);
	work->protocol = NULL;
}

#define ACCEPT_NODES ", number of nodes, salted hashes of ids and edges"

#define ACCEPT_ROWS ", number of rows, salted hash of ids"

const struct party_kind party_kind_kcagc = {
	.sums = party_kcagc_sums,
	.allow = party_kcagc_allow,
	.accept = ACCEPT_NODES,
	.off_ranks = party_kcagc_off_ranks,
	.describe = party_kcagc_describe,
	.begin = party_kcagc_begin,
	.run = party_kcagc_run_method,
	.keep = party_kcagc_keep_labels,
	.forget = party_kcagc_forget_model,
	.release = party_kcagc_release_pieces,
};

const struct party_kind party_kind_kcagc_predict = {
	.allow = allow_predict,
	.accept = ACCEPT_NODES,
	.off_ranks = predict_off_ranks,
	.check_data = predict_prepare,
	.describe = party_kcagc_describe,
	.begin = begin_predict,
	.run = party_predict,
	.keep = party_keep_labels,
	.release = party_kcagc_release_pieces,
};

const struct party_kind party_kind_kmeans_columns = {
	.sums = party_kcagc_sums,
	.allow = party_kcagc_allow,
	.accept = ACCEPT_ROWS,
	.describe = party_kcagc_describe,
	.run = party_kmeans_columns,
	.keep = party_kcagc_keep_labels,
	.forget = party_kcagc_forget_model,
	.release = party_kcagc_release_pieces,
};

const struct party_kind party_kind_kmeans_columns_predict = {
	.allow = allow_predict,
	.accept = ACCEPT_ROWS,
	.check_data = predict_prepare,
	.describe = party_kcagc_describe,
	.run = party_predict,
	.keep = party_keep_labels,
	.release = party_kcagc_release_pieces,
};
