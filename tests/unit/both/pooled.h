/* pooled.h -- computes the expected result of a federation in one program that has all parties'
 * data.
 *
 * It follows the paper of kCAGC and docs/FIDELITY.md, not the code of the two halves: no messages,
 * no masks, no chunks, plain loops. It shares three things with the halves: the computations that a
 * party does alone (embedding and its own k-means), the starting assignments of restarts
 * (protocols/kcagc/coordinator/cells.h), and the groups of parties that cluster together (tree.h).
 *
 * If pooled_run() gets `rounded`, it rounds each party's squared distance to a multiple of 2^-f,
 * where f is secure_sum.fraction_bits, before the addition, as the secure sum does. The federation
 * must then have exactly the same labels. Otherwise everything is in doubles. */
#ifndef TESTS_UNIT_BOTH_POOLED_H
#define TESTS_UNIT_BOTH_POOLED_H

#include "protocols/kcagc/job.h"
#include "common/kind/tree.h"
#include "common/cluster/kmeans.h"
#include "protocols/kcagc/coordinator/cells.h"
#include "tests/unit/both/federation.h"

#include <math.h>

/* One secure sum of the federation: the expected result D, and `plain`, the result without
 * rounding. */
struct pooled_sum {
	uint32_t group;
	uint64_t round;
	size_t count;
	double *D, *plain;
};

struct pooled {
	bool rounded;
	uint32_t *label; /* the result, n labels */
	struct pooled_sum *sum;
	size_t sums;
	unsigned trivial; /* number of tree nodes that have no more cells than clusters */
	/* ---- inside ---- */
	const struct job *job;
	size_t n, L;
	struct tree tree;
	/* the embeddings, each with n rows; side by side they are the joint embedding */
	struct mat Z[FED_MAX];
	/* centres of each party's own clusters, as from pooled_local() */
	struct mat centre[FED_MAX];
	uint32_t *cluster[TREE_NODES_MAX];
	uint64_t round[TREE_NODES_MAX];
};

/* Items of one joint clustering. Y[l] has party l's row of each item, for each party in the group
 * of the tree node `node`. */
struct pooled_items {
	const struct tree_node *node;
	size_t m;
	struct mat Y[FED_MAX];
	double *weight;
};

static inline double pooled_distance(const struct pooled *p, const struct pooled_items *items,
				     const struct mat *mu, size_t i, size_t c, double *plain)
{
	double scale = ldexp(1, (int)p->job->fraction_bits), total = 0;

	*plain = 0;

	for (size_t l = items->node->first; l < items->node->last; l++) {
		double d = 0;

		for (size_t j = 0; j < mu[l].cols; j++) {
			double gap = MAT(&items->Y[l], i, j) - MAT(&mu[l], c, j);

			d += gap * gap;
		}
		total += p->rounded ? nearbyint(d * scale) / scale : d;
		*plain += d;
	}
	return total;
}

/* Sets mu_c to the weighted mean of the items with label c. Keeps mu_c if no item has this
 * label. */
static inline void pooled_centres(const struct pooled_items *items, const uint32_t *label, size_t K,
				  struct mat *mu)
{
	double *weight = alloc(K, sizeof(*weight));

	for (size_t i = 0; i < items->m; i++)
		if (label[i] < K)
			weight[label[i]] += items->weight[i];
	for (size_t l = items->node->first; l < items->node->last; l++) {
		for (size_t c = 0; c < K; c++)
			if (weight[c] > 0)
				memset(ROW(&mu[l], c), 0, mu[l].cols * sizeof(double));
		for (size_t i = 0; i < items->m; i++)
			for (size_t j = 0; label[i] < K && j < mu[l].cols; j++)
				MAT(&mu[l], label[i], j) +=
				    items->weight[i] * MAT(&items->Y[l], i, j);
		for (size_t c = 0; c < K; c++)
			for (size_t j = 0; weight[c] > 0 && j < mu[l].cols; j++)
				MAT(&mu[l], c, j) /= weight[c];
	}
	free(weight);
}

static inline struct pooled_sum *pooled_note(struct pooled *p, uint32_t group, size_t count)
{
	struct pooled_sum *s;

	p->sum = alloc_again(p->sum, p->sums + 1, sizeof(*p->sum));
	s = &p->sum[p->sums++];
	*s = (struct pooled_sum){ .group = group, .round = p->round[group]++, .count = count };
	ALLOC(s->D, count);
	ALLOC(s->plain, count);
	return s;
}

/* Applies the 1/9 step: an item gets label c if its squared distance to centre c is at most 1/9 of
 * that to any other centre. An item without such a centre gets label K. */
