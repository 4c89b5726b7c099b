#include "protocols/kcagc/party/answers.h"
#include "common/base/alloc.h"
#include "common/data/standard.h"
#include "crypto/fixed.h"
#include "protocols/kcagc/party/kcagc.h"
#include "party/ranks/workers.h"
#include "protocols/kcagc/job.h"
#include "common/privacy/bound.h"
#include "party/work/bound.h"
#include "party/work/secure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void answers_close(struct answers *a)
{
	slice_release(&a->slice);
	placing_release(&a->place[0]);
	placing_release(&a->place[1]);
	free(a->own);
	free(a->means);
}

void answers_free(struct answers *a)
{
	if (a)
		answers_close(a);
	free(a);
}

/* Returns the factor by which an answer's numbers use all bits of the integers that are summed.
 * Returns 1 if no bound of the numbers is known, or if the job gives the fraction bits of 64-bit
 * integers. */
static double scale_of(const struct work *work, double most)
{
	struct fixed f = secure_fixed(work, work->L);
	bool fills = f.modulus_bits == 32 || work->job.fraction_bits == JOB_AUTO;

	return most > 0 && fills ? fixed_scale(&f, most) : 1;
}

/* Scales the party's answer x, and sends it. */
static enum err send_term(struct answers *a, const struct question *q, double *x)
{
	size_t count = question_words(q, a->work->n);
	double most = question_most(q, a->work->n), scale = scale_of(a->work, most);

	if (!most)
		return secure_send_wide(a->work, a->root, x, count);
	for (size_t i = 0; i < count; i++)
		x[i] *= scale;
	return secure_send(a->work, a->root, x, count);
}

struct term {
	struct secure *sum;
	double scale;
};

static enum err add_term(void *arg, const double *x, size_t count)
{
	const struct term *t = arg;
	enum { PIECE = 1024 };
	double scaled[PIECE];

	if (t->scale == 1)
		return secure_add(t->sum, x, count);
	for (size_t at = 0, next; at < count; at += next) {
		next = min_size(PIECE, count - at);
		for (size_t i = 0; i < next; i++)
			scaled[i] = x[at + i] * t->scale;
		TRY(secure_add(t->sum, scaled, next));
	}
	return ERR_OK;
}

/* Computes the answer, by ranks or in this process. For products, the ranks have already received
 * their command, together with the block. */
static enum err answers_emit(struct answers *a, const struct question *q, slice_values *each,
			     void *arg)
{
	struct workers *w = a->work->workers;

	if (!w)
		return slice_stream(&a->slice, q, each, arg);
	if (q->kind != ASK_PRODUCTS)
		TRY(workers_question(w, q));
	return workers_answer(w, q, each, arg);
}

/* Sends this party's term. It is masked piece by piece and never held whole. */
static enum err answers_send_answer(struct answers *a, const struct question *q)
{
	struct work *work = a->work;
	double most = question_most(q, work->n);
	struct term t = { .scale = scale_of(work, most) };
	enum err e = secure_begin(work, a->root, question_words(q, work->n), !most, &t.sum);

	TRY(e);
	e = answers_emit(a, q, add_term, &t);
	if (e == ERR_OK)
		e = secure_end(t.sum);
	secure_free(t.sum);
	return e;
}

static enum err find_answer(struct answers *a, const struct question *q, double *x)
{
	return answers_emit(a, q, slice_keep, &x);
}

static enum err put_degrees(struct answers *a, enum degrees degrees)
{
	a->slice.degrees = degrees;
	return find_answer(a, &(struct question){ .kind = ASK_DEGREES, .take = degrees }, NULL);
}

static enum err answers_read_again(void *arg, struct features *X)
{
	struct work *work = arg;

	*X = (struct features){ 0 };
	TRY(work->source.read(work->source.ctx, work->features));
	if (kcagc_job(&work->job)->standardize != STANDARDIZE_NONE)
		TRY(standard_features(work->features, work_columns(work)));
	*X = *work->features;
	*work->features = (struct features){ 0 };
	return ERR_OK;
}

enum err answers_open(struct answers *a, struct work *work)
{
	enum degrees degrees = kcagc_degrees(kcagc_job(&work->job));

	if (degrees == DEGREES_AUTO) /* degrees are off until the coordinator sends the decision */
		degrees = DEGREES_OFF;
	*a = (struct answers){ .work = work };
	if (kcagc_job(&work->job)->filter_order != KCAGC_ORDER_AUTO)
		a->order = kcagc_job(&work->job)->filter_order;
	tree_build(&a->tree, work->L, true);
	a->root = &a->tree.node[a->tree.count - 1];
	work_group(work, a->root);
	if (work->workers)
		return degrees == DEGREES_OFF ? ERR_OK : put_degrees(a, degrees);
	TRY(party_standardize(work));
	TRY(slice_init(&a->slice, work->features, work->graph, work->threads));
	a->source = (struct features_source){ work, answers_read_again };
	if (work->source.read)
		a->slice.source = &a->source;
	a->slice.degrees = degrees;
	return ERR_OK;
}

