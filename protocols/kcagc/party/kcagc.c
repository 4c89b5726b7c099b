/* The party's side of kCAGC. Symbols and line numbers are those of arXiv 2411.12329: X^l the slice,
 * k^ local clusters, k clusters, U a cluster, y a virtual node, mu a centre, Q iterations. */
#include "protocols/kcagc/party/kcagc.h"
#include "common/data/standard.h"
#include "common/base/alloc.h"
#include "common/cluster/kmeans.h"
#include "protocols/kcagc/columns.h"
#include "protocols/kcagc/job.h"
#include "protocols/kcagc/party/joint.h"
#include "protocols/kcagc/party/local.h"
#include "protocols/kcagc/party/model.h"
#include "protocols/kcagc/party/points.h"
#include "party/work/bound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct state {
	struct tree tree;
	/* n x d: the filtered, projected and scaled slice; for kmeans.columns, the columns. */
	struct points Z;
	uint8_t hash[SECAGG_HASH_LEN]; /* hash of the input of Z, if `hashed` */
	bool hashed;
	uint32_t *child; /* n: clusters of the last level; at first the party's own clusters */
	/* Centres of the clusters in `child` at this party, for virtual_nodes "centre". */
	struct mat centre;
	struct embedding how; /* parameters that made Z, for the model */
	struct mat last;      /* k x d: the centres of the last assignment */
	uint32_t *cell;       /* n: the cell of each node at this level */
	size_t m;
};

enum err party_standardize(struct work *work)
{
	bool standardized = kcagc_job(&work->job)->standardize != STANDARDIZE_NONE;

	/* the columns of sparse features have the same unit, so none dominates by its unit */
	if (standardized || work->features->is_sparse)
		standard_warn_zero(work->features);
	else
		standard_warn(work->features, work_columns(work), true);
	return standardized ? standard_features(work->features, work_columns(work)) : ERR_OK;
}

/* Runs Protocol 1: filters (lines 1-3) and projects (line 4). */
static enum err embed_slice(struct work *work, struct state *s)
{
	const struct tree_node *root = &s->tree.node[s->tree.count - 1];
	struct embed_params embedding;

	if (!work->workers)
		TRY(party_standardize(work));
	if (kcagc_job(&work->job)->filter_order == KCAGC_ORDER_AUTO)
		TRY(party_prepare_order(work, root));
	work_phase(work, "local");
	embedding = kcagc_embed_params(kcagc_job(&work->job), work->threads);
	TRY(local_embed(work, &embedding, &s->Z, &s->how, s->hash));
	s->hashed = !kcagc_job(&work->job)->joint_norm;
	if (kcagc_job(&work->job)->joint_norm) {
		/* With joint_norm, rows are scaled by their length over all parties. The default is
		 * the party's own length. */
		double *norm = alloc(work->n, sizeof(*norm)), *own = alloc(work->n, sizeof(*own));
		enum err e = points_norms(&s->Z, own);

		if (e == ERR_OK)
			e = party_prepare_norms(work, root, own, norm, &s->how.mean_norm);
		if (e == ERR_OK)
			e = points_scale(&s->Z, norm, s->how.mean_norm,
					 kcagc_job(&work->job)->row_power);
		free(own);
		free(norm);
		TRY(e);
	}
	return ERR_OK;
}

/* Clusters the rows of Z by k-means, and sends the clusters (Protocol 3 line 2). If there is one
 * party, it makes k clusters; otherwise each party makes k^. */
static enum err party_kcagc_local(struct work *work, struct state *s)
{
	struct kmeans_params p = { .k = work->L == 1 ? work->job.clusters
						     : kcagc_local_clusters(kcagc_job(&work->job)),
				   .restarts = kcagc_job(&work->job)->local_restarts,
				   .iterations = kcagc_job(&work->job)->iterations,
				   .ninth = true,
				   .seed = work->job.seed,
				   .threads = work->threads };

	TRY(local_clusters(work, &s->Z, &p, s->hashed ? s->hash : NULL, s->child, &s->centre));
	TRY(channel_send_labels(work->channel, MSG_LOCAL_CLUSTERS, (uint32_t)work->own,
				(uint32_t)p.k, s->child, work->n));
	return work_warm(work);
}

/* Checks the cells, which are intersections of the children's clusters. Each cell must have at
 * least min_cell nodes. If min_cell is 1, no cells were merged: then all nodes of a cell must be in
 * one of this party's clusters. Fills weight (m) with the cells' numbers of nodes. */
