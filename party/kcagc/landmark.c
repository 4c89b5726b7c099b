/* A party's half of landmark projection (common/kcagc/landmark.h): k^ local clusters, q sets of
 * nodes, K = sum_l X_l X_l', M the means of its own rows over each set. */
#include "party/kcagc/landmark.h"
#include "common/base/alloc.h"
#include "common/kcagc/landmark.h"
#include "party/kcagc/answers.h"

#include <stdlib.h>
#include <string.h>

enum { SPREADS_MOST = 4 << 10 }; /* bytes of what follows the norms */

/* Step 3: Protocol 1's clusters, as in kCAGC. */
enum err party_landmark_begin(struct work *work, uint32_t *label)
{
	uint32_t clusters = kcagc_local_clusters(&work->job.kcagc);
	struct kmeans_params how =
	    landmark_local(work->job.clusters, clusters, work->job.seed, work->threads);
	struct answers *a;

	ALLOC(work->begun, 1);
	a = work->begun;
	work_phase(work, "local");
	TRY(answers_open(a, work));
	TRY(answers_own_facts(a));
	return slice_cluster(&a->slice, a->order, work->L, work->job.clusters, &how, label);
}

static enum err send_local(struct work *work, const uint32_t *label)
{
	return channel_send_labels(work->channel, MSG_LOCAL_CLUSTERS, (uint32_t)work->own,
				   kcagc_local_clusters(&work->job.kcagc), label, work->n);
}

/* Each set has nodes, at least min_cell of them: what is summed is of no fewer. */
static enum err check_sets(const struct work *work, const uint32_t *set, uint32_t sets)
{
	size_t *size = alloc((size_t)sets + 1, sizeof(*size));
	enum err e = ERR_OK;

	for (size_t i = 0; i < work->n; i++)
		size[set[i]]++;
	if (size[sets])
		e = peer_fault(work->channel, "sent LANDMARKS with %zu nodes in none of %u sets",
			       size[sets], sets);
	for (uint32_t c = 0; c < sets && e == ERR_OK; c++)
		if (size[c] < work->job.kcagc.min_cell)
			e = peer_fault(work->channel,
				       "sent LANDMARKS with %u sets, of which set %u has %zu "
				       "nodes, fewer than job.min_cell, %u",
				       sets, c, size[c], work->job.kcagc.min_cell);
	free(size);
	return e;
}

/* Steps 4 and 5: set ids down, X_l M' up. */
static enum err landmarks(struct answers *a, uint32_t *set)
{
	struct work *work = a->work;
	size_t most = landmark_most(work->job.clusters, work->n);
	uint32_t sets = (uint32_t)most;

	work_phase(work, "landmarks");
	TRY(answers_order(a));
	TRY(channel_recv_labels_upto(work->channel, MSG_LANDMARKS, a->root->id, 1, &sets, set,
				     work->n));
	TRY(check_sets(work, set, sets));
	return answers_means(a, set, sets);
}

/* Step 6: sqrt(n) B down, K B up. */
static enum err power(struct answers *a)
{
	struct work *work = a->work;
	size_t most = landmark_columns(work->job.clusters, work->n);
	uint64_t width;

	work_phase(work, "power");
	TRY(channel_recv_choice(work->channel, CHOICE_WIDTH, most, &width));
	if (!width)
		return peer_fault(work->channel, "sent CHOICE of a BLOCK of no columns");
	TRY(channel_touch(work->channel)); /* the block takes its time */
	return answers_products(a, width);
}

/* Steps 8 and 9: two labellings down, how well they fit the graph and the means for the first
 * polish up; then more polish. */
static enum err polish(struct answers *a)
{
	struct work *work = a->work;
	unsigned k = work->job.clusters;
	uint32_t *both = alloc(2 * work->n, sizeof(*both));
	enum err e;

	work_phase(work, "polish");
	e = work_recv_clusters(work, MSG_ASSIGNMENT, a->root, k, both, 2 * work->n);
	if (e == ERR_OK)
		e = answers_quality(a, both, k, 2, work->job.kcagc.polish > 0);
	free(both);
	TRY(e);
	return answers_steps(a, work->job.kcagc.polish);
}

static enum err take_part(struct answers *a, uint32_t *label)
{
	TRY(answers_facts(a)); /* step 1 */
	TRY(send_local(a->work, label));
	TRY(work_warm(a->work));
	TRY(work_warm_on(a->work, SPREADS_MOST));
	TRY(answers_spreads(a)); /* step 2 */
	TRY(work_warm(a->work));
	TRY(landmarks(a, label));
	if (a->work->job.kcagc.landmark_power)
		TRY(power(a));
	TRY(polish(a));
	return answers_result(a, label);
}

enum err party_landmark(struct work *work, uint32_t *label)
{
	enum err e = work->begun ? ERR_OK : party_landmark_begin(work, label);

	if (e == ERR_OK)
		e = take_part(work->begun, label);
	answers_free(work->begun);
	work->begun = NULL;
	return e;
}
