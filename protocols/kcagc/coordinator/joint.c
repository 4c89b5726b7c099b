#include "protocols/kcagc/coordinator/joint.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/cluster/kmeans.h"
#include "protocols/kcagc/job.h"
#include "common/linalg/mat.h"
#include "server/run/sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void joint_init(struct joint *j, const struct tree_node *node, uint64_t *round, size_t m,
		unsigned K, unsigned R, unsigned Q, const double *weight)
{
	*j = (struct joint){ .node = node,
			     .round = round,
			     .m = m,
			     .K = K,
			     .R = R,
			     .Q = Q,
			     .keep = R,
			     .weight = weight };
	ALLOC(j->label, R * m);
	ALLOC(j->best, m);
	ALLOC(j->running, R);
	ALLOC(j->moving, R);
	ALLOC(j->used, R * K);
	ALLOC(j->inertia, R);
	ALLOC(j->silhouette, R);
	ALLOC(j->objective, (size_t)Q * R);
	for (size_t i = 0; i < R * m; i++)
		j->label[i] = K;
}

void joint_release(struct joint *j)
{
	free(j->label);
	free(j->best);
	free(j->running);
	free(j->moving);
	free(j->used);
	free(j->inertia);
	free(j->silhouette);
	free(j->margin);
	free(j->objective);
	free(j->acc);
	*j = (struct joint){ 0 };
}

static size_t joint_active(const struct joint *j)
{
	size_t n = 0;

	for (unsigned r = 0; r < j->R; r++)
		n += j->moving[r];
	return n;
}

bool joint_is_trivial(const struct joint *j)
{
	return j->m <= j->K;
}

/* Marks all restarts as moving. A cluster exists if the start assigns it an item. */
void joint_begin(struct joint *j)
{
	if (joint_is_trivial(j)) {
		for (size_t i = 0; i < j->m; i++)
			j->label[i] = (uint32_t)i;
		return;
	}
	for (unsigned r = 0; r < j->R; r++) {
		j->running[r] = j->moving[r] = true;
		for (size_t i = 0; i < j->m; i++)
			if (j->label[r * j->m + i] < j->K)
				j->used[r * j->K + j->label[r * j->m + i]] = true;
	}
}

/* Protocol 2, lines 15 and 30, for restart r in iteration t: computes the next labels from the
 * squared distances D (m x K, changed here). Returns the number of items that moved; 0 at t = 0,
 * which leaves items out by kmeans_assign_ninth(). */
static size_t joint_assign(struct joint *j, unsigned r, unsigned t, double *D)
{
	uint32_t *label = j->label + r * j->m;
	size_t changed = 0;

	for (size_t i = 0; i < j->m; i++)
		for (unsigned c = 0; c < j->K; c++)
			if (!j->used[r * j->K + c])
				D[i * j->K + c] = INFINITY;
	if (t == 0) {
		kmeans_assign_ninth(D, j->m, j->K, label);
		return 0;
	}
	j->inertia[r] = 0;
	changed = kmeans_assign(D, j->weight, j->m, j->K, label, &j->inertia[r]);
	j->moving[r] = changed > 0;
	if (!changed || t == j->Q) {
		j->silhouette[r] = kmeans_silhouette(D, j->weight, j->m, j->K, label);
		if (j->margin)
			kmeans_margins(D, j->m, j->K, label, j->margin + r * j->m);
	}
	return changed;
}

/* Among the running restarts that `taken` does not mark, returns the one of least inertia; of equal
 * ones, the first. */
static unsigned joint_least_restart(const struct joint *j, const uint32_t *taken)
{
	unsigned best = j->R;

	for (unsigned r = 0; r < j->R; r++)
		if (j->running[r] && !(taken && taken[r]) &&
		    (best == j->R || j->inertia[r] < j->inertia[best]))
			best = r;
	return best;
}

/* After iteration `screen`, stops all restarts but the `keep` of least inertia. kept (R): 1 for
 * restarts that continue, otherwise 0. */