static enum err party_kcagc_check_cells(struct work *work, const struct state *s, double *weight)
{
	uint32_t *cluster = alloc(s->m, sizeof(*cluster));
	enum err e = ERR_OK;

	for (size_t i = 0; i < work->n && e == ERR_OK; i++) {
		uint32_t c = s->cell[i];

		if (c == s->m) {
			e = peer_fault(work->channel, "sent CELLS with node %zu in no cell", i);
			break;
		}
		if (weight[c]++ == 0)
			cluster[c] = s->child[i];
		else if (cluster[c] != s->child[i] && kcagc_job(&work->job)->min_cell == 1)
			e = peer_fault(work->channel,
				       "sent CELLS with nodes of clusters %u and %u in cell %u",
				       cluster[c], s->child[i], c);
	}
	for (size_t c = 0; c < s->m && e == ERR_OK; c++)
		if (weight[c] < kcagc_job(&work->job)->min_cell)
			e = peer_fault(work->channel,
				       "sent CELLS with %zu cells, of which cell %zu has %.0f "
				       "nodes, fewer than job.min_cell, %u",
				       s->m, c, weight[c], kcagc_job(&work->job)->min_cell);
	free(cluster);
	return e;
}

/* Protocol 3 lines 10-15: receives the cells of this tree node and computes this party's virtual
 * node y for each: the mean of its own rows over the cell, or (line 13) the centre of the cell's
 * cluster. */
static enum err virtual_nodes(struct work *work, struct state *s, const struct tree_node *node,
			      struct mat *Y, double **weight)
{
	bool mixed = kcagc_job(&work->job)->min_cell > 1;
	uint32_t m = (uint32_t)work->n;

	TRY(channel_recv_labels_upto(work->channel, MSG_CELLS, node->id, 1, &m, s->cell, work->n));
	s->m = m;
	ALLOC(*weight, m);
	TRY(party_kcagc_check_cells(work, s, *weight));
	mat_init(Y, m, s->Z.here.cols);
	if (kcagc_job(&work->job)->virtual_nodes == VIRTUAL_MEAN)
		return points_centres(&s->Z, NULL, s->cell, Y);
	/* Line 13. With min_cell a cell may lie in several clusters. Its virtual node is the mean
	 * of these clusters' centres over its nodes, because no number may stand for fewer than
	 * min_cell nodes. */
	for (size_t i = 0; i < work->n; i++) {
		const double *centre = ROW(&s->centre, s->child[i]);
		double *y = ROW(Y, s->cell[i]);

		for (size_t j = 0; j < Y->cols; j++)
			y[j] = mixed ? y[j] + centre[j] / (*weight)[s->cell[i]] : centre[j];
	}
	return ERR_OK;
}

/* Computes for each cell the mean squared distance of this party's rows to their mean. */
static enum err party_kcagc_scatter(const struct state *s, const struct joint *j, double *within)
{
	size_t m = s->m, n = s->Z.here.rows;
	double *norm = alloc(n, sizeof(*norm));
	struct mat mean;
	enum err e;

	mat_init(&mean, m, s->Z.here.cols);
	e = points_norms(&s->Z, norm);
	if (e == ERR_OK)
		e = points_centres(&s->Z, NULL, s->cell, &mean);
	for (size_t i = 0; e == ERR_OK && i < n; i++)
		within[s->cell[i]] += norm[i] * norm[i] / j->weight[s->cell[i]];
	for (size_t c = 0; e == ERR_OK && c < m; c++) {
		for (size_t d = 0; d < mean.cols; d++)
			within[c] -= MAT(&mean, c, d) * MAT(&mean, c, d);
		/* Rounding may make the number negative. */
		within[c] = within[c] > 0 ? within[c] : 0;
	}
	mat_release(&mean);
	free(norm);
	return e;
}

/* Sends one sum of products, on which the coordinator tries all k of a range. Sends no sum if there
 * are not more cells than the least k. Later messages are for the k that the coordinator chose. */
static enum err joint_range(struct work *work, const struct state *s, struct joint *j,
			    uint32_t *best)
{
	double *within = alloc(s->m, sizeof(*within));
	enum err e = ERR_OK;

	if (s->m > work->job.clusters_from) {
		e = party_kcagc_scatter(s, j, within);
		if (e == ERR_OK)
			e = party_joint_send_products(work, j, within);
	}
	free(within);
	TRY(e);
	TRY(party_take_clusters(work));
	j->K = work->job.clusters;
	return work_recv_clusters(work, MSG_CLUSTERS, j->node, j->K, best, j->Y->here.rows);
}

