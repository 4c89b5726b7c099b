#include "party/daemon/accept.h"
#include "common/base/alloc.h"
#include "common/base/config.h"
#include "common/data/dataset.h"
#include "crypto/hash.h"

#include <stdio.h>
#include <string.h>

/* Takes the offer apart: who takes part, rising names with this party among them. */
static enum err read_names(struct work *work, const char *own, const struct msg_offer *o)
{
	work->L = o->parties;
	work->own = work->L;
	if (work->L < 1)
		return err_set(ERR_PEER, "the offer names no parties");
	for (size_t l = 0; l < work->L; l++) {
		memcpy(work->name[l], o->names[l].p, o->names[l].n);
		work->name[l][o->names[l].n] = 0;
		if (config_check_name(work->name[l]) ||
		    (l && strcmp(work->name[l - 1], work->name[l]) >= 0))
			return err_set(ERR_PEER,
				       "the offer's parties are not rising names (party %zu)", l);
		if (strcmp(work->name[l], own) == 0)
			work->own = l;
	}
	if (work->own == work->L)
		return err_set(ERR_PEER, "the offer does not name this party, %s", own);
	return ERR_OK;
}

/* The offer's job in full, and the hash of parties and parameters that goes into every key. */
enum err accept_read_offer(struct work *work, const char *own, const struct msg_offer *o,
			   uint8_t params_hash[static SHA256_LEN])
{
	struct buf text = { 0 };
	struct sha256 *h;

	memcpy(work->job_id, o->job_id, JOB_ID_LEN);
	work->attempt = o->attempt;
	TRY(read_names(work, own, o));
	if (job_parse(&work->job, o->job, "offer", NULL) != ERR_OK)
		return err_set(ERR_PEER, "%s", err_detail());
	job_write(&work->job, &text);
	h = sha256_new();
	sha256_add_text(h, "coterie parameters v1");
	sha256_add_u64(h, text.n);
	sha256_add(h, text.p, text.n);
	for (size_t l = 0; l < work->L; l++)
		sha256_add_text(h, work->name[l]);
	sha256_end(h, params_hash);
	memcpy(work->params_hash, params_hash, sizeof(work->params_hash));
	buf_release(&text);
	return ERR_OK;
}

static void feed(void *hash, const void *p, size_t n)
{
	sha256_add(hash, p, n);
}

/* Hashes of the sorted ids and edges, salted with the job so that they cannot be linked across
 * jobs. */
static void fingerprints(const struct work *work, const struct dataset *d, struct msg_accept *a)
{
	struct sha256 *ids = sha256_new(), *edges = sha256_new();

	sha256_add(ids, work->job_id, JOB_ID_LEN);
	sha256_add_text(ids, "ids");
	dataset_feed_ids(d, feed, ids);
	sha256_end(ids, a->ids_hash);
	sha256_add(edges, work->job_id, JOB_ID_LEN);
	sha256_add_text(edges, "edges");
	if (work->job.graphs == GRAPHS_SHARED)
		dataset_feed_edges(d, feed, edges);
	sha256_end(edges, a->edges_hash);
}

/* What the coordinator compares: nodes and graphs, or the columns of rows of which it learns only
 * how many all parties have together. Nodes with ids of their own are agreed on later. */
static void describe_data(const struct work *work, const struct dataset *d, struct msg_accept *a)
{
	switch (work->job.kind) {
	case JOB_FEDSC:
	case JOB_KMEANS:
		a->columns = (uint32_t)features_cols(&d->X);
		break;
	case JOB_FEDSPECTRAL:
	case JOB_FEDWALK:
		break;
	case JOB_FEDGCN:
		a->columns = (uint32_t)work->graphs->attribute.cols;
		break;
	default:
		a->rows = d->n;
		fingerprints(work, d, a);
	}
}

enum err accept_say(struct work *work, const struct dataset *d)
{
	struct msg m = { .type = MSG_ACCEPT };
	struct buf text = { 0 };

	job_write(&work->job, &text);
	sha256_of(text.p, text.n, m.accept.job_hash);
	buf_release(&text);
	describe_data(work, d, &m.accept);
	return channel_send(work->channel, &m);
}

static enum err check_graphs(const struct work *work, const struct job_means *means)
{
	const struct graphs *g = &means->tu->graphs;
	const char *name = means->config->common.name;

	if (g->count < work->job.clusters)
		return err_set(ERR_INPUT, "%s has %zu graphs, expected at least job.clusters, %u",
			       name, g->count, work->job.clusters);
	if (work->job.graph_features != GRAPH_STRUCTURE && g->attribute.cols < 2)
		return err_set(ERR_INPUT,
			       "%s has graphs with %zu attributes of a node, expected at least 2, "
			       "coordinates, with job.features \"%s\"",
			       name, g->attribute.cols,
			       job_graph_features_names[work->job.graph_features]);
	return ERR_OK;
}

/* The job's kind needs data that this party's configuration may not have. */
enum err accept_check_data(const struct work *work, const struct job_means *means)
{
	enum job_kind kind = work->job.kind;
	bool rows = kind == JOB_FEDSC || kind == JOB_KMEANS;
	bool features = kind != JOB_FEDSPECTRAL && kind != JOB_FEDWALK, edges = !rows;
	bool vertices = kind == JOB_FEDWALK;
	const char *missing = kind == JOB_FEDGCN ? !means->config->data.graphs ? "graphs" : NULL
			      : features && !means->config->data.features ? "features"
			      : edges && !means->config->data.edges       ? "edges"
			      : vertices && !means->config->data.vertices ? "vertices"
									  : NULL;

	if (missing)
		return err_set(ERR_INPUT, "%s has no data.%s, which a job of kind %s needs",
			       means->config->common.name, missing, job_kind_name(&work->job));
	if (rows && means->dataset->n < 2)
		return err_set(
		    ERR_INPUT, "%s has %zu row, expected at least 2 with a job of kind %s",
		    means->config->common.name, means->dataset->n, job_kind_name(&work->job));
	return kind == JOB_FEDGCN ? check_graphs(work, means) : ERR_OK;
}