enum err answers_send_means(struct answers *a, const uint32_t *label, size_t k)
{
	return answers_send_answer(
	    a, &(struct question){ .kind = ASK_MEANS, .order = a->order, .label = label, .k = k });
}

enum err answers_find_facts(struct answers *a)
{
	struct question facts = { .kind = ASK_FACTS };

	ALLOC(a->own, question_words(&facts, a->work->n));
	return find_answer(a, &facts, a->own);
}

enum err answers_send_facts(struct answers *a)
{
	struct question facts = { .kind = ASK_FACTS };

	double longest = 0;
	int e;

	work_phase(a->work, "norms");
	if (!a->own)
		TRY(answers_find_facts(a));
	for (size_t i = 0; i < a->work->n; i++)
		longest = fmax(longest, a->own[2 + i]);
	TRY(party_bound(a->work, a->root, longest, &e));
	facts.unit = a->unit = bound_unit(e);
	question_scale(&facts, a->own + 2, a->work->n);
	return send_term(a, &facts, a->own);
}

/* Receives whether all, some or no parties have only words (features of 0 and 1) besides foreign
 * columns (seen.h), and the joint norms. Checks both against this party's own features. If only
 * some parties have only words, sends norms without idf weights. */
static enum err agree_norms(struct answers *a, double *square, bool *idf)
{
	struct work *work = a->work;
	struct question norms = { .kind = ASK_NORMS, .unit = a->unit };
	double rounding = ldexp((double)work->L, -JOB_WIDE_FRACTION), *own = a->own + 2;
	bool measured = a->own[0] != 0;
	uint64_t words;

	TRY(channel_recv_choice(work->channel, CHOICE_WORDS, WORDS_SOME, &words));
	if ((words == WORDS_ALL && measured) || (words == WORDS_NONE && !measured))
		return peer_fault(work->channel,
				  "sent CHOICE by which %s of the parties have words alone; this "
				  "one %s",
				  words == WORDS_ALL ? "all" : "none",
				  measured ? "has others" : "has");
	*idf = words == WORDS_ALL;
	if (words == WORDS_SOME) {
		TRY(find_answer(a, &norms, own));
		TRY(send_term(a, &norms, own));
	}
	TRY(channel_recv_reals(work->channel, MSG_BLOCK, a->root->id, square, work->n));
	for (size_t i = 0; i < work->n; i++)
		if (square[i] < 0 || square[i] < own[i] * (1 - BLOCK_ROUNDING) - rounding)
			return peer_fault(work->channel,
					  "sent a BLOCK of joint norms of which that of row %zu is "
					  "shorter than this party's part",
					  i);
	return ERR_OK;
}

/* Receives the decision on degrees. The coordinator derives it from the parties' facts about their
 * features. */
static enum err take_degrees(struct answers *a)
{
	uint64_t alone;

	TRY(channel_recv_choice(a->work->channel, CHOICE_DEGREES, 1, &alone));
	if (alone)
		warnings_add(WARNING_DEGREES, 1, "all nodes are clustered by their degrees alone");
	return put_degrees(a, alone ? DEGREES_ALONE : DEGREES_OFF);
}

enum err answers_send_spreads(struct answers *a)
{
	double *square = alloc(a->work->n, sizeof(*square));
	enum degrees degrees = kcagc_degrees(kcagc_job(&a->work->job));
	struct question spreads = { .kind = ASK_SPREADS,
				    .unit = a->unit,
				    .square = square,
				    .shares = !a->order,
				    .explained = degrees == DEGREES_AUTO,
				    .degrees = degrees != DEGREES_OFF,
				    .parties = a->work->L };
	enum err e;

	work_phase(a->work, "order");
	e = agree_norms(a, square, &spreads.idf);
	if (e == ERR_OK)
		e = answers_send_answer(a, &spreads);
	free(square);
	return e == ERR_OK && degrees == DEGREES_AUTO ? take_degrees(a) : e;
}

static enum err give_ranks(void *workers, const double *x, size_t count)
{
	return workers_block(workers, x, count);
}

/* Forwards the block to the ranks as it arrives; this process does not hold it. The last part is
 * forwarded only after the block is verified. Only then do the ranks begin to compute. */
static enum err pass_products(struct answers *a, const struct question *q)
{
	struct work *work = a->work;

	TRY(workers_filter(work->workers, q->order));
	TRY(workers_question(work->workers, q));
	TRY(work_pass_block(work, a->root, work->n, q->B->cols, give_ranks, work->workers));
	return answers_send_answer(a, q);
}

enum err answers_send_products(struct answers *a, size_t width)
{
	struct mat B = { a->work->n, width, NULL };
	struct question q = { .kind = ASK_PRODUCTS, .order = a->order, .B = &B };
	enum err e;

	if (a->work->workers)
		return pass_products(a, &q);
	TRY(slice_filter(&a->slice, a->order));
	mat_init(&B, a->work->n, width);
	e = work_recv_block(a->work, a->root, &B);
	if (e == ERR_OK)
		e = answers_send_answer(a, &q);
	mat_release(&B);
	return e;
}