static inline void pooled_ninth(const double *D, size_t m, size_t K, uint32_t *label)
{
	for (size_t i = 0; i < m; i++) {
		label[i] = (uint32_t)K;
		for (size_t c = 0; c < K; c++) {
			bool clear = true;

			for (size_t o = 0; o < K; o++)
				clear = clear && (o == c || D[i * K + c] <= D[i * K + o] / 9);
			if (clear && label[i] == K)
				label[i] = (uint32_t)c;
		}
	}
}

/* Sets each label to the nearest existing centre; returns the number of labels that changed. */
static inline size_t pooled_nearest(const double *D, const double *weight, const bool *exists,
				    size_t m, size_t K, uint32_t *label, double *inertia)
{
	size_t moved = 0;

	*inertia = 0;
	for (size_t i = 0; i < m; i++) {
		size_t best = K;

		for (size_t c = 0; c < K; c++)
			if (exists[c] && (best == K || D[i * K + c] < D[i * K + best]))
				best = c;
		moved += label[i] != best;
		label[i] = (uint32_t)best;
		*inertia += weight[i] * D[i * K + best];
	}
	return moved;
}

/* One of several k-means over the same items. */
struct pooled_restart {
	bool running, moving;
	uint32_t *label;
	struct mat mu[FED_MAX];
	double inertia;
};

static inline unsigned pooled_least(const struct pooled_restart *r, unsigned R, const bool *but)
{
	unsigned best = R;

	for (unsigned i = 0; i < R; i++)
		if (r[i].running && !but[i] && (best == R || r[i].inertia < r[best].inertia))
			best = i;
	return best;
}

static inline void pooled_screen(struct pooled_restart *r, unsigned R, unsigned keep)
{
	bool *kept = alloc(R, sizeof(*kept));

	for (unsigned i = 0; i < keep; i++)
		kept[pooled_least(r, R, kept)] = true;
	for (unsigned i = 0; i < R; i++) {
		r[i].running = kept[i];
		r[i].moving = r[i].moving && kept[i];
	}
	free(kept);
}

/* Computes distances of all moving restarts, then their next assignments and centres. */
static inline size_t pooled_step(struct pooled *p, const struct pooled_items *items,
				 struct pooled_restart *r, unsigned R, size_t K, unsigned t)
{
	bool *exists = alloc(K, sizeof(*exists));
	size_t moving = 0, words = items->m * K;
	double *D = NULL, *plain = NULL;

	memset(exists, 1, K * sizeof(*exists));
	for (unsigned i = 0; i < R; i++)
		moving += r[i].moving;
	if (moving) {
		struct pooled_sum *sum = pooled_note(p, items->node->id, moving * words);

		D = sum->D;
		plain = sum->plain;
	}
	for (unsigned i = 0; i < R; i++) {
		if (!r[i].moving)
			continue;
		for (size_t y = 0; y < items->m; y++)
			for (size_t c = 0; c < K; c++)
				D[y * K + c] =
				    pooled_distance(p, items, r[i].mu, y, c, &plain[y * K + c]);
		if (t == 0)
			pooled_ninth(D, items->m, K, r[i].label);
		else
			r[i].moving = pooled_nearest(D, items->weight, exists, items->m, K,
						     r[i].label, &r[i].inertia) > 0;
		pooled_centres(items, r[i].label, K, r[i].mu);
		D += words;
		plain += words;
	}
	free(exists);
	return moving;
}

/* Runs R starts with the 1/9 step and at most Q Lloyd iterations. After `screen` iterations only
 * the best `keep` continue. The result with the least inertia wins. best: m labels. */
static inline void pooled_kmeans(struct pooled *p, const struct pooled_items *items, size_t K,
				 const uint32_t *starts, unsigned R, unsigned Q, unsigned screen,
				 unsigned keep, uint32_t *best)
{
	struct pooled_restart *r = alloc(R, sizeof(*r));
	bool *none = alloc(R, sizeof(*none));

	for (unsigned i = 0; i < R; i++) {
		r[i].running = r[i].moving = true;
		ALLOC(r[i].label, items->m);
		memcpy(r[i].label, starts + i * items->m, items->m * sizeof(*best));
		for (size_t l = items->node->first; l < items->node->last; l++)
			mat_init(&r[i].mu[l], K, items->Y[l].cols);
		pooled_centres(items, r[i].label, K, r[i].mu);
	}
	for (unsigned t = 0; t <= Q; t++) {
		if (!pooled_step(p, items, r, R, K, t))
			break;
		if (t > 0 && t == screen)
			pooled_screen(r, R, keep);
	}
	memcpy(best, r[pooled_least(r, R, none)].label, items->m * sizeof(*best));
	for (unsigned i = 0; i < R; i++) {
		free(r[i].label);
		for (size_t l = items->node->first; l < items->node->last; l++)
			mat_release(&r[i].mu[l]);
	}
	free(r);
	free(none);
}

