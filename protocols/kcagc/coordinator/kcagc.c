/* The coordinator's side of kCAGC. Symbols and line numbers are those of arXiv 2411.12329: k^ local
 * clusters, k clusters, L parties, C the cells (intersections), D summed squared distances. */
#include "protocols/kcagc/coordinator/kcagc.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "protocols/kcagc/job.h"
#include "protocols/kcagc/order.h"
#include "common/privacy/bound.h"
#include "common/cluster/kmeans.h"
#include "protocols/kcagc/coordinator/cells.h"
#include "protocols/kcagc/coordinator/joint.h"
#include "protocols/kcagc/coordinator/measure.h"
#include "server/run/bound.h"
#include "server/run/sum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct state {
	struct tree tree;
	uint32_t *
	    /* n entries each: the clusters of a tree node, kept until its parent has used them */
	    label[TREE_NODES_MAX];
	uint64_t round[TREE_NODES_MAX]; /* number of the next secure sum of each group */
};

static const struct tree_node *root_of(const struct state *s)
{
	return &s->tree.node[s->tree.count - 1];
}

/* Curves over the orders 1 .. known: intra-cluster distances (`intra`), summed over the parties,
 * and modularities of clusters (`fit`), as the mean over them. */
struct curves {
	double intra[ORDER_CAP];
	double unit; /* the parties multiply distances by it */
	bool weighs; /* the modularity of clusters is summed, too */
	double fit[ORDER_CAP];
	size_t known;
	unsigned rule; /* order by AGC's rule; 0: the distance has fallen at each order so far */
};

static enum err server_kcagc_sum_block(struct run *run, const struct tree_node *root,
				       uint64_t *round, struct curves *c)
{
	double sum[ORDER_WORDS];

	TRY(secure_sum_wide(run, root, round, sum, c->weighs ? ORDER_WORDS : ORDER_BLOCK));
	for (size_t t = 0; t < ORDER_BLOCK; t++)
		sum[t] /= c->unit;
	memcpy(c->intra + c->known, sum, ORDER_BLOCK * sizeof(*sum));
	if (c->weighs)
		memcpy(c->fit + c->known, sum + ORDER_BLOCK, ORDER_BLOCK * sizeof(*sum));
	c->known += ORDER_BLOCK;
	return ERR_OK;
}

static void record_curves(struct run *run, const struct curves *c, unsigned order)
{
	struct facts *facts = &run->record->facts;
	size_t orders = c->rule ? c->rule : c->known, to_the_rise = c->rule ? orders + 1 : orders;

	facts_number(facts, "order_rule", c->rule);
	facts_numbers(facts, "order_distances", c->intra, to_the_rise);
	if (c->weighs)
		facts_numbers(facts, "order_modularities", c->fit, orders);
	if (!c->rule)
		log_info("filter.order \"auto\" is %u: terms of distances fall up to order "
			 "%zu; modularity is %.3f there and %.3f at the chosen order",
			 order, c->known, c->fit[c->known - 1], c->fit[order - 1]);
	else if (order < c->rule)
		log_info(
		    "filter.order \"auto\" is %u: modularity is %.3f at %u, the order of AGC's "
		    "rule, and %.3f at the chosen order",
		    order, c->fit[c->rule - 1], c->rule, c->fit[order - 1]);
	else
		log_info("filter.order \"auto\" is %u", order);
}

/* For filter.order "auto": applies AGC's rule (order.h) to the summed intra-cluster distances,
 * ORDER_BLOCK orders per round. Unless preset is "paper", psi_fit() then limits the order by the
 * mean modularity of the parties' clusters. Sets run->job.filter_order. Records the order by AGC's
 * rule alone as "order_rule", which is 0 if the search ended before the distance rose. Records the
 * terms of distances up to the rise ("order_distances", order_search.h), and the modularities
 * ("order_modularities"). Returns errors of order_decide(). */
static enum err server_prepare_order(struct run *run, const struct tree_node *root, uint64_t *round)
{
	struct curves c = { .weighs = kcagc_weighs_fit(kcagc_job(&run->job)) };
	unsigned order = 0;
	int bound;

