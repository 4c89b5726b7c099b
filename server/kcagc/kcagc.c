/* The coordinator's half of kCAGC. Symbols and line numbers are those of arXiv 2411.12329: k^ local
 * clusters, k clusters, L parties, C the cells (intersections), D summed squared distances. */
#include "server/kcagc/kcagc.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/kcagc/order.h"
#include "common/cluster/kmeans.h"
#include "server/kcagc/cells.h"
#include "server/kcagc/joint.h"
#include "server/kcagc/plan.h"
#include "server/run/sum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct state {
	struct tree tree;
	uint32_t *
	    label[TREE_NODES_MAX]; /* n each: a tree node's clusters, while its parent needs them */
	uint64_t round[TREE_NODES_MAX]; /* each group's next secure-sum round */
};

static const struct tree_node *root_of(const struct state *s)
{
	return &s->tree.node[s->tree.count - 1];
}

enum err server_prepare_order(struct run *run, const struct tree_node *root, uint64_t *round)
{
	double intra[ORDER_CAP];
	unsigned order = 0;

	run_phase(run, "order");
	for (size_t known = ORDER_BLOCK; !order; known += ORDER_BLOCK) {
		TRY(secure_sum_wide(run, root, round, intra + known - ORDER_BLOCK, ORDER_BLOCK));
		TRY(order_decide(intra, known, &order));
		for (size_t l = 0; l < run->L; l++)
			TRY(channel_send_choice(run->channel[l], CHOICE_ORDER, order));
		run_progress(run, (unsigned)(known / ORDER_BLOCK), known);
	}
	log_info("filter.order \"auto\" is %u", order);
	run->job.kcagc.filter_order = run->record->order = order;
	return ERR_OK;
}

enum err server_prepare_norms(struct run *run, const struct tree_node *root, uint64_t *round)
{
	double *norm = alloc(run->n, sizeof(*norm));
	enum err e;

	run_phase(run, "norms");
	e = secure_sum_wide(run, root, round, norm, run->n);
	for (size_t i = 0; i < run->n; i++)
		norm[i] = sqrt(fmax(norm[i], 0));
	if (e == ERR_OK)
		e = channel_send_reals_all(run->channel, run->L, MSG_MATRIX, root->id, norm,
					   run->n);
	free(norm);
	return e;
}

/* Protocol 3 line 2: every party's local clusters. */
static enum err gather_local(struct run *run, struct state *s)
{
	uint32_t k = run->L == 1 ? run->job.clusters : kcagc_local_clusters(&run->job.kcagc);

	run_phase(run, "local");
	for (size_t l = 0; l < run->L; l++) {
		ALLOC(s->label[l], run->n);
		TRY(channel_recv_labels(run->channel[l], MSG_LOCAL_CLUSTERS, (uint32_t)l, k,
					s->label[l], run->n));
		for (size_t i = 0; i < run->n; i++)
			if (s->label[l][i] == k)
				return peer_fault(
				    run->channel[l],
				    "sent LOCAL_CLUSTERS with node %zu in none of %u clusters", i,
				    k);
	}
	return ERR_OK;
}

/* The joint k-means of one node: many starts at the root, of which the best go on; inner nodes,
 * whose clusters are only cut up further, get along with few. */
static void open_joint(const struct run *run, struct state *s, const struct tree_node *node,
		       size_t m, unsigned K, const double *weight, struct joint *j)
{
	bool root = node == root_of(s);

	joint_init(j, node, &s->round[node->id], m, K,
		   root ? kcagc_starts(&run->job.kcagc, m) : kcagc_inner_restarts(&run->job.kcagc),
		   root ? run->job.kcagc.iterations : run->job.kcagc.inner_iterations, weight);
	if (root) {
		j->keep = run->job.kcagc.restarts;
		j->screen = kcagc_screen(&run->job.kcagc, j->R);
	}
}

/* Protocol 3 lines 4-10 for one tree node: cells, none of fewer than min_cell nodes, to the
 * members, and the starts of all restarts, which with gram no member needs. */