/* Runs the k-means of one tree node. Its starts are those of starts_spread(), or with tuple NULL
 * those of starts_uniform() (cells.h). */
static inline void pooled_joint(struct pooled *p, const struct pooled_items *items,
				const uint32_t *tuple, uint32_t *best)
{
	const struct tree_node *node = items->node;
	bool root = node->id + 1 == p->tree.count;
	unsigned K = root ? p->job->clusters : kcagc_local_clusters(kcagc_job(p->job));
	unsigned R = root ? kcagc_starts(kcagc_job(p->job), items->m)
			  : kcagc_inner_restarts(kcagc_job(p->job));
	unsigned Q = root ? kcagc_job(p->job)->iterations : kcagc_job(p->job)->inner_iterations;
	uint32_t *starts;

	if (items->m <= K) {
		p->trivial++;
		for (size_t i = 0; i < items->m; i++)
			best[i] = (uint32_t)i;
		return;
	}
	starts = alloc(R * items->m, sizeof(*starts));
	for (size_t i = 0; i < R * items->m; i++)
		starts[i] = K;
	if (tuple)
		starts_spread(starts, items->m, K, R, items->weight, tuple, node->children,
			      p->job->seed, node->id);
	else
		starts_uniform(starts, items->m, K, R, p->job->seed, node->id);
	pooled_kmeans(p, items, K, starts, R, Q, root ? kcagc_screen(kcagc_job(p->job), R) : 0,
		      kcagc_job(p->job)->restarts, best);
	free(starts);
}

/* Makes each node of the data an item of weight 1. */
static inline void pooled_nodes(struct pooled *p, struct pooled_items *items)
{
	*items = (struct pooled_items){ .node = &p->tree.node[p->tree.count - 1], .m = p->n };
	memcpy(items->Y, p->Z, sizeof(p->Z));
	ALLOC(items->weight, p->n);
	for (size_t i = 0; i < p->n; i++)
		items->weight[i] = 1;
}

/* Makes one cell for each distinct tuple of the children's clusters. Cells are numbered in the
 * order of their first node. */
static inline void pooled_cells(const struct pooled *p, const struct tree_node *node,
				struct pooled_items *items, uint32_t *cell, uint32_t *tuple)
{
	for (size_t i = 0; i < p->n; i++) {
		uint32_t *own = tuple + items->m * node->children;
		size_t c = 0;

		for (size_t s = 0; s < node->children; s++)
			own[s] = p->cluster[node->child + s][i];
		while (memcmp(tuple + c * node->children, own, node->children * sizeof(*own)))
			c++;
		cell[i] = (uint32_t)c;
		items->m += c == items->m;
		items->weight[c]++;
	}
}

/* Computes a cell's row at each party: the mean of the cell's rows, or, as in Protocol 3, line 13,
 * the centre of the party's cluster that contains the cell. The job's virtual_nodes says which. */
static inline void pooled_virtual(struct pooled *p, const struct tree_node *node,
				  struct pooled_items *items, const uint32_t *cell)
{
	for (size_t l = node->first; l < node->last; l++) {
		const uint32_t *cluster = NULL;

		for (size_t s = node->child; s < node->child + node->children; s++)
			if (l >= p->tree.node[s].first && l < p->tree.node[s].last)
				cluster = p->cluster[s];
		mat_init(&items->Y[l], items->m, p->Z[l].cols);
		for (size_t i = 0; i < p->n; i++)
			for (size_t j = 0; j < p->Z[l].cols; j++)
				if (kcagc_job(p->job)->virtual_nodes == VIRTUAL_MEAN)
					MAT(&items->Y[l], cell[i], j) += MAT(&p->Z[l], i, j);
				else
					MAT(&items->Y[l], cell[i], j) =
					    MAT(&p->centre[l], cluster[i], j);
		for (size_t c = 0; kcagc_job(p->job)->virtual_nodes == VIRTUAL_MEAN && c < items->m;
		     c++)
			for (size_t j = 0; j < p->Z[l].cols; j++)
				MAT(&items->Y[l], c, j) /= items->weight[c];
	}
}