static void joint_screen(struct joint *j, uint32_t *kept)
{
	memset(kept, 0, j->R * sizeof(*kept));
	for (unsigned i = 0; i < j->keep; i++)
		kept[joint_least_restart(j, kept)] = 1;
	for (unsigned r = 0; r < j->R; r++) {
		j->running[r] = kept[r];
		j->moving[r] = j->moving[r] && kept[r];
	}
}

/* Call after iteration t. Records the objective, and stops all restarts after Q iterations. Returns
 * true if joint_screen() is due. */
static bool joint_iterated(struct joint *j, unsigned t)
{
	j->iterations = t;
	if (t > 0)
		memcpy(j->objective + (size_t)(t - 1) * j->R, j->inertia,
		       j->R * sizeof(*j->inertia));
	if (t == j->Q)
		memset(j->moving, 0, j->R * sizeof(*j->moving));
	return t > 0 && t == j->screen;
}

unsigned joint_winner(const struct joint *j)
{
	return joint_is_trivial(j) ? 0 : joint_least_restart(j, NULL);
}

enum err joint_finish(struct run *run, struct joint *j)
{
	unsigned best = joint_winner(j);
	/* inertia of the best restart after each iteration */
	double *objective = alloc(j->Q, sizeof(*objective));
	struct record_sum sum = { .group = j->node->id,
				  .items = j->m,
				  .merged = j->merged,
				  .iterations = j->iterations,
				  .inertia = j->inertia[best],
				  .silhouette = j->silhouette[best],
				  .objective = objective };

	memcpy(j->best, j->label + best * j->m, j->m * sizeof(*j->best));
	if (j->margin && best)
		memcpy(j->margin, j->margin + best * j->m, j->m * sizeof(*j->margin));
	while (sum.objectives < j->iterations) {
		objective[sum.objectives] = j->objective[sum.objectives * j->R + best];
		sum.objectives++;
	}
	record_sum(run->record, &sum);
	free(objective);
	return run_broadcast_labels(run, j->node->first, j->node->last, MSG_CLUSTERS, j->node->id,
				    j->K, j->best, j->m);
}

/* Runs one iteration of a group from the summed distances: makes the next assignments of all moving
 * restarts, and selects those that continue. */
static enum err joint_iterate(struct run *run, struct joint *j, unsigned t, size_t *moved)
{
	size_t word = run->job.modulus_bits / 8, cells = j->m * j->K, a = 0;
	struct fixed f = run_fixed(run, j->node->last - j->node->first);
	uint32_t *received = alloc(joint_active(j) * j->m, sizeof(*received)), *kept;
	double *D = alloc(cells, sizeof(*D));
	enum err e;

	for (unsigned r = 0; r < j->R; r++) {
		if (!j->moving[r])
			continue;
		fixed_decode(&f, (uint8_t *)j->acc + a * cells * word, cells, D);
		*moved += joint_assign(j, r, t, D);
		memcpy(received + a++ * j->m, j->label + r * j->m, j->m * sizeof(*received));
	}
	e = run_broadcast_labels(run, j->node->first, j->node->last, MSG_ASSIGNMENT, j->node->id,
				 j->K, received, a * j->m);
	free(received);
	free(D);
	if (e != ERR_OK || !joint_iterated(j, t))
		return e;
	ALLOC(kept, j->R);
	joint_screen(j, kept);
	e = run_broadcast_labels(run, j->node->first, j->node->last, MSG_KEPT, j->node->id, 1, kept,
				 j->R);
	free(kept);
	return e;
}

enum err joint_kmeans(struct run *run, struct joint *groups, size_t count)
{
	struct sum *sums = alloc(count, sizeof(*sums));
	size_t busy, moved;
	enum err e = ERR_OK;