enum err party_take_clusters(struct work *work)
{
	struct job *job = &work->job;
	uint64_t k;

	if (!job->clusters_from)
		return ERR_OK;
	TRY(channel_recv_choice(work->channel, CHOICE_CLUSTERS, job->clusters, &k));
	if (k < job->clusters_from)
		return peer_fault(work->channel, "sent CHOICE of %u clusters, expected %u to %u",
				  (unsigned)k, job->clusters_from, job->clusters);
	job->clusters = (unsigned)k;
	return ERR_OK;
}

static void keep_means(struct answers *a, const uint32_t *label)
{
	if (!a->means)
		ALLOC(a->means, a->work->n);
	memcpy(a->means, label, a->work->n * sizeof(*label));
}

enum err answers_follow_steps(struct answers *a, unsigned most)
{
	struct work *work = a->work;
	uint32_t *label = alloc(work->n, sizeof(*label)), *before = alloc(work->n, sizeof(*before));
	enum err e = ERR_OK;

	for (unsigned step = 1; e == ERR_OK; step++) {
		size_t moved = 0;
		uint64_t more;

		e = channel_recv_choice(work->channel, CHOICE_MORE, step <= most, &more);
		if (e != ERR_OK || !more)
			break;
		e = work_recv_clusters(work, MSG_ASSIGNMENT, a->root, work->job.clusters, label,
				       work->n);
		if (e == ERR_OK)
			e = answers_send_means(a, label, work->job.clusters);
		keep_means(a, label);
		for (size_t i = 0; i < work->n; i++)
			moved += step == 1 || label[i] != before[i];
		if (e == ERR_OK)
			work_progress(work, step, moved);
		memcpy(before, label, work->n * sizeof(*label));
	}
	free(label);
	free(before);
	return e;
}

enum err answers_weigh_two(struct answers *a, bool means)
{
	struct work *work = a->work;
	unsigned k = work->job.clusters;
	uint32_t *both = alloc(2 * work->n, sizeof(*both));
	struct question quality = { .kind = ASK_QUALITY,
				    .order = a->order,
				    .label = both,
				    .k = k,
				    .labellings = 2,
				    .parties = work->L,
				    .means = means };
	enum err e = work_recv_clusters(work, MSG_ASSIGNMENT, a->root, k, both, 2 * work->n);

	if (e == ERR_OK)
		e = answers_send_answer(a, &quality);
	if (means)
		keep_means(a, both);
	free(both);
	return e;
}

/* Receives the filter's order, which must not be below the last order received. */
static enum err take_order(struct answers *a)
{
	struct work *work = a->work;
	uint64_t order;

	TRY(channel_recv_choice(work->channel, CHOICE_ORDER, SLICE_ORDER_MAX, &order));
	if (!order)
		return peer_fault(work->channel, "sent CHOICE of filter order 0");
	if (order < a->order)
		return peer_fault(work->channel, "sent CHOICE of filter order %u after %u",
				  (unsigned)order, a->order);
	a->order = work->record->order = (unsigned)order;
	return ERR_OK;
}

static enum err check_second(const struct answers *a, unsigned first)
{
	const struct job *job = &a->work->job;

	if (kcagc_may_settle(kcagc_job(job)) && a->slice.degrees == DEGREES_OFF)
		return ERR_OK;
	return peer_fault(a->work->channel,
			  "sent CHOICE of filter order %u after clusters by order %u; with %s one "
			  "order is tried",
			  a->order, first, job->clusters_from ? "a range of k" : "degrees");
}

/* Receives the coordinator's choice between the two orders that were tried. */
static enum err take_settled(struct answers *a, unsigned first, unsigned *taken)
{
	struct work *work = a->work;
	uint64_t order;

	TRY(channel_recv_choice(work->channel, CHOICE_ORDER, SLICE_ORDER_MAX, &order));
	if (order != first && order != a->order)
		return peer_fault(work->channel,
				  "sent CHOICE of filter order %u, expected %u or %u, which were "
				  "tried",
				  (unsigned)order, first, a->order);
	*taken = order == a->order;
	work->record->order = (unsigned)order;
	return ERR_OK;
}

enum err answers_settle(struct answers *a, answers_cluster *cluster, unsigned *taken)
{
	unsigned first;

	*taken = 0;
	if (a->order)
		return cluster(a, 0);
	TRY(take_order(a));
	TRY(cluster(a, 0));
	first = a->order;
	TRY(take_order(a));
	if (a->order == first)
		return ERR_OK;
	TRY(check_second(a, first));
	TRY(cluster(a, 1));
	work_phase(a->work, "settle");
	TRY(answers_weigh_two(a, false));
	return take_settled(a, first, taken);
}

enum err answers_take_result(struct answers *a, uint32_t *label)
{
	struct work *work = a->work;

	work_phase(work, "result");
	return work_recv_clusters(work, MSG_RESULT, a->root, work->job.clusters, label, work->n);
}