	run_phase(run, "order");
	TRY(run_bound(run, root, round,
		      "filter.order \"auto\": within each party's own clusters all rows are equal, "
		      "so there is no distance to choose it by; give job.filter.order as a number",
		      &bound));
	c.unit = bound_unit(bound);
	while (!order) {
		TRY(server_kcagc_sum_block(run, root, round, &c));
		TRY(order_decide(c.intra, c.weighs ? c.fit : NULL, c.known, &c.rule, &order));
		for (size_t l = 0; l < run->L; l++)
			TRY(channel_send_choice(run->channel[l], CHOICE_ORDER, order));
		run_progress(run, (unsigned)(c.known / ORDER_BLOCK), c.known);
	}
	record_curves(run, &c, order);
	kcagc_job(&run->job)->filter_order = run->record->order = order;
	return ERR_OK;
}

enum err server_prepare_norms(struct run *run, const struct tree_node *root, uint64_t *round)
{
	double *norm = alloc(run->n, sizeof(*norm)), unit = 1;
	int bound;
	enum err e;

	run_phase(run, "norms");
	e = run_bound(run, root, round, BOUND_NO_FEATURES, &bound);
	if (e == ERR_OK) {
		unit = bound_unit(bound);
		e = secure_sum_wide(run, root, round, norm, run->n);
	}
	for (size_t i = 0; i < run->n; i++)
		norm[i] = sqrt(fmax(norm[i], 0) / unit);
	if (e == ERR_OK)
		e = channel_send_reals_all(run->channel, run->L, MSG_MATRIX, root->id, norm,
					   run->n);
	free(norm);
	return e;
}

/* Protocol 3 line 2: receives every party's local clusters. */
static enum err gather_local(struct run *run, struct state *s)
{
	uint32_t k = run->L == 1 ? run->job.clusters : kcagc_local_clusters(kcagc_job(&run->job));

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

/* Opens the joint k-means of one node. The root has many starts, of which the best continue. Inner
 * nodes need few starts, because later levels only divide their clusters further. */
static void open_joint(const struct run *run, struct state *s, const struct tree_node *node,
		       size_t m, unsigned K, const double *weight, struct joint *j)
{
	bool root = node == root_of(s);

	joint_init(j, node, &s->round[node->id], m, K,
		   root ? kcagc_starts(kcagc_job(&run->job), m)
			: kcagc_inner_restarts(kcagc_job(&run->job)),
		   root ? kcagc_job(&run->job)->iterations : kcagc_job(&run->job)->inner_iterations,
		   weight);
	if (root) {
		j->keep = kcagc_job(&run->job)->restarts;
		j->screen = kcagc_screen(kcagc_job(&run->job), j->R);
	}
}

struct cells {
	uint32_t *cell; /* n */
	double *weight; /* m: number of nodes of each cell */
	uint32_t *tuple;
	/* m: mean squared distance of each cell's nodes to its mean; only with a range of k. */
	double *within;
	size_t m, merged;
};

static void cells_release(struct cells *c)
{
	free(c->cell);
	free(c->weight);
	free(c->tuple);
	free(c->within);
	*c = (struct cells){ 0 };
}

/* Protocol 3 lines 4-10 for one tree node: sends its cells to the members. Each cell has at least
 * min_cell nodes. */
static enum err open_cells(struct run *run, struct state *s, const struct tree_node *node,
			   struct cells *to)
{
	const uint32_t *child[PARTIES_MAX];
	size_t all;