	for (size_t g = 0; g < count; g++) {
		joint_begin(&groups[g]);
		if (!joint_is_trivial(&groups[g]))
			groups[g].acc = alloc((size_t)groups[g].R * groups[g].m * groups[g].K,
					      run->job.modulus_bits / 8);
	}
	for (unsigned t = 0; e == ERR_OK; t++) {
		busy = moved = 0;
		/* Receives the sums of Protocol 2, lines 13 and 28, for every group with moving
		 * restarts. */
		for (size_t g = 0; g < count; g++) {
			const struct joint *j = &groups[g];

			if (joint_active(j))
				sums[busy++] = (struct sum){ .group = j->node->id,
							     .first = j->node->first,
							     .last = j->node->last,
							     .round = j->round,
							     .count = joint_active(j) * j->m * j->K,
							     .acc = j->acc };
		}
		if (!busy)
			break;
		e = secure_sums(run, sums, busy);
		for (size_t g = 0; e == ERR_OK && g < count; g++)
			if (joint_active(&groups[g]))
				e = joint_iterate(run, &groups[g], t, &moved);
		if (e == ERR_OK)
			run_progress(run, t, moved);
	}
	for (size_t g = 0; e == ERR_OK && g < count; g++)
		e = joint_finish(run, &groups[g]);
	free(sums);
	return e;
}

/* ---- from inner products: exchange "gram" ---- */

/* Centres of one restart, by their inner products with all items y_i. A centre is a weighted mean
 * of items. S changes when an item enters or leaves a cluster, in O(m). */
struct centres {
	/* m: the cluster in which S counts each item. An item with the value K is in no cluster */
	uint32_t *label;
	double *W;      /* K: total weight of the cluster's items */
	struct mat S;   /* K x m: sum of w_l <y_l, y_i> over the cluster's items l */
	struct mat P;   /* K x m: <mu_c, y_i>; an empty cluster keeps its last centre */
	double *square; /* K: <mu_c, mu_c> */
};

/* Adds item i to cluster c; g has the inner products of item i with all items. If weight is
 * negative, removes the item instead. */
static void joint_move_item(struct centres *s, size_t c, double weight, const double *g)
{
	double *sum = ROW(&s->S, c);

	s->W[c] += weight;
	for (size_t l = 0; l < s->S.cols; l++)
		sum[l] += weight * g[l];
}

static void centres_update(struct centres *s, const struct joint *j, const struct mat *G,
			   const uint32_t *label)
{
	for (size_t i = 0; i < j->m; i++) {
		if (label[i] == s->label[i])
			continue;
		if (s->label[i] < j->K)
			joint_move_item(s, s->label[i], -j->weight[i], ROW(G, i));
		if (label[i] < j->K)
			joint_move_item(s, label[i], j->weight[i], ROW(G, i));
		s->label[i] = label[i];
	}
	for (size_t c = 0; c < j->K; c++) {
		/* The comparison is exact, because weights are numbers of nodes. */
		if (s->W[c] <= 0)
			continue;
		s->square[c] = 0;
		for (size_t i = 0; i < j->m; i++) {
			MAT(&s->P, c, i) = MAT(&s->S, c, i) / s->W[c];
			if (label[i] == c)
				s->square[c] += MAT(&s->P, c, i) * j->weight[i] / s->W[c];
		}
	}
}

/* Computes D_ic = <y_i, y_i> - 2 <y_i, mu_c> + <mu_c, mu_c>. */
static void joint_distances(const struct joint *j, const struct mat *G, const struct centres *s,
			    double *D)
{
	for (size_t i = 0; i < j->m; i++)
		for (size_t c = 0; c < j->K; c++) {
			double d = MAT(G, i, i) - 2 * MAT(&s->P, c, i) + s->square[c];

			D[i * j->K + c] = d > 0 ? d : 0;
		}
}