static enum err open_node(struct run *run, struct state *s, const struct tree_node *node,
			  uint32_t *cell, double **weight, struct joint *j)
{
	bool root = node == root_of(s);
	unsigned K = root ? run->job.clusters : kcagc_local_clusters(&run->job.kcagc);
	const uint32_t *child[PARTIES_MAX];
	uint32_t *tuple;
	size_t all, m;
	enum err e = ERR_OK;

	for (size_t c = 0; c < node->children; c++)
		child[c] = s->label[node->child + c];
	all = m = cells_intersect(child, node->children, run->n, cell);
	if (run->job.kcagc.min_cell > 1)
		m = cells_merge(cell, run->n, all, child[0], run->job.kcagc.min_cell);
	if (!m)
		return err_set(ERR_JOB, "%zu nodes cannot make a cell of job.min_cell, %u", run->n,
			       run->job.kcagc.min_cell);
	ALLOC(*weight, m);
	cells_sizes(cell, run->n, m, *weight);
	open_joint(run, s, node, m, K, *weight, j);
	j->merged = all - m;
	TRY(run_broadcast_labels(run, node->first, node->last, MSG_CELLS, node->id, (uint32_t)m,
				 cell, run->n));
	if (joint_is_trivial(j))
		return ERR_OK;
	tuple = cells_tuples(child, node->children, cell, run->n, m);
	starts_spread(j->label, m, K, j->R, *weight, tuple, node->children, run->job.seed,
		      node->id);
	free(tuple);
	if (run->job.kcagc.exchange == EXCHANGE_DISTANCES)
		e = run_broadcast_labels(run, node->first, node->last, MSG_STARTS, node->id, K,
					 j->label, (size_t)j->R * m);
	return e;
}

/* All tree nodes of one level, in lock step. */
static enum err tree_level(struct run *run, struct state *s, size_t level)
{
	const struct tree_node *first = NULL;
	struct joint *j;
	uint32_t **cell;
	double **weight;
	size_t groups = 0;
	enum err e = ERR_OK;

	for (size_t i = 0; i < s->tree.count; i++)
		if (s->tree.node[i].level == level && groups++ == 0)
			first = &s->tree.node[i];
	ALLOC(j, groups);
	ALLOC(cell, groups);
	ALLOC(weight, groups);
	for (size_t g = 0; g < groups && e == ERR_OK; g++) {
		ALLOC(cell[g], run->n);
		e = open_node(run, s, &first[g], cell[g], &weight[g], &j[g]);
	}
	if (e == ERR_OK)
		e = run->job.kcagc.exchange == EXCHANGE_GRAM ? gram_kmeans(run, j, groups)
							     : joint_kmeans(run, j, groups);
	for (size_t g = 0; g < groups; g++) {
		uint32_t **made = &s->label[first[g].id], **child = &s->label[first[g].child];

		/* Line 17: each node gets the cluster of its cell. */
		if (e == ERR_OK)
			ALLOC(*made, run->n);
		for (size_t i = 0; e == ERR_OK && i < run->n; i++)
			(*made)[i] = j[g].best[cell[g][i]];
		for (size_t c = 0; e == ERR_OK && c < first[g].children; c++) {
			free(child[c]);
			child[c] = NULL;
		}
		joint_release(&j[g]);
		free(cell[g]);
		free(weight[g]);
	}
	free(j);
	free(cell);
	free(weight);
	return e;
}

/* Protocol 2: the items are the nodes themselves. */
static enum err basic(struct run *run, struct state *s)
{
	const struct tree_node *root = root_of(s);
	struct joint j;
	enum err e = ERR_OK;

	run_phase(run, "joint");
	open_joint(run, s, root, run->n, run->job.clusters, NULL, &j);
	if (!joint_is_trivial(&j)) {
		starts_uniform(j.label, j.m, j.K, j.R, run->job.seed, root->id);
		e = run_broadcast_labels(run, root->first, root->last, MSG_STARTS, root->id, j.K,
					 j.label, (size_t)j.R * j.m);
	}
	if (e == ERR_OK)
		e = joint_kmeans(run, &j, 1);
	if (e == ERR_OK) {
		s->label[root->id] = j.best;
		j.best = NULL;
	}
	joint_release(&j);
	return e;
}

/* Up to P Lloyd steps over all nodes, from the root's clusters: n k words a round. */
static enum err polish(struct run *run, struct state *s)
{
	const struct tree_node *root = root_of(s);
	uint32_t *label = s->label[root->id];
	unsigned k = run->job.clusters;
	bool *used = alloc(k, sizeof(*used));
	size_t count = run->n * k, moved = 1;
	double *objective = alloc(run->job.kcagc.polish, sizeof(*objective));
	struct record_sum kept = { .group = root->id, .items = run->n, .objective = objective };
	struct fixed f = run_fixed(run, run->L);
	double *D = alloc(count, sizeof(*D));
	struct sum sum = { .group = root->id,
			   .first = root->first,
			   .last = root->last,
			   .round = &s->round[root->id],
			   .count = count,
			   .acc = alloc(count, run->job.modulus_bits / 8) };
	enum err e = ERR_OK;