/* Runs one tree node (Protocol 3 lines 10-17). Afterwards child holds the node's clusters. */
static enum err party_kcagc_tree_level(struct work *work, struct state *s, size_t level)
{
	const struct tree_node *node = tree_node_of(&s->tree, work->own, level);
	bool root = level == s->tree.levels;
	struct mat Y = { 0 };
	struct points items;
	double *weight = NULL;
	struct joint j = { .node = node,
			   .Y = &items,
			   .K = root ? work->job.clusters
				     : kcagc_local_clusters(kcagc_job(&work->job)),
			   .Q = root ? kcagc_job(&work->job)->iterations
				     : kcagc_job(&work->job)->inner_iterations };
	uint32_t *best = NULL;
	enum err e;

	work_group(work, node);
	e = virtual_nodes(work, s, node, &Y, &weight);
	if (e != ERR_OK)
		goto out;
	items = points_local(&Y);
	j.weight = weight;
	j.R = root ? kcagc_starts(kcagc_job(&work->job), Y.rows)
		   : kcagc_inner_restarts(kcagc_job(&work->job));
	j.screen = root ? kcagc_screen(kcagc_job(&work->job), j.R) : 0;
	ALLOC(best, s->m);
	e = root && work->job.clusters_from ? joint_range(work, s, &j, best)
					    : party_joint_kmeans(work, &j, best);
	if (e != ERR_OK)
		goto out;
	mat_release(&s->centre);
	mat_init(&s->centre, j.K, Y.cols);
	kmeans_centres(&Y, weight, best, &s->centre);
	e = party_joint_keep_centres(&j, best, &s->last);
	for (size_t i = 0; i < work->n; i++)
		s->child[i] = best[s->cell[i]];
out:
	free(best);
	party_joint_release(&j);
	mat_release(&Y);
	free(weight);
	return e;
}

/* Runs Protocol 2, whose items are the nodes themselves. */
static enum err party_kcagc_basic(struct work *work, struct state *s)
{
	struct joint j = { .node = tree_node_of(&s->tree, work->own, 1),
			   .Y = &s->Z,
			   .K = work->job.clusters,
			   .R = kcagc_starts(kcagc_job(&work->job), work->n),
			   .Q = kcagc_job(&work->job)->iterations };
	enum err e;

	j.screen = kcagc_screen(kcagc_job(&work->job), j.R);
	work_phase(work, "joint");
	work_group(work, j.node);
	e = party_joint_kmeans(work, &j, s->child);
	if (e == ERR_OK)
		e = party_joint_keep_centres(&j, s->child, &s->last);
	party_joint_release(&j);
	return e;
}

/* Runs up to P Lloyd steps over all nodes from the root's clusters, until no row moves, with one
 * restart and no cells. Group and transcript are still those of the root, so members that received
 * different clusters cannot compute a sum. */
static enum err party_kcagc_polish(struct work *work, struct state *s)
{
	unsigned steps = kcagc_job(&work->job)->polish;
	const struct tree_node *root = &s->tree.node[s->tree.count - 1];
	bool moving = true;
	struct mat mu;
	struct joint j = { .node = root,
			   .Y = &s->Z,
			   .K = work->job.clusters,
			   .R = 1,
			   .mu = &mu,
			   .moving = &moving,
			   .before = &s->last,
			   .label = s->child };
	enum err e;

	work_phase(work, "polish");
	mat_init(&mu, j.K, s->Z.here.cols);
	e = points_centres(j.Y, NULL, j.label, &mu);
	for (unsigned p = 1; p <= steps && moving && e == ERR_OK; p++) {
		size_t moved;

		e = party_joint_send_distances(work, &j);
		if (e == ERR_OK)
			e = party_joint_update_centres(work, &j, p, &moved);
		if (e == ERR_OK)
			work_progress(work, p, moved);
	}
	mat_release(&mu);
	return e;
}

/* Unless the job gives the fraction bits of distances and inner products, sets them from a known
 * bound or from one that the parties agree on. */
static enum err party_kcagc_agree_words(struct work *work, const struct state *s)
{
	const struct tree_node *root = &s->tree.node[s->tree.count - 1];
	double most = kcagc_most(kcagc_job(&work->job), work->L, work->n), square;
	unsigned bits = work->job.modulus_bits;
	int bound;

