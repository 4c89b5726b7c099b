#include "server/kcagc/joint.h"
#include "common/base/alloc.h"
#include "common/cluster/kmeans.h"
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

size_t joint_active(const struct joint *j)
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

size_t joint_assign(struct joint *j, unsigned r, bool ninth, double *D)
{
	uint32_t *label = j->label + r * j->m;
	size_t changed = 0;

	for (size_t i = 0; i < j->m; i++)
		for (unsigned c = 0; c < j->K; c++)
			if (!j->used[r * j->K + c])
				D[i * j->K + c] = INFINITY;
	if (ninth) {
		kmeans_assign_ninth(D, j->m, j->K, label);
		return 0;
	}
	j->inertia[r] = 0;
	changed = kmeans_assign(D, j->weight, j->m, j->K, label, &j->inertia[r]);
	j->moving[r] = changed > 0;
	return changed;
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
void joint_screen(struct joint *j, uint32_t *kept)
{
	memset(kept, 0, j->R * sizeof(*kept));
	for (unsigned i = 0; i < j->keep; i++)
		kept[least(j, kept)] = 1;
	for (unsigned r = 0; r < j->R; r++) {
		j->running[r] = kept[r];
		j->moving[r] = j->moving[r] && kept[r];
	}
}

bool joint_iterated(struct joint *j, unsigned t)
{
	j->iterations = t;
	if (t > 0)
		memcpy(j->objective + (size_t)(t - 1) * j->R, j->inertia,
		       j->R * sizeof(*j->inertia));
	if (t == j->Q)
		memset(j->moving, 0, j->R * sizeof(*j->moving));
	return t > 0 && t == j->screen;
}

enum err joint_finish(struct run *run, struct joint *j)
{
	unsigned best = joint_is_trivial(j) ? 0 : least(j, NULL);
	double *objective = alloc(j->Q, sizeof(*objective)); /* how the winner came down */
	struct record_sum sum = { .group = j->node->id,
				  .items = j->m,
				  .merged = j->merged,
				  .iterations = j->iterations,
				  .inertia = j->inertia[best],
				  .objective = objective };

	memcpy(j->best, j->label + best * j->m, j->m * sizeof(*j->best));
	while (sum.objectives < j->iterations) {
		objective[sum.objectives] = j->objective[sum.objectives * j->R + best];
		sum.objectives++;
	}
	record_sum(run->record, &sum);
	free(objective);
	return run_broadcast_labels(run, j->node->first, j->node->last, MSG_CLUSTERS, j->node->id,
				    j->K, j->best, j->m);
}

/* One iteration of a group from the summed distances: the next assignments of all moving restarts,
 * and which of them go on from there. */
static enum err iterate(struct run *run, struct joint *j, unsigned t, size_t *moved)
{
	size_t word = run->job.modulus_bits / 8, cells = j->m * j->K, a = 0;
	struct fixed f = run_fixed(run, j->node->last - j->node->first);
	uint32_t *told = alloc(joint_active(j) * j->m, sizeof(*told)), *kept;
	double *D = alloc(cells, sizeof(*D));
	enum err e;

	for (unsigned r = 0; r < j->R; r++) {
		if (!j->moving[r])
			continue;
		fixed_decode(&f, (uint8_t *)j->acc + a * cells * word, cells, D);
		*moved += joint_assign(j, r, t == 0, D);
		memcpy(told + a++ * j->m, j->label + r * j->m, j->m * sizeof(*told));
	}
	e = run_broadcast_labels(run, j->node->first, j->node->last, MSG_ASSIGNMENT, j->node->id,
				 j->K, told, a * j->m);
	free(told);
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
	for (unsigned t = run->job.kcagc.ninth ? 0 : 1; e == ERR_OK; t++) {
		busy = moved = 0;
		/* Lines 13 and 28 for every group that still moves. */
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
				e = iterate(run, &groups[g], t, &moved);
		if (e == ERR_OK)
			run_progress(run, t, moved);
	}
	for (size_t g = 0; e == ERR_OK && g < count; g++)
		e = joint_finish(run, &groups[g]);
	free(sums);
	return e;
}