	run_phase(run, "polish");
	for (unsigned p = 1; p <= run->job.kcagc.polish && moved && e == ERR_OK; p++) {
		e = secure_sums(run, &sum, 1);
		if (e != ERR_OK)
			break;
		fixed_decode(&f, sum.acc, count, D);
		/* A cluster without nodes has no centre, and nothing is assigned to it. */
		memset(used, 0, k * sizeof(*used));
		for (size_t i = 0; i < run->n; i++)
			used[label[i]] = true;
		for (unsigned c = 0; c < k; c++)
			for (size_t i = 0; !used[c] && i < run->n; i++)
				D[i * k + c] = INFINITY;
		kept.inertia = 0;
		moved = kmeans_assign(D, NULL, run->n, k, label, &kept.inertia);
		objective[kept.objectives++] = kept.inertia;
		if (!moved || p == run->job.kcagc.polish)
			kept.silhouette = kmeans_silhouette(D, NULL, run->n, k, label);
		e = run_broadcast_labels(run, root->first, root->last, MSG_ASSIGNMENT, root->id, k,
					 label, run->n);
		run_progress(run, p, moved);
	}
	kept.iterations = kept.objectives;
	record_sum(run->record, &kept);
	free(objective);
	free(used);
	free(sum.acc);
	free(D);
	return e;
}

/* plan "auto": what is known by now decides how the rest is done, and the parties are told. */
static enum err plan(struct run *run, struct state *s)
{
	uint64_t next = s->round[root_of(s)->id];
	struct record_link link;

	run_phase(run, "plan");
	TRY(plan_measure(run, &link));
	plan_choose(run, (const uint32_t *const *)s->label, &link);
	tree_build(&s->tree, run->L, job_is_flat(&run->job));
	s->round[root_of(s)->id] = next; /* rounds are counted for the members, who are the same */
	for (size_t l = 0; l < run->L; l++) {
		TRY(channel_send_choice(run->channel[l], CHOICE_METHOD, run->job.kcagc.method));
		TRY(channel_send_choice(run->channel[l], CHOICE_EXCHANGE, run->job.kcagc.exchange));
	}
	return ERR_OK;
}

static enum err cluster(struct run *run, struct state *s, uint32_t *label)
{
	const struct tree_node *root = root_of(s);

	/* agreed on by all parties before they cluster */
	if (run->job.kcagc.filter_order == KCAGC_ORDER_AUTO)
		TRY(server_prepare_order(run, root, &s->round[root->id]));
	if (run->job.kcagc.joint_norm)
		TRY(server_prepare_norms(run, root, &s->round[root->id]));
	if (run->job.kcagc.method != METHOD_BASIC || run->L == 1) {
		TRY(gather_local(run, s));
		if (run->job.kcagc.plan != PLAN_OFF && run->L > 1)
			TRY(plan(run, s));
		if (run->job.kcagc.plan == PLAN_ONLY)
			return ERR_OK;
	}
	root = root_of(s);
	if (run->job.kcagc.method == METHOD_BASIC && run->L > 1) {
		TRY(basic(run, s));
	} else {
		for (size_t level = 1; level <= s->tree.levels; level++) {
			char name[24];

			snprintf(name, sizeof(name), "level-%zu", level);
			run_phase(run, name);
			TRY(tree_level(run, s, level));
		}
	}
	if (run->job.kcagc.polish && run->job.kcagc.method != METHOD_BASIC)
		TRY(polish(run, s));
	run_phase(run, "result");
	memcpy(label, s->label[root->id], run->n * sizeof(*label));
	return run_broadcast_labels(run, 0, run->L, MSG_RESULT, root->id, run->job.clusters, label,
				    run->n);
}

enum err server_kcagc(struct run *run, uint32_t *label)
{
	struct state s = { 0 };
	enum err e;

	tree_build(&s.tree, run->L, job_is_flat(&run->job));
	s.round[root_of(&s)->id] = run->rounds_before;
	e = cluster(run, &s, label);
	for (size_t i = 0; i < s.tree.count; i++)
		free(s.label[i]);
	return e;
}