	ALLOC(to->cell, run->n);
	for (size_t c = 0; c < node->children; c++)
		child[c] = s->label[node->child + c];
	all = to->m = cells_intersect(child, node->children, run->n, to->cell);
	if (kcagc_job(&run->job)->min_cell > 1)
		to->m =
		    cells_merge(to->cell, run->n, all, child[0], kcagc_job(&run->job)->min_cell);
	if (!to->m)
		return err_set(ERR_JOB, "%zu nodes cannot make a cell of job.min_cell, %u", run->n,
			       kcagc_job(&run->job)->min_cell);
	to->merged = all - to->m;
	ALLOC(to->weight, to->m);
	cells_sizes(to->cell, run->n, to->m, to->weight);
	to->tuple = cells_tuples(child, node->children, to->cell, run->n, to->m);
	return run_broadcast_labels(run, node->first, node->last, MSG_CELLS, node->id,
				    (uint32_t)to->m, to->cell, run->n);
}

static void open_on_cells(const struct run *run, struct state *s, const struct tree_node *node,
			  const struct cells *c, unsigned K, struct joint *j)
{
	open_joint(run, s, node, c->m, K, c->weight, j);
	j->merged = c->merged;
	if (!joint_is_trivial(j))
		starts_spread(j->label, c->m, K, j->R, c->weight, c->tuple, node->children,
			      run->job.seed, node->id);
}

/* Opens the k-means of a tree node. With exchange "gram", sends no starts, since the members do not
 * need them. */
static enum err open_node(struct run *run, struct state *s, const struct tree_node *node,
			  struct cells *c, struct joint *j)
{
	bool root = node == root_of(s);
	unsigned K = root ? run->job.clusters : kcagc_local_clusters(kcagc_job(&run->job));
	enum err e = open_cells(run, s, node, c);

	if (e != ERR_OK)
		return e;
	open_on_cells(run, s, node, c, K, j);
	if (kcagc_job(&run->job)->exchange == EXCHANGE_DISTANCES && !joint_is_trivial(j))
		e = run_broadcast_labels(run, node->first, node->last, MSG_STARTS, node->id, K,
					 j->label, (size_t)j->R * c->m);
	return e;
}

/* Protocol 3 line 17: gives each node the cluster of its cell; frees the children's clusters. */
static void close_node(const struct run *run, struct state *s, const struct tree_node *node,
		       const uint32_t *cell, const uint32_t *best)
{
	uint32_t **made = &s->label[node->id], **child = &s->label[node->child];

	ALLOC(*made, run->n);
	for (size_t i = 0; i < run->n; i++)
		(*made)[i] = best[cell[i]];
	for (size_t c = 0; c < node->children; c++) {
		free(child[c]);
		child[c] = NULL;
	}
}

/* Runs all tree nodes of one level in lock step. */
static enum err server_kcagc_tree_level(struct run *run, struct state *s, size_t level)
{
	const struct tree_node *first = NULL;
	struct joint *j;
	struct cells *cells;
	size_t groups = 0;
	enum err e = ERR_OK;

	for (size_t i = 0; i < s->tree.count; i++)
		if (s->tree.node[i].level == level && groups++ == 0)
			first = &s->tree.node[i];
	ALLOC(j, groups);
	ALLOC(cells, groups);
	for (size_t g = 0; g < groups && e == ERR_OK; g++)
		e = open_node(run, s, &first[g], &cells[g], &j[g]);
	if (e == ERR_OK)
		e = kcagc_job(&run->job)->exchange == EXCHANGE_GRAM ? gram_kmeans(run, j, groups)
								    : joint_kmeans(run, j, groups);
	for (size_t g = 0; g < groups; g++) {
		if (e == ERR_OK)
			close_node(run, s, &first[g], cells[g].cell, j[g].best);
		joint_release(&j[g]);
		cells_release(&cells[g]);
	}
	free(j);
	free(cells);
	return e;
}

enum { RANGE_STARTS = 10, RANGE_RESTARTS = 4 };

/* Replaces the last starts by better ones, from a k-means on the cells' coordinates, which needs no
 * message. A range of k needs good starts, because silhouettes of neighbouring k differ less than
 * those of different local optima of one k. */
static void start_well(const struct run *run, const struct mat *Z, const double *weight,
		       struct joint *j)
{
	unsigned starts = j->R < RANGE_STARTS ? j->R : RANGE_STARTS;

