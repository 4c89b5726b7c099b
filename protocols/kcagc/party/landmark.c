/* The party's side of landmark projection. K = sum_l X_l X_l', where X_l is the slice of party l. M
 * has the means of this party's rows over each set of nodes. */
#include "protocols/kcagc/job.h"
#include "protocols/kcagc/landmark.h"
#include "common/base/alloc.h"
#include "protocols/kcagc/party/answers.h"
#include "protocols/kcagc/party/kcagc.h"
#include "protocols/kcagc/party/model.h"
#include "party/ranks/workers.h"

#include <stdlib.h>

/* Maximum bytes of the spreads, which this party sends after it has received the norms. */
enum { SPREADS_MOST = 4 << 10 };

/* Computes this party's facts, and its clusters of Protocol 1 as in kCAGC. */
enum err party_landmark_begin(struct work *work, uint32_t *label)
{
	uint32_t clusters = kcagc_local_clusters(kcagc_job(&work->job));
	struct kmeans_params how =
	    landmark_local(work->job.clusters, clusters, work->job.seed, work->threads);
	struct answers *a;

	ALLOC(a, 1);
	kcagc_party(work)->begun = a;
	work_phase(work, "local");
	TRY(answers_open(a, work));
	TRY(answers_find_facts(a));
	return work->workers
		   ? workers_cells(work->workers, a->order, work->L, work->job.clusters, &how,
				   label)
		   : slice_cluster(&a->slice, a->order, work->L, work->job.clusters, &how, label);
}

/* Checks that each set has at least min_cell nodes, so that no sum is over fewer nodes. */
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
		if (size[c] < kcagc_job(&work->job)->min_cell)
			e = peer_fault(work->channel,
				       "sent LANDMARKS with %u sets, of which set %u has %zu "
				       "nodes, fewer than job.min_cell, %u",
				       sets, c, size[c], kcagc_job(&work->job)->min_cell);
	free(size);
	return e;
}

/* Receives the set of each node, and sends X_l M' (slice.h, ASK_MEANS). */
static enum err landmarks(struct answers *a)
{
	struct work *work = a->work;
	uint32_t sets = (uint32_t)landmark_most(work->job.clusters, work->n);
	uint32_t *set = alloc(work->n, sizeof(*set));
	enum err e;

	work_phase(work, "landmarks");
	e = channel_recv_labels_upto(work->channel, MSG_LANDMARKS, a->root->id, 1, &sets, set,
				     work->n);
	if (e == ERR_OK)
		e = check_sets(work, set, sets);
	if (e == ERR_OK)
		e = answers_send_means(a, set, sets);
	free(set);
	return e;
}

/* Receives B, multiplied by sqrt(n), and sends this party's term of the joint product K B
 * (sums.h). */
static enum err party_landmark_power(struct answers *a)
{
	struct work *work = a->work;
	size_t most = landmark_columns(work->job.clusters, work->n);
	uint64_t width;

	work_phase(work, "power");
	TRY(channel_recv_choice(work->channel, CHOICE_WIDTH, most, &width));
	if (!width)
		return peer_fault(work->channel, "sent CHOICE of a BLOCK of no columns");
	/* The coordinator takes some time to compute the block, so keep the connection fast. */
	TRY(channel_touch(work->channel));
	return answers_send_products(a, width);
}

/* Sends the answer for the guard (guard.h), which also has the means for the first polish step.
 * Then runs the other polish steps. */
static enum err party_landmark_polish(struct answers *a)
{
	unsigned steps = kcagc_job(&a->work->job)->polish;

	work_phase(a->work, "polish");
	TRY(answers_weigh_two(a, steps > 0));
	return answers_follow_steps(a, steps);
}

/* As placing_of(), for rows on ranks. */
static enum err placing_distributed(struct answers *a, struct placing *place)
{
	struct workers *w = a->work->workers;
	struct features shape = { .dense.cols = workers_sizes(w).cols };
	struct slice s;
	struct mat M;
	enum err e;

	slice_begin(&s, &shape, a->work->graph, 1);
	s.order = a->order;
	e = workers_means(w, a->means, a->work->job.clusters, &s, &M);
	if (e == ERR_OK)
		placing_by(&s, &M, a->work->L, place);
	mat_release(&M);
	slice_release(&s);
	return e;
}

/* Computes the placing of new rows if labels come from the means of the last received clusters.
 * There is no placing if min_cell is above 1, since sums over single nodes are then forbidden.
 * There is no placing with standardised columns or degrees either, because a model does not store
 * their means and deviations. */
static enum err find_placing(struct answers *a, struct placing *place)
{
	struct work *work = a->work;

	if (!a->means || kcagc_job(&work->job)->min_cell > 1 ||
	    kcagc_job(&work->job)->standardize != STANDARDIZE_NONE ||
	    a->slice.degrees != DEGREES_OFF)
		return ERR_OK;
	if (work->workers)
		return placing_distributed(a, place);
	placing_of(&a->slice, a->means, work->job.clusters, work->L, place);
	return ERR_OK;
}

static enum err party_landmark_cluster(struct answers *a, unsigned t)
{
	TRY(landmarks(a));
	if (kcagc_job(&a->work->job)->landmark_power)
		TRY(party_landmark_power(a));
	TRY(party_take_clusters(a->work));
	TRY(party_landmark_polish(a));
	return find_placing(a, &a->place[t]);
}

static enum err party_landmark_project(struct answers *a, uint32_t *label)
{
	struct work *work = a->work;
	struct placing *place;
	struct model *model;
	unsigned taken;

	TRY(answers_send_facts(a));
	TRY(channel_send_labels(work->channel, MSG_LOCAL_CLUSTERS, (uint32_t)work->own,
				kcagc_local_clusters(kcagc_job(&work->job)), label, work->n));
	TRY(work_warm(work));
	TRY(work_warm_on(work, SPREADS_MOST));
	TRY(answers_send_spreads(a));
	TRY(work_warm(work));
	TRY(answers_settle(a, party_landmark_cluster, &taken));
	TRY(answers_take_result(a, label));
	model = kcagc_party(work)->model = model_new(work);
	place = &a->place[taken];
	if (place->weight)
		model_fill_placing(model, place, label, work->n);
	return ERR_OK;
}

enum err party_landmark(struct work *work, uint32_t *label)
{
	struct kcagc_party *mine = kcagc_party(work);
	enum err e = mine->begun ? ERR_OK : party_landmark_begin(work, label);

	if (e == ERR_OK)
		e = party_landmark_project(mine->begun, label);
	answers_free(mine->begun);
	mine->begun = NULL;
	return e;
}