static inline void pooled_tree_node(struct pooled *p, const struct tree_node *node)
{
	struct pooled_items items = { .node = node };
	unsigned K = kcagc_local_clusters(kcagc_job(p->job));
	uint32_t *cell = alloc(p->n, sizeof(*cell)), *best = alloc(p->n, sizeof(*best));
	uint32_t *tuple = alloc((p->n + 1) * node->children, sizeof(*tuple));

	ALLOC(items.weight, p->n);
	pooled_cells(p, node, &items, cell, tuple);
	pooled_virtual(p, node, &items, cell);
	pooled_joint(p, &items, tuple, best);
	ALLOC(p->cluster[node->id], p->n);
	for (size_t i = 0; i < p->n; i++)
		p->cluster[node->id][i] = best[cell[i]];
	for (size_t l = node->first; l < node->last; l++) {
		mat_release(&p->centre[l]);
		mat_init(&p->centre[l], K, p->Z[l].cols);
	}
	pooled_centres(&items, best, K, p->centre);
	for (size_t l = node->first; l < node->last; l++)
		mat_release(&items.Y[l]);
	free(items.weight);
	free(cell);
	free(best);
	free(tuple);
}

/* Runs at most `polish` Lloyd steps on all nodes; a cluster that loses all nodes disappears. */
static inline void pooled_polish(struct pooled *p)
{
	struct pooled_items items;
	uint32_t *label = p->cluster[p->tree.count - 1];
	size_t K = p->job->clusters, moved = 1;
	struct mat mu[FED_MAX];
	bool *exists = alloc(K, sizeof(*exists));
	double unused;

	pooled_nodes(p, &items);
	for (size_t l = 0; l < p->L; l++)
		mat_init(&mu[l], K, p->Z[l].cols);
	for (unsigned t = 0; t < kcagc_job(p->job)->polish && moved; t++) {
		struct pooled_sum *sum = pooled_note(p, items.node->id, p->n * K);

		memset(exists, 0, K * sizeof(*exists));
		for (size_t i = 0; i < p->n; i++)
			exists[label[i]] = true;
		pooled_centres(&items, label, K, mu);
		for (size_t i = 0; i < p->n; i++)
			for (size_t c = 0; c < K; c++)
				sum->D[i * K + c] =
				    pooled_distance(p, &items, mu, i, c, &sum->plain[i * K + c]);
		moved = pooled_nearest(sum->D, items.weight, exists, p->n, K, label, &unused);
	}
	for (size_t l = 0; l < p->L; l++)
		mat_release(&mu[l]);
	free(items.weight);
	free(exists);
}

/* Runs Protocol 1 at each party: the embedding and the party's own k-means. */
static inline void pooled_local(struct pooled *p, const struct planted *data)
{
	struct embed_params e = kcagc_embed_params(kcagc_job(p->job), 1);
	struct kmeans_params k = { .k = p->L == 1 ? p->job->clusters
						  : kcagc_local_clusters(kcagc_job(p->job)),
				   .restarts = kcagc_job(p->job)->local_restarts,
				   .iterations = kcagc_job(p->job)->iterations,
				   .ninth = true,
				   .seed = p->job->seed,
				   .threads = 1 };

	for (size_t l = 0; l < p->L; l++) {
		struct features X;

		planted_slice(data, l, p->L, &X);
		assert_ok(embed(&X, &data->g, &e, &p->Z[l]));
		ALLOC(p->cluster[l], p->n);
		kmeans(&p->Z[l], NULL, &k, p->cluster[l], &p->centre[l], NULL);
	}
}

static inline void pooled_run(struct pooled *p, const struct planted *data, size_t L,
			      const struct job *job, bool rounded)
{
	*p = (struct pooled){ .rounded = rounded, .job = job, .n = data->n, .L = L };
	tree_build(&p->tree, L, kcagc_job(job)->method != METHOD_TREE);
	pooled_local(p, data);
	for (size_t i = L; i < p->tree.count && kcagc_job(job)->method != METHOD_BASIC; i++)
		pooled_tree_node(p, &p->tree.node[i]);
	if (kcagc_job(job)->method == METHOD_BASIC && L > 1) {
		struct pooled_items items;

		pooled_nodes(p, &items);
		ALLOC(p->cluster[items.node->id], p->n);
		pooled_joint(p, &items, NULL, p->cluster[items.node->id]);
		free(items.weight);
	}
	if (kcagc_job(job)->polish)
		pooled_polish(p);
	p->label = p->cluster[p->tree.count - 1];
}

static inline void pooled_release(struct pooled *p)
{
	for (size_t i = 0; i < p->sums; i++) {
		free(p->sum[i].D);
		free(p->sum[i].plain);
	}
	free(p->sum);
	for (size_t l = 0; l < p->L; l++) {
		mat_release(&p->Z[l]);
		mat_release(&p->centre[l]);
	}
	for (size_t i = 0; i < p->tree.count; i++)
		free(p->cluster[i]);
}

#endif