	for (unsigned r = 0; r < starts; r++) {
		struct kmeans_params how = { .k = j->K,
					     .restarts = RANGE_RESTARTS,
					     .iterations = j->Q,
					     .seed = run->job.seed + r,
					     .threads = run->threads };

		kmeans(Z, weight, &how, j->label + (size_t)(j->R - 1 - r) * j->m, NULL, NULL);
	}
}

/* Runs k-means for each k of the range that is below the number of cells, and chooses a k. G has
 * the cells' products from one secure sum, which every k uses. The first k must be below the number
 * of cells. *best was initialised by open_on_cells() for the first k; it is replaced by the k-means
 * of the chosen k. */
static enum err try_range(struct run *run, struct state *s, const struct cells *c,
			  const struct mat *G, struct selection *sel, struct joint *best)
{
	struct joint tried[SELECTION_MAX] = { 0 };
	struct mat Z;

	TRY(measure_points(G, &Z));
	*sel = (struct selection){ .from = run->job.clusters_from };
	for (unsigned k = sel->from; k <= run->job.clusters && k < c->m; k++) {
		struct joint *j = &tried[k - sel->from];

		open_on_cells(run, s, root_of(s), c, k, j);
		if (Z.rows)
			start_well(run, &Z, c->weight, j);
		gram_lloyd(run, j, G);
		selection_add(sel, measure_joint(j, G, c->within));
		if (Z.rows)
			selection_stability(
			    sel, stability_of(&Z, c->weight, k, run->job.seed, run->threads));
	}
	joint_release(best);
	*best = tried[selection_k(sel) - sel->from];
	tried[selection_k(sel) - sel->from] = (struct joint){ 0 };
	for (size_t i = 0; i < SELECTION_MAX; i++)
		joint_release(&tried[i]);
	mat_release(&Z);
	return ERR_OK;
}

/* Runs the root of a job with a range of k like any other node with gram. In addition, the parties
 * receive the chosen k before the clusters. */
static enum err root_of_range(struct run *run, struct state *s)
{
	const struct tree_node *root = root_of(s);
	unsigned k = run->job.clusters_from;
	struct selection sel = { 0 };
	struct cells c = { 0 };
	struct joint j = { 0 };
	struct mat G = { 0 };
	enum err e = open_cells(run, s, root, &c);

	if (e == ERR_OK) {
		open_on_cells(run, s, root, &c, k, &j);
		ALLOC(c.within, c.m);
		j.within = c.within;
	}
	if (e == ERR_OK && joint_is_trivial(&j)) {
		joint_begin(&j);
	} else if (e == ERR_OK) {
		e = gram_sum(run, &j, &G);
		if (e == ERR_OK)
			e = try_range(run, s, &c, &G, &sel, &j);
	}
	if (sel.count) {
		k = selection_k(&sel);
		record_selection(run->record, &sel);
	}
	for (size_t l = 0; l < run->L && e == ERR_OK; l++)
		e = channel_send_choice(run->channel[l], CHOICE_CLUSTERS, k);
	if (e == ERR_OK)
		e = joint_finish(run, &j);
	if (e == ERR_OK) {
		run->job.clusters = k;
		close_node(run, s, root, c.cell, j.best);
	}
	mat_release(&G);
	joint_release(&j);
	cells_release(&c);
	return e;
}

/* Runs Protocol 2, whose items are the nodes themselves. */
static enum err server_kcagc_basic(struct run *run, struct state *s)
{
	const struct tree_node *root = root_of(s);
	struct joint j;
	enum err e = ERR_OK;