	if (work->job.fraction_bits != JOB_AUTO)
		return ERR_OK;
	if (!most || fixed_fraction(bits, work->L, most) < KCAGC_FRACTION_LEAST) {
		work_phase(work, "bound");
		work_group(work, root);
		TRY(points_longest(&s->Z, &square));
		TRY(party_bound(work, root, square, &bound));
		most = ldexp(4, bound);
	}
	work->fraction = fixed_fraction(bits, work->L, most);
	return ERR_OK;
}

/* Runs Protocol 3 (tree, flat) or Protocol 2 (basic), then the polish steps and the result. */
static enum err party_kcagc_cluster(struct work *work, struct state *s, uint32_t *label)
{
	TRY(party_kcagc_agree_words(work, s));
	if (kcagc_job(&work->job)->method != METHOD_BASIC || work->L == 1)
		TRY(party_kcagc_local(work, s));
	if (kcagc_job(&work->job)->method == METHOD_BASIC && work->L > 1)
		TRY(party_kcagc_basic(work, s));
	else
		for (size_t level = 1; level <= s->tree.levels; level++) {
			char name[24];

			snprintf(name, sizeof(name), "level-%zu", level);
			work_phase(work, name);
			TRY(party_kcagc_tree_level(work, s, level));
		}
	if (kcagc_job(&work->job)->polish && kcagc_job(&work->job)->method != METHOD_BASIC)
		TRY(party_kcagc_polish(work, s));
	work_phase(work, "result");
	TRY(work_recv_clusters(work, MSG_RESULT, &s->tree.node[s->tree.count - 1],
			       work->job.clusters, label, work->n));
	if (memcmp(label, s->child, work->n * sizeof(*label)) != 0)
		return peer_fault(
		    work->channel,
		    "sent a RESULT that is not what its last assignment made of the nodes");
	return ERR_OK;
}

static void open_state(const struct work *work, struct state *s)
{
	*s = (struct state){ 0 };
	tree_build(&s->tree, work->L, job_is_flat(&work->job));
	ALLOC(s->child, work->n);
	ALLOC(s->cell, work->n);
}

static void close_state(struct state *s)
{
	points_release(&s->Z);
	mat_release(&s->centre);
	mat_release(&s->last);
	embedding_release(&s->how);
	free(s->child);
	free(s->cell);
}

enum err party_kcagc(struct work *work, uint32_t *label)
{
	struct model *model;
	struct state s;
	enum err e;

	open_state(work, &s);
	e = embed_slice(work, &s);
	if (e == ERR_OK)
		e = party_kcagc_cluster(work, &s, label);
	if (e == ERR_OK) {
		model = kcagc_party(work)->model = model_new(work);
		/* If min_cell is above 1, sums over single nodes are forbidden, and so are
		 * predictions. A model does not store means and deviations of columns. If there is
		 * one party and no polish step, the model has the centres of the party's own
		 * k-means. */
		if (kcagc_job(&work->job)->min_cell == 1 &&
		    kcagc_job(&work->job)->standardize == STANDARDIZE_NONE)
			model_fill(model, &s.how, s.last.a ? &s.last : &s.centre, label, work->n);
	}
	close_state(&s);
	return e;
}

enum err party_kmeans_columns(struct work *work, uint32_t *label)
{
	size_t columns = features_cols(work->features);
	struct standard_by by = { 0 };
	struct model *model;
	struct state s;
	enum err e;

	open_state(work, &s);
	work_phase(work, "local");
	if (kcagc_job(&work->job)->standardize == STANDARDIZE_NONE)
		standard_warn(work->features, work_columns(work), true);
	e = columns_points(work->features, kcagc_job(&work->job)->standardize != STANDARDIZE_NONE,
			   work_columns(work), &s.Z.here, &by);
	if (e == ERR_OK && s.Z.here.cols < columns)
		facts_number(&work->record->facts, "columns_left_out",
			     (double)(columns - s.Z.here.cols));
	if (e == ERR_OK)
		e = party_kcagc_cluster(work, &s, label);
	if (e == ERR_OK) {
		model = kcagc_party(work)->model = model_new(work);
		if (kcagc_job(&work->job)->min_cell == 1)
			model_fill_columns(model, &by, columns, s.last.a ? &s.last : &s.centre,
					   label, work->n);
	}
	standard_by_release(&by);
	close_state(&s);
	return e;
}
