#include "server/joint.h"
#include "common/base/alloc.h"
#include "common/math/kmeans.h"
#include "server/sum.h"

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
	free(j->objective);
	free(j->acc);
	*j = (struct joint){ 0 };
}

static size_t active(const struct joint *j)
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

/* All restarts move at first; a cluster exists if its start assigns it an item. */
static void begin(struct run *run, struct joint *j)
{
	size_t words;

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
	words = (size_t)j->R * j->m * j->K;
	j->acc = alloc(words, run->job.modulus_bits / 8);
}

/* One restart's summed distances, and from them its next assignment. Returns how many items
 * moved; the 1/9 step does not count. */
static size_t assign_restart(const struct joint *j, unsigned r, bool ninth, double *D)
{
	uint32_t *label = j->label + r * j->m;

	for (size_t i = 0; i < j->m; i++)
		for (unsigned c = 0; c < j->K; c++)
			if (!j->used[r * j->K + c])
				D[i * j->K + c] = INFINITY;
	if (ninth) {
		kmeans_assign_ninth(D, j->m, j->K, label);
		return 0;
	}
	j->inertia[r] = 0;
	return kmeans_assign(D, j->weight, j->m, j->K, label, &j->inertia[r]);
}

/* Lines 15 and 30: assigns all items of all moving restarts and tells the members. */
static enum err assign(struct run *run, struct joint *j, bool ninth, size_t *moved)
{
	size_t word = run->job.modulus_bits / 8, cells = j->m * j->K, a = 0;
	struct fixed f = run_fixed(run, j->node->last - j->node->first);
	uint32_t *told = alloc(active(j) * j->m, sizeof(*told));
	double *D = alloc(cells, sizeof(*D));
	enum err e;

	for (unsigned r = 0; r < j->R; r++) {
		size_t changed;

		if (!j->moving[r])
			continue;
		fixed_decode(&f, (uint8_t *)j->acc + a * cells * word, cells, D);
		changed = assign_restart(j, r, ninth, D);
		memcpy(told + a * j->m, j->label + r * j->m, j->m * sizeof(*told));
		j->moving[r] = ninth || changed > 0;
		*moved += changed;
		a++;
	}
	e = run_broadcast_labels(run, j->node->first, j->node->last, MSG_ASSIGNMENT, j->node->id,
				 j->K, told, a * j->m);
	free(told);
	free(D);
	return e;
}

/* Lines 13 and 28 for every group that still moves. */
static enum err sum_distances(struct run *run, struct joint *groups, size_t count, size_t *busy)
{
	struct sum *sums = alloc(count, sizeof(*sums));
	enum err e = ERR_OK;

	*busy = 0;
	for (size_t g = 0; g < count; g++) {
		const struct joint *j = &groups[g];

		if (active(j))
			sums[(*busy)++] = (struct sum){ .group = j->node->id,
							.first = j->node->first,
							.last = j->node->last,
							.round = j->round,
							.count = active(j) * j->m * j->K,
							.acc = j->acc };
	}
	if (*busy)
		e = secure_sums(run, sums, *busy);
	free(sums);
	return e;
}

/* The running restart of least inertia that is not marked in taken; the first on ties. */
static unsigned least(const struct joint *j, const uint32_t *taken)
{
	unsigned best = j->R;

	for (unsigned r = 0; r < j->R; r++)
		if (j->running[r] && !(taken && taken[r]) &&
		    (best == j->R || j->inertia[r] < j->inertia[best]))
			best = r;
	return best;
}

/* After a few iterations the promising starts can be told from the others: only they go on. */
static enum err screen(struct run *run, struct joint *j)
{
	uint32_t *kept = alloc(j->R, sizeof(*kept));
	enum err e;

	for (unsigned i = 0; i < j->keep; i++)
		kept[least(j, kept)] = 1;
	for (unsigned r = 0; r < j->R; r++) {
		j->running[r] = kept[r];
		j->moving[r] = j->moving[r] && kept[r];
	}
	e = run_broadcast_labels(run, j->node->first, j->node->last, MSG_KEPT, j->node->id, 1, kept,
				 j->R);
	free(kept);
	return e;
}

/* How the winner came down, into the record. A restart that has settled keeps its last value. */
static void keep_objective(struct run *run, const struct joint *j, unsigned best)
{
	double *objective = alloc(j->Q, sizeof(*objective));
	struct record_sum sum = { .group = j->node->id,
				  .items = j->m,
				  .iterations = j->iterations,
				  .inertia = j->inertia[best],
				  .objective = objective };

	while (sum.objectives < j->iterations) {
		objective[sum.objectives] = j->objective[sum.objectives * j->R + best];
		sum.objectives++;
	}
	record_sum(run->record, &sum);
	free(objective);
}

/* Tells the members which assignment won. */
static enum err finish(struct run *run, struct joint *j)
{
	unsigned best = joint_is_trivial(j) ? 0 : least(j, NULL);

	memcpy(j->best, j->label + best * j->m, j->m * sizeof(*j->best));
	keep_objective(run, j, best);
	return run_broadcast_labels(run, j->node->first, j->node->last, MSG_CLUSTERS, j->node->id,
				    j->K, j->best, j->m);
}

enum err joint_kmeans(struct run *run, struct joint *groups, size_t count)
{
	for (size_t g = 0; g < count; g++)
		begin(run, &groups[g]);
	for (unsigned t = run->job.ninth ? 0 : 1;; t++) {
		size_t busy, moved = 0;

		TRY(sum_distances(run, groups, count, &busy));
		if (!busy)
			break;
		for (size_t g = 0; g < count; g++)
			if (active(&groups[g])) {
				TRY(assign(run, &groups[g], t == 0, &moved));
				groups[g].iterations = t;
				if (t > 0)
					memcpy(groups[g].objective + (size_t)(t - 1) * groups[g].R,
					       groups[g].inertia,
					       groups[g].R * sizeof(*groups[g].inertia));
				if (t == groups[g].Q)
					memset(groups[g].moving, 0, groups[g].R * sizeof(bool));
				if (t > 0 && t == groups[g].screen)
					TRY(screen(run, &groups[g]));
			}
		run_progress(run, t, moved);
	}
	for (size_t g = 0; g < count; g++)
		TRY(finish(run, &groups[g]));
	return ERR_OK;
}