	run_phase(run, "joint");
	open_joint(run, s, root, run->n, run->job.clusters, NULL, &j);
	if (!joint_is_trivial(&j)) {
		starts_uniform(j.label, j.m, j.K, j.R, run->job.seed, root->id);
		ALLOC(j.margin, (size_t)j.R * j.m);
		e = run_broadcast_labels(run, root->first, root->last, MSG_STARTS, root->id, j.K,
					 j.label, (size_t)j.R * j.m);
	}
	if (e == ERR_OK)
		e = joint_kmeans(run, &j, 1);
	if (e == ERR_OK) {
		s->label[root->id] = j.best;
		j.best = NULL;
		run->confidence = j.margin; /* row 0 of the margins, or NULL */
		j.margin = NULL;
	}
	joint_release(&j);
	return e;
}

/* Sets the distances to empty clusters to INFINITY. They have no centre, so no node may be assigned
 * to them. */
static void leave_out_empty(const uint32_t *label, size_t n, unsigned k, double *D)
{
	bool *used = alloc(k, sizeof(*used));

	for (size_t i = 0; i < n; i++)
		used[label[i]] = true;
	for (unsigned c = 0; c < k; c++)
		for (size_t i = 0; !used[c] && i < n; i++)
			D[i * k + c] = INFINITY;
	free(used);
}

/* Runs up to P Lloyd steps over all nodes, from the root's clusters, until no node moves. Each step
 * sums n k numbers. */
static enum err server_kcagc_polish(struct run *run, struct state *s)
{
	const struct tree_node *root = root_of(s);
	uint32_t *label = s->label[root->id];
	unsigned k = run->job.clusters, last = kcagc_job(&run->job)->polish;
	size_t n = run->n, count = n * k, moved = 1;
	double *objective = alloc(last, sizeof(*objective));
	struct record_sum kept = { .group = root->id, .items = n, .objective = objective };
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
	for (unsigned p = 1; p <= last && moved && e == ERR_OK; p++) {
		e = secure_sums(run, &sum, 1);
		if (e != ERR_OK)
			break;
		fixed_decode(&f, sum.acc, count, D);
		leave_out_empty(label, n, k, D);
		kept.inertia = 0;
		moved = kmeans_assign(D, NULL, n, k, label, &kept.inertia);
		objective[kept.objectives++] = kept.inertia;
		if (!moved || p == last) {
			kept.silhouette = kmeans_silhouette(D, NULL, n, k, label);
			ALLOC(run->confidence, n);
			kmeans_margins(D, n, k, label, run->confidence);
		}
		e = run_broadcast_labels(run, root->first, root->last, MSG_ASSIGNMENT, root->id, k,
					 label, n);
		run_progress(run, p, moved);
	}
	kept.iterations = kept.objectives;
	record_sum(run->record, &kept);
	free(objective);
	free(sum.acc);
	free(D);
	return e;
}

/* Unless the job gives the fraction bits of distances and inner products, sets them. They depend on
 * a bound, which is known or which the parties agree on. */
static enum err server_kcagc_agree_words(struct run *run, const struct tree_node *root,
					 uint64_t *round)
{
	double most = kcagc_most(kcagc_job(&run->job), run->L, run->n);
	unsigned bits = run->job.modulus_bits;
	int bound;

	if (run->job.fraction_bits != JOB_AUTO)
		return ERR_OK;
	if (!most || fixed_fraction(bits, run->L, most) < KCAGC_FRACTION_LEAST) {
		run_phase(run, "bound");
		TRY(run_bound(run, root, round, BOUND_NO_FEATURES, &bound));
		most = ldexp(4, bound);
	}
	run->fraction = fixed_fraction(bits, run->L, most);
	return ERR_OK;
}

static enum err server_kcagc_cluster(struct run *run, struct state *s, uint32_t *label)
{
	const struct tree_node *root = root_of(s);

	if (run->L == 1 && run->job.clusters_from)
		return err_set(ERR_JOB,
			       "job.clusters is {\"from\": %u, \"to\": %u} and there is one party, "
			       "whose clusters are its own: the choice of a range needs "
			       "sums of several parties; give one number",
			       run->job.clusters_from, run->job.clusters);
	/* the parties agree on the order before they cluster */
	if (kcagc_job(&run->job)->filter_order == KCAGC_ORDER_AUTO)
		TRY(server_prepare_order(run, root, &s->round[root->id]));
	if (kcagc_job(&run->job)->joint_norm)
		TRY(server_prepare_norms(run, root, &s->round[root->id]));
	TRY(server_kcagc_agree_words(run, root, &s->round[root->id]));
	if (kcagc_job(&run->job)->method != METHOD_BASIC || run->L == 1)
		TRY(gather_local(run, s));
	if (kcagc_job(&run->job)->method == METHOD_BASIC && run->L > 1) {
		TRY(server_kcagc_basic(run, s));
	} else {
		for (size_t level = 1; level <= s->tree.levels; level++) {
			char name[24];

			snprintf(name, sizeof(name), "level-%zu", level);
			run_phase(run, name);
			TRY(level == s->tree.levels && run->job.clusters_from
				? root_of_range(run, s)
				: server_kcagc_tree_level(run, s, level));
		}
	}
	if (kcagc_job(&run->job)->polish && kcagc_job(&run->job)->method != METHOD_BASIC)
		TRY(server_kcagc_polish(run, s));
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
	e = server_kcagc_cluster(run, &s, label);
	for (size_t i = 0; i < s.tree.count; i++)
		free(s.label[i]);
	return e;
}