/* Runs Protocol 2, lines 7-38, with distances computed from G. */
static size_t lloyd(struct joint *j, const struct mat *G)
{
	struct centres *centres = alloc(j->R, sizeof(*centres));
	double *D = alloc(j->m * j->K, sizeof(*D));
	uint32_t *kept = alloc(j->R, sizeof(*kept));
	size_t moved = 0;

	for (struct centres *s = centres; s < centres + j->R; s++) {
		ALLOC(s->label, j->m);
		ALLOC(s->W, j->K);
		ALLOC(s->square, j->K);
		mat_init(&s->S, j->K, j->m);
		mat_init(&s->P, j->K, j->m);
		for (size_t i = 0; i < j->m; i++)
			s->label[i] = j->K;
	}
	for (unsigned t = 0; joint_active(j); t++) {
		moved = 0;
		for (unsigned r = 0; r < j->R; r++) {
			if (!j->moving[r])
				continue;
			centres_update(&centres[r], j, G, j->label + r * j->m);
			joint_distances(j, G, &centres[r], D);
			moved += joint_assign(j, r, t, D);
			progress_tick();
		}
		if (joint_iterated(j, t))
			joint_screen(j, kept);
	}
	for (struct centres *s = centres; s < centres + j->R; s++) {
		free(s->label);
		free(s->W);
		free(s->square);
		mat_release(&s->S);
		mat_release(&s->P);
	}
	free(centres);
	free(D);
	free(kept);
	return moved;
}

/* Sums the products of all groups of the level in one round. */
static enum err sum_products(struct run *run, struct joint *groups, size_t count)
{
	struct sum *sums = alloc(count, sizeof(*sums));
	size_t busy = 0;
	enum err e = ERR_OK;

	for (size_t g = 0; g < count && e == ERR_OK; g++) {
		struct joint *j = &groups[g];
		size_t words = j->m * (j->m + 1) / 2 + (j->within ? j->m : 0);

		if (joint_is_trivial(j))
			continue;
		if (j->m > GRAM_ITEMS_MAX) {
			e = err_set(ERR_JOB,
				    "gram of %zu virtual nodes: at most %d are summed at once; "
				    "take exchange \"distances\" or fewer local_clusters",
				    j->m, GRAM_ITEMS_MAX);
			break;
		}
		j->acc = alloc(words, run->job.modulus_bits / 8);
		sums[busy++] = (struct sum){ .group = j->node->id,
					     .first = j->node->first,
					     .last = j->node->last,
					     .round = j->round,
					     .count = words,
					     .acc = j->acc };
	}
	if (e == ERR_OK && busy)
		e = secure_sums(run, sums, busy);
	free(sums);
	return e;
}

/* Decodes the sum: its lower triangle, by rows, becomes the matrix G; the numbers after it go to
 * `within`. */
static void decode_products(const struct run *run, struct joint *j, struct mat *G)
{
	size_t word = run->job.modulus_bits / 8;
	struct fixed f = run_fixed(run, j->node->last - j->node->first);
	const uint8_t *row = j->acc;

	mat_init(G, j->m, j->m);
	for (size_t i = 0; i < j->m; i++) {
		fixed_decode(&f, row, i + 1, ROW(G, i));
		row += (i + 1) * word;
		for (size_t l = 0; l < i; l++)
			MAT(G, l, i) = MAT(G, i, l);
	}
	if (j->within)
		fixed_decode(&f, row, j->m, j->within);
	free(j->acc);
	j->acc = NULL;
}

enum err gram_sum(struct run *run, struct joint *j, struct mat *G)
{
	TRY(sum_products(run, j, 1));
	decode_products(run, j, G);
	return ERR_OK;
}

void gram_lloyd(struct run *run, struct joint *j, const struct mat *G)
{
	size_t moved;

	joint_begin(j);
	moved = lloyd(j, G);
	run_progress(run, j->iterations, moved);
}

enum err gram_kmeans(struct run *run, struct joint *groups, size_t count)
{
	TRY(sum_products(run, groups, count));
	for (struct joint *j = groups; j < groups + count; j++) {
		if (joint_is_trivial(j)) {
			joint_begin(j);
		} else {
			struct mat G;

			decode_products(run, j, &G);
			gram_lloyd(run, j, &G);
			mat_release(&G);
		}
		TRY(joint_finish(run, j));
	}
	return ERR_OK;
}
